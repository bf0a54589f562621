// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/command_queue.h"

#include <algorithm>

namespace platter::drive {

CommandQueue::CommandQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t granule)
    : sc_module(name), slots_(depth), granule_(granule) {
  for (std::uint32_t tag = 0; tag < depth; ++tag) slots_[tag].tag = Tag(static_cast<std::uint16_t>(tag));
}

void CommandQueue::account(Picoseconds now) {
  integral_ = occupancy_integral(now);
  changed_ = now;
}

Slot& CommandQueue::allocate(int wanted, Picoseconds now) {
  std::size_t tag = 0;
  if (wanted >= 0)
    tag = static_cast<std::size_t>(wanted);
  else
    while (slots_[tag].used) ++tag;
  account(now);
  ++occupancy_;
  Slot& slot = slots_[tag];
  const Tag own = slot.tag;
  slot = Slot{};
  slot.used = true;
  slot.tag = slot.command.tag = own;
  slot.command.sequence = next_sequence_++;
  slot.command.arrival = now;
  return slot;
}

bool CommandQueue::overlap(const Slot& x, const Slot& y) {
  return x.first() < y.end() && y.first() < x.end();
}

bool CommandQueue::conflict(const Slot& older, const Slot& younger) const {
  if (older.on_media) return false;
  if ((older.ordered() || younger.ordered()) && !younger.head_of_queue()) return true;
  if (older.asked.flush() || younger.asked.flush()) return older.asked.flush() || older.asked.write();
  if (!younger.asked.write()) return false;
  if (granule_ == 1) return overlap(older, younger);
  return older.first() / granule_ <= (younger.end() - 1) / granule_ &&
         younger.first() / granule_ <= (older.end() - 1) / granule_;
}

void CommandQueue::find_blockers(Slot& slot) {
  const bool write = slot.asked.write();
  if (write || slot.asked.flush() || slot.ordered() || barriers_ > 0) {  // otherwise a read, which waits for nothing
    for (const Slot& other : slots_)
      if (other.used && &other != &slot && conflict(other, slot)) ++slot.blockers;
    if (slot.blockers > 0) ++blocked_;
  }
  if (write) ++writes_;
  if (slot.asked.flush() || slot.ordered()) ++barriers_;
}

void CommandQueue::reached_media(Slot& slot, std::vector<Tag>& ready) {
  // Anything with blockers is younger than they are: the conflicts counted at its arrival are those that end here.
  if (blocked_ > 0)
    for (Slot& other : slots_)
      if (other.used && other.blockers > 0 && other.command.sequence > slot.command.sequence && conflict(slot, other) &&
          --other.blockers == 0) {
        --blocked_;
        ready.push_back(other.tag);
      }
  slot.on_media = true;
  if (slot.asked.write()) --writes_;
  if (slot.asked.flush() || slot.ordered()) --barriers_;
}

const std::vector<const Slot*>& CommandQueue::buffered_writes(const Slot& read) {
  buffered_.clear();
  if (writes_ > 0)
    for (const Slot& other : slots_)
      if (other.used && !other.on_media && !other.asked.flush() && other.asked.write() &&
          other.command.sequence < read.command.sequence && overlap(other, read))
        buffered_.push_back(&other);
  std::sort(buffered_.begin(), buffered_.end(),
            [](const Slot* a, const Slot* b) { return a->command.sequence < b->command.sequence; });
  return buffered_;
}

void CommandQueue::release(Slot& slot, Picoseconds now) {
  account(now);
  --occupancy_;
  slot.used = false;
  slot.payload = nullptr;
}

}  // namespace platter::drive
