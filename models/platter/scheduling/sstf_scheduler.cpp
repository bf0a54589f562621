// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

/// V(R) (Geist and Daniel 1987): the nearest cylinder, where a request behind the arm counts as R times the stroke farther
/// away. V(0) is shortest seek time first (Denning 1967), V(1) the elevator LOOK.
class NearestScheduler : public FlatScheduler {
 public:
  NearestScheduler(const SchedulerContext& context, Weight weight)
      : FlatScheduler(context.capacity), turning_(weight.millionths * std::int64_t{context.planner.geometry().cylinders()}) {}

  Decision pick(const HeadState& head, Picoseconds /*now*/) override {
    const Command* best = nullptr;
    std::int64_t best_cost = 0;
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      const core::Cylinder at = command->extent.cylinder;
      const bool behind = upward_ ? at < head.cylinder : at > head.cylinder;
      const std::int64_t cost = Weight::kOne * std::int64_t{distance(at, head.cylinder)} + (behind ? turning_ : 0);
      if (best == nullptr || cost < best_cost) {
        best = command;
        best_cost = cost;
      }
    }
    if (best == nullptr) return {};
    if (best->extent.cylinder != head.cylinder) upward_ = best->extent.cylinder > head.cylinder;
    return Decision::serve(best->tag);
  }

 private:
  std::int64_t turning_;  ///< in millionths of a cylinder
  bool upward_ = true;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_sstf(const SchedulerContext& context) {
  return std::make_unique<NearestScheduler>(context, Weight{});
}

std::unique_ptr<SchedulerIf> create_v_r(const SchedulerContext& context) {
  return std::make_unique<NearestScheduler>(context, context.parameters.weight);
}

}  // namespace platter::scheduling
