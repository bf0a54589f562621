// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/random.h"
#include "platter/media/fault.h"

namespace platter::media {

/// Which drives' published rates hold (Bairavasundaram 2007).
enum class Population : std::uint8_t {
  None,        ///< no fault is drawn
  Nearline,    ///< 8.5 % of the drives have an error within 32 months
  Enterprise,  ///< 1.9 %
  All,         ///< 3.45 %: a drive is one or the other
};

/// The process that draws the unreadable sectors of a drive over its life. Clusters of errors arrive as a Poisson process whose rate follows
/// the age; the errors of a cluster are close together in space and time.
struct FaultProcess {
  Population population = Population::None;
  double age_months = 0;      ///< of the drive when the simulation begins: it has the errors of this time already
  double rate_factor = 1;     ///< of the rate of clusters
  double front_share = 0.35;  ///< of the clusters, in the first tenth of the blocks (published: 20 to 50 %)

  bool on() const { return population != Population::None; }
};

inline constexpr double kSecondsPerMonth = 365.25 * 86400 / 12;

/// An unreadable run of sectors, and when it appears.
struct DrawnError {
  double month = 0;  ///< of the drive's life
  std::uint64_t first = 0;
  std::uint32_t blocks = 1;
  std::uint32_t cluster = 0;  ///< its number
};

/// All errors of a drive up to an age, by their time. `track_blocks`: of a track.
std::vector<DrawnError> draw_errors(const FaultProcess& process, std::uint64_t seed, double until_months,
                                    std::uint64_t capacity_blocks, std::uint32_t track_blocks);
/// The same as faults of a simulation of `seconds`: those of the time before begin at once.
std::vector<Fault> draw_faults(const FaultProcess& process, std::uint64_t seed, double seconds, std::uint64_t capacity_blocks,
                               std::uint32_t track_blocks);
/// A block, as the process places its clusters.
std::uint64_t draw_block(core::RandomStream& stream, double front_share, std::uint64_t capacity_blocks);

}  // namespace platter::media
