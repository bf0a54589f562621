// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace platter::sheet {

/// Mean sectors of all tracks over the mean of the outermost and the innermost one, as of eleven drives (1.00 to 1.06).
inline constexpr double kMeanFactor = 1.03;
/// Sectors of the innermost track over those of the outermost one (0.44 to 0.60).
inline constexpr double kInnerShare = 0.47;

/// What is known of the tracks.
struct TrackNumbers {
  double outer = 0;               ///< blocks of the outermost track
  double inner = 0;               ///< blocks of the innermost track
  std::uint32_t zones = 1;        ///< of each surface
  std::uint32_t whole = 1;        ///< a track has a multiple of these blocks
  std::vector<double> densities;  ///< factor of the blocks of a track, by surface
};

/// Blocks of a track in each zone, from the outermost to the innermost one: linear in the number of the track, plus a bulge with which the
/// mean is 1.03 times that of the two.
std::vector<std::uint32_t> zone_sectors(const TrackNumbers& numbers);

/// The first cylinder of a zone, when all zones have the same number of cylinders, to one.
std::uint32_t zone_begin(std::uint32_t zone, std::uint32_t zones, std::uint32_t cylinders);

/// Blocks of a drive with so many cylinders.
std::uint64_t blocks_on(const TrackNumbers& numbers, std::uint32_t cylinders);

/// The least number of cylinders that hold the blocks; `most` + 1 if more than `most` would be necessary.
std::uint32_t cylinders_for(const TrackNumbers& numbers, std::uint64_t blocks, std::uint32_t most);

}  // namespace platter::sheet
