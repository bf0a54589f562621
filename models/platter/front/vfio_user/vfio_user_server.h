// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"
#include "platter/front/vfio_user/connection.h"
#include "platter/front/vfio_user/guest_memory.h"
#include "platter/front/vfio_user/interrupts.h"
#include "platter/front/vfio_user/pci_config.h"

namespace platter::vfio_user {

/// Offers an AHCI adapter to a virtual machine as a PCI device, by the vfio-user protocol: the client's accesses to region 5 go to the adapter's
/// registers, those to region 7 to the configuration space, the adapter's DMA goes to the client's memory, and its interrupt becomes MSI or INTx. There
/// is DMA only while the PCI command register's bus master bit is set.
///
/// A client at a time; others are refused. When it is gone, the adapter is reset and the next may come. A message that breaks the protocol gets an
/// error, and the connection is closed; a command that is not known, or cannot be done, gets an error.
class VfioUserServer : public sc_core::sc_module, public serving::FlushIf, private MessageHandlerIf {
 public:
  SC_HAS_PROCESS(VfioUserServer);
  VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller);

  tlm_utils::simple_initiator_socket<VfioUserServer> register_init_socket;  ///< to the adapter
  tlm_utils::simple_target_socket<VfioUserServer> memory_tgt_socket;        ///< of its DMA: b_transport without time
  sc_core::sc_in<bool> interrupt;

  /// Takes clients at a Unix socket; see serving::Listener, which throws.
  void listen(const std::string& path);
  /// Takes a client that is connected already.
  void connect(serving::FileDescriptor client);
  /// Closes the connection if it is over, and sends what is left.
  void flush() override;

  /// While the server waits for a client's memory, it also looks at this file: if it can be read, the connection ends.
  void stop_on(int fd) { connection_.stop_on(fd); }

  bool connected() const { return connection_.is_open(); }
  std::uint64_t clients() const { return clients_; }
  std::size_t regions_mapped() const { return memory_.regions(); }

 private:
  Reply execute(Message& message) override;
  Reply version(const Bytes& body);
  Reply map_memory(Message& message);
  Reply unmap_memory(const Bytes& body);
  Reply set_interrupts(Message& message);
  Reply access_region(bool write, const Bytes& body);
  Reply access_config(bool write, std::uint64_t offset, std::uint32_t count, const Bytes& body);
  Reply access_registers(bool write, std::uint64_t offset, std::uint32_t count, const Bytes& body);
  bool transport(tlm::tlm_command command, std::uint64_t offset, std::uint8_t* data, std::uint32_t bytes);
  void reset();

  void memory_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void raise() { interrupts_.raise(); }
  void raise_again();

  serving::Poller& poller_;
  std::unique_ptr<serving::Listener> listener_;
  Connection connection_;
  GuestMemory memory_;
  PciConfig config_;
  Interrupts interrupts_;
  std::uint64_t clients_ = 0;
  bool greeted_ = false;  ///< VERSION has come
  sc_core::sc_event acknowledged_;
  bool looked_ = false;  ///< by `raise_again`, once
};

}  // namespace platter::vfio_user
