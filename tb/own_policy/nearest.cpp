// SPDX-License-Identifier: Apache-2.0
//
// A policy of one's own: shortest seek time first, in which a command gains cylinders while it waits.

#include "platter/scheduling/own_policy.h"

using namespace platter::scheduling;

class Nearest : public FlatScheduler {
 public:
  explicit Nearest(const SchedulerContext& context) : FlatScheduler(context.capacity), gain_(context.parameters.own[0]) {}

  Decision pick(const HeadState& head, Picoseconds now) override {
    const Command* best = nullptr;
    double best_cost = 0;
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      const double waited_ms = platter::core::to_milliseconds(now - command->arrival);
      const double cost = distance(command->extent.cylinder, head.cylinder) - gain_ * waited_ms;
      if (best == nullptr || cost < best_cost) {
        best = command;
        best_cost = cost;
      }
    }
    return best == nullptr ? Decision{} : Decision::serve(best->tag);
  }

 private:
  double gain_;
};

PLATTER_OWN_POLICY(Nearest, "the nearest cylinder, where a command that waits comes nearer",
                   {"gain", "cylinders by which a command comes nearer in a millisecond", 0, 1000})
