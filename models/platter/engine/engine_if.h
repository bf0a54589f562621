// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "platter/scheduling/scheduler_if.h"

namespace platter::engine {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

/// Receives the decisions of an engine. `effective` (>= now) is when the decision is known and may be acted on.
class DecisionSinkIf {
 public:
  virtual ~DecisionSinkIf() = default;
  /// The decision that was requested.
  virtual void decided(const Decision& decision, Picoseconds effective) = 0;
  /// A command that could not be withdrawn at once has left the engine.
  virtual void left(core::Tag /*tag*/) {}
  /// `EngineIf::prepared_from` has changed, other than by a call of the engine.
  virtual void preparation_changed() {}
};

/// Counters of an engine.
struct EngineStatistics {
  std::uint64_t decisions = 0;            ///< decisions made
  std::uint64_t cycles = 0;               ///< clock cycles spent deciding
  std::uint64_t access_cycles = 0;        ///< clock cycles of register accesses (accelerator only)
  std::uint64_t forced = 0;               ///< decisions made by the deadline guard
  std::uint64_t compared = 0;             ///< responses compared (lock-step only)
  std::uint64_t operations_compared = 0;  ///< operations (DECIDE, CLUSTER) among them (lock-step only)
  std::uint64_t mismatches = 0;           ///< responses that differed (lock-step only)
  std::optional<std::uint64_t> windows;   ///< in which responses were compared (sampled lock-step only)
  Picoseconds latency = 0;                ///< sum over decisions of the time from the request to the decision

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

/// The controller's interface to a scheduling engine of any kind. The engine works while the mechanics are busy. It is told when the
/// current access will end and in what state, and decides for that time. It decides again whenever a command arrives.
class EngineIf {
 public:
  virtual ~EngineIf() = default;
  EngineIf() = default;
  EngineIf(const EngineIf&) = delete;
  EngineIf& operator=(const EngineIf&) = delete;

  /// To be called once, before any other function.
  virtual void bind_sink(DecisionSinkIf& sink) = 0;
  /// `command` must keep its address until it is served.
  virtual void insert(const Command& command) = 0;
  /// Withdraws a command that was inserted and not yet picked: it is not served. False if the engine still examines it;
  /// `DecisionSinkIf::left` then reports when it no longer does. The guard does not account for the decision time that a withdrawal takes.
  virtual bool withdraw(const Command& command) = 0;
  /// Would `withdraw` take this command back at once?
  virtual bool withdraws_at_once(const Command& /*command*/) const { return true; }
  /// The extent of a command that the engine holds has changed, because a mapping has moved its blocks.
  virtual void moved(const Command& command) = 0;
  /// True if the engine holds no command.
  virtual bool empty() const = 0;
  /// The actuator is busy and will be free at `when`, in state `at`: the engine may decide for then. May be called again with new values;
  /// repeating identical values has no effect.
  virtual void prepare(const HeadState& at, Picoseconds when) = 0;
  /// The actuator is free: requests the next decision. The picked command leaves the engine. Only one request may be pending. Work since
  /// `prepare` counts if it was for exactly this state and time; otherwise the engine begins now.
  virtual void decide(const HeadState& head, Picoseconds now) = 0;
  /// The drive has lost power: the engine holds no command, no pending request and no preparation, as at power-on. Statistics continue.
  virtual void reset() = 0;
  /// When the decision that is being prepared will be ready; kNoDeadline if none is being prepared, or if it must wait for an event first.
  virtual Picoseconds prepared_from() const = 0;
  /// What the deadline guard charges for the time between two accesses of the sweep; kNoDeadline where there is no guard.
  virtual Picoseconds guard_bound() const { return core::kNoDeadline; }
  /// The part of an access that this engine compares: until the access begins, where it knows that it may begin in the middle, or until the
  /// first sector comes.
  virtual Picoseconds compared_part(const mechanics::AccessTime& access) const { return access.positioning(); }
  /// The counters are complete once the simulation has stopped.
  virtual EngineStatistics statistics() const = 0;
  /// Null for a policy that has none. A reset replaces the object.
  virtual const scheduling::ClassBudgets* class_budgets() const { return nullptr; }
  /// Null for a policy that does not write eagerly. A reset starts the statistics again.
  virtual const scheduling::GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::engine
