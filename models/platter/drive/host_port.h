// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/target_port.h"
#include "platter/drive/admission.h"
#include "platter/drive/controller.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/power.h"

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
class HostPort : public sc_core::sc_module, public CompletionSinkIf, public PowerSinkIf {
 public:
  SC_HAS_PROCESS(HostPort);
  HostPort(const sc_core::sc_module_name& name, HazardQueue& queue, Controller& controller, Power& power,
           const Admission::Rules& rules);

  using Port = command::TargetPort<HostPort, Slot>;

 private:
  friend Port;
  Port port_;

 public:
  Port::Socket& host_tgt_socket;

  void set_probes(const Probes& probes) { probes_ = &probes; }
  void complete_at(Slot& slot, Picoseconds when) override;
  void power_lost() override;

  /// Takes back the command with this tag: it is answered by Aborted at once. False if there is none, or it has got to an access: it ends as
  /// ever. Not from within a callback of the drive's probes.
  bool abort(Tag tag) { return tag.value < queue_.depth() && controller_.abort(queue_.slot(tag)); }

  Admission& admission() { return admission_; }
  const Admission& admission() const { return admission_; }

  const PortCounters& counters(core::RequestClass cls) const { return account_.classes[core::index_of(cls)]; }
  std::uint64_t completed() const { return account_.completed; }
  std::uint64_t rejected() const { return account_.rejected; }

 private:
  struct Completion {
    Picoseconds when;
    Tag tag;
  };

  // The port's owner.
  bool begin(int host, tlm::tlm_generic_payload& payload);
  void answer(tlm::tlm_generic_payload& payload, Slot* slot);
  void answered() { serve_waiting(); }
  void responses_wait() { completion_event_.notify(sc_core::SC_ZERO_TIME); }
  void call(tlm::tlm_generic_payload& payload);
  unsigned int look(tlm::tlm_generic_payload& payload);

  /// True when the request phase has ended: taken, or refused.
  bool begin_request(int host, Request& request);
  Slot& accept(tlm::tlm_generic_payload& payload, Picoseconds since, int host);
  void refuse(tlm::tlm_generic_payload& payload, command::CommandExtension* extension, command::CommandStatus status,
              Picoseconds asked);
  void complete();
  void finalize(Slot& slot);
  void finalize_refused(tlm::tlm_generic_payload& payload);
  void free_slot(Slot& slot);
  void tell_occupancy() const;
  void serve_waiting();

  HazardQueue& queue_;
  Controller& controller_;
  Admission admission_;
  const Probes* probes_ = nullptr;
  struct {
    std::array<PortCounters, core::kRequestClasses> classes;
    std::uint64_t completed = 0;
    std::uint64_t rejected = 0;
  } account_;
  std::vector<Completion> completions_;  ///< by time, the latest first
  sc_core::sc_event completion_event_;
  struct {
    std::vector<Request> by_host;  ///< its request phase is held
    std::vector<int> hosts;        ///< whose request phase is held, in the order in which they asked
  } held_;
  bool failing_ = false;  ///< the drive has died, and what is held at the port does not know yet
  sc_core::sc_event slot_freed_;
  std::vector<sc_core::sc_event> finished_;  ///< by tag, for b_transport
};

}  // namespace platter::drive
