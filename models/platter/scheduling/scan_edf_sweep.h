// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// Commands in the order of SCAN-EDF, with the instant up to which they can be put off: earliest deadline first, those of one
/// deadline by an elevator that turns at the last of them, on one cylinder by age. The order is made anew when a command has
/// come; what is served between two of them does not change it.
///
/// From an access's end to the next one's start it takes the same time whenever they run (AccessPlanner), so going backwards from the
/// last command gives the latest start of each transfer with which it and all behind it meet their deadlines: an upper bound of
/// what they take, each hop charged `decision_bound`. Queries are O(1), making the order O(n^2).
class ScanEdfSweep {
 public:
  ScanEdfSweep(const AccessPlanner& planner, std::size_t capacity, Picoseconds decision_bound);

  void insert(const Command& command);
  /// Was it there?
  bool remove(Tag tag);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  /// Brings the order up to date; to be called before the queries below, which need a command.
  void prepare(const HeadState& head);

  const Command& first() const { return *entries_.back().command; }
  /// Latest start of the first command's transfer; kNoDeadline if no command has a deadline.
  Picoseconds latest() const { return entries_.back().latest; }
  /// From there to the end of the last command that has a deadline.
  Picoseconds duration() const { return entries_.back().duration; }
  /// Do they all meet their deadlines if the first is served at `now`, and how much later might it be? Negative: not all do.
  Picoseconds slack(const HeadState& head, Picoseconds now) const;
  /// The same if `command` is served at `now` before them.
  Picoseconds slack_after(const Command& command, const HeadState& head, Picoseconds now) const;

 private:
  struct Entry {
    const Command* command;
    bool upward;           ///< the elevator's direction on the way to it
    Picoseconds latest;    ///< start of its transfer
    Picoseconds duration;  ///< from there to the end of the last one that has a deadline
  };

  void put_in_order(core::Cylinder from);
  void sum_up();

  const AccessPlanner& planner_;
  Picoseconds decision_bound_;
  std::vector<Entry> entries_;  ///< the first at the back
  bool upward_ = true;
  bool dirty_ = false;
};

}  // namespace platter::scheduling
