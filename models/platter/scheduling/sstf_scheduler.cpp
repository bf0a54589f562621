// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

/// Shortest seek time first: the nearest cylinder (Denning 1967).
class SstfScheduler : public FlatScheduler {
 public:
  using FlatScheduler::FlatScheduler;

  Decision pick(const HeadState& head, Picoseconds /*now*/) override {
    const Command* best = nullptr;
    std::uint32_t best_distance = 0;
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      const std::uint32_t d = distance(command->extent.cylinder, head.cylinder);
      if (best == nullptr || d < best_distance) {
        best = command;
        best_distance = d;
      }
    }
    return best != nullptr ? Decision::serve(best->tag) : Decision{};
  }
};

}  // namespace

std::unique_ptr<SchedulerIf> create_sstf(const SchedulerContext& context) {
  return std::make_unique<SstfScheduler>(context.capacity);
}

}  // namespace platter::scheduling
