// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "platter/core/types.h"

namespace platter::core {

/// SystemC time to picoseconds and back. The kernel's resolution must be 1 ps (its default), which `Drive` checks.
inline Picoseconds to_ps(const sc_core::sc_time& time) { return static_cast<Picoseconds>(time.value()); }
inline sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time)); }
inline Picoseconds now_ps() { return to_ps(sc_core::sc_time_stamp()); }

}  // namespace platter::core
