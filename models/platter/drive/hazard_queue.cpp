// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/hazard_queue.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "platter/core/sc_time.h"
#include "platter/core/seeded_bug.h"
#include "platter/drive/probe_if.h"

namespace platter::drive {

void QueueEntry::report_violation(Stage next) const {
  std::string text = "tag ";
  text += std::to_string(tag.value) + ": " + kStageNames[static_cast<std::size_t>(stage)] + " to " +
          kStageNames[static_cast<std::size_t>(next)];
  SC_REPORT_FATAL("/platter/drive/stage", text.c_str());
  std::abort();
}

void QueueEntry::report() const {
  const StageReport report{core::now_ps(), tag.value, stage, asked};
  probes->tell([&](ProbeIf& probe) { probe.staged(report); });
}

HazardQueue::HazardQueue(const sc_core::sc_module_name& name, std::uint32_t depth, std::uint32_t sector_bytes,
                         std::uint32_t granule)
    : sc_module(name), entries_(depth), sector_bytes_(sector_bytes), granule_(granule) {
  held_.reserve(depth);
  released_.reserve(depth);
  retried_.reserve(depth);
  for (std::uint32_t tag = 0; tag < depth; ++tag) entries_[tag].tag = Tag(static_cast<std::uint16_t>(tag));
}

void HazardQueue::account(Picoseconds now) {
  integral_ = occupancy_integral(now);
  changed_ = now;
}

QueueEntry& HazardQueue::allocate(const command::Command& asked, Picoseconds now) {
  std::size_t tag = 0;
  if (asked.tag >= 0)
    tag = static_cast<std::size_t>(asked.tag);
  else
    while (entries_[tag].used()) ++tag;
  account(now);
  ++occupancy_;
  QueueEntry& entry = entries_[tag];
  const Tag own = entry.tag;
  entry = QueueEntry{};
  entry.enter(Stage::Received);
  entry.tag = entry.command.tag = own;
  entry.asked = asked;
  entry.command.take(asked);
  entry.command.sequence = next_sequence_++;
  entry.command.arrival = now;
  if (asked.moves_data()) {
    entry.walk.first = asked.address / sector_bytes_;
    entry.walk.blocks = asked.length / sector_bytes_;
    entry.walk.write = asked.write();
  } else if (asked.zone()) {
    entry.asked.attribute = command::TaskAttribute::Ordered;
  }
  entry.probes = probes_;
  return entry;
}

bool HazardQueue::overlap(const QueueEntry& x, const QueueEntry& y) { return x.first() < y.end() && y.first() < x.end(); }

bool HazardQueue::manages(const QueueEntry& zone, const QueueEntry& other) const {
  if (!other.asked.moves_data()) return false;
  const std::uint64_t first = zone.asked.address / sector_bytes_;
  return zone.asked.all_zones || (other.first() < first + zone_blocks_ && first < other.end());
}

bool HazardQueue::conflict(const QueueEntry& older, const QueueEntry& younger) const {
  if (older.on_media()) return false;
  if (older.asked.zone() && manages(older, younger)) return true;
  if ((older.ordered() || younger.ordered()) && !younger.head_of_queue()) return true;
  if (older.asked.flush() || younger.asked.flush())
    return older.asked.flush() || (older.asked.write() && !core::seeded("flush_passes_writes"));
  if (!younger.asked.write() && !(younger.asked.fua && older.asked.write())) return false;
  if (granule_ == 1 || !younger.asked.write()) return overlap(older, younger);
  return older.first() / granule_ <= (younger.end() - 1) / granule_ &&
         younger.first() / granule_ <= (older.end() - 1) / granule_;
}

void HazardQueue::find_blockers(QueueEntry& entry) {
  const bool write = entry.asked.write();
  if (write || (entry.asked.fua && pending_.writes > 0) || entry.asked.flush() || entry.ordered() ||
      pending_.barriers > 0) {  // other reads never wait
    for (const QueueEntry& other : entries_)
      if (other.used() && &other != &entry && conflict(other, entry)) ++entry.blockers;
    if (entry.blockers > 0) {
      ++pending_.blocked;
      entry.enter(Stage::Blocked);
    }
  }
  if (write) ++pending_.writes;
  if (entry.asked.flush() || entry.ordered()) ++pending_.barriers;
}

void HazardQueue::hold(QueueEntry& entry) {
  entry.enter(Stage::Held);
  if (!entry.asked.moves_data()) {
    flushes_.push_back(entry.tag);
    return;
  }
  held_.push_back(entry.tag);
  Picoseconds& since = entry.over_dirty ? awaited_.certain : awaited_.any;
  since = std::min(since, entry.command.arrival);
}

void HazardQueue::let_go(const QueueEntry& entry) {
  std::vector<Tag>& list = entry.asked.moves_data() ? held_ : flushes_;
  list.erase(std::find(list.begin(), list.end(), entry.tag));
  if (held_.empty()) awaited_ = {};
}

void HazardQueue::unblock(QueueEntry& entry) {
  if (entry.blockers == 0) return;
  entry.blockers = 0;
  --pending_.blocked;
}

void HazardQueue::release_younger(QueueEntry& entry) {
  // A blocked command is younger than its blockers, so the conflicts counted at its arrival are exactly those that end here.
  if (pending_.blocked > 0)
    for (QueueEntry& other : entries_)
      if (other.used() && other.blockers > 0 && other.command.sequence > entry.command.sequence && conflict(entry, other) &&
          --other.blockers == 0) {
        --pending_.blocked;
        released_.push_back(other.tag);
      }
  entry.enter(Stage::Done);
  if (entry.asked.write()) --pending_.writes;
  if (entry.asked.flush() || entry.ordered()) --pending_.barriers;
}

bool HazardQueue::waits_for_room(const QueueEntry& write) const {
  if (write.head_of_queue()) return false;
  const auto has_it_first = [&](Tag tag) {
    const QueueEntry& other = entry(tag);
    return other.stage == Stage::Held && other.asked.write() && !other.over_dirty && other.actuator == write.actuator &&
           other.command.sequence < write.command.sequence;
  };
  return std::any_of(held_.begin(), held_.end(), has_it_first) || std::any_of(retried_.begin(), retried_.end(), has_it_first);
}

const std::vector<QueueEntry*>& HazardQueue::buffered_writes(const QueueEntry& read) {
  buffered_.clear();
  if (pending_.writes > 0)
    for (QueueEntry& other : entries_)
      if (other.used() && !other.on_media() && !other.asked.flush() && other.asked.write() && !other.behind_gap &&
          other.command.sequence < read.command.sequence && overlap(other, read))
        buffered_.push_back(&other);
  std::sort(buffered_.begin(), buffered_.end(),
            [](const QueueEntry* a, const QueueEntry* b) { return a->command.sequence < b->command.sequence; });
  return buffered_;
}

void HazardQueue::release(QueueEntry& entry, Picoseconds now) {
  account(now);
  --occupancy_;
  entry.enter(Stage::Free);
  entry.payload = nullptr;
}

}  // namespace platter::drive
