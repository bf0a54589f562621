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

}  // namespace platter::accelerator
