// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace platter::drive {

/// What the actuator is doing; wave files show it as text. `Missed` is `Rotate` after the head has arrived behind its sector.
enum class ControllerState : std::uint8_t { Idle, Decide, Overhead, Seek, Settle, Rotate, Transfer, Missed };

inline constexpr std::array<const char*, 8> kControllerStateNames = {"IDLE",   "DECIDE", "OVERHEAD", "SEEK",
                                                                     "SETTLE", "ROTATE", "TRANSFER", "MISSED"};

}  // namespace platter::drive
