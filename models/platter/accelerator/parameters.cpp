// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/parameters.h"

namespace platter::accelerator {

using params::at;
using params::Range;

const params::Table<AcceleratorOptions>& accelerator_parameters() {
  using P = AcceleratorOptions;
  static const params::Table<P> table = {
      {"accelerator.clock_mhz", "MHz", "clock of the scheduling accelerator", at(&P::clock_mhz), Range{1, 10000}},
      {"accelerator.margin_ticks", "ticks", "a rotational wait below this (plus 2) is charged one more turn",
       at(&P::margin_ticks), Range{0, 32767}},
      {"accelerator.risk_ticks", "ticks", "a rotational wait of less than this beyond the margin may miss its sector",
       at(&P::risk_ticks), Range{0, 32767}},
      {"accelerator.risk_probability", "", "how probably: it is charged this share of a turn, and a whole one by the guard",
       at(&P::risk_probability), Range{0, 1}},
  };
  return table;
}

}  // namespace platter::accelerator
