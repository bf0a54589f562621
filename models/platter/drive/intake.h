// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/drive/arm.h"
#include "platter/drive/host_bus.h"
#include "platter/drive/slot.h"

namespace platter::drive {

/// A command's way into the drive: its overhead, and the transfer of write data.
class Intake {
 public:
  /// What the transfer of write data depends on.
  struct Rules {
    Picoseconds preparation = 0;       ///< of the bus, before data crosses it
    std::uint32_t watermark = 1;       ///< blocks that are in the buffer before the first is written
    bool data_first = false;           ///< nothing is written before all of its data has come: where it goes is not known
    bool buffer_takes_writes = false;  ///< such a write sends its data when it is taken
  };
  Intake(const mechanics::AccessPlanner& planner, const Rules& rules, HostBus& bus, const Arm& arm)
      : planner_(planner), rules_(rules), bus_(bus), arm_(arm) {}

  /// A command with an extent has come: starts its overhead and, where nothing else can, its data transfer.
  void arrived(Slot& slot, Picoseconds now) {
    const mechanics::Extent& extent = slot.command.extent;
    slot.command.overhead_end = now + planner_.command_overhead(extent.write, arm_.state().last_was_write);
    if (extent.write && !(rules_.buffer_takes_writes && !slot.asked.fua)) receive(slot, slot.command.overhead_end);
  }

  /// The data of a write crosses the bus from `begin` on.
  void receive(Slot& slot, Picoseconds begin) {
    const mechanics::Extent& extent = slot.command.extent;
    const Picoseconds block_time = planner_.bus_block_time(true);
    slot.data_end = bus_.receive(extent.blocks, begin + rules_.preparation);
    // The first sector may be written as soon as no later one will have to wait for its block.
    const Picoseconds first = slot.data_end - block_time * Picoseconds{extent.blocks};
    slot.command.data_ready =
        rules_.data_first
            ? slot.data_end
            : first + std::max(extent.data_lead, block_time * Picoseconds{std::min(extent.blocks, rules_.watermark)});
  }
  /// The same of one whose data has not been asked for, once its overhead is over.
  void receive_late(Slot& slot, Picoseconds now) {
    if (!slot.received()) receive(slot, std::max(slot.command.overhead_end, now));
  }

 private:
  const mechanics::AccessPlanner& planner_;
  Rules rules_;
  HostBus& bus_;
  const Arm& arm_;  ///< what the drive did last decides the overhead
};

}  // namespace platter::drive
