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
          .value("engine", "", "make of the scheduling engine", "", [](const S& s) { return s.engine; })
          .value("policy", "", "", "", [](const S& s) { return s.policy; })
          .value("decisions", "", "", "count", [](const S& s) { return s.decided.decisions; }, {"decisions"})
          .value_if("windows", "", "sampled lock-step: windows in which the RTL was held against the model", "count",
                    [](const S& s) { return s.decided.windows; }, {"windows compared"})
          .value("decisions_compared", "", "lockstep: decisions of the RTL held against the model", "count",
                 [](const S& s) { return s.decided.decisions_compared; }, {"decisions compared"})
          .value("responses_compared", "", "lockstep: bus responses held against the model", "count",
                 [](const S& s) { return s.decided.compared; })
          .value("mismatches", "", "lockstep: of these, different", "count", [](const S& s) { return s.decided.mismatches; },
                 {"mismatches"})
          .value("forced", "", "decisions in which no request passed the deadline guard", "count",
                 [](const S& s) { return s.decided.forced; }, {"forced by the guard"})
          .value("cycles", "cycles", "clock cycles spent deciding", "sum", [](const S& s) { return s.decided.cycles; })
          .value("cycles_per_decision", "cycles", "", "mean",
                 [](const S& s) { return s.per_decision(static_cast<double>(s.decided.cycles)); }, {"decision", 1})
          .value("access_cycles_per_decision", "cycles", "clock cycles of register accesses; 0 for firmware", "mean",
                 [](const S& s) { return s.per_decision(static_cast<double>(s.decided.access_cycles)); })
          .value("latency_us", "us", "from the request for a decision, while the arm is busy or when it is free, to the answer",
                 "mean", [](const S& s) { return s.per_decision(static_cast<double>(s.decided.latency) * 1e-6); },
                 {"question to answer", 2})
          .value("stall_us", "us", "time for which the arm, just busy and with commands at hand, waited for a decision", "mean",
                 [](const S& s) { return s.per_decision(static_cast<double>(s.stalled.stall) * 1e-6); },
                 {"arm waits for a decision", 3})
          .value("stalls", "", "decisions for which the arm waited so", "count", [](const S& s) { return s.stalled.stalls; },
                 {"decisions it waits for"})
          .value("idle_decisions", "", "decisions for a command that found the arm at rest; their latency is no stall", "count",
                 [](const S& s) { return s.stalled.idle_decisions; });
  return rows;
}

}  // namespace platter::drive
