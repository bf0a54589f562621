// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "platter/drive/command_queue.h"

namespace platter::drive {

enum class ControllerState : std::uint8_t { Idle, Decide, Overhead, Seek, Settle, Rotate, Transfer };
inline constexpr std::array<std::string_view, 7> kControllerStateNames = {
    "IDLE", "DECIDE", "OVERHEAD", "SEEK", "SETTLE", "ROTATE", "TRANSFER"};

/// Watches a drive. A drive without an observer steps from access to access; with one it steps through the phases of
/// each access, at the same times.
class DriveObserverIf {
 public:
  virtual ~DriveObserverIf() = default;
  virtual void state_changed(ControllerState state) = 0;
  virtual void occupancy_changed(std::uint32_t occupancy) = 0;
  virtual void access_started(const Slot& slot) = 0;
};

}  // namespace platter::drive
