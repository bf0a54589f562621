// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "platter/scheduling/placing_scheduler.h"

namespace platter::scheduling {

namespace {

/// Credit-EW: serves the read with the least cost. For each write that fits without delay into the gap before the read, the read is
/// credited with what a write costs that delays others. A read is taken only if its cost is low compared with the reads served so far.
/// Otherwise the oldest write goes to the closest free block, and commands that arrive meanwhile widen the choice of reads. With many
/// queued writes there is time to wait for a cheap read, with few there is not. This policy is our own.
class CreditScheduler : public PlacingScheduler {
 public:
  explicit CreditScheduler(const SchedulerContext& context) : PlacingScheduler(context) { offers_.reserve(context.capacity); }

  DecisionWork work(const HeadState& /*head*/) override {
    const std::size_t gaps = writes_.empty() ? 0 : std::min(kGaps, reads_.size());
    return {reads_.size() + (writes_.empty() ? 0 : space_.surfaces()) + gaps * space_.gap_tracks(), 0};
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (writes_.empty()) {
      const Read read = closest_read(head, now);
      if (read.command == nullptr) return {};
      learn(read_cost_, read.total);
      return serve(read);
    }
    const FreeBlock closest = closest_block(head, now);
    if (reads_.empty()) return write_to(closest);
    learn(write_cost_, closest.end);
    const Picoseconds credit = write_cost_ / 5 * 4;
    const Offer best = cheapest(head, now, credit);
    const auto writes = static_cast<Picoseconds>(writes_.size());
    if (best.read.command == nullptr || (read_cost_ > 0 && best.cost > read_cost_ / (10 * writes) * (9 * writes + 20)))
      return write_to(closest);
    if (best.place) return hide(best.place, best.read);
    learn(read_cost_, best.cost);
    return serve(best.read);
  }

 private:
  static constexpr std::size_t kGaps = 8;       ///< about the largest number of gaps that a decision tries to fill
  static constexpr Picoseconds kMaxHidden = 6;  ///< largest number of writes in one gap that count
  static constexpr Picoseconds kMemory = 64;    ///< accesses over which the mean costs are taken

  /// A read with the writes that fit into its gap.
  struct Offer {
    Read read;
    Picoseconds cost = 0;  ///< credit subtracted; a lower bound until the gap has been examined
    Picoseconds hidden = 0;
    FreeBlock place;  ///< of the first write
  };

  static void learn(Picoseconds& mean, Picoseconds cost) { mean = mean == 0 ? cost : mean + (cost - mean) / kMemory; }
  static bool dearer(const Offer& a, const Offer& b) { return a.cost > b.cost; }

  Offer cheapest(const HeadState& head, Picoseconds now, Picoseconds credit) {
    const Departure from = departure(head, now);
    const Picoseconds most = std::min(kMaxHidden, static_cast<Picoseconds>(writes_.size()));
    offers_.clear();
    settle_direction(head);
    for (const Command* command : reads_) {
      if (!competes(head, *command)) continue;
      const Read read = access(head, *command, now);
      Offer offer{read, 0, std::min(most, read.rotation / space_.shortest_write(from)), {}};
      offer.cost = read.total - credit * offer.hidden;
      offers_.push_back(offer);
    }
    std::make_heap(offers_.begin(), offers_.end(), dearer);
    Offer best;
    while (!offers_.empty() && (best.read.command == nullptr || offers_.front().cost < best.cost)) {
      std::pop_heap(offers_.begin(), offers_.end(), dearer);
      Offer offer = offers_.back();
      offers_.pop_back();
      fill(offer, from, now);
      offer.cost = offer.read.total - credit * offer.hidden;
      if (best.read.command == nullptr || offer.cost < best.cost) best = offer;
    }
    return best;
  }

  /// Puts up to `offer.hidden` writes into the gap before the read, and stores their number there.
  void fill(Offer& offer, Departure from, Picoseconds now) const {
    const Picoseconds most = offer.hidden;
    const Command& read = *offer.read.command;
    Picoseconds left = offer.read.total;
    for (offer.hidden = 0; offer.hidden < most; ++offer.hidden) {
      const FreeBlock block = space_.in_gap(from, read.extent, left, read.overhead_end - now - (offer.read.total - left));
      if (!block) return;
      if (offer.hidden == 0) offer.place = block;
      left -= block.end;
      from = space_.departure_after(block);
    }
  }

  Picoseconds write_cost_ = 0;  ///< mean time of a write to the closest free block
  Picoseconds read_cost_ = 0;   ///< mean time of a read after the writes in its gap
  std::vector<Offer> offers_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_credit_ew(const SchedulerContext& context) {
  return std::make_unique<CreditScheduler>(context);
}

}  // namespace platter::scheduling
