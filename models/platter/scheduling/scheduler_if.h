// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/command.h"
#include "platter/scheduling/free_space_if.h"

namespace platter::scheduling {

class ClassBudgets;
struct GapStatistics;

/// What has chosen the command of a decision; for observers.
enum class Rule : std::uint8_t {
  Policy,    ///< the policy, or its deadline guard
  Deadline,  ///< its own deadline or limit, outside the sweep (OwnDeadlines, LSPTF)
  Priority,  ///< its priority (LSPTF)
  Age,       ///< the age limit of the firmware (FirmwareRules)
  Stream,    ///< the firmware's rule that a sequential stream goes first
};
/// Its name in outputs.
constexpr const char* to_string(Rule rule) {
  switch (rule) {
    case Rule::Policy: return "policy";
    case Rule::Deadline: return "deadline";
    case Rule::Priority: return "priority";
    case Rule::Age: return "age";
    case Rule::Stream: return "stream";
  }
  return "?";
}

/// What a policy or an engine decides to do next. A default Decision is idle.
struct Decision {
  /// The kinds.
  enum class Kind : std::uint8_t {
    Idle,   ///< nothing to do until a command is inserted, or until `until`
    Serve,  ///< serve `tag`
    Write,  ///< serve `tag`, a write, at `place`, which the policy has chosen
    /// Call `work` and `pick` again with the same state: the guard has refused all examined commands, but there are more; or a stream that was held
    /// back competes again (FirmwareRules).
    Again,
    Move,  ///< move the arm to `cylinder`, then decide again (SCAN's run to the edge)
  };
  Kind kind = Kind::Idle;  ///< what to do
  /// No candidate passed the deadline guard, so the sweep continues; or a command goes first because of its own deadline (OwnDeadlines). Rules
  /// outside the policy leave such a decision as it is.
  bool forced = false;
  Tag tag;                  ///< of Serve and Write: the command
  core::Cylinder cylinder;  ///< of Move
  /// Of Idle: absolute time at which to decide again, if no command arrives before; kNoDeadline: no such time.
  Picoseconds until = core::kNoDeadline;
  Place place = kNoPlace;    ///< of Write
  bool hidden = false;       ///< of Write: it delays no read
  Rule rule = Rule::Policy;  ///< what has chosen the command

  /// Idle until then.
  static Decision wait(Picoseconds until) { return {Kind::Idle, false, {}, {}, until, {}, false, Rule::Policy}; }
  /// Serves a command, which this rule has chosen.
  static Decision serve(Tag tag, Rule rule = Rule::Policy) {
    return {Kind::Serve, false, tag, {}, core::kNoDeadline, {}, false, rule};
  }
  /// Serves a write at this place.
  static Decision write(Tag tag, Place place, bool hidden) {
    return {Kind::Write, false, tag, {}, core::kNoDeadline, place, hidden, Rule::Policy};
  }
  /// Of policies only; see Kind.
  static Decision again() { return {Kind::Again, false, {}, {}, core::kNoDeadline, {}, false, Rule::Policy}; }
  /// Moves the arm.
  static Decision move(core::Cylinder cylinder) {
    return {Kind::Move, false, {}, cylinder, core::kNoDeadline, {}, false, Rule::Policy};
  }
};

/// What the next `pick` will examine. The firmware's decision time is computed from it, so it must be exact (tested for every policy).
struct DecisionWork {
  /// The number of access times that `pick` compares: one for each command that it examines, from the arm's place to the command, and one for each
  /// hop that it examines, from the end of one command to another. A policy that ranks commands without their times counts the same.
  std::size_t candidates = 0;
  /// n * n * 2^n if `pick` finds the exact order of n commands, which is the order with the least total time; 0 if it finds none.
  std::uint64_t order_steps = 0;
  /// Further cycles of the firmware's processor, besides those for the candidates and the steps.
  std::uint64_t cycles = 0;
};

/// A scheduling policy. It holds the commands that may be served now (the queue keeps back those that must wait for an older overlapping one) and
/// never changes the mechanics. Where a mapping moves blocks, the extent of a read may change while the policy holds it (`moved`), and the extent of
/// a write has only a length. Its functions must not wait. A decision for a command that the policy does not hold ends the simulation with
/// std::logic_error.
class SchedulerIf {
 public:
  virtual ~SchedulerIf() = default;
  SchedulerIf() = default;
  SchedulerIf(const SchedulerIf&) = delete;
  SchedulerIf& operator=(const SchedulerIf&) = delete;

