// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include "platter/command/tlm/target_port.h"
#include "platter/core/pool.h"
#include "platter/host/array/request.h"

namespace platter::host::array {

/// The interface of the array behind a host's socket.
class SocketOwnerIf {
 public:
  virtual ~SocketOwnerIf() = default;
  virtual void submit(ArrayRequest& request) = 0;
  /// Ends the request with this status, without carrying it out.
  virtual void refuse(ArrayRequest& request, command::CommandStatus status) = 0;
  /// Accesses the media in zero time. Returns the number of bytes read or written.
  virtual unsigned int look(tlm::tlm_generic_payload& payload) = 0;
};

/// The array's TLM-2.0 target for any number of hosts (nb_transport, b_transport, transport_dbg). END_REQ is never delayed. Host
/// tags and task attributes are not supported (COMMAND_ERROR).
class HostSocket : private ArrayClientIf {
 public:
  /// Call this within the constructor of the module that has this socket. `response`: notified when `respond` must be called.
  HostSocket(const char* name, SocketOwnerIf& owner, sc_core::sc_event& response)
      : owner_(owner), response_(response), port_(name, *this, "/platter/array/phase") {}

 private:
  struct SocketRequest;
  using Port = command::TargetPort<HostSocket, SocketRequest, sc_core::SC_ZERO_OR_MORE_BOUND>;
  friend Port;

 public:
  using Socket = Port::Socket;
  Socket& socket() { return port_.socket; }
  void respond() { port_.send_responses(); }

 private:
  struct SocketRequest : ArrayRequest {
    tlm::tlm_generic_payload* payload = nullptr;
    int host = 0;
    bool blocking_call = false;
    bool over = false;
    sc_core::sc_event done;
  };

  // Callbacks of `port_`.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, SocketRequest* request);
  void answered() {}
  void responses_wait() { response_.notify(sc_core::SC_ZERO_TIME); }
  void call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int look(tlm::tlm_generic_payload& payload) { return owner_.look(payload); }

  static command::CommandStatus objection(const tlm::tlm_generic_payload& payload);
  SocketRequest& accept(tlm::tlm_generic_payload& payload);
  void submit(SocketRequest& request);
  void finished(ArrayRequest& request) override;
  static void close(SocketRequest& request);

  SocketOwnerIf& owner_;
  sc_core::sc_event& response_;
  Port port_;
  core::Pool<SocketRequest> requests_;
};

}  // namespace platter::host::array
