// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "drive_reach.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/mechanics/access_planner.h"
#include "platter/mechanics/geometry.h"
#include "platter/mechanics/reach.h"
#include "platter/observe/output_file.h"
#include "platter/params/schema_text.h"
#include "platter/profile/parameters.h"
#include "platter/scheduling/policies.h"
#include "platter/sheet/sheet.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "platter/system/run.h"
#include "platter/system/simulated_drives.h"
#include "platter/workload/trace_formats.h"

namespace platter::cli {

using nlohmann::json;

namespace {

struct Listed {
  std::string name;
  std::string description;
  json more;  ///< further members of its object in the JSON form; null: none
};

void print_rows(const std::vector<Listed>& rows, bool as_json) {
  if (as_json) {
    json out = json::array();
    for (const Listed& row : rows) {
      out.push_back({{"name", row.name}, {"description", row.description}});
      if (row.more.is_object()) out.back().update(row.more);
    }
    fmt::print("{}\n", core::json_text(out));
    return;
  }
  std::size_t width = 0;
  for (const Listed& row : rows) width = std::max(width, row.name.size());
  for (const Listed& row : rows) fmt::print("{:<{}}  {}\n", row.name, width, row.description);
}

double ms(core::Picoseconds time) { return core::to_milliseconds(time); }

}  // namespace

int list(const std::string& what, bool as_json) {
  std::vector<Listed> rows;
  if (what == "drives") {
    for (const system::ShippedDrive& drive : system::shipped_drives()) {
      const profile::DriveProfile profile = system::load_drive(drive.path.string());
      const mechanics::Geometry geometry(profile.geometry);
      rows.push_back({drive.name,
                      fmt::format("{}: {:.2f} GB, {:g} rpm, {} cylinders, {} surfaces, {} zones", profile.name,
                                  static_cast<double>(geometry.capacity_bytes()) * 1e-9, profile.rpm, geometry.cylinders(),
                                  geometry.surfaces(), geometry.zone_count()),
                      {}});
    }
  } else if (what == "policies") {
    for (const scheduling::PolicyInfo& row : scheduling::policy_table()) {
      std::string engines;
      for (const system::EngineInfo& engine : system::engine_table())
        if (engine.is_built && !engine.has_folder && engine.runs(row))
          engines += (engines.empty() ? "" : ", ") + std::string(engine.name);
      if (row.places) engines += ", eager writing";
      if (row.accelerated != scheduling::Accelerated::No)
        engines += fmt::format("; program {}", scheduling::to_string(row.accelerated));
      rows.push_back({std::string(row.name), fmt::format("{} [{}]", row.description, engines), {}});
    }
  } else if (what == "engines") {
    for (const system::EngineInfo& row : system::engine_table())
      if (row.is_built) rows.push_back({std::string(row.name), std::string(row.description), {}});
  } else if (what == "hosts") {
    for (const system::HostInfo& row : system::host_table())
      rows.push_back({std::string(row.name), std::string(row.description), {{"keeps_logs", row.keeps_logs}}});
  } else {
    for (const workload::TraceFormat& row : workload::trace_formats())
      rows.push_back({std::string(row.name), fmt::format("{} ({})", row.description, workload::to_string(row.units)), {}});
  }
  print_rows(rows, as_json);
  return kGood;
}

namespace {

/// A table of the zones. Bands and trees have their skews in other keys, and a zone may have surfaces of different densities.
void print_zones(const profile::DriveProfile& profile, const mechanics::AccessPlanner& planner) {
  const mechanics::Geometry& geometry = planner.geometry();
  const auto rate = [&](std::uint32_t sectors) {
    return sectors * geometry.sector_bytes() / ms(planner.rotation().period()) * 1e-3;
  };
  if (profile.geometry.layout != profile::LayoutKind::Cylinders) {
    fmt::print("{:>5}{:>20}{:>16}{:>15}{:>18}\n", "zone", "cylinders", "blocks", "sectors", "MB/s");
    for (std::size_t i = 0; i < geometry.zone_count(); ++i) {
      const mechanics::ZoneSummary zone = geometry.zone(i);
      const bool alike = zone.least_sectors == zone.most_sectors;
      fmt::print("{:>5}{:>20}{:>16}{:>15}{:>18}\n", i, fmt::format("{} - {}", zone.first_cylinder, zone.last_cylinder),
                 zone.blocks,
                 alike ? fmt::format("{}", zone.most_sectors) : fmt::format("{} - {}", zone.least_sectors, zone.most_sectors),
                 alike ? fmt::format("{:.2f}", rate(zone.most_sectors))
                       : fmt::format("{:.2f} - {:.2f}", rate(zone.least_sectors), rate(zone.most_sectors)));
    }
    return;
  }
  fmt::print("{:>5}{:>18}{:>9}{:>9}{:>10}{:>8}{:>7}{:>10}\n", "zone", "cylinders", "sectors", "t. skew", "c. skew", "spares",
             "slips", "MB/s");
  for (std::size_t i = 0; i < profile.geometry.zones.size(); ++i) {
    const profile::ZoneProfile& zone = profile.geometry.zones[i];
    fmt::print("{:>5}{:>18}{:>9}{:>9g}{:>10g}{:>8}{:>7}{:>10.2f}\n", i,
               fmt::format("{} - {}", zone.first_cylinder, zone.last_cylinder), zone.sectors_per_track, zone.track_skew_sectors,
               zone.cylinder_skew_sectors, zone.spare_sectors, zone.slips.size(), rate(zone.sectors_per_track));
  }
}

/// Prints one line for each piece of a track whose sectors follow each other and hold blocks in order.
void print_map(const mechanics::Geometry& geometry) {
  fmt::print("# capacity {} blocks of {} bytes; {} cylinders, {} heads\n", geometry.block_count(), geometry.sector_bytes(),
             geometry.cylinders(), geometry.surfaces());
  std::string text;
  for (std::uint64_t block = 0; block < geometry.block_count();) {
    const core::Lba first(block);
    const mechanics::PhysicalAddress at = geometry.to_physical(first);
    std::uint32_t count = geometry.track_run(first, 0xFFFF'FFFFu).blocks;
    const auto unbroken = [&](std::uint32_t blocks) { return geometry.track_run(first, blocks).sectors == blocks; };
    if (!unbroken(count)) {  // up to the first slip
      std::uint32_t good = 1;
      for (std::uint32_t bad = count; bad - good > 1;) {
        const std::uint32_t middle = good + (bad - good) / 2;
        (unbroken(middle) ? good : bad) = middle;
      }
      count = good;
    }
    fmt::format_to(std::back_inserter(text), "lbn {} --> cyl {}, head {}, sect {}, count {}\n", block, at.cylinder.value,
                   at.head.value, at.sector.value, count);
    if (text.size() > std::size_t{1} << 16) {
      fmt::print("{}", text);
      text.clear();
    }
    block += count;
  }
  fmt::print("{}", text);
}

}  // namespace

int drive_show(const DriveShowOptions& options) {
  const profile::DriveProfile profile = system::load_drive(options.drive);
  const std::unique_ptr<observe::OutputFile> file = observe::open_output(options.result);
  std::optional<sheet::Sheet> sheet;
  if (!options.sheet.empty()) sheet = sheet::load_sheet(options.sheet);
  if (options.json) {
    fmt::print("{}\n", core::json_text(profile::configuration(profile)));
    return kGood;
  }
  const mechanics::AccessPlanner planner(profile);
  const mechanics::Geometry& geometry = planner.geometry();
  const std::uint32_t stroke = geometry.cylinders() - 1;
  const mechanics::Reach reach = mechanics::reach(planner);
  fmt::print("{}\n{}\n\n", profile.name, profile.source);
  fmt::print("capacity      {} blocks of {} bytes, {:.3f} GB\n", geometry.block_count(), geometry.sector_bytes(),
             static_cast<double>(geometry.capacity_bytes()) * 1e-9);
  fmt::print("geometry      {} cylinders, {} surfaces, {} zones\n", geometry.cylinders(), geometry.surfaces(),
             geometry.zone_count());
  fmt::print("rotation      {:g} rpm, {:.6f} ms a turn\n", profile.rpm, ms(planner.rotation().period()));
  fmt::print("seek          {:.3f} ms one cylinder, {:.3f} ms mean, {:.3f} ms full stroke\n", ms(planner.seek_curve()(1)),
             reach.mean_seek_ms, ms(planner.seek_curve()(stroke)));
  fmt::print("head switch   {:.3f} ms, write settle {:.3f} ms\n", ms(planner.head_switch()), ms(planner.write_settle()));
  fmt::print("overhead      read {:.3f} / {:.3f}, write {:.3f} / {:.3f} ms (after a read / a write){}\n",
             ms(planner.command_overhead(false, false)), ms(planner.command_overhead(false, true)),
             ms(planner.command_overhead(true, false)), ms(planner.command_overhead(true, true)),
             planner.overhead_overlap() ? ", from the arrival on, overlaps with accesses of other commands" : "");
  fmt::print("bus           {:.3f} us a block to the host, {:.3f} from it\n\n", ms(planner.bus_block_time(false)) * 1e3,
             ms(planner.bus_block_time(true)) * 1e3);
  fmt::print("It reaches, by mechanics and bus alone (no buffer, no host, decisions without time):\n");
  fmt::print(
      "sequential    {:.2f} MB/s at the outer edge, {:.2f} at the inner one, from the media with all crossings of tracks; ",
      reach.outer_bytes_per_s * 1e-6, reach.inner_bytes_per_s * 1e-6);
  fmt::print(std::isfinite(reach.bus_bytes_per_s) ? "the bus carries {:.2f} MB/s\n" : "the bus takes no time\n",
             reach.bus_bytes_per_s * 1e-6);
  fmt::print("positioning   {:.3f} ms mean seek, {:.3f} ms mean wait for the sector\n", reach.mean_seek_ms,
             reach.mean_rotation_ms);
  fmt::print("random        {:.1f} reads/s of 4 KiB at uniform places in their order (FCFS), {:.1f} with {} waiting (SPTF)\n\n",
             reach.fcfs_per_s, reach.sptf_per_s, mechanics::Reach::kWaiting);
  print_zones(profile, planner);
  std::fflush(stdout);

  json done = simulated_reach(profile);
  fmt::print("\n{}", reach_text(done));
  const std::vector<std::string> warnings = reach_warnings(profile, done, sheet ? &*sheet : nullptr);
  for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
  if (file) {
    done["drive"] = profile.name;
    done["warnings"] = warnings;
    file->write(core::json_text(done) + "\n");
    file->commit();
  }
  return kGood;
}

int drive_locate(const std::string& name, bool map) {
  const mechanics::Geometry geometry(system::load_drive(name).geometry);
  if (map) {
    print_map(geometry);
    return kGood;
  }
  fmt::print("lba,zone,cylinder,head,order,sector,sectors_per_track,angle_turns\n");
  std::string text;
  for (std::size_t line = 1; std::getline(std::cin, text); ++line) {
    std::uint64_t block = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), block);
    if (error != std::errc() || end != text.data() + text.size() || block >= geometry.block_count())
      throw core::InputError("standard input", line, 0,
                             fmt::format("found \"{}\", expected a block number below {}", text, geometry.block_count()));
    const core::Lba lba(block);
    const mechanics::PhysicalAddress at = geometry.to_physical(lba);
    const mechanics::TrackRun run = geometry.track_run(lba, 1);
    fmt::print("{},{},{},{},{},{},{},{:.9f}\n", block, geometry.zone_of(lba), at.cylinder.value, at.head.value,
               geometry.order_of(lba), at.sector.value, run.track_sectors, run.start_angle * 0x1p-32);
  }
  if (std::ferror(stdin) != 0) throw core::InputError("standard input", 0, 0, "cannot be read");
  return kGood;
}

