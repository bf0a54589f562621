// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "platter/import/disksim_model.h"
#include "platter/mechanics/tree_layout.h"

namespace platter::disksim {

using profile::PatternNode;
using profile::PatternRun;

namespace {

constexpr std::size_t kTrackValues = 11;  ///< of an entry; one of an index node has no head
constexpr std::size_t kMaxShown = 10;     ///< problems

}  // namespace

/// Reads the nodes of a dm_layout_g4, and gives them numbers such that each one comes after those that it repeats.
class PatternLayoutReader::Nodes {
 public:
  Nodes(Carrier& carrier, const Reader& layout) : carrier_(carrier), layout_(layout) {}

  bool read();
  std::vector<PatternNode> take() { return std::move(nodes_); }
  std::uint32_t cylinders() const { return static_cast<std::uint32_t>(most_cylinder_ + 1); }
  void remark_on_angles() const;

 private:
  /// The values of one entry of an index node.
  struct Entry {
    const Value* first = nullptr;  ///< its place in the file
    std::int64_t block = 0;
    std::int64_t cylinder = 0;
    double angle = 0;
    std::int64_t blocks = 0;  ///< of one instance
    std::int64_t cylinders = 0;
    double angle_step = 0;
    std::int64_t run_blocks = 0;
    std::int64_t run_cylinders = 0;
    bool track = false;
    std::int64_t child = 0;
    std::int64_t head = 0;
  };
  struct Track {
    std::int64_t low;
    std::int64_t high;
    std::int64_t sectors;
  };

  bool read_tracks();
  bool read_entries(const Value& list, std::vector<Entry>& entries);
  /// Converts a node and those below it. Returns its new number; nothing after a problem.
  std::optional<std::uint32_t> convert(std::size_t index, std::uint32_t depth);
  bool refuse(const Place& place, std::string_view key, const std::string& why) {
    report(carrier_.problems, place, key, why);
    return false;
  }

