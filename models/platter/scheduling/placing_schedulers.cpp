// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/placing_scheduler.h"

#include "platter/scheduling/flat_scheduler.h"

namespace platter::scheduling {

namespace {

/// SATF-EW: the closest read or, for the oldest write, the closest free block, whichever access ends first.
class SatfScheduler : public PlacingScheduler {
 public:
  using PlacingScheduler::PlacingScheduler;

  Decision pick(const HeadState& head, Picoseconds now) override {
    const Read read = closest_read(head, now);
    if (!writes_.empty()) {
      const FreeBlock block = closest_block(head, now);
      if (read.command == nullptr || block.end < read.total) return write_to(block);
    }
    return read.command != nullptr ? serve(read) : Decision{};
  }
};

/// Reads by SATF; a write when there is no read.
class ReadFirstScheduler : public PlacingScheduler {
 public:
  using PlacingScheduler::PlacingScheduler;

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (const Read read = closest_read(head, now); read.command != nullptr) return serve(read);
    return writes_.empty() ? Decision{} : write_to(closest_block(head, now));
  }
};

enum class ReadOrder {
  Satf,
  Scan,    ///< an elevator that turns at the last read
  Hybrid,  ///< Scan while a write is queued, Satf when none is
};

/// FreeBW-X: the next read is chosen by X and stays chosen; writes go to free blocks as long as it still ends as early as without
/// them. Without reads they go to the closest free blocks.
class FreeBandwidthScheduler : public PlacingScheduler {
 public:
  FreeBandwidthScheduler(const SchedulerContext& context, ReadOrder order) : PlacingScheduler(context), order_(order) {}

  void remove(Tag tag) override {
    PlacingScheduler::remove(tag);
    if (next_ != nullptr && next_->tag == tag) next_ = nullptr;
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (next_ == nullptr) next_ = choose(head, now);
    if (next_ == nullptr) return writes_.empty() ? Decision{} : write_to(closest_block(head, now));
    const Read read = access(head, *next_, now);
    if (!writes_.empty()) {
      const FreeBlock block = space_.in_gap(departure(head, now), next_->extent, read.total, next_->overhead_end - now);
      if (block) return hide(block, read);
    }
    return serve(read);
  }

 private:
  const Command* choose(const HeadState& head, Picoseconds now) {
    const bool scan = order_ == ReadOrder::Scan || (order_ == ReadOrder::Hybrid && !writes_.empty());
    if (!scan) return closest_read(head, now).command;
    const Command* best = next_of_scan(head);
    if (best == nullptr && !reads_.empty()) {
      sweep_up_ = !sweep_up_;
      best = next_of_scan(head);
    }
    return best;
  }

  const Command* next_of_scan(const HeadState& head) const {
    const Command* best = nullptr;
    for (const Command* command : reads_) {  // in order of age: the first of equals stays
      const core::Cylinder at = command->extent.cylinder;
      if (sweep_up_ ? at < head.cylinder : at > head.cylinder) continue;
      if (best == nullptr || distance(at, head.cylinder) < distance(best->extent.cylinder, head.cylinder)) best = command;
    }
    return best;
  }

  ReadOrder order_;
  bool sweep_up_ = true;
  const Command* next_ = nullptr;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_satf_ew(const SchedulerContext& context) {
  return std::make_unique<SatfScheduler>(context);
}

std::unique_ptr<SchedulerIf> create_read_first(const SchedulerContext& context) {
  return std::make_unique<ReadFirstScheduler>(context);
}

std::unique_ptr<SchedulerIf> create_freebw_satf(const SchedulerContext& context) {
  return std::make_unique<FreeBandwidthScheduler>(context, ReadOrder::Satf);
}

std::unique_ptr<SchedulerIf> create_freebw_scan(const SchedulerContext& context) {
  return std::make_unique<FreeBandwidthScheduler>(context, ReadOrder::Scan);
}

std::unique_ptr<SchedulerIf> create_freebw_hybrid(const SchedulerContext& context) {
  return std::make_unique<FreeBandwidthScheduler>(context, ReadOrder::Hybrid);
}

}  // namespace platter::scheduling
