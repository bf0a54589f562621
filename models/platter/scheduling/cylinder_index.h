// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "platter/scheduling/command.h"

namespace platter::scheduling {

/// The commands of a policy, ordered by the cylinder on which they begin, so that those near the arm are found first. No allocation up
/// to its capacity.
class CylinderIndex {
 public:
  /// `capacity`: most commands at once.
  explicit CylinderIndex(std::size_t capacity) : cylinder_of_(capacity) { entries_.reserve(capacity); }

  /// Adds a command, which must keep its address.
  void insert(const Command& command) {
    const std::uint32_t cylinder = command.extent.cylinder.value;
    cylinder_of_[command.tag.value] = cylinder;
    const auto at = std::upper_bound(entries_.begin(), entries_.end(), cylinder,
                                     [](std::uint32_t value, const Entry& entry) { return value < entry.cylinder; });
    entries_.insert(at, {cylinder, &command});
  }

  /// No effect if the command is not in the index.
  void remove(Tag tag) {
    for (auto at = first_from(cylinder_of_[tag.value]); at != entries_.end() && at->cylinder == cylinder_of_[tag.value]; ++at)
      if (at->command->tag == tag) {
        entries_.erase(at);
        return;
      }
  }

  bool empty() const { return entries_.empty(); }       ///< no command is in the index
  std::size_t size() const { return entries_.size(); }  ///< number of commands

  /// Calls `visit(command)` in the order of the commands' distance from a cylinder, as long as `goes_on(distance)` is true for the distance
  /// of the next command.
  template <typename GoesOn, typename Visit>
  void visit_outward(core::Cylinder from, GoesOn goes_on, Visit visit) const {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    auto above = first_from(from.value);
    auto below = above;
    for (;;) {
      const std::uint32_t up = above != entries_.end() ? above->cylinder - from.value : kNone;
      const std::uint32_t down = below != entries_.begin() ? from.value - (below - 1)->cylinder : kNone;
      const std::uint32_t distance = std::min(up, down);
      if (distance == kNone || !goes_on(distance)) return;
      visit(up <= down ? *(above++)->command : *(--below)->command);
    }
  }

 private:
  struct Entry {
    std::uint32_t cylinder;
    const Command* command;
  };

  std::vector<Entry>::const_iterator first_from(std::uint32_t cylinder) const {
    return std::lower_bound(entries_.begin(), entries_.end(), cylinder,
                            [](const Entry& entry, std::uint32_t value) { return entry.cylinder < value; });
  }

  std::vector<Entry> entries_;              ///< by cylinder
  std::vector<std::uint32_t> cylinder_of_;  ///< by tag
};

/// The least time that an arm needs to reach a cylinder at a given distance or farther, in any state. It is a lower bound of positioning to
/// such a cylinder.
class LeastMoves {
 public:
  /// `planner`: of the drive.
  explicit LeastMoves(const AccessPlanner& planner) : least_(planner.seek_curve().cylinders()) {
    Picoseconds least = std::numeric_limits<Picoseconds>::max();
    for (std::size_t distance = least_.size(); distance-- > 1;) {
      const Picoseconds seek = planner.seek_curve()(static_cast<std::uint32_t>(distance));
      // A write's settle time may be negative (DriveProfile): it then shortens the seek.
      const Picoseconds settle = planner.write_settle(static_cast<std::uint32_t>(distance));
      least = std::min({least, seek, std::max<Picoseconds>(0, seek + settle)});
      least_[distance] = least;
    }
    if (!least_.empty()) least_[0] = 0;
  }

  Picoseconds operator()(std::uint32_t distance) const { return least_[distance]; }  ///< `distance`: in cylinders; result in ps

 private:
  std::vector<Picoseconds> least_;  ///< by distance in cylinders
};

}  // namespace platter::scheduling
