// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/statistics.h"

namespace platter::serving {

const params::Statistics<ServingResult>& serving_rows() {
  using R = ServingResult;
  static const auto late =
      params::Statistics<PacingAccount>()
          .value("mean", "ms", "mean delay", "mean",
                 [](const PacingAccount& a) { return params::mean(1e3 * a.late_s, a.ended); }, {"late", 3})
          .value("max", "ms", "longest delay", "maximum",
                 [](const PacingAccount& a) { return a.ended > 0 ? std::optional<double>(1e3 * a.most_late_s) : std::nullopt; },
                 {"max", 3});
  static const auto rows =
      params::Statistics<R>()
          .value("pacing", "", "how simulated time followed the clients", "", [](const R& r) { return r.pacing.text(); })
          .value("clients", "", "client connections", "count", [](const R& r) { return r.clients; }, {"clients"})
          .value("commands", "", "commands of the clients that ended", "count", [](const R& r) { return r.account.ended; })
          .value("window", "", "outstanding commands when a command ended, this command included", "mean",
                 [](const R& r) { return params::mean(r.account.window_sum, r.account.ended); }, {"mean window", 2})
          .value("impatient", "",
                 "lock-step pacing: times that simulated time went on with fewer commands than the depth because the clients "
                 "were silent",
                 "count", [](const R& r) { return r.account.impatient; })
          .group("late_ms", "real-time pacing: wall time by which commands ended later than their simulated time", late,
                 [](const R& r) { return r.pacing.kind == Pacing::Kind::Realtime ? &r.account : nullptr; })
          .value("longest_step_ms", "ms", "longest wall time in which the simulation ran without serving the clients",
                 "maximum", [](const R& r) { return 1e3 * r.account.longest_step_s; });
  return rows;
}

}  // namespace platter::serving
