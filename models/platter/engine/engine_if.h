// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/scheduler_if.h"

namespace platter::engine {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

/// Receives what an engine decided. `effective` (>= now) is when the decision is known and may be acted on.
class DecisionSinkIf {
 public:
  virtual ~DecisionSinkIf() = default;
  virtual void decided(const Decision& decision, Picoseconds effective) = 0;
  /// A command that could not be withdrawn at once has left the engine.
  virtual void left(core::Tag /*tag*/) {}
  /// `EngineIf::prepared_from` has changed, other than by a call of the engine.
  virtual void preparation_changed() {}
};

struct EngineStatistics {
  std::uint64_t decisions = 0;
  std::uint64_t cycles = 0;         ///< clock cycles spent deciding
  std::uint64_t access_cycles = 0;  ///< clock cycles of register accesses (accelerator only)
  std::uint64_t forced = 0;         ///< decisions that the deadline guard took
  std::uint64_t compared = 0;       ///< responses compared (lock-step only)
  std::uint64_t decisions_compared = 0;
  std::uint64_t mismatches = 0;
  Picoseconds latency = 0;  ///< sum over decisions of the time from the request for it to the answer

  EngineStatistics& operator+=(const EngineStatistics& other) {
    decisions += other.decisions;
    cycles += other.cycles;
    access_cycles += other.access_cycles;
    forced += other.forced;
    compared += other.compared;
    decisions_compared += other.decisions_compared;
    mismatches += other.mismatches;
    latency += other.latency;
    return *this;
  }
};

/// The scheduling engine as the controller knows it, whatever its make. It works while the mechanics do: it is told in what state
/// and when the access under way will end, and decides for then, anew whenever a command comes.
class EngineIf {
 public:
  virtual ~EngineIf() = default;
  EngineIf() = default;
  EngineIf(const EngineIf&) = delete;
  EngineIf& operator=(const EngineIf&) = delete;

  virtual void bind_sink(DecisionSinkIf& sink) = 0;
  /// `command` stays where it is until it is served.
  virtual void insert(const Command& command) = 0;
  /// A command that has been inserted and not yet picked is taken back: it is not served. False: the engine still looks at it, and says by
  /// `DecisionSinkIf::left` when it no longer does. What this takes of a decision's time is no part of what the guard reckons with.
  virtual bool withdraw(const Command& command) = 0;
  /// The extent of such a command has changed: a mapping has moved its blocks.
  virtual void moved(const Command& command) = 0;
  virtual bool empty() const = 0;
  /// The arm is busy and will be free at `when`, as `at` says: the engine may decide for then. Said again where it turns out
  /// otherwise; what is the same changes nothing.
  virtual void prepare(const HeadState& at, Picoseconds when) = 0;
  /// The arm is free: asks for the next decision; the command picked leaves the engine. One question at a time. What has been
  /// prepared counts if it was for exactly this state and instant; otherwise the engine begins now.
  virtual void decide(const HeadState& head, Picoseconds now) = 0;
  /// The drive has lost its power: no command, no question, nothing prepared, as when it was switched on. Statistics go on.
  virtual void reset() = 0;
  /// From when on the decision that is being prepared is there; kNoDeadline if there is none, or not before some event.
  virtual Picoseconds prepared_from() const = 0;
  /// Counters are whole once the simulation has stopped.
  virtual EngineStatistics statistics() const = 0;
  /// Null for a policy that has none, and after a reset not the one from before.
  virtual const scheduling::ClassBudgets* class_budgets() const { return nullptr; }
  /// Null for a policy that does not write eagerly; they begin anew with a reset.
  virtual const scheduling::GapStatistics* gaps() const { return nullptr; }
};

}  // namespace platter::engine
