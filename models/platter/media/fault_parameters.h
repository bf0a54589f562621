// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platter/mechanics/geometry.h"
#include "platter/media/fault.h"
#include "platter/media/fault_process.h"
#include "platter/params/row.h"
#include "platter/params/source.h"

namespace platter::media {

/// A place on the media in a scenario: CYLINDER/HEAD/SECTOR; empty: none.
struct PlaceNotation {
  std::string notation;
  mechanics::PhysicalAddress place;
};

/// One `[[fault]]` of a scenario.
struct FaultParameters {
  FaultKind kind = FaultKind::Unreadable;
  std::uint32_t drive = 0;
  std::int64_t block = -1;  ///< -1: not given
  std::int64_t blocks = 1;
  std::int64_t surface = -1;
  PlaceNotation place;
  bool drawn = false;
  double at_s = 0;
  std::int64_t at_command = 0;
  std::int64_t at_access = 0;
  double for_s = 0;
  std::int64_t count = 0;
  std::uint32_t tries = 0;
  std::uint32_t turns = 0;
  double delay_ms = 0;
  std::int64_t other_block = -1;  ///< -1: not given
  std::uint32_t bit = 0;
};

/// Keys of one `[[fault]]`.
const params::Table<FaultParameters>& fault_parameters();
/// Keys `fault_process.*`.
const params::Table<FaultProcess>& fault_process_parameters();

/// What each fault alone says wrong, whatever the drive.
void check(const std::vector<FaultParameters>& faults, std::uint32_t drives, params::Findings& findings);

/// The faults that a scenario plans for its drives. The rows come first, then those of the process.
class FaultPlan {
 public:
  /// Throws core::ConfigError for a row that these drives cannot have: with file, line, key. `seconds`: of the simulation.
  FaultPlan(const std::vector<FaultParameters>& rows, const FaultProcess& process, std::uint64_t seed, double seconds,
            const mechanics::Geometry& geometry, std::uint32_t drives, const params::Source& source);

  const std::vector<Fault>& of(std::uint32_t drive) const { return of_[drive]; }
  bool any() const;

 private:
  std::vector<std::vector<Fault>> of_;
};

}  // namespace platter::media
