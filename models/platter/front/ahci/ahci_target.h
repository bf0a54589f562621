// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/register_target.h"
#include "platter/front/ahci/ahci_port.h"

namespace platter::ahci {

/// An AHCI 1.3.1 host bus adapter with a disk at each of its ports.
///
/// Sockets: `register_tgt_socket` has 4 KiB of registers (little-endian, aligned accesses of 1, 2, 4 or 8 bytes at the kernel's time, which take no
/// time themselves; see command::RegisterTarget). `dma_init_socket` leads to the host's memory (b_transport, little-endian, any address and length).
/// `interrupt` is active high. Each port has `disk_init_socket` and `register_init_socket` for its drive.
///
/// Each port needs its own drive. The capabilities state the limits: no port multiplier, no hot plug, no enclosure management, no command completion
/// coalescing, and no link power management by the adapter itself.
class AhciTarget : public sc_core::sc_module, private DmaIf {
 public:
  SC_HAS_PROCESS(AhciTarget);
  /// One port for each device, 1 to 4; throws std::invalid_argument for another number.
  AhciTarget(const sc_core::sc_module_name& name, const std::vector<AtaIdentity>& devices,
             const AtaDevice::Options& options = {});

  using Registers = command::RegisterTarget<AhciTarget>;  ///< checks and times the accesses to the registers

 private:
  friend Registers;
  Registers registers_;

 public:
  Registers::Socket& register_tgt_socket;                          ///< 4 KiB of registers
  tlm_utils::simple_initiator_socket<AhciTarget> dma_init_socket;  ///< to the host's memory
  sc_core::sc_out<bool> interrupt;                                 ///< active high

  /// A port, for its two sockets: bind `disk_init_socket` to `host_tgt_socket` and `register_init_socket` to `register_tgt_socket` of one drive,
  /// which has no other initiator. Throws std::out_of_range if there is no such port.
  AhciPort& port(std::size_t number) { return *ports_.at(number); }
  std::size_t ports() const { return ports_.size(); }  ///< how many

  /// @cond of the implementation: its interface is in ahci_probe.h
  /// The probe must live until it is removed, or as long as the simulation runs.
  void add_probe(AhciProbeIf& probe) { probes_.add(probe); }
  void remove_probe(AhciProbeIf& probe) { probes_.remove(probe); }  ///< ends the registration
  /// @endcond

  /// Reads an aligned word of registers; 0 where there is no register.
  std::uint32_t read(std::uint32_t offset) const;
  /// Writes an aligned word of registers. `mask`: the bits that are written.
  void write(std::uint32_t offset, std::uint32_t data, std::uint32_t mask = ~0u);

 private:
  // Callbacks of `registers_`.
  tlm::tlm_response_status access(command::RegisterAccess& access);
  bool look(std::uint32_t address, std::uint32_t& word) const {
    word = read(address);
    return true;
  }

  void drive_interrupt();
  std::uint32_t pending() const;
  bool transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::uint32_t bytes);
  bool read(std::uint64_t address, void* to, std::uint32_t bytes) override {
    return transfer(tlm::TLM_READ_COMMAND, address, to, bytes);
  }
  bool write(std::uint64_t address, const void* from, std::uint32_t bytes) override {
    return transfer(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(from), bytes);
  }

  AhciProbes probes_;
  std::vector<std::unique_ptr<AhciPort>> ports_;
  bool enabled_ = false;  ///< GHC.IE
  std::uint32_t is_ = 0;  ///< register IS: ports that had an interrupt since their bit was cleared
  sc_core::sc_event interrupt_changed_;
};

}  // namespace platter::ahci
