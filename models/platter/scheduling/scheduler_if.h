// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/command.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::scheduling {

class ClassBudgets;
struct GapStatistics;

/// What a policy decides to do next.
struct Decision {
  enum class Kind : std::uint8_t {
    Idle,   ///< nothing to do until a command is inserted, or until `until`
    Serve,  ///< serve `tag`
    Write,  ///< serve `tag`, a write, at `place`, which the policy has chosen
    Again,  ///< the guard has refused all examined commands, but there are more: call `work` and `pick` again with the same state
    Move,  ///< move the arm to `cylinder`, then decide again (SCAN's run to the edge)
  };
  Kind kind = Kind::Idle;
  bool forced = false;  ///< no candidate passed the deadline guard; the sweep continues
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

/// The work of the next decision; the firmware's decision time is computed from it.
struct DecisionWork {
  std::size_t candidates = 0;     ///< commands, and hops between two of them, that are examined
  std::uint64_t order_steps = 0;  ///< if an exact order is computed: PathOrder::steps
};

/// A scheduling policy. It holds the commands that may be served now (the queue keeps back those that must wait for an older overlapping
/// one) and never changes the mechanics. Where a mapping moves blocks, the extent of a read may change while the policy holds it (`moved`),
/// and the extent of a write has only a length.
class SchedulerIf {
 public:
  virtual ~SchedulerIf() = default;
  SchedulerIf() = default;
  SchedulerIf(const SchedulerIf&) = delete;
  SchedulerIf& operator=(const SchedulerIf&) = delete;

  /// `command` must keep its address until it is removed.
  virtual void insert(const Command& command) = 0;
  /// The command is served.
  virtual void remove(Tag tag) = 0;
  /// The command is withdrawn: it will not be served.
  virtual void withdraw(Tag tag) { remove(tag); }
  /// The command's extent has changed, under a mapping that moves blocks. A policy that has examined it must examine it again.
  virtual void moved(Tag /*tag*/) {}
  virtual bool empty() const = 0;
  /// A round of continuous commands has begun, and the policy itself holds none of them. Plans made before are no longer valid.
  virtual void begin_round() {}
  /// Returns the next decision; does not remove the picked command.
  virtual Decision pick(const HeadState& head, Picoseconds now) = 0;
  /// The work that the next `pick` with this state will take. The call may fix which commands that `pick` chooses from, so the caller must
  /// continue with `pick` with the same state.
  virtual DecisionWork work(const HeadState& head) = 0;
  /// True if it keeps the deadlines of continuous commands, under a guard.
  virtual bool keeps_deadlines() const { return false; }
  /// The guard of one command: true if serving the command now leaves the sweep the time that the sweep needs.
  virtual bool leaves_time(const Command& /*command*/, const HeadState& /*head*/, Picoseconds /*now*/) { return true; }
  /// The deadline guard before a decision: true if the decision may become known as late as `effective`, after examining all that `work`
  /// counts. If false, the sweep must continue: the caller then uses `next_of_sweep` instead of `pick`, for an earlier time. A policy
  /// without a guard always has time.
  virtual bool has_time(const HeadState& /*head*/, Picoseconds /*effective*/) { return true; }
  /// The next command of the sweep. Nothing else is examined, so this is the shortest of all decisions, `kShortest`.
  virtual Decision next_of_sweep(const HeadState& head, Picoseconds now) { return pick(head, now); }
  static constexpr DecisionWork kShortest{1, 0};
  /// Null for a policy that has none.
  virtual const ClassBudgets* class_budgets() const { return nullptr; }
  /// Null for a policy that does not decide where writes go.
  virtual const GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::scheduling
