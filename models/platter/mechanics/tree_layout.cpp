// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/tree_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace platter::mechanics {

using profile::PatternNode;
using profile::PatternRun;

namespace {

std::string runs_key(std::size_t node) { return fmt::format("geometry.node.{}.runs", node); }

/// The tracks, or equal parts of tracks, of neighbouring cylinders of a surface.
struct Box {
  std::uint32_t head;
  std::int64_t least;  ///< cylinders
  std::int64_t most;
  std::uint32_t track_sectors;  ///< 0: whole tracks
  std::uint32_t first_sector;
  std::uint32_t last_sector;

  bool same_part(const Box& b) const {
    return std::tie(head, track_sectors, first_sector, last_sector) ==
           std::tie(b.head, b.track_sectors, b.first_sector, b.last_sector);
  }
};

/// Finds out whether two instances of patterns are on the same sectors.
class OverlapCheck {
 public:
  void add(const PatternNode& node, std::size_t index) {
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < node.runs.size(); ++i) {
      const PatternRun& run = node.runs[i];
      if (run.track) {
        const bool whole = run.sectors == run.sectors_per_track;
        add_instances({run.head, 0, 0, whole ? 0 : run.sectors_per_track, run.first_sector,
                       whole ? profile::kMaxTrackSectors : run.first_sector + run.sectors - 1},
                      run, index, i, boxes);
      } else {
        for (const Box& box : nodes_[run.node]) add_instances(box, run, index, i, boxes);
      }
    }
    std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
      return std::tie(a.head, a.least, a.first_sector) < std::tie(b.head, b.least, b.first_sector);
    });
    refuse_overlaps(boxes, index);
    nodes_.push_back(merged(std::move(boxes)));
  }

 private:
  static constexpr std::size_t kMaxBoxes = std::size_t{1} << 20;

  static void add_instances(const Box& box, const PatternRun& run, std::size_t node, std::size_t number,
                            std::vector<Box>& boxes) {
    const std::int64_t width = box.most - box.least + 1;
    const std::int64_t step = std::abs(run.step);
    if (run.count > 1 && step < width)
      throw LayoutError(fmt::format("run {}: instances of {} cylinders follow each other after {} cylinders, so they overlap",
                                    number, width, step),
                        runs_key(node));
    const std::int64_t far = run.cylinder + (std::int64_t{run.count} - 1) * run.step;
    if (run.count == 1 || step == width) {
      boxes.push_back(box);
      boxes.back().least += std::min(run.cylinder, far);
      boxes.back().most += std::max(run.cylinder, far);
    } else {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        if (boxes.size() >= kMaxBoxes) break;
        boxes.push_back(box);
        boxes.back().least += run.cylinder + i * run.step;
        boxes.back().most += run.cylinder + i * run.step;
      }
    }
    if (boxes.size() >= kMaxBoxes)
      throw LayoutError(fmt::format("run {}: the node's tracks are in more than {} pieces", number, kMaxBoxes), runs_key(node));
  }

  static void refuse_overlaps(const std::vector<Box>& boxes, std::size_t node) {
    const auto by_sector = [](const Box* a, const Box* b) { return a->first_sector < b->first_sector; };
    const auto by_end = [](const Box* a, const Box* b) { return std::tie(a->most, a) < std::tie(b->most, b); };
    std::set<const Box*, decltype(by_sector)> active(by_sector);  // boxes on the cylinder of the sweep, disjoint
    std::set<const Box*, decltype(by_end)> ends(by_end);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Box& box = boxes[i];
      if (i > 0 && boxes[i - 1].head != box.head) {
        active.clear();
        ends.clear();
      }
      while (!ends.empty() && (*ends.begin())->most < box.least) {
        active.erase(*ends.begin());
        ends.erase(ends.begin());
      }
      const auto refuse = [&](const Box& other, const char* what) {
        if (box.track_sectors == other.track_sectors &&
            (other.last_sector < box.first_sector || box.last_sector < other.first_sector))
          return;
        throw LayoutError(fmt::format("two runs {} on surface {}, cylinder {} of the node", what, box.head, box.least),
                          runs_key(node));
      };
      const auto after = active.lower_bound(&box);
      if (after != active.end()) refuse(**after, "have the same sectors, or different tracks,");
      if (after != active.begin()) refuse(**std::prev(after), "have the same sectors, or different tracks,");
      active.insert(&box);
      ends.insert(&box);
    }
  }

  static std::vector<Box> merged(std::vector<Box> boxes) {
    std::stable_sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
      return std::tie(a.head, a.track_sectors, a.first_sector, a.last_sector, a.least) <
             std::tie(b.head, b.track_sectors, b.first_sector, b.last_sector, b.least);
    });
    std::vector<Box> out;
    for (const Box& box : boxes) {
      if (!out.empty() && out.back().same_part(box) && out.back().most + 1 == box.least)
        out.back().most = box.most;
      else
        out.push_back(box);
    }
    return out;
  }

  std::vector<std::vector<Box>> nodes_;
};

