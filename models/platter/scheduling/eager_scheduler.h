// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// What the policies of eager writing share: reads and writes apart, the closest of the reads and the free block closest to the head.
/// Of the writes the oldest goes first. Extents are looked at anew in every decision, for a read follows its block.
class EagerScheduler : public SchedulerIf {
 public:
  /// Precondition: `context.search` is set.
  explicit EagerScheduler(const SchedulerContext& context)
      : planner_(context.planner),
        search_(*context.search),
        bind_reads_(context.bind_reads),
        reads_(context.capacity),
        writes_(context.capacity) {}

  void insert(const Command& command) override { (command.extent.write ? writes_ : reads_).insert(command); }
  void remove(Tag tag) override {
    reads_.remove(tag);
    writes_.remove(tag);
  }
  bool empty() const override { return reads_.empty() && writes_.empty(); }
  DecisionWork work(const HeadState& /*head*/) override {
    return {reads_.size() + (writes_.empty() ? 0 : search_.gap_tracks()), 0};
  }

 protected:
  /// A read, and how long its access takes from here.
  struct Read {
    const Command* command = nullptr;
    Picoseconds total = 0;
  };

  Picoseconds total(const HeadState& head, const Command& read, Picoseconds now) const {
    return planner_.estimate(head, read.extent, now, 0, read.overhead_end).total();
  }

  /// Where the seek direction binds reads: turns it when none is ahead of the arm. To be called before `competes`.
  void settle_direction(const HeadState& head) {
    if (bind_reads_ && !reads_.empty() &&
        std::none_of(reads_.begin(), reads_.end(), [&](const Command* read) { return ahead(head, *read); }))
      upward_ = !upward_;
  }
  bool competes(const HeadState& head, const Command& read) const { return !bind_reads_ || ahead(head, read); }

  /// The read that ends first, of those that compete.
  Read closest_read(const HeadState& head, Picoseconds now) {
    settle_direction(head);
    Read best;
    for (const Command* command : reads_) {
      if (!competes(head, *command)) continue;
      const Picoseconds time = total(head, *command, now);
      if (best.command == nullptr || time < best.total) best = {command, time};
    }
    return best;
  }

  eager::Departure departure(const HeadState& head, Picoseconds now) const {
    const Command& write = writes_.oldest();
    return search_.departure(head, now, write.data_ready, write.overhead_end);
  }
  /// For the oldest write. Precondition: there is one.
  eager::FreeBlock closest_block(const HeadState& head, Picoseconds now) {
    return search_.closest(departure(head, now), upward_);
  }
  Decision write_to(const eager::FreeBlock& block, bool hidden) const {
    return Decision::write(writes_.oldest().tag, block.place, hidden);
  }

  const AccessPlanner& planner_;
  const eager::FreeSearch& search_;
  bool bind_reads_;
  CommandSet reads_;
  CommandSet writes_;
  bool upward_ = true;  ///< the one seek direction

 private:
  bool ahead(const HeadState& head, const Command& read) const {
    return upward_ ? read.extent.cylinder >= head.cylinder : read.extent.cylinder <= head.cylinder;
  }
};

}  // namespace platter::scheduling
