// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/bus_access.h"
#include "platter/engine/engine_if.h"

namespace platter::accelerator {

class RtlCore;

/// A scheduling accelerator behind its bus port, exact in cycles but without a clock input: the reference model, the Verilated RTL, or both in
/// lock-step. An access that starts work runs it to its end at once, and reports after how many cycles the work has ended and the interrupt rises.
/// Accesses follow each other without gaps and never while BUSY is set; the core does not model the time between them.
class BusCoreIf {
 public:
  virtual ~BusCoreIf() = default;
  BusCoreIf() = default;
  BusCoreIf(const BusCoreIf&) = delete;
  BusCoreIf& operator=(const BusCoreIf&) = delete;

  virtual BusResponse access(const BusRequest& request) = 0;
  /// Reset; the seek table keeps its contents.
  virtual void reset() = 0;
  /// What was compared, if it compares two implementations.
  virtual engine::EngineStatistics statistics() const { return {}; }
  /// The Verilated design in it; null if there is none.
  virtual RtlCore* rtl() { return nullptr; }
};

}  // namespace platter::accelerator