  Carrier& carrier_;
  const Reader& layout_;
  std::vector<Track> tracks_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<bool> open_;                           ///< nodes that are being converted
  std::vector<std::optional<std::uint32_t>> known_;  ///< new numbers
  std::vector<PatternNode> nodes_;
  std::vector<std::int64_t> blocks_;  ///< of the converted nodes
  std::int64_t most_cylinder_ = 0;
};

bool PatternLayoutReader::Nodes::read_tracks() {
  const Value& list = layout_.find("TP")->value;
  if (list.items.empty() || list.items.size() % 3 != 0)
    return refuse(list.place, "TP",
                  fmt::format("has {} values, expected threes: low and high sector, sectors per track", list.items.size()));
  for (std::size_t i = 0; i < list.items.size(); i += 3) {
    for (std::size_t j = i; j < i + 3; ++j)
      if (list.items[j].kind != Value::Kind::Whole)
        return refuse(list.items[j].place, "TP", fmt::format("found {}, expected a whole number", list.items[j].what()));
    const Track track{list.items[i].whole, list.items[i + 1].whole, list.items[i + 2].whole};
    if (track.sectors < 1 || track.sectors > profile::kMaxTrackSectors)
      return refuse(list.items[i + 2].place, "TP",
                    fmt::format("found {} sectors per track, expected 1 to {}", track.sectors, profile::kMaxTrackSectors));
    if (track.low < 0 || track.high < track.low || track.high >= track.sectors)
      return refuse(list.items[i].place, "TP",
                    fmt::format("found sectors {} to {} of a track of {}", track.low, track.high, track.sectors));
    tracks_.push_back(track);
  }
  return true;
}

bool PatternLayoutReader::Nodes::read_entries(const Value& list, std::vector<Entry>& entries) {
  const std::vector<Value>& values = list.items;
  for (std::size_t at = 0; at < values.size();) {
    Entry entry;
    entry.first = &values[at];
    const bool typed = at + 8 < values.size() && values[at + 8].kind == Value::Kind::Word;
    entry.track = typed && values[at + 8].text == "TRACK";
    if (!typed || (!entry.track && values[at + 8].text != "IDX"))
      return refuse(entry.first->place, "IDX",
                    "expected an entry: lbn, cyl, off, len, cyllen, alen, runlen, cylrunlen, TRACK or IDX, child, and of a "
                    "TRACK the head");
    const std::size_t size = entry.track ? kTrackValues : kTrackValues - 1;
    if (at + size > values.size())
      return refuse(entry.first->place, "IDX", fmt::format("the entry has {} values, expected {}", values.size() - at, size));
    const auto whole = [&](std::size_t offset, std::int64_t& to, std::int64_t least, std::int64_t most, const char* name) {
      const Value& value = values[at + offset];
      to = value.whole;
      if (value.kind == Value::Kind::Whole && to >= least && to <= most) return true;
      return refuse(value.place, "IDX",
                    fmt::format("found {} as {}, expected a whole number from {} to {}", value.what(), name, least, most));
    };
    const auto turns = [&](std::size_t offset, double& to, const char* name) {
      const Value& value = values[at + offset];
      to = value.real;
      constexpr double kMax = 1e6;
      if (value.is_number() && std::abs(to) <= kMax) return true;
      return refuse(value.place, "IDX", fmt::format("found {} as {}, expected a number of turns", value.what(), name));
    };
    constexpr auto kBlocks = static_cast<std::int64_t>(mechanics::kMaxBlocks);
    constexpr std::int64_t kCylinders = profile::kMaxCylinders;
    const bool good = whole(0, entry.block, 0, kBlocks, "lbn") && whole(1, entry.cylinder, 0, kCylinders - 1, "cyl") &&
                      turns(2, entry.angle, "off") && whole(3, entry.blocks, 1, kBlocks, "len") &&
                      whole(4, entry.cylinders, 1, kCylinders, "cyllen") && turns(5, entry.angle_step, "alen") &&
                      whole(6, entry.run_blocks, 1, kBlocks, "runlen") &&
                      whole(7, entry.run_cylinders, -kCylinders, kCylinders, "cylrunlen") &&
                      whole(9, entry.child, 0, 0xFFFF'FFFF, "child") &&
                      (!entry.track || whole(10, entry.head, 0, carrier_.profile().geometry.surfaces - 1, "head"));
    if (!good) return false;
    if (entry.run_blocks % entry.blocks != 0)
      return refuse(entry.first->place, "IDX",
                    fmt::format("runlen {} is no multiple of len {}: the run does not divide", entry.run_blocks, entry.blocks));
    const std::int64_t count = entry.run_blocks / entry.blocks;
    if (count > kCylinders || std::abs(entry.run_cylinders) != count * entry.cylinders)
      return refuse(entry.first->place, "IDX",
                    fmt::format("cylrunlen is {}, expected {} or {}: {} instances of {} cylinders", entry.run_cylinders,
                                count * entry.cylinders, -count * entry.cylinders, count, entry.cylinders));
    entries.push_back(entry);
    at += size;
  }
  if (entries.empty()) return refuse(list.place, "IDX", "found a node without entries");
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.block < b.block; });
  return true;
}

bool PatternLayoutReader::Nodes::read() {
  const Value& index = layout_.find("IDX")->value;
  if (!read_tracks()) return false;
  if (index.items.empty() || index.items.size() > mechanics::kMaxPatternNodes)
    return refuse(index.place, "IDX",
                  fmt::format("has {} nodes, expected 1 to {}", index.items.size(), mechanics::kMaxPatternNodes));
  std::size_t runs = 0;
  for (const Value& list : index.items) {
    if (list.kind != Value::Kind::List) {
      refuse(list.place, "IDX", fmt::format("found {}, expected a list for each node", list.what()));
    } else if (read_entries(list, entries_.emplace_back())) {
      runs += entries_.back().size();
    }
    if (carrier_.problems.size() >= kMaxShown) return false;
  }
  if (!carrier_.problems.empty()) return false;
  if (runs > mechanics::kMaxPatternRuns)
    return refuse(index.place, "IDX", fmt::format("has {} entries, expected at most {}", runs, mechanics::kMaxPatternRuns));
  open_.assign(entries_.size(), false);
  known_.assign(entries_.size(), std::nullopt);
  return convert(entries_.size() - 1, 1).has_value();
}

