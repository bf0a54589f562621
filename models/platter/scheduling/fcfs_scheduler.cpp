// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

/// First come, first served.
class FcfsScheduler : public FlatScheduler {
 public:
  using FlatScheduler::FlatScheduler;

  DecisionWork work(const HeadState& /*head*/) override { return {commands().empty() ? 0u : 1u, 0}; }

  Decision pick(const HeadState& /*head*/, Picoseconds /*now*/) override {
    if (commands().empty()) return {};
    return Decision::serve(commands().oldest().tag);
  }
};

}  // namespace

std::unique_ptr<SchedulerIf> create_fcfs(const SchedulerContext& context) {
  return std::make_unique<FcfsScheduler>(context.capacity);
}

}  // namespace platter::scheduling
