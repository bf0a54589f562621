// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "platter/scheduling/command.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// When the time of a limited command has come: when it has just as long as the drive needs for all commands that wait. From then on it
/// competes, and shortest positioning time first serves most of them before their limit. The same for firmware and accelerator.
class LimitWindow {
 public:
  /// A limited command is held back until its time comes; not one of the sweep, because the guard has to know it.
  static bool holds_back(const Command& command) { return command.limited && !command.high_priority && !in_sweep(command); }
  /// An access begins at `instant`, and `left` commands go on waiting.
  void served(Picoseconds instant, std::size_t left) {
    if (waited_) mean_ += mean_ == 0 ? instant - last_ : (instant - last_ - mean_) / kAccesses;
    last_ = instant;
    waited_ = left > 0;
  }
  /// A command has been withdrawn, and `left` commands go on waiting.
  void withdrawn(std::size_t left) { waited_ = waited_ && left > 0; }
  /// True if the time of the command has come, while `waiting` commands wait.
  bool reached(const Command& command, std::size_t waiting, Picoseconds now) const {
    return command.deadline - now <= width(waiting);
  }
  /// How long before its limit the time of a command comes.
  Picoseconds width(std::size_t waiting) const { return mean_ * static_cast<Picoseconds>(waiting); }

 private:
  static constexpr Picoseconds kAccesses = 32;  ///< over which the running mean is taken

  Picoseconds mean_ = 0;  ///< time from one access to the next, while commands wait
  Picoseconds last_ = 0;  ///< begin of the last access
  bool waited_ = false;   ///< commands have waited since
};

/// What guidelines may cost: a share of all time. An account gains this share of the time that passes, up to the longest positioning, and pays
/// for each command that a guideline has put first, by the positioning time that it takes more than the cheapest one.
class CostAccount {
 public:
  /// `most`: the longest positioning.
  explicit CostAccount(Picoseconds most) : most_(most) {}

  /// In 1/1000.
  void set_share(std::uint32_t permille) { permille_ = permille; }
  void passed(Picoseconds now) {
    balance_ = std::min(balance_ + (now - last_) / 1000 * Picoseconds{permille_}, permille_ > 0 ? most_ : 0);
    last_ = now;
  }
  bool allows(Picoseconds extra) const { return extra <= balance_; }
  void charge(Picoseconds extra) { balance_ -= extra; }

 private:
  Picoseconds most_;
  std::uint32_t permille_ = 0;
  Picoseconds balance_ = 0;
  Picoseconds last_ = 0;
};

}  // namespace platter::scheduling
