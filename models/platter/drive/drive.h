// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>

#include "platter/drive/actuator_unit.h"
#include "platter/drive/controller.h"
#include "platter/drive/drive_registers.h"
#include "platter/drive/energy_account.h"
#include "platter/drive/fault_events.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/host_port.h"
#include "platter/drive/power.h"
#include "platter/drive/spindle.h"
#include "platter/drive/zone_keeper.h"
#include "platter/engine/engine_factory.h"
#include "platter/mapping/eager/options.h"
#include "platter/mapping/identity_mapping.h"
#include "platter/media/faults.h"
#include "platter/media/media.h"

namespace platter::eager {
class EagerMapping;
}

namespace platter::drive {

/// What a drive is constructed with, besides its engine.
struct DriveConfig {
  profile::DriveProfile profile;  ///< the drive: system::load_drive() reads one
  /// The file that has the sectors, for a drive that holds data; it must live as long as the drive. Null: they are in memory.
  media::DiskFile* disk_file = nullptr;
  bool holds_data = true;          ///< false: timing only; reads leave the host's data as it is, and transport_dbg returns 0
  eager::EagerOptions eager = {};  ///< eager writing; off unless set
  /// Seed of all that is random in the drive: when the head arrives, with an arrival spread, and where blocks lie at first, with eager writing.
  std::uint64_t seed = 1;
  /// Probability, 0 to 1 (0.999999 unless set), that the head arrives no later than the deadline guard assumes. Only for an arrival spread.
  double guard_quantile = mechanics::kGuardQuantile;
  /// Absolute simulated time (ps) at which the drive fails; kNoDeadline: never. `Drive::set_alive(true)` revives it.
  Picoseconds fails_at = core::kNoDeadline;
  /// Temporal decoupling (IEEE 1666-2011, 10.1): b_transport never waits. It returns with a delay to the command's end, and all times are those of a
  /// b_transport that waits. The time of a call is the kernel's and its delay. It must not decrease; before the end of the previous command, the
  /// command begins at that end. Registers, failures and the token bucket act at the time that the drive has reached, and transport_dbg sees the
  /// bytes as of that time. A second initiator and nb_transport are an SC_ERROR, and a call for which the engine waits for the kernel (`model`,
  /// `rtl`, `lockstep`) an SC_FATAL; the type of these reports is `/platter/host_port/loosely_timed`. See docs/reference/drive.md.
  bool loosely_timed = false;
  std::vector<media::Fault> faults{};  ///< faults of the drive from the beginning; Drive::add_fault() adds further ones
};

/// A hard-disk drive: a TLM-2.0 target for hosts, the mechanics, and a scheduling engine of any implementation.
///
/// A drive with several actuators (`GeometryProfile::actuators`) has an engine for each. Queue, host bus and spindle are shared.
///
/// Sockets: `host_tgt_socket` for commands and, if bound, `register_tgt_socket` for registers. docs/reference/drive.md and
/// docs/reference/drive_registers.md describe them. The time resolution of the SystemC kernel must be 1 ps, which is its default.
///
/// A tag in these functions is that of the drive's queue. To use abort(), choose the tag yourself (CommandExtension::tag): the drive does
/// not return a tag that it has chosen. Call all functions from the thread that runs the kernel.
class Drive : public sc_core::sc_module {
 public:
  /// To be called during elaboration. Throws whatever `create_engine` throws (see system::engine_factory), and std::invalid_argument if
  /// - the profile describes no drive, or its queue depth is outside 1 to 1,024,
  /// - the eager options do not fit the profile, or its zones do not fit the drive or the eager options,
  /// - guard_quantile is outside 0 to 1,
  /// - the disk file has other sizes (media::DiskIdentity), or the drive cannot have one of the faults,
  /// - the profile has several actuators and something that such a drive cannot have (profile::actuators_objection),
  /// - the time resolution is not 1 ps.
  ///
  /// With a disk file also core::InputError for wrong records in it, and core::SimulationError if it cannot be read or written. Other ranges of
  /// the profile's values are not checked here: load_drive() does it.
  Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const engine::EngineFactory& create_engine);
  ~Drive() override;

 private:
  std::unique_ptr<core::LocalTime> local_;  ///< of a loosely timed drive; before all members that have timed calls
  mechanics::AccessPlanner planner_;
  media::Media media_;
  media::Faults faults_;
  mapping::IdentityMapping identity_mapping_;
  std::unique_ptr<eager::EagerMapping> eager_mapping_;
  mapping::MappingIf& mapping_;                             ///< one of the two
  std::vector<std::unique_ptr<engine::EngineIf>> engines_;  ///< by actuator
  Probes probes_;
  DecisionProbes decision_probes_;
  std::unique_ptr<EnergyAccount> energy_;
  HazardQueue queue_;
  std::unique_ptr<ZoneKeeper> zones_;  ///< null: it has none
  std::vector<std::unique_ptr<ActuatorUnit>> actuators_;
  Spindle spindle_;
  Controller controller_;
  Power power_;
  HostPort host_port_;
  FaultEvents fault_events_;
  DriveRegisters registers_;

