// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/params/row.h"

namespace platter::accelerator {

/// Settings of a drive's accelerator. The RTL is built with these sizes; the reference model takes others.
struct AcceleratorOptions {
  double clock_mhz = 200;             ///< clock
  std::int64_t entries = 0;           ///< 0: as the RTL is built, or more where the queue has more tags
  std::int64_t lanes = 4;             ///< entries evaluated in a cycle
  std::int64_t order_m = 12;          ///< most commands of an exact order; 0: no orderer
  std::int64_t angle_bits = 16;       ///< bits of an angle
  std::int64_t features = 15;         ///< optional parts, a sum (Feature)
  std::int64_t margin_ticks = 0;      ///< a rotational wait below this (plus 2) is charged one more turn
  std::int64_t risk_ticks = 0;        ///< a wait of less than this beyond the margin may miss its sector
  double risk_probability = 0.5;      ///< that it does
  std::int64_t ahead_candidates = 8;  ///< of a policy that looks ahead: candidates for which it does
  std::int64_t ahead_accesses = 4;    ///< how many accesses ahead; 0: it does not look ahead
};

/// The names of optional parts (a sum of Feature) as the key `accelerator.features` takes them.
std::string feature_names(std::uint32_t features);

/// Keys `accelerator.*`.
const params::Table<AcceleratorOptions>& accelerator_parameters();

}  // namespace platter::accelerator
