// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>

#include "platter/command/tlm/register_target.h"
#include "platter/drive/host_port.h"
#include "platter/drive/register_map.h"

namespace platter::drive {

/// The drive's registers, for the servers that use it, behind a TLM-2.0 target socket. Accesses are aligned 32-bit words at the kernel's time (see
/// command::RegisterTarget) and take no time. Reading the lower word of a 64-bit counter latches its upper word. There is one latch for all counters.
/// It holds until the lower word of any counter is read again. transport_dbg also reads, but without this side effect.
class DriveRegisters : public sc_core::sc_module {
 public:
  DriveRegisters(const sc_core::sc_module_name& name, HostPort& port, Power& power, const HazardQueue& queue,
                 Controller& controller, Spindle& spindle, const engine::EngineIf& engine, core::LocalTime* local);

  using Registers = command::RegisterTarget<DriveRegisters, sc_core::SC_ZERO_OR_MORE_BOUND>;

 private:
  friend Registers;
  Registers registers_;

 public:
  Registers::Socket& register_tgt_socket;

 private:
  // Callbacks of `registers_`.
  tlm::tlm_response_status access(command::RegisterAccess& access);
  bool look(std::uint32_t address, std::uint32_t& word) const { return read(address, word); }

  /// False if there is no such register.
  bool read(std::uint64_t address, std::uint32_t& data) const;
  tlm::tlm_response_status write(std::uint64_t address, std::uint32_t data);
  std::uint32_t cache_switches() const;
  std::uint32_t self_test() const;
  std::uint32_t self_test_state() const;
  /// The 64-bit counter whose lower half is at `address`, if there is one.
  std::optional<std::uint64_t> counter(std::uint64_t address) const;
  /// As `counter`, for the statistics of duration limits, and for the counters of errors.
  std::optional<std::uint64_t> duration(std::uint64_t address) const;
  std::optional<std::uint64_t> errors(std::uint64_t address) const;
  /// As `counter`, for the policy's budgets; 0 if the policy has none.
  std::optional<std::uint64_t> budget(std::uint64_t address) const;

  HostPort& port_;
  Power& power_;
  const HazardQueue& queue_;
  Controller& controller_;
  Spindle& spindle_;
  const engine::EngineIf& engine_;
  core::LocalTime* local_;          ///< as that of the port
  std::uint64_t held_address_ = 0;  ///< of the latched upper half; 0: none
  std::uint32_t held_ = 0;
};

}  // namespace platter::drive
