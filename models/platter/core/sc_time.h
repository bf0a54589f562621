// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/core/types.h"

namespace platter::core {

/// An sc_time in picoseconds. For this and the next functions the kernel's resolution must be 1 ps (its default), which `Drive` checks.
inline Picoseconds to_ps(const sc_core::sc_time& time) { return static_cast<Picoseconds>(time.value()); }
/// The sc_time of picoseconds. Precondition: `time` is not negative.
inline sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time)); }
/// Of `known_now`: only the kernel knows the time.
constexpr Picoseconds kAskKernel = -1;
/// The present time, where it is known without the kernel: within a timed call (TimedCall), and while an object acts ahead of the kernel (LocalTime).
/// Otherwise kAskKernel. One for the process, as the kernel is. Of the implementation: a program must not write it.
inline Picoseconds known_now = kAskKernel;
/// The present simulated time, in picoseconds. While an object acts ahead of the kernel, its local time.
inline Picoseconds now_ps() { return known_now != kAskKernel ? known_now : to_ps(sc_core::sc_time_stamp()); }

}  // namespace platter::core
