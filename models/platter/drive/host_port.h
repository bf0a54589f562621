// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/target_port.h"
#include "platter/core/timed_call.h"
#include "platter/drive/admission.h"
#include "platter/drive/controller.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/power.h"
#include "platter/drive/power_supply.h"

namespace platter::drive {

/// Counters of a drive's port for one class of commands.
struct PortCounters {
  std::uint64_t reads = 0;          ///< reads that ended with Good
  std::uint64_t writes = 0;         ///< writes that ended with Good
  std::uint64_t read_bytes = 0;     ///< bytes of these reads
  std::uint64_t written_bytes = 0;  ///< bytes of these writes
  std::uint64_t late = 0;           ///< commands that ended with Good after their deadline
  std::uint64_t failed = 0;         ///< commands that ended with any status but Good, refused ones included
};

/// The drive's host interface: a TLM-2.0 target for any number of initiator sockets, each with its own request and response phases.
///
/// nb_transport uses the four phases of the base protocol. END_REQ is sent when the queue accepts the command. So a full queue holds the request
/// phase (or refuses the command with QueueFull, by configuration). BEGIN_RESP is sent when a read's last block has crossed the bus, or when a write
/// is on the media or in the buffer, each plus the profile's completion times. That of a flush is sent when every older write is on the media, and
/// that of a zone command when it has been carried out. b_transport waits through the same queue and mechanics. transport_dbg reads and writes, in
/// zero time, what a command would find. A command that cannot be executed gets a TLM error response, and is counted.
///
/// While the token bucket is on, a discrete or background command waits for its tokens before it may take a tag; meanwhile its
/// request phase is held, as by a full queue. If the host's continuous commands must not wait behind such a command, bind a second
/// initiator socket of the host to `host_tgt_socket`, and send the continuous commands through it alone.
///
/// A failed drive completes every command with DriveFailed, both those in the drive and new ones.
///
/// A loosely timed drive (`DriveConfig::loosely_timed`) has one initiator, and does not take its nb_transport.
class HostPort : public sc_core::sc_module, public CompletionSinkIf, public PowerSinkIf {
 public:
  /// @cond of the implementation
  HostPort(const sc_core::sc_module_name& name, HazardQueue& queue, Controller& controller, Power& power,
           const Admission::Rules& rules, core::LocalTime* local);

  using Port = command::TargetPort<HostPort, QueueEntry>;
  /// @endcond

 private:
  friend Port;
  Port port_;

 public:
  Port::Socket& host_tgt_socket;  ///< commands of one or more hosts

  /// @cond of the implementation
  void set_probes(const Probes& probes) { probes_ = &probes; }
  void complete_at(QueueEntry& entry, Picoseconds when) override;
  void power_lost(command::CommandStatus status) override;
  void ready() override { serve_waiting(); }
  /// Told of every command that ends with Good; null: nobody.
  void set_supply(PowerSupply* supply) { supply_ = supply; }

  /// Aborts the command with this tag, in the queue (Controller::abort) or in its request phase. Returns false if there is no such command, if an
  /// access has begun, if it manages zones, or if it is done or served from the buffer: it then ends normally. Must not be called from a probe's
  /// callback.
  bool abort(Tag tag);

  /// Aborts every command that waits, also in its request phase.
  void abort_waiting();

  Admission& admission() { return admission_; }
  const Admission& admission() const { return admission_; }
  /// @endcond

  /// Counters of a class since the construction; a command refused with an invalid class counts as discrete.
  const PortCounters& counters(core::RequestClass cls) const { return account_.classes[core::index_of(cls)]; }
  std::uint64_t completed() const { return account_.completed; }  ///< commands that ended with Good
  std::uint64_t rejected() const { return account_.rejected; }    ///< commands refused, also by a drive that has failed

  /// @cond of the implementation
 protected:
  void end_of_elaboration() override;

 private:
  struct Completion {
    Picoseconds when;
    Tag tag;
  };

  // Callbacks of `port_`.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, QueueEntry* entry);
  void answered() { serve_waiting(); }
  void responses_wait() { completion_.now(); }
  void call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void call_ahead(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int look(tlm::tlm_generic_payload& payload);

  /// Accepts or refuses a new command. Returns false if it must wait: a tag that has just become free is for those in the line.
  bool present(Request& request);
  /// Accepts or refuses a command; `full`: it gets no tag.
  bool decide(Request& request, bool full);
  QueueEntry& accept(tlm::tlm_generic_payload& payload, Picoseconds since, int host);
  void refuse(tlm::tlm_generic_payload& payload, command::CommandExtension* extension, command::CommandStatus status,
              Picoseconds asked);
  void complete();
  void finalize(QueueEntry& entry);
  void finalize_refused(tlm::tlm_generic_payload& payload);
  void free_entry(QueueEntry& entry);
  void tell_occupancy() const;
  void serve_waiting();

  HazardQueue& queue_;
  Controller& controller_;
  Admission admission_;
  const Probes* probes_ = nullptr;
  PowerSupply* supply_ = nullptr;
  struct {
    std::array<PortCounters, core::kRequestClasses> classes;
    std::uint64_t completed = 0;
    std::uint64_t rejected = 0;
  } account_;
  std::vector<Completion> completions_;  ///< by descending time
  core::TimedCall completion_;
  struct {
    std::deque<Request> by_host;  ///< by host: the request whose phase is held
    std::vector<Request*> line;   ///< these and the calls of b_transport that wait, in the order in which they came
  } held_;
  core::LocalTime* local_;  ///< of a loosely timed drive; null: its time is the kernel's
  bool answered_ = false;   ///< the command of call_ahead() has ended
  bool refuses_ = false;    ///< the drive has failed, or a held request was aborted: held requests have not yet been refused
  sc_core::sc_event call_decided_;
  /// By tag, for b_transport; each is made when its first caller waits. The kernel names every event, which takes longer than all else of a
  /// drive's construction.
  std::vector<std::unique_ptr<sc_core::sc_event>> finished_;
  /// @endcond
};

}  // namespace platter::drive
