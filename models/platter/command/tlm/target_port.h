// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/payload_set.h"
#include "platter/command/tlm/phases.h"
#include "platter/core/ring_buffer.h"

namespace platter::command {

/// Waits for a delay, which is 0 then.
inline void wait_for(sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
}

/// The target side of the TLM-2.0 base protocol (IEEE 1666-2011, 15.2) for commands, with a request and a response phase for each host.
///
/// A host has one request phase at a time, which the owner may hold, and one response phase; what ends meanwhile waits in order. Payloads
/// with a memory manager are held from BEGIN_REQ to the end of the response phase. Annotated delays of phases are waited for. b_transport has no phases.
///
/// What a host does against the rules is reported as an error of type `report` and has no effect: a payload sent again before its end, a BEGIN_REQ
/// while the request phase before it runs, the END_RESP of a payload whose response phase does not run, a phase that is not the initiator's. A
/// phase of another protocol is ignored. A response that is never taken holds back that host's later responses only.
///
/// The owner does the work, by members that this class is a friend of:
///
///     bool begin(int host, Payload&)     a command has come; true: its request phase ends with this call, false: by end_request()
///     void answer(Payload&, Work*)       its response phase begins at once: the payload's status must be set
///     void answered()                    the host has been told
///     void responses_wait()              a response phase has ended and others wait: send_responses() from a process of the owner's
///     void call(Payload&, sc_time&)      b_transport, in the caller's thread: returns when the command has ended, or with the delay to its end
///     unsigned look(Payload&)            transport_dbg
///
/// `Work` is the owner's handle of a command.
template <typename Owner, typename Work, sc_core::sc_port_policy Policy = sc_core::SC_ONE_OR_MORE_BOUND>
class TargetPort {
 public:
  using Payload = tlm::tlm_generic_payload;
  using Socket = tlm_utils::multi_passthrough_target_socket<TargetPort, 32, tlm::tlm_base_protocol_types, 0, Policy>;

  /// To be made in the constructor of the owner, a module, whose socket gets the name.
  TargetPort(const char* name, Owner& owner, const char* report)
      : socket(name), owner_(owner), report_(report), delayed_(this, &TargetPort::delayed_phase) {
    socket.register_nb_transport_fw(this, &TargetPort::nb_transport_fw);
    socket.register_b_transport(this, &TargetPort::b_transport);
    socket.register_transport_dbg(this, &TargetPort::transport_dbg);
  }

  Socket socket;

  /// The request phase that was held ends.
  void end_request(int host) {
    Payload& payload = *at(host).requesting;
    at(host).requesting = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket[host]->nb_transport_bw(payload, phase, delay);
  }

  /// The response waits for send_responses().
  void respond(int host, Payload& payload, Work* work) { at(host).responses.push_back({&payload, work}); }

  void send_responses() {
    for (std::size_t id = 0; id < hosts_.size(); ++id) {
      while (!hosts_[id].responses.empty() && hosts_[id].responding == nullptr) {
        const Response response = hosts_[id].responses.front();
        hosts_[id].responses.pop_front();
        owner_.answer(*response.payload, response.work);
        begin_response(static_cast<int>(id), *response.payload);
        owner_.answered();
      }
    }
  }

 private:
  struct Response {
    Payload* payload;
    Work* work;
  };
  struct Host {
    Payload* requesting = nullptr;  ///< its request phase is held, or begins later by annotation
    Payload* responding = nullptr;
    bool ending = false;  ///< the response phase ends later, by annotation
    core::RingBuffer<Response> responses;
  };

  Host& at(int id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= hosts_.size()) hosts_.resize(static_cast<std::size_t>(socket.size()));
    return hosts_[index];
  }

  tlm::tlm_sync_enum nb_transport_fw(int id, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    Host& host = at(id);
    if (phase == tlm::BEGIN_REQ) return begin_request(id, host, payload, phase, delay);
    if (phase == tlm::END_RESP) {
      if (host.responding != &payload || host.ending)
        return reject(host.responding == nullptr ? "END_RESP although no response phase runs"
                                                 : "END_RESP of a payload whose response phase does not run");
      return end_response_after(delay, host) ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
    }
    if (!ignorable(phase)) return reject("nb_transport_fw takes BEGIN_REQ and END_RESP only");
    return tlm::TLM_ACCEPTED;
  }

  tlm::tlm_sync_enum begin_request(int id, Host& host, Payload& payload, tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
    if (host.requesting != nullptr) return reject("BEGIN_REQ although the previous request phase has not ended");
    if (!in_flight_.insert(&payload)) return reject("BEGIN_REQ of a payload that is in flight already");
    if (payload.has_mm()) payload.acquire();
    host.requesting = &payload;
    if (delay != sc_core::SC_ZERO_TIME) {
      delayed_.notify(payload, phase, delay);
      return tlm::TLM_ACCEPTED;
    }
    if (!owner_.begin(id, payload)) return tlm::TLM_ACCEPTED;
    at(id).requesting = nullptr;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void delayed_phase(Payload& payload, const tlm::tlm_phase& phase) {
    for (std::size_t id = 0; id < hosts_.size(); ++id) {
      if (phase == tlm::BEGIN_REQ && hosts_[id].requesting == &payload) {
        if (owner_.begin(static_cast<int>(id), payload)) end_request(static_cast<int>(id));
        return;
      }
      if (phase == tlm::END_RESP && hosts_[id].responding == &payload) {
        end_response(hosts_[id]);
        return;
      }
    }
  }

  void begin_response(int id, Payload& payload) {
    hosts_[static_cast<std::size_t>(id)].responding = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket[id]->nb_transport_bw(payload, phase, delay);
    const bool ends = answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP);
    Host& host = hosts_[static_cast<std::size_t>(id)];
    if (ends && host.responding == &payload && !host.ending)
      end_response_after(delay, host);  // it may have called END_RESP itself
  }

  /// True if it has ended.
  bool end_response_after(const sc_core::sc_time& delay, Host& host) {
    host.ending = delay != sc_core::SC_ZERO_TIME;
    if (host.ending)
      delayed_.notify(*host.responding, tlm::END_RESP, delay);
    else
      end_response(host);
    return !host.ending;
  }

  void end_response(Host& host) {
    Payload& payload = *host.responding;
    host.responding = nullptr;
    host.ending = false;
    in_flight_.erase(&payload);
    if (payload.has_mm()) payload.release();
    if (!host.responses.empty()) owner_.responses_wait();
  }

  void b_transport(int /*id*/, Payload& payload, sc_core::sc_time& delay) {
    if (!in_flight_.insert(&payload)) {
      reject("b_transport of a payload that is in flight already");
      return;
    }
    owner_.call(payload, delay);
    in_flight_.erase(&payload);
  }

  unsigned int transport_dbg(int /*id*/, Payload& payload) { return owner_.look(payload); }

  tlm::tlm_sync_enum reject(const char* why) const {
    SC_REPORT_ERROR(report_, why);
    return tlm::TLM_ACCEPTED;
  }

  Owner& owner_;
  const char* report_;
  std::vector<Host> hosts_;
  PayloadSet in_flight_;  ///< from BEGIN_REQ to the end of the response phase; of b_transport, within the call
  tlm_utils::peq_with_cb_and_phase<TargetPort> delayed_;
};

}  // namespace platter::command
