// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/cluster_port.h"

namespace platter::accelerator {

/// LOOK: a CLUSTER of one command in the elevator's direction, then, if there is none ahead, one in the other direction.
class ElevatorProgram : public AcceleratorProgram {
 public:
  explicit ElevatorProgram(const ProgramContext& context) : clusters_(context) {}

  bool guarded() const override { return false; }
  std::uint32_t control() const override { return 0; }

  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override {
    from_ = context.head.cylinder.value;
    planned_upward_ = upward_;
    collect(port);
    return kCluster;
  }

  Step ended(RegisterPortIf& port) override {
    if (clusters_.count(port) > 0) return {scheduling::Decision::serve(clusters_.first(port)), kDecide};
    planned_upward_ = !planned_upward_;
    collect(port);
    return {std::nullopt, kCluster};
  }

  void served(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) override { upward_ = planned_upward_; }

  Effort most_effort(std::uint32_t /*entries*/) const override {
    Effort effort;
    effort.decides = 0;
    effort.clusters = 2;
    effort.accesses = 2 + ClusterPort::kCollectAccesses + clusters_.mask_words();  // CLUSTER_COUNT twice, and the mask
    return effort;
  }
  std::uint32_t begin_accesses() const override { return ClusterPort::kCollectAccesses; }

 private:
  void collect(RegisterPortIf& port) const {
    ClusterPort::Collect next;
    next.from = from_;
    next.most = 1;
    next.down = !planned_upward_;
    next.take_continuous = true;
    clusters_.collect(port, next);
  }

  ClusterPort clusters_;
  bool upward_ = true;          ///< as of the last command served
  bool planned_upward_ = true;  ///< as of the decision in progress
  std::uint32_t from_ = 0;
};

}  // namespace platter::accelerator
