// SPDX-License-Identifier: Apache-2.0
#include "platter/sheet/track_plan.h"

#include <algorithm>
#include <cmath>

namespace platter::sheet {

namespace {

/// Where a zone lies between the outermost (0) and the innermost one (1).
double place_of(std::uint32_t zone, std::uint32_t zones) { return zones > 1 ? zone / (zones - 1.0) : 0.5; }

/// Blocks on one cylinder of a zone, rounded as the layout in bands does.
std::uint64_t cylinder_blocks(const TrackNumbers& numbers, std::uint32_t sectors) {
  std::uint64_t sum = 0;
  for (const double density : numbers.densities)
    sum += static_cast<std::uint64_t>(std::max(0.0, std::floor(sectors * density / numbers.whole + 0.5))) * numbers.whole;
  return sum;
}

}  // namespace

std::vector<std::uint32_t> zone_sectors(const TrackNumbers& numbers) {
  double bulges = 0;  // of all zones, when the middle one has 1
  for (std::uint32_t zone = 0; zone < numbers.zones; ++zone) {
    const double x = place_of(zone, numbers.zones);
    bulges += 4 * x * (1 - x);
  }
  const double mean = (numbers.outer + numbers.inner) / 2;
  const double bulge = bulges > 0 ? (kMeanFactor - 1) * mean * numbers.zones / bulges : 0;
  std::vector<std::uint32_t> sectors;
  for (std::uint32_t zone = 0; zone < numbers.zones; ++zone) {
    const double x = place_of(zone, numbers.zones);
    const double exact = numbers.outer + (numbers.inner - numbers.outer) * x + bulge * 4 * x * (1 - x);
    sectors.push_back(static_cast<std::uint32_t>(std::floor(exact / numbers.whole + 0.5)) * numbers.whole);
  }
  return sectors;
}

std::uint32_t zone_begin(std::uint32_t zone, std::uint32_t zones, std::uint32_t cylinders) {
  return static_cast<std::uint32_t>(std::uint64_t{zone} * cylinders / zones);
}

std::uint64_t blocks_on(const TrackNumbers& numbers, std::uint32_t cylinders) {
  const std::vector<std::uint32_t> sectors = zone_sectors(numbers);
  std::uint64_t sum = 0;
  for (std::uint32_t zone = 0; zone < numbers.zones; ++zone)
    sum += cylinder_blocks(numbers, sectors[zone]) *
           (zone_begin(zone + 1, numbers.zones, cylinders) - zone_begin(zone, numbers.zones, cylinders));
  return sum;
}

std::uint32_t cylinders_for(const TrackNumbers& numbers, std::uint64_t blocks, std::uint32_t most) {
  if (blocks_on(numbers, most) < blocks) return most + 1;
  std::uint32_t low = 0;  // too few
  std::uint32_t high = most;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (blocks_on(numbers, middle) < blocks ? low : high) = middle;
  }
  return high;
}

}  // namespace platter::sheet
