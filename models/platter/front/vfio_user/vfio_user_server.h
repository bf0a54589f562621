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

/// Offers an AHCI adapter to a virtual machine as a PCI device, by the vfio-user protocol. The client's accesses to region 5 go to the adapter's
/// registers, and those to region 7 to the configuration space. The adapter's interrupt becomes MSI or INTx by eventfd. The adapter's DMA goes to the
/// client's memory, while the bus master bit of the PCI command register is set.
///
/// There is one client at a time; others are refused. When it has gone, the adapter is reset and the next client may come. A message that breaks the
/// protocol gets an error, and the connection is closed. A command that is unknown, or cannot be done, gets an error.
class VfioUserServer : public sc_core::sc_module, public serving::FlushIf, private MessageHandlerIf {
 public:
  SC_HAS_PROCESS(VfioUserServer);
  VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller);

  tlm_utils::simple_initiator_socket<VfioUserServer> register_init_socket;  ///< to the adapter
  tlm_utils::simple_target_socket<VfioUserServer> memory_tgt_socket;        ///< of its DMA: b_transport without time
  sc_core::sc_in<bool> interrupt;

  /// Accepts clients at a Unix socket; see serving::Listener, which may throw.
  void listen(const std::string& path);
  /// Serves a client that is already connected.
  void connect(serving::FileDescriptor client);
  /// Closes the connection if it has failed, otherwise sends pending output.
  void flush() override;

  /// Sets a file that the server watches while it waits for a client's memory: when the file is readable, the connection ends.
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
  bool looked_ = false;  ///< `raise_again` has run once for this event
};

}  // namespace platter::vfio_user
