// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "platter/drive/queue_entry.h"

namespace platter::drive {

using scheduling::AwaitedDestages;

/// The drive's queue, which also orders commands that conflict. Tags are 0 … depth - 1. A write waits for every older command that it overlaps. A
/// flush waits for every older write, and every younger command waits for a flush. An ordered command waits for every older command, and every
/// younger command waits for it, except head-of-queue commands. A zone management command is ordered, and head-of-queue commands wait for it too if
/// they touch its zones. A read with FUA waits for older writes that it overlaps. Any other read waits for none: where an older write has not reached
/// the media, its data replaces the bytes read from the media.
///
/// So a read returns the data that the order of arrival implies. A continuous read, which has a deadline, is never delayed by a
/// write that has no deadline and that the policy may postpone.
class HazardQueue : public sc_core::sc_module {
 public:
  /// Two commands overlap if they touch the same group of `granule` sectors.
  HazardQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t sector_bytes, std::uint32_t granule);

  void set_probes(const Probes& probes) { probes_ = &probes; }
  /// Of a drive with zones: the blocks of each. To be called before the first command.
  void set_zone_blocks(std::uint64_t blocks) { zone_blocks_ = blocks; }

  std::uint32_t depth() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint32_t occupancy() const { return occupancy_; }
  bool full() const { return occupancy_ == depth(); }
  bool tag_free(int tag) const {
    return tag >= 0 && tag < static_cast<int>(depth()) && !entries_[static_cast<std::size_t>(tag)].used();
  }

  /// Gives a host's command the tag that it asks for, or the lowest free one. Precondition: such a tag is free.
  QueueEntry& allocate(const command::Command& asked, Picoseconds now);
  /// Counts the older commands that the new one must wait for.
  void find_blockers(QueueEntry& entry);
  /// Holds a command that waits for destages: a flush for all of them, another one for room in the buffer, or (`over_dirty`) for the
  /// destages of its own blocks.
  void hold(QueueEntry& entry);
  /// Since when commands have been held, except flushes: all younger commands wait for a flush, so destages need no help. A command that
  /// has been let go counts until the next `retry_held`.
  const AwaitedDestages& awaited() const { return awaited_; }
  /// True if an older write, of the same actuator, waits for room in the buffer: it has the room first, except before a head-of-queue command.
  bool waits_for_room(const QueueEntry& write) const;
  /// Removes a command from those held.
  void let_go(const QueueEntry& entry);
  /// Makes a blocked command wait no longer. Its position in the order of arrival stays.
  void unblock(QueueEntry& entry);
  /// Call this after buffered blocks have been written to the media. Calls `ready(entry)` with every held command except flushes,
  /// in order of arrival; `ready` may hold it again.
  template <typename Ready>
  void retry_held(Ready ready);
  /// Call this after all buffered blocks have been written to the media. Calls `ready(entry)` with every held flush.
  template <typename Ready>
  void retry_flushes(Ready ready);
  /// The command has reached the media. Calls `ready(entry)` with every command that waited for it and now waits for no other.
  template <typename Ready>
  void reached_media(QueueEntry& entry, Ready ready);
  /// The drive has failed. Calls `fail` with every command that has a tag, oldest first; no command waits for another any more.
  template <typename Fail>
  void abandon(Fail fail);
  /// Older writes over the read's blocks that have not reached the media, oldest first; valid until the next call.
  const std::vector<QueueEntry*>& buffered_writes(const QueueEntry& read);
  void release(QueueEntry& entry, Picoseconds now);
  /// Takes the next sequence number, for an internal command.
  std::uint64_t next_sequence() { return next_sequence_++; }

  QueueEntry& entry(Tag tag) { return entries_[tag.value]; }
  const QueueEntry& entry(Tag tag) const { return entries_[tag.value]; }
  std::vector<QueueEntry>& entries() { return entries_; }
  const std::vector<QueueEntry>& entries() const { return entries_; }

  /// Sum over time of the occupancy, in commands times picoseconds, up to `now`.
  double occupancy_integral(Picoseconds now) const { return integral_ + static_cast<double>(now - changed_) * occupancy_; }

 private:
  static bool overlap(const QueueEntry& x, const QueueEntry& y);
  /// Does a zone management command concern blocks of `other`?
  bool manages(const QueueEntry& zone, const QueueEntry& other) const;
  /// Must `younger` wait for `older`?
  bool conflict(const QueueEntry& older, const QueueEntry& younger) const;
  void account(Picoseconds now);
  /// Appends the commands that waited for this one, and now wait for no other, to `released_`.
  void release_younger(QueueEntry& entry);

  const Probes* probes_ = nullptr;
  std::vector<QueueEntry> entries_;
  std::uint32_t sector_bytes_;
  std::uint32_t granule_;
  std::uint64_t zone_blocks_ = 0;  ///< of each zone; 0: the drive has none
  std::vector<QueueEntry*> abandoned_;
  std::vector<QueueEntry*> buffered_;
  std::vector<Tag> released_;  ///< scratch space of `reached_media`
  std::vector<Tag> held_;      ///< in order of arrival
  std::vector<Tag> retried_;   ///< scratch space of `retry_held`
  std::vector<Tag> flushes_;   ///< flushes and zone management commands that wait for destages
  AwaitedDestages awaited_;    ///< by the commands in `held_`
  /// Commands that have not reached the media. If all are zero, no search of the entries is needed.
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
void HazardQueue::reached_media(QueueEntry& entry, Ready ready) {
  // `ready` may call this function again: nested releases are appended to the list, and removed before it returns.
  const std::size_t first = released_.size();
  release_younger(entry);
  for (std::size_t i = first; i < released_.size(); ++i) ready(this->entry(released_[i]));
  released_.resize(first);
}

template <typename Ready>
void HazardQueue::retry_held(Ready ready) {
  if (held_.empty()) return;
  awaited_ = {};
  retried_.swap(held_);  // a command that must still wait returns to `held_`, in order; swapping the vectors keeps their memory
  for (const Tag tag : retried_) ready(entry(tag));
  retried_.clear();
}

template <typename Ready>
void HazardQueue::retry_flushes(Ready ready) {
  std::vector<Tag> flushes;  // a flush that ends may admit a write, for which the next flush has to wait
  flushes.swap(flushes_);
  for (const Tag tag : flushes) ready(entry(tag));
}

template <typename Fail>
void HazardQueue::abandon(Fail fail) {
  abandoned_.clear();
  for (QueueEntry& entry : entries_)
    if (entry.used()) abandoned_.push_back(&entry);
  std::sort(abandoned_.begin(), abandoned_.end(),
            [](const QueueEntry* a, const QueueEntry* b) { return a->command.sequence < b->command.sequence; });
  for (QueueEntry* entry : abandoned_) {
    if (!entry->on_media()) entry->enter(Stage::Done);
    entry->blockers = 0;
    fail(*entry);
  }
  pending_ = {};
  held_.clear();
  flushes_.clear();
  awaited_ = {};
}

}  // namespace platter::drive