bool before(const PhysicalAddress& a, const PhysicalAddress& b) {
  return std::tie(a.cylinder.value, a.head.value, a.sector.value) < std::tie(b.cylinder.value, b.head.value, b.sector.value);
}

PhysicalAddress address(const profile::SectorPlace& place) {
  return {Cylinder(place.cylinder), Head(place.head), SectorIndex(place.sector)};
}

}  // namespace

LayoutTree given_tree(const profile::GeometryProfile& profile) { return {profile.nodes, {}, {}}; }

TreeLayout::TreeLayout(const profile::GeometryProfile& profile, const LayoutTree& tree) {
  if (tree.nodes.empty()) throw LayoutError("is missing: at least one node", "geometry.node");
  if (tree.nodes.size() > kMaxPatternNodes)
    throw LayoutError(fmt::format("found {} nodes, expected at most {}", tree.nodes.size(), kMaxPatternNodes), "geometry.node");
  if (!profile.head_offsets_turns.empty() && profile.head_offsets_turns.size() != profile.surfaces)
    throw LayoutError(fmt::format("found {} numbers, expected none or {}", profile.head_offsets_turns.size(), profile.surfaces),
                      "geometry.head_offsets_turns");
  for (const double turns : profile.head_offsets_turns) head_offsets_.push_back(to_fraction(turns));
  const std::uint32_t whole = profile.blocks_per_physical_sector();
  std::size_t runs = 0;
  for (const PatternNode& node : tree.nodes) runs += node.runs.size();
  if (runs > kMaxPatternRuns)
    throw LayoutError(fmt::format("found {} runs, expected at most {}", runs, kMaxPatternRuns), "geometry.node");
  runs_.reserve(runs);
  OverlapCheck overlaps;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    add_node(tree.nodes[i], i, profile.surfaces, whole);
    overlaps.add(tree.nodes[i], i);
  }
  const Node& root = nodes_.back();
  if (root.least_cylinder < 0 || static_cast<std::uint32_t>(root.most_cylinder) >= profile.cylinders)
    throw LayoutError(fmt::format("has tracks on cylinders {} to {}, expected 0 to {}", root.least_cylinder, root.most_cylinder,
                                  profile.cylinders - 1),
                      runs_key(nodes_.size() - 1));
  firsts_.reserve(runs_.size());
  for (const Run& run : runs_) firsts_.push_back(run.first);
  add_guides();
  add_slips(profile, tree, whole);
  const std::uint64_t held = root.sectors - passed(slips_.size());
  if (held == 0) throw LayoutError("the tracks hold no block", "geometry.slips");
  block_count_ = profile.blocks == 0 ? held : static_cast<std::uint64_t>(profile.blocks);
  if (block_count_ > held)
    throw LayoutError(fmt::format("found {}, but the tracks hold only {} blocks", block_count_, held), "geometry.blocks");
  add_remaps(profile, whole);
  add_zones(tree.zones);
}

