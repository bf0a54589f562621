// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "platter/drive/slot.h"

namespace platter::drive {

/// What must wait for what. Tags 0 … depth - 1. A write that overlaps an older command waits for it, a flush waits for every older write, and whatever is
/// younger waits for a flush; an ordered command waits for every older one, and every younger one for it, but for those at the
/// head of the queue. A read waits for no write: what an older one still holds in the buffer goes over the bytes from the media.
/// So the bytes are those of the order of arrival, and a continuous read, which has a deadline, is never held up by a write that
/// has none and that the policy may put off.
class HazardQueue : public sc_core::sc_module {
 public:
  /// Commands overlap where they touch the same `granule` sectors.
  HazardQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t granule = 1);

  std::uint32_t depth() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t occupancy() const { return occupancy_; }
  bool full() const { return occupancy_ == depth(); }
  bool tag_free(int tag) const {
    return tag >= 0 && tag < static_cast<int>(depth()) && !slots_[static_cast<std::size_t>(tag)].used();
  }

  /// Takes the lowest free tag, or `wanted`; precondition: there is one, or that one is free.
  Slot& allocate(int wanted, Picoseconds now);
  /// Counts what the new command must wait for; to be called once its extent is known.
  void find_blockers(Slot& slot);
  /// The command, a flush or one over blocks that the buffer has not written yet, waits for the buffer.
  void hold(Slot& slot);
  /// A held command waits no longer.
  void let_go(const Slot& slot);
  /// A command that waits for others does so no longer; its own place in the order stays.
  void unblock(Slot& slot);
  /// Blocks have been written: calls `ready(slot)` with every held command but the flushes, in order of arrival; each may be held again.
  template <typename Ready>
  void retry_held(Ready ready);
  /// All of them have been written: calls `ready(slot)` with every flush.
  template <typename Ready>
  void retry_flushes(Ready ready);
  /// The command has reached the media: what waited for it and now waits for nothing more goes to `ready`.
  void reached_media(Slot& slot, std::vector<Tag>& ready);
  /// The drive has died: `fail` is called with every command that has a tag, oldest first, and none waits for another any more.
  template <typename Fail>
  void abandon(Fail fail);
  /// Older writes over the read's blocks that have not reached the media, oldest first; valid until the next call.
  const std::vector<const Slot*>& buffered_writes(const Slot& read);
  void release(Slot& slot, Picoseconds now);
  /// The age of a command that the drive makes itself.
  std::uint64_t next_sequence() { return next_sequence_++; }

  Slot& slot(Tag tag) { return slots_[tag.value]; }
  const Slot& slot(Tag tag) const { return slots_[tag.value]; }
  std::vector<Slot>& slots() { return slots_; }

  /// Sum over time of the occupancy, in commands times picoseconds, up to `now`.
  double occupancy_integral(Picoseconds now) const { return integral_ + static_cast<double>(now - changed_) * occupancy_; }

 private:
  static bool overlap(const Slot& x, const Slot& y);
  /// Must `younger` wait for `older`?
  bool conflict(const Slot& older, const Slot& younger) const;
  void account(Picoseconds now);

  std::vector<Slot> slots_;
  std::uint32_t granule_;
  std::vector<Slot*> abandoned_;
  std::vector<const Slot*> buffered_;
  std::vector<Tag> held_;     ///< in order of arrival
  std::vector<Tag> retried_;  ///< those that are being looked at again
  std::vector<Tag> flushes_;
  /// Commands that have not reached the media; a queue of reads needs none of the searches.
  struct {
    std::uint32_t writes = 0;
    std::uint32_t barriers = 0;  ///< flushes and ordered commands
    std::uint32_t blocked = 0;
  } pending_;
  std::uint64_t next_sequence_ = 0;
  std::uint32_t occupancy_ = 0;
  double integral_ = 0;
  Picoseconds changed_ = 0;
};

template <typename Ready>
void HazardQueue::retry_held(Ready ready) {
  if (held_.empty()) return;
  retried_.swap(held_);  // what must wait on goes back to the list, in order; the two change places and keep their memory
  for (const Tag tag : retried_) ready(slot(tag));
  retried_.clear();
}

template <typename Ready>
void HazardQueue::retry_flushes(Ready ready) {
  std::vector<Tag> flushes;  // one that ends may let a write in, for which the next has to wait again
  flushes.swap(flushes_);
  for (const Tag tag : flushes) ready(slot(tag));
}

template <typename Fail>
void HazardQueue::abandon(Fail fail) {
  abandoned_.clear();
  for (Slot& slot : slots_)
    if (slot.used()) abandoned_.push_back(&slot);
  std::sort(abandoned_.begin(), abandoned_.end(),
            [](const Slot* a, const Slot* b) { return a->command.sequence < b->command.sequence; });
  for (Slot* slot : abandoned_) {
    if (!slot->on_media()) slot->enter(Stage::Done);
    slot->blockers = 0;
    fail(*slot);
  }
  pending_ = {};
  held_.clear();
  flushes_.clear();
}

}  // namespace platter::drive
