// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace platter::serving {

/// How simulated time follows the clients' time.
struct Pacing {
  enum class Kind : std::uint8_t {
    Realtime,  ///< simulated time follows the wall clock
    Lockstep,  ///< simulated time stands until `depth` commands are outstanding, or until the clients were silent for `kPatience_s`
    Asap,      ///< simulated time runs as fast as possible while a command is outstanding, and stands otherwise
  };
  /// Wall time for which `Lockstep` waits for more commands.
  static constexpr double kPatience_s = 2e-3;

  Kind kind = Kind::Realtime;
  double scale = 1;         ///< Realtime: wall time of a simulated second [s]
  std::uint32_t depth = 1;  ///< Lockstep

  /// `realtime`, `realtime:SCALE`, `lockstep:DEPTH` or `asap`. Throws std::invalid_argument with what was expected.
  static Pacing parse(const std::string& text);
  std::string text() const;
};

}  // namespace platter::serving
