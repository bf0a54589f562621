// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/ring_buffer.h"
#include "platter/front/nbd/memory.h"

namespace platter::nbd {

class BlockRequest;

/// Hears the answer to its request.
class BlockClientIf {
 public:
  virtual ~BlockClientIf() = default;
  /// The request's status and, of a read, its data are valid during the call.
  virtual void answered(BlockRequest& request) = 0;
};

/// A request to a drive with its data. The extension of the payload is the request itself.
class BlockRequest : public command::CommandExtension {
 public:
  std::uint64_t cookie = 0;        ///< the client's
  std::vector<std::uint8_t> data;  ///< `command.length` bytes when it is issued; the client may take it from an answered read
  command::Command command;

 private:
  friend class BlockInitiator;
  explicit BlockRequest(tlm::tlm_mm_interface* manager) : payload_(manager) {}

  tlm::tlm_generic_payload payload_;
  BlockClientIf* client_ = nullptr;
  Memory* left_to_ = nullptr;  ///< accounts for the data, whose client is gone
  std::size_t index_ = 0;      ///< in the initiator's list
};

/// An initiator for clients outside of the model: any number of requests, which a drive takes as its queue has room.
class BlockInitiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  SC_HAS_PROCESS(BlockInitiator);
  explicit BlockInitiator(const sc_core::sc_module_name& name);
  ~BlockInitiator() override;

  tlm_utils::simple_initiator_socket<BlockInitiator> disk_init_socket;

  /// A request that is not in use, without data. It becomes free when it has been answered.
  BlockRequest& acquire(BlockClientIf& client);
  /// Gives a request back that has not been issued.
  void release(BlockRequest& request) { recycle(request); }
  /// Sends `request.command`, issued now. To be called while the kernel stands; the command reaches the drive at the present time.
  void issue(BlockRequest& request);
  /// The client no longer hears its answers. Reads that the drive has not got are dropped; all else is carried out, and `memory`
  /// accounts for its data.
  void forget(const BlockClientIf& client, Memory& memory);
  /// Bytes of data in all requests.
  std::uint64_t data_bytes() const;

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10;  ///< of a request's data, between requests
  static constexpr std::size_t kKeptRequests = 64;                  ///< while they are not in use

  static BlockRequest& request_of(tlm::tlm_generic_payload& payload) {
    return static_cast<BlockRequest&>(*payload.get_extension<command::CommandExtension>());
  }
  void free(tlm::tlm_generic_payload* payload) override;
  void recycle(BlockRequest& request);
  void send();
  void finish(tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::vector<std::unique_ptr<BlockRequest>> requests_;
  std::vector<BlockRequest*> idle_;
  core::RingBuffer<BlockRequest*> backlog_;
  command::InitiatorPort way_;
  bool sending_ = false;
  sc_core::sc_event issued_;
};

}  // namespace platter::nbd
