// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/params/row.h"

namespace platter::accelerator {

/// Settings of a drive's accelerator, the same for reference model and RTL. docs/reference/configuration.md has the ranges (keys `accelerator.*`), which
/// system::engine_objection() checks. A tick is a turn of the spindle divided by 2^angle_bits. On a drive with an arrival spread, `margin_ticks`,
/// `risk_ticks` and `risk_probability` count only if EngineOptions::margins says that they are given.
struct AcceleratorOptions {
  double clock_mhz = 200;        ///< clock
  std::int64_t entries = 0;      ///< size of the table, a multiple of `lanes`; 0: 32, or the queue's depth if it is larger
  std::int64_t lanes = 4;        ///< entries evaluated in a clock cycle: 1, 2, 4, 8 or 16
  std::int64_t order_m = 12;     ///< most commands of an exact order, 2 to 12; 0: no orderer
  std::int64_t angle_bits = 16;  ///< bits of an angle, 12 to 20
  /// Bits of a cylinder number, 8 to 21; 0: 18, or as many as the drive's cylinders need if they need more.
  std::int64_t cylinder_bits = 0;
  std::int64_t features = 15;  ///< optional parts, a sum of: ageing 1, look-ahead 2, limits 4, zero latency 8
  /// Ticks beyond the least margin of 2 ticks, which covers rounding. A rotational wait shorter than the margin is charged one more turn.
  std::int64_t margin_ticks = 0;
  std::int64_t risk_ticks = 0;        ///< a rotational wait of less than this many ticks beyond the margin may miss its sector
  double risk_probability = 0.5;      ///< probability of such a miss
  std::int64_t ahead_candidates = 8;  ///< policies that look ahead: number of candidates for which they do
  std::int64_t ahead_accesses = 4;    ///< policies that look ahead: number of accesses ahead; 0: no look-ahead
};

/// The names of optional parts (a sum of Feature) as the key `accelerator.features` takes them.
std::string feature_names(std::uint32_t features);

/// Keys `accelerator.*`.
const params::Table<AcceleratorOptions>& accelerator_parameters();

}  // namespace platter::accelerator