  /// A command has arrived. Its `tag` is below the context's capacity, and no other command in the policy has it. It keeps its address until
  /// `remove` or `withdraw` is called with its tag.
  virtual void insert(const Command& command) = 0;
  /// The engine serves the command that the last `pick` or `next_of_sweep` has returned, or that of `put_first`. Called before the access begins.
  virtual void remove(Tag tag) = 0;
  /// The command is withdrawn: it will not be served. It need not be one that `pick` has returned.
  virtual void withdraw(Tag tag) { remove(tag); }
  /// The command's extent has changed, under a mapping that moves blocks. A policy that has stored results about the command (such as its place in an
  /// index by cylinder) must compute them again.
  virtual void moved(Tag /*tag*/) {}
  /// True if the policy holds no command.
  virtual bool empty() const = 0;
  /// A round has begun. Only a policy that is the second phase of a TPS gets this call: the first phase has the round's continuous commands. Plans
  /// made before are no longer valid.
  virtual void begin_round() {}
  /// Returns the decision that becomes known at `now` (absolute, ps), for the arm in the state `head`; idle (`{}`) without commands. The engine
  /// has called `work` with the same state before. Does not remove the picked command: the engine calls `remove`.
  virtual Decision pick(const HeadState& head, Picoseconds now) = 0;
  /// A rule outside the policy has replaced the decision that the last `pick` has returned: this command is served. `remove` follows, as
  /// after a decision of the policy. A policy that keeps an account of service charges the command as one of its own choice.
  virtual void put_first(const Command& /*command*/, const HeadState& /*head*/, Picoseconds /*now*/, Rule /*rule*/) {}
  /// The work that the next `pick` with this state will take. The call may fix the set of commands from which `pick` chooses, so the caller
  /// must continue with `pick` with the same state.
  virtual DecisionWork work(const HeadState& head) = 0;
  /// True for a policy with a deadline guard (GuardedScheduler), which has its own `has_time` and `next_of_sweep`. PolicySpec::create() puts it
  /// inside an OwnDeadlines, which checks deadlines outside the sweep.
  virtual bool keeps_deadlines() const { return false; }
  /// True for a policy that serves continuous commands by their deadlines, with or without a guard, or before all other commands. The rules of the
  /// firmware then go before such a command only where `leaves_time` allows it. Under all other policies a deadline means nothing to the rules.
  virtual bool knows_deadlines() const { return keeps_deadlines(); }
  /// The guard of one command: true if serving the command now leaves the commands whose deadlines the policy knows the time that they need.
  virtual bool leaves_time(const Command& /*command*/, const HeadState& /*head*/, Picoseconds /*now*/) { return true; }
  /// True if the command may go first because of its own deadline. False only under a policy that limits what guidelines may cost (LSPTF).
  virtual bool affords(const Command& /*command*/, const HeadState& /*head*/, Picoseconds /*now*/) { return true; }
  /// The deadline guard before a decision: true if the decision may become known as late as `effective` (absolute, ps), after examining all that
  /// `work` counts. If false, the sweep must continue: the caller then uses `next_of_sweep` instead of `pick`, which examines one command and is
  /// known earlier. A policy without a guard always has time.
  virtual bool has_time(const HeadState& /*head*/, Picoseconds /*effective*/) { return true; }
  /// The next command of the sweep. Nothing else is examined, so no decision takes less work: `kShortest`.
  virtual Decision next_of_sweep(const HeadState& head, Picoseconds now) { return pick(head, now); }
  static constexpr DecisionWork kShortest{1, 0, 0};  ///< one candidate
  /// Tells the policy that commands of hosts wait outside it until buffered writes (destages) are on the media. `since`: when the oldest such command
  /// arrived, of those that wait for room in the buffer (`any`) and of those that wait for their own blocks (`certain`). Returns true if the policy
  /// has answered wait and would now answer otherwise: `pick` is then called again. The default ignores it.
  virtual bool awaited(const AwaitedDestages& /*since*/) { return false; }
  /// For observers: the last `pick` did not consider this command, because its stream was held back (FirmwareRules), or the time of its limit had
  /// not come (LSPTF).
  virtual bool held_back(Tag /*tag*/) const { return false; }
  /// The policy's budgets by class; null if it has none.
  virtual const ClassBudgets* class_budgets() const { return nullptr; }
  /// Statistics of a policy that decides where writes go; null for others.
  virtual const GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::scheduling
