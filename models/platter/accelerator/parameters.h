// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/params/row.h"

namespace platter::accelerator {

/// Settings of a drive's accelerator. The RTL is built with these sizes; the reference model takes others.
struct AcceleratorOptions {
  double clock_mhz = 200;
  std::int64_t entries = 0;  ///< 0: as the RTL is built, or more where the queue has more tags
  std::int64_t lanes = 4;
  std::int64_t order_m = 12;
  std::int64_t angle_bits = 16;
  std::int64_t features = 15;  ///< optional parts, a sum (Feature)
  std::int64_t margin_ticks = 0;
  std::int64_t risk_ticks = 0;
  double risk_probability = 0.5;
  std::int64_t ahead_candidates = 8;
  std::int64_t ahead_accesses = 4;
};

/// The names of optional parts (a sum of Feature) as the key `accelerator.features` takes them.
std::string feature_names(std::uint32_t features);

/// Keys `accelerator.*`.
const params::Table<AcceleratorOptions>& accelerator_parameters();

}  // namespace platter::accelerator
