// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/target_port.h"
#include "platter/drive/command_queue.h"
#include "platter/drive/controller.h"
#include "platter/drive/media.h"
#include "platter/drive/read_write_channel.h"
#include "platter/drive/token_bucket.h"

namespace platter::drive {

/// What a drive's port has done for one class of commands.
struct PortCounters {
  std::uint64_t reads = 0;  ///< completed
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t late = 0;    ///< completed after their deadline
  std::uint64_t failed = 0;  ///< answered by an error, those that were refused included
};

/// The drive's host interface: a TLM-2.0 target for any number of hosts, each with its own request and response phases.
///
/// nb_transport: the four phases of the base protocol. END_REQ comes when the queue takes the command, so a full
/// queue holds the request phase (or answers QueueFull, by configuration); BEGIN_RESP comes with the last block.
/// b_transport waits through the same queue and the same mechanics. transport_dbg reaches the media without time.
/// What cannot be executed is answered by a TLM error response, and counted.
///
/// While the token bucket is on, a discrete or background command waits for its tokens before it may take a tag, and its request
/// phase is held meanwhile, as by a full queue. So a host whose continuous commands must not wait behind it binds twice.
///
/// A dead drive answers every command by DriveDead, those that it has and those that come.
class HostPort : public sc_core::sc_module, public CompletionSinkIf {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, CommandQueue& queue,
           Controller& controller, ReadWriteChannel& channel, Media* media, const mechanics::DriveProfile& profile,
           std::uint64_t capacity_bytes);

  using Port = command::TargetPort<HostPort, Slot>;

 private:
  friend Port;
  Port port_;

 public:
  Port::Socket& host_tgt_socket;

  void set_observer(DriveObserverIf* observer) { observer_ = observer; }
  void complete_at(Slot& slot, Picoseconds when) override;

  /// The drive dies, or comes back as when it was switched on, with its media as they were. Not from within a callback of the
  /// drive's observer.
  void set_alive(bool alive);
  bool alive() const { return alive_; }
  /// How often it has died.
  std::uint32_t deaths() const { return life_; }

  const TokenBucket& token_bucket() const { return bucket_; }
  /// Bytes a second (0: off) and depth in bytes; holds at once, also for what waits.
  void set_token_bucket(std::uint32_t rate, std::uint32_t depth);

  const PortCounters& counters(core::RequestClass cls) const { return counters_[static_cast<std::size_t>(cls)]; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t rejected() const { return rejected_; }

 private:
  struct Completion {
    Picoseconds when;
    Tag tag;
  };
  /// A command that asks to be taken.
  struct Request {
    tlm::tlm_generic_payload* payload = nullptr;
    Picoseconds since = 0;
    std::uint32_t life = 0;  ///< of the drive, when it asked
    bool in_line = false;  ///< for tokens
    TokenBucket::Ticket ticket = 0;
  };

  // The port's owner.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, Slot* slot);
  void answered() { serve_waiting(); }
  void responses_wait() { completion_event_.notify(sc_core::SC_ZERO_TIME); }
  void call(tlm::tlm_generic_payload& payload);
  unsigned int look(tlm::tlm_generic_payload& payload);

  command::CommandStatus check(const tlm::tlm_generic_payload& payload, const command::CommandExtension* extension) const;
  /// The status with which the command may go on, Good or why it is refused; nothing: it waits.
  std::optional<command::CommandStatus> admit(Request& request);
  /// True when the request phase has ended: taken, or refused.
  bool begin_request(int host, Request& request);
  Slot& accept(tlm::tlm_generic_payload& payload, Picoseconds since);
  void refuse(tlm::tlm_generic_payload& payload, command::CommandExtension* extension, command::CommandStatus status,
              Picoseconds asked);
  void complete();
  void finalize(Slot& slot);
  void finalize_refused(tlm::tlm_generic_payload& payload);
  void free_slot(Slot& slot);
  void schedule_release();
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
  bool alive_ = true;
  bool failing_ = false;    ///< it has died, and what was held at the port does not know yet
  std::uint32_t life_ = 0;  ///< counts its deaths
  TokenBucket bucket_;
  std::array<PortCounters, core::kRequestClasses> counters_;

  std::vector<Completion> completions_;  ///< by time, the latest first
  sc_core::sc_event completion_event_;
  std::vector<Request> waiting_;    ///< by host: its request phase is held
  std::vector<int> waiting_hosts_;  ///< whose request phase is held, in the order in which they asked
  sc_core::sc_event release_event_;  ///< the first in line for tokens may pass
  sc_core::sc_event slot_freed_;
  std::vector<sc_core::sc_event> finished_;  ///< by tag, for b_transport
  std::uint64_t completed_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace platter::drive
