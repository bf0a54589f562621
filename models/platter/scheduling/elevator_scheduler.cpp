// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

enum class Turn {
  AtEdge,   ///< SCAN: the arm continues to the last cylinder before it turns
  AtLast,   ///< LOOK: it turns where the last request was
  FlyBack,  ///< C-LOOK: it flies back to the lowest request and always sweeps upward
};

/// The elevators: the nearest request in the direction of the sweep. Requests on one cylinder go by age.
class ElevatorScheduler : public FlatScheduler {
 public:
  ElevatorScheduler(const SchedulerContext& context, Turn turn)
      : FlatScheduler(context.capacity), turn_(turn), last_cylinder_(context.planner.geometry().cylinders() - 1) {}

  /// Restarts at the extreme nearer to the arm.
  void begin_round() override { anew_ = turn_ != Turn::FlyBack; }

  Decision pick(const HeadState& head, Picoseconds /*now*/) override {
    if (commands().empty()) return {};
    if (anew_) return Decision::serve(nearer_extreme(head.cylinder).tag);
    if (const Command* next = ahead(head.cylinder)) return Decision::serve(next->tag);
    if (turn_ == Turn::FlyBack) return Decision::serve(ahead(core::Cylinder(0))->tag);
    const core::Cylinder edge(upward_ ? last_cylinder_ : 0);
    if (turn_ == Turn::AtEdge && head.cylinder != edge) return Decision::move(edge);
    upward_ = !upward_;
    return Decision::serve(ahead(head.cylinder)->tag);
  }

  void remove(Tag tag) override {
    FlatScheduler::remove(tag);
    anew_ = false;
  }

  void withdraw(Tag tag) override { FlatScheduler::remove(tag); }

 private:
  /// Returns the request at the extreme nearer to `from`, and sets the direction.
  const Command& nearer_extreme(core::Cylinder from) {
    const auto [low, high] = std::minmax_element(commands().begin(), commands().end(), [](const Command* a, const Command* b) {
      return a->extent.cylinder < b->extent.cylinder;
    });
    upward_ = distance((*low)->extent.cylinder, from) <= distance((*high)->extent.cylinder, from);
    return *ahead(upward_ ? (*low)->extent.cylinder : (*high)->extent.cylinder);
  }

  const Command* ahead(core::Cylinder from) const {
    const Command* best = nullptr;
    for (const Command* command : commands()) {
      const core::Cylinder at = command->extent.cylinder;
      if (upward_ ? at < from : at > from) continue;
      if (best == nullptr || distance(at, from) < distance(best->extent.cylinder, from)) best = command;
    }
    return best;
  }

  Turn turn_;
  std::uint32_t last_cylinder_;
  bool upward_ = true;
  bool anew_ = false;  ///< a round has begun, and nothing has been served in it
};

}  // namespace

std::unique_ptr<SchedulerIf> create_scan(const SchedulerContext& context) {
  return std::make_unique<ElevatorScheduler>(context, Turn::AtEdge);
}

std::unique_ptr<SchedulerIf> create_look(const SchedulerContext& context) {
  return std::make_unique<ElevatorScheduler>(context, Turn::AtLast);
}

std::unique_ptr<SchedulerIf> create_c_look(const SchedulerContext& context) {
  return std::make_unique<ElevatorScheduler>(context, Turn::FlyBack);
}

}  // namespace platter::scheduling
