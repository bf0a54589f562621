// SPDX-License-Identifier: Apache-2.0
#include "platter/media/fault_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace platter::media {

using params::at;
using params::OneOf;
using params::Range;

namespace {

/// Of one fault, until it overlaps no other.
constexpr std::uint32_t kMaxDraws = 1'000;
constexpr std::string_view kPlaceForm = "[0-9]+/[0-9]+/[0-9]+";

std::optional<PlaceNotation> find_place(std::string_view text) {
  PlaceNotation found;
  found.notation = std::string(text);
  if (text.empty()) return found;
  const char* from = text.data();
  const char* const end = text.data() + text.size();
  std::uint32_t* const numbers[] = {&found.place.cylinder.value, &found.place.head.value, &found.place.sector.value};
  for (std::uint32_t* const number : numbers) {
    const auto [behind, error] = std::from_chars(from, end, *number);
    if (error != std::errc()) return std::nullopt;
    const bool last = number == numbers[2];
    if (last ? behind != end : (behind == end || *behind != '/')) return std::nullopt;
    from = last ? behind : behind + 1;
  }
  return found;
}

std::string place_objection(std::string_view text) {
  return fmt::format("found \"{}\", expected CYLINDER/HEAD/SECTOR, such as 120/0/17", text);
}

OneOf kind_names() {
  OneOf names;
  for (const FaultKindInfo& info : kFaultKinds) names.names.push_back(info.name);
  return names;
}

Fault base_of(const FaultParameters& row) {
  Fault fault;
  fault.kind = row.kind;
  if (row.block >= 0) fault.first = static_cast<std::uint64_t>(row.block);
  fault.blocks = static_cast<std::uint64_t>(row.blocks);
  fault.surface = row.surface >= 0 ? static_cast<std::uint32_t>(row.surface) : 0;
  fault.at = core::to_picoseconds(row.at_s, core::kPicosecondsPerSecond);
  fault.at_command = static_cast<std::uint64_t>(row.at_command);
  fault.at_access = static_cast<std::uint64_t>(row.at_access);
  fault.lasts = core::to_picoseconds(row.for_s, core::kPicosecondsPerSecond);
  fault.count = static_cast<std::uint64_t>(row.count);
  fault.tries = row.tries;
  fault.turns = row.turns;
  fault.delay = core::to_picoseconds(row.delay_ms, core::kPicosecondsPerMillisecond);
  if (row.other_block >= 0) fault.other_block = static_cast<std::uint64_t>(row.other_block);
  fault.bit = row.bit;
  return fault;
}

}  // namespace

const params::Table<FaultParameters>& fault_parameters() {
  using P = FaultParameters;
  constexpr double kMax = 9e15;
  static const params::Table<P> table = {
      params::required<P>({"kind", "", "what goes wrong", at(&P::kind), kind_names()}),
      {"drive", "", "number of the drive that has it, from 0", at(&P::drive), Range{0, 31}},
      {"block", "", "first block on the media; without eager writing it is the host's; -1: not given", at(&P::block),
       Range{-1, kMax}},
      {"blocks", "", "number of blocks", at(&P::blocks), Range{1, kMax}},
      {"surface", "", "surface: its number; -1: not given", at(&P::surface), Range{-1, 63}},
      {"place", "", "place of the first block instead of `block`: CYLINDER/HEAD/SECTOR",
       params::notated(&P::place, find_place, place_objection), params::Pattern{kPlaceForm}},
      {"drawn", "", "the first block is drawn with the run's seed, as `fault_process` places its clusters", at(&P::drawn)},
      {"at_s", "s", "simulated time at which the fault begins", at(&P::at_s), Range{0, 1e6}},
      {"at_command", "", "it begins with this command of the drive, counted from 1; 0: not by a command", at(&P::at_command),
       Range{0, kMax}},
      {"at_access", "", "it begins with this access to its blocks, counted from 1; 0: not by an access", at(&P::at_access),
       Range{0, kMax}},
      {"for_s", "s", "time from its begin to its end; 0: no end", at(&P::for_s), Range{0, 1e6}},
      {"count", "", "times that it takes effect; 0: no limit", at(&P::count), Range{0, kMax}},
      {"tries", "", "retries: number of the retry of the recovery that succeeds", at(&P::tries), Range{0, Fault::kMaxTries}},
      {"turns", "", "slow, off_track: turns that an access takes more", at(&P::turns), Range{0, Fault::kMaxTurns}},
      {"delay_ms", "ms", "late: delay of each answer; reset: time until the drive is ready", at(&P::delay_ms), Range{0, 1e9}},
      {"other_block", "", "silent_misdirected: block that is written instead; -1: not given", at(&P::other_block),
       Range{-1, kMax}},
      {"bit", "", "silent_bit: number of the bit in the block", at(&P::bit), Range{0, 65535}},
  };
  return table;
}

const params::Table<FaultProcess>& fault_process_parameters() {
  using P = FaultProcess;
  static const params::Table<P> table = {
      {"fault_process.population", "",
       "unreadable sectors are drawn with the run's seed, at the published rates of these drives; none: no such faults",
       at(&P::population), OneOf{{"none", "nearline", "enterprise", "all"}}},
      {"fault_process.age_months", "months", "age of the drives when the simulation begins", at(&P::age_months), Range{0, 240}},
      {"fault_process.rate_factor", "", "factor of the published rate", at(&P::rate_factor), Range{0.001, 1e9}},
      {"fault_process.front_share", "", "share of the clusters in the first tenth of the blocks; published: 0.2 to 0.5",
       at(&P::front_share), Range{0, 1}},
  };
  return table;
}

