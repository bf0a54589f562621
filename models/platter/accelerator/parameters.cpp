// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/parameters.h"

namespace platter::accelerator {

using params::at;
using params::Range;

const params::Table<AcceleratorOptions>& accelerator_parameters() {
  using P = AcceleratorOptions;
  static const params::Table<P> table = {
      {"accelerator.clock_mhz", "MHz", "clock of the scheduling accelerator", at(&P::clock_mhz), Range{1, 10000}},
      {"accelerator.entries", "", "entries of its table, in whole rows of lanes; 0: 32, or as many as the queue has tags",
       at(&P::entries), Range{0, 256}},
      {"accelerator.lanes", "", "entries evaluated a cycle: 1, 2, 4, 8 or 16", at(&P::lanes), Range{1, 16}},
      {"accelerator.order_m", "", "most commands that the orderer puts in exact order, from 2 on; 0: no orderer",
       at(&P::order_m), Range{0, 12}},
      {"accelerator.angle_bits", "bit", "width of an angle; a tick, the unit of time, is so fine a part of a turn",
       at(&P::angle_bits), Range{12, 20}},
      {"accelerator.features", "", "optional parts, a sum: 1 ageing, 2 look-ahead, 4 limits, 8 zero latency", at(&P::features),
       Range{0, 15}},
      {"accelerator.margin_ticks", "ticks", "a rotational wait below this (plus 2) is charged one more turn",
       at(&P::margin_ticks), Range{0, 32767}},
      {"accelerator.risk_ticks", "ticks", "a rotational wait of less than this beyond the margin may miss its sector",
       at(&P::risk_ticks), Range{0, 32767}},
      {"accelerator.risk_probability", "", "how probably: it is charged this share of a turn, and a whole one by the guard",
       at(&P::risk_probability), Range{0, 1}},
      {"accelerator.ahead_candidates", "", "of a policy that looks ahead: candidates for which it does",
       at(&P::ahead_candidates), Range{1, 256}},
      {"accelerator.ahead_accesses", "", "and how many accesses ahead; 0: it does not look ahead", at(&P::ahead_accesses),
       Range{0, 4}},
  };
  return table;
}

}  // namespace platter::accelerator
