// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>

#include "platter/drive/arm.h"
#include "platter/drive/controller_state.h"
#include "platter/drive/probe_if.h"
#include "platter/drive/slot.h"
#include "platter/drive/written_blocks.h"

namespace platter::drive {

/// Told when the arm is free.
class AccessSinkIf {
 public:
  virtual ~AccessSinkIf() = default;
  /// The access to the media has ended; null: what has ended was none, or found its blocks elsewhere.
  virtual void access_ended(Slot* slot) = 0;
};

/// Times of the access under way, or of the last one.
struct AccessTimes {
  Picoseconds media_start = 0;
  Picoseconds media_end = 0;
  Picoseconds bus_finish = 0;  ///< when the last block of a read would have left over a free bus
  Picoseconds rotation = 0;    ///< waited for the sector with which it begins
  Picoseconds early = 0;       ///< from there until its first sector comes, where it begins in the middle
  Picoseconds end = 0;
};

/// One arm with its heads, and the access that it is at: takes the arm there, waits for the sector, transfers. One kernel event an access;
/// with a probe one a phase, at the same times.
class ActuatorUnit : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ActuatorUnit);
  ActuatorUnit(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner);

  void bind_sink(AccessSinkIf& sink) { sink_ = &sink; }
  /// `number`: this actuator's, in what the probes are told.
  void set_probes(const Probes& probes, std::uint32_t number) {
    probes_ = &probes;
    number_ = number;
  }

  Arm& arm() { return arm_; }
  const Arm& arm() const { return arm_; }
  const mechanics::HeadState& state() const { return arm_.state(); }
  ControllerState doing() const { return doing_; }
  void enter(ControllerState doing) {
    doing_ = doing;
    if (watched()) tell_state();
  }
  void preparation_changed(Picoseconds from);

  /// It has been decided what comes next, and that it begins at `effective`: one of the following, and then `start`.
  void begin(Picoseconds effective);
  /// The arm goes to a cylinder where nothing is to be done.
  void move(core::Cylinder cylinder);
  /// The access of `slot`; its timing is filled in.
  void serve(Slot& slot);
  void start();

  /// Null while there is no access.
  const Slot* current() const { return current_; }
  /// Tag of the access that runs, or -1. Accesses of the drive's own go by a tag that no command in the engine has.
  int current_tag() const { return current_ != nullptr ? current_->command.tag.value : -1; }
  const AccessTimes& times() const { return times_; }
  /// How far the write that runs has come at `now`. Precondition: one runs.
  WrittenBlocks written(Picoseconds now) const;
  /// It is at something, or is about to be.
  bool busy() const { return busy_.on; }
  /// Time spent on accesses (overhead to the end of the transfer) that have ended or run now.
  Picoseconds busy(Picoseconds now) const {
    // An access that has been decided on begins a little later.
    return busy_.sum + (busy_.on && now > busy_.since ? now - busy_.since : 0);
  }
  /// The drive has lost its power: the access under way stops, and the arm is parked at cylinder 0.
  void halt();

  /// Probes look: what only they are told need be known only then.
  bool watched() const { return probes_ != nullptr && !probes_->empty(); }

 private:
  struct Phase {
    ControllerState state;
    Picoseconds duration;
  };

  void tell_state() const;
  void tell_access(const Slot& slot) const;
  void add_phase(ControllerState state, Picoseconds duration);
  void next_phase();
  void finish();

  const mechanics::AccessPlanner& planner_;
  AccessSinkIf* sink_ = nullptr;
  const Probes* probes_ = nullptr;
  std::uint32_t number_ = 0;
  Arm arm_;
  ControllerState doing_ = ControllerState::Idle;
  Slot* current_ = nullptr;
  AccessTimes times_;
  struct {
    std::array<Phase, 6> all{};
    std::size_t count = 0;
    std::size_t next = 0;
  } phases_;
  struct {
    Picoseconds sum = 0;
    Picoseconds since = 0;
    bool on = false;
  } busy_;
  sc_core::sc_event step_event_;
};

}  // namespace platter::drive
