// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/command/command.h"
#include "platter/core/probes.h"
#include "platter/core/types.h"
#include "platter/drive/controller_state.h"

namespace platter::drive {

/// An actuator has changed its state.
struct ActuatorReport {
  core::Picoseconds time;
  std::uint32_t actuator;
  ControllerState state;
  std::uint32_t cylinder;  ///< position of the arm, also during a seek
  std::uint32_t head;
  int tag;  ///< of the access in progress; -1: none
};

/// An actuator begins an access.
struct AccessReport {
  core::Picoseconds time;
  std::uint32_t actuator;
  std::uint32_t tag;
  core::RequestClass cls;
  core::Picoseconds deadline;  ///< core::kNoDeadline: none
  bool write;
  core::Lba first;
  std::uint32_t blocks;
  command::CommandTiming timing;  ///< of the command so far, this access included
};

/// Observes a drive without affecting it. A drive without a probe uses one kernel event for each access; with a probe, one for
/// each phase of each access, at the same times.
class ProbeIf {
 public:
  virtual ~ProbeIf() = default;
  virtual void entered(const ActuatorReport& /*report*/) {}
  virtual void started(const AccessReport& /*report*/) {}
  /// The number of commands in the queue has changed.
  virtual void occupied(core::Picoseconds /*time*/, std::uint32_t /*commands*/) {}
  /// While the arm is busy: when the next decision will be ready; kNoDeadline: not known.
  virtual void prepared(core::Picoseconds /*time*/, std::uint32_t /*actuator*/, core::Picoseconds /*from*/) {}
};

using Probes = core::Probes<ProbeIf>;

}  // namespace platter::drive
