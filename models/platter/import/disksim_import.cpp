// SPDX-License-Identifier: Apache-2.0
#include "platter/core/json_text.h"
#include "platter/import/disksim_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "platter/core/error.h"
#include "platter/core/nearest.h"
#include "platter/import/disksim_syntax.h"
#include "platter/mechanics/access_planner.h"
#include "platter/profile/parameters.h"

namespace platter::disksim {

namespace fs = std::filesystem;
using core::ConfigError;
using core::ConfigProblem;
using profile::DriveProfile;
using profile::SpareUnit;
using profile::ZoneProfile;

namespace {

using Problems = std::vector<ConfigProblem>;
using Remarks = std::vector<Remark>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void report(Problems& problems, const Place& place, std::string_view key, const std::string& message) {
  problems.push_back({*place.file, place.line, place.column, std::string(key), message});
}

void remark(Remarks& remarks, Remark::Kind kind, const Place& place, std::string_view key, const std::string& value,
            const std::string& why) {
  remarks.push_back({kind, *place.file, place.line, place.column, std::string(key), value, why});
}

// --- the tables ------------------------------------------------------------------------------------------------------
//
// One row for each key of a block. A key without a row is an error.

enum class Type : std::uint8_t { Flag, Whole, Number, Word, List, Block };

enum class Fate : std::uint8_t {
  Carried,   ///< goes into the profile's key as it is
  Used,      ///< is worked into the profile by code
  Lost,      ///< has no place in the profile; named in the remarks where it differs from `neutral`
  NoEffect,  ///< the same where DiskSim does nothing with it
  Aside,     ///< says nothing about the drive
};

/// How a number becomes the profile's.
enum class Scale : std::uint8_t {
  One,
  Milliseconds,  ///< to microseconds
  Overhead,      ///< the same, times "Time scale for overheads"
  Command,       ///< the same for an overhead that each command has: plus "Per-request overhead time"
};

struct Row {
  std::string_view key;
  Type type = Type::Number;
  Fate fate = Fate::Aside;
  bool required = false;
  double minimum = -kInfinity;
  double maximum = kInfinity;
  std::string_view profile_key = {};
  Scale scale = Scale::One;
  double neutral = 0;
  std::string_view why = {};
};
using Table = std::vector<Row>;

Row carried(std::string_view key, Type type, std::string_view profile_key, Scale scale = Scale::One, double minimum = 0,
            double maximum = kInfinity) {
  return {key, type, Fate::Carried, true, minimum, maximum, profile_key, scale};
}
Row used(std::string_view key, Type type, double minimum = 0, double maximum = kInfinity) {
  return {key, type, Fate::Used, true, minimum, maximum};
}
Row optional(Row row) {
  row.required = false;
  return row;
}
Row lost(std::string_view key, Type type, std::string_view why, double neutral = 0) {
  return {key, type, Fate::Lost, false, -kInfinity, kInfinity, {}, Scale::One, neutral, why};
}
Row no_effect(std::string_view key, Type type, std::string_view why, double neutral = 0) {
  return {key, type, Fate::NoEffect, false, -kInfinity, kInfinity, {}, Scale::One, neutral, why};
}
Row aside(std::string_view key, Type type) { return {key, type}; }

const Table& disk_table() {
  using S = Scale;
  using T = Type;
  static const Table table = {
      used("Model", T::Block),
      optional(used("Scheduler", T::Block)),
      used("Max queue length", T::Whole),
      used("Bulk sector transfer time", T::Number),
      carried("Segment size (in blks)", T::Whole, "cache.segment_blocks", S::One, 1),
      carried("Number of buffer segments", T::Whole, "cache.segments"),
      aside("Print stats", T::Whole),
      used("Per-request overhead time", T::Number),
      used("Time scale for overheads", T::Number),
      optional(carried("Hold bus entire read xfer", T::Flag, "bus.hold_read")),
      optional(carried("Hold bus entire write xfer", T::Flag, "bus.hold_write")),
      lost("Allow almost read hits", T::Whole, "the sector under the head is never a hit"),
      lost("Allow sneaky full read hits", T::Whole, "no command is served beside a media access"),
      lost("Allow sneaky partial read hits", T::Whole, "no command is served beside a media access"),
      lost("Allow sneaky intermediate read hits", T::Whole, "no command is served beside a media access"),
      carried("Allow read hits on write data", T::Flag, "cache.read_hits_on_writes"),
      lost("Allow write prebuffering", T::Whole, "the data of a queued write does not come before its turn"),
      used("Preseeking level", T::Whole, 0, 2),
      optional(carried("Never disconnect", T::Flag, "bus.never_disconnect")),
      aside("Avg sectors per cylinder", T::Whole),
      carried("Maximum number of write segments", T::Whole, "cache.write_segments"),
      carried("Use separate write segment", T::Flag, "cache.separate_write_segments"),
      carried("Low (write) water mark", T::Number, "bus.write_low_watermark", S::One, 0, 1),
      used("High (read) water mark", T::Number, 0, 1),
      used("Set watermark by reqsize", T::Flag),
      aside("Calc sector by sector", T::Whole),
      used("Enable caching in buffer", T::Whole, 0, 2),
      carried("Buffer continuous read", T::Whole, "cache.read_ahead", S::One, 0, 4),
      used("Minimum read-ahead (blks)", T::Whole),
      used("Maximum read-ahead (blks)", T::Whole),
      used("Read-ahead over requested", T::Whole, -1, 1),
      carried("Read-ahead on idle hit", T::Flag, "cache.read_ahead_on_hit"),
      carried("Read any free blocks", T::Flag, "cache.keep_passing_sectors"),
      carried("Fast write level", T::Whole, "cache.write_back", S::One, 0, 2),
      carried("Immediate buffer read", T::Whole, "mechanics.zero_latency_read", S::One, 0, 2),
      carried("Immediate buffer write", T::Whole, "mechanics.zero_latency_write", S::One, 0, 2),
      lost("Combine seq writes", T::Whole, "a cached write goes on in the segment whose end it continues", 1),
      carried("Stop prefetch in sector", T::Flag, "cache.stop_in_sector"),
      lost("Disconnect write if seek", T::Whole, "a read-ahead can be stopped during its seek"),
      no_effect("Write hit stop prefetch", T::Whole, "a write stops the read-ahead in any case", 1),
      lost("Read directly to buffer", T::Whole, "a sector is in the buffer when it has passed the head", 1),
      lost("Immed transfer partial hit", T::Whole, "what is there of a partial hit is sent at once", 1),
      carried("Read hit over. after read", T::Number, "overhead.read_hit_after_read_us", S::Command),
      carried("Read hit over. after write", T::Number, "overhead.read_hit_after_write_us", S::Command),
      carried("Read miss over. after read", T::Number, "overhead.read_miss_after_read_us", S::Command),
      carried("Read miss over. after write", T::Number, "overhead.read_miss_after_write_us", S::Command),
      used("Write hit over. after read", T::Number),
      used("Write hit over. after write", T::Number),
      used("Write miss over. after read", T::Number),
      used("Write miss over. after write", T::Number),
      carried("Read completion overhead", T::Number, "bus.read_completion_us", S::Overhead),
      carried("Write completion overhead", T::Number, "bus.write_completion_us", S::Overhead),
      carried("Data preparation overhead", T::Number, "bus.preparation_us", S::Overhead),
      carried("First reselect overhead", T::Number, "bus.reselect_us", S::Overhead),
      optional(used("Other reselect overhead", T::Number)),
      optional(carried("Read disconnect afterread", T::Number, "bus.read_disconnect_us", S::Overhead)),
      optional(used("Read disconnect afterwrite", T::Number)),
      optional(carried("Write disconnect overhead", T::Number, "bus.write_disconnect_us", S::Overhead)),
      used("Extra write disconnect", T::Flag),
      used("Extradisc command overhead", T::Number),
      used("Extradisc disconnect overhead", T::Number),
      used("Extradisc inter-disconnect delay", T::Number),
      used("Extradisc 2nd disconnect overhead", T::Number),
      used("Extradisc seek delta", T::Number),
      carried("Minimum seek delay", T::Number, "mechanics.same_track_write_us", S::Milliseconds),
  };
  return table;
}

const Table& queue_table() {
  using T = Type;
  constexpr std::string_view kPolicy = "the policy is the scenario's, not the drive's";
  static const Table table = {
      lost("Scheduling policy", T::Whole, kPolicy, 1),  // 1: first come, first served
      aside("Cylinder mapping strategy", T::Whole),
      aside("Write initiation delay", T::Number),
      aside("Read initiation delay", T::Number),
      lost("Sequential stream scheme", T::Whole, kPolicy),
      aside("Maximum concat size", T::Whole),
      lost("Overlapping request scheme", T::Whole, kPolicy),
      aside("Sequential stream diff maximum", T::Whole),
      no_effect("Scheduling timeout scheme", T::Whole, "DiskSim 4.0 ignores it"),
      aside("Timeout time/weight", T::Whole),
      aside("Timeout scheduling", T::Whole),
      lost("Scheduling priority scheme", T::Whole, kPolicy),
      aside("Priority scheduling", T::Whole),
  };
  return table;
}

const Table& bus_table() {
  using T = Type;
  static const Table table = {
      lost("type", T::Whole, "one drive has its bus to itself", 1),
      aside("Arbitration type", T::Whole),
      lost("Arbitration time", T::Number, "one drive has its bus to itself"),
      used("Read block transfer time", T::Number),
      used("Write block transfer time", T::Number),
      aside("Print stats", T::Whole),
  };
  return table;
}

const Table& controller_table() {
  using T = Type;
  constexpr std::string_view kHost = "a controller between host and drive is not part of a drive";
  static const Table table = {
      lost("type", T::Whole, kHost, 1),  // 1: a bridge between two buses
      lost("Scale for delays", T::Number, kHost),
      used("Bulk sector transfer time", T::Number),
      aside("Maximum queue length", T::Whole),
      aside("Print stats", T::Whole),
      lost("Scheduler", T::Block, kHost),
      lost("Cache", T::Block, kHost),
      lost("Max per-disk pending count", T::Whole, kHost),
  };
  return table;
}

const Table& model_table() {
  using T = Type;
  static const Table table = {
      used("Block count", T::Whole),
      carried("Number of data surfaces", T::Whole, "geometry.surfaces", Scale::One, 1),
      carried("Number of cylinders", T::Whole, "geometry.cylinders", Scale::One, 1),
      used("Mechanical Model", T::Block),
      used("Layout Model", T::Block),
  };
  return table;
}

const Table& mechanics_table() {
  using S = Scale;
  using T = Type;
  static const Table table = {
      used("Access time type", T::Word),
      no_effect("Constant access time", T::Number, "DiskSim 4.0 always works out the access"),
      used("Seek type", T::Word),
      optional(used("Average seek time", T::Number)),
      optional(used("Constant seek time", T::Number)),
      optional(used("Single cylinder seek time", T::Number)),
      optional(used("Full strobe seek time", T::Number)),
      optional(used("Full seek curve", T::Word)),
      carried("Add. write settling delay", T::Number, "mechanics.write_settle_us", S::Milliseconds, -kInfinity),
      carried("Head switch time", T::Number, "mechanics.head_switch_us", S::Milliseconds),
      carried("Rotation speed (in rpms)", T::Number, "mechanics.rpm", S::One, 1),
      no_effect("Percent error in rpms", T::Number, "DiskSim 4.0 turns the disk at its exact speed"),
      optional(used("First ten seek times", T::List)),
      optional(used("HPL seek equation values", T::List)),
  };
  return table;
}

const Table& layout_table() {
  using T = Type;
  static const Table table = {
      carried("LBN-to-PBN mapping scheme", T::Whole, "geometry.mapping", Scale::One, 0, 2),
      used("Sparing scheme used", T::Whole, 0, 10),
      used("Rangesize for sparing", T::Whole),
      optional(used("Skew units", T::Word)),
      used("Zones", T::List),
  };
  return table;
}

const Table& zone_table() {
  using T = Type;
  static const Table table = {
      carried("First cylinder number", T::Whole, "first_cylinder"),
      carried("Last cylinder number", T::Whole, "last_cylinder"),
      carried("Blocks per track", T::Whole, "sectors_per_track", Scale::One, 1),
      used("Offset of first block", T::Number, -kInfinity),
      optional(used("Skew units", T::Word)),
      carried("Empty space at zone front", T::Whole, "front_sectors"),
      optional(used("Skew for track switch", T::Number, -kInfinity)),
      optional(used("Skew for cylinder switch", T::Number, -kInfinity)),
      used("Number of spares", T::Whole),
      used("slips", T::List),
      used("defects", T::List),
  };
  return table;
}

/// What else a system is made of: read over.
constexpr std::array<std::string_view, 29> kOtherBlocks = {
    "disksim_global",     "disksim_stats",          "disksim_iodriver_stats", "disksim_bus_stats",  "disksim_ctlr_stats",
    "disksim_device_stats", "disksim_pf_stats",     "disksim_iodriver",       "disksim_ioqueue",    "disksim_logorg",
    "disksim_pf",         "disksim_synthio",        "disksim_synthgen",       "disksim_syncset",    "disksim_iomap",
    "disksim_iosim",      "disksim_cachemem",       "disksim_cachedev",       "disksim_simpledisk", "disksim_device",
    "dm_layout_g1",       "dm_layout_g1_zone",      "dm_layout_g2",           "dm_layout_g2_zone",  "dm_layout_g4",
    "dm_mech_g1",         "memsmodel_mems",         "ssdmodel_ssd",           "ssd_element",
};
constexpr std::array<std::string_view, 4> kReadBlocks = {"disksim_disk", "disksim_bus", "disksim_ctlr", "dm_disk"};

// --- reading a block by its table --------------------------------------------------------------------------------------

/// A block that has been checked against its table.
class Reader {
 public:
  Reader(const Block& block, const Table& table, Problems& problems);

