// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/scan_edf_sweep.h"

#include <algorithm>

#include "platter/scheduling/flat_scheduler.h"

namespace platter::scheduling {

ScanEdfSweep::ScanEdfSweep(const AccessPlanner& planner, std::size_t capacity, Picoseconds decision_bound,
                           CelloRotation rotation)
    : planner_(planner), decision_bound_(decision_bound), rotation_(rotation), half_turn_(planner.rotation().period() / 2) {
  entries_.reserve(capacity);
}

void ScanEdfSweep::insert(const Command& command) {
  entries_.push_back({&command, true, 0, 0});
  dirty_ = true;
}

bool ScanEdfSweep::remove(Tag tag) {
  const auto at = std::find_if(entries_.rbegin(), entries_.rend(), [tag](const Entry& e) { return e.command->tag == tag; });
  if (at == entries_.rend()) return false;
  if (!dirty_ && at == entries_.rbegin())
    upward_ = at->upward;
  else
    dirty_ = true;
  entries_.erase(std::next(at).base());
  return true;
}

void ScanEdfSweep::prepare(const HeadState& head) {
  if (!dirty_ || entries_.empty()) return;
  put_in_order(head.cylinder);
  sum_up();
  dirty_ = false;
}

void ScanEdfSweep::put_in_order(core::Cylinder from) {
  bool upward = upward_;
  for (std::size_t left = entries_.size(); left > 0; --left) {
    // The next command in the order is placed after those that are left.
    std::size_t best = left;
    const auto better = [&](const Command& a, const Command& b) {
      if (a.deadline != b.deadline) return a.deadline < b.deadline;
      const core::Cylinder at = a.extent.cylinder;
      const core::Cylinder other = b.extent.cylinder;
      const bool ahead = upward ? at >= from : at <= from;
      if (ahead != (upward ? other >= from : other <= from)) return ahead;
      if (at != other) return distance(at, from) < distance(other, from);
      return older(a, b);
    };
    for (std::size_t i = 0; i < left; ++i)
      if (best == left || better(*entries_[i].command, *entries_[best].command)) best = i;
    std::swap(entries_[best], entries_[left - 1]);
    Entry& next = entries_[left - 1];
    const core::Cylinder to = next.command->extent.cylinder;
    if (to != from) upward = to > from;
    next.upward = upward;
    from = to;
  }
}

void ScanEdfSweep::sum_up() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {  // the last one first
    Entry& entry = entries_[i];
    const Command& command = *entry.command;
    const Picoseconds hold = planner_.hold(command.extent);
    if (command.deadline == core::kNoDeadline) {  // commands after it have none either
      entry.latest = core::kNoDeadline;
      entry.duration = 0;
      continue;
    }
    entry.latest = command.deadline - planner_.bus_block_time(false) - hold;
    entry.duration = hold;
    if (i == 0 || entries_[i - 1].latest == core::kNoDeadline) continue;
    const Picoseconds hop = hold + onward(command.extent, entries_[i - 1].command->extent);
    entry.latest = std::min(entry.latest, entries_[i - 1].latest - hop);
    entry.duration = hop + entries_[i - 1].duration;
  }
}

Picoseconds ScanEdfSweep::slack(const HeadState& head, Picoseconds now) const {
  if (latest() == core::kNoDeadline) return core::kNoDeadline;
  const Command& command = first();
  return latest() - std::max(now, head.bus_free) -
         to_first(planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end));
}

Picoseconds ScanEdfSweep::slack_after(const Command& command, const HeadState& head, Picoseconds now) const {
  if (latest() == core::kNoDeadline) return core::kNoDeadline;
  const AccessTime access = planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end);
  return latest() - std::max(now, head.bus_free) - to_first(access) - planner_.hold(command.extent) -
         onward(command.extent, first().extent);
}

Picoseconds ScanEdfSweep::onward(const mechanics::Extent& from, const mechanics::Extent& to) const {
  if (rotation_ == CelloRotation::Known) return planner_.most_onward(from, to, decision_bound_);
  return decision_bound_ + to_first(planner_.plan(AccessPlanner::end_of(from), to, from.end_phase, 0));
}

}  // namespace platter::scheduling
