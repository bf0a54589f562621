// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/command.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::scheduling {

class ClassBudgets;
struct GapStatistics;

/// What a policy wants done next.
struct Decision {
  enum class Kind : std::uint8_t {
    Idle,   ///< nothing to do until a command is inserted, or until `until`
    Serve,  ///< serve `tag`
    Write,  ///< the same, a write whose place the policy decides: to `place`
    Again,  ///< the guard has refused what was looked at, but there is more to look at: ask `work` and `pick` again from the same place
    Move,  ///< take the arm to `cylinder`, then ask again (SCAN's run to the edge)
  };
  Kind kind = Kind::Idle;
  bool forced = false;  ///< no candidate passed the deadline guard; the sweep goes on
  Tag tag;
  core::Cylinder cylinder;
  Picoseconds until = core::kNoDeadline;
  Place place = kNoPlace;
  bool hidden = false;  ///< of a write to `place`: it delays no read

  static Decision wait(Picoseconds until) { return {Kind::Idle, false, {}, {}, until, {}, false}; }
  static Decision serve(Tag tag) { return {Kind::Serve, false, tag, {}, core::kNoDeadline, {}, false}; }
  static Decision write(Tag tag, Place place, bool hidden) {
    return {Kind::Write, false, tag, {}, core::kNoDeadline, place, hidden};
  }
  static Decision again() { return {Kind::Again, false, {}, {}, core::kNoDeadline, {}, false}; }
  static Decision move(core::Cylinder cylinder) { return {Kind::Move, false, {}, cylinder, core::kNoDeadline, {}, false}; }
};

/// What the next decision takes; a firmware's decision time is charged by it.
struct DecisionWork {
  std::size_t candidates = 0;     ///< commands, and hops between two of them, that are looked at
  std::uint64_t order_steps = 0;  ///< where an exact order is made: PathOrder::steps
};

/// A scheduling policy. It holds the commands that may be served now (the queue keeps back those that must wait for an
/// older overlapping one) and never changes the mechanics. Where a mapping moves blocks, the extent of a read may change while it is here
/// (`moved`), and a write has none but its length.
class SchedulerIf {
 public:
  virtual ~SchedulerIf() = default;
  SchedulerIf() = default;
  SchedulerIf(const SchedulerIf&) = delete;
  SchedulerIf& operator=(const SchedulerIf&) = delete;

  /// `command` stays where it is until it is removed.
  virtual void insert(const Command& command) = 0;
  /// It is served.
  virtual void remove(Tag tag) = 0;
  /// It is taken back: it will not be served.
  virtual void withdraw(Tag tag) { remove(tag); }
  /// Its extent has changed, under a mapping that moves blocks: a policy that has looked at it looks again.
  virtual void moved(Tag /*tag*/) {}
  virtual bool empty() const = 0;
  /// A round of continuous commands has begun, of which the policy has none itself: plans from before no longer count.
  virtual void begin_round() {}
  /// Does not remove what it picks.
  virtual Decision pick(const HeadState& head, Picoseconds now) = 0;
  /// What the next `pick` from here will take. It may settle which commands that one chooses from, so an engine that asks
  /// goes on with `pick` from the same place.
  virtual DecisionWork work(const HeadState& head) = 0;
  /// Does it keep the deadlines of continuous commands, under a guard?
  virtual bool keeps_deadlines() const { return false; }
  /// The guard of one command: does it leave the sweep the time that it needs if it is served now?
  virtual bool leaves_time(const Command& /*command*/, const HeadState& /*head*/, Picoseconds /*now*/) { return true; }
  /// The deadline guard before a decision: may it be known as late as at `effective`, all of what `work` says looked at? If not, the
  /// sweep must go on, and `next_of_sweep` is asked instead of `pick`, for an earlier instant. A policy without a guard has time.
  virtual bool has_time(const HeadState& /*head*/, Picoseconds /*effective*/) { return true; }
  /// The next command of the sweep; nothing else is looked at, so it takes the shortest of all decisions, `kShortest`.
  virtual Decision next_of_sweep(const HeadState& head, Picoseconds now) { return pick(head, now); }
  static constexpr DecisionWork kShortest{1, 0};
  /// Null for a policy that has none.
  virtual const ClassBudgets* class_budgets() const { return nullptr; }
  /// Null for a policy that does not decide where writes go.
  virtual const GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::scheduling
