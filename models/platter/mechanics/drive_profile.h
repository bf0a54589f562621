// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/types.h"

namespace platter::mechanics {

/// How logical blocks run over the heads of a cylinder.
enum class Mapping {
  Plain,               ///< heads in ascending order on every cylinder
  Serpentine,          ///< descending on the odd cylinders of each zone (DiskSim 4.0 mapping scheme 1)
  SerpentineAbsolute,  ///< descending on the odd cylinders of the drive (DiskSim 4.0 mapping scheme 2)
};

/// Neighbouring cylinders with the same number of sectors on every track.
struct ZoneProfile {
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t sectors_per_track = 0;
  double offset_sectors = 0;  ///< angle of the zone's first sector
  double track_skew_sectors = 0;
  double cylinder_skew_sectors = 0;
  std::uint32_t spare_sectors = 0;   ///< held back at the zone's end; slipped sectors use them up
  std::vector<std::uint32_t> slips;  ///< physical sectors of the zone, in mapping order, that hold no block
};

struct GeometryProfile {
  std::uint32_t cylinders = 0;
  std::uint32_t surfaces = 0;
  std::uint32_t sector_bytes = 512;
  Mapping mapping = Mapping::Plain;
  std::vector<ZoneProfile> zones;
};

enum class SeekModel { Table, SqrtLinear, ThreePoint };

/// Seek time over the distance in cylinders; microseconds.
struct SeekProfile {
  SeekModel model = SeekModel::Table;
  std::vector<std::pair<std::uint32_t, double>> points_us;  ///< Table: (cylinders, time)
  std::uint32_t knee_cylinders = 0;  ///< SqrtLinear: a + b sqrt(d) up to here, c + d d beyond
  double a_us = 0;
  double b_us = 0;
  double c_us = 0;
  double d_us = 0;
  double single_us = 0;  ///< ThreePoint: one cylinder, a third of the stroke, the full stroke
  double average_us = 0;
  double full_us = 0;
};

/// A drive as its profile describes it. Plain numbers in the units of the file; `Geometry`, `SeekCurve`,
/// `Rotation` and `AccessPlanner` turn them into integers once.
struct DriveProfile {
  std::string name;
  std::string source;
  GeometryProfile geometry;
  SeekProfile seek;
  double rpm = 0;
  double head_switch_us = 0;
  double write_settle_us = 0;
  /// Command overhead by [this command writes][the command before wrote]; microseconds.
  std::array<std::array<double, 2>, 2> overhead_us{};
  double bus_block_time_us = 0;  ///< one sector over the host bus
  double controller_clock_mhz = 200;
  /// Firmware's decision time: so many cycles, and so many more for each command it looks at.
  std::uint32_t firmware_base_cycles = 120;
  std::uint32_t firmware_candidate_cycles = 60;
  std::uint32_t queue_depth = 32;
  bool reject_when_full = false;  ///< answer a command beyond the depth by an error instead of waiting
};

}  // namespace platter::mechanics
