// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/scheduling/command.h"
#include "platter/scheduling/interpretations.h"

namespace platter::scheduling {

/// Commands in the order of SCAN-EDF, with the latest time to which they can be put off: earliest deadline first; those of one deadline by
/// an elevator that turns at the last of them; on one cylinder by age. The order is computed again when a command has arrived. Serving a
/// command between two arrivals does not change it.
///
/// The time from an access's end to the next one's start does not depend on when they run (AccessPlanner). Going backwards from the last
/// command therefore gives, for each command, the latest start of its transfer with which it and all after it meet their deadlines. The
/// times are upper bounds: each hop is charged `decision_bound`. Queries are O(1), computing the order is O(n^2).
///
/// With CelloRotation::HalfTurn every rotational wait counts as half a turn, so the times are estimates and no bounds.
class ScanEdfSweep {
 public:
  ScanEdfSweep(const AccessPlanner& planner, std::size_t capacity, Picoseconds decision_bound,
               CelloRotation rotation = CelloRotation::Known);

  void insert(const Command& command);
  /// True if the command was there.
  bool remove(Tag tag);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  /// Updates the order; must be called before the queries below, which need at least one command.
  void prepare(const HeadState& head);

  const Command& first() const { return *entries_.back().command; }
  /// Latest start of the first command's transfer; kNoDeadline if no command has a deadline.
  Picoseconds latest() const { return entries_.back().latest; }
  /// Time from there to the end of the last command that has a deadline.
  Picoseconds duration() const { return entries_.back().duration; }
  /// How much later than `now` the first command may be served if all are to meet their deadlines. Negative: not all can.
  Picoseconds slack(const HeadState& head, Picoseconds now) const;
  /// The same if `command` is served at `now`, before them.
  Picoseconds slack_after(const Command& command, const HeadState& head, Picoseconds now) const;

 private:
  struct Entry {
    const Command* command;
    bool upward;           ///< the elevator's direction towards it
    Picoseconds latest;    ///< start of its transfer
    Picoseconds duration;  ///< from there to the end of the last one that has a deadline
  };

  void put_in_order(core::Cylinder from);
  void sum_up();
  /// From the beginning of an access until its first sector comes.
  Picoseconds to_first(const AccessTime& time) const {
    return rotation_ == CelloRotation::Known ? planner_.guarded(time) : time.positioning() - time.rotation + half_turn_;
  }
  /// From the end of `from`, with a decision, until the first sector of `to` comes.
  Picoseconds onward(const mechanics::Extent& from, const mechanics::Extent& to) const;

  const AccessPlanner& planner_;
  Picoseconds decision_bound_;
  CelloRotation rotation_;
  Picoseconds half_turn_;
  std::vector<Entry> entries_;  ///< the first at the back
  bool upward_ = true;
  bool dirty_ = false;
};

}  // namespace platter::scheduling