namespace {

/// Of a scenario whose keys are good: whether it can run.
void check_runs(const system::Scenario& s) {
  system::check_engine(s);
  s.host->check_run(s);
}

}  // namespace

int config_check(const std::string& scenario, const std::vector<std::string>& overrides) {
  const system::Scenario s = system::load_scenario(scenario, overrides);
  check_runs(s);
  fmt::print("{}: good ({}, {}, {}, engine {})\n", scenario, s.host->name, s.drive.name, system::policy_text(s),
             s.engine.notation);
  return kGood;
}

int config_dump(const std::string& scenario, const std::vector<std::string>& overrides, bool as_json, bool check) {
  const system::Scenario s = system::load_scenario(scenario, overrides);
  if (check) check_runs(s);
  fmt::print("{}", as_json ? core::json_text(system::configuration(s)) + "\n" : system::to_toml(s));
  return kGood;
}

int config_schema(const std::string& what) {
  const nlohmann::json schema = what == "drive"    ? system::drive_schema()
                                : what == "result" ? system::result_schema()
                                                   : system::scenario_schema();
  fmt::print("{}\n", params::schema_text(schema));
  return kGood;
}

int config_reference() {
  fmt::print("{}", system::reference_page());
  return kGood;
}

int config_statistics() {
  fmt::print("{}", system::result_page());
  return kGood;
}

}  // namespace platter::cli
