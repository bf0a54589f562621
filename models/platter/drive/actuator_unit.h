// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <systemc>

#include "platter/core/timed_call.h"
#include "platter/drive/arm.h"
#include "platter/drive/arrival_statistics.h"
#include "platter/drive/controller_state.h"
#include "platter/drive/energy_account.h"
#include "platter/drive/probe_if.h"
#include "platter/drive/queue_entry.h"
#include "platter/drive/recovery.h"
#include "platter/drive/wait_reader.h"
#include "platter/drive/written_blocks.h"

namespace platter::drive {

/// The name of a module that each actuator has: the first one's is `name`.
inline std::string numbered(const std::string& name, std::size_t actuator) {
  return actuator == 0 ? name : name + "_" + std::to_string(actuator);
}

/// Notified when the actuator becomes free.
class AccessSinkIf {
 public:
  virtual ~AccessSinkIf() = default;
  /// The current activity has ended. `entry`: the access to the media that has ended; null if there was none (a movement without
  /// an access, or a read that the buffer has served).
  virtual void access_ended(QueueEntry* entry) = 0;
};

/// Times of the current access, or of the last one.
struct AccessTimes {
  Picoseconds media_start = 0;
  Picoseconds media_end = 0;
  Picoseconds bus_finish = 0;   ///< when the last block of a read would have left on an idle bus
  Picoseconds rotation = 0;     ///< wait for the sector with which the access begins
  Picoseconds early = 0;        ///< from there until the first sector passes, if the access begins in the middle
  Picoseconds retry_begin = 0;  ///< of the recovery, if there is any
  Picoseconds retry = 0;        ///< its length
  Picoseconds end = 0;
};

/// One actuator with its heads, and the access that it makes: it positions the arm, waits for the sector, and transfers. An
/// access takes one timed call; with a probe one for each phase, at the same times.
class ActuatorUnit : public sc_core::sc_module {
 public:
  /// `seed`: of the arrivals of its heads, on a drive where they have a spread. `number`: of this actuator, in the reports to the probes.
  ActuatorUnit(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint64_t seed = 1,
               std::uint32_t number = 0);

  void bind_sink(AccessSinkIf& sink) { sink_ = &sink; }
  void set_probes(const Probes& probes) { probes_ = &probes; }

  /// Null: no energy is accounted.
  void set_energy(EnergyAccount* energy) { energy_ = energy; }
  void bind_recovery(Recovery& recovery) { recovery_ = &recovery; }
  /// Null: nobody reads in rotational waits.
  void set_wait_reader(WaitReader* waits) { waits_ = waits; }

  std::uint32_t number() const { return number_; }
  Arm& arm() { return arm_; }
  const Arm& arm() const { return arm_; }
  const mechanics::HeadState& state() const { return arm_.state(); }
  ControllerState doing() const { return doing_; }
  void enter(ControllerState doing) {
    doing_ = doing;
    if (watched()) tell_state();
  }
  void preparation_changed(Picoseconds from);

  /// A decision has been made that takes effect at `effective`. Call `move` or `serve` next, or neither, and then `start`.
  void begin(Picoseconds effective);
  /// Moves the arm to `cylinder` without an access.
  void move(core::Cylinder cylinder);
  /// Makes the access of `entry` and fills in its timing.
  void serve(QueueEntry& entry);
  void start();

  /// Null while no access is in progress.
  const QueueEntry* current() const { return current_; }
  /// Tag of the access in progress, or -1. An internal access has a tag that no other command in the engine has.
  int current_tag() const { return current_ != nullptr ? current_->command.tag.value : -1; }
  const AccessTimes& times() const { return times_; }
  /// Where the current access leaves the arm; after it, where it is. Precondition: an access is in progress.
  const mechanics::HeadState& end_place() const { return end_place_; }
  /// Progress of the current write at `now`. Precondition: a write is in progress.
  WrittenBlocks written(Picoseconds now) const;
  /// True while an activity is in progress or about to begin.
  bool busy() const { return busy_.on; }
  /// Time spent on accesses (overhead to the end of the transfer), the current one included.
  Picoseconds busy(Picoseconds now) const {
    // An access begins later than its decision.
    return busy_.sum + (busy_.on && now > busy_.since ? now - busy_.since : 0);
  }
  /// Accesses begun so far.
  std::uint64_t accesses() const { return accesses_; }
  /// Null on a drive whose arrivals have no spread. The access in progress counts.
  const ArrivalStatistics* arrivals() const { return draws_ ? &arrivals_ : nullptr; }
  /// The drive has lost its power: stops the current access and parks the arm at cylinder 0.
  void halt();

  /// True if a probe is registered. Otherwise reports need not be computed.
  bool watched() const { return probes_ != nullptr && !probes_->empty(); }

 private:
  struct Phase {
    ControllerState state;
    Picoseconds duration;
  };

  void count_arrival(QueueEntry& entry, const mechanics::CommittedAccess& access);
  /// Marks `block` as torn if the physical sector of which it is a part is being written, `passed` after block `from` of the write came
  /// under the head. It is not while the heads move on to its track, nor while it is read before it is written.
  void tear(WrittenBlocks& written, std::uint32_t from, std::uint32_t block, Picoseconds passed) const;
  void tell_state() const;
  void tell_access(const QueueEntry& entry) const;
  void add_phase(ControllerState state, Picoseconds duration);
  /// Changes an access by what it meets on the media.
  void recover(QueueEntry& entry, mechanics::CommittedAccess& time, Picoseconds effective);
  void next_phase();
  void finish();

  const mechanics::AccessPlanner& planner_;
  AccessSinkIf* sink_ = nullptr;
  EnergyAccount* energy_ = nullptr;
  Recovery* recovery_ = nullptr;
  WaitReader* waits_ = nullptr;
  const Probes* probes_ = nullptr;
  std::uint32_t number_;
  std::optional<mechanics::ArrivalDraws> draws_;
  ArrivalStatistics arrivals_;
  std::uint64_t accesses_ = 0;
  Arm arm_;
  ControllerState doing_ = ControllerState::Idle;
  QueueEntry* current_ = nullptr;
  AccessTimes times_;
  mechanics::HeadState end_place_;
  struct {
    std::array<Phase, 8> all{};
    std::size_t count = 0;
    std::size_t next = 0;
  } phases_;
  struct {
    Picoseconds sum = 0;
    Picoseconds since = 0;
    bool on = false;
  } busy_;
  core::TimedCall step_;
};

}  // namespace platter::drive
