// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"

namespace platter::vfio_user {

/// Offers an AHCI adapter to a virtual machine as a PCI device, by the vfio-user protocol 0.0 (QEMU, docs/interop/vfio-user.rst). The client's
/// accesses to region 5 go to the adapter's registers. The adapter's interrupt becomes MSI or INTx by eventfd. The adapter's DMA goes to the client's
/// memory, while the bus master bit of the PCI command register is set:
///
/// - Memory that comes with the file descriptor of a file that cannot shrink is mapped. Such a file is a sealed memfd, as QEMU's is; a file on
///   hugetlbfs is taken for one.
/// - Memory that comes with the file descriptor of another file is accessed by reading and writing the file.
/// - Memory without a file descriptor is accessed by messages. The simulation waits during such an access, for at most 5 s.
///
/// There is one client at a time; others are refused. When it has gone, the adapter is reset and the next client may come. A message that breaks the
/// protocol gets an error, and the connection is closed. A command that is unknown, or cannot be done, gets an error.
class VfioUserServer : public sc_core::sc_module, public serving::FlushIf, private serving::PollHandlerIf {
 public:
  SC_HAS_PROCESS(VfioUserServer);
  VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller);
  ~VfioUserServer() override;

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
  void stop_on(int fd) { stop_fd_ = fd; }

  bool connected() const { return static_cast<bool>(client_); }
  std::uint64_t clients() const { return clients_; }
  std::size_t regions_mapped() const { return memory_.size(); }

 private:
  struct Header {
    std::uint16_t id;
    std::uint16_t command;
    std::uint32_t size;
    std::uint32_t flags;
    std::uint32_t error;
  };
  /// A part of the client's memory: mapped (`at`), in a file, or accessed by messages if it has neither.
  struct Mapping {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint8_t* at = nullptr;
    std::shared_ptr<serving::FileDescriptor> file = nullptr;
    std::uint64_t offset = 0;  ///< in the file
  };
  /// The reply to a message: an error number, or 0 and the body.
  struct Reply {
    int error = 0;
    std::vector<std::uint8_t> body;
    bool fatal = false;  ///< the connection ends
  };
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;  ///< bytes of a message
  static constexpr std::size_t kMostFiles = 16;                     ///< file descriptors of a message
  static constexpr std::size_t kMostMappings = 4096;
  static constexpr std::size_t kConfigBytes = 256;
  static constexpr std::size_t kMostTransfer = std::size_t{32} << 10;  ///< bytes of a DMA message; the client may ask for fewer
  /// Longest time for all answers of the client to DMA messages between two turns of the loop.
  static constexpr std::chrono::milliseconds kPatience{5000};

  void ready(std::uint32_t events) override;
  bool receive();
  bool take_files(const void* control);
  bool message();
  Reply execute(const Header& header);
  Reply version();
  bool negotiate();
  Reply map_memory();
  Reply unmap_memory();
  static Reply device_info();
  Reply region_info() const;
  Reply interrupt_info() const;
  Reply set_interrupts();
  Reply access_region(bool write);
  void send(const Header& to, const Reply& reply);
  void push(const std::vector<std::uint8_t>& bytes);
  void disconnect();
  void reset();
  void unmap_all();

  void reset_config();
  void write_config(std::uint32_t offset, const std::uint8_t* data, std::uint32_t bytes);
  bool access_registers(tlm::tlm_command command, std::uint64_t offset, std::uint8_t* data, std::uint32_t bytes);
  bool await_answer();
  bool transfer_by_message(bool write, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);
  void memory_access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void raise();
  void raise_again();

  serving::Poller& poller_;
  std::unique_ptr<serving::Listener> listener_;
  serving::FileDescriptor client_;
  std::uint32_t events_ = 0;  ///< events for which the client is polled
  std::uint64_t clients_ = 0;
  bool failed_ = false;   ///< the connection is to be closed
  bool greeted_ = false;  ///< VERSION has come
  std::size_t most_transfer_ = kMostTransfer;
  std::vector<std::uint8_t> input_;
  std::size_t received_ = 0;  ///< bytes of the incoming message so far
  std::vector<serving::FileDescriptor> files_;
  std::vector<std::uint8_t> output_;
  /// A message to the client that waits for its reply.
  struct {
    std::uint16_t id = 0;
    bool open = false;
    std::uint32_t error = 0;
    std::vector<std::uint8_t> body;
  } question_;
  std::chrono::steady_clock::duration waited_{0};  ///< waited for the client's answers since the last `flush`
  int stop_fd_ = -1;
  std::vector<Mapping> memory_;  ///< by address, without overlap
  std::array<std::uint8_t, kConfigBytes> config_{};
  serving::FileDescriptor msi_;
  serving::FileDescriptor intx_;
  bool intx_masked_ = false;
  sc_core::sc_event acknowledged_;
  bool looked_ = false;  ///< `raise_again` has run once for this event
};

}  // namespace platter::vfio_user
