// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/sc_time.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

/// Stands between a drive and an initiator that has no observers of its own. It passes every call on, and tells its observers of every command.
/// Every payload must have a command::CommandExtension. The initiator tells the tap of each command at its issue, also of one that it keeps back.
class RequestTap : public sc_core::sc_module, public command::IssueSinkIf {
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
  /// Calls `visit` with every request that has not ended. The observers are told of nothing more.
  template <typename Visitor>
  void close(Visitor visit) {
    for (const auto& [number, request] : open_) visit(request);
    observers_.clear();
  }
  void issued(command::Command& command) override {
    command.number = static_cast<std::int64_t>(numbers_++);
    workload::Request& request = enter(command.number);
    static_cast<command::Command&>(request) = command;
    if (request.issued < 0) request.issued = core::now_ps();
    for (workload::RequestObserverIf* observer : observers_) observer->issued(request);
  }
  void withdrawn(const command::Command& command) override {
    end(command.number, {command::CommandStatus::Aborted, command::CommandTiming::waited(command.issued, 0, core::now_ps())});
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const auto& extension = *payload.get_extension<command::CommandExtension>();
    const tlm::tlm_sync_enum answer = disk_init_socket->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP))
      end(extension.number, extension);
    return answer;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
      const auto& extension = *payload.get_extension<command::CommandExtension>();
      end(extension.number, extension);
    }
    return host_tgt_socket->nb_transport_bw(payload, phase, delay);
  }
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) { return disk_init_socket->transport_dbg(payload); }

  workload::Request& enter(std::int64_t number) {
    if (spare_.empty()) return open_[number];
    spare_.back().key() = number;
    workload::Request& request = open_.insert(std::move(spare_.back())).position->second;
    spare_.pop_back();
    return request;
  }
  void end(std::int64_t number, const command::Result& result) {
    const auto found = open_.find(number);
    if (found == open_.end()) return;
    for (workload::RequestObserverIf* observer : observers_)
      observer->finished({found->second, static_cast<std::uint64_t>(number), result.status, result.timing});
    spare_.push_back(open_.extract(found));
  }

  std::uint64_t& numbers_;
  std::vector<workload::RequestObserverIf*> observers_;
  using OpenRequests = std::unordered_map<std::int64_t, workload::Request>;  // by number
  OpenRequests open_;
  std::vector<OpenRequests::node_type> spare_;  ///< nodes of requests that have ended
};

}  // namespace platter::observe
