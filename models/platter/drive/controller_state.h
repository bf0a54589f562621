// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace platter::drive {

/// What the actuator is doing; wave files show it as text.
enum class ControllerState : std::uint8_t { Idle, Decide, Overhead, Seek, Settle, Rotate, Transfer };

inline constexpr std::array<const char*, 7> kControllerStateNames = {"IDLE",   "DECIDE", "OVERHEAD", "SEEK",
                                                                     "SETTLE", "ROTATE", "TRANSFER"};

}  // namespace platter::drive
