// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "platter/command/command.h"
#include "platter/command/tlm/phases.h"

namespace platter::command {

/// Told of the commands of an initiator when it gets them, also of those that it cannot send yet.
class IssueSinkIf {
 public:
  virtual ~IssueSinkIf() = default;
  /// Sets the number of the command, with which it is sent later.
  virtual void issued(Command& command) = 0;
  /// A command that was not sent will never be.
  virtual void withdrawn(const Command& command) = 0;
};

/// An initiator's socket. A tap before the drive, if it is bound to one, is told of every command at its issue.
template <typename Owner>
class TappedSocket : public tlm_utils::simple_initiator_socket<Owner> {
 public:
  using tlm_utils::simple_initiator_socket<Owner>::simple_initiator_socket;
  /// `tap`: has a `host_tgt_socket`, and is an IssueSinkIf.
  template <typename Tap>
  void bind_tap(Tap& tap) {
    this->bind(tap.host_tgt_socket);
    sink_ = &tap;
  }
  void issued(Command& command) {
    if (sink_ != nullptr) sink_->issued(command);
  }
  void withdrawn(const Command& command) {
    if (sink_ != nullptr) sink_->withdrawn(command);
  }

 private:
  IssueSinkIf* sink_ = nullptr;
};

/// The initiator side of the TLM-2.0 base protocol (IEEE 1666-2011, 15.2), for one way to a target: one request phase at a time; a response phase
/// ends at once.
///
/// Payloads need a memory manager. Each is acquired when it is sent; its owner releases it when its answer has been heard.
class InitiatorPort {
 public:
  using Payload = tlm::tlm_generic_payload;

  /// What a call has told of a payload.
  enum class Heard {
    Nothing,
    Taken,     ///< its request phase has ended: the next one may be sent
    Answered,  ///< its response: the transaction is over, and so is its request phase
  };

  /// Whether a request phase runs.
  bool busy() const { return requesting_ != nullptr; }

  /// BEGIN_REQ. Precondition: not busy.
  template <typename Socket>
  Heard send(Socket& socket, Payload& payload) {
    requesting_ = &payload;
    payload.acquire();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_ACCEPTED) return Heard::Nothing;
    if (requesting_ == &payload) requesting_ = nullptr;
    if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) return Heard::Taken;
    if (answer == tlm::TLM_UPDATED) {  // BEGIN_RESP
      phase = tlm::END_RESP;
      socket->nb_transport_fw(payload, phase, delay);
    }
    return Heard::Answered;
  }

  /// What a call of nb_transport_bw means. After `Answered` it must return TLM_COMPLETED, otherwise TLM_ACCEPTED.
  Heard receive(Payload& payload, tlm::tlm_phase& phase) {
    if (ignorable(phase)) return Heard::Nothing;
    if (requesting_ == &payload) requesting_ = nullptr;
    if (phase == tlm::END_REQ) return Heard::Taken;
    phase = tlm::END_RESP;
    return Heard::Answered;
  }

 private:
  Payload* requesting_ = nullptr;
};

}  // namespace platter::command
