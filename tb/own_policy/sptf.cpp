// SPDX-License-Identifier: Apache-2.0
//
// The policy SPTF of the table as a shared object: the same decisions and the same deadline guard.

#include "platter/scheduling/cylinder_index.h"
#include "platter/scheduling/guarded_scheduler.h"
#include "platter/scheduling/own_policy.h"

using namespace platter::scheduling;

class Sptf : public GuardedScheduler {
 public:
  explicit Sptf(const SchedulerContext& context)
      : GuardedScheduler(context), index_(context.capacity), least_moves_(context.planner) {}

  void insert(const Command& command) override {
    index_.insert(command);
    if (in_sweep(command)) sweep_.insert(command);
  }
  void remove(Tag tag) override {
    index_.remove(tag);
    sweep_.remove(tag);
  }
  bool empty() const override { return index_.empty(); }
  bool keeps_deadlines() const override { return true; }
  DecisionWork work(const HeadState& /*head*/) override { return {index_.size(), 0}; }

  Decision pick(const HeadState& head, Picoseconds now) override {
    const bool guarded = !sweep_.empty();
    if (guarded) sweep_.prepare(head);
    const Command* best = nullptr;
    Picoseconds best_time = 0;
    const Picoseconds least_overhead =
        std::min(planner_.overhead(false, head.last_was_write), planner_.overhead(true, head.last_was_write));
    index_.visit_outward(
        head.cylinder,
        [&](std::uint32_t distance) { return best == nullptr || least_overhead + least_moves_(distance) <= best_time; },
        [&](const Command& command) {
          AccessTime access =
              planner_.estimate_without_deviation(head, command.extent, now, command.data_ready, command.overhead_end);
          const Picoseconds time = access.positioning();
          if (best != nullptr && (time > best_time || (time == best_time && older(*best, command)))) return;
          if (guarded) {
            planner_.add_deviation(head, command.extent, access);
            if (!sweep_.allows(command, planner_.guarded(access), now, head.bus_free)) return;
          }
          best = &command;
          best_time = time;
        });
    if (best != nullptr) return Decision::serve(best->tag);
    return guarded ? next_of_sweep(head, now) : Decision{};
  }

 private:
  CylinderIndex index_;
  LeastMoves least_moves_;
};

PLATTER_OWN_POLICY(Sptf, "shortest positioning time first under the deadline guard")
