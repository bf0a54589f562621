// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "platter/scheduling/scheduler_if.h"

namespace platter::engine {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

/// What an engine calls: the drive's dispatcher. Times are absolute, in picoseconds. The sink lives until the simulation ends, but not
/// until the engine's destructor runs.
class DecisionSinkIf {
 public:
  virtual ~DecisionSinkIf() = default;
  /// The answer to `EngineIf::decide`, exactly one for each request, but none after `EngineIf::reset`. An engine may call it within `decide` or
  /// later, from any process; on a loosely timed drive only within `decide`. When it is called, the picked command has left the engine. Make this
  /// call the last action of the engine's function: within it the drive may call `insert`, `withdraw`, `prepare` and the functions for observers.
  /// `effective`: when the decision is known and the drive acts on it; not in the past. After an idle decision the drive is idle at once.
  ///
  /// `decision` is one of these (scheduling::Decision):
  /// - `serve(tag)`: a command that was inserted and neither picked nor withdrawn. With eager writing it must not be a write, which has no place yet.
  /// - `write(tag, place, hidden)`: the same for a write on a drive with eager writing, and for no other command.
  /// - `move(cylinder)`: the arm moves to a cylinder of the drive, and then the drive asks again.
  /// - `Decision{}`: idle. The drive asks again when a command arrives or is withdrawn.
  /// - `wait(until)`: idle. The drive asks again at `until` at the latest. `until` must be later than now: otherwise the drive asks again at the same
  ///   time, without end if the engine repeats the answer.
  ///
  /// `Decision::again()` is an answer of policies only: an engine resolves it itself.
  virtual void decided(const Decision& decision, Picoseconds effective) = 0;
  /// A command for which `EngineIf::withdraw` returned false has left the engine, which no longer reads it.
  virtual void left(core::Tag /*tag*/) {}
  /// For observers: the value of `EngineIf::prepared_from` has changed at another time than within a call of an EngineIf function, for
  /// instance at an interrupt.
  virtual void preparation_changed() {}
};

/// Counters of an engine. A decision is one answer to `EngineIf::decide`. An operation is one DECIDE or CLUSTER of the accelerator; a
/// decision may take several, and operations whose result was not used count too.
struct EngineStatistics {
  std::uint64_t decisions = 0;            ///< decisions made
  std::uint64_t cycles = 0;               ///< clock cycles spent deciding
  std::uint64_t access_cycles = 0;        ///< clock cycles of register accesses (accelerator only)
  std::uint64_t forced = 0;               ///< decisions that were forced (Decision::forced)
  std::uint64_t compared = 0;             ///< comparisons, of each register access or decision (lock-step only)
  std::uint64_t operations_compared = 0;  ///< operations (DECIDE, CLUSTER) among them (lock-step only)
  std::uint64_t mismatches = 0;           ///< responses that differed (lock-step only)
  std::optional<std::uint64_t> windows;   ///< in which responses were compared (sampled lock-step only)
  /// Sum over decisions of the time of their work: from `prepare` (`decide` if it was not prepared) or from the last arrival, whichever is
  /// later, until the result is known. The actuator may be busy meanwhile.
  Picoseconds latency = 0;

  /// Adds the counters of another engine.
  EngineStatistics& operator+=(const EngineStatistics& other) {
    decisions += other.decisions;
    cycles += other.cycles;
    access_cycles += other.access_cycles;
    forced += other.forced;
    compared += other.compared;
    operations_compared += other.operations_compared;
    mismatches += other.mismatches;
    if (other.windows) windows = windows.value_or(0) + *other.windows;
    latency += other.latency;
    return *this;
  }
};

/// The drive's interface to a scheduling engine, which chooses the next access of the actuator. Each actuator has one engine. The page
/// docs/how_to/extend.md has an example.
///
/// **Order of the calls.** `bind_sink` comes first and once. Then commands are inserted at any time. When an access begins, `prepare`
/// says when it will end, and in which state. The engine may work meanwhile. `decide` asks when the actuator is free, and the engine
/// answers by `DecisionSinkIf::decided`. At most one request is pending. Commands may be inserted and withdrawn, and the drive may fail
/// (`reset`), at any time, also while a request is pending.
///
/// **Commands.** The engine holds a command from `insert` until it picks it or it is withdrawn. `Command::tag` identifies it: a number
/// below EngineContext::queue_depth that no other command in the engine has. It is not the tag of the host, and internal commands (cached
/// writes, class background) have one too. Head-of-queue commands are served without the engine. A command that must wait for older
/// ones, such as a write that overlaps them, waits outside the engine. So the engine may serve its commands in any order.
///
/// **Processes and errors.** The drive calls from method processes, threads and transport calls of hosts, at the present time, core::now_ps(). That
/// is the kernel's, or on a loosely timed drive (`DriveConfig::loosely_timed`) the drive's own, which is ahead of it. There `decide` must answer
/// within the call. An engine must not wait in any of these functions. All times are absolute, in picoseconds. An engine reports an error by an
/// exception or an SC_REPORT. The drive throws std::logic_error, out of the sink's function, for an answer to no request, a tag that no command in
/// the engine has, an effective time in the past, the kind Again, and `left` for a command that is not being withdrawn. Inside a SystemC process the
/// kernel turns this exception into an error, and sc_start() throws an sc_report. The drive does not check a place, a cylinder, or whether `serve` or
/// `write` fits the command and the drive: the results of a wrong one are undefined. It does not notice a missing answer.
class EngineIf {
 public:
  virtual ~EngineIf() = default;
  EngineIf() = default;
  EngineIf(const EngineIf&) = delete;
  EngineIf& operator=(const EngineIf&) = delete;

