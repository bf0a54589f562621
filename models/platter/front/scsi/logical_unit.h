// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/drive/register_client.h"
#include "platter/front/scsi/mode_pages.h"
#include "platter/front/scsi/operation.h"
#include "platter/front/scsi/reservations.h"
#include "platter/front/scsi/unit_attentions.h"
#include "platter/front/scsi/unit_identity.h"
#include "platter/front/scsi/unit_pages.h"
#include "platter/mapping/zones/zones.h"

namespace platter::scsi {

/// A logical unit: a disk (SBC-3) whose data, time and queue are those of a drive.
///
/// A task becomes accesses to the drive, one after another. An access has a tag of the drive's queue, so nobody else may use the tags of the unit.
/// A drive with several actuators may have a unit for each: `UnitIdentity::of_actuator` gives it its sectors and its tags.
/// Accesses beyond the queue's depth wait in the unit, in their order.
///
/// The drive orders accesses by the attributes of their tasks. The unit does so for tasks of several accesses: an ORDERED task waits for all of their
/// accesses, and nothing but HEAD OF QUEUE comes between those of an ORDERED one.
class LogicalUnit : public sc_core::sc_module, public tlm::tlm_mm_interface, private TaskOwnerIf {
 public:
  SC_HAS_PROCESS(LogicalUnit);
  LogicalUnit(const sc_core::sc_module_name& name, const UnitIdentity& identity);
  ~LogicalUnit() override;

  command::TappedSocket<LogicalUnit> disk_init_socket;  ///< to `host_tgt_socket` of the drive, or to a tap before it

 private:
  drive::RegisterClient control_;

 public:
  drive::RegisterClient::Socket& register_init_socket;  ///< to `register_tgt_socket` of the drive

  const UnitIdentity& identity() const { return identity_; }
  /// How many logical units the target has.
  void set_units(std::uint32_t units) { units_ = units; }
  /// Where the drive's reallocated sectors are read; nothing: the unit knows of none.
  void set_defects(std::function<std::vector<std::uint64_t>()> defects) { defects_ = std::move(defects); }
  /// The zones of the drive; null: it has none. They must outlive the unit.
  void bind_zones(const zones::Zones* zones) { zones_ = zones; }

  /// @cond of the implementation
  void attach(const Nexus& nexus) { attentions_.add(nexus); }
  /// The port has gone; its tasks have been aborted.
  void detach(const Nexus& nexus);

  /// Begins a task. Call this while the kernel does not run.
  void begin(Task& task);
  /// Aborts a task. If an access of it has begun in the drive, the task ends with it, otherwise at once.
  void abort(Task& task);
  /// Aborts all tasks for which `of` is true. Accesses whose command has ended go on.
  void abort_all(const std::function<bool(const Task& task)>& of);
  /// All tasks are aborted, and the unit is as after power-up, except for persistent reservations.
  void reset(const Sense& attention);
  /// A unit attention condition or a deferred error that the port has to hear of.
  std::optional<SenseData> take_attention(const Nexus& nexus) { return attentions_.take(nexus); }
  void establish(const Sense& sense, const std::function<bool(const Nexus& nexus)>& of) { attentions_.establish(sense, of); }

