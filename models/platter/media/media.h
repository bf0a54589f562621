// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "platter/media/disk_file.h"

namespace platter::media {

/// Sparse storage of bytes by offset, in pages. Bytes that were never written read as zero, and a page of zeros takes no memory.
class Bytes {
 public:
  static constexpr std::size_t kPageBytes = 4096;

  void read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const;
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t length);
  /// These bytes are zero from now on.
  void clear(std::uint64_t offset, std::uint64_t length);
  /// All bytes are zero from now on.
  void clear() { pages_.clear(); }
  Bytes copy() const;
  /// Calls `visit` with each page that has a byte that is not zero, in no order.
  template <typename Visit>
  void for_each_page(Visit visit) const {
    for (const auto& [number, page] : pages_) visit(number * kPageBytes, page->data(), kPageBytes);
  }
  /// Bytes of the pages in memory.
  std::uint64_t kept() const { return std::uint64_t{pages_.size()} * kPageBytes; }

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // never iterated where order would matter
};

/// The sectors of the disks: their bytes, and whether they can be read. A sector whose write was interrupted cannot be read until it is
/// written again. They are in memory, or in a file that has them after the end of the process.
class Media {
 public:
  /// `keeps_bytes` false: timing only. `torn_together`: neighbouring sectors that a write puts on the media together. `file`: it has the
  /// sectors, and must live as long; null: they are in memory.
  Media(std::uint32_t sector_bytes, bool keeps_bytes, std::uint32_t torn_together = 1, DiskFile* file = nullptr);

  std::uint32_t sector_bytes() const { return sector_bytes_; }
  bool keeps_bytes() const { return keeps_bytes_; }

  bool all_readable() const { return unreadable_.empty(); }
  /// Offset of the first unreadable sector in [offset, offset + length); nothing if all can be read.
  std::optional<std::uint64_t> unreadable(std::uint64_t offset, std::uint64_t length) const;
  /// Reads bytes, even of unreadable sectors; does nothing on media that keep no bytes.
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const {
    if (!keeps_bytes_) return;
    if (file_ != nullptr)
      file_->read(offset, data, length);
    else
      bytes_.read(offset, data, length);
  }
  /// Writes bytes. Sectors that are written completely can be read from now on.
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t length);
  /// The same effect on sectors, without bytes.
  void written(std::uint64_t offset, std::uint64_t length);
  /// Changes bytes of a sector whose write is interrupted; whether the sector can be read stays as it is.
  void scribble(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
    if (!keeps_bytes_) return;
    if (file_ != nullptr)
      file_->write(offset, data, length);
    else
      bytes_.write(offset, data, length);
  }
  /// Bytes of the pages in memory.
  std::uint64_t kept() const { return bytes_.kept(); }
  /// Makes the sector at `offset` unreadable, with those that are written together with it.
  void tear(std::uint64_t offset) {
    const std::uint64_t first = offset / sector_bytes_ / torn_together_ * torn_together_;
    for (std::uint32_t i = 0; i < torn_together_; ++i) {
      unreadable_.insert(first + i);
      if (file_ != nullptr) file_->set_unreadable(first + i, true);
    }
  }

  /// The file that has the sectors; null: they are in memory.
  DiskFile* file() const { return file_; }
  /// A copy in memory.
  Media copy() const;
  /// Writes everything to a file that is new. Returns the sectors that cannot be read, in their order. Precondition: the media are in memory.
  std::vector<std::uint64_t> save(DiskFile& to) const;

 private:
  std::uint32_t sector_bytes_;
  std::uint32_t torn_together_;
  bool keeps_bytes_;
  DiskFile* file_;
  Bytes bytes_;
  std::unordered_set<std::uint64_t> unreadable_;  ///< sectors; never iterated where order would matter
};

}  // namespace platter::media