void TreeLayout::add_node(const PatternNode& in, std::size_t index, std::uint32_t surfaces, std::uint32_t whole) {
  Node node;
  node.begin = runs_.size();
  if (in.runs.empty()) throw LayoutError("found no run, expected at least one", runs_key(index));
  for (std::size_t i = 0; i < in.runs.size(); ++i) {
    const PatternRun& from = in.runs[i];
    const auto refuse = [&](const std::string& why) { throw LayoutError(fmt::format("run {}: {}", i, why), runs_key(index)); };
    Node pattern;
    if (from.track) {
      if (from.head >= surfaces) refuse(fmt::format("found head {}, expected 0 to {}", from.head, surfaces - 1));
      if (from.sectors == 0 || from.first_sector + std::uint64_t{from.sectors} > from.sectors_per_track)
        refuse(fmt::format("found {} sectors from sector {} on, but the track has {}", from.sectors, from.first_sector,
                           from.sectors_per_track));
      for (const std::uint32_t sectors : {from.sectors_per_track, from.first_sector, from.sectors})
        if (sectors % whole != 0)
          refuse(fmt::format("found {} sectors, expected a multiple of {}, the blocks of a physical sector", sectors, whole));
      pattern.sectors = from.sectors;
      pattern.heads = std::uint64_t{1} << from.head;
      pattern.depth = 0;
      pattern.least_sectors = pattern.most_sectors = from.sectors_per_track;
    } else {
      if (from.node >= index)
        refuse(fmt::format("found node {}, expected an earlier one: 0 to {}", from.node, std::int64_t(index) - 1));
      pattern = nodes_[from.node];
    }
    node.depth = std::max(node.depth, pattern.depth + 1);
    if (node.depth > kMaxPatternDepth) refuse(fmt::format("nodes are nested more than {} deep", kMaxPatternDepth));
    if (from.count > (kMaxBlocks - node.sectors) / pattern.sectors) refuse("the tree has more than 2^48 sectors");
    const std::int64_t far = from.cylinder + (std::int64_t{from.count} - 1) * from.step;
    const std::int64_t least = std::min(from.cylinder, far) + pattern.least_cylinder;
    const std::int64_t most = std::max(from.cylinder, far) + pattern.most_cylinder;
    constexpr std::int64_t kFar = profile::kMaxCylinders;
    if (least < -kFar || most > kFar) refuse(fmt::format("its tracks are on cylinders {} to {} of the node", least, most));
    Run run{};
    run.first = node.sectors;
    run.length = pattern.sectors;
    run.angle = to_fraction(from.angle);
    run.angle_step = to_fraction(from.angle_step);
    run.count = from.count;
    run.cylinder = static_cast<std::int32_t>(from.cylinder);
    run.step = static_cast<std::int32_t>(from.step);
    run.node = from.track ? kTrack : from.node;
    run.head = from.head;
    run.track_sectors = from.sectors_per_track;
    run.first_sector = from.first_sector;
    run.least_cylinder = static_cast<std::int32_t>(least);
    run.most_cylinder = static_cast<std::int32_t>(most);
    if (i == 0) {
      node.least_cylinder = run.least_cylinder;
      node.most_cylinder = run.most_cylinder;
      node.least_sectors = pattern.least_sectors;
    }
    node.least_cylinder = std::min(node.least_cylinder, run.least_cylinder);
    node.most_cylinder = std::max(node.most_cylinder, run.most_cylinder);
    node.least_sectors = std::min(node.least_sectors, pattern.least_sectors);
    node.most_sectors = std::max(node.most_sectors, pattern.most_sectors);
    node.heads |= pattern.heads;
    node.sectors += run.count * run.length;
    runs_.push_back(run);
  }
  node.end = runs_.size();
  nodes_.push_back(node);
}

void TreeLayout::add_slips(const profile::GeometryProfile& profile, const LayoutTree& tree, std::uint32_t whole) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all = tree.spares;
  for (std::size_t row = 0; row < profile.slips.size(); ++row) {
    const profile::PlacedSlip& slip = profile.slips[row];
    const std::optional<std::uint64_t> number = number_of(address(slip.place));
    const auto refuse = [row](const std::string& why) {
      throw LayoutError(fmt::format("row {}: {}", row, why), "geometry.slips");
    };
    if (!number)
      return refuse(fmt::format("no track of the layout has cylinder {}, head {}, sector {}", slip.place.cylinder,
                                slip.place.head, slip.place.sector));
    if (slip.count > nodes_.back().sectors - *number) refuse(fmt::format("{} sectors are past the layout's end", slip.count));
    if (*number % whole != 0 || slip.count % whole != 0)
      refuse(fmt::format("it is a part of a physical sector of {} blocks", whole));
    all.emplace_back(*number, slip.count);
  }
  std::sort(all.begin(), all.end());
  std::uint64_t passed = 0;
  std::uint64_t end = 0;
  for (const auto& [first, count] : all) {
    if (first < end) {
      const PhysicalAddress at = place_of(first);
      throw LayoutError(
          fmt::format("cylinder {}, head {}, sector {} is slipped twice", at.cylinder.value, at.head.value, at.sector.value),
          "geometry.slips");
    }
    const bool continues = first == end && !slips_.empty();
    if (!continues) {
      slip_keys_.push_back(first - passed);
      slips_.push_back({first, passed});
    }
    passed += count;
    slips_.back().passed = passed;
    end = first + count;
  }
}

