// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/part_program.h"

namespace platter::accelerator {

/// CLUST-REQ and CLUST-CYL: once all commands of the last cluster have been served, a CLUSTER collects commands of both classes
/// and puts them in an exact order.
class ClusterProgram : public PartProgram {
 public:
  explicit ClusterProgram(const ProgramContext& context);

  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  Effort most_effort(std::uint32_t entries) const override;
  Effort effort(std::uint32_t entries) const override;

 protected:
  bool came(ProgramHostIf& host, const scheduling::Command& command) override;
  void gone(ProgramHostIf& host, const scheduling::Command& command, bool of_part, bool whole) override;
  void given_up(ProgramHostIf& host) override;

 private:
  void collect(RegisterPortIf& port);

  /// State of the elevator.
  struct State {
    bool upward = true;
    bool at_front = false;    ///< the next cluster begins at `front`, not at the arm
    std::uint32_t front = 0;  ///< end of the last cluster, or the edge at which the elevator restarted
    std::uint32_t end = 0;    ///< of the current cluster
  };

  std::uint32_t reach_;  ///< cylinders from a cluster's first request to its last
  std::uint32_t last_cylinder_;
  bool from_arm_;         ///< clusters begin at the arm's position
  bool restarts_;         ///< the elevator restarts with each round
  bool restart_ = false;  ///< a round has begun: the elevator takes the sweep's direction
  State state_;
  State plan_;  ///< the state after the decision in progress; becomes `state_` when its command is served
  bool collecting_ = false;
  bool turned_ = false;
  std::uint32_t from_ = 0;
};

}  // namespace platter::accelerator