  const Assignment* find(std::string_view key) const {
    const auto found = found_.find(key);
    return found != found_.end() ? found->second : nullptr;
  }
  /// What a key is set to; 0 without it.
  double number(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.real : 0;
  }
  double microseconds(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.shifted(3) : 0;
  }
  std::uint32_t whole(std::string_view key) const;
  bool flag(std::string_view key) const { return number(key) != 0; }
  std::string word(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.text : "";
  }
  const Place& place(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->place : block_.place;
  }
  const Place& place() const { return block_.place; }
  const Block& block() const { return block_; }
  const Table& table() const { return table_; }

  /// Names the values that have no place in the profile.
  void remark_lost(Remarks& remarks) const;

 private:
  static std::string problem_of(const Row& row, const Value& value);

  const Block& block_;
  const Table& table_;
  std::map<std::string_view, const Assignment*> found_;
};

std::string Reader::problem_of(const Row& row, const Value& value) {
  const auto expected = [&value](const std::string& what) { return fmt::format("found {}, expected {}", value.what(), what); };
  switch (row.type) {
    case Type::Flag:
      if (value.kind != Value::Kind::Whole || (value.whole != 0 && value.whole != 1)) return expected("0 or 1");
      return {};
    case Type::Whole:
      if (value.kind != Value::Kind::Whole) return expected("a whole number");
      break;
    case Type::Number:
      if (!value.is_number()) return expected("a number");
      break;
    case Type::Word: return value.kind == Value::Kind::Word ? "" : expected("a word");
    case Type::List: return value.kind == Value::Kind::List ? "" : expected("a list");
    case Type::Block: return value.kind == Value::Kind::Block ? "" : expected("a block");
  }
  if (value.real >= row.minimum && value.real <= row.maximum) return {};
  return expected(std::isinf(row.maximum) ? fmt::format("at least {:g}", row.minimum)
                                          : fmt::format("{:g} to {:g}", row.minimum, row.maximum));
}

Reader::Reader(const Block& block, const Table& table, Problems& problems) : block_(block), table_(table) {
  std::vector<std::string_view> keys;
  for (const Row& row : table) keys.push_back(row.key);
  std::set<std::string, std::less<>> meant;  // by misspelt keys: not reported as missing once more
  for (const Assignment& assignment : block.assignments) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const Row& r) { return r.key == assignment.key; });
    if (row == table.end()) {
      meant.insert(core::nearest_name(assignment.key, keys));
      report(problems, assignment.place, assignment.key,
             fmt::format("a {} has no such key{}", block.type, core::did_you_mean(assignment.key, keys)));
      continue;
    }
    found_[row->key] = &assignment;
    const std::string problem = problem_of(*row, assignment.value);
    if (!problem.empty()) report(problems, assignment.value.place, assignment.key, problem);
  }
  for (const Row& row : table)
    if (row.required && found_.count(row.key) == 0 && meant.count(row.key) == 0)
      report(problems, block.place, row.key,
             fmt::format("is missing in the {}{}{}", block.type, block.name.empty() ? "" : " ", block.name));
}

