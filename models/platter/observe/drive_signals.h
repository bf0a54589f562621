// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/drive/drive.h"
#include "platter/params/signal.h"

namespace platter::observe {

/// After what a signal of a drive is looked at.
enum DriveEvent : std::uint32_t {
  kEntered = 1,   ///< the actuator does something else
  kStarted = 2,   ///< it has an access
  kOccupied = 4,  ///< commands have come or gone
  kPrepared = 8,  ///< it is known when the next decision is there, or the decision is
  kStalled = 16,  ///< it has turned out whether the arm waits
  kSampled = 32,  ///< so many times a turn
};

/// What is known of a drive while one of its events is told.
struct DriveView {
  const drive::Drive& drive;
  core::Picoseconds now = 0;
  drive::ActuatorReport report{};  ///< the last one
  drive::AccessReport access{};    ///< the last one
  std::uint32_t occupancy = 0;
  core::Picoseconds prepared_from = core::kNoDeadline;
};

/// One row a signal, below the drive's name.
const std::vector<params::Signal<DriveView>>& drive_signals();

}  // namespace platter::observe
