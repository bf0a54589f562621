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
       "where a round's sweep of continuous requests begins: at the extreme nearer to the arm, at the two in turn, or "
       "always at the lowest",
       at(&P::sweep_start), OneOf{{"nearer", "alternating", "upward"}}},
      {"scheduling.after_sweep", "",
       "CI-SPTF and CI-OPT after a round's last continuous request: on in its intervals, in the whole disk as one, or "
       "nothing until the next round",
       at(&P::after_sweep), OneOf{{"intervals", "disk", "idle"}}},
      {"scheduling.clusters", "", "CLUST-REQ and CLUST-CYL: a cluster holds requests of both classes, or discrete ones only",
       at(&P::clusters), OneOf{{"mixed", "discrete"}}},
      {"scheduling.cluster_from", "",
       "CLUST-REQ and CLUST-CYL: a cluster begins at the front, where the one before it ended, or where the arm "
       "stands",
       at(&P::cluster_from), OneOf{{"front", "arm"}}},
      {"scheduling.cluster_round", "",
       "CLUST-REQ and CLUST-CYL: a new round restarts the elevator at the edge where the sweep of the continuous "
       "requests starts, or it continues",
       at(&P::cluster_round), OneOf{{"restart", "continue"}}},
      {"scheduling.postponed", "",
       "CI-SPTF, CI-OPT, CLUST-REQ and CLUST-CYL: a discrete request that the deadline guard has refused waits until the "
       "next round begins, or until a continuous request comes or the round's last one has been served",
       at(&P::postponed), OneOf{{"round", "last_c"}}},
      {"scheduling.phase_list", "",
       "TPS:SCAN/(SCAN/CI-OPT(M)): a list of the second phase is served as a whole, or made anew after each part, of what "
       "lies ahead",
       at(&P::phase_list), OneOf{{"whole", "part"}}},
      {"scheduling.budget_interval_s", "s", "CELLO: interval for which each class has its budget of disk time",
       at(&P::budget_interval_s), Range{1e-3, 1e4}},
      {"scheduling.cello_elevator", "", "CELLO: elevator of the discrete requests, and of the background ones",
       at(&P::cello_elevator), OneOf{{"look", "scan", "c-look"}}},
      {"scheduling.cello_rotation", "",
       "CELLO: the slack before the continuous deadlines counts with the rotational wait that each access will have, or "
       "with half a turn",
       at(&P::cello_rotation), OneOf{{"known", "half-turn"}}},
  };
  return table;
}

}  // namespace platter::scheduling