void TreeLayout::add_remaps(const profile::GeometryProfile& profile, std::uint32_t whole) {
  for (std::size_t row = 0; row < profile.remaps.size(); ++row) {
    const profile::PlacedRemap& from = profile.remaps[row];
    const auto refuse = [row](const std::string& why) {
      throw LayoutError(fmt::format("row {}: {}", row, why), "geometry.remaps");
    };
    const std::optional<std::uint64_t> first = number_of(address(from.bad));
    const Part bad = part_of(address(from.bad));
    const std::optional<std::uint64_t> block = first ? block_at(*first) : std::nullopt;
    if (!block || from.count > bad.run->length - (*first - bad.number) ||
        block_at(*first + from.count - 1) != *block + from.count - 1 || *block + from.count > block_count_)
      return refuse("not all of its first sectors hold a block");
    const Part spare = part_of(address(from.spare));
    if (spare.run == nullptr || from.spare.sector + std::uint64_t{from.count} > spare.run->track_sectors)
      return refuse("its second sectors are on no track of the layout");
    if (from.bad.sector % whole != from.spare.sector % whole) refuse("it moves a block to another part of a physical sector");
    remaps_.push_back({*block, from.count, address(from.spare)});
  }
  std::sort(remaps_.begin(), remaps_.end(), [](const Remap& a, const Remap& b) { return a.block < b.block; });
  spares_ = remaps_;
  std::sort(spares_.begin(), spares_.end(), [](const Remap& a, const Remap& b) { return before(a.spare, b.spare); });
  const auto refuse = [](const std::string& why) { throw LayoutError(why, "geometry.remaps"); };
  for (std::size_t i = 1; i < remaps_.size(); ++i) {
    if (remaps_[i].block < remaps_[i - 1].block + remaps_[i - 1].count)
      refuse(fmt::format("block {} is remapped twice", remaps_[i].block));
    const PhysicalAddress& a = spares_[i - 1].spare;
    const PhysicalAddress& b = spares_[i].spare;
    if (a.cylinder == b.cylinder && a.head == b.head && b.sector.value - a.sector.value < spares_[i - 1].count)
      refuse(fmt::format("cylinder {}, head {}, sector {} holds two remapped blocks", b.cylinder.value, b.head.value,
                         b.sector.value));
  }
  for (const Remap& remap : remaps_)
    for (std::uint32_t i = 0; i < remap.count; ++i) {
      PhysicalAddress at = remap.spare;
      at.sector.value += i;
      const std::optional<std::uint64_t> number = number_of(at);
      const std::optional<std::uint64_t> own = number ? block_at(*number) : std::nullopt;
      if (own && *own < block_count_ && remap_of(*own) == nullptr)
        refuse(fmt::format("block {} goes to cylinder {}, head {}, sector {}, which holds block {}", remap.block + i,
                           at.cylinder.value, at.head.value, at.sector.value, *own));
    }
}

