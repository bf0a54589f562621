// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/reach.h"

#include <algorithm>
#include <array>
#include <limits>

#include "platter/core/random.h"

namespace platter::mechanics {

namespace {

constexpr std::uint64_t kSequentialBytes = 8'000'000;  ///< at least
constexpr std::uint64_t kSequentialPart = 1000;  ///< of the drive: some tracks of every surface, also where they lie in bands
constexpr std::uint32_t kAccesses = 4000;

double seconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }

double sequential(const AccessPlanner& planner, bool outer) {
  const Geometry& geometry = planner.geometry();
  const auto blocks = static_cast<std::uint32_t>(std::min(
      geometry.block_count(), std::max(kSequentialBytes / geometry.sector_bytes(), geometry.block_count() / kSequentialPart)));
  const Extent extent = planner.resolve(core::Lba(outer ? 0 : geometry.block_count() - blocks), blocks, false);
  return static_cast<double>(blocks) * geometry.sector_bytes() / seconds(extent.media);
}

/// Reads at random places of which `Waiting` are known, the one that can begin first next.
template <std::size_t Waiting>
double random_reads(const AccessPlanner& planner) {
  const Geometry& geometry = planner.geometry();
  const auto blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(geometry.block_count(), std::max(1u, Reach::kRandomBytes / geometry.sector_bytes())));
  core::RandomStream places(1, "reach");
  ArrivalDraws draws(1, "reach");
  const auto next = [&] {
    return planner.resolve(core::Lba(places.below(geometry.block_count() - blocks + 1)), blocks, false);
  };
  std::array<Extent, Waiting> waiting;
  std::generate(waiting.begin(), waiting.end(), next);
  HeadState head{};
  Picoseconds now = 0;
  for (std::uint32_t i = 0; i < kAccesses; ++i) {
    Picoseconds least = std::numeric_limits<Picoseconds>::max();
    std::size_t chosen = 0;
    for (std::size_t j = 0; j < Waiting; ++j)
      if (const Picoseconds wait = planner.estimate(head, waiting[j], now).positioning(); wait < least) {
        least = wait;
        chosen = j;
      }
    const AccessTime time = planner.commit(head, waiting[chosen], now, 0, 0, &draws);
    now += time.positioning() + std::max(time.transfer, time.bus_finish);
    waiting[chosen] = next();
  }
  return kAccesses / seconds(now);
}

}  // namespace

Reach reach(const AccessPlanner& planner) {
  Reach reach;
  const double cylinders = planner.geometry().cylinders();
  for (std::uint32_t distance = 1; distance < planner.geometry().cylinders(); ++distance)
    reach.mean_seek_ms += seconds(planner.seek_curve()(distance)) * 1e3 * 2 * (cylinders - distance) / (cylinders * cylinders);
  reach.mean_rotation_ms = seconds(planner.rotation().period()) * 1e3 / 2;
  reach.outer_bytes_per_s = sequential(planner, true);
  reach.inner_bytes_per_s = sequential(planner, false);
  reach.bus_bytes_per_s = planner.bus_block_time(false) > 0
                              ? planner.geometry().sector_bytes() / seconds(planner.bus_block_time(false))
                              : std::numeric_limits<double>::infinity();
  reach.fcfs_per_s = random_reads<1>(planner);
  reach.sptf_per_s = random_reads<Reach::kWaiting>(planner);
  return reach;
}

}  // namespace platter::mechanics
