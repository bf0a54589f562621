// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "platter/scheduling/command.h"
#include "platter/scheduling/interpretations.h"

namespace platter::scheduling {

/// The SCAN that will serve the round's remaining continuous commands, with the sums that make the deadline guard O(1).
///
/// The cost from the end of one access to the start of the next does not depend on when it runs. The time from the start of the first
/// command's transfer to the end of the whole sweep is therefore a constant, `sweep()`. `credit(i)` is how much shorter it gets when
/// command i is removed. Serving any command x next then needs
///
///     positioning(x) + sweep()                                             if x is the first of the sweep,
///     positioning(x) + node(x) + onward(x, first) + sweep() - credit(x)    otherwise (credit 0 outside the sweep),
///
/// which must not exceed the time left to the deadline. All sums are upper bounds: each hop is charged `decision_bound`, the longest time between two
/// accesses, and reaching a sector's start earlier never makes the access end later. Where the host bus is slower than the media, blocks of earlier
/// reads may still wait for it; that backlog is subtracted from the time left. (On the bus, write data comes after read data.)
///
/// The sweep starts at the extreme nearer to the arm when its first command arrives (or as `SweepStart` says), and keeps its direction
/// until it is empty (Balafoutis et al., section 2; docs/reference/policies.md has the interpretation).
class ContinuousSweep {
 public:
  /// `capacity`: all tags are below it. `decision_bound`: ps. The planner must outlive the sweep.
  ContinuousSweep(const AccessPlanner& planner, std::size_t capacity, Picoseconds decision_bound,
                  SweepStart start = SweepStart::Nearer);

  /// Takes a command in, which must live until it is removed. Precondition: it has a deadline, and its tag is not in the sweep.
  void insert(const Command& command);
  /// Takes a command out; no effect if it is not in the sweep.
  void remove(Tag tag);
  bool contains(Tag tag) const { return links_[tag.value].command != nullptr; }  ///< Is it in the sweep?
  bool empty() const { return count_ == 0; }                                     ///< Are there no commands?
  std::size_t size() const { return count_; }                                    ///< number of commands

  /// Updates order and sums; must be called before the queries below. `head` decides the direction of a new sweep.
  void prepare(const HeadState& head);

  const Command& first() const { return *links_[first_].command; }  ///< its next command; precondition: not empty
  bool upward() const { return upward_; }                           ///< Does it go to higher cylinders?
  /// @cond of the implementation
  Picoseconds sweep() const { return sweep_ + shortfall_; }
  Picoseconds credit(Tag tag) const { return links_[tag.value].credit; }
  /// @endcond
  /// Earliest deadline of the commands in the sweep.
  Picoseconds deadline() const { return deadline_; }
  /// Time left at `now` until the sweep's last block must have reached the host. The bus carries blocks of earlier reads until `bus_free`.
  /// May be negative.
  Picoseconds slack(Picoseconds now, Picoseconds bus_free) const {
    return deadline_ - std::max(now, bus_free) - planner_.bus_block_time(false);
  }

  /// @cond of the implementation
  /// Time that a command occupies the drive from its transfer's start: media or bus, whichever is longer. The bus may end one block later,
  /// which `slack` reserves.
  Picoseconds node(const Extent& extent) const;
  Picoseconds onward_to_first(const Extent& from) const { return planner_.most_onward(from, first().extent, decision_bound_); }
  Picoseconds decision_bound() const { return decision_bound_; }
  /// @endcond

  /// True if the sweep still meets its deadline when `command`, with this positioning time (AccessPlanner::guarded()), is served at `now`.
  /// `bus_free`: HeadState::bus_free. All in ps. Precondition: it is prepared, and not empty.
  bool allows(const Command& command, Picoseconds positioning, Picoseconds now, Picoseconds bus_free) const {
    return excess(command, positioning, now, bus_free) <= 0;
  }
  /// By how much the sweep would then miss its deadline; negative: what it still has to spare.
  Picoseconds excess(const Command& command, Picoseconds positioning, Picoseconds now, Picoseconds bus_free) const;

  /// Order of the sweep from its first command on; for tests and observers.
  std::vector<Tag> order() const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Link {
    const Command* command = nullptr;
    std::size_t previous = kNone;
    std::size_t next = kNone;
    Picoseconds hop = 0;  ///< from the previous command's end to this one's start
    Picoseconds credit = 0;
  };

  Picoseconds hop(std::size_t from, std::size_t to) const {
    return planner_.most_onward(links_[from].command->extent, links_[to].command->extent, decision_bound_);
  }
  void rebuild();
  void set_credit(std::size_t index);
  void update_deadline();

  const AccessPlanner& planner_;
  Picoseconds decision_bound_;
  SweepStart start_;
  std::vector<Link> links_;  ///< by tag
  std::vector<std::size_t> sorted_;
  std::size_t first_ = kNone;
  std::size_t count_ = 0;
  bool direction_known_ = false;
  bool upward_ = true;
  bool dirty_ = false;
  Picoseconds sweep_ = 0;
  Picoseconds shortfall_ = 0;  ///< where a credit would be negative, the sweep is charged instead
  Picoseconds deadline_ = kNoDeadline;
};

}  // namespace platter::scheduling
