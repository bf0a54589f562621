// SPDX-License-Identifier: Apache-2.0
#include "platter/mechanics/access_costs.h"

#include <algorithm>
#include <stdexcept>

namespace platter::mechanics {

AccessCosts::AccessCosts(const AccessPlanner& planner, const std::vector<Extent>& extents)
    : planner_(planner), last_was_write_{false} {
  if (planner.arrival_spread().any()) throw std::invalid_argument("costs between accesses: the arrivals have a spread");
  const auto writes = [](const Extent& extent) { return extent.write; };
  // A new drive has completed no write. With bus.overlap the last command but one may have completed last.
  if (std::any_of(extents.begin(), extents.end(), writes)) last_was_write_.push_back(true);
}

Picoseconds AccessCosts::least(HeadState head, Picoseconds phase, const Extent& to) const {
  Picoseconds time = core::kNoDeadline;
  for (const bool write : last_was_write_) {
    head.last_was_write = write;
    const AccessTime access = planner_.plan(head, to, phase, 0);
    time = std::min(time, access.positioning() + (begins_anywhere(to) ? access.media : access.transfer));
  }
  return time;
}

Picoseconds AccessCosts::onward(const Extent& from, const Extent& to) const {
  const Rotation& rotation = planner_.rotation();
  const HeadState head = AccessPlanner::end_of(from);
  if (!begins_anywhere(from)) return least(head, from.end_phase, to);
  Picoseconds time = least(head, rotation.phase(from.start_phase + from.media), to);
  const Picoseconds sector = from.media / from.sectors;
  for (Picoseconds skipped = 1; skipped < Picoseconds{from.sectors}; ++skipped)
    time = std::min(time, least(head, rotation.phase(from.start_phase + skipped * sector), to));
  return time;
}

Picoseconds AccessCosts::lead(const Extent& extent) const {
  if (begins_anywhere(extent)) return 0;
  return std::max<Picoseconds>(0, extent.transfer - std::max(extent.media, extent.write ? 0 : extent.bus_finish));
}

}  // namespace platter::mechanics
