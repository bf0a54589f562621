// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "platter/mechanics/access_planner.h"

namespace platter::drive {

using core::Picoseconds;

/// The host bus, which carries one block at a time. Read data goes first: it is late when it is late, while write data only has to be in the
/// buffer when its sector comes round. So no write moves a read's end, which the deadline guard has promised.
class HostBus {
 public:
  explicit HostBus(const mechanics::AccessPlanner& planner) : planner_(planner) {}

  /// Write data crosses the bus from `begin` on; returns when all of it is in the buffer.
  Picoseconds receive(std::uint32_t blocks, Picoseconds begin) {
    received_ = std::max({received_, sent_, begin}) + planner_.bus_block_time(true) * Picoseconds{blocks};
    return received_;
  }

  /// Read data follows the media over the bus, block by block; returns when the last block has left. `finish` is when it would
  /// have left over a free bus.
  Picoseconds send(std::uint32_t blocks, Picoseconds finish) { return sent_ = sent_after(blocks, finish); }
  /// The same without doing it.
  Picoseconds sent_after(std::uint32_t blocks, Picoseconds finish) const {
    return std::max(sent_ + planner_.bus_block_time(false) * Picoseconds{blocks}, finish);
  }

  /// Data from the buffer crosses the bus from `begin` on. Returns when it has left.
  Picoseconds send_buffered(std::uint32_t blocks, Picoseconds begin) {
    sent_ = std::max(sent_, begin) + planner_.bus_block_time(false) * Picoseconds{blocks};
    return sent_;
  }

  /// When the last block read so far has left.
  Picoseconds sent() const { return sent_; }

  /// When the last write's data is in the buffer.
  Picoseconds received() const { return received_; }

  /// The drive has lost its power: the bus is free.
  void reset() { sent_ = received_ = 0; }

 private:
  const mechanics::AccessPlanner& planner_;
  Picoseconds sent_ = 0;
  Picoseconds received_ = 0;
};

}  // namespace platter::drive