std::uint32_t Reader::whole(std::string_view key) const {
  const Assignment* found = find(key);
  if (found == nullptr) return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(found->value.whole, 0, 0xFFFF'FFFF));
}

void Reader::remark_lost(Remarks& remarks) const {
  for (const Row& row : table_) {
    if (row.fate != Fate::Lost && row.fate != Fate::NoEffect) continue;
    const Assignment* found = find(row.key);
    if (found == nullptr || (found->value.is_number() && found->value.real == row.neutral)) continue;
    remark(remarks, row.fate == Fate::Lost ? Remark::Kind::NotCarriedOver : Remark::Kind::NoEffect, found->place, row.key,
           found->value.kind == Value::Kind::Block ? "a " + found->value.block->type : found->value.text,
           std::string(row.why));
  }
}

// --- setting the profile -----------------------------------------------------------------------------------------------

/// Sets a key of the profile, within the range that the profile's own table allows.
template <typename Object>
void set(const params::Table<Object>& parameters, std::string_view key, double value, Object& object,
         const Place& place, std::string_view source_key, Problems& problems) {
  const auto p = std::find_if(parameters.begin(), parameters.end(), [key](const auto& row) { return row.key == key; });
  if (p == parameters.end()) throw std::logic_error("the profile has no key " + std::string(key));
  if (!(value >= p->range.minimum && value <= p->range.maximum)) {
    report(problems, place, source_key,
           fmt::format("gives {} = {:g}, expected {:g} to {:g}", key, value, p->range.minimum, p->range.maximum));
    return;
  }
  std::visit(
      [&](auto field) {
        using Target = std::remove_pointer_t<decltype(field)>;
        if constexpr (std::is_same_v<Target, bool>) {
          *field = value != 0;
        } else if constexpr (std::is_same_v<Target, std::uint32_t>) {
          if (value < 0 || value > 0xFFFF'FFFFu)
            report(problems, place, source_key, fmt::format("found {:.0f}, expected 0 to 4294967295", value));
          else
            *field = static_cast<std::uint32_t>(value);
        } else if constexpr (std::is_same_v<Target, params::Choice>) {  // whose values have DiskSim's numbers
          field.set(static_cast<std::size_t>(value));
        } else if constexpr (std::is_same_v<Target, double>) {
          *field = value;
        } else {
          throw std::logic_error("the profile's key takes no number");
        }
      },
      p->field(object));
}

class Importer {
 public:
  Importer(const Document& document, ImportOptions options) : document_(document), options_(std::move(options)) {}
  Import run();

 private:
  /// A disk that could be meant, and what lies between it and the host.
  struct Candidate {
    std::string spec;       ///< name of its block
    std::string component;  ///< empty: not part of a topology
    Place place;
    std::vector<const Value*> path;  ///< buses and controllers, outermost first
  };

  std::vector<Candidate> candidates();
  void walk(const Value& component, std::vector<const Value*>& path, std::vector<Candidate>& found);
  Candidate choose();
  const std::string* spec_of(const std::string& component) const;
  const Block& block_of(const Value& component) const;
  void check_block_types();

  void read_disk(const Block& block, const Candidate& candidate);
  void read_bus(const Reader& disk, const Candidate& candidate);
  void read_overheads(const Reader& disk);
  void read_extra_disconnect(const Reader& disk);
  void read_cache(const Reader& disk);
  void read_model(const Block& block);
  void read_seek(const Reader& mechanics);
  void read_seek_file(const Reader& mechanics);
  void read_three_points(const Reader& mechanics, bool curve);
  bool read_list(const Reader& mechanics, std::string_view key, std::size_t count, std::vector<double>& us);
  void read_layout(const Reader& layout);
  void read_zone(const Reader& zone, const std::string& layout_units);
  void read_sparing(const Reader& zone, ZoneProfile& profile);
  std::vector<std::uint32_t> read_slips(const Reader& zone, std::uint32_t places);
  void drop_slips_without_spares(const Reader& zone, ZoneProfile& profile);
  void read_defects(const Reader& zone, ZoneProfile& profile);
  bool holds_block(const mechanics::Geometry& geometry, const ZoneProfile& zone, std::uint32_t physical) const;
  profile::GeometryProfile with_only(const ZoneProfile& zone) const;

  /// Sets all keys of a table that are carried over as they are.
  void carry(const Reader& reader) { carry(reader, profile::drive_parameters(), import_.profile); }
  template <typename Object>
  void carry(const Reader& reader, const params::Table<Object>& parameters, Object& object);
  double scaled(const Value& value, Scale scale) const;
  void set_drive(std::string_view key, double value, const Reader& reader, std::string_view source_key) {
    set(profile::drive_parameters(), key, value, import_.profile, reader.place(source_key), source_key, problems_);
  }
  void remark_on(Remark::Kind kind, const Reader& reader, std::string_view key, const std::string& why) {
    const Assignment* found = reader.find(key);
    remark(import_.remarks, kind, reader.place(key), key, found != nullptr ? found->value.text : "", why);
  }
  void remark_dropped(const Reader& zone, std::string_view key, const std::vector<std::int64_t>& numbers,
                      const std::string& why);
  void stop_on_problems() const {
    if (!problems_.empty()) throw ConfigError(problems_);
  }

  const Document& document_;
  ImportOptions options_;
  Import import_;
  Problems problems_;
  double time_scale_ = 1;
  double per_request_us_ = 0;
  std::uint32_t scheme_ = 0;
  std::uint32_t range_ = 1;
};

double Importer::scaled(const Value& value, Scale scale) const {
  switch (scale) {
    case Scale::One: return value.real;
    case Scale::Milliseconds: return value.shifted(3);
    case Scale::Overhead: return value.shifted(3) * time_scale_;
    case Scale::Command: return (value.shifted(3) + per_request_us_) * time_scale_;
  }
  return 0;
}

template <typename Object>
void Importer::carry(const Reader& reader, const params::Table<Object>& parameters, Object& object) {
  for (const Row& row : reader.table()) {
    const Assignment* found = reader.find(row.key);
    if (row.fate != Fate::Carried || found == nullptr) continue;
    set(parameters, row.profile_key, scaled(found->value, row.scale), object, found->value.place, row.key, problems_);
  }
  reader.remark_lost(import_.remarks);
}

// --- which disk --------------------------------------------------------------------------------------------------------

const std::string* Importer::spec_of(const std::string& component) const {
  for (const Instantiation& instantiation : document_.instantiations)
    for (const Value& name : instantiation.components)
      if (name.kind == Value::Kind::Word && name.text == component) return &instantiation.type;
  return nullptr;
}

/// The block that a component of the topology is made from.
const Block& Importer::block_of(const Value& component) const {
  const std::string* spec = spec_of(component.name);
  if (spec == nullptr)
    throw error_at(component.place, fmt::format("nothing instantiates the component {}", component.name));
  const auto found = document_.named.find(*spec);
  if (found == document_.named.end())
    throw error_at(component.place, fmt::format("there is no block {}, of which {} is made", *spec, component.name));
  return *found->second;
}

void Importer::walk(const Value& component, std::vector<const Value*>& path, std::vector<Candidate>& found) {
  if (component.kind != Value::Kind::Component) return;
  if (component.text == "disksim_disk") {
    Candidate candidate;
    candidate.spec = block_of(component).name;
    candidate.component = component.name;
    candidate.place = component.place;
    candidate.path = path;
    found.push_back(std::move(candidate));
  }
  const bool between = component.text == "disksim_bus" || component.text == "disksim_ctlr";
  if (between) path.push_back(&component);
  for (const Value& below : component.items) walk(below, path, found);
  if (between) path.pop_back();
}

std::vector<Importer::Candidate> Importer::candidates() {
  std::vector<Candidate> found;
  std::vector<const Value*> path;
  for (const Value& component : document_.topologies) walk(component, path, found);
  if (!found.empty()) return found;
  const auto is_disk = [this](const std::string& name) {
    const auto block = document_.named.find(name);
    return block != document_.named.end() && block->second->type == "disksim_disk";
  };
  for (const Instantiation& instantiation : document_.instantiations)
    if (is_disk(instantiation.type)) found.push_back({instantiation.type, "", instantiation.place, {}});
  if (!found.empty()) return found;
  for (const std::string_view type : {"disksim_disk", "dm_disk"}) {
    for (const auto& block : document_.blocks)
      if (block->type == type && document_.named.at(block->name) == block) found.push_back({block->name, "", block->place, {}});
    if (!found.empty()) break;
  }
  return found;
}

Importer::Candidate Importer::choose() {
  std::vector<Candidate> found = candidates();
  std::vector<std::string_view> names;
  for (const Candidate& candidate : found)
    if (std::find(names.begin(), names.end(), candidate.spec) == names.end()) names.push_back(candidate.spec);
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  const std::string& file = document_.files.front();
  if (found.empty()) {
    stop_on_problems();  // misspelt block types are the likelier cause
    throw core::InputError(file, 0, 0, "describes no disk, expected a block disksim_disk or dm_disk");
  }
  if (!options_.disk.empty()) {
    for (const Candidate& candidate : found)
      if (candidate.spec == options_.disk || candidate.component == options_.disk) return candidate;
    throw core::InputError(file, 0, 0, fmt::format("has no disk {}{}; there is {}", options_.disk,
                                                   core::did_you_mean(options_.disk, names), list));
  }
  if (names.size() > 1)
    throw core::InputError(file, 0, 0, fmt::format("has {} disks: {}; --disk names the one to take", names.size(), list));
  return found.front();
}

void Importer::check_block_types() {
  std::vector<std::string_view> known(kOtherBlocks.begin(), kOtherBlocks.end());
  known.insert(known.end(), kReadBlocks.begin(), kReadBlocks.end());
  for (const auto& block : document_.blocks) {
    if (std::find(known.begin(), known.end(), block->type) != known.end()) continue;
    if (core::nearest_name(block->type, known).empty())
      remark(import_.remarks, Remark::Kind::NotCarriedOver, block->place, block->type, block->name, "unknown type of block");
    else
      report(problems_, block->place, block->type, "there is no such type of block" + core::did_you_mean(block->type, known));
  }
  for (const auto& block : document_.redefined)
    remark(import_.remarks, Remark::Kind::NoEffect, block->place, block->type, block->name,
           fmt::format("the name is taken by the block of line {}, which counts",
                       document_.named.at(block->name)->place.line));
}

Import Importer::run() {
  import_.files = document_.files;
  check_block_types();
  const Candidate candidate = choose();
  const Block& block = *document_.named.at(candidate.spec);
  DriveProfile& profile = import_.profile;
  profile.name = options_.name.empty() ? candidate.spec : options_.name;
  // Overheads that were measured on a drive contain its firmware's time.
  profile.firmware_base_cycles = 0;
  profile.firmware_candidate_cycles = 0;
  if (block.type == "dm_disk") {
    profile.bus_overlap = false;
    read_model(block);
    remark(import_.remarks, Remark::Kind::NotCarriedOver, block.place, block.type, block.name,
           "holds layout and mechanics only: overheads, bus and cache are left empty");
  } else {
    if (block.type != "disksim_disk")
      throw error_at(block.place, fmt::format("{} is a {}, expected a disksim_disk", block.name, block.type));
    read_disk(block, candidate);
  }
  stop_on_problems();
  try {
    const mechanics::AccessPlanner planner(profile);
    import_.blocks = planner.geometry().block_count();
  } catch (const std::invalid_argument& error) {
    throw error_at(block.place, fmt::format("the disk {} cannot be built: {}", block.name, error.what()));
  }
  for (Remark& entry : import_.remarks)
    if (entry.key == "Block count") entry.why = fmt::format("the zones hold {} blocks, which counts", import_.blocks);
  import_.remarks.erase(std::remove_if(import_.remarks.begin(), import_.remarks.end(),
                                       [this](const Remark& entry) {
                                         return entry.key == "Block count" && entry.value == std::to_string(import_.blocks);
                                       }),
                        import_.remarks.end());
  const auto order = [this](const Remark& entry) {
    const auto file = std::find(import_.files.begin(), import_.files.end(), entry.file);
    return std::make_tuple(entry.kind, file - import_.files.begin(), entry.line, entry.column);
  };
  std::stable_sort(import_.remarks.begin(), import_.remarks.end(),
                   [&order](const Remark& a, const Remark& b) { return order(a) < order(b); });
  return std::move(import_);
}

// --- the disk ----------------------------------------------------------------------------------------------------------

void Importer::read_disk(const Block& block, const Candidate& candidate) {
  const Reader disk(block, disk_table(), problems_);
  if (const Assignment* queue = disk.find("Scheduler"); queue != nullptr && queue->value.block) {
    if (queue->value.block->type == "disksim_ioqueue") {
      carry(Reader(*queue->value.block, queue_table(), problems_));
    } else {
      report(problems_, queue->value.place, "Scheduler",
             fmt::format("found {}, expected a block disksim_ioqueue", queue->value.what()));
    }
  }
  if (const Assignment* model = disk.find("Model"); model != nullptr && model->value.block) {
    if (model->value.block->type == "dm_disk")
      read_model(*model->value.block);
    else
      report(problems_, model->value.place, "Model", fmt::format("found {}, expected a block dm_disk", model->value.what()));
  }
  stop_on_problems();
  time_scale_ = disk.number("Time scale for overheads");
  per_request_us_ = disk.microseconds("Per-request overhead time");
  carry(disk);
  read_overheads(disk);
  read_extra_disconnect(disk);
  read_cache(disk);
  read_bus(disk, candidate);

  const double depth = disk.number("Max queue length");
  if (import_.profile.bus_never_disconnect) {
    import_.profile.queue_depth = 1;
    if (depth > 1)
      remark_on(Remark::Kind::Changed, disk, "Max queue length", "1: no command comes while another one keeps the bus");
    return;
  }
  if (depth > 1) set_drive("queue.depth", std::min(depth, 256.0), disk, "Max queue length");
  if (depth > 256) remark_on(Remark::Kind::Changed, disk, "Max queue length", "a queue has at most 256 tags");
}

void Importer::read_bus(const Reader& disk, const Candidate& candidate) {
  const double own = disk.microseconds("Bulk sector transfer time");
  std::array<double, 2> block_us{own, own};  // to the host, from it
  std::array<std::string, 2> from{"Bulk sector transfer time", "Bulk sector transfer time"};
  bool nearest_bus = true;
  bool nearest_controller = true;
  // The disk, its bus and the controller at the other end: the slowest sets the pace.
  for (auto part = candidate.path.rbegin(); part != candidate.path.rend(); ++part) {
    const Value& component = **part;
    const bool is_bus = component.text == "disksim_bus";
    const Block& block = block_of(component);
    if (block.type != component.text) {
      report(problems_, component.place, component.name,
             fmt::format("is made of {}, a {}, expected a {}", block.name, block.type, component.text));
      continue;
    }
    const std::size_t before = problems_.size();
    const Reader reader(block, is_bus ? bus_table() : controller_table(), problems_);
    if (problems_.size() != before) continue;
    bool& nearest = is_bus ? nearest_bus : nearest_controller;
    if (!nearest) {
      for (const Row& row : reader.table())
        if (row.fate == Fate::Used && reader.number(row.key) != 0)
          remark_on(Remark::Kind::NotCarriedOver, reader, row.key, "lies further from the drive than its own bus");
    } else if (is_bus) {
      block_us[0] = std::max(block_us[0], reader.microseconds("Read block transfer time"));
      block_us[1] = std::max(block_us[1], reader.microseconds("Write block transfer time"));
    } else {
      for (double& us : block_us) us = std::max(us, reader.microseconds("Bulk sector transfer time"));
    }
    nearest = false;
    reader.remark_lost(import_.remarks);
  }
  set_drive("bus.read_block_us", block_us[0], disk, "Bulk sector transfer time");
  set_drive("bus.write_block_us", block_us[1], disk, "Bulk sector transfer time");

  // Up to level 1 the arm waits until the data of the last command has left the drive.
  const double preseeking = disk.number("Preseeking level");
  import_.profile.bus_overlap = preseeking == 2;
  if (preseeking == 1)
    remark_on(Remark::Kind::Changed, disk, "Preseeking level", "as 0: the two differ by the completion overhead only");

  // Where a read's transfer begins.
  const double high = disk.number("High (read) water mark");
  if (disk.flag("Set watermark by reqsize")) {
    set_drive("bus.read_watermark", high, disk, "High (read) water mark");
  } else if (const double blocks = std::ceil(high * disk.number("Segment size (in blks)")); blocks > 1) {
    import_.profile.bus_read_watermark = 1;
    remark_on(Remark::Kind::Changed, disk, "High (read) water mark",
              fmt::format("a share of the segment, here of the request: right for reads of up to {} blocks", blocks));
  }
  if (disk.number("Read disconnect afterwrite") != disk.number("Read disconnect afterread"))
    remark_on(Remark::Kind::Changed, disk, "Read disconnect afterwrite", "as after a read");
}

void Importer::read_overheads(const Reader& disk) {
  // With write caching every write has the overheads of a "hit", whatever the buffer holds; without it those of a "miss".
  const bool cached = disk.number("Fast write level") != 0;
  for (const std::string last : {"read", "write"}) {
    const std::string hit = "Write hit over. after " + last;
    const std::string miss = "Write miss over. after " + last;
    const std::string& taken = cached ? hit : miss;
    const std::string& left = cached ? miss : hit;
    if (const Assignment* found = disk.find(taken))
      set_drive("overhead.write_after_" + last + "_us", scaled(found->value, Scale::Command), disk, taken);
    if (disk.number(left) != 0 && disk.number(left) != disk.number(taken))
      remark_on(Remark::Kind::NoEffect, disk, left,
                fmt::format("at Fast write level {:g} every write is a \"{}\"", disk.number("Fast write level"),
                            cached ? "hit" : "miss"));
  }
  if (disk.number("Minimum seek delay") != 0)
    remark_on(Remark::Kind::Changed, disk, "Minimum seek delay", "for writes on the track under the head; seeks are longer");
}

/// A write that leaves the bus before its data has come.
void Importer::read_extra_disconnect(const Reader& disk) {
  const bool extra = disk.flag("Extra write disconnect");
  if (disk.number("Other reselect overhead") != 0)
    remark_on(extra ? Remark::Kind::NotCarriedOver : Remark::Kind::NoEffect, disk, "Other reselect overhead",
              extra ? "a write leaves the bus once only" : "there is no Extra write disconnect, for which alone it counts");
  for (const std::string_view key : {"Extradisc disconnect overhead", "Extradisc inter-disconnect delay",
                                     "Extradisc 2nd disconnect overhead", "Extradisc command overhead",
                                     "Extradisc seek delta"}) {
    if (disk.number(key) == 0) continue;
    if (!extra)
      remark_on(Remark::Kind::NoEffect, disk, key, "there is no Extra write disconnect");
    else
      remark_on(Remark::Kind::NotCarriedOver, disk, key, "a write leaves the bus once only");
  }
  if (!extra) return;
  // DiskSim lets such a drive write its first sector when so many blocks have come (15 from 45 blocks on).
  import_.profile.bus_write_watermark_blocks = 10;
  remark_on(Remark::Kind::Changed, disk, "Extra write disconnect",
            "writing begins with 10 blocks in the buffer; DiskSim waits for 15 if there are 45 or more");
}

void Importer::read_cache(const Reader& disk) {
  profile::CacheProfile& cache = import_.profile.cache;
  if (!disk.flag("Enable caching in buffer")) cache.segments = 0;
  if (disk.number("Enable caching in buffer") == 2)
    remark_on(Remark::Kind::Changed, disk, "Enable caching in buffer", "as 1");
  // A drive that takes the sectors of a track as they come deals in whole tracks, and keeps what the host has got. DiskSim says nothing
  // on this: there all drives keep it.
  cache.keep_read_blocks = import_.profile.zero_latency_read;
  const double level = disk.number("Buffer continuous read");
  const double least = disk.number("Minimum read-ahead (blks)");
  const double most = std::max(disk.number("Maximum read-ahead (blks)"), least);
  if (level != 0) set_drive("cache.read_ahead_blocks", most, disk, "Maximum read-ahead (blks)");
  if (level != 0 && least != 0)
    remark_on(Remark::Kind::NotCarriedOver, disk, "Minimum read-ahead (blks)", "any command stops the read-ahead");
  if (most != 0 && (level == 0 || level == 4))
    remark_on(Remark::Kind::NoEffect, disk, "Maximum read-ahead (blks)",
              level == 0 ? "there is no read-ahead" : "at Buffer continuous read 4 the track alone limits the read-ahead");
  const double over = disk.number("Read-ahead over requested");
  cache.read_ahead_from_request_start = over != 0;
  if (over == -1)
    remark_on(Remark::Kind::Changed, disk, "Read-ahead over requested",
              "as 1; DiskSim drops a read's blocks from the segment when they have been sent");
  else if (over != 0 && (level == 0 || level == 4 || most != 0))
    remark_on(Remark::Kind::NoEffect, disk, "Read-ahead over requested",
              "it counts where the segment's size alone limits the read-ahead");
}

// --- layout and mechanics ------------------------------------------------------------------------------------------------

void Importer::read_model(const Block& block) {
  const Reader model(block, model_table(), problems_);
  const auto part = [&](std::string_view key, std::string_view type) -> const Block* {
    const Assignment* found = model.find(key);
    if (found == nullptr || !found->value.block) return nullptr;
    if (found->value.block->type == type) return found->value.block.get();
    report(problems_, found->value.place, key, fmt::format("found {}, expected a block {}", found->value.what(), type));
    return nullptr;
  };
  const Block* mechanics_block = part("Mechanical Model", "dm_mech_g1");
  const Block* layout_block = part("Layout Model", "dm_layout_g1");
  std::optional<Reader> mechanics;
  std::optional<Reader> layout;
  if (mechanics_block != nullptr) mechanics.emplace(*mechanics_block, mechanics_table(), problems_);
  if (layout_block != nullptr) layout.emplace(*layout_block, layout_table(), problems_);
  stop_on_problems();
  carry(model);
  remark_on(Remark::Kind::NoEffect, model, "Block count", "");  // taken back where it is right
  carry(*mechanics);
  carry(*layout);
  stop_on_problems();
  const std::string access = mechanics->word("Access time type");
  if (access != "trackSwitchPlusRotation") {
    if (access == "constant" || access == "averageRotation")
      remark_on(Remark::Kind::NoEffect, *mechanics, "Access time type", "DiskSim 4.0 always works out the access");
    else
      report(problems_, mechanics->place("Access time type"), "Access time type",
             fmt::format("found {}, expected trackSwitchPlusRotation, averageRotation or constant", access));
  }
  read_seek(*mechanics);
  read_layout(*layout);
}

void Importer::read_seek(const Reader& mechanics) {
  struct SeekType {
    std::string_view name;
    std::vector<std::string_view> keys;
  };
  static const std::vector<SeekType> types = {
      {"constant", {"Constant seek time"}},
      {"linear", {"Single cylinder seek time", "Average seek time", "Full strobe seek time"}},
      {"curve", {"Single cylinder seek time", "Average seek time", "Full strobe seek time"}},
      {"hpl", {"HPL seek equation values"}},
      {"hplplus10", {"HPL seek equation values", "First ten seek times"}},
      {"extracted", {"Full seek curve"}},
  };
  const std::string name = mechanics.word("Seek type");
  const auto type = std::find_if(types.begin(), types.end(), [&name](const SeekType& t) { return t.name == name; });
  if (type == types.end()) {
    std::vector<std::string_view> names;
    std::string list;
    for (const SeekType& t : types) {
      names.push_back(t.name);
      list += (list.empty() ? "" : ", ") + std::string(t.name);
    }
    report(problems_, mechanics.place("Seek type"), "Seek type",
           fmt::format("found {}, expected one of {}{}", name, list, core::did_you_mean(name, names)));
    return;
  }
  std::set<std::string_view> all;
  for (const SeekType& t : types) all.insert(t.keys.begin(), t.keys.end());
  const std::size_t before = problems_.size();
  for (const std::string_view key : all) {
    const Assignment* found = mechanics.find(key);
    const bool wanted = std::find(type->keys.begin(), type->keys.end(), key) != type->keys.end();
    if (wanted && found == nullptr)
      report(problems_, mechanics.place(), key, fmt::format("is missing: Seek type {} needs it", name));
    if (!wanted && found != nullptr)
      remark(import_.remarks, Remark::Kind::NoEffect, found->place, key,
             found->value.kind == Value::Kind::List ? "a list" : found->value.text,
             fmt::format("Seek type {} does not use it", name));
  }
  if (problems_.size() != before) return;

  profile::SeekProfile& seek = import_.profile.seek;
  if (name == "extracted") return read_seek_file(mechanics);
  if (name == "constant") {
    const double us = mechanics.microseconds("Constant seek time");
    seek.points_us = {{1, us}, {2, us}};
    return remark_on(Remark::Kind::Changed, mechanics, "Seek type", "as DiskSim's manual says; its code for this is defective");
  }
  if (name == "linear" || name == "curve") return read_three_points(mechanics, name == "curve");

  std::vector<double> values;
  if (!read_list(mechanics, "HPL seek equation values", 6, values)) return;
  seek.model = profile::SeekModel::SqrtLinear;
  // The first value is in cylinders, and the root holds below it.
  seek.knee_cylinders = static_cast<std::uint32_t>(std::clamp(values[0] / 1000 - 1, 0.0, 1e6));
  seek.a_us = values[1];
  seek.b_us = values[2];
  seek.c_us = values[3];
  seek.d_us = values[4];
  if (name == "hpl") {
    if (values[5] != -1000) seek.points_us = {{1, values[5]}};
    return;
  }
  std::vector<double> ten;
  if (!read_list(mechanics, "First ten seek times", 10, ten)) return;
  for (std::size_t i = 0; i < ten.size(); ++i) seek.points_us.emplace_back(static_cast<std::uint32_t>(i + 1), ten[i]);
}

/// Reads a list of times; of a longer list the first ones.
bool Importer::read_list(const Reader& mechanics, std::string_view key, std::size_t count, std::vector<double>& us) {
  const Value& list = mechanics.find(key)->value;
  if (list.items.size() < count) {
    report(problems_, list.place, key, fmt::format("has {} values, expected {}", list.items.size(), count));
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value& value = list.items[i];
    const bool may_be_negative = count == 6 && i == 5;
    if (!value.is_number() || (value.real < 0 && !may_be_negative)) {
      report(problems_, value.place, key, fmt::format("found {}, expected a number from 0", value.what()));
      return false;
    }
    us.push_back(value.shifted(3));
  }
  return true;
}

void Importer::read_seek_file(const Reader& mechanics) {
  const Assignment& assignment = *mechanics.find("Full seek curve");
  const fs::path file = fs::path(*mechanics.place().file).parent_path() / assignment.value.text;
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw error_at(assignment.value.place, fmt::format("the seek curve {}: no such file", file.string()));
  std::vector<SeekPoint> points = read_seek_curve(file);
  import_.files.push_back(file.string());
  const auto by_distance = [](const SeekPoint& a, const SeekPoint& b) { return a.distance < b.distance; };
  const auto name = std::make_shared<const std::string>(file.string());
  const auto changed = [&](std::size_t line, std::uint32_t distance, const std::string& why) {
    remark(import_.remarks, Remark::Kind::Changed, {name, line, 1}, "seek distance", std::to_string(distance), why);
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (!by_distance(points[i], points[i - 1])) continue;
    changed(points[i].line, points[i].distance, "the distances are not in ascending order; sorted here");
    break;
  }
  std::stable_sort(points.begin(), points.end(), by_distance);
  auto& table = import_.profile.seek.points_us;
  for (const SeekPoint& point : points) {
    if (point.distance == 0) {
      if (point.us != 0) changed(point.line, 0, "a seek of no distance takes no time");
    } else if (!table.empty() && table.back().first == point.distance) {
      changed(point.line, point.distance, "stands twice; the first one counts");
    } else {
      table.emplace_back(point.distance, point.us);
    }
  }
  if (table.empty()) {
    report(problems_, {name, points.front().line, 1}, "", "holds no distance above 0");
    return;
  }
  if (table.size() == 1) table.emplace_back(table.front().first + 1, table.front().second);
  if (table.front().first > 1)
    changed(points.front().line, table.front().first, "is the shortest distance; its time holds for shorter ones as well");
}

/// Three times and a line or curve through them.
void Importer::read_three_points(const Reader& mechanics, bool curve) {
  const double one = mechanics.microseconds("Single cylinder seek time");
  const double average = mechanics.microseconds("Average seek time");
  const double full = mechanics.microseconds("Full strobe seek time");
  const std::uint32_t cylinders = import_.profile.geometry.cylinders;
  const double count = cylinders;
  profile::SeekProfile& seek = import_.profile.seek;
  // Lee (1993): the mean over all pairs of cylinders is the average time.
  const double root = (-10 * one + 15 * average - 5 * full) / (3 * std::sqrt(count));
  const double slope = (7 * one - 15 * average + 8 * full) / (3 * count);
  if (curve && average > one && root >= 0 && slope >= 0 && cylinders >= 8) {
    const auto time = [&](double distance) { return one + root * std::sqrt(distance - 1) + slope * (distance - 1); };
    seek.model = profile::SeekModel::ThreePoint;  // the same curve by three of its points
    seek.single_us = one;
    seek.average_us = time((count - 1) / 3);
    seek.full_us = time(count - 1);
    return remark_on(Remark::Kind::Changed, mechanics, "Seek type", "as DiskSim's manual says; its code for this is defective");
  }
  const auto line = [&](double distance) {
    return distance <= count / 3 ? one + 3 * (distance - 1) / count * (average - one)
                                 : average + (3 * distance - count) / (2 * count) * (full - average);
  };
  std::set<std::uint32_t> distances{1, 2, cylinders / 3, cylinders / 3 + 1, std::max(cylinders, 2u) - 1};
  distances.erase(0);
  for (const std::uint32_t distance : distances) seek.points_us.emplace_back(distance, line(distance));
  remark_on(Remark::Kind::Changed, mechanics, "Seek type",
            curve ? "no such curve goes through these times; straight lines, as DiskSim's manual says"
                  : "as DiskSim's manual says; its code for this is defective");
}

void Importer::read_layout(const Reader& layout) {
  profile::GeometryProfile& geometry = import_.profile.geometry;
  scheme_ = layout.whole("Sparing scheme used");
  range_ = layout.whole("Rangesize for sparing");
  static constexpr std::array<SpareUnit, 11> units = {
      SpareUnit::Zone,     SpareUnit::Zone,     SpareUnit::Cylinder, SpareUnit::Track, SpareUnit::Cylinder, SpareUnit::Cylinder,
      SpareUnit::Cylinder, SpareUnit::Zone,     SpareUnit::Range,    SpareUnit::Zone,  SpareUnit::Zone};
  geometry.spare_unit = units[scheme_];
  geometry.spares_at_front = scheme_ == 5 || scheme_ == 6;
  geometry.slip_to_zone_end = scheme_ == 4 || scheme_ == 6;
  if (scheme_ == 8 && range_ == 0) {
    report(problems_, layout.place("Rangesize for sparing"), "Rangesize for sparing", "found 0, expected at least 1");
    return;
  }
  const std::string units_name = layout.word("Skew units");
  const Value& zones = layout.find("Zones")->value;
  if (zones.items.empty()) report(problems_, zones.place, "Zones", "has no zone");
  if (scheme_ == 8) {  // a range longer than every zone is never complete and has no spares: how long, no longer matters
    std::uint32_t longest = 1;
    for (const Value& value : zones.items)
      if (value.block) {
        Problems later;
        const Reader zone(*value.block, zone_table(), later);
        if (later.empty() && zone.whole("Last cylinder number") >= zone.whole("First cylinder number"))
          longest = std::max(longest, zone.whole("Last cylinder number") - zone.whole("First cylinder number") + 1);
      }
    geometry.range_cylinders = std::min({range_, longest, geometry.cylinders});
  }
  for (const Value& value : zones.items) {
    if (!value.block || value.block->type != "dm_layout_g1_zone") {
      report(problems_, value.place, "Zones", fmt::format("found {}, expected a block dm_layout_g1_zone", value.what()));
      continue;
    }
    const std::size_t before = problems_.size();
    const Reader zone(*value.block, zone_table(), problems_);
    if (problems_.size() == before) read_zone(zone, units_name);
  }
}

void Importer::read_zone(const Reader& zone, const std::string& layout_units) {
  profile::GeometryProfile& geometry = import_.profile.geometry;
  ZoneProfile profile;
  const std::size_t before = problems_.size();
  carry(zone, profile::zone_parameters(), profile);
  if (problems_.size() != before) return;
  constexpr std::uint32_t kMost = 262144;  // cylinders of a profile
  if (profile.last_cylinder < profile.first_cylinder || profile.last_cylinder >= kMost)
    return report(problems_, zone.place("Last cylinder number"), "Last cylinder number",
                  fmt::format("found {}, expected {} to {}", profile.last_cylinder, profile.first_cylinder, kMost - 1));
  if (profile.last_cylinder >= geometry.cylinders) {  // DiskSim never compares the two; a published file is one off
    remark_on(Remark::Kind::Changed, zone, "Last cylinder number",
              fmt::format("lies past the {} cylinders of the model, which has {} here", geometry.cylinders,
                          profile.last_cylinder + 1));
    geometry.cylinders = profile.last_cylinder + 1;
  }
  if (!geometry.zones.empty() && profile.first_cylinder <= geometry.zones.back().last_cylinder)
    return report(problems_, zone.place("First cylinder number"), "First cylinder number",
                  fmt::format("found {}, expected more than {}, where the zone before ends", profile.first_cylinder,
                              geometry.zones.back().last_cylinder));
  const std::uint64_t sectors = std::uint64_t{profile.last_cylinder - profile.first_cylinder + 1} * geometry.surfaces *
                                profile.sectors_per_track;
  if (sectors > 0xFFFF'FFFFu)
    return report(problems_, zone.place("Blocks per track"), "Blocks per track",
                  fmt::format("gives a zone of {} sectors, expected fewer than 2^32", sectors));

  const Assignment* own_units = zone.find("Skew units");
  const std::string units = own_units != nullptr ? own_units->value.text : layout_units.empty() ? "sectors" : layout_units;
  if (units != "sectors" && units != "revolutions")
    return report(problems_, zone.place("Skew units"), "Skew units",
                  fmt::format("found {}, expected sectors or revolutions", units));
  const auto skew = [&](std::string_view key) {
    const Assignment* found = zone.find(key);
    if (found == nullptr) return 0.0;
    const double value = found->value.real;
    if (units == "revolutions") return value * profile.sectors_per_track;
    if (value != std::trunc(value)) remark_on(Remark::Kind::Changed, zone, key, "DiskSim drops the fraction of a sector");
    return value;
  };
  profile.offset_sectors = skew("Offset of first block");
  profile.track_skew_sectors = skew("Skew for track switch");
  profile.cylinder_skew_sectors = skew("Skew for cylinder switch");
  read_sparing(zone, profile);
  if (problems_.size() != before) return;
  geometry.zones.push_back(std::move(profile));
}

void Importer::remark_dropped(const Reader& zone, std::string_view key, const std::vector<std::int64_t>& numbers,
                              const std::string& why) {
  if (numbers.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < numbers.size() && i < 8; ++i) list += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  if (numbers.size() > 8) list += fmt::format(", ... ({})", numbers.size());
  remark(import_.remarks, Remark::Kind::NotCarriedOver, zone.place(key), key, list, why);
}

/// Slips of a zone that has so many sectors or tracks.
std::vector<std::uint32_t> Importer::read_slips(const Reader& zone, std::uint32_t places) {
  const Value& list = zone.find("slips")->value;
  std::vector<std::uint32_t> slips;
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> twice;
  for (const Value& value : list.items) {
    if (value.kind != Value::Kind::Whole || value.whole < 0) {
      report(problems_, value.place, "slips", fmt::format("found {}, expected a whole number from 0", value.what()));
      return {};
    }
    if (value.whole >= places)
      outside.push_back(value.whole);
    else
      slips.push_back(static_cast<std::uint32_t>(value.whole));
  }
  if (!std::is_sorted(slips.begin(), slips.end())) {
    std::sort(slips.begin(), slips.end());
    remark(import_.remarks, Remark::Kind::Changed, zone.place("slips"), "slips", fmt::format("a list of {}", slips.size()),
           "is not in ascending order; sorted here, while DiskSim, which takes it as it stands, misses some of the slips");
  }
  for (std::size_t i = 1; i < slips.size(); ++i)
    if (slips[i] == slips[i - 1]) twice.push_back(slips[i]);
  slips.erase(std::unique(slips.begin(), slips.end()), slips.end());
  remark_dropped(zone, "slips", outside, "past the zone's end");
  remark_dropped(zone, "slips", twice, "named twice; counted once");
  return slips;
}

void Importer::read_sparing(const Reader& zone, ZoneProfile& profile) {
  const profile::GeometryProfile& geometry = import_.profile.geometry;
  const std::uint32_t cylinders = profile.last_cylinder - profile.first_cylinder + 1;
  const std::uint32_t tracks = cylinders * geometry.surfaces;
  const std::uint32_t sectors = tracks * profile.sectors_per_track;
  const std::uint32_t spares = zone.whole("Number of spares");
  const bool by_track = scheme_ == 1;
  std::vector<std::uint32_t> slips = read_slips(zone, by_track ? tracks : sectors);
  const auto listed = static_cast<std::uint32_t>(zone.find("slips")->value.items.size());
  std::uint64_t held = spares;
  switch (scheme_) {
    case 0:
      held = 0;
      remark_dropped(zone, "slips", {slips.begin(), slips.end()}, "sparing scheme 0 has no slips");
      slips.clear();
      break;
    case 1: held = std::uint64_t{spares} * profile.sectors_per_track; break;
    case 7: held = listed; break;  // what the disk's end takes up: so much less stays in this zone
    case 8: held = cylinders >= range_ ? spares : 0; break;  // a zone shorter than a range has none
    case 10: held = std::uint64_t{spares} + listed; break;
    default: break;
  }
  if ((scheme_ == 0 || scheme_ == 7) && spares != 0)
    remark_on(Remark::Kind::NoEffect, zone, "Number of spares", fmt::format("sparing scheme {} does not use it", scheme_));
  if (held > sectors)
    return report(problems_, zone.place("Number of spares"), "Number of spares",
                  fmt::format("found {}, but the zone has {} sectors in all", spares, sectors));
  profile.spare_sectors = static_cast<std::uint32_t>(held);
  if (by_track) {
    std::vector<std::int64_t> excess;
    while (slips.size() > spares) {
      excess.push_back(slips.back());
      slips.pop_back();
    }
    remark_dropped(zone, "slips", excess, "more than the zone's spare tracks");
    profile.slipped_tracks = std::move(slips);
  } else {
    profile.slips = std::move(slips);
    drop_slips_without_spares(zone, profile);
  }
  try {
    const mechanics::Geometry alone(with_only(profile));
  } catch (const std::invalid_argument& error) {
    return report(problems_, zone.place(), "Zones", error.what());
  }
  read_defects(zone, profile);
}

/// In the order of the zone: of each unit's slips only as many as it has spares, and none of the spares themselves where slips
/// leave those alone.
void Importer::drop_slips_without_spares(const Reader& zone, ZoneProfile& profile) {
  const profile::GeometryProfile& geometry = import_.profile.geometry;
  const std::uint64_t cylinder_sectors = std::uint64_t{geometry.surfaces} * profile.sectors_per_track;
  const std::uint64_t sectors = cylinder_sectors * (profile.last_cylinder - profile.first_cylinder + 1);
  const std::uint64_t unit_sectors = geometry.spare_unit == SpareUnit::Zone       ? sectors
                                     : geometry.spare_unit == SpareUnit::Range    ? cylinder_sectors * range_
                                     : geometry.spare_unit == SpareUnit::Cylinder ? cylinder_sectors
                                                                                  : profile.sectors_per_track;
  std::vector<std::uint32_t> kept;
  std::vector<std::int64_t> dropped;
  std::uint64_t unit = 0;
  std::uint32_t in_unit = 0;  // slips kept so far
  for (const std::uint32_t slip : profile.slips) {
    if (slip / unit_sectors != unit) in_unit = 0;
    unit = slip / unit_sectors;
    const std::uint64_t place = slip % unit_sectors;
    bool keep = false;
    if (geometry.slip_to_zone_end)
      keep = geometry.spares_at_front ? place >= profile.spare_sectors : place + profile.spare_sectors < unit_sectors;
    else
      keep = in_unit < profile.spare_sectors && (unit + 1) * unit_sectors <= sectors;
    if (keep) {
      kept.push_back(slip);
      ++in_unit;
    } else {
      dropped.push_back(slip);
    }
  }
  remark_dropped(zone, "slips", dropped,
                 geometry.slip_to_zone_end ? "a spare sector" : "more than the spare sectors that are there for them");
  profile.slips = std::move(kept);
}

profile::GeometryProfile Importer::with_only(const ZoneProfile& zone) const {
  profile::GeometryProfile alone = import_.profile.geometry;
  alone.zones = {zone};
  return alone;
}

bool Importer::holds_block(const mechanics::Geometry& geometry, const ZoneProfile& zone, std::uint32_t physical) const {
  const profile::GeometryProfile& profile = import_.profile.geometry;
  const std::uint32_t track = physical / zone.sectors_per_track;
  const std::uint32_t cylinder = track / profile.surfaces;
  const std::uint32_t order = track % profile.surfaces;
  const bool reversed = profile.mapping == profile::Mapping::Serpentine ? cylinder % 2 != 0
                        : profile.mapping == profile::Mapping::SerpentineAbsolute
                            ? (zone.first_cylinder + cylinder) % 2 != 0
                            : false;
  return geometry
      .to_logical({core::Cylinder(zone.first_cylinder + cylinder),
                   core::Head(reversed ? profile.surfaces - 1 - order : order),
                   core::SectorIndex(physical % zone.sectors_per_track)})
      .has_value();
}

/// Pairs of a defective place and its replacement: sectors, or tracks where whole tracks are spared.
void Importer::read_defects(const Reader& zone, ZoneProfile& profile) {
  const Value& list = zone.find("defects")->value;
  if (list.items.size() % 2 != 0)
    return report(problems_, list.place, "defects", "has an odd number of values, expected pairs of a place and its replacement");
  for (const Value& value : list.items)
    if (value.kind != Value::Kind::Whole || value.whole < 0)
      return report(problems_, value.place, "defects", fmt::format("found {}, expected a whole number from 0", value.what()));
  const std::int64_t width = scheme_ == 1 ? profile.sectors_per_track : 1;
  const std::int64_t places = std::int64_t{profile.last_cylinder - profile.first_cylinder + 1} *
                              import_.profile.geometry.surfaces * profile.sectors_per_track / width;
  constexpr std::int64_t kMostRemaps = 1 << 22;  // a table of tracks, written out as sectors
  if (static_cast<std::int64_t>(list.items.size() / 2) * width > kMostRemaps)
    return report(problems_, list.place, "defects", fmt::format("has more than {} sectors", kMostRemaps));
  const mechanics::Geometry geometry(with_only(profile));
  std::vector<std::int64_t> outside;
  std::vector<std::int64_t> twice;
  std::vector<std::int64_t> in_use;
  std::set<std::int64_t> bad_places;
  std::set<std::int64_t> replacements;
  for (std::size_t i = 0; i < list.items.size(); i += 2) {
    const std::int64_t bad = list.items[i].whole;
    const std::int64_t replacement = list.items[i + 1].whole;
    if (bad == replacement) continue;
    if (bad >= places || replacement >= places) {
      outside.push_back(bad);
      continue;
    }
    if (holds_block(geometry, profile, static_cast<std::uint32_t>(replacement * width))) {
      in_use.push_back(bad);
      continue;
    }
    if (bad_places.count(bad) != 0 || replacements.count(replacement) != 0) {
      twice.push_back(bad);
      continue;
    }
    bad_places.insert(bad);
    replacements.insert(replacement);
    for (std::int64_t sector = 0; sector < width; ++sector)
      profile.remaps.emplace_back(static_cast<std::uint32_t>(bad * width + sector),
                                  static_cast<std::uint32_t>(replacement * width + sector));
  }
  remark_dropped(zone, "defects", outside, "past the zone's end");
  remark_dropped(zone, "defects", twice, "the place or its replacement is named twice");
  remark_dropped(zone, "defects", in_use, "the replacement holds a block of its own");
}

// --- what is written -----------------------------------------------------------------------------------------------------

/// Names of files may hold any bytes; a profile is UTF-8 text, and a comment ends with its line.
std::string plain(const std::string& text) {
  std::string out = nlohmann::json::parse(core::json_text(text, -1))
                        .get<std::string>();
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return out;
}

/// A file's name as seen from the folder of the first one, so that a profile is the same wherever its sources lie.
std::string relative_name(const std::string& file, const Import& import) {
  const fs::path folder = fs::path(import.files.front()).parent_path();
  const fs::path relative = fs::path(file).lexically_normal().lexically_relative(folder.lexically_normal());
  return plain(folder.empty() || relative.empty() ? fs::path(file).lexically_normal().string() : relative.string());
}

std::string_view heading(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::NotCarriedOver: return "Not carried over:";
    case Remark::Kind::Changed: return "Carried over, but not as it stands:";
    case Remark::Kind::NoEffect: return "Left out, without effect in DiskSim either:";
  }
  return {};
}

template <typename Name>
std::string listing(const Import& import, const std::string& indent, const Name& name) {
  std::string text;
  std::optional<Remark::Kind> last;
  for (const Remark& entry : import.remarks) {
    if (last != entry.kind) text += fmt::format("{}{}\n", indent, heading(entry.kind));
    last = entry.kind;
    text += fmt::format("{}  {}:{}: {}{}{}: {}\n", indent, name(entry.file), entry.line, entry.key,
                        entry.value.empty() ? "" : " = ", entry.value, entry.why);
  }
  return text;
}

}  // namespace

std::string_view to_string(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::NotCarriedOver: return "not-carried-over";
    case Remark::Kind::Changed: return "changed";
    case Remark::Kind::NoEffect: return "no-effect";
  }
  return {};
}

