// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/scheduling/command.h"
#include "platter/scheduling/path_order.h"

namespace platter::scheduling {

/// A few commands that are served one after the other in the order of least total positioning time. They are added in SCAN order, and
/// reordered once, when the first of them is to be served. No allocation after construction.
class OrderedPart {
 public:
  OrderedPart(const AccessPlanner& planner, std::size_t most) : planner_(planner), path_(most) {
    commands_.reserve(most);
    slots_.reserve(most);
  }

  bool empty() const { return commands_.empty(); }
  std::size_t size() const { return commands_.size(); }
  bool ordered() const { return ordered_; }
  /// Number of steps that `order` will take.
  std::uint64_t steps() const { return ordered_ ? 0 : PathOrder<Picoseconds>::steps(commands_.size()); }

  void clear() {
    commands_.clear();
    ordered_ = false;
  }
  /// Adds a command at the end.
  void add(const Command& command) { commands_.push_back(&command); }

  /// Puts the commands in the best order from the head's position at `now`. From then on `first` is the next to be served.
  void order(const HeadState& head, Picoseconds now) {
    const std::size_t n = commands_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Command& to = *commands_[i];
      path_.set_start(i, planner_.estimate(head, to.extent, now, to.data_ready, to.overhead_end).positioning());
      for (std::size_t k = 0; k < n; ++k)
        if (k != i) path_.set_hop(k, i, planner_.onward(commands_[k]->extent, to.extent, 0));
    }
    path_.solve(n);
    slots_ = commands_;
    for (std::size_t i = 0; i < n; ++i) commands_[i] = slots_[path_[i]];
    ordered_ = true;
  }

  const Command& first() const { return *commands_.front(); }
  /// Removes the command; the others keep their order. True if it was there.
  bool remove(Tag tag) {
    const auto at = std::find_if(commands_.begin(), commands_.end(), [tag](const Command* c) { return c->tag == tag; });
    if (at == commands_.end()) return false;
    commands_.erase(at);
    if (commands_.empty()) ordered_ = false;
    return true;
  }

 private:
  const AccessPlanner& planner_;
  PathOrder<Picoseconds> path_;
  std::vector<const Command*> commands_;
  std::vector<const Command*> slots_;
  bool ordered_ = false;
};

}  // namespace platter::scheduling
