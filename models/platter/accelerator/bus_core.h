// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/core/types.h"

namespace platter::accelerator {

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
  /// Cycles from the access's first until the work that it started (INSERT, REMOVE, SERVE, OP) has ended: the number of
  /// the first cycle in which BUSY is clear again. 0 where it started none.
  std::uint32_t busy_cycles = 0;
  /// Cycles from the access's first until that work raises the interrupt; 0 where none rises (it is switched off, high
  /// already, or the work is none that sets DONE).
  std::uint32_t irq_cycles = 0;
  bool irq = false;  ///< level of the interrupt after the work, if it started any, otherwise after the access

  friend bool operator==(const BusResponse& a, const BusResponse& b) {
    return a.data == b.data && a.ok == b.ok && a.cycles == b.cycles && a.busy_cycles == b.busy_cycles &&
           a.irq_cycles == b.irq_cycles && a.irq == b.irq;
  }
};

/// A scheduling accelerator behind its bus port, cycle by cycle but without a clock of its own: reference model, Verilated RTL
/// and the pair of both in lock-step. An access that starts work runs it to its end at once and reports after how many
/// cycles it has ended and the interrupt rises. Accesses follow each other, never while BUSY is set; time between them
/// does not exist for it.
class BusCoreIf {
 public:
  virtual ~BusCoreIf() = default;
  BusCoreIf() = default;
  BusCoreIf(const BusCoreIf&) = delete;
  BusCoreIf& operator=(const BusCoreIf&) = delete;

  virtual BusResponse access(const BusRequest& request) = 0;
  /// Asynchronous reset; the seek table's contents are undefined afterwards.
  virtual void reset() = 0;
};

}  // namespace platter::accelerator
