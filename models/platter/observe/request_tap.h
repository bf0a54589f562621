// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platter/core/sc_time.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

/// Stands between a drive and an initiator that has no observers of its own. It passes every call on, and tells its observers of every command.
/// Every payload must have a command::CommandExtension.
class RequestTap : public sc_core::sc_module {
 public:
  /// `numbers`: of the requests, in the order of issue; may be shared by several taps.
  RequestTap(const sc_core::sc_module_name& name, std::uint64_t& numbers)
      : sc_module(name), host_tgt_socket("host_tgt_socket"), disk_init_socket("disk_init_socket"), numbers_(numbers) {
    host_tgt_socket.register_nb_transport_fw(this, &RequestTap::nb_transport_fw);
    host_tgt_socket.register_transport_dbg(this, &RequestTap::transport_dbg);
    disk_init_socket.register_nb_transport_bw(this, &RequestTap::nb_transport_bw);
  }

  tlm_utils::simple_target_socket<RequestTap> host_tgt_socket;
  tlm_utils::simple_initiator_socket<RequestTap> disk_init_socket;

  void add_observer(workload::RequestObserverIf& observer) { observers_.push_back(&observer); }
  /// Called with every request that has not ended.
  template <typename Visitor>
  void for_each_outstanding(Visitor visit) const {
    for (const auto& [payload, open] : open_) visit(open.request);
  }

 private:
  struct Open {
    workload::Request request;
    std::uint64_t number = 0;
  };

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      Open& open = enter(payload);
      static_cast<command::Command&>(open.request) = command::command_of(payload);
      if (open.request.issued < 0) open.request.issued = core::now_ps();
      open.number = numbers_++;
      if (auto* extension = payload.get_extension<command::CommandExtension>())
        extension->number = static_cast<std::int64_t>(open.number);
      for (workload::RequestObserverIf* observer : observers_) observer->issued(open.request);
    }
    const tlm::tlm_sync_enum answer = disk_init_socket->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) end(payload);
    return answer;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) end(payload);
    return host_tgt_socket->nb_transport_bw(payload, phase, delay);
  }
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) { return disk_init_socket->transport_dbg(payload); }

  Open& enter(const tlm::tlm_generic_payload& payload) {
    if (spare_.empty()) return open_[&payload];
    spare_.back().key() = &payload;
    Open& open = open_.insert(std::move(spare_.back())).position->second;
    spare_.pop_back();
    return open;
  }
  void end(const tlm::tlm_generic_payload& payload) {
    const auto found = open_.find(&payload);
    if (found == open_.end()) return;
    const auto* result = payload.get_extension<command::CommandExtension>();
    for (workload::RequestObserverIf* observer : observers_)
      observer->finished({found->second.request, found->second.number, result->status, result->timing});
    spare_.push_back(open_.extract(found));
  }

  std::uint64_t& numbers_;
  std::vector<workload::RequestObserverIf*> observers_;
  using OpenRequests = std::unordered_map<const tlm::tlm_generic_payload*, Open>;
  OpenRequests open_;
  std::vector<OpenRequests::node_type> spare_;  ///< nodes of requests that have ended
};

}  // namespace platter::observe
