// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/disk_times.h"

#include <algorithm>

#include "platter/mechanics/access_planner.h"
#include "platter/mechanics/rotation.h"
#include "platter/mechanics/seek_curve.h"

namespace platter::host::media_server {

namespace {

Nanoseconds nearest(core::Picoseconds time) {
  return (time + core::kPicosecondsPerNanosecond / 2) / core::kPicosecondsPerNanosecond;
}

/// Bytes per turn, averaged over a whole cylinder of the zone and the switch to the next one.
double sustained_bytes_per_turn(const profile::GeometryProfile& geometry, const profile::ZoneProfile& zone) {
  const double surfaces = geometry.surfaces;
  const double skew_sectors = (surfaces - 1) * zone.track_skew_sectors + zone.cylinder_skew_sectors;
  return surfaces * zone.sectors_per_track * geometry.sector_bytes / (surfaces + skew_sectors / zone.sectors_per_track);
}

/// The least of it over all zones, from reading each zone's begin.
double least_bytes_per_turn(const profile::DriveProfile& profile) {
  const mechanics::AccessPlanner planner(profile);
  const mechanics::Geometry& geometry = planner.geometry();
  double least = 1e18;
  for (std::size_t i = 0; i < geometry.zone_count(); ++i) {
    const mechanics::ZoneSummary zone = geometry.zone(i);
    if (zone.blocks == 0) continue;
    constexpr std::uint64_t kTracks = 2048;
    const auto blocks = static_cast<std::uint32_t>(std::min(zone.blocks, kTracks * zone.most_sectors));
    const mechanics::Extent extent = planner.resolve(core::Lba(zone.first_block), blocks, false);
    const double turns = static_cast<double>(extent.media) / static_cast<double>(planner.rotation().period());
    least = std::min(least, static_cast<double>(blocks) * geometry.sector_bytes() / turns);
  }
  return least;
}

}  // namespace

DiskTimes DiskTimes::of(const profile::DriveProfile& profile, std::int64_t bytes_per_s, double guard_quantile) {
  const mechanics::SeekCurve seek(profile.seek, profile.geometry.cylinders);
  const core::Picoseconds turn = mechanics::Rotation::from_rpm(profile.rpm).period();
  DiskTimes times;
  times.full_seek = nearest(seek(profile.geometry.cylinders - 1));
  times.track_seek = nearest(seek(1));
  times.average_rotation = nearest(turn / 2);
  const mechanics::ArrivalSpread spread(profile, guard_quantile);
  if (spread.any()) times.late = nearest(spread.guarded(spread.largest()));
  times.bytes_per_s = bytes_per_s;
  if (bytes_per_s == 0) {
    double least = 1e18;
    if (profile.geometry.layout == profile::LayoutKind::Cylinders)
      for (const profile::ZoneProfile& zone : profile.geometry.zones)
        least = std::min(least, sustained_bytes_per_turn(profile.geometry, zone));
    else
      least = least_bytes_per_turn(profile);
    times.bytes_per_s =
        static_cast<std::int64_t>(least * (static_cast<double>(core::kPicosecondsPerSecond) / static_cast<double>(turn)));
  }
  return times;
}

}  // namespace platter::host::media_server
