// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/profile/drive_profile.h"

namespace platter::testing {

/// A drive so small that every sector can be looked at: two zones, skews that are no whole sectors, spares, and slips at
/// sector 0, in a row, across a track's end and at a track's end.
inline profile::DriveProfile small_drive(profile::Mapping mapping = profile::Mapping::Plain) {
  profile::DriveProfile drive;
  drive.name = "small";
  drive.source = "made up";
  drive.geometry.cylinders = 20;
  drive.geometry.surfaces = 3;
  drive.geometry.mapping = mapping;
  profile::ZoneProfile outer;
  outer.first_cylinder = 0;
  outer.last_cylinder = 10;
  outer.sectors_per_track = 10;
  outer.offset_sectors = 1.5;
  outer.track_skew_sectors = 2.3;
  outer.cylinder_skew_sectors = 3.7;
  outer.spare_sectors = 12;
  outer.slips = {0, 25, 26, 27, 59, 60, 89};  // 59, 60: last of a track and first of the next; 89: last of a track
  profile::ZoneProfile inner;
  inner.first_cylinder = 11;
  inner.last_cylinder = 19;
  inner.sectors_per_track = 7;
  inner.offset_sectors = -0.25;
  inner.track_skew_sectors = 1.1;
  inner.cylinder_skew_sectors = 2.9;
  inner.spare_sectors = 3;
  inner.slips = {13};
  drive.geometry.zones = {outer, inner};
  drive.seek.model = profile::SeekModel::Table;
  drive.seek.points_us = {{1, 800.0}, {2, 1000.0}, {5, 1300.0}, {19, 2100.0}};
  drive.rpm = 10000;
  drive.head_switch_us = 900;
  drive.write_settle_us = 300;
  drive.overhead.read_hit_us = {60, 30};
  drive.overhead.read_miss_us = {100, 40};
  drive.overhead.write_us = {500, 450};
  drive.bus_read_block_us = drive.bus_write_block_us = 50;
  return drive;
}

/// One sector on each of `cylinders` cylinders: block n is cylinder n.
inline profile::DriveProfile line_drive(std::uint32_t cylinders) {
  profile::DriveProfile drive;
  drive.name = "line";
  drive.source = "made up";
  drive.geometry.cylinders = cylinders;
  drive.geometry.surfaces = 1;
  profile::ZoneProfile zone;
  zone.last_cylinder = cylinders - 1;
  zone.sectors_per_track = 1;
  drive.geometry.zones = {zone};
  drive.seek.points_us = {{1, 1000.0}, {2, 1100.0}};
  drive.rpm = 10000;
  return drive;
}

}  // namespace platter::testing
