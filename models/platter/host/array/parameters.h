// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"

namespace platter::host::array {

/// Several drives below one host.
struct ArrayParameters {
  std::uint32_t drives = 2;
  std::string kind = "ew";
  std::uint32_t copies = 1;
  std::string answer = "all";
  // striped
  std::uint32_t unit_bytes = 65'536;
  std::uint32_t tags = 0;  ///< 0: as many as the drive's queue is deep
  std::int64_t cache_bytes = 0;
  std::uint32_t cache_block_bytes = 8192;
  std::uint32_t stream_buffer_units = 0;
  std::uint32_t rebuild_outstanding = 1;
  std::uint32_t rebuild_bytes_per_s = 0;
  double returns_at_s = 0;  ///< 0: never
  std::uint32_t dying_drive = 0;

  bool striped() const { return kind == "striped"; }
};

/// Keys `array.*`, and those of `fault.*` that only an array has.
const params::Table<ArrayParameters>& array_parameters();
/// `dies_at_s`: when one of the drives dies; 0: none does. `eager`: do the drives write eagerly? `block_bytes`: of an EW-Array.
void check(const ArrayParameters& array, const profile::DriveProfile& drive, double dies_at_s, bool eager,
           std::uint32_t block_bytes, params::Findings& findings);

}  // namespace platter::host::array