void TreeLayout::add_zones(const std::vector<std::uint32_t>& of_root_runs) {
  const Node& root = nodes_.back();
  const auto sectors_of = [this](const Run& run, bool most) {
    if (run.node == kTrack) return run.track_sectors;
    return most ? nodes_[run.node].most_sectors : nodes_[run.node].least_sectors;
  };
  for (std::size_t i = root.begin; i < root.end; ++i) {
    const Run& run = runs_[i];
    const std::uint32_t most = sectors_of(run, true);
    const std::size_t in_root = i - root.begin;
    const bool starts = i == root.begin || (of_root_runs.empty() ? sectors_of(runs_[i - 1], true) != most
                                                                 : of_root_runs[in_root] != of_root_runs[in_root - 1]);
    const std::uint64_t first = std::min(*block_at(run.first, true), block_count_);
    const std::uint64_t end = std::min(*block_at(run.first + run.count * run.length, true), block_count_);
    if (starts)
      zones_.push_back({first, 0, static_cast<std::uint32_t>(run.least_cylinder), static_cast<std::uint32_t>(run.most_cylinder),
                        sectors_of(run, false), most});
    ZoneSummary& zone = zones_.back();
    zone.blocks = end - zone.first_block;
    zone.first_cylinder = std::min(zone.first_cylinder, static_cast<std::uint32_t>(run.least_cylinder));
    zone.last_cylinder = std::max(zone.last_cylinder, static_cast<std::uint32_t>(run.most_cylinder));
    zone.least_sectors = std::min(zone.least_sectors, sectors_of(run, false));
    zone.most_sectors = std::max(zone.most_sectors, most);
    zone_of_run_.push_back(static_cast<std::uint32_t>(zones_.size() - 1));
  }
}

void TreeLayout::add_guides() {
  for (Node& node : nodes_) {
    while (node.sectors >> node.shift > 2 * (node.end - node.begin)) ++node.shift;
    node.guide = guides_.size();
    std::size_t run = node.begin;
    for (std::uint64_t part = 0; part << node.shift < node.sectors; ++part) {
      while (run + 1 < node.end && firsts_[run + 1] <= part << node.shift) ++run;
      guides_.push_back(static_cast<std::uint32_t>(run));
    }
    guides_.push_back(static_cast<std::uint32_t>(node.end - 1));
  }
}

const TreeLayout::Run& TreeLayout::run_of(const Node& node, std::uint64_t number) const {
  const std::size_t part = node.guide + (number >> node.shift);
  // It is one of the runs from the first sector of the number's part to the first one of the next part: nearly always one or two.
  const auto first = firsts_.begin() + static_cast<std::ptrdiff_t>(guides_[part]);
  const auto last = firsts_.begin() + static_cast<std::ptrdiff_t>(guides_[part + 1]);
  return runs_[static_cast<std::size_t>(std::upper_bound(first + 1, last + 1, number) - firsts_.begin()) - 1];
}

TreeLayout::Part TreeLayout::part_at(std::uint64_t number) const {
  Part part;
  part.number = number;
  const Node* node = &nodes_.back();
  std::int32_t cylinder = 0;
  while (true) {
    const Run& run = run_of(*node, number);
    number -= run.first;
    const std::uint64_t instance = run.count == 1 ? 0 : number / run.length;
    number -= instance * run.length;
    cylinder += run.cylinder + static_cast<std::int32_t>(instance) * run.step;
    part.angle += run.angle + instance * run.angle_step;
    if (run.node == kTrack) {
      part.run = &run;
      part.cylinder = static_cast<std::uint32_t>(cylinder);
      part.number -= number;
      if (!head_offsets_.empty()) part.angle += head_offsets_[run.head];
      return part;
    }
    node = &nodes_[run.node];
  }
}

