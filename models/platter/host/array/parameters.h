// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/host/array/config.h"
#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"

namespace platter::host::array {

/// Copies on several drives, and the failure and revival of a drive.
struct RedundancyParameters {
  std::uint32_t copies = 1;
  RebuildOptions rebuild;
  double revives_at_s = 0;  ///< 0: never
  bool replaced = false;
  std::uint32_t failing_drive = 0;
};

/// Several drives of one host.
struct ArrayParameters {
  std::uint32_t drives = 2;
  std::string kind = "ew";
  std::string answer = "all";
  // striped
  std::uint32_t unit_bytes = 65'536;
  std::uint32_t tags = 0;  ///< 0: the depth of the drive's queue
  std::int64_t cache_bytes = 0;
  std::uint32_t cache_block_bytes = 8192;
  std::uint32_t stream_buffer_units = 0;

  bool striped() const { return kind == "striped"; }
};

/// Keys that every host with several drives has: those of `array.*` about copies, and those of `failure.*` that a single drive lacks.
const params::Table<RedundancyParameters>& redundancy_parameters();
/// `fails_at_s`: when one of the drives fails; 0: none does.
void check(const RedundancyParameters& redundancy, std::uint32_t drives, double fails_at_s, params::Findings& findings);

/// The other keys `array.*`.
const params::Table<ArrayParameters>& array_parameters();
/// `eager`: true if the drives write eagerly. `block_bytes`: block of an EW-Array.
void check(const ArrayParameters& array, const RedundancyParameters& redundancy, const profile::DriveProfile& drive,
           double fails_at_s, bool eager, std::uint32_t block_bytes, params::Findings& findings);

}  // namespace platter::host::array
