// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/decision_log.h"

#include <algorithm>

#include "platter/scheduling/policies.h"

namespace platter::observe {

using core::Picoseconds;

/// The decisions of one drive, and the sweeps of continuous commands as the guards of its engines see them.
class DecisionLog::Watch : public drive::DecisionProbeIf {
 public:
  Watch(DecisionLog& log, drive::Drive& drive, std::string name)
      : log_(log), drive_(drive), name_(std::move(name)), sweeps_(drive.actuators()) {
    drive_.add_decision_probe(*this);
  }

  void decided(const drive::DecisionReport& report) override {
    Sweep& own = sweeps_[report.actuator];
    follow_sweep(report, own);
    for (const drive::QueueEntry& entry : drive_.queue().entries())
      if (entry.used() && !entry.on_media() && entry.stage != drive::Stage::Access && entry.actuator == report.actuator)
        look(report, own, entry);
    if (report.chosen != nullptr && own.sweep && own.sweep->contains(report.decision.tag))
      own.sweep->remove(report.decision.tag);
  }

 private:
  /// Of an actuator.
  struct Sweep {
    std::vector<scheduling::Command> held;  ///< those in the sweep, by tag
    std::optional<scheduling::ContinuousSweep> sweep;
  };

  /// Brings the sweep to what the engine holds.
  void follow_sweep(const drive::DecisionReport& report, Sweep& own) {
    std::vector<scheduling::Command>& held = own.held;
    std::optional<scheduling::ContinuousSweep>& sweep = own.sweep;
    const Picoseconds bound = drive_.engine(report.actuator).guard_bound();
    if (bound == core::kNoDeadline) return;
    if (!sweep) {
      held.resize(report.engine.size());
      sweep.emplace(drive_.planner(), held.size(), bound, log_.sweep_start_);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      const drive::QueueEntry* entry = report.engine[i];
      const bool wanted = entry != nullptr && scheduling::in_sweep(entry->command);
      const core::Tag tag(static_cast<std::uint16_t>(i));
      if (sweep->contains(tag)) {
        if (wanted && held[i].sequence == entry->command.sequence) continue;
        sweep->remove(tag);
      }
      if (!wanted) continue;
      held[i] = entry->command;
      sweep->insert(held[i]);
    }
    if (!sweep->empty()) sweep->prepare(report.head);
  }

  void look(const drive::DecisionReport& report, const Sweep& own, const drive::QueueEntry& entry) {
    for (std::size_t i = 0; i < log_.requests_.size(); ++i) {
      if (entry.asked.number != static_cast<std::int64_t>(log_.requests_[i])) continue;
      const auto waits = static_cast<std::uint32_t>(std::count_if(report.engine.begin(), report.engine.end(),
                                                                  [](const drive::QueueEntry* one) { return one != nullptr; }));
      const bool in_engine = std::find(report.engine.begin(), report.engine.end(), &entry) != report.engine.end();
      const engine::EngineIf& engine = drive_.engine(report.actuator);
      Sight sight{i,
                  name_,
                  report.asked,
                  report.effective,
                  report.decision.kind,
                  report.decision.forced,
                  report.decision.rule,
                  entry.stage,
                  in_engine,
                  entry.stuck,
                  entry.asked.zone() && entry.result.timing.started > 0,
                  in_engine && engine.held_back(entry.command.tag),
                  entry.command.limited && engine.guard_bound() != core::kNoDeadline,  // else for a batch
                  waits,
                  candidate(report, own, entry, in_engine),
                  std::nullopt,
                  report.chosen == &entry};
      if (report.chosen != nullptr) sight.chosen = candidate(report, own, *report.chosen, true);
      log_.sights_.push_back(std::move(sight));
    }
  }

  Candidate candidate(const drive::DecisionReport& report, const Sweep& own, const drive::QueueEntry& entry,
                      bool in_engine) const {
    const std::optional<scheduling::ContinuousSweep>& sweep = own.sweep;
    const scheduling::Command& command = entry.command;
    Candidate of;
    of.tag = entry.internal() ? -1 : entry.tag.value;
    of.number = entry.asked.number;
    of.cls = command.cls;
    of.stream = command.stream;
    of.write = command.extent.write;
    of.internal = entry.internal();
    of.first = command.extent.first;
    of.blocks = command.extent.blocks;
    of.cylinder = command.extent.cylinder.value;
    of.arrival = command.arrival;
    of.placed = command.extent.media > 0;
    if (!of.placed) return of;
    of.access =
        drive_.planner().estimate(report.head, command.extent, report.effective, command.data_ready, command.overhead_end);
    of.cost = drive_.engine(report.actuator).compared_part(of.access);
    if (!sweep || sweep->empty() || !in_engine) return of;
    const bool swept = sweep->contains(command.tag);
    const scheduling::Command& known = swept ? own.held[command.tag.value] : command;
    of.excess = sweep->excess(known, drive_.planner().guarded(of.access), report.effective, report.head.bus_free);
    of.guard = of.excess <= 0 ? GuardVerdict::Passes : GuardVerdict::Refuses;
    return of;
  }

  DecisionLog& log_;
  drive::Drive& drive_;
  std::string name_;
  std::vector<Sweep> sweeps_;
};

DecisionLog::DecisionLog(std::vector<std::uint64_t> requests, scheduling::SweepStart sweep_start)
    : requests_(std::move(requests)), sweep_start_(sweep_start) {}
DecisionLog::~DecisionLog() = default;

void DecisionLog::watch(drive::Drive& drive, const std::string& name) {
  watches_.push_back(std::make_unique<Watch>(*this, drive, name));
}

}  // namespace platter::observe