std::optional<std::uint32_t> PatternLayoutReader::Nodes::convert(std::size_t index, std::uint32_t depth) {
  if (known_[index]) return known_[index];
  const std::vector<Entry>& entries = entries_[index];
  const bool is_root = index + 1 == entries_.size();
  const auto problem = [&](const Entry& entry, const std::string& why) {
    refuse(entry.first->place, "IDX", why);
    return std::nullopt;
  };
  if (open_[index]) return problem(entries.front(), fmt::format("node {} is a part of itself", index));
  if (depth > mechanics::kMaxPatternDepth)
    return problem(entries.front(), fmt::format("nodes are nested more than {} deep", mechanics::kMaxPatternDepth));
  open_[index] = true;
  PatternNode node;
  std::int64_t next = 0;
  for (const Entry& entry : entries) {
    if (entry.block != next)
      return problem(entry, fmt::format("lbn is {}, expected {}, where the entry before ends: {}", entry.block, next,
                                        entry.block > next ? "a gap" : "an overlap"));
    PatternRun run;
    std::int64_t held = 0;
    run.count = static_cast<std::uint32_t>(entry.run_blocks / entry.blocks);
    run.cylinder = entry.cylinder;
    run.step = entry.run_cylinders < 0 ? -entry.cylinders : entry.cylinders;
    run.angle = entry.angle;
    run.angle_step = entry.angle_step;
    run.track = entry.track;
    if (entry.track) {
      if (entry.child >= static_cast<std::int64_t>(tracks_.size()))
        return problem(entry,
                       fmt::format("child is {}, expected a track pattern from 0 to {}", entry.child, tracks_.size() - 1));
      const Track& track = tracks_[static_cast<std::size_t>(entry.child)];
      run.head = static_cast<std::uint32_t>(entry.head);
      run.sectors_per_track = static_cast<std::uint32_t>(track.sectors);
      run.first_sector = static_cast<std::uint32_t>(track.low);
      run.sectors = static_cast<std::uint32_t>(track.high - track.low + 1);
      held = run.sectors;
    } else {
      if (entry.child >= static_cast<std::int64_t>(entries_.size()))
        return problem(entry, fmt::format("child is {}, expected a node from 0 to {}", entry.child, entries_.size() - 1));
      const std::optional<std::uint32_t> child = convert(static_cast<std::size_t>(entry.child), depth + 1);
      if (!child) return std::nullopt;
      run.node = *child;
      held = blocks_[*child];
    }
    const bool last_of_all = is_root && &entry == &entries.back() && run.count == 1;
    if (held > entry.blocks || (held < entry.blocks && !last_of_all))
      return problem(entry, fmt::format("len is {}, but its child holds {} blocks: {}", entry.blocks, held,
                                        held > entry.blocks ? "an overlap" : "a gap"));
    if (held < entry.blocks)
      remark(carrier_.import.remarks, Remark::Kind::Changed, entry.first->place, "IDX", std::to_string(entry.blocks),
             fmt::format("is the length of the layout's last part, which holds {} blocks; these are used", held));
    next = entry.block + held * run.count;
    if (next > static_cast<std::int64_t>(mechanics::kMaxBlocks)) return problem(entry, "the layout has more than 2^48 sectors");
    node.runs.push_back(run);
  }
  open_[index] = false;
  nodes_.push_back(std::move(node));
  blocks_.push_back(next);
  known_[index] = static_cast<std::uint32_t>(nodes_.size() - 1);
  return known_[index];
}

