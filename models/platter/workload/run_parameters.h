// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/params/row.h"

namespace platter::workload {

/// The length of a run, and its random seed.
struct RunParameters {
  std::int64_t seed = 1;
  double warmup_s = 0;
  double measure_s = 10;
};

/// Keys `sim.*`.
const params::Table<RunParameters>& run_parameters();

}  // namespace platter::workload
