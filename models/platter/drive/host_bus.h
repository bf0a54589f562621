// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/drive/probe_if.h"
#include "platter/mechanics/access_planner.h"

namespace platter::drive {

using core::Picoseconds;

/// The host bus, which carries one block at a time in each direction. Read data has priority: delaying it delays the completion of the read, while
/// write data only has to be in the buffer before its sector passes the head. So a write never delays the end of a read, to which the deadline guard
/// has committed.
class HostBus {
 public:
  explicit HostBus(const mechanics::AccessPlanner& planner) : planner_(planner) {}

  void set_probes(const Probes& probes) { probes_ = &probes; }

  /// Transfers write data over the bus from `begin` on; returns when all of it is in the buffer.
  Picoseconds receive(std::uint32_t blocks, Picoseconds begin) {
    received_ = std::max({received_, sent_, begin}) + planner_.bus_block_time(true) * Picoseconds{blocks};
    tell(received_, true, blocks);
    return received_;
  }

  /// Transfers read data over the bus block by block, as it comes from the media; returns when the last block has left the drive.
  /// `finish` is when that would be on an idle bus.
  Picoseconds send(std::uint32_t blocks, Picoseconds finish) {
    sent_ = sent_after(blocks, finish);
    tell(sent_, false, blocks);
    return sent_;
  }
  /// Result of `send` without the transfer.
  Picoseconds sent_after(std::uint32_t blocks, Picoseconds finish) const {
    return std::max(sent_ + planner_.bus_block_time(false) * Picoseconds{blocks}, finish);
  }

  /// Transfers data from the buffer over the bus from `begin` on; returns when it has left the drive.
  Picoseconds send_buffered(std::uint32_t blocks, Picoseconds begin) {
    sent_ = std::max(sent_, begin) + planner_.bus_block_time(false) * Picoseconds{blocks};
    tell(sent_, false, blocks);
    return sent_;
  }

  /// When the last block of read data has left the drive.
  Picoseconds sent() const { return sent_; }

  /// The drive has lost its power: the bus is idle.
  void reset() { sent_ = received_ = 0; }

 private:
  /// Blocks that come from the media one by one are told as if they had crossed the bus together, at the end.
  void tell(Picoseconds end, bool write, std::uint32_t blocks) const {
    if (probes_ == nullptr || probes_->empty()) return;
    const BusReport report{end - planner_.bus_block_time(write) * Picoseconds{blocks}, end, write, blocks};
    probes_->tell([&](ProbeIf& probe) { probe.carried(report); });
  }

  const mechanics::AccessPlanner& planner_;
  const Probes* probes_ = nullptr;
  Picoseconds sent_ = 0;
  Picoseconds received_ = 0;
};

}  // namespace platter::drive
