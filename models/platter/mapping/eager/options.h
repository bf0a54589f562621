// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/profile/drive_profile.h"

namespace platter::eager {

/// Eager writing (Zhang et al. 2002): a write goes to a free block near the head instead of the place that it overwrites.
struct EagerOptions {
  bool enabled = false;              ///< the drive writes eagerly; needs a policy that places writes
  double dilution = 2;               ///< physical blocks for each logical one
  std::uint32_t block_bytes = 4096;  ///< bytes that are placed as a whole: a whole number of sectors, at least two
  std::uint32_t way_cylinders = 3;   ///< cylinders between arm and target that are looked at for a free block
  bool bind_reads = false;  ///< true: reads, too, are served only in the direction in which the arm looks for free blocks
  /// Before the start, as many random blocks are rewritten as the data have, times this number. It takes no simulated time. The free
  /// blocks then lie as after long use; 0: they lie at random.
  double ageing_turnovers = 1;
};

/// What of a drive does not go with eager writing; empty if all does.
inline std::string objection(const profile::DriveProfile& drive) {
  if (drive.cache.segments > 0) return "found a buffer, expected cache.segments = 0 with eager writing";
  if (drive.zero_latency_write)
    return "found zero-latency writes, expected mechanics.zero_latency_write = false, because an eager write begins with its "
           "first sector";
  if (drive.task_attributes)
    return "found task attributes, expected queue.task_attributes = false, because eager writing takes no head-of-queue "
           "commands";
  if (drive.zones.model != profile::ZoneModel::None) return "found zones, expected zones.model = \"none\" with eager writing";
  if (drive.geometry.actuators > 1)
    return "found " + std::to_string(drive.geometry.actuators) + " actuators, expected actuators.count = 1 with eager writing";
  return {};
}

}  // namespace platter::eager
