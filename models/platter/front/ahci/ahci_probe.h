// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/core/probes.h"
#include "platter/core/types.h"

namespace platter::ahci {

/// A port's registers, and the slots whose commands are in the drive.
struct PortReport {
  core::Picoseconds time = 0;
  std::uint32_t port = 0;
  std::uint32_t cmd = 0;
  std::uint32_t ci = 0;
  std::uint32_t sact = 0;
  std::uint32_t is = 0;
  std::uint32_t tfd = 0;
  std::uint32_t in_drive = 0;
};

/// The host has read or written a word of registers.
struct RegisterReport {
  core::Picoseconds time = 0;
  std::uint32_t offset = 0;
  std::uint32_t data = 0;
  bool write = false;
};

/// Observes an adapter without affecting it.
class AhciProbeIf {
 public:
  virtual ~AhciProbeIf() = default;
  /// A value of a port may have changed.
  virtual void changed(const PortReport& /*report*/) {}
  virtual void accessed(const RegisterReport& /*report*/) {}
};

using AhciProbes = core::Probes<AhciProbeIf>;

}  // namespace platter::ahci
