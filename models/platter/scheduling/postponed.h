// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/scheduling/interpretations.h"
#include "platter/scheduling/scheduler_if.h"

namespace platter::scheduling {

/// Decides how long commands wait that the deadline guard has refused (`scheduling.postponed`). A round begins with a continuous command
/// that arrives when there is none, or that has a later deadline than the command that began the previous round. It ends when the next
/// round begins or, if no continuous command arrives, at that deadline.
class PostponedUntil {
 public:
  explicit PostponedUntil(Postponed interpretation) : interpretation_(interpretation) {}

  /// A continuous command has arrived; `first`: there was none before it. True if the postponed commands are considered again.
  bool came(bool first, Picoseconds deadline) {
    const bool begins = first || deadline > round_end_;
    if (begins) round_end_ = deadline;
    return begins || interpretation_ == Postponed::LastContinuous;
  }
  /// The last continuous command has been served. True if the postponed commands are considered again.
  bool last_served() const { return interpretation_ == Postponed::LastContinuous; }
  /// True if the round is over, when no continuous command arrives.
  bool over(Picoseconds now) const { return now > round_end_; }
  /// The decision when only postponed commands are left.
  Decision wait() const { return Decision::wait(round_end_ + 1); }

 private:
  Postponed interpretation_;
  Picoseconds round_end_ = -1;
};

/// The commands that the guard has refused.
class PostponedCommands {
 public:
  PostponedCommands(std::size_t capacity, Postponed interpretation) : until_(interpretation), postponed_(capacity, false) {}

  bool contains(Tag tag) const { return postponed_[tag.value]; }
  void add(Tag tag) {
    if (!postponed_[tag.value]) ++count_;
    postponed_[tag.value] = true;
  }
  void remove(Tag tag) {
    if (postponed_[tag.value]) --count_;
    postponed_[tag.value] = false;
  }
  void clear() {
    if (count_ == 0) return;
    std::fill(postponed_.begin(), postponed_.end(), false);
    count_ = 0;
  }

  void continuous_came(bool first, Picoseconds deadline) {
    if (until_.came(first, deadline)) clear();
  }
  void last_served() {
    if (until_.last_served()) clear();
  }
  /// The decision when there are no continuous commands: to serve `chosen`. If the round is over, the postponed commands are considered
  /// again: after `chosen`, or at once if `chosen` is null.
  Decision without_sweep(const Command* chosen, Picoseconds now) {
    const bool returned = count_ > 0 && until_.over(now);
    if (returned) clear();
    if (chosen != nullptr) return Decision::serve(chosen->tag);
    if (returned) return Decision::again();
    return count_ == 0 ? Decision{} : until_.wait();
  }

 private:
  PostponedUntil until_;
  std::vector<bool> postponed_;  ///< by tag
  std::size_t count_ = 0;
};

}  // namespace platter::scheduling