 public:
  HostPort::Port::Socket& host_tgt_socket;                 ///< commands of one or more hosts
  DriveRegisters::Registers::Socket& register_tgt_socket;  ///< counters, token bucket, state; need not be bound

  bool loosely_timed() const { return local_ != nullptr; }              ///< see DriveConfig
  const mechanics::AccessPlanner& planner() const { return planner_; }  ///< its mechanics
  const HazardQueue& queue() const { return queue_; }                   ///< its command queue
  /// How many actuators it has. Each has a scheduling engine, and its own range of blocks. The functions that take a number of an actuator have
  /// the precondition that it is below this.
  std::size_t actuators() const { return actuators_.size(); }
  /// The scheduling engine of an actuator.
  engine::EngineIf& engine(std::size_t actuator = 0) { return *engines_[actuator]; }
  /// The same.
  const engine::EngineIf& engine(std::size_t actuator = 0) const { return *engines_[actuator]; }
  /// Counters of decisions for an actuator.
  const Dispatcher& dispatcher(std::size_t actuator = 0) const { return controller_.dispatcher(actuator); }
  const ActuatorUnit& actuator(std::size_t actuator = 0) const { return *actuators_[actuator]; }  ///< counters of accesses
  /// Time spent on accesses up to `now`, ps; for several actuators the mean.
  Picoseconds busy(Picoseconds now) const { return controller_.busy(now); }
  const Spindle& spindle() const { return spindle_; }       ///< angle and speed
  const Power& power() const { return power_; }             ///< is it alive, and how often has it failed?
  const HostPort& host_port() const { return host_port_; }  ///< counters of commands
  /// Counters of the buffer; all 0 for a drive without one.
  CacheStatistics cache_statistics() const {
    CacheStatistics sum;
    for (std::size_t i = 0; i < actuators(); ++i)
      if (controller_.cache(i) != nullptr) sum += controller_.cache(i)->statistics();
    return sum;
  }
  /// Time in each power state, ps, and its power, W: the energy is the sum of their products. Null for a drive whose profile has no power.
  const EnergyAccount* energy() const { return energy_.get(); }
  /// The segments of an actuator. Null for a drive without a buffer.
  const buffer::SegmentBuffer* segments(std::size_t actuator = 0) const {
    return controller_.cache(actuator) != nullptr ? &controller_.cache(actuator)->segments() : nullptr;
  }
  const media::Media& media() const { return media_; }  ///< the bytes of its sectors
  /// Conditions and write pointers of its zones, as the commands accepted so far have left them. Null for a drive without zones.
  const zones::Zones* zones() const { return zones_ ? &zones_->zones() : nullptr; }
  /// A zone fails until the end of the simulation. `offline`: it can be neither read nor written; otherwise it can be read only. Throws
  /// std::invalid_argument if the drive has no such zone.
  void wear_out(std::uint32_t zone, bool offline) {
    if (!zones_ || zone >= zones_->zones().count()) throw std::invalid_argument("no zone " + std::to_string(zone));
    zones_->wear_out(zone, offline ? zones::ZoneCondition::Offline : zones::ZoneCondition::ReadOnly);
  }
  /// Memory of the drive's data: pages of the media, and of cached blocks that have yet to be written there.
  std::uint64_t kept_bytes() const { return controller_.data().kept(); }
  /// Capacity that the host sees. With eager writing it is less than that of the media.
  std::uint64_t capacity_sectors() const { return mapping_.capacity_sectors(); }
  /// Null without eager writing.
  const eager::EagerMapping* eager_mapping() const { return eager_mapping_.get(); }
  /// What the media would hold if the power failed at this instant. The drive itself continues to run. May be called at any time, also
  /// during an access.
  DurableImage power_loss_image() const { return controller_.power_loss_image(); }
  /// Replaces the drive's contents by `image`. Preconditions: the image comes from a drive with the same profile and options, and
  /// no command is in this drive. Under eager writing, throws std::runtime_error if the image comes from a drive that holds no data, or
  /// if a block has no copy. Without eager writing, an image of a drive that holds no data makes this drive one that holds none. Throws
  /// std::invalid_argument if this drive has a disk file: it starts from that file only.
  void power_up(const DurableImage& image) { controller_.mount(image); }
  /// Makes the drive fail (false) or revives it (true); has no effect if it is in this state already. When it fails, all its commands end
  /// with DriveFailed at the present simulated time, but after this call. A revived drive is in its power-on state, except for
  /// the media, counters, token bucket, cache switches and spindle, which stay as they were. Must not be called from a probe's callback.
  void set_alive(bool alive) {
    const core::LocalTime::Scope at(local_.get());
    power_.set_alive(alive);
  }
  /// The drive loses its power: its commands end with DriveFailed as in a failure, and its contents become what power_loss_image() gives now. The
  /// spindle stops. Must not be called from a probe's callback.
  void cut_power() {
    const core::LocalTime::Scope at(local_.get());
    power_.cut();
  }
  /// The power returns: the drive spins up, and under eager writing with data reads its whole media. Then it accepts commands. Under eager writing,
  /// throws std::runtime_error if a block has no copy on the media. Must not be called from a probe's callback.
  void restore_power() {
    const core::LocalTime::Scope at(local_.get());
    power_.restore();
  }
  /// The drive gets its power from `supply`, which must live as long as the drive is used. Throws std::invalid_argument if the drive is loosely timed,
  /// because the supply acts at the kernel's time.
  void connect(PowerSupply& supply) {
    if (loosely_timed())
      throw std::invalid_argument("a loosely timed drive cannot have a power supply, which acts at the kernel's time");
    supply.add(power_);
    if (supply.counts()) host_port_.set_supply(&supply);
  }
  /// Adds a fault, and returns a number by which it can be cleared. Throws std::invalid_argument if the drive cannot have it. `Fault::at` is an
  /// absolute time. `at_command`, `at_access` and `count` count from this call on.
  std::uint64_t add_fault(const media::Fault& fault);
  /// Ends a fault. What the drive knows of bad sectors stays. Returns false if there is no such fault.
  bool clear_fault(std::uint64_t number) { return faults_.clear(number); }
  /// Ends all faults.
  void clear_faults() { faults_.clear_all(); }
  const media::Faults& faults() const { return faults_; }  ///< its faults and bad sectors
  /// Counters of duration limits, by descriptor.
  const DurationStatistics& duration_statistics() const { return controller_.durations().statistics(); }
  /// How many times the drive has read all its blocks while accesses waited for their sectors. 0 unless the profile has `recovery.scrub_in_waits`.
  std::uint64_t rounds_in_waits() const { return controller_.waits().rounds(); }
  const media::MediaErrors& media_errors() const { return faults_.errors(); }  ///< counters of errors
  /// For an adapter that simulates the link to the host, such as AhciPort: `link` is called when a fault of the kind LinkDrop occurs, and must
  /// live as long as the drive runs. Null: there is no such adapter, and the fault aborts the waiting commands.
  void bind_link(LinkIf* link) { fault_events_.bind_link(link); }
  /// The firmware restarts: all commands end with Aborted, what only a volatile buffer holds is lost, and the drive accepts commands `delay` later.
  /// Must not be called from a probe's callback, nor within a transport call of the drive.
  void restart(Picoseconds delay) {
    const core::LocalTime::Scope at(local_.get());
    power_.reset(delay);
  }
  /// Aborts the waiting command with this tag, in the queue or at the port: it ends with Aborted. Returns false if there is no such command, if its
  /// access has begun, if it manages zones, or if it is done or served from the buffer; it then ends normally. Must not be called from a probe's
  /// callback.
  bool abort(Tag tag) {
    const core::LocalTime::Scope at(local_.get());
    return host_port_.abort(tag);
  }
  /// Limits discrete and background commands, at once, also those that wait. `rate`: bytes per second; 0: no limit. `depth`: bytes, rounded
  /// down to a multiple of 4,096, at least 4,096.
  void set_token_bucket(std::uint32_t rate, std::uint32_t depth) {
    const core::LocalTime::Scope at(local_.get());
    host_port_.admission().set_token_bucket(rate, depth);
  }
  /// May be called at any time except from a probe's callback. The probe must live until it is removed, or as long as the drive runs.
  void add_probe(ProbeIf& probe) { probes_.add(probe); }
  /// Must not be called from a probe's callback.
  void remove_probe(ProbeIf& probe) { probes_.remove(probe); }
  /// As add_probe().
  void add_decision_probe(DecisionProbeIf& probe) { decision_probes_.add(probe); }
  /// As remove_probe().
  void remove_decision_probe(DecisionProbeIf& probe) { decision_probes_.remove(probe); }

 private:
  /// Throws std::invalid_argument if the drive cannot have the fault.
  void check(const media::Fault& fault) const;
};

}  // namespace platter::drive
