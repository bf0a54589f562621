// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/part_program.h"

namespace platter::accelerator {

/// CLUST-REQ and CLUST-CYL: a CLUSTER of both classes in an exact order when the last one has been served.
class ClusterProgram : public PartProgram {
 public:
  explicit ClusterProgram(const ProgramContext& context);

  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  Effort most_effort(std::uint32_t entries) const override;
  Effort effort(std::uint32_t entries) const override;

 protected:
  bool came(ProgramHostIf& host, const scheduling::Command& command) override;
  void gone(ProgramHostIf& host, const scheduling::Command& command, bool of_part) override;

 private:
  void collect(RegisterPortIf& port);

  std::uint32_t reach_;  ///< cylinders from a cluster's first request to its last
  bool upward_ = true;
  bool planned_upward_ = true;
  bool collecting_ = false;
  bool turned_ = false;
  std::uint32_t from_ = 0;
};

}  // namespace platter::accelerator
