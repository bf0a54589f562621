// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/drive/cache_manager.h"
#include "platter/drive/host_bus.h"
#include "platter/drive/queue_entry.h"

namespace platter::drive {

/// Starts a command in the drive: its overhead, and the transfer of write data over the bus.
class Intake {
 public:
  /// What the transfer of write data depends on.
  struct Rules {
    Picoseconds preparation = 0;  ///< bus overhead before the data transfer
    std::uint32_t watermark = 1;  ///< blocks that must be in the buffer before writing to the media begins
    bool data_first = false;      ///< writing begins only after all data has arrived, because the location is not known before
  };
  /// `cache` may be null. A write that it may cache transfers its data only when the buffer accepts it.
  Intake(const mechanics::AccessPlanner& planner, const Rules& rules, HostBus& bus, const CacheManager* cache)
      : planner_(planner), rules_(rules), bus_(bus), cache_(cache) {}

  /// A command with a known extent has arrived: starts its overhead and, unless the buffer may cache it, its data transfer. The overhead
  /// depends on the previous command of its actuator.
  void arrived(QueueEntry& entry, bool last_was_write, Picoseconds now) {
    const mechanics::Extent& extent = entry.command.extent;
    entry.command.overhead_end = now + planner_.command_overhead(extent.write, last_was_write);
    if (extent.write && !(cache_ != nullptr && cache_->write_back() && !entry.asked.fua))
      receive(entry, entry.command.overhead_end);
  }

  /// Transfers the data of a write over the bus from `begin` on.
  void receive(QueueEntry& entry, Picoseconds begin) {
    entry.data_end = bus_.receive(entry.walk.blocks, begin + rules_.preparation);
    find_ready(entry);
  }
  /// Finds when the current access of a write may begin. Precondition: the transfer of its data has been requested.
  void find_ready(QueueEntry& entry) const {
    const mechanics::Extent& extent = entry.command.extent;
    const Picoseconds block_time = planner_.bus_block_time(true);
    // Writing may begin as soon as no later sector will have to wait for its data.
    const Picoseconds first = entry.data_end - block_time * Picoseconds{entry.walk.blocks - entry.walk.done};
    entry.command.data_ready =
        rules_.data_first
            ? entry.data_end
            : first + std::max(extent.data_lead, block_time * Picoseconds{std::min(extent.blocks, rules_.watermark)});
  }
  /// Transfers the data of a write for which this has not yet been done, after its overhead.
  void receive_late(QueueEntry& entry, Picoseconds now) {
    if (!entry.received()) receive(entry, std::max(entry.command.overhead_end, now));
  }

 private:
  const mechanics::AccessPlanner& planner_;
  Rules rules_;
  HostBus& bus_;
  const CacheManager* cache_;
};

}  // namespace platter::drive
