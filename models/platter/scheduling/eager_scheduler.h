// SPDX-License-Identifier: Apache-2.0
#pragma once

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

  /// The read that ends first; where the seek direction binds reads, of those ahead of the arm, and the direction turns when
  /// there is none.
  Read closest_read(const HeadState& head, Picoseconds now) {
    Read best;
    for (int turns = 0; turns < 2 && best.command == nullptr && !reads_.empty(); ++turns) {
      if (turns == 1) upward_ = !upward_;
      for (const Command* command : reads_) {
        if (bind_reads_ && !ahead(head, *command)) continue;
        const Picoseconds time = total(head, *command, now);
        if (best.command == nullptr || time < best.total) best = {command, time};
      }
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

  bool ahead(const HeadState& head, const Command& command) const {
    return upward_ ? command.extent.cylinder >= head.cylinder : command.extent.cylinder <= head.cylinder;
  }

  const AccessPlanner& planner_;
  const eager::FreeSearch& search_;
  bool bind_reads_;
  CommandSet reads_;
  CommandSet writes_;
  bool upward_ = true;  ///< the one seek direction
};

}  // namespace platter::scheduling
