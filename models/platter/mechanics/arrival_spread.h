// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/random.h"
#include "platter/core/types.h"
#include "platter/profile/drive_profile.h"

namespace platter::mechanics {

using core::Picoseconds;

/// The spread of the head's arrival at its target: a normal distribution around the time that the seek curve gives, cut at `kCut` deviations on both
/// sides. The deviation depends on the distance and on whether the access writes. docs/reference/positioning.md has the contract.
class ArrivalSpread {
 public:
  /// The distribution ends at this many deviations.
  static constexpr int kCut = 4;

  /// Why points give no spread; "" if they do, or if there are none.
  static std::string objection(const std::vector<std::pair<std::uint32_t, double>>& points_us);

  /// Throws std::invalid_argument for a quantile of the guard that is no probability, or for points that give no spread.
  ArrivalSpread(const profile::DriveProfile& profile, double guard_quantile);

  /// False if every arrival is at its time: then nothing is drawn.
  bool any() const { return any_; }
  /// Deviation of an arrival `mean` after the begin of an access over `distance` cylinders: at most 1 / kCut of that time, so that no arrival
  /// is before the access begins.
  Picoseconds deviation(std::uint32_t distance, bool write, Picoseconds mean) const {
    return std::min(deviation(distance, write), mean / kCut);
  }
  Picoseconds deviation(std::uint32_t distance, bool write) const { return at(points_[write], distance); }
  /// The lateness that an arrival of this deviation exceeds with the probability that the guard leaves.
  Picoseconds guarded(Picoseconds deviation) const {
    return (deviation * guard_deviations_ + kOneDeviation - 1) / kOneDeviation;
  }
  /// The largest deviation of any distance.
  Picoseconds largest() const;
  /// Probability that an arrival is later than its mean by more than `late` >= 0, times `period`.
  static Picoseconds share_beyond(Picoseconds late, Picoseconds deviation, Picoseconds period);
  /// The same probability for any lateness; both in the same unit.
  static double beyond(double late, double deviation);

 private:
  using Points = std::vector<std::pair<std::uint32_t, Picoseconds>>;
  static constexpr Picoseconds kOneDeviation = 1 << 16;

  static Picoseconds at(const Points& points, std::uint32_t distance) {
    return distance >= points.back().first ? points.back().second : between(points, distance);
  }
  static Picoseconds between(const Points& points, std::uint32_t distance);

  bool any_ = false;
  std::array<Points, 2> points_;  ///< of reads, of writes; not empty if `any_`
  Picoseconds guard_deviations_ = 0;
};

/// A drive's own stream of arrivals.
class ArrivalDraws {
 public:
  ArrivalDraws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}

  /// By how much the next arrival is later than its mean; negative: earlier.
  Picoseconds next(Picoseconds deviation) {
    double deviations = stream_.normal();
    while (deviations > ArrivalSpread::kCut || deviations < -ArrivalSpread::kCut) deviations = stream_.normal();
    return static_cast<Picoseconds>(deviations * static_cast<double>(deviation));
  }

 private:
  core::RandomStream stream_;
};

}  // namespace platter::mechanics
