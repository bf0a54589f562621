// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/eager/block_layout.h"
#include "platter/scheduling/command.h"

namespace platter::drive {

using core::Picoseconds;
using core::Tag;

/// Under eager writing: what the access at hand has of one block.
struct Part {
  std::uint32_t done = 0;     ///< sectors of the command before it
  std::uint32_t sectors = 0;  ///< of it
  std::uint32_t within = 0;   ///< its first sector, of the block's
  bool fetching = false;      ///< the block is read before a part of it is written
  eager::Block block;
  eager::Place place;         ///< of a write that has been decided on
};

/// One entry of the command queue.
struct Slot {
  Tag tag{0};                  ///< the host's; `command.tag` is the scheduling engine's, which is another where that one is taken
  bool used = false;
  bool own = false;            ///< the drive's, not the host's
  bool received = false;       ///< its write data has crossed the bus, or is on the way
  bool in_engine = false;      ///< handed to the scheduling engine
  bool on_media = false;       ///< its media access has ended
  bool blocking_call = false;  ///< a b_transport waits for it
  std::uint32_t accesses = 0;  ///< to the media, begun so far
  bool answered = false;       ///< its answer is given, or waits only for the host to take it
  int host = 0;                ///< whose command it is, unless it is a b_transport's
  std::uint32_t blockers = 0;  ///< older commands that must reach the media first
  std::uint32_t buffered = 0;  ///< first blocks of a read that the buffer holds; the command's extent is the rest
  buffer::Hit hit;             ///< where they are
  Picoseconds data_end = 0;    ///< of a write that is received: when all of its data is in the buffer
  command::Command asked;      ///< what the host wants; an access of an eager write may be a read
  scheduling::Command command; ///< the access, as the scheduling engine sees it
  command::Result result;
  tlm::tlm_generic_payload* payload = nullptr;
  Part part;
  std::uint64_t host_first = 0;  ///< the host's blocks
  std::uint32_t host_blocks = 0;

  /// The host's blocks [first, end), whatever part of them the buffer holds.
  std::uint64_t first() const { return host_first; }
  std::uint64_t end() const { return host_first + host_blocks; }
  bool ordered() const { return asked.attribute == command::TaskAttribute::Ordered; }
  bool head_of_queue() const { return asked.attribute == command::TaskAttribute::HeadOfQueue; }
};

/// Tags 0 … depth - 1. A write that overlaps an older command waits for it, a flush waits for every older write, and whatever is
/// younger waits for a flush; an ordered command waits for every older one, and every younger one for it, but for those at the
/// head of the queue. A read waits for no write: what an older one still holds in the buffer goes over the bytes from the media.
/// So the bytes are those of the order of arrival, and a continuous read, which has a deadline, is never held up by a write that
/// has none and that the policy may put off.
class CommandQueue : public sc_core::sc_module {
 public:
  /// Commands overlap where they touch the same `granule` sectors.
  CommandQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t granule = 1);

  std::uint32_t depth() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::uint32_t occupancy() const { return occupancy_; }
  bool full() const { return occupancy_ == depth(); }
  bool tag_free(int tag) const { return tag >= 0 && tag < static_cast<int>(depth()) && !slots_[static_cast<std::size_t>(tag)].used; }

  /// Takes the lowest free tag, or `wanted`; precondition: there is one, or that one is free.
  Slot& allocate(int wanted, Picoseconds now);
  /// Counts what the new command must wait for; to be called once its extent is known.
  void find_blockers(Slot& slot);
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
  double occupancy_integral(Picoseconds now) const {
    return integral_ + static_cast<double>(now - changed_) * occupancy_;
  }

 private:
  static bool overlap(const Slot& x, const Slot& y);
  /// Must `younger` wait for `older`?
  bool conflict(const Slot& older, const Slot& younger) const;
  void account(Picoseconds now);

  std::vector<Slot> slots_;
  std::uint32_t granule_;
  std::vector<Slot*> abandoned_;
  std::vector<const Slot*> buffered_;
  std::uint32_t occupancy_ = 0;
  // Of the commands that have not reached the media; a queue of reads needs none of the searches.
  std::uint32_t writes_ = 0;
  std::uint32_t barriers_ = 0;  ///< flushes and ordered commands
  std::uint32_t blocked_ = 0;
  std::uint64_t next_sequence_ = 0;
  double integral_ = 0;
  Picoseconds changed_ = 0;
};

template <typename Fail>
void CommandQueue::abandon(Fail fail) {
  abandoned_.clear();
  for (Slot& slot : slots_)
    if (slot.used) abandoned_.push_back(&slot);
  std::sort(abandoned_.begin(), abandoned_.end(),
            [](const Slot* a, const Slot* b) { return a->command.sequence < b->command.sequence; });
  for (Slot* slot : abandoned_) {
    slot->on_media = true;
    slot->blockers = 0;
    fail(*slot);
  }
  writes_ = barriers_ = blocked_ = 0;
}

}  // namespace platter::drive
