// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/controller.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::now_ps;
using core::to_sc_time;

Controller::Controller(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                       CommandQueue& queue, Actuator& actuator, ReadWriteChannel& channel, EngineIf& engine)
    : sc_module(name), planner_(planner), queue_(queue), actuator_(actuator), channel_(channel), engine_(engine) {
  released_.reserve(queue.depth());
  engine_.bind_sink(*this);
  SC_METHOD(arrival);
  sensitive << arrival_event_;
  dont_initialize();
  SC_METHOD(step);
  sensitive << step_event_;
  dont_initialize();
}

void Controller::ready(Slot& slot) {
  if (slot.flush) {  // nothing older is left to reach the media
    slot.timing.started = now_ps();
    slot.timing.queue = slot.timing.started - slot.timing.issued;
    completion_->complete_at(slot, slot.timing.started);
    release_waiting(slot);
    return;
  }
  slot.in_engine = true;
  engine_.insert(slot.command);
  // A delta later, so that commands which arrive at one instant are all seen by the first decision.
  if (state_ == ControllerState::Idle) arrival_event_.notify(sc_core::SC_ZERO_TIME);
}

void Controller::arrival() {
  if (state_ == ControllerState::Idle) ask();
}

void Controller::ask() {
  if (engine_.empty()) {
    enter(ControllerState::Idle);
    return;
  }
  enter(ControllerState::Decide);
  mechanics::HeadState head = actuator_.state();
  head.bus_free = channel_.sent();
  engine_.decide(head, now_ps());
}

void Controller::decided(const Decision& decision, Picoseconds effective) {
  phase_count_ = 0;
  phase_ = 0;
  const auto add = [this](ControllerState state, Picoseconds duration) {
    if (duration > 0) phases_[phase_count_++] = {state, duration};
  };
  const Picoseconds now = now_ps();
  switch (decision.kind) {
    case Decision::Kind::Idle:
      enter(ControllerState::Idle);
      return;
    case Decision::Kind::Move: {
      current_ = nullptr;
      mechanics::HeadState target = actuator_.state();
      const core::Cylinder from = target.cylinder;
      target.cylinder = decision.cylinder;
      Picoseconds seek = 0;
      Picoseconds settle = 0;
      planner_.move(from, target.head, target.cylinder, target.head, false, seek, settle);
      actuator_.travel(target, effective, seek);
      busy_since_ = effective;
      add(ControllerState::Decide, effective - now);
      add(ControllerState::Seek, seek);
      break;
    }
    case Decision::Kind::Serve: {
      Slot& slot = queue_.slot(decision.tag);
      current_ = &slot;
      const mechanics::Extent& extent = slot.command.extent;
      const mechanics::AccessTime time =
          planner_.estimate(actuator_.state(), extent, effective, slot.command.data_ready);
      slot.timing.started = effective;
      slot.timing.queue = effective - slot.timing.issued;
      slot.timing.overhead = time.overhead;
      slot.timing.seek = time.seek;
      slot.timing.settle = time.settle;
      slot.timing.rotation = time.rotation;
      slot.timing.transfer = time.transfer;
      slot.timing.bus = time.data_wait;
      media_start_ = effective + time.positioning();
      busy_since_ = effective;
      actuator_.travel({extent.cylinder, extent.head, extent.write}, effective + time.overhead, time.seek);
      add(ControllerState::Decide, effective - now);
      add(ControllerState::Overhead, time.overhead);
      // A drive with a negative write settle starts writing while the arm still settles: it shortens the seek.
      add(ControllerState::Seek, time.seek + std::min<Picoseconds>(time.settle, 0));
      add(ControllerState::Settle, std::max<Picoseconds>(time.settle, 0) + time.data_wait);
      add(ControllerState::Rotate, time.rotation);
      add(ControllerState::Transfer, time.transfer);
      if (observer_ != nullptr) observer_->access_started(slot);
      break;
    }
  }
  mechanics_busy_ = true;
  if (observer_ == nullptr) {
    Picoseconds total = 0;
    for (std::size_t i = 0; i < phase_count_; ++i) total += phases_[i].duration;
    phase_ = phase_count_;
    enter(ControllerState::Transfer);
    step_event_.notify(to_sc_time(total));
  } else {
    next_phase();
  }
}

void Controller::next_phase() {
  if (phase_ == phase_count_) {
    finish();
    return;
  }
  const Phase& phase = phases_[phase_++];
  enter(phase.state);
  step_event_.notify(to_sc_time(phase.duration));
}

void Controller::step() { next_phase(); }

void Controller::finish() {
  const Picoseconds now = now_ps();
  busy_ += now - busy_since_;
  mechanics_busy_ = false;
  if (current_ != nullptr) {
    Slot& slot = *current_;
    current_ = nullptr;
    const mechanics::Extent& extent = slot.command.extent;
    actuator_.follow(mechanics::AccessPlanner::end_of(extent));
    channel_.move_bytes(slot);
    Picoseconds done = now;
    if (!extent.write) {
      done = channel_.send(extent, media_start_);
      for (const Slot* write : queue_.buffered_writes(slot)) {
        channel_.overlay_bytes(slot, *write);
        done = std::max(done, write->command.data_ready);
      }
    }
    slot.timing.bus += done - now;
    completion_->complete_at(slot, done);
    release_waiting(slot);
  }
  ask();
}

void Controller::release_waiting(Slot& slot) {
  // A flush that becomes ready comes back here: its own releases go behind the ones listed so far.
  const std::size_t first = released_.size();
  queue_.reached_media(slot, released_);
  for (std::size_t i = first; i < released_.size(); ++i) ready(queue_.slot(released_[i]));
  released_.resize(first);
}

}  // namespace platter::drive
