// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/zone_parameters.h"

#include <fmt/format.h>

#include <algorithm>

namespace platter::workload {

using params::at;
using params::OneOf;
using params::Range;

namespace {

/// A log keeps a few numbers for each of its units.
constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 24;
/// Zones of a log that have no live data at its worst: the host's, the cleaner's, and the one that the cleaner needs next.
constexpr std::int64_t kSpareZones = 3;

}  // namespace

const params::Table<ZoneLoadParameters>& zone_load_parameters() {
  using P = ZoneLoadParameters;
  static const params::Table<P> table = {
      {"workload.zones.source", "",
       "load that writes the zones of a drive in order; ring: writers fill zones in turn, and reset the oldest ones; log: "
       "updates at random places go to the end of a log, whose zones a cleaner frees",
       at(&P::source), OneOf{{"none", "ring", "log"}}},
      {"workload.zones.bytes", "bytes", "size of each read and write; a divisor of the size of a zone", at(&P::bytes),
       Range{1, 1e9}},
      {"workload.zones.outstanding", "", "number of the host's requests that are kept outstanding", at(&P::outstanding),
       Range{1, 100000}},
      {"workload.zones.read_fraction", "", "share of reads among the host's requests; they read what was written",
       at(&P::read_fraction), Range{0, 1}},
      {"workload.zones.zones", "", "number of zones that are used, the first ones that are written in order; 0: all",
       at(&P::zones), Range{0, 1e7}},
      {"workload.zones.writers", "", "ring: writers, each with a zone of its own", at(&P::writers), Range{1, 100000}},
      {"workload.zones.utilisation", "", "log: live data, as a share of the zones that are used", at(&P::utilisation),
       Range{0.01, 0.99}},
      {"workload.zones.reserve_zones", "", "log: number of empty zones at and below which the cleaner works",
       at(&P::reserve_zones), Range{1, 1e6}},
      {"workload.zones.cleaner_outstanding", "", "log: most requests of the cleaner at once", at(&P::cleaner_outstanding),
       Range{1, 100000}},
      {"workload.zones.cleaner_class", "", "log: class of the cleaner's requests", at(&P::cleaner_class),
       OneOf{{"discrete", "background"}}},
  };
  return table;
}

void check(const ZoneLoadParameters& load, const profile::DriveProfile& drive, params::Findings& findings) {
  if (!load.on()) return;
  if (drive.zones.model == profile::ZoneModel::None) {
    findings.add("workload.zones.source", "expected a drive with zones, and `drive.zones.model` is none");
    return;
  }
  const std::int64_t sector = std::int64_t{drive.geometry.blocks_per_physical_sector()} * drive.geometry.sector_bytes;
  if (load.bytes % sector != 0)
    findings.add("workload.zones.bytes",
                 fmt::format("found {}, expected whole physical sectors, which have {} bytes", load.bytes, sector));
}

ZoneSpace::ZoneSpace(const ZoneLoadParameters& load, const zones::ZoneOptions& options, std::uint32_t block_bytes) {
  const std::uint64_t whole = options.blocks / options.zone_blocks;
  zone_bytes = options.zone_blocks * block_bytes;
  first_byte = options.conventional * zone_bytes;
  zones = static_cast<std::uint32_t>(whole > options.conventional ? whole - options.conventional : 0);
  if (load.zones > 0) zones = static_cast<std::uint32_t>(std::min<std::int64_t>(load.zones, zones));
  units = static_cast<std::uint32_t>(zone_bytes / static_cast<std::uint64_t>(load.bytes));
  logical_units = static_cast<std::uint32_t>(
      std::min(load.utilisation * static_cast<double>(zones) * static_cast<double>(units), static_cast<double>(kMaxUnits)));
}

std::optional<std::pair<std::string, std::string>> zone_load_objection(const ZoneLoadParameters& load,
                                                                       const zones::ZoneOptions& options,
                                                                       std::uint32_t block_bytes) {
  const ZoneSpace space(load, options, block_bytes);
  const bool log = load.source == ZoneLoadParameters::Source::Log;
  if (space.zone_bytes % static_cast<std::uint64_t>(load.bytes) != 0)
    return std::pair("workload.zones.bytes",
                     fmt::format("found {}, expected a divisor of a zone's {} bytes", load.bytes, space.zone_bytes));
  if (load.zones > space.zones)
    return std::pair(
        "workload.zones.zones",
        fmt::format("found {}, expected at most the {} whole zones that are written in order", load.zones, space.zones));
  const std::int64_t open = log ? 2 : load.writers;  // the host's and the cleaner's
  if (options.model == zones::ZoneModel::Managed && open > options.max_open)
    return std::pair(log ? "workload.zones.source" : "workload.zones.writers",
                     fmt::format("needs {} open zones, and the drive has {}", open, options.max_open));
  if (!log) {
    if (load.writers > space.zones)
      return std::pair("workload.zones.writers",
                       fmt::format("found {}, expected at most {}, one for each zone that is used", load.writers, space.zones));
    return std::nullopt;
  }
  const std::uint64_t units = std::uint64_t{space.zones} * space.units;
  if (units > kMaxUnits)
    return std::pair("workload.zones.zones",
                     fmt::format("found zones for {} requests of {} bytes, expected at most {}; use fewer zones", units,
                                 load.bytes, kMaxUnits));
  const std::int64_t live_zones = std::int64_t{space.zones} - load.reserve_zones - kSpareZones;
  if (live_zones <= 0 || space.logical_units > static_cast<std::uint64_t>(live_zones) * space.units)
    return std::pair(
        "workload.zones.utilisation",
        fmt::format("found {:g} of {} zones, expected at least {} zones without live data: {} in reserve, and {} in use",
                    load.utilisation, space.zones, load.reserve_zones + kSpareZones, load.reserve_zones, kSpareZones));
  if (space.logical_units == 0)
    return std::pair("workload.zones.utilisation",
                     fmt::format("found {:g}, expected at least one request of live data", load.utilisation));
  return std::nullopt;
}

}  // namespace platter::workload
