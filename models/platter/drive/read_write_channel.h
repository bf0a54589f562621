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
      : sc_module(name), planner_(planner), media_(media) {}

  /// Write data crosses the bus as soon as the command is in the queue; returns when all of it is in the buffer.
  Picoseconds receive(const mechanics::Extent& extent, Picoseconds now) {
    received_ = std::max({received_, sent_, now}) + planner_.bus_block_time() * Picoseconds{extent.blocks};
    return received_;
  }

  /// Read data follows the media over the bus, block by block; returns when the last block has left. `media_start` is
  /// when the first sector came under the head.
  Picoseconds send(const mechanics::Extent& extent, Picoseconds media_start) {
    sent_ = std::max(sent_ + planner_.bus_block_time() * Picoseconds{extent.blocks}, media_start + extent.bus_finish);
    return sent_;
  }

  /// When the last block read so far has left.
  Picoseconds sent() const { return sent_; }

  /// Copies the bytes between the payload and the media; nothing to do for a payload without data.
  void move_bytes(const Slot& slot);
  /// Puts what `write` holds in the buffer over what `read` has got from the media.
  void overlay_bytes(const Slot& read, const Slot& write) const;

 private:
  const mechanics::AccessPlanner& planner_;
  Media* media_;
  Picoseconds sent_ = 0;      ///< when the last read's data has left
  Picoseconds received_ = 0;  ///< when the last write's data is in the buffer
};

}  // namespace platter::drive
