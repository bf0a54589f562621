// SPDX-License-Identifier: Apache-2.0
#include "platter/media/fault_process.h"

#include <algorithm>

namespace platter::media {

namespace {

double power(double x, double exponent) { return x <= 0 ? 0 : core::portable_exp(exponent * core::portable_log(x)); }

/// The expected number of clusters up to an age is clusters * (age / 32 months)^growth. Both follow from the published shares of drives with an
/// error: 8.5 % within 32 months and 3.15 % within 12 of the nearline drives, 1.9 % and 1.46 % of the enterprise drives.
struct Rate {
  double clusters;
  double growth;
};
constexpr double kMonths = 32;
constexpr Rate kNearline{0.08883, 1.041};
constexpr Rate kEnterprise{0.01918, 0.2717};
/// Of all drives 3.45 % have an error: the share of nearline drives among them.
constexpr double kNearlineShare = 0.2348;

/// Errors of a cluster: at least n with probability n^-0.9, so the median is 2 and 0.2 % of the clusters have more than 1,000. (Published, of
/// drives with errors: a median of 3, and 0.2 % with more than 1,000.)
constexpr double kSizeExponent = 0.9;
constexpr std::uint32_t kMaxErrors = 5000;
/// An error has neighbouring bad blocks with this probability (published: below 2.5 % for most models).
constexpr double kRunShare = 0.02;
/// The next error of a cluster lies within this distance of the last one, or about a track from it.
constexpr double kNear = 100;
constexpr double kNearShare = 0.9;
constexpr double kNearExponent = 1.0;
/// Mean time between two errors of a cluster, in months: they come within a few days.
constexpr double kBetween = 0.02;

}  // namespace

std::uint64_t draw_block(core::RandomStream& stream, double front_share, std::uint64_t capacity_blocks) {
  const std::uint64_t front = std::max<std::uint64_t>(capacity_blocks / 10, 1);
  const bool in_front = stream.uniform() <= front_share || front >= capacity_blocks;
  return in_front ? stream.below(front) : front + stream.below(capacity_blocks - front);
}

std::vector<DrawnError> draw_errors(const FaultProcess& process, std::uint64_t seed, double until_months,
                                    std::uint64_t capacity_blocks, std::uint32_t track_blocks) {
  std::vector<DrawnError> errors;
  if (!process.on()) return errors;
  core::RandomStream stream(seed, "media faults");
  const bool nearline = process.population == Population::Nearline ||
                        (process.population == Population::All && stream.uniform() <= kNearlineShare);
  const Rate rate = nearline ? kNearline : kEnterprise;
  double expected = 0;
  for (std::uint32_t cluster = 0;; ++cluster) {
    expected += stream.exponential();
    double month = kMonths * power(expected / (rate.clusters * process.rate_factor), 1 / rate.growth);
    if (month > until_months) break;
    std::uint64_t block = draw_block(stream, process.front_share, capacity_blocks);
    const double drawn = power(stream.uniform(), -1 / kSizeExponent);
    const auto size = static_cast<std::uint32_t>(std::min(drawn, double{kMaxErrors}));
    const bool upwards = stream.uniform() <= 0.5;
    for (std::uint32_t i = 0; i < size; ++i) {
      DrawnError error{month, block, 1, cluster};
      if (stream.uniform() <= kRunShare) do
          ++error.blocks;
        while (stream.uniform() <= 0.5 && error.blocks < 16);
      error.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(error.blocks, capacity_blocks - block));
      if (error.month <= until_months) errors.push_back(error);
      // Pareto from 2 blocks behind the end on, up to `kNear`; the rest a track farther.
      double distance = 0;
      do distance = 2 * power(stream.uniform(), -1 / kNearExponent);
      while (distance > kNear);
      auto step = static_cast<std::uint64_t>(distance);
      if (stream.uniform() > kNearShare) step += track_blocks;
      month += kBetween * stream.exponential();
      if (upwards) {
        block = error.first + error.blocks + step - 1;
        if (block >= capacity_blocks) break;
      } else {
        if (block < step + 16) break;
        block -= step + 16;
      }
    }
  }
  std::stable_sort(errors.begin(), errors.end(), [](const DrawnError& a, const DrawnError& b) { return a.month < b.month; });
  return errors;
}

std::vector<Fault> draw_faults(const FaultProcess& process, std::uint64_t seed, double seconds, std::uint64_t capacity_blocks,
                               std::uint32_t track_blocks) {
  std::vector<Fault> faults;
  const double until = process.age_months + seconds / kSecondsPerMonth;
  for (const DrawnError& error : draw_errors(process, seed, until, capacity_blocks, track_blocks)) {
    Fault fault;
    fault.first = error.first;
    fault.blocks = error.blocks;
    const double begins = (error.month - process.age_months) * kSecondsPerMonth;
    if (begins > 0) fault.at = core::to_picoseconds(begins, core::kPicosecondsPerSecond);
    faults.push_back(fault);
  }
  return faults;
}

}  // namespace platter::media
