// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/params/row.h"

namespace platter::workload {

/// The length of a run, and its random seed.
///
/// With a load that ends by itself (a trace, some jobs) the measured time may be 0: then the run ends when the requests of this load have ended, or
/// after kLongestMeasured_s.
struct RunParameters {
  std::int64_t seed = 1;
  double warmup_s = 0;
  double measure_s = 10;

  bool as_long_as_load() const { return measure_s == 0; }
};

inline constexpr double kShortestMeasured_s = 1e-6;
inline constexpr double kLongestMeasured_s = 1e6;

/// Keys `sim.*`.
const params::Table<RunParameters>& run_parameters();

}  // namespace platter::workload
