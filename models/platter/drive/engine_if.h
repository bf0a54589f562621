// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/scheduling/scheduler_if.h"

namespace platter::drive {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

/// Receives what an engine decided. `effective` (>= now) is when the decision is known and may be acted on.
class DecisionSinkIf {
 public:
  virtual ~DecisionSinkIf() = default;
  virtual void decided(const Decision& decision, Picoseconds effective) = 0;
};

struct EngineStatistics {
  std::uint64_t decisions = 0;
  std::uint64_t cycles = 0;         ///< clock cycles spent deciding
  std::uint64_t access_cycles = 0;  ///< clock cycles of register accesses (accelerator only)
  std::uint64_t forced = 0;         ///< decisions that the deadline guard took
  std::uint64_t compared = 0;       ///< responses compared (lock-step only)
  std::uint64_t decisions_compared = 0;
  std::uint64_t mismatches = 0;
  Picoseconds latency = 0;          ///< sum over decisions of the time from question to answer
};

/// The scheduling engine as the controller knows it, whatever its make.
class EngineIf {
 public:
  virtual ~EngineIf() = default;
  EngineIf() = default;
  EngineIf(const EngineIf&) = delete;
  EngineIf& operator=(const EngineIf&) = delete;

  virtual void bind_sink(DecisionSinkIf& sink) = 0;
  /// `command` stays where it is until it is served.
  virtual void insert(const Command& command) = 0;
  virtual bool empty() const = 0;
  /// Asks for the next decision; the command picked leaves the engine. One question at a time.
  virtual void decide(const HeadState& head, Picoseconds now) = 0;
  /// Counters are whole once the simulation has stopped.
  virtual EngineStatistics statistics() const = 0;
};

}  // namespace platter::drive