/// Adds a remark if many tracks have a skew other than the usual one. The tracks of a drive have the same skew everywhere.
void PatternLayoutReader::Nodes::remark_on_angles() const {
  constexpr double kAlike = 0.01;                      // turns
  std::vector<std::pair<double, std::int64_t>> skews;  // with the number of tracks in the file that have it
  std::int64_t tracks = 0;
  std::int64_t zero = 0;
  const auto add = [&](double skew, std::int64_t count) {
    if (count == 0) return;
    skew -= std::floor(skew);
    skews.emplace_back(skew, count);
    tracks += count;
    if (skew == 0) zero += count;
  };
  for (const std::vector<Entry>& entries : entries_)
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      if (!entry.track) continue;
      add(entry.angle_step, entry.run_blocks / entry.blocks - 1);
      const bool follows = i > 0 && entries[i - 1].track && entries[i - 1].head == entry.head &&
                           entries[i - 1].run_blocks == entries[i - 1].blocks;
      if (follows && std::abs(entries[i - 1].cylinder - entry.cylinder) == 1) add(entry.angle - entries[i - 1].angle, 1);
    }
  if (tracks == 0) return;
  std::sort(skews.begin(), skews.end());
  double median = 0;
  std::int64_t below = 0;
  for (const auto& [skew, count] : skews) {
    median = skew;
    below += count;
    if (2 * below >= tracks) break;
  }
  std::int64_t unlike = 0;
  for (const auto& [skew, count] : skews)
    if (skew != 0 && std::abs(std::remainder(skew - median, 1)) > kAlike) unlike += count;
  if (zero == 0 && unlike == 0) return;
  if (zero == tracks || (median == 0 && unlike == 0)) return;  // a drive without skew
  remark(carrier_.import.remarks, Remark::Kind::Doubtful, layout_.place("IDX"), "IDX",
         fmt::format("skews of {} tracks", tracks),
         fmt::format("{} are 0 and {} differ from the usual {:.6f} turns by more than {}: wrong measurements? `platter drive "
                     "calibrate` fits the skews of such a layout",
                     zero, unlike, median, kAlike));
}

void PatternLayoutReader::read_layout(const Reader& layout, const Reader& model) {
  profile::GeometryProfile& geometry = carrier_.profile().geometry;
  geometry.layout = profile::LayoutKind::Tree;
  Nodes nodes(carrier_, layout);
  if (!nodes.read()) return;
  nodes.remark_on_angles();
  geometry.nodes = nodes.take();
  // The nodes are known to be sound by themselves; whether they fit together is checked here.
  const std::uint32_t stated = geometry.cylinders;
  geometry.cylinders = profile::kMaxCylinders;
  std::optional<mechanics::TreeLayout> tree;
  try {
    tree.emplace(geometry, mechanics::given_tree(geometry));
  } catch (const mechanics::LayoutError& error) {
    report(carrier_.problems, layout.place("IDX"), "IDX", error.what());
    return;
  }
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < tree->zone_count(); ++i) last = std::max(last, tree->zone(i).last_cylinder);
  geometry.cylinders = std::max(2u, last + 1);
  if (stated != last && stated != last + 1)  // DiskSim's tools write the number of the last one
    carrier_.remark_on(Remark::Kind::Changed, model, "Number of cylinders",
                       fmt::format("differs from the layout, which has {} cylinders; these are used", last + 1));
  read_slips(layout, *tree);
  if (!carrier_.problems.empty()) return;
  read_remaps(layout);
}

void PatternLayoutReader::read_slips(const Reader& layout, const mechanics::TreeLayout& tree) {
  if (layout.find("Slips") == nullptr) return;
  const Value& list = layout.find("Slips")->value;
  if (list.items.size() % 2 != 0)
    return report(carrier_.problems, list.place, "Slips", "has an odd number of values, expected pairs");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> slips;
  std::vector<std::int64_t> outside;
  for (std::size_t i = 0; i < list.items.size(); i += 2) {
    const Value& offset = list.items[i];
    const Value& count = list.items[i + 1];
    for (const Value* value : {&offset, &count})
      if (value->kind != Value::Kind::Whole || value->whole < (value == &count ? 1 : 0) || value->whole > 0xFFFF'FFFF'FFFF)
        return report(carrier_.problems, value->place, "Slips",
                      fmt::format("found {}, expected a whole number from {}", value->what(), value == &count ? 1 : 0));
    const auto first = static_cast<std::uint64_t>(offset.whole);
    if (first >= tree.block_count())
      outside.push_back(offset.whole);
    else
      slips.emplace_back(first, static_cast<std::uint64_t>(count.whole));
  }
  carrier_.remark_dropped(layout, "Slips", outside, "past the layout's end");
  if (!std::is_sorted(slips.begin(), slips.end())) {
    std::sort(slips.begin(), slips.end());
    remark(carrier_.import.remarks, Remark::Kind::Changed, layout.place("Slips"), "Slips",
           fmt::format("a list of {}", slips.size()), "is not in ascending order; it is sorted here");
  }
  std::uint64_t end = 0;  // a slip within the one before passes over the sectors behind it
  for (const auto& [offset, count] : slips) {
    const std::uint64_t first = std::max(offset, end);
    if (first >= tree.block_count() || count > tree.block_count() - first)
      return report(carrier_.problems, list.place, "Slips",
                    fmt::format("{} sectors from {} on are past the layout's end", count, offset));
    end = first + count;
    const mechanics::PhysicalAddress at = tree.place_of(first);
    profile::PlacedSlip slip;
    slip.place = {at.cylinder.value, at.head.value, at.sector.value};
    slip.count = static_cast<std::uint32_t>(count);
    carrier_.profile().geometry.slips.push_back(slip);
  }
}

