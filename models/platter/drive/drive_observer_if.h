// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/drive/controller_state.h"
#include "platter/drive/slot.h"

namespace platter::drive {

/// Watches a drive. A drive without an observer steps from access to access; with one it steps through the phases of
/// each access, at the same times.
class DriveObserverIf {
 public:
  virtual ~DriveObserverIf() = default;
  virtual void state_changed(ControllerState state) = 0;
  virtual void occupancy_changed(std::uint32_t occupancy) = 0;
  virtual void access_started(const Slot& slot) = 0;
  /// From when on the next decision is there while the arm is busy; kNoDeadline: it is not known.
  virtual void preparation_changed(core::Picoseconds /*from*/) {}
};

}  // namespace platter::drive
