// SPDX-License-Identifier: Apache-2.0
#include "platter/import/disksim_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "platter/core/nearest.h"

namespace platter::disksim {

namespace {

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

}  // namespace

const Table& disk_table() {
  using S = Scale;
  using T = Type;
  static const Table table = {
      used("Model", T::Block),
      optional(used("Scheduler", T::Block)),
      used("Max queue length", T::Whole),
      used("Bulk sector transfer time", T::Number, -kInfinity),
      carried("Segment size (in blks)", T::Whole, "cache.segment_blocks", S::One, 1),
      carried("Number of buffer segments", T::Whole, "cache.segments"),
      aside("Print stats", T::Whole),
      used("Per-request overhead time", T::Number),
      used("Time scale for overheads", T::Number),
      optional(carried("Hold bus entire read xfer", T::Flag, "bus.hold_read")),
      optional(carried("Hold bus entire write xfer", T::Flag, "bus.hold_write")),
      optional(carried("Allow almost read hits", T::Flag, "cache.almost_read_hits")),
      lost("Allow sneaky full read hits", T::Whole, "no command is served during a media access"),
      lost("Allow sneaky partial read hits", T::Whole, "no command is served during a media access"),
      lost("Allow sneaky intermediate read hits", T::Whole, "no command is served during a media access"),
      carried("Allow read hits on write data", T::Flag, "cache.read_hits_on_writes"),
      lost("Allow write prebuffering", T::Whole, "the data of a queued write do not come before the write is served"),
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
      lost("Combine seq writes", T::Whole, "a cached write always goes on in the segment whose end it continues", 1),
      carried("Stop prefetch in sector", T::Flag, "cache.stop_in_sector"),
      lost("Disconnect write if seek", T::Whole, "a read-ahead can be stopped during its seek"),
      no_effect("Write hit stop prefetch", T::Whole, "a write stops the read-ahead in any case", 1),
      lost("Read directly to buffer", T::Whole, "a sector is in the buffer when it has passed the head", 1),
      lost("Immed transfer partial hit", T::Whole, "the part of a partial hit that is in the buffer is sent at once", 1),
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
  constexpr std::string_view kPolicy = "the scenario sets the policy, not the drive";
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
      used("Bulk sector transfer time", T::Number, -kInfinity),
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
      aside("Flag of meadia head(smr or cmr)", T::Whole),
      aside("Number of wedges", T::Whole),
      lost("Disk Power", T::Block, "the import reads no power"),
  };
  return table;
}

const Table& mechanics_table() {
  using S = Scale;
  using T = Type;
  static const Table table = {
      used("Access time type", T::Word),
      no_effect("Constant access time", T::Number, "DiskSim 4.0 always computes the access time"),
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

const Table& pattern_layout_table() {
  using T = Type;
  static const Table table = {
      used("TP", T::List),
      used("IDX", T::List),
      optional(used("Slips", T::List)),
      optional(used("Remaps", T::List)),
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
  std::set<std::string, std::less<>> meant;  // keys meant by misspelt ones, not reported as missing too
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
           found->value.kind == Value::Kind::Block ? "a " + found->value.block->type : found->value.text, std::string(row.why));
  }
}

}  // namespace platter::disksim
