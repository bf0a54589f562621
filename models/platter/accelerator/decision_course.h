// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/scheduling/scheduler_if.h"

namespace platter::accelerator {

/// The course of one decision: for which state and instant it is made, how far it has come, and what it has given. What happens
/// is an event; a table says which stage follows.
class DecisionCourse {
 public:
  enum class Stage : std::uint8_t {
    Unprepared,       ///< state and instant of the next access are not known
    Prepared,         ///< they are, and nothing is under way
    Running,          ///< an operation runs
    Outdated,         ///< an operation runs for another state or instant
    Ready,            ///< the decision is at hand
    Asked,            ///< the actuator waits, and nothing is under way
    Awaited,          ///< the actuator waits for the operation that runs
    AwaitedOutdated,  ///< the same, but the operation's result will be discarded
  };
  enum class Event : std::uint8_t {
    Prepare,   ///< another state or instant
    Change,    ///< a command has entered or left the table
    Start,     ///< an operation begins
    Await,     ///< the actuator waits from now on
    Outdate,   ///< commands have arrived that are to take part
    Discard,   ///< the operation has ended, and the decision begins again
    Complete,  ///< the operation has ended with the decision
    Deliver,   ///< the actuator has been told
  };

  Stage stage() const { return stage_; }
  /// Goes on to the next stage. Throws std::logic_error if the event cannot happen in the present stage.
  void on(Event event);
  /// As at power-on.
  void reset() { *this = {}; }

  bool prepared() const { return stage_ != Stage::Unprepared; }
  bool running() const { return stage_ == Stage::Running || stage_ == Stage::Outdated || awaited(); }
  bool outdated() const { return stage_ == Stage::Outdated || stage_ == Stage::AwaitedOutdated; }
  bool ready() const { return stage_ == Stage::Ready; }
  /// Does the actuator wait?
  bool waiting() const { return stage_ == Stage::Asked || awaited(); }

  /// The access decided on begins in state `head` at `when`.
  bool is_for(const scheduling::HeadState& head, core::Picoseconds when) const {
    return prepared() && when == when_ && head == head_;
  }
  void prepare(const scheduling::HeadState& head, core::Picoseconds when, core::Picoseconds now);
  const scheduling::HeadState& head() const { return head_; }
  core::Picoseconds when() const { return when_; }

  core::Picoseconds instant = 0;    ///< start of the access decided on: `when`, or later if the operation begins late
  core::Picoseconds asked = 0;      ///< since when the decision has been wanted as it is
  core::Picoseconds inserted = -1;  ///< arrival of the last command
  core::Picoseconds started = 0;    ///< of the operation in progress
  core::Picoseconds answered = 0;   ///< when the result of the last operation had been read
  scheduling::Decision decision;

 private:
  bool awaited() const { return stage_ == Stage::Awaited || stage_ == Stage::AwaitedOutdated; }

  Stage stage_ = Stage::Unprepared;
  scheduling::HeadState head_;
  core::Picoseconds when_ = 0;
};

}  // namespace platter::accelerator