bool TreeLayout::find_part(const Node& node, std::int64_t cylinder, const PhysicalAddress& place, Part& at, Part& found) const {
  for (std::size_t i = node.begin; i < node.end; ++i) {
    const Run& run = runs_[i];
    if (cylinder < run.least_cylinder || cylinder > run.most_cylinder) continue;
    const std::int64_t away = cylinder - run.cylinder;
    // The instances whose cylinders may include this one.
    std::int64_t least = 0;
    std::int64_t most = 0;
    if (run.node != kTrack) {
      const Node& pattern = nodes_[run.node];
      if ((pattern.heads >> place.head.value & 1) == 0) continue;
      least = pattern.least_cylinder;
      most = pattern.most_cylinder;
    } else if (run.head != place.head.value) {
      continue;
    }
    std::int64_t first = 0;
    std::int64_t last = run.count - std::int64_t{1};
    if (run.step != 0 && run.count > 1) {  // away - most <= instance * step <= away - least
      std::int64_t low = away - most;
      std::int64_t high = away - least;
      const std::int64_t step = std::abs(run.step);
      if (run.step < 0) {
        std::swap(low, high);
        low = -low;
        high = -high;
      }
      first = std::max(first, low <= 0 ? 0 : (low + step - 1) / step);
      last = std::min(last, high < 0 ? -1 : high / step);
    }
    for (std::int64_t instance = first; instance <= last; ++instance) {
      const auto n = static_cast<std::uint64_t>(instance);
      Part here = at;
      here.number += run.first + n * run.length;
      here.angle += run.angle + n * run.angle_step;
      const std::int64_t within = away - instance * run.step;
      if (run.node != kTrack) {
        if (find_part(nodes_[run.node], within, place, here, found)) return true;
        continue;
      }
      if (within != 0) continue;
      here.run = &run;
      here.cylinder = place.cylinder.value;
      found = here;
      if (place.sector.value >= run.first_sector && place.sector.value - run.first_sector < run.length) return true;
    }
  }
  return false;
}

TreeLayout::Part TreeLayout::part_of(const PhysicalAddress& place) const {
  Part at;
  Part found;
  if (place.head.value < 64) find_part(nodes_.back(), place.cylinder.value, place, at, found);
  if (found.run != nullptr && !head_offsets_.empty()) found.angle += head_offsets_[found.run->head];
  return found;
}

std::optional<std::uint64_t> TreeLayout::number_of(const PhysicalAddress& place) const {
  const Part part = part_of(place);
  if (part.run == nullptr || place.sector.value < part.run->first_sector ||
      place.sector.value - part.run->first_sector >= part.run->length)
    return std::nullopt;
  return part.number + (place.sector.value - part.run->first_sector);
}

PhysicalAddress TreeLayout::place_of(std::uint64_t number) const {
  const Part part = part_at(number);
  return {Cylinder(part.cylinder), Head(part.run->head),
          SectorIndex(part.run->first_sector + static_cast<std::uint32_t>(number - part.number))};
}

std::size_t TreeLayout::slips_before(std::uint64_t block) const {
  return static_cast<std::size_t>(std::upper_bound(slip_keys_.begin(), slip_keys_.end(), block) - slip_keys_.begin());
}

std::optional<std::uint64_t> TreeLayout::block_at(std::uint64_t number, bool after) const {
  const auto next =
      std::upper_bound(slips_.begin(), slips_.end(), number, [](std::uint64_t n, const Slip& slip) { return n < slip.first; });
  const auto slips = static_cast<std::size_t>(next - slips_.begin());
  if (slips > 0) {
    const Slip& slip = slips_[slips - 1];
    if (number - slip.first < slip.passed - passed(slips - 1)) {  // on the slip
      if (!after) return std::nullopt;
      return slip.first - passed(slips - 1);
    }
  }
  return number - passed(slips);
}

const TreeLayout::Remap* TreeLayout::remap_of(std::uint64_t block) const {
  const auto next = std::upper_bound(remaps_.begin(), remaps_.end(), block,
                                     [](std::uint64_t b, const Remap& remap) { return b < remap.block; });
  if (next == remaps_.begin()) return nullptr;
  const Remap& remap = *std::prev(next);
  return block - remap.block < remap.count ? &remap : nullptr;
}

std::size_t TreeLayout::zone_of(Lba block) const {
  const Node& root = nodes_.back();
  return zone_of_run_[static_cast<std::size_t>(&run_of(root, number_of_block(block.value)) - &runs_[root.begin])];
}

std::uint64_t TreeLayout::most_runs(std::uint64_t blocks) const {
  // The first and the last part may be cut; slips may leave little of a part, and a remap divides one.
  std::uint64_t least = kMaxBlocks;
  for (const Run& run : runs_)
    if (run.node == kTrack) least = std::min(least, run.length);
  return std::min(blocks, blocks / least + 2 + slips_.size() + 2 * remaps_.size());
}

PhysicalAddress TreeLayout::to_physical(Lba block) const {
  if (!remaps_.empty())
    if (const Remap* remap = remap_of(block.value)) {
      PhysicalAddress at = remap->spare;
      at.sector.value += static_cast<std::uint32_t>(block.value - remap->block);
      return at;
    }
  return place_of(number_of_block(block.value));
}

