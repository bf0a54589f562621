// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/scheduling/readings.h"
#include "platter/scheduling/scheduler_if.h"

namespace platter::scheduling {

/// Until when the commands wait that the deadline guard has refused (`scheduling.postponed`). A round begins with a continuous command
/// that comes when there is none, or has a later deadline than the one that began the round before. It ends when the next one begins,
/// or, when none comes, with that deadline.
class PostponedUntil {
 public:
  explicit PostponedUntil(Postponed reading) : reading_(reading) {}

  /// A continuous command has come, `first` if there was none. Are the postponed looked at again?
  bool came(bool first, Picoseconds deadline) {
    const bool begins = first || deadline > round_end_;
    if (begins) round_end_ = deadline;
    return begins || reading_ == Postponed::LastContinuous;
  }
  /// The last continuous command has been served. Are they looked at again?
  bool last_served() const { return reading_ == Postponed::LastContinuous; }
  /// The same without a continuous command: is the round over?
  bool over(Picoseconds now) const { return now > round_end_; }
  /// What is done when nothing but postponed commands is left.
  Decision wait() const { return Decision::wait(round_end_ + 1); }

 private:
  Postponed reading_;
  Picoseconds round_end_ = -1;
};

/// The commands that the guard has refused.
class PostponedCommands {
 public:
  PostponedCommands(std::size_t capacity, Postponed reading) : until_(reading), postponed_(capacity, false) {}

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
  /// What is done without continuous commands: `chosen`, after which those of a round that is over are looked at again; at once, where nothing
  /// else is left.
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