Import import_drive(const fs::path& file, const ImportOptions& options) {
  const Document document = read_document(file);
  Import import = Importer(document, options).run();
  std::string files;
  for (const std::string& name : import.files) files += (files.empty() ? "" : ", ") + relative_name(name, import);
  import.profile.name = plain(import.profile.name);
  import.profile.source = "DiskSim 4.0 parameters: " + files;
  return import;
}

std::string profile_file(const Import& import) {
  std::string text = fmt::format("# Made by `platter drive import` from {}.\n", import.profile.source);
  text += listing(import, "# ", [&import](const std::string& file) { return relative_name(file, import); });
  return text + profile::to_toml(import.profile);
}

std::string remarks_text(const Import& import) {
  return listing(import, "", [](const std::string& file) { return file; });
}

nlohmann::json remarks_json(const Import& import) {
  nlohmann::json remarks = nlohmann::json::array();
  for (const Remark& entry : import.remarks)
    remarks.push_back({{"kind", to_string(entry.kind)},
                       {"file", plain(entry.file)},
                       {"line", entry.line},
                       {"column", entry.column},
                       {"key", entry.key},
                       {"value", entry.value},
                       {"why", entry.why}});
  nlohmann::json files = nlohmann::json::array();
  for (const std::string& name : import.files) files.push_back(plain(name));
  return {{"name", import.profile.name}, {"files", files}, {"blocks", import.blocks}, {"remarks", remarks}};
}

}  // namespace platter::disksim
