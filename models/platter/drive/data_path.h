// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/buffer/segment_buffer.h"
#include "platter/drive/block_translation.h"
#include "platter/drive/media.h"
#include "platter/drive/slot.h"

namespace platter::drive {

/// The bytes of commands, between their payloads, the media and the buffer; takes no time. Nothing to do for a payload without data, and on a
/// timing-only drive.
class DataPath {
 public:
  /// Each of `media`, `translation` and `segments` may be null: a timing-only drive, no eager writing, no buffer.
  DataPath(const mechanics::AccessPlanner& planner, Media* media, BlockTranslation* translation, const buffer::SegmentBuffer* segments)
      : sector_bytes_(planner.geometry().sector_bytes()), media_(media), translation_(translation), segments_(segments) {}

  /// What the media and cached writes hold goes to the payload of a read; of its current part under eager writing.
  void read(const Slot& slot) const;
  /// Puts what `write` holds over what `read` has got.
  void overlay(const Slot& read, const Slot& write) const;
  /// A write goes to the media, in the place of its address.
  void write(const Slot& slot);
  /// Keeps the bytes of a cached write until they go to the media.
  void buffer(const Slot& slot);
  /// The bytes of these blocks go from the buffer to the media.
  void destage(core::Lba first, std::uint32_t blocks);
  /// A payload within the drive reads or writes what a host would find there, without time; false if there are no bytes.
  bool look(const tlm::tlm_generic_payload& payload, std::uint64_t length);

 private:
  std::uint64_t bytes(std::uint64_t blocks) const { return blocks * sector_bytes_; }
  /// Calls `visit(first, end, offset)` for each range of bytes of [address, address + length) that a cached write holds.
  template <typename Visit>
  void for_each_buffered(std::uint64_t address, std::uint64_t length, Visit visit) const;
  void overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;

  std::uint64_t sector_bytes_;
  Media* media_;
  BlockTranslation* translation_;
  const buffer::SegmentBuffer* segments_;  ///< which of the buffered bytes count
  Media::Bytes buffered_;
};

}  // namespace platter::drive
