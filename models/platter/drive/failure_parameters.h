// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/params/row.h"

namespace platter::drive {

/// The failure of a whole drive. (Media faults are of sectors.)
struct FailureParameters {
  double fails_at_s = 0;  ///< 0: never
};

/// Keys `failure.*` of one drive.
inline const params::Table<FailureParameters>& failure_parameters() {
  static const params::Table<FailureParameters> table = {
      {"failure.fails_at_s", "s", "simulated time at which the drive fails; its commands and all later ones fail; 0: never",
       params::at(&FailureParameters::fails_at_s), params::Range{0, 1e6}},
  };
  return table;
}

}  // namespace platter::drive
