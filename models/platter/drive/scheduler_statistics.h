// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "platter/drive/dispatcher.h"
#include "platter/engine/engine_if.h"
#include "platter/params/statistic.h"

namespace platter::drive {

/// Results of the engines of one or more drives over a whole run, warm-up included.
struct SchedulerStatistics {
  std::string engine;
  std::string policy;
  engine::EngineStatistics decided;
  StallStatistics stalled;

  std::optional<double> per_decision(double value) const { return params::mean(value, decided.decisions); }
};

inline const params::Statistics<SchedulerStatistics>& scheduler_rows() {
  using S = SchedulerStatistics;
  static const auto rows =
      params::Statistics<S>()
          .value("engine", "", "scheduling engine of the run", "", [](const S& s) { return s.engine; })
          .value("policy", "", "scheduling policy of the run", "", [](const S& s) { return s.policy; })
          .value("decisions", "", "decisions of the engine", "count", [](const S& s) { return s.decided.decisions; },
                 {"decisions"})
          .value_if("windows", "", "sampled lock-step: windows in which the RTL was compared with the model", "count",
                    [](const S& s) { return s.decided.windows; }, {"windows compared"})
          .value("operations_compared", "",
                 "lock-step: operations (DECIDE, CLUSTER) of the RTL that were compared with the model", "count",
                 [](const S& s) { return s.decided.operations_compared; }, {"operations compared"})
          .value("responses_compared", "", "lock-step: bus responses of the RTL that were compared with the model", "count",
                 [](const S& s) { return s.decided.compared; })
          .value("mismatches", "", "lock-step: compared responses that differed", "count",
                 [](const S& s) { return s.decided.mismatches; }, {"mismatches"})
          .value("forced", "",
                 "decisions in which no request passed the deadline guard, so that the sweep went on; with engine firmware "
                 "also those for a deadline outside the sweep",
                 "count", [](const S& s) { return s.decided.forced; }, {"forced by the guard"})
          .value("cycles", "cycles", "clock cycles spent on decisions", "sum", [](const S& s) { return s.decided.cycles; })
          .value("cycles_per_decision", "cycles", "clock cycles spent on a decision", "mean",
                 [](const S& s) { return s.per_decision(static_cast<double>(s.decided.cycles)); }, {"time of a decision", 1})
          .value("access_cycles_per_decision", "cycles", "clock cycles of register accesses for a decision; 0 for firmware",
                 "mean", [](const S& s) { return s.per_decision(static_cast<double>(s.decided.access_cycles)); })
          .value("latency_us", "us",
                 "time from the start of the work on a decision, or the last arrival, to its result; the actuator may be busy "
                 "meanwhile",
                 "mean", [](const S& s) { return s.per_decision(static_cast<double>(s.decided.latency) * 1e-6); },
                 {"decision latency", 2})
          .value("stall_us", "us",
                 "stall per decision: the actuator had ended an access, commands were waiting, and it waited for the decision",
                 "mean", [](const S& s) { return s.per_decision(static_cast<double>(s.stalled.stall) * 1e-6); },
                 {"stall per decision", 3})
          .value("stalls", "", "decisions with a stall above 0", "count", [](const S& s) { return s.stalled.stalls; },
                 {"decisions with a stall"})
          .value("idle_decisions", "", "decisions requested while the actuator was idle; the wait for them is no stall",
                 "count", [](const S& s) { return s.stalled.idle_decisions; });
  return rows;
}

}  // namespace platter::drive
