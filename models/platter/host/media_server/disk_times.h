// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/mechanics/access_planner.h"

namespace platter::host::media_server {

/// Times of reservation and accounting: whole nanoseconds, so that sums are exact and the same on every machine.
using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds kNanosecondsPerSecond = 1'000'000'000;

/// The parameters of a disk that the reservation of its time uses (section 2.3).
struct DiskTimes {
  Nanoseconds full_seek = 0;
  Nanoseconds track_seek = 0;
  Nanoseconds average_rotation = 0;
  std::int64_t bytes_per_s = 0;  ///< R_disk: the lowest transfer rate
  Nanoseconds late = 0;          ///< by which the head may arrive late, at the guard's quantile; 0 without a spread

  /// Takes read seeks and rotation from the drive; half a nanosecond rounds up. `bytes_per_s` 0: the sustained rate of the
  /// slowest zone, including skews, rounded down. `guard_quantile`: of the arrivals. Throws std::invalid_argument for an invalid profile.
  static DiskTimes of(const profile::DriveProfile& profile, std::int64_t bytes_per_s,
                      double guard_quantile = mechanics::kGuardQuantile);

  /// Disk time of a stream's read in one round: 2 (T_trackSeek + T_avgRot) + bytes / R_disk, to the nearest nanosecond, and the
  /// lateness of an arrival; 0 for no bytes.
  Nanoseconds access(std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    const std::int64_t scaled = static_cast<std::int64_t>(bytes) * kNanosecondsPerSecond;
    return late + 2 * (track_seek + average_rotation) + (scaled + bytes_per_s / 2) / bytes_per_s;
  }
  /// Disk time that the streams of a round share: the round less 2 T_fullSeek.
  Nanoseconds budget(Nanoseconds round) const { return round - 2 * full_seek; }
};

}  // namespace platter::host::media_server
