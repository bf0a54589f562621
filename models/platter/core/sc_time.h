// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/core/types.h"

namespace platter::core {

/// An sc_time in picoseconds. For this and the next functions the kernel's resolution must be 1 ps (its default), which `Drive` checks.
inline Picoseconds to_ps(const sc_core::sc_time& time) { return static_cast<Picoseconds>(time.value()); }
/// The sc_time of picoseconds. Precondition: `time` is not negative.
inline sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time)); }
/// No object acts at a time of its own.
constexpr Picoseconds kNoLocalTime = -1;
/// The time of the object that acts ahead of the kernel (LocalTime), or kNoLocalTime. One for the process, as the kernel is.
inline Picoseconds local_now = kNoLocalTime;
/// The present simulated time, in picoseconds. While an object acts ahead of the kernel, its local time.
inline Picoseconds now_ps() { return local_now != kNoLocalTime ? local_now : to_ps(sc_core::sc_time_stamp()); }

}  // namespace platter::core
