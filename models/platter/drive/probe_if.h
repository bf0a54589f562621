// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "platter/command/command.h"
#include "platter/core/types.h"
#include "platter/drive/controller_state.h"

namespace platter::drive {

/// An actuator begins to do something else.
struct ActuatorReport {
  core::Picoseconds time;
  std::uint32_t actuator;
  ControllerState state;
  std::uint32_t cylinder;  ///< of the arm, also while it travels
  std::uint32_t head;
  int tag;  ///< of the access that runs, -1: there is none
};

/// An actuator has been given an access.
struct AccessReport {
  core::Picoseconds time;
  std::uint32_t actuator;
  std::uint32_t tag;
  core::RequestClass cls;
  core::Picoseconds deadline;  ///< core::kNoDeadline: none
  bool write;
  core::Lba first;
  std::uint32_t blocks;
  command::CommandTiming timing;  ///< so far, and of this access
};

/// Watches a drive: it is told values, and changes nothing. A drive without a probe steps from access to access; with one it steps through the phases of
/// each access, at the same times.
class ProbeIf {
 public:
  virtual ~ProbeIf() = default;
  virtual void entered(const ActuatorReport& /*report*/) {}
  virtual void started(const AccessReport& /*report*/) {}
  /// Commands in the queue.
  virtual void occupied(core::Picoseconds /*time*/, std::uint32_t /*commands*/) {}
  /// From when on the next decision is there while the arm is busy; kNoDeadline: it is not known.
  virtual void prepared(core::Picoseconds /*time*/, std::uint32_t /*actuator*/, core::Picoseconds /*from*/) {}
};

/// The probes of a drive, in the order in which they are told.
class Probes {
 public:
  void add(ProbeIf& probe) { all_.push_back(&probe); }
  void remove(ProbeIf& probe) { all_.erase(std::remove(all_.begin(), all_.end(), &probe), all_.end()); }
  bool empty() const { return all_.empty(); }

  template <typename Tell>
  void tell(Tell tell) const {
    for (ProbeIf* probe : all_) tell(*probe);
  }

 private:
  std::vector<ProbeIf*> all_;
};

}  // namespace platter::drive
