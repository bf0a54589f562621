// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/engine/engine_if.h"

namespace platter::accelerator {

class RtlCore;

/// One access over the accelerator's AXI4-Lite port.
struct BusRequest {
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;       ///< of a write
  core::Picoseconds start = 0;  ///< when the access begins; for waves only
};

struct BusResponse {
  std::uint32_t data = 0;    ///< of a read
  bool ok = true;            ///< OKAY, otherwise SLVERR
  std::uint32_t cycles = 0;  ///< from the access's first cycle to its last
  /// Cycles from the access's first one until the work that it started (INSERT, REMOVE, SERVE, OP) has ended: the number of the
  /// first cycle in which BUSY is clear again. 0 if the access started no work.
  std::uint32_t busy_cycles = 0;
  /// Cycles from the access's first one until that work raises the interrupt. 0 if the interrupt does not rise: it is disabled,
  /// it is already high, or the work does not set DONE.
  std::uint32_t irq_cycles = 0;
  bool irq = false;  ///< level of the interrupt after the work, or after the access if it started none

  friend bool operator==(const BusResponse& a, const BusResponse& b) {
    return a.data == b.data && a.ok == b.ok && a.cycles == b.cycles && a.busy_cycles == b.busy_cycles &&
           a.irq_cycles == b.irq_cycles && a.irq == b.irq;
  }
};

/// A scheduling accelerator behind its bus port, exact in cycles but without a clock input: the reference model, the Verilated
/// RTL, or both in lock-step. An access that starts work runs it to its end at once, and reports after how many cycles the work
/// has ended and the interrupt rises. Accesses follow each other without gaps and never while BUSY is set; the core does not
/// model the time between them.
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
