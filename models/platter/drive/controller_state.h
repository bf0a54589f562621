// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace platter::drive {

/// What the actuator is doing; wave files show it as text.
enum class ControllerState : std::uint8_t {
  Idle,      ///< nothing to do, or reading ahead
  Decide,    ///< waits for a decision
  Overhead,  ///< overhead of a command
  Seek,      ///< the arm moves, or the head is switched
  Settle,    ///< the heads settle
  Rotate,    ///< waits for the first sector
  Transfer,  ///< sectors pass under the head
  Missed,    ///< waits for the first sector, after the head has arrived behind it
  Retry,     ///< recovers a block that could not be read or written, or is on its way to a spare sector and back
};

/// Their names in waves.
inline constexpr std::array<const char*, 9> kControllerStateNames = {"IDLE",   "DECIDE",   "OVERHEAD", "SEEK", "SETTLE",
                                                                     "ROTATE", "TRANSFER", "MISSED",   "RETRY"};

}  // namespace platter::drive
