// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/gap_statistics.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// Common base of the policies that decide where writes go. It keeps reads and writes apart, and finds the closest read and the free block closest to
/// the head. The oldest write goes first. Every decision examines the extents again, because a read follows its block when a write moves it.
class PlacingScheduler : public SchedulerIf {
 public:
  /// Precondition: `context.free_space` is set.
  explicit PlacingScheduler(const SchedulerContext& context)
      : planner_(context.planner),
        space_(*context.free_space),
        bind_reads_(context.bind_reads),
        reads_(context.capacity),
        writes_(context.capacity) {}

  void insert(const Command& command) override { (command.extent.write ? writes_ : reads_).insert(command); }
  void remove(Tag tag) override {
    reads_.remove(tag);
    writes_.remove(tag);
  }
  void withdraw(Tag tag) override {
    if (gap_before_ != nullptr && gap_before_->tag == tag) close_gap();
    remove(tag);
  }
  bool empty() const override { return reads_.empty() && writes_.empty(); }
  DecisionWork work(const HeadState& /*head*/) override {
    return {reads_.size() + (writes_.empty() ? 0 : space_.gap_tracks()), 0};
  }
  const GapStatistics* gaps() const override { return &gaps_; }

 protected:
  /// A read, and how long its access takes from here.
  struct Read {
    const Command* command = nullptr;
    Picoseconds total = 0;
    Picoseconds rotation = 0;  ///< the part of it that waits for the sector
  };

  Read access(const HeadState& head, const Command& read, Picoseconds now) const {
    const AccessTime time = planner_.estimate(head, read.extent, now, 0, read.overhead_end);
    return {&read, time.total(), time.rotation};
  }

  /// If the seek direction binds reads, reverses it when no read is ahead of the arm. Must be called before `competes`.
  void settle_direction(const HeadState& head) {
    if (bind_reads_ && !reads_.empty() &&
        std::none_of(reads_.begin(), reads_.end(), [&](const Command* read) { return ahead(head, *read); }))
      upward_ = !upward_;
  }
  bool competes(const HeadState& head, const Command& read) const { return !bind_reads_ || ahead(head, read); }

  /// The read that ends first among those that compete.
  Read closest_read(const HeadState& head, Picoseconds now) {
    settle_direction(head);
    Read best;
    for (const Command* command : reads_) {
      if (!competes(head, *command)) continue;
      const Read read = access(head, *command, now);
      if (best.command == nullptr || read.total < best.total) best = read;
    }
    return best;
  }

  Departure departure(const HeadState& head, Picoseconds now) const {
    const Command& write = writes_.oldest();
    return space_.departure(head, now, write.data_ready, write.overhead_end);
  }
  /// For the oldest write. Precondition: there is one.
  FreeBlock closest_block(const HeadState& head, Picoseconds now) { return space_.closest(departure(head, now), upward_); }
  Decision write_to(const FreeBlock& block) const { return Decision::write(writes_.oldest().tag, block.place, false); }
  /// Puts the oldest write into the gap before `read`.
  Decision hide(const FreeBlock& block, const Read& read) {
    open_gap(read);
    ++taken_;
    return Decision::write(writes_.oldest().tag, block.place, true);
  }
  Decision serve(const Read& read) {
    open_gap(read);
    close_gap();
    return Decision::serve(read.command->tag);
  }

  const AccessPlanner& planner_;
  const FreeSpaceIf& space_;
  bool bind_reads_;
  CommandSet reads_;
  CommandSet writes_;
  bool upward_ = true;  ///< the one seek direction

 private:
  void open_gap(const Read& read) {
    if (read.command == gap_before_) return;
    close_gap();  // of a read that was given up for another
    gap_before_ = read.command;
    gap_ = read.rotation;
  }
  void close_gap() {
    if (gap_before_ != nullptr) gaps_.add(gap_, taken_);
    gap_before_ = nullptr;
    taken_ = 0;
  }
  bool ahead(const HeadState& head, const Command& read) const {
    return upward_ ? read.extent.cylinder >= head.cylinder : read.extent.cylinder <= head.cylinder;
  }

  GapStatistics gaps_;
  const Command* gap_before_ = nullptr;  ///< the read before which the last write was hidden
  Picoseconds gap_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace platter::scheduling
