// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platter/scheduling/cylinder_index.h"
#include "platter/scheduling/guarded_scheduler.h"

namespace platter::scheduling {

namespace {

/// Shortest positioning time first (Jacobson and Wilkes 1991), with the deadline guard of Balafoutis et al., section 4.3: a command is
/// served only if SCAN can then still serve the remaining continuous commands in time. When no command passes, the sweep goes on. Aged SPTF
/// subtracts a command's weighted wait from its positioning time. On a drive whose arrivals have a spread, two variants count with it
/// (ArrivalCost).
///
/// The decision equals that of a search through all commands, and the firmware's decision time is charged for such a search. The code
/// searches outward from the arm, and stops when no command can be reached sooner than the best so far.
template <ArrivalCost kCost = ArrivalCost::Mean>
class SptfScheduler : public GuardedScheduler {
 public:
  SptfScheduler(const SchedulerContext& context, GuardMode mode)
      : GuardedScheduler(context),
        mode_(mode),
        margin_(context.arrivals.margin()),
        weight_(context.parameters.weight),
        index_(context.capacity),
        least_moves_(context.planner) {}

  void insert(const Command& command) override {
    index_.insert(command);
    if (mode_ != GuardMode::None && in_sweep(command)) sweep_.insert(command);
  }

  void remove(Tag tag) override {
    index_.remove(tag);
    sweep_.remove(tag);
  }

  bool empty() const override { return index_.empty(); }
  bool keeps_deadlines() const override { return mode_ != GuardMode::None; }
  DecisionWork work(const HeadState& /*head*/) override { return {index_.size(), 0}; }

  Decision pick(const HeadState& head, Picoseconds now) override {
    const bool guarded = !sweep_.empty();
    if (guarded) sweep_.prepare(head);
    const Command* best = nullptr;
    Picoseconds best_time = 0;
    const Picoseconds least_overhead =
        std::min(planner_.overhead(false, head.last_was_write), planner_.overhead(true, head.last_was_write));
    const bool aged = weight_.millionths > 0;  // a command that has waited long may win from far away
    index_.visit_outward(
        head.cylinder,
        [&](std::uint32_t distance) { return best == nullptr || aged || least_overhead + least_moves_(distance) <= best_time; },
        [&](const Command& command) {
          if (guarded && mode_ == GuardMode::NextContinuous && sweep_.contains(command.tag) && &command != &sweep_.first())
            return;
          AccessTime access =
              planner_.estimate_without_deviation(head, command.extent, now, command.data_ready, command.overhead_end);
          if constexpr (kCost != ArrivalCost::Mean) planner_.add_deviation(head, command.extent, access);
          Picoseconds time = cost_of(access);
          if (aged) time -= weight_.of(now - command.arrival);
          if (best != nullptr && (time > best_time || (time == best_time && older(*best, command)))) return;
          if (guarded) {
            if constexpr (kCost == ArrivalCost::Mean) planner_.add_deviation(head, command.extent, access);
            if (!sweep_.allows(command, planner_.guarded(access), now, head.bus_free)) return;
          }
          best = &command;
          best_time = time;
        });
    if (best != nullptr) return Decision::serve(best->tag);
    return guarded ? next_of_sweep(head, now) : Decision{};
  }

 private:
  Picoseconds cost_of(const AccessTime& access) const {
    if constexpr (kCost == ArrivalCost::Margin)
      return planner_.with_margin(access, margin_);
    else if constexpr (kCost == ArrivalCost::Expected)
      return planner_.expected(access);
    else
      return access.positioning();
  }

  GuardMode mode_;
  Picoseconds margin_;  ///< in deviations
  Weight weight_;
  CylinderIndex index_;
  LeastMoves least_moves_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_sptf(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler<>>(context, GuardMode::Pooled);
}

std::unique_ptr<SchedulerIf> create_sptf_margin(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler<ArrivalCost::Margin>>(context, GuardMode::Pooled);
}

std::unique_ptr<SchedulerIf> create_satf_risk(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler<ArrivalCost::Expected>>(context, GuardMode::Pooled);
}

std::unique_ptr<SchedulerIf> create_sptf_next_c(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler<>>(context, GuardMode::NextContinuous);
}

std::unique_ptr<SchedulerIf> create_sptf_unguarded(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler<>>(context, GuardMode::None);
}

}  // namespace platter::scheduling
