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

/// Offers an AHCI adapter to a virtual machine as a PCI device, by the vfio-user protocol 0.0 (QEMU, docs/interop/vfio-user.rst): the client's
/// accesses to region 5 go to the adapter's registers, the adapter's DMA goes to the client's memory, and its interrupt becomes MSI or INTx by
/// eventfd. Memory that comes with the descriptor of a file that cannot shrink (a sealed memfd, as QEMU's; a file on hugetlbfs is taken for one) is mapped
/// here; that of another file is read and written; memory without one is reached by messages, while which the kernel stands, for 5 s at
/// most. There is DMA only while the PCI command register's bus master bit is set.
///
/// A client at a time; others are refused. When it is gone, the adapter is reset and the next may come. A message that breaks the protocol gets an
/// error, and the connection is closed; a command that is not known, or cannot be done, gets an error.
class VfioUserServer : public sc_core::sc_module, public serving::FlushIf, private serving::PollHandlerIf {
 public:
  SC_HAS_PROCESS(VfioUserServer);
  VfioUserServer(const sc_core::sc_module_name& name, serving::Poller& poller);
  ~VfioUserServer() override;

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
  /// A part of the client's memory. With neither bytes nor a file: reached by messages.
  struct Mapping {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint8_t* at = nullptr;
    std::shared_ptr<serving::FileDescriptor> file = nullptr;
    std::uint64_t offset = 0;  ///< in the file
  };
  /// What a message leads to: an error number, or 0 and the body of the reply.
  struct Reply {
    int error = 0;
    std::vector<std::uint8_t> body;
    bool fatal = false;  ///< the connection ends
  };
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;  ///< of a message
  static constexpr std::size_t kMostFiles = 16;                     ///< of a message
  static constexpr std::size_t kMostMappings = 4096;
  static constexpr std::size_t kConfigBytes = 256;
  static constexpr std::size_t kMostTransfer = std::size_t{32} << 10;  ///< bytes of a message of DMA, also the client's most
  /// For the client's answers to messages of DMA, together, between two turns of the loop.
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
  std::uint32_t events_ = 0;  ///< polled for
  std::uint64_t clients_ = 0;
  bool failed_ = false;   ///< the connection is to be closed
  bool greeted_ = false;  ///< VERSION has come
  std::size_t most_transfer_ = kMostTransfer;
  std::vector<std::uint8_t> input_;
  std::size_t received_ = 0;  ///< bytes of the message that is coming
  std::vector<serving::FileDescriptor> files_;
  std::vector<std::uint8_t> output_;
  /// A message of ours that waits for its reply.
  struct {
    std::uint16_t id = 0;
    bool open = false;
    std::uint32_t error = 0;
    std::vector<std::uint8_t> body;
  } question_;
  std::chrono::steady_clock::duration waited_{0};  ///< for the client's answers, since the last `flush`
  int stop_fd_ = -1;
  std::vector<Mapping> memory_;  ///< by address, without overlap
  std::array<std::uint8_t, kConfigBytes> config_{};
  serving::FileDescriptor msi_;
  serving::FileDescriptor intx_;
  bool intx_masked_ = false;
  sc_core::sc_event acknowledged_;
  bool looked_ = false;  ///< by `raise_again`, once
};

}  // namespace platter::vfio_user
