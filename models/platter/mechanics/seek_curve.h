// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platter/core/types.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

using core::Picoseconds;

/// Seek time as a function of the distance in cylinders, tabulated for every distance (whole nanoseconds). Distance 0 holds the longest
/// time that an access on the current track takes to settle.
///
/// Table: straight lines between the measured points, the last one's slope extended, the first point's time for shorter distances.
/// SqrtLinear: a + b sqrt(d) up to the knee, c + d*d beyond. ThreePoint: a + b sqrt(d - 1) + c (d - 1) through one cylinder, a third of the
/// stroke (the mean distance of uniform accesses) and the full stroke.
class SeekCurve {
 public:
  /// Why there is no three-point curve: the one through its times would fall somewhere, or a third of the stroke is no distance of its own. "" if
  /// there is one, and for the other models.
  static std::string objection(const profile::SeekProfile& profile, std::uint32_t cylinders);

  /// Throws std::invalid_argument for a profile that gives no curve or a negative time.
  SeekCurve(const profile::SeekProfile& profile, std::uint32_t cylinders, double same_track_us = 0);

  /// The curve through the measured points of writes.
  static SeekCurve of_writes(const profile::SeekProfile& profile, std::uint32_t cylinders);

  /// `distance` < cylinders.
  Picoseconds operator()(std::uint32_t distance) const {
    return Picoseconds{nanoseconds_[distance]} * core::kPicosecondsPerNanosecond;
  }

  std::uint32_t cylinders() const { return static_cast<std::uint32_t>(nanoseconds_.size()); }

 private:
  std::vector<std::uint32_t> nanoseconds_;
};

}  // namespace platter::mechanics
