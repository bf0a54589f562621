// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/continuous_sweep.h"

#include <algorithm>

namespace platter::scheduling {

ContinuousSweep::ContinuousSweep(const AccessPlanner& planner, std::size_t capacity, Picoseconds decision_bound,
                                 SweepStart start)
    : planner_(planner), decision_bound_(decision_bound), start_(start), links_(capacity) {
  if (start_ == SweepStart::Alternating) upward_ = false;  // so the first sweep goes upward
  sorted_.reserve(capacity);
}

Picoseconds ContinuousSweep::node(const Extent& extent) const { return planner_.hold(extent); }

void ContinuousSweep::insert(const Command& command) {
  Link& link = links_[command.tag.value];
  link = Link{};
  link.command = &command;
  ++count_;
  deadline_ = std::min(deadline_, command.deadline);
  dirty_ = true;
}

void ContinuousSweep::remove(Tag tag) {
  const std::size_t index = tag.value;
  Link& link = links_[index];
  if (link.command == nullptr) return;
  const bool earliest = link.command->deadline == deadline_;
  if (!dirty_) {
    if (index == first_) {
      first_ = link.next;
      sweep_ -= node(link.command->extent);
      if (first_ != kNone) {
        Link& next = links_[first_];
        sweep_ -= next.hop;
        next.previous = kNone;
        next.hop = 0;
        shortfall_ -= std::max<Picoseconds>(0, -next.credit);
        next.credit = 0;
        if (next.next != kNone) set_credit(next.next);
      }
    } else {
      sweep_ -= link.credit;
      shortfall_ -= std::max<Picoseconds>(0, -link.credit);
      links_[link.previous].next = link.next;
      if (link.next != kNone) {
        links_[link.next].previous = link.previous;
        links_[link.next].hop = hop(link.previous, link.next);
        set_credit(link.next);
      }
      if (link.previous != first_) set_credit(link.previous);
    }
  }
  link = Link{};
  --count_;
  if (count_ == 0) {
    first_ = kNone;
    sweep_ = 0;
    shortfall_ = 0;
    dirty_ = false;
    direction_known_ = false;
  }
  if (earliest) update_deadline();
}

void ContinuousSweep::update_deadline() {
  deadline_ = kNoDeadline;
  for (const Link& link : links_)
    if (link.command != nullptr) deadline_ = std::min(deadline_, link.command->deadline);
}

void ContinuousSweep::set_credit(std::size_t index) {
  Link& link = links_[index];
  shortfall_ -= std::max<Picoseconds>(0, -link.credit);
  link.credit = link.hop + node(link.command->extent);
  if (link.next != kNone) link.credit += links_[link.next].hop - hop(link.previous, link.next);
  shortfall_ += std::max<Picoseconds>(0, -link.credit);
}

void ContinuousSweep::prepare(const HeadState& head) {
  if (!dirty_) return;
  if (!direction_known_ && start_ != SweepStart::Nearer) {
    upward_ = start_ == SweepStart::Upward || !upward_;
  } else if (!direction_known_) {
    std::uint32_t low = ~0u;
    std::uint32_t high = 0;
    for (const Link& link : links_) {
      if (link.command == nullptr) continue;
      low = std::min(low, link.command->extent.cylinder.value);
      high = std::max(high, link.command->extent.cylinder.value);
    }
    const auto distance = [&head](std::uint32_t cylinder) {
      return cylinder > head.cylinder.value ? cylinder - head.cylinder.value : head.cylinder.value - cylinder;
    };
    upward_ = distance(low) <= distance(high);
  }
  direction_known_ = true;
  rebuild();
}

void ContinuousSweep::rebuild() {
  sorted_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].command != nullptr) sorted_.push_back(i);
  std::sort(sorted_.begin(), sorted_.end(), [this](std::size_t a, std::size_t b) {
    const Command& x = *links_[a].command;
    const Command& y = *links_[b].command;
    if (x.extent.cylinder != y.extent.cylinder)
      return upward_ ? x.extent.cylinder < y.extent.cylinder : y.extent.cylinder < x.extent.cylinder;
    return older(x, y);
  });
  sweep_ = 0;
  shortfall_ = 0;
  first_ = sorted_.front();
  for (std::size_t k = 0; k < sorted_.size(); ++k) {
    Link& link = links_[sorted_[k]];
    link.previous = k > 0 ? sorted_[k - 1] : kNone;
    link.next = k + 1 < sorted_.size() ? sorted_[k + 1] : kNone;
    link.hop = k > 0 ? hop(link.previous, sorted_[k]) : 0;
    link.credit = 0;
    sweep_ += link.hop + node(link.command->extent);
  }
  for (std::size_t k = 1; k < sorted_.size(); ++k) set_credit(sorted_[k]);
  dirty_ = false;
}

Picoseconds ContinuousSweep::excess(const Command& command, Picoseconds positioning, Picoseconds now,
                                    Picoseconds bus_free) const {
  Picoseconds need = positioning + sweep();
  if (&command != &first())
    need += node(command.extent) + onward_to_first(command.extent) - (contains(command.tag) ? credit(command.tag) : 0);
  return need - slack(now, bus_free);
}

std::vector<Tag> ContinuousSweep::order() const {
  std::vector<Tag> tags;
  for (std::size_t i = first_; i != kNone; i = links_[i].next) tags.push_back(links_[i].command->tag);
  return tags;
}

}  // namespace platter::scheduling