  /// Called once, by the drive's constructor, before any other function. Keep the reference.
  virtual void bind_sink(DecisionSinkIf& sink) = 0;
  /// A command has arrived. The engine may keep its address and read it until it has picked the command, the command has been withdrawn,
  /// or `reset` is called.
  virtual void insert(const Command& command) = 0;
  /// Withdraws a command that was inserted and not yet picked: it will not be served. Returns true if the engine no longer reads the
  /// command. Returns false if it still does; the engine then calls `DecisionSinkIf::left` later, and must not pick the command. A
  /// withdrawal may make a decision begin again. The deadline guard reserves no time for that.
  virtual bool withdraw(const Command& command) = 0;
  /// Would `withdraw` take this command back at once?
  virtual bool withdraws_at_once(const Command& /*command*/) const { return true; }
  /// The extent of a command that the engine holds has changed, because the mapping has moved its blocks. Only with eager writing.
  virtual void moved(const Command& command) = 0;
  /// Tells the engine that commands of hosts wait outside it until buffered writes (destages) are on the media. `since`: when the oldest such command
  /// arrived, of those that wait for room in the buffer (`any`) and of those that wait for their own blocks (`certain`). The drive calls this
  /// function when one of these two times has changed. Returns true if the engine has answered wait and would now answer otherwise: the drive then
  /// calls `decide` again. The default ignores it.
  virtual bool awaited(const scheduling::AwaitedDestages& /*since*/) { return false; }
  /// True if the engine holds no command. A command that is being withdrawn does not count.
  virtual bool empty() const = 0;
  /// Announces the next `decide(at, when)`; `when` is later than now. The engine may begin to work on it, or do nothing. It must not call
  /// the sink. The drive calls again if state or time have changed. The engine ignores a call with the same values. If a command arrives or is
  /// withdrawn before `decide`, the engine must decide again with the commands that it then holds.
  virtual void prepare(const HeadState& at, Picoseconds when) = 0;
  /// Requests a decision: the actuator is free now, in state `head`. Work since `prepare` counts if it was for exactly this state and
  /// time; otherwise the engine begins now. An engine without commands answers with an idle decision.
  virtual void decide(const HeadState& head, Picoseconds now) = 0;
  /// The drive has failed. Afterwards the engine holds no command, no pending request and no preparation, as at power-on, and does not
  /// call the sink for anything before. Statistics continue.
  virtual void reset() = 0;
  /// For observers: when the decision that is being prepared will be ready; kNoDeadline if none is being prepared, or if it must wait for
  /// an event first.
  virtual Picoseconds prepared_from() const = 0;
  /// For observers: what the deadline guard charges for the time between two accesses of the sweep; kNoDeadline without a guard.
  virtual Picoseconds guard_bound() const { return core::kNoDeadline; }
  /// For observers, while DecisionSinkIf::decided runs: true if the decision did not consider this command, because the rules of the
  /// firmware held its stream back, or the policy held it back until shortly before its limit.
  virtual bool held_back(core::Tag /*tag*/) const { return false; }
  /// For observers: the part of an access's time by which this engine ranks candidates. The default is the time until the access begins,
  /// which may be in the middle of its sectors (zero latency). An engine that does not know such accesses ranks by the time until the
  /// first sector, `AccessTime::to_first`.
  virtual Picoseconds compared_part(const mechanics::AccessTime& access) const { return access.positioning(); }
  /// Counters since the construction; may be called at any time. Those of work in progress are complete when the simulation has stopped.
  virtual EngineStatistics statistics() const = 0;
  /// The budgets of a policy by class (CELLO); null for a policy that has none. A reset replaces the object.
  virtual const scheduling::ClassBudgets* class_budgets() const { return nullptr; }
  /// Statistics of a policy that writes eagerly; null for others. The pointer holds until the next call.
  virtual const scheduling::GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::engine
