// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/guarded_scheduler.h"

namespace platter::scheduling {

namespace {

/// Shortest positioning time first (Jacobson and Wilkes 1991), with the deadline guard of Balafoutis et al., section 4.3:
/// a command is served only if the remaining continuous commands can then still be served by SCAN in time. When none
/// passes, the sweep goes on. Aged SPTF takes a command's weighted wait off its positioning time.
class SptfScheduler : public GuardedScheduler {
 public:
  SptfScheduler(const SchedulerContext& context, GuardMode mode)
      : GuardedScheduler(context), mode_(mode), weight_(context.parameters.weight) {}

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (mode_ != GuardMode::None && in_sweep(command)) sweep_.insert(command);
  }

  void remove(Tag tag) override {
    FlatScheduler::remove(tag);
    sweep_.remove(tag);
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    const bool guarded = !sweep_.empty();
    if (guarded) sweep_.prepare(head);
    const Command* best = nullptr;
    Picoseconds best_time = 0;
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      if (guarded && mode_ == GuardMode::NextContinuous && sweep_.contains(command->tag) && command != &sweep_.first())
        continue;
      const AccessTime access = estimate(*command, head, now);
      const Picoseconds time = access.positioning() - weight_.of(now - command->arrival);
      if (best != nullptr && time >= best_time) continue;
      if (guarded && !sweep_.allows(*command, access.to_first(), now, head.bus_free)) continue;
      best = command;
      best_time = time;
    }
    if (best != nullptr) return Decision::serve(best->tag);
    return guarded ? next_of_sweep(head, now) : Decision{};
  }

 private:
  GuardMode mode_;
  Weight weight_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_sptf(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler>(context, GuardMode::Pooled);
}

std::unique_ptr<SchedulerIf> create_sptf_next_c(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler>(context, GuardMode::NextContinuous);
}

std::unique_ptr<SchedulerIf> create_sptf_unguarded(const SchedulerContext& context) {
  return std::make_unique<SptfScheduler>(context, GuardMode::None);
}

}  // namespace platter::scheduling
