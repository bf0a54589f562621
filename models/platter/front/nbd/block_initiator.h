// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/ring_buffer.h"
#include "platter/front/serving/memory.h"

namespace platter::nbd {

using serving::Memory;

class BlockRequest;

/// Receives the answer to its request.
class BlockClientIf {
 public:
  virtual ~BlockClientIf() = default;
  /// During the call the status of the request is valid, and the data of a read.
  virtual void answered(BlockRequest& request) = 0;
};

/// A request to a drive with its data. The request is the extension of its own payload.
class BlockRequest : public command::CommandExtension {
 public:
  std::uint64_t cookie = 0;  ///< for the client's use
  std::vector<std::uint8_t>
      data;  ///< `command.length` bytes at issue, or none: times only; the client may move it out of an answered read
  command::Command command;

 private:
  friend class BlockInitiator;
  explicit BlockRequest(tlm::tlm_mm_interface* manager) : payload_(manager) {}

  tlm::tlm_generic_payload payload_;
  BlockClientIf* client_ = nullptr;
  Memory* left_to_ = nullptr;  ///< accounts for the data after the client has gone
  std::size_t index_ = 0;      ///< in the initiator's list
};

/// An initiator for clients outside of the model. It accepts any number of requests, and sends them when the drive's queue has room.
class BlockInitiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(BlockInitiator);
  explicit BlockInitiator(const sc_core::sc_module_name& name);
  ~BlockInitiator() override;

  command::TappedSocket<BlockInitiator> disk_init_socket;

  /// Returns an unused request without data. It becomes unused again when it has been answered.
  BlockRequest& acquire(BlockClientIf& client);
  /// Gives back a request that has not been issued.
  void release(BlockRequest& request) { recycle(request); }
  /// Issues `request.command` now. Call this while the kernel does not run, or from BlockClientIf::answered(); the command reaches the drive at the
  /// present simulated time.
  void issue(BlockRequest& request);
  /// Takes back a request that has been issued and that the drive has not received, and gives it back. Returns false for any other.
  bool withdraw(BlockRequest& request);
  /// The client gets no more answers. Drops its reads that the drive has not received. All other requests are carried out, and `memory`
  /// accounts for their data.
  void forget(const BlockClientIf& client, Memory& memory);
  /// Bytes of data in all requests.
  std::uint64_t data_bytes() const;

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10;  ///< memory that an unused request keeps
  static constexpr std::size_t kKeptRequests = 64;                  ///< unused requests that are kept

  static BlockRequest& request_of(tlm::tlm_generic_payload& payload) {
    return static_cast<BlockRequest&>(*payload.get_extension<command::CommandExtension>());
  }
  void free(tlm::tlm_generic_payload* payload) override;
  void recycle(BlockRequest& request);
  /// It has left the backlog, and is not sent.
  void drop(BlockRequest& request);
  void send();
  void finish(tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::vector<std::unique_ptr<BlockRequest>> requests_;
  std::vector<BlockRequest*> idle_;
  core::RingBuffer<BlockRequest*> backlog_;
  command::InitiatorPort way_;
  bool sending_ = false;
  bool finishing_ = false;
  bool lost_write_ = false;  ///< the answer of a flush without a client has told of one: the next flush tells its client
  sc_core::sc_event issued_;
};

}  // namespace platter::nbd