void PatternLayoutReader::read_remaps(const Reader& layout) {
  if (layout.find("Remaps") == nullptr || layout.find("Remaps")->value.items.empty()) return;
  const Value& list = layout.find("Remaps")->value;
  constexpr std::size_t kMaxRemaps = 10000;
  if (list.items.size() > 6 * kMaxRemaps)
    return report(carrier_.problems, list.place, "Remaps",
                  fmt::format("has {} remaps, expected at most {}", list.items.size() / 6, kMaxRemaps));
  if (list.items.size() % 6 != 0)
    return report(carrier_.problems, list.place, "Remaps",
                  "expected sixes of values: LBN, length, cylinder, head, sector, sectors per track");
  for (const Value& value : list.items)
    if (value.kind != Value::Kind::Whole || value.whole < 0)
      return report(carrier_.problems, value.place, "Remaps",
                    fmt::format("found {}, expected a whole number from 0", value.what()));
  profile::GeometryProfile& geometry = carrier_.profile().geometry;
  const mechanics::TreeLayout tree(geometry, mechanics::given_tree(geometry));
  const auto fits = [&geometry] {
    try {
      const mechanics::TreeLayout with(geometry, mechanics::given_tree(geometry));
      return true;
    } catch (const mechanics::LayoutError&) {
      return false;
    }
  };
  std::vector<std::int64_t> dropped;
  std::vector<std::pair<std::int64_t, std::vector<profile::PlacedRemap>>> good;  // by LBN
  for (std::size_t i = 0; i < list.items.size(); i += 6) {
    const auto value = [&](std::size_t j) { return static_cast<std::uint64_t>(list.items[i + j].whole); };
    const std::uint64_t first = value(0);
    const std::uint64_t blocks = value(1);
    if (first >= tree.block_count() || blocks > tree.block_count() - first || blocks > profile::kMaxTrackSectors ||
        value(2) >= geometry.cylinders || value(3) >= geometry.surfaces || value(4) >= profile::kMaxTrackSectors) {
      dropped.push_back(list.items[i].whole);
      continue;
    }
    good.emplace_back(list.items[i].whole, std::vector<profile::PlacedRemap>());
    for (std::uint64_t done = 0; done < blocks;) {  // a piece for each row of blocks on a track
      const mechanics::TrackRun run = tree.track_run(core::Lba(first + done), static_cast<std::uint32_t>(blocks - done));
      const std::uint32_t piece = run.blocks == run.sectors ? run.blocks : 1;
      const mechanics::PhysicalAddress bad = tree.to_physical(core::Lba(first + done));
      profile::PlacedRemap remap;
      remap.bad = {bad.cylinder.value, bad.head.value, bad.sector.value};
      remap.count = piece;
      remap.spare = {static_cast<std::uint32_t>(value(2)), static_cast<std::uint32_t>(value(3)),
                     static_cast<std::uint32_t>(value(4) + done)};
      good.back().second.push_back(remap);
      done += piece;
    }
  }
  for (const auto& [lbn, remaps] : good) geometry.remaps.insert(geometry.remaps.end(), remaps.begin(), remaps.end());
  if (!fits()) {  // those that do not go together with the ones before
    geometry.remaps.clear();
    for (const auto& [lbn, remaps] : good) {
      const std::size_t kept = geometry.remaps.size();
      geometry.remaps.insert(geometry.remaps.end(), remaps.begin(), remaps.end());
      if (fits()) continue;
      geometry.remaps.resize(kept);
      dropped.push_back(lbn);
    }
  }
  carrier_.remark_dropped(layout, "Remaps", dropped,
                          "the replacement is on no track of the layout, or holds a block of its own");
}

}  // namespace platter::disksim
