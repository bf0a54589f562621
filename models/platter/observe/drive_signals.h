// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// The events of a drive after which a signal is read.
enum DriveEvent : std::uint32_t {
  kEntered = 1,    ///< the actuator has changed its state
  kStarted = 2,    ///< an access has started
  kOccupied = 4,   ///< the number of commands has changed
  kPrepared = 8,   ///< the time of the next decision is known, or the decision itself
  kStalled = 16,   ///< it is known whether the actuator stalls
  kSampled = 32,   ///< periodic, several times a turn
  kAttached = 64,  ///< the drive is watched from now on
};

/// What is known about a drive when one of its events is reported.
struct DriveView {
  const drive::Drive& drive;
  std::uint32_t actuator = 0;  ///< all but the queue is of it
  core::Picoseconds now = 0;
  drive::ActuatorReport report{};  ///< the last one
  drive::AccessReport access{};    ///< the last one
  std::uint32_t occupancy = 0;
  bool stalled = false;  ///< the actuator, which has just been busy, waits for a decision that takes time
  core::Picoseconds prepared_from = core::kNoDeadline;
  std::string policy{};  ///< "": not known
  std::string engine{};
};

/// What the engine does for the actuator's next access; wave files show it as text.
enum class EngineState : std::uint8_t {
  Idle,      ///< nothing is asked of it, or it is not known when the decision will be there
  Deciding,  ///< while the actuator is busy: the decision has its time
  Ready,     ///< the decision is there, before the actuator needs it
  Late,      ///< the actuator, which has just been busy, waits for it
};

/// One row for each signal, below the drive's name.
const std::vector<params::Signal<DriveView>>& drive_signals();
/// Those of a drive whose profile has power.
const std::vector<params::Signal<DriveView>>& power_signals();

}  // namespace platter::observe
