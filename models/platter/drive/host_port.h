// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "platter/core/ring_buffer.h"
#include "platter/drive/command_queue.h"
#include "platter/drive/controller.h"
#include "platter/drive/media.h"
#include "platter/drive/read_write_channel.h"

namespace platter::drive {

/// The drive's host interface: a TLM-2.0 target.
///
/// nb_transport: the four phases of the base protocol. END_REQ comes when the queue takes the command, so a full
/// queue holds the request phase (or answers QueueFull, by configuration); BEGIN_RESP comes with the last block.
/// b_transport waits through the same queue and the same mechanics. transport_dbg reaches the media without time.
/// What cannot be executed is answered by a TLM error response, and counted.
class HostPort : public sc_core::sc_module, public CompletionSinkIf {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, CommandQueue& queue,
           Controller& controller, ReadWriteChannel& channel, Media* media, const mechanics::DriveProfile& profile,
           std::uint64_t capacity_bytes);

  tlm_utils::simple_target_socket<HostPort> host_tgt_socket;

  void set_observer(DriveObserverIf* observer) { observer_ = observer; }
  void complete_at(Slot& slot, Picoseconds when) override;

  std::uint64_t completed() const { return completed_; }
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Completion {
    Picoseconds when;
    Tag tag;
  };
  struct Response {
    tlm::tlm_generic_payload* payload;
    int tag;  ///< -1: a command that was refused
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
  void delayed_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);

  core::CommandStatus check(const tlm::tlm_generic_payload& payload, const core::CommandExtension* extension) const;
  /// True when the request phase has ended: taken, or refused. `asked` is when the host began it.
  bool begin_request(tlm::tlm_generic_payload& payload, Picoseconds asked);
  void end_response(tlm::tlm_generic_payload& payload);
  Slot& accept(tlm::tlm_generic_payload& payload, const core::CommandExtension* extension, Picoseconds asked);
  void refuse(tlm::tlm_generic_payload& payload, core::CommandExtension* extension, core::CommandStatus status,
              Picoseconds asked);
  void complete();
  void finalize(Slot& slot);
  void finalize_refused(tlm::tlm_generic_payload& payload);
  void free_slot(Slot& slot);
  void send_responses();
  void serve_waiting();

  const mechanics::AccessPlanner& planner_;
  CommandQueue& queue_;
  Controller& controller_;
  ReadWriteChannel& channel_;
  Media* media_;
  std::uint64_t capacity_bytes_;
  bool reject_when_full_;
  bool task_attributes_;
  DriveObserverIf* observer_ = nullptr;

  std::vector<Completion> completions_;  ///< by time, the latest first
  sc_core::sc_event completion_event_;
  core::RingBuffer<Response> responses_;
  bool response_busy_ = false;
  tlm::tlm_generic_payload* waiting_request_ = nullptr;
  Picoseconds waiting_since_ = 0;
  sc_core::sc_event slot_freed_;
  std::vector<sc_core::sc_event> finished_;  ///< by tag, for b_transport
  tlm_utils::peq_with_cb_and_phase<HostPort> delayed_;
  std::uint64_t completed_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace platter::drive
