// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/hazard_queue.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace platter::drive {

void Slot::report_stage(Stage next) const {
  std::string text = "tag ";
  text += std::to_string(tag.value) + ": " + kStageNames[static_cast<std::size_t>(stage)] + " to " +
          kStageNames[static_cast<std::size_t>(next)];
  SC_REPORT_FATAL("/platter/drive/stage", text.c_str());
  std::abort();
}

HazardQueue::HazardQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t granule)
    : sc_module(name), slots_(depth), granule_(granule) {
  held_.reserve(depth);
  retried_.reserve(depth);
  for (std::uint32_t tag = 0; tag < depth; ++tag) slots_[tag].tag = Tag(static_cast<std::uint16_t>(tag));
}

void HazardQueue::account(Picoseconds now) {
  integral_ = occupancy_integral(now);
  changed_ = now;
}

Slot& HazardQueue::allocate(int wanted, Picoseconds now) {
  std::size_t tag = 0;
  if (wanted >= 0)
    tag = static_cast<std::size_t>(wanted);
  else
    while (slots_[tag].used()) ++tag;
  account(now);
  ++occupancy_;
  Slot& slot = slots_[tag];
  const Tag own = slot.tag;
  slot = Slot{};
  slot.enter(Stage::Received);
  slot.tag = slot.command.tag = own;
  slot.command.sequence = next_sequence_++;
  slot.command.arrival = now;
  return slot;
}

bool HazardQueue::overlap(const Slot& x, const Slot& y) { return x.first() < y.end() && y.first() < x.end(); }

bool HazardQueue::conflict(const Slot& older, const Slot& younger) const {
  if (older.on_media()) return false;
  if ((older.ordered() || younger.ordered()) && !younger.head_of_queue()) return true;
  if (older.asked.flush() || younger.asked.flush()) return older.asked.flush() || older.asked.write();
  if (!younger.asked.write()) return false;
  if (granule_ == 1) return overlap(older, younger);
  return older.first() / granule_ <= (younger.end() - 1) / granule_ &&
         younger.first() / granule_ <= (older.end() - 1) / granule_;
}

void HazardQueue::find_blockers(Slot& slot) {
  const bool write = slot.asked.write();
  if (write || slot.asked.flush() || slot.ordered() || pending_.barriers > 0) {  // otherwise a read, which waits for nothing
    for (const Slot& other : slots_)
      if (other.used() && &other != &slot && conflict(other, slot)) ++slot.blockers;
    if (slot.blockers > 0) {
      ++pending_.blocked;
      slot.enter(Stage::Blocked);
    }
  }
  if (write) ++pending_.writes;
  if (slot.asked.flush() || slot.ordered()) ++pending_.barriers;
}

void HazardQueue::hold(Slot& slot) {
  slot.enter(Stage::Held);
  (slot.asked.flush() ? flushes_ : held_).push_back(slot.tag);
}

void HazardQueue::let_go(const Slot& slot) {
  std::vector<Tag>& list = slot.asked.flush() ? flushes_ : held_;
  list.erase(std::find(list.begin(), list.end(), slot.tag));
}

void HazardQueue::unblock(Slot& slot) {
  if (slot.blockers == 0) return;
  slot.blockers = 0;
  --pending_.blocked;
}

void HazardQueue::reached_media(Slot& slot, std::vector<Tag>& ready) {
  // Anything with blockers is younger than they are: the conflicts counted at its arrival are those that end here.
  if (pending_.blocked > 0)
    for (Slot& other : slots_)
      if (other.used() && other.blockers > 0 && other.command.sequence > slot.command.sequence && conflict(slot, other) &&
          --other.blockers == 0) {
        --pending_.blocked;
        ready.push_back(other.tag);
      }
  slot.enter(Stage::Done);
  if (slot.asked.write()) --pending_.writes;
  if (slot.asked.flush() || slot.ordered()) --pending_.barriers;
}

const std::vector<const Slot*>& HazardQueue::buffered_writes(const Slot& read) {
  buffered_.clear();
  if (pending_.writes > 0)
    for (const Slot& other : slots_)
      if (other.used() && !other.on_media() && !other.asked.flush() && other.asked.write() &&
          other.command.sequence < read.command.sequence && overlap(other, read))
        buffered_.push_back(&other);
  std::sort(buffered_.begin(), buffered_.end(),
            [](const Slot* a, const Slot* b) { return a->command.sequence < b->command.sequence; });
  return buffered_;
}

void HazardQueue::release(Slot& slot, Picoseconds now) {
  account(now);
  --occupancy_;
  slot.enter(Stage::Free);
  slot.payload = nullptr;
}

}  // namespace platter::drive
