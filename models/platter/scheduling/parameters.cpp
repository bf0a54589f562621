// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/parameters.h"

namespace platter::scheduling {

using params::at;
using params::OneOf;
using params::Range;

const params::Table<Interpretations>& interpretation_parameters() {
  using P = Interpretations;
  static const params::Table<P> table = {
      {"scheduling.sweep_start", "",
       "where the sweep of a round's continuous requests begins: at the extreme nearer to the arm, at the two extremes in "
       "turn, or always at the lowest cylinder",
       at(&P::sweep_start), OneOf{{"nearer", "alternating", "upward"}}},
      {"scheduling.after_sweep", "",
       "CI-SPTF and CI-OPT, after a round's last continuous request: serve on in the round's intervals, in the whole disk as "
       "one interval, or nothing until the next round",
       at(&P::after_sweep), OneOf{{"intervals", "disk", "idle"}}},
      {"scheduling.clusters", "",
       "CLUST-REQ and CLUST-CYL: a cluster holds requests of both classes, or discrete requests only", at(&P::clusters),
       OneOf{{"mixed", "discrete"}}},
      {"scheduling.cluster_from", "",
       "CLUST-REQ and CLUST-CYL: a cluster begins at the front, which is where the cluster before it ended, or at the arm",
       at(&P::cluster_from), OneOf{{"front", "arm"}}},
      {"scheduling.cluster_round", "",
       "CLUST-REQ and CLUST-CYL: a new round restarts the elevator at the edge where the sweep of the continuous requests "
       "starts, or the elevator continues",
       at(&P::cluster_round), OneOf{{"restart", "continue"}}},
      {"scheduling.postponed", "",
       "CI-SPTF, CI-OPT, CLUST-REQ and CLUST-CYL: how long a discrete request waits that the deadline guard has refused: "
       "`round`: until the next round begins; `last_c`: until a continuous request arrives or the round's last one has been "
       "served",
       at(&P::postponed), OneOf{{"round", "last_c"}}},
      {"scheduling.phase_list", "",
       "TPS:SCAN/(SCAN/CI-OPT(M)): a list of the second phase is served as a whole, or made again after each part from the "
       "requests that lie ahead",
       at(&P::phase_list), OneOf{{"whole", "part"}}},
      {"scheduling.budget_interval_s", "s", "CELLO: length of the interval for which each class has its budget of disk time",
       at(&P::budget_interval_s), Range{1e-3, 1e4}},
      {"scheduling.cello_elevator", "", "CELLO: elevator of the discrete requests and of the background requests",
       at(&P::cello_elevator), OneOf{{"look", "scan", "c-look"}}},
      {"scheduling.cello_rotation", "",
       "CELLO: the slack before the continuous deadlines counts the rotational wait that each access will have, or half a turn "
       "for each",
       at(&P::cello_rotation), OneOf{{"known", "half-turn"}}},
  };
  return table;
}

const params::Table<ArrivalParameters>& arrival_parameters() {
  using P = ArrivalParameters;
  static const params::Table<P> table = {
      {"guard.quantile", "",
       "where arrivals have a spread, the deadline guard computes for this quantile of the head's arrival; an access takes "
       "longer than charged with a probability of at most 1 - this value",
       at(&P::guard_quantile), Range{0, 1}},
      {"scheduling.margin_deviations", "",
       "SPTF(margin): an arrival less than so many standard deviations before its sector is charged one more turn",
       at(&P::margin_deviations), Range{0, 4}},
  };
  return table;
}

}  // namespace platter::scheduling
