// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/pool.h"
#include "platter/core/timed_call.h"
#include "platter/host/array/drive_links.h"
#include "platter/host/array/drive_states.h"
#include "platter/host/array/planner.h"

namespace platter::host::array {

/// Rebuilds stale units from their other copies, in the background, one piece at a time, at a limited rate.
class Rebuilder {
 public:
  /// `again`: is scheduled for the time at which a rebuild that has to wait may begin.
  Rebuilder(const ArrayConfig& config, const StripeMap& map, DriveStates& states, DriveLinks& links, UnitOrder& order,
            Planner& planner, core::TimedCall& again);

  /// Call this when there may be something to rebuild.
  void want() { wanted_ = true; }
  void drive_revived();
  /// A unit of a working drive has become stale.
  void has_stale(std::uint32_t drive);
  bool wanted() const { return wanted_; }
  /// Begins as many rebuilds as may be in progress at once.
  void begin();
  void dispatch(Fragment& fragment);
  /// A piece has been read or written. `good`: well, by a drive that has not been replaced since.
  void answered(Fragment& fragment, const LinkCommand& command, bool good);
  /// A copy of a unit has sectors that cannot be read: writes the unit's bytes again from the other copy.
  void repair(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy);
  void ended(ArrayRequest& request);

  std::uint64_t rebuilt_units(std::uint32_t drive) const { return drives_[drive].units; }
  std::uint64_t rebuilt_bytes(std::uint32_t drive) const { return drives_[drive].bytes; }
  std::uint64_t repaired() const { return repaired_; }
  std::uint64_t lost_sectors() const { return lost_sectors_; }

 private:
  /// The rebuild of one unit on a drive where it is stale.
  struct Rebuild : ArrayRequest {
    std::uint32_t drive = 0;  ///< drive on which the unit is stale
    std::uint64_t unit = 0;
    std::uint32_t copy = 0;
    std::uint32_t generation = 0;  ///< generation of that drive when the rebuild began
    std::vector<std::uint8_t> bytes;

    /// The unit is not stale.
    bool repair() const { return progress.role == Role::Repair; }
  };
  struct Drive {
    std::uint64_t cursor = 0;
    bool blocked = false;  ///< no stale unit has a source
    std::uint64_t units = 0;
    std::uint64_t bytes = 0;
  };

  bool begin_one(std::uint32_t drive);
  bool begin_repair();
  void begin_unit(const UnitCopy& stale, std::uint32_t drive, const StripeMap::Area& area, bool repair);
  /// The source has no good bytes of the sector at byte `bad` of the unit: goes on around it.
  void pass(Fragment& fragment, std::uint64_t bad);
  /// Goes on behind what is done. The whole unit: ends.
  void go_on(Fragment& fragment);
  bool under_way(std::uint64_t unit) const;

  const ArrayConfig& config_;
  const StripeMap& map_;
  DriveStates& states_;
  DriveLinks& links_;
  UnitOrder& order_;
  Planner& planner_;
  core::TimedCall& again_;
  std::vector<Drive> drives_;
  core::Pool<Rebuild> pool_;
  std::vector<Rebuild*> active_;
  std::vector<UnitCopy> repairs_;  ///< that wait
  std::uint64_t repaired_ = 0;
  std::uint64_t lost_sectors_ = 0;
  std::uint32_t turn_ = 0;
  bool wanted_ = false;
  Picoseconds from_ = 0;  ///< time before which the rate limit allows no rebuild
};

}  // namespace platter::host::array