void check(const std::vector<FaultParameters>& faults, std::uint32_t drives, params::Findings& findings) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultParameters& f = faults[i];
    const std::string table = fmt::format("fault.{}", i);
    const auto add = [&](const char* key, const std::string& text, const char* asked_by = "kind") {
      findings.add(table + "." + key, text, *asked_by != '\0' ? table + "." + asked_by : "");
    };
    const FaultKindInfo& info = info_of(f.kind);
    const int places = (f.block >= 0 ? 1 : 0) + (f.place.notation.empty() ? 0 : 1) + (f.drawn ? 1 : 0);
    if (places > 1) add("block", "found more than one of `block`, `place` and `drawn`, expected one of them");
    if (info.place == FaultPlace::Blocks && places == 0)
      add("block", fmt::format("is missing: the kind {} needs `block`, `place` or `drawn`", info.name));
    if (info.place == FaultPlace::Surface && f.surface < 0)
      add("surface", fmt::format("is missing: the kind {} needs it", info.name));
    if (info.place != FaultPlace::Surface && f.surface >= 0)
      add("surface", fmt::format("found {}, expected none: the kind {} has no surface", f.surface, info.name), "surface");
    if (f.drive >= drives)
      add("drive", fmt::format("found {}, expected less than the {} drive{}", f.drive, drives, drives == 1 ? "" : "s"), "");
    const int begins = (f.at_s > 0 ? 1 : 0) + (f.at_command > 0 ? 1 : 0) + (f.at_access > 0 ? 1 : 0);
    if (begins > 1) add("at_s", "found more than one of `at_s`, `at_command` and `at_access`, expected one of them");
  }
}

FaultPlan::FaultPlan(const std::vector<FaultParameters>& rows, const FaultProcess& process, std::uint64_t seed, double seconds,
                     const mechanics::Geometry& geometry, std::uint32_t drives, const params::Source& source)
    : of_(drives) {
  std::vector<Fault> made(rows.size());
  const auto refuse = [&](std::size_t i, const std::string& key, const std::string& text) {
    const std::string whole = fmt::format("fault.{}.{}", i, key);
    const bool given = source.positions.count(whole) != 0;
    throw core::ConfigError({source.problem(whole, text, given ? "" : fmt::format("fault.{}.kind", i))});
  };
  const auto check = [&](std::size_t i) {
    const FaultObjection objection =
        media::objection(made[i], geometry.block_count(), geometry.surfaces(), geometry.sector_bytes(), geometry.actuators());
    if (!objection.empty()) refuse(i, objection.key, objection.text);
  };
  // A fault of the same drive that has its place, and contradicts that of row `i`: those of drawn rows come after all others.
  const auto contradicted = [&](std::size_t i) -> std::optional<std::size_t> {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const bool placed = rows[i].drawn == rows[j].drawn ? j < i : rows[i].drawn;
      if (placed && rows[j].drive == rows[i].drive && contradict(made[j], made[i])) return j;
    }
    return std::nullopt;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FaultParameters& row = rows[i];
    made[i] = base_of(row);
    if (row.drawn) continue;
    if (!row.place.notation.empty()) {
      std::optional<core::Lba> block;
      const mechanics::PhysicalAddress& place = row.place.place;
      if (place.cylinder.value < geometry.cylinders() && place.head.value < geometry.surfaces())
        block = geometry.to_logical(place);
      if (!block) refuse(i, "place", fmt::format("found \"{}\", where the drive has no block", row.place.notation));
      made[i].first = block->value;
    }
    check(i);
    if (const auto j = contradicted(i))
      refuse(i, "block",
             fmt::format("found a {} fault of blocks that the {} fault of fault.{} has from the same begin on, expected "
                         "one of them",
                         info_of(made[i].kind).name, info_of(made[*j].kind).name, *j));
  }
  core::RandomStream stream(seed, "fault places");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].drawn) continue;
    const std::uint64_t blocks = made[i].blocks;
    std::uint32_t draws = 0;
    do {  // a place that contradicts another fault by chance is drawn again
      if (draws++ == kMaxDraws)
        refuse(i, "drawn", fmt::format("found no place for the blocks beside those of other faults in {} draws", kMaxDraws));
      made[i].first = draw_block(stream, process.front_share, geometry.block_count());
      made[i].blocks = std::min(blocks, geometry.block_count() - made[i].first);
      check(i);
    } while (contradicted(i));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) of_[rows[i].drive].push_back(made[i]);
  if (!process.on()) return;
  const std::uint32_t track = geometry.track_run(core::Lba(0), 1).track_sectors;
  for (std::uint32_t drive = 0; drive < drives; ++drive) {
    const std::uint64_t own = core::RandomStream(seed, fmt::format("faults of drive {}", drive)).bits();
    for (const Fault& fault : draw_faults(process, own, seconds, geometry.block_count(), track)) of_[drive].push_back(fault);
  }
}

bool FaultPlan::any() const {
  return std::any_of(of_.begin(), of_.end(), [](const std::vector<Fault>& faults) { return !faults.empty(); });
}

}  // namespace platter::media
