// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "platter/mapping/zones/zones.h"
#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"

namespace platter::workload {

/// A load that keeps to the rules of zones: it writes each zone in order, and resets it before it writes it again.
struct ZoneLoadParameters {
  enum class Source : std::uint8_t { None, Ring, Log };
  enum class CleanerClass : std::uint8_t { Discrete, Background };

  Source source = Source::None;
  std::int64_t bytes = 262144;
  std::int64_t outstanding = 1;
  double read_fraction = 0;
  std::int64_t zones = 0;
  std::int64_t writers = 1;
  double utilisation = 0.7;
  std::int64_t reserve_zones = 2;
  std::int64_t cleaner_outstanding = 1;
  CleanerClass cleaner_class = CleanerClass::Discrete;

  bool on() const { return source != Source::None; }
};

/// Names of its requests in results: those of the host, and those of the cleaner of a log.
inline constexpr const char* kZoneHost = "zones";
inline constexpr const char* kZoneCleaner = "cleaner";

/// Keys `workload.zones.*`.
const params::Table<ZoneLoadParameters>& zone_load_parameters();
void check(const ZoneLoadParameters& load, const profile::DriveProfile& drive, params::Findings& findings);

/// The zones that a load uses: whole zones that are written in order, without a gap. All are empty at first.
struct ZoneSpace {
  ZoneSpace(const ZoneLoadParameters& load, const zones::ZoneOptions& options, std::uint32_t block_bytes);

  std::uint64_t first_byte = 0;  ///< of the first zone
  std::uint64_t zone_bytes = 0;
  std::uint32_t zones = 0;          ///< number of zones
  std::uint32_t units = 0;          ///< requests that fill a zone
  std::uint32_t logical_units = 0;  ///< live units of a log that is full
};

/// What is wrong with the load on a drive with these zones, and the key; nothing if it is good.
std::optional<std::pair<std::string, std::string>> zone_load_objection(const ZoneLoadParameters& load,
                                                                       const zones::ZoneOptions& options,
                                                                       std::uint32_t block_bytes);

}  // namespace platter::workload