  // For operations.
  std::uint32_t units() const { return units_; }
  ModePages& modes() { return modes_; }
  Reservations& reservations() { return reservations_; }
  std::vector<std::uint64_t> defects() const { return defects_ ? defects_() : std::vector<std::uint64_t>(); }
  UnitCounters counters();
  drive::RegisterClient& control() { return control_; }
  const zones::Zones* zones() const { return zones_; }
  /// Does this unit have the operation?
  bool offers(const Operation& operation) const { return !operation.of_zones || zones_ != nullptr; }
  void set_stopped(bool stopped) { stopped_ = stopped; }
  /// True if a START STOP UNIT without IMMED is about to take the unit to another condition than `task` does.
  bool stops_otherwise(const Task& task) const;
  /// A stop that has been answered early, and has not come to its end, takes no effect.
  void take_back_stops();
  /// The data that a read gets, cut to `allocation` bytes and to what the host takes. Ends the task.
  void send(Task& task, const std::vector<std::uint8_t>& data, std::uint64_t allocation);
  /// The drive's cache switches follow the caching mode page. While a task `writes_through`, the drive caches no writes.
  void apply_caching();
  /// Until the task ends or clears `writes_through`.
  void write_through(Task& task);
  /// Sends an access of the task to the drive. `bytes`: its data; null: none.
  void access(Task& task, command::Operation operation, std::uint64_t first, std::uint64_t blocks, std::uint8_t* bytes,
              bool fua);
  /// Sends a zone management command to the drive. `start`: first block of the zone, unless it is for `all` zones.
  void manage_zones(Task& task, command::ZoneAction action, std::uint64_t start, bool all);
  void end(Task& task, Status status = Status::Good);
  void fail(Task& task, const SenseData& sense);
  /// Ends the task, and goes on with its accesses. Returns the task that carries them.
  Task& answer_early(Task& task, Status status = Status::Good);
  /// What the drive says of itself: no sense, or why it is not ready.
  Sense readiness();
  /// Has a port been told that the drive starts, and does it still start?
  bool awaited() { return awaited_ && readiness() == sense::kBecomingReady; }

 private:
  struct Slot : command::CommandExtension {
    explicit Slot(tlm::tlm_mm_interface* manager) : payload(manager) {}
    tlm::tlm_generic_payload payload;
    Task* task = nullptr;
    command::DurationTable limits;  ///< of the command, if it has a limit
  };

  /// Orders of the oldest tasks that others wait for.
  struct Fences {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t any = kNone;      ///< ORDERED tasks wait for it
    std::uint64_t ordered = kNone;  ///< an ORDERED task: SIMPLE ones wait for it too
  };

  void free(tlm::tlm_generic_payload* payload) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void ended(Task& task) override;
  void look_at_drive();
  void enter(Task& task);
  void issue(Task& task);
  void send_backlog();
  void answered(tlm::tlm_generic_payload& payload);
  void ended_in_drive(Task& task, const command::Result& result);
  void leave(Task& task);
  bool locked_out(const Task& task) const;
  Fences fences() const;
  /// Must the access of a task in the backlog wait for another task?
  bool waits(const Task& task, const Fences& fences) const;

  const UnitIdentity identity_;
  ModePages modes_;
  Reservations reservations_;
  UnitAttentions attentions_;
  std::function<std::vector<std::uint64_t>()> defects_;
  const zones::Zones* zones_ = nullptr;
  std::uint32_t units_ = 1;
  bool stopped_ = false;  ///< by START STOP UNIT
  bool awaited_ = false;  ///< `readiness` has told that the drive starts
  struct {
    std::uint32_t failures = 0;
    std::uint32_t losses = 0;
    std::uint32_t resets = 0;
  } seen_;                                     ///< what the drive had counted when the unit looked last
  std::vector<std::unique_ptr<Slot>> slots_;   ///< by tag
  std::vector<std::uint32_t> free_tags_;       ///< the one that is used next is the last
  std::deque<Task*> backlog_;                  ///< their accesses wait for a tag, or for other tasks
  std::vector<Task*> locks_;                   ///< tasks that have begun, and whose blocks nobody else may access
  std::vector<Task*> tasks_;                   ///< in the unit
  std::list<std::unique_ptr<Task>> carriers_;  ///< of accesses whose command has ended
  std::uint64_t begun_ = 0;                    ///< tasks so far
  std::uint32_t ordered_ = 0;                  ///< ORDERED tasks in the unit
  struct {
    command::InitiatorPort way;
    bool sending = false;  ///< `send_backlog` is at work
  } link_;
  sc_core::sc_event issued_;
  /// @endcond
};

}  // namespace platter::scsi
