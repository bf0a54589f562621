// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/params/row.h"

namespace platter::drive {

/// A loss of power of all drives, and when the power returns.
struct PowerCutParameters {
  double at_s = 0;            ///< 0: not at a time
  std::int64_t at_write = 0;  ///< 0: not by writes
  std::int64_t at_flush = 0;  ///< 0: not by flushes
  double off_s = 0;           ///< 0: the power does not return
};

/// Keys `power_cut.*`.
inline const params::Table<PowerCutParameters>& power_cut_parameters() {
  using P = PowerCutParameters;
  static const params::Table<P> table = {
      {"power_cut.at_s", "s", "simulated time at which all drives lose their power; 0: not at a time", params::at(&P::at_s),
       params::Range{0, 1e6}},
      {"power_cut.at_write", "",
       "all drives lose their power when this many writes have ended, counted over all drives; 0: not by writes",
       params::at(&P::at_write), params::Range{0, 1e15}},
      {"power_cut.at_flush", "", "the same of flushes", params::at(&P::at_flush), params::Range{0, 1e15}},
      {"power_cut.off_s", "s", "time until the power returns; 0: it does not", params::at(&P::off_s), params::Range{0, 1e6}},
  };
  return table;
}

}  // namespace platter::drive
