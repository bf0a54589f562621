// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/params/row.h"
#include "platter/params/source.h"

namespace platter::observe {

/// Which part of a run is written to a wave file.
struct WaveParameters {
  double from_s = 0;
  double to_s = 2;
  std::int64_t angle_samples = 64;
};

/// Keys `observe.*`.
inline const params::Table<WaveParameters>& wave_parameters() {
  using P = WaveParameters;
  static const params::Table<P> table = {
      {"observe.wave_from_s", "s", "waves: simulated time at which they begin", params::at(&P::from_s), params::Range{0, 1e6}},
      {"observe.wave_to_s", "s", "waves: simulated time at which they end", params::at(&P::to_s), params::Range{0, 1e6}},
      {"observe.wave_angle_samples", "1/turn", "waves: samples of spindle angle and arm position in a turn",
       params::at(&P::angle_samples), params::Range{1, 65536}},
  };
  return table;
}
inline void check(const WaveParameters& waves, params::Findings& findings) {
  if (waves.from_s > waves.to_s) findings.add("observe.wave_from_s", "expected a time that is not after observe.wave_to_s");
}

}  // namespace platter::observe
