// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/drive_signals.h"

#include <algorithm>

namespace platter::observe {

namespace {

using params::SignalValue;

const params::Enumeration& states() {
  static const params::Enumeration names{"controller_state",
                                         {drive::kControllerStateNames.begin(), drive::kControllerStateNames.end()}};
  return names;
}

const params::Enumeration& classes() {  // in the order of core::RequestClass
  static const params::Enumeration names{"request_class", {"DISCRETE", "CONTINUOUS", "BACKGROUND"}};
  return names;
}

const params::Enumeration& engine_states() {
  static const params::Enumeration names{"engine_state", {"IDLE", "DECIDING", "READY", "LATE"}};
  return names;
}

EngineState engine_state(const DriveView& v) {
  if (v.stalled) return EngineState::Late;
  if (v.prepared_from <= v.now) return EngineState::Ready;
  return v.prepared_from == core::kNoDeadline ? EngineState::Idle : EngineState::Deciding;
}

}  // namespace

const std::vector<params::Signal<DriveView>>& drive_signals() {
  using V = DriveView;
  static const std::vector<params::Signal<V>> signals = {
      {{"mech", "cylinder", "of the arm, also while it travels", 21},
       kEntered | kSampled,
       [](const V& v) { return SignalValue{std::uint64_t{v.drive.actuator(v.actuator).arm().cylinder_at(v.now)}}; }},
      {{"mech", "head", "", 6}, kEntered, [](const V& v) { return SignalValue{std::uint64_t{v.report.head}}; }},
      {{"mech", "angle", "of the spindle, in turns", 0},
       kSampled,
       [](const V& v) { return SignalValue{static_cast<double>(v.drive.spindle().angle_at(v.now)) * 0x1p-32}; }},
      {{"controller", "state", "", 4, &states()},
       kEntered,
       [](const V& v) { return SignalValue{static_cast<std::uint64_t>(v.report.state)}; }},
      {{"controller", "tag", "of the access decided on last; 2047: an internal command with a tag that is no smaller", 11},
       kStarted,
       [](const V& v) { return SignalValue{std::uint64_t{std::min(v.access.tag, 2047u)}}; }},
      {{"controller", "busy", "an access runs", 1},
       kEntered,
       [](const V& v) {
         return SignalValue{std::uint64_t{v.report.tag >= 0 && v.report.state != drive::ControllerState::Decide}};
       }},
      {{"controller", "class", "", 2, &classes()},
       kStarted,
       [](const V& v) { return SignalValue{static_cast<std::uint64_t>(v.access.cls)}; }},
      {{"controller", "slack_ms", "to the deadline of the access decided on last; 0 without one", 0},
       kEntered,
       [](const V& v) {
         return SignalValue{v.access.deadline == core::kNoDeadline ? 0.0 : core::to_milliseconds(v.access.deadline - v.now)};
       }},
      {{"controller", "decision_prepared", "while the arm is busy, the next decision is there", 1},
       kPrepared,
       [](const V& v) { return SignalValue{std::uint64_t{v.prepared_from <= v.now}}; }},
      {{"controller", "scheduler_stall", "the arm, which has just been busy, waits for a decision", 1},
       kStalled,
       [](const V& v) { return SignalValue{std::uint64_t{v.stalled}}; }},
      {{"queue", "occupancy", "commands in the queue", 11},
       kOccupied,
       [](const V& v) { return SignalValue{std::uint64_t{v.occupancy}}; }},
      {{"engine", "policy", "", params::SignalRow::kText}, kAttached, [](const V& v) { return SignalValue{v.policy}; }},
      {{"engine", "kind", "which engine decides", params::SignalRow::kText},
       kAttached,
       [](const V& v) { return SignalValue{v.engine}; }},
      {{"engine", "state", "of the decision for the next access", 2, &engine_states()},
       kPrepared | kStalled,
       [](const V& v) { return SignalValue{static_cast<std::uint64_t>(engine_state(v))}; }},
  };
  return signals;
}

const std::vector<params::Signal<DriveView>>& power_signals() {
  using V = DriveView;
  static const params::Enumeration names{"power_state", {drive::kPowerStateNames.begin(), drive::kPowerStateNames.end()}};
  static const std::vector<params::Signal<V>> signals = {
      {{"power", "state", "what the drive takes its power for", 4, &names},
       kEntered | kSampled | kAttached,
       [](const V& v) { return SignalValue{static_cast<std::uint64_t>(v.drive.energy()->state(v.now))}; }},
      {{"power", "watts", "power of the drive", 0},
       kEntered | kSampled | kAttached,
       [](const V& v) { return SignalValue{v.drive.energy()->watts()[drive::index_of(v.drive.energy()->state(v.now))]}; }},
  };
  return signals;
}

}  // namespace platter::observe
