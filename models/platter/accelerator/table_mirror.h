// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/accelerator/registers.h"
#include "platter/scheduling/command.h"

namespace platter::accelerator {

/// What the firmware knows of the accelerator's table: the commands in it, and whether sums and debts are stale
/// (docs/reference/scheduler_accelerator.md). It follows every access that changes either.
class TableMirror {
 public:
  explicit TableMirror(std::uint32_t tags) : commands_(tags), staged_(tags) {}

  /// A command has been staged and entered, at `now`. `in_sweep`: as a continuous entry; `limited`: with a deadline of its own.
  void enter(const scheduling::Command& command, bool in_sweep, bool limited, core::Picoseconds now);
  /// A command has been taken out; the same as when it was entered.
  void leave(const scheduling::Command& command, bool in_sweep, bool limited);
  /// As after a reset.
  void clear();

  const std::vector<const scheduling::Command*>& commands() const { return commands_; }  ///< by tag; null: not in the table
  bool has(const scheduling::Command& command) const { return commands_[command.tag.value] == &command; }
  std::uint32_t tags() const { return static_cast<std::uint32_t>(commands_.size()); }
  std::uint32_t entries() const { return entries_; }
  std::uint32_t continuous() const { return continuous_; }
  bool any_limited() const { return limited_ > 0; }
  /// Of the entries with a deadline, the one that was staged first, if that is at least `age` ago; otherwise null.
  const scheduling::Command* staged_before(core::Picoseconds now, core::Picoseconds age);
  /// Entries on higher cylinders.
  std::uint32_t beyond(core::Cylinder cylinder) const;

  /// Does the sweep run towards lower cylinders? It starts at the extreme that is nearer to the head when its first command
  /// arrives, and keeps its direction until it is empty.
  bool downward(core::Cylinder head);
  /// The direction that `downward` gave last.
  bool last_downward() const { return downward_; }
  /// An entry has been served: the direction is settled as long as there is a sweep.
  void settle_direction() { direction_settled_ = continuous_ > 0; }

  void sums_no_longer_hold() { sums_stale_ = true; }
  void debts_no_longer_hold() { debts_stale_ = true; }
  /// Cycles of the next DECIDE without look-ahead; `sums_stale`: the sums will be stale even if they are not now.
  std::uint32_t decide_cycles(const reg::Parameters& built, bool guarded, bool sums_stale) const;
  /// A DECIDE with the guard has begun: sums and debts hold when it has ended.
  void decided();

 private:
  std::vector<const scheduling::Command*> commands_;
  std::vector<core::Picoseconds> staged_;  ///< by tag: when the entry was staged; kNoDeadline: it has no deadline
  core::Picoseconds look_again_ = 0;       ///< until then `staged_before` finds none
  std::uint32_t entries_ = 0;
  std::uint32_t continuous_ = 0;
  std::uint32_t limited_ = 0;
  bool sums_stale_ = true;
  bool debts_stale_ = true;
  bool direction_settled_ = false;
  bool downward_ = false;
};

}  // namespace platter::accelerator
