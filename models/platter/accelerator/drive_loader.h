// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/arrival_margins.h"
#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/register_port.h"
#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/fixed_point.h"

namespace platter::accelerator {

/// Writes the drive into the accelerator, in the accelerator's units: its mechanics once, and the extent of each command.
class DriveLoader {
 public:
  DriveLoader(const mechanics::AccessPlanner& planner, const AcceleratorParameters& parameters);

  const AcceleratorParameters& parameters() const { return parameters_; }
  const reg::Parameters& built() const { return built_; }
  const scheduling::TickScale& scale() const { return scale_; }
  const scheduling::SeekTable& seek_table() const { return seek_table_; }
  std::uint32_t cylinders() const { return planner_.geometry().cylinders(); }
  core::Picoseconds longest_hop() const { return longest_hop_; }
  /// Times of day wrap around, so they can be compared up to this distance.
  core::Picoseconds comparable() const;
  /// The accelerator is told of accesses that begin in the middle of their sectors.
  bool rests() const { return rests_; }

  /// Reports an SC_ERROR unless the accelerator is the one that `parameters` describes.
  void check_identity(RegisterPort& port) const;
  void load_seek_table(RegisterPort& port) const;
  void load_mechanics(RegisterPort& port, const ArrivalMargins& margins) const;
  /// Stages a command. `cls`: its class in the table; `guarded`: the guard needs to know where it ends and how long it takes.
  void stage(RegisterPort& port, const scheduling::Command& command, core::RequestClass cls, bool guarded, bool in_sweep,
             const AcceleratorProgram::LimitUse& limit) const;
  /// Value of HEAD_POS.
  std::uint32_t position(core::Cylinder cylinder, core::Head head, bool write) const;
  /// Longest time until the first sector of a command of `commands`, if another one is served before it. `bound`: of a decision.
  core::Picoseconds grace(const std::vector<const scheduling::Command*>& commands, core::Picoseconds bound) const;

 private:
  const mechanics::AccessPlanner& planner_;
  AcceleratorParameters parameters_;
  reg::Parameters built_;
  scheduling::TickScale scale_;
  scheduling::SeekTable seek_table_;
  core::Picoseconds longest_hop_;
  bool rests_;
};

}  // namespace platter::accelerator
