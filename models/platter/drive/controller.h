// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "platter/drive/actuator.h"
#include "platter/drive/command_queue.h"
#include "platter/drive/drive_observer_if.h"
#include "platter/drive/engine_if.h"
#include "platter/drive/read_write_channel.h"

namespace platter::drive {

/// Told when a command is finished.
class CompletionSinkIf {
 public:
  virtual ~CompletionSinkIf() = default;
  /// The command's last block is with the host at `when` (>= now).
  virtual void complete_at(Slot& slot, Picoseconds when) = 0;
};

/// The drive's state machine: asks the engine, takes the arm there, waits for the sector, transfers. One kernel event an access;
/// with an observer one a phase, at the same times.
class Controller : public sc_core::sc_module, public DecisionSinkIf {
 public:
  SC_HAS_PROCESS(Controller);
  Controller(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, CommandQueue& queue,
             Actuator& actuator, ReadWriteChannel& channel, EngineIf& engine);

  void bind_completion_sink(CompletionSinkIf& sink) { completion_ = &sink; }
  void set_observer(DriveObserverIf* observer) { observer_ = observer; }

  /// A command of the queue that waits for no other one.
  void ready(Slot& slot);

  void decided(const Decision& decision, Picoseconds effective) override;

  /// Time spent on accesses (overhead to the end of the transfer) that have ended or run now.
  Picoseconds busy(Picoseconds now) const {
    // An access that has been decided on begins a little later.
    return busy_ + (mechanics_busy_ && now > busy_since_ ? now - busy_since_ : 0);
  }
  /// Tag of the access that runs, or -1.
  int current_tag() const { return current_ != nullptr ? current_->command.tag.value : -1; }

 private:
  struct Phase {
    ControllerState state;
    Picoseconds duration;
  };

  void arrival();
  void step();
  void ask();
  void begin(Picoseconds effective);
  void next_phase();
  void finish();
  void release_waiting(Slot& slot);
  void enter(ControllerState state) {
    state_ = state;
    if (observer_ != nullptr) observer_->state_changed(state);
  }

  const mechanics::AccessPlanner& planner_;
  CommandQueue& queue_;
  Actuator& actuator_;
  ReadWriteChannel& channel_;
  EngineIf& engine_;
  CompletionSinkIf* completion_ = nullptr;
  DriveObserverIf* observer_ = nullptr;

  sc_core::sc_event arrival_event_;
  sc_core::sc_event step_event_;
  ControllerState state_ = ControllerState::Idle;
  Slot* current_ = nullptr;  ///< null during a Move
  std::array<Phase, 6> phases_{};
  std::size_t phase_count_ = 0;
  std::size_t phase_ = 0;
  Picoseconds media_start_ = 0;
  Picoseconds busy_ = 0;
  Picoseconds busy_since_ = 0;
  bool mechanics_busy_ = false;
  std::vector<Tag> released_;
};

}  // namespace platter::drive
