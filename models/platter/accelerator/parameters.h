// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/params/row.h"

namespace platter::accelerator {

/// Settings of a drive's accelerator that do not depend on how it was built.
struct AcceleratorOptions {
  double clock_mhz = 200;
  std::int64_t margin_ticks = 0;
  std::int64_t risk_ticks = 0;
  double risk_probability = 0.5;
};

/// Keys `accelerator.*`.
const params::Table<AcceleratorOptions>& accelerator_parameters();

}  // namespace platter::accelerator
