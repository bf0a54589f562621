// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/drive/slot.h"
#include "platter/drive/written_blocks.h"
#include "platter/mapping/mapping_if.h"
#include "platter/media/media.h"

namespace platter::drive {

/// What is durable: the media of a drive, and what its mapping has on them, as a loss of power leaves both.
struct DurableImage {
  media::Media media;
  mapping::MapImage map;
};

/// The bytes of commands, between their payloads, the media and the buffer; takes no time. Nothing to do for a payload without data, and on a
/// timing-only drive.
class DataPath {
 public:
  /// `segments`: null for a drive without a buffer.
  DataPath(media::Media& media, mapping::MappingIf& mapping, const buffer::SegmentBuffer* segments)
      : sector_bytes_(media.sector_bytes()), media_(media), mapping_(mapping), segments_(segments) {}

  /// The host's first block, of the access at hand of a read, that cannot be read; nothing if all can. `writes`: older ones that are still on their
  /// way, whose blocks need not be read.
  std::optional<std::uint64_t> unreadable(const Slot& slot, const std::vector<const Slot*>& writes) const;
  /// What the media and cached writes hold of the access at hand goes to the payload of a read.
  void read(const Slot& slot) const;
  /// Puts what `write` holds over what `read` has got.
  void overlay(const Slot& read, const Slot& write) const;
  /// The write at hand is on the media; the drive's own one writes what is buffered.
  void write(const Slot& slot);
  /// Keeps the bytes of a write that the buffer has taken until they go to the media; of one without data `present`, as they were before.
  void buffer(const Slot& slot, const std::vector<std::uint8_t>& present);
  /// The bytes of a write without data, as a read would find them; nothing for one with data.
  std::vector<std::uint8_t> present(const Slot& slot) const;
  /// A payload within the drive reads or writes what a host would find there, without time; false if there are no bytes.
  bool look(const tlm::tlm_generic_payload& payload, std::uint64_t length);

  /// What would be there if the power failed now; `writing`: the write at hand, so far, or null.
  DurableImage image(const Slot* writing, const WrittenBlocks& so_far) const;
  /// Takes such an image. Precondition: no command is in the drive.
  void mount(const DurableImage& image);

 private:
  std::uint64_t bytes(std::uint64_t blocks) const { return blocks * sector_bytes_; }
  mapping::WriteTarget target(const Slot& slot) const;
  /// What the write at hand puts there.
  void content(const Slot& slot, const mapping::WriteTarget& target, std::vector<std::uint8_t>& data) const;
  /// The media's bytes.
  void peek(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;
  /// Calls `visit(first, end, offset)` for each range of bytes of [address, address + length) that a cached write holds.
  template <typename Visit>
  void for_each_buffered(std::uint64_t address, std::uint64_t length, Visit visit) const;
  void overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const;

  std::uint64_t sector_bytes_;
  media::Media& media_;
  mapping::MappingIf& mapping_;
  const buffer::SegmentBuffer* segments_;  ///< which of the buffered bytes count
  media::Bytes buffered_;
  std::vector<std::uint8_t> content_;  ///< of one write on its way to the media
};

}  // namespace platter::drive