std::optional<Lba> TreeLayout::to_logical(const PhysicalAddress& place) const {
  if (!spares_.empty()) {
    const auto next = std::upper_bound(spares_.begin(), spares_.end(), place,
                                       [](const PhysicalAddress& p, const Remap& remap) { return before(p, remap.spare); });
    if (next != spares_.begin()) {
      const Remap& remap = *std::prev(next);
      if (remap.spare.cylinder == place.cylinder && remap.spare.head == place.head &&
          place.sector.value - remap.spare.sector.value < remap.count)
        return Lba(remap.block + (place.sector.value - remap.spare.sector.value));
    }
  }
  const std::optional<std::uint64_t> number = number_of(place);
  const std::optional<std::uint64_t> block = number ? block_at(*number) : std::nullopt;
  if (!block || *block >= block_count_ || remap_of(*block) != nullptr) return std::nullopt;
  return Lba(*block);
}

Angle TreeLayout::angle_of(const PhysicalAddress& place) const {
  const Part part = part_of(place);
  const Angle start = to_angle(part.angle);
  return place.sector.value >= part.run->first_sector
             ? start + sector_offset(place.sector.value - part.run->first_sector, part.run->track_sectors)
             : start - sector_offset(part.run->first_sector - place.sector.value, part.run->track_sectors);
}

TrackRun TreeLayout::run_on(const Part& part, std::uint32_t within, std::uint32_t blocks, std::uint32_t sectors) const {
  const Run& on = *part.run;
  TrackRun run{};
  run.cylinder = Cylinder(part.cylinder);
  run.head = Head(on.head);
  run.sector = on.first_sector + within;
  run.blocks = blocks;
  run.sectors = sectors;
  run.track_sectors = on.track_sectors;
  const Angle start = to_angle(part.angle);
  run.start_angle = start + sector_offset(within, on.track_sectors);
  run.end_angle = start + sector_offset(within + sectors, on.track_sectors);
  run.full_turn = sectors == on.track_sectors;
  return run;
}

TrackRun TreeLayout::track_run(Lba first, std::uint32_t blocks) const {
  const std::uint64_t block = first.value;
  std::uint64_t wanted = std::min<std::uint64_t>(blocks, block_count_ - block);
  if (!remaps_.empty()) {
    if (const Remap* remap = remap_of(block)) {
      const auto skipped = static_cast<std::uint32_t>(block - remap->block);
      PhysicalAddress at = remap->spare;
      at.sector.value += skipped;
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, remap->count - skipped));
      Part part = part_of(at);
      TrackRun run = run_on(part, 0, count, count);
      run.sector = at.sector.value;
      run.start_angle = angle_of(at);
      at.sector.value += count;
      run.end_angle = angle_of(at);
      return run;
    }
    const auto next = std::upper_bound(remaps_.begin(), remaps_.end(), block,
                                       [](std::uint64_t b, const Remap& remap) { return b < remap.block; });
    if (next != remaps_.end()) wanted = std::min(wanted, next->block - block);
  }
  std::size_t slip = slips_.empty() ? 0 : slips_before(block);
  const std::uint64_t number = block + passed(slip);
  const Part part = part_at(number);
  const auto within = static_cast<std::uint32_t>(number - part.number);
  const std::uint64_t room = part.run->length - within;
  // Slipped sectors between the blocks belong to the run, those behind its last block do not.
  std::uint64_t covered = 0;
  std::uint64_t reached = 0;
  while (true) {
    const std::uint64_t until = slip < slips_.size() ? std::min(room, slips_[slip].first - number) : room;
    const std::uint64_t more = std::min(until - reached, wanted - covered);
    covered += more;
    if (covered == wanted || until == room) {
      reached += more;
      break;
    }
    const std::uint64_t behind = slips_[slip].first + slips_[slip].passed - passed(slip) - number;
    if (behind >= room) {
      reached = until;
      break;
    }
    reached = behind;
    ++slip;
  }
  return run_on(part, within, static_cast<std::uint32_t>(covered), static_cast<std::uint32_t>(reached));
}

}  // namespace platter::mechanics
