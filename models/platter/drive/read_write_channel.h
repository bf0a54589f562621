// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>

#include "platter/drive/command_queue.h"
#include "platter/drive/media.h"

namespace platter::drive {

/// Between media and host: moves the bytes, and keeps the host bus, which carries one block at a time. Read data goes first: it
/// is late when it is late, while write data only has to be in the buffer when its sector comes round. So no write moves a
/// read's end, which the deadline guard has promised.
class ReadWriteChannel : public sc_core::sc_module {
 public:
  /// `media` may be null: a timing-only drive.
  ReadWriteChannel(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, Media* media)
      : sc_module(name), planner_(planner), media_(media), buffered_("buffered") {}

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

  /// Copies the bytes between the payload and the media; nothing to do for a payload without data.
  void move_bytes(const Slot& slot);
  /// Puts what `write` holds in the buffer over what `read` has got from the media.
  void overlay_bytes(const Slot& read, const Slot& write) const;

  /// Keeps the bytes of a cached write until they go to the media.
  void buffer_bytes(const Slot& write);
  /// The bytes of these blocks go from the buffer to the media.
  void destage_bytes(core::Lba first, std::uint32_t blocks);
  /// Puts the buffered bytes of blocks [from, to) over those of [address, address + length) that came from the media.
  void overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length, core::Lba from, core::Lba to) const;
  /// The same the other way round, for writes without time.
  void replace_buffered(std::uint64_t address, const std::uint8_t* data, std::uint64_t length, core::Lba from, core::Lba to);

 private:
  std::uint64_t bytes(std::uint64_t blocks) const { return blocks * planner_.geometry().sector_bytes(); }

  const mechanics::AccessPlanner& planner_;
  Media* media_;
  Media buffered_;            ///< bytes of cached writes; which of them count is the segment buffer's business
  Picoseconds sent_ = 0;      ///< when the last read's data has left
  Picoseconds received_ = 0;  ///< when the last write's data is in the buffer
};

}  // namespace platter::drive
