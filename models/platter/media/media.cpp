// SPDX-License-Identifier: Apache-2.0
#include "platter/media/media.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace platter::media {

namespace {

/// The part of [offset, offset + length) on the page of `offset`.
std::size_t on_page(std::uint64_t offset, std::uint64_t length) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(length, Bytes::kPageBytes - offset % Bytes::kPageBytes));
}

/// Precondition: `length` > 0.
bool zeros(const std::uint8_t* data, std::size_t length) {
  return data[0] == 0 && std::memcmp(data, data + 1, length - 1) == 0;
}

}  // namespace

void Bytes::read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const {
  while (length > 0) {
    const std::size_t take = on_page(offset, length);
    const auto page = pages_.find(offset / kPageBytes);
    if (page != pages_.end())
      std::memcpy(data, page->second->data() + offset % kPageBytes, take);
    else
      std::memset(data, 0, take);
    offset += take;
    data += take;
    length -= take;
  }
}

void Bytes::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
  while (length > 0) {
    const std::size_t take = on_page(offset, length);
    if (zeros(data, take)) {
      clear(offset, take);
    } else {
      std::unique_ptr<Page>& page = pages_[offset / kPageBytes];
      if (!page) page = std::make_unique<Page>();
      std::memcpy(page->data() + offset % kPageBytes, data, take);
    }
    offset += take;
    data += take;
    length -= take;
  }
}

void Bytes::clear(std::uint64_t offset, std::uint64_t length) {
  while (length > 0) {
    const std::size_t take = on_page(offset, length);
    if (const auto page = pages_.find(offset / kPageBytes); page != pages_.end()) {
      std::memset(page->second->data() + offset % kPageBytes, 0, take);
      if (zeros(page->second->data(), kPageBytes)) pages_.erase(page);
    }
    offset += take;
    length -= take;
  }
}

Bytes Bytes::copy() const {
  Bytes copy;
  copy.pages_.reserve(pages_.size());
  for (const auto& [number, page] : pages_) copy.pages_.emplace(number, std::make_unique<Page>(*page));
  return copy;
}

Media::Media(std::uint32_t sector_bytes, bool keeps_bytes, std::uint32_t torn_together, DiskFile* file)
    : sector_bytes_(sector_bytes), torn_together_(torn_together), keeps_bytes_(keeps_bytes), file_(file) {
  if (file_ != nullptr) file_->for_each_unreadable([this](std::uint64_t sector) { unreadable_.insert(sector); });
}

std::optional<std::uint64_t> Media::unreadable(std::uint64_t offset, std::uint64_t length) const {
  if (unreadable_.empty()) return std::nullopt;
  for (std::uint64_t sector = offset / sector_bytes_; sector * sector_bytes_ < offset + length; ++sector)
    if (unreadable_.count(sector) > 0) return sector * sector_bytes_;
  return std::nullopt;
}

void Media::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) {
  scribble(offset, data, length);
  written(offset, length);
}

void Media::written(std::uint64_t offset, std::uint64_t length) {
  if (unreadable_.empty()) return;
  const std::uint64_t end = (offset + length) / sector_bytes_;
  for (std::uint64_t sector = (offset + sector_bytes_ - 1) / sector_bytes_; sector < end; ++sector)
    if (unreadable_.erase(sector) > 0 && file_ != nullptr) file_->set_unreadable(sector, false);
}

Media Media::copy() const {
  Media copy(sector_bytes_, keeps_bytes_, torn_together_);
  copy.bytes_ = bytes_.copy();
  if (file_ != nullptr) {
    std::vector<std::uint8_t> piece(std::size_t{1} << 20);
    file_->for_each_data([&](std::uint64_t at, std::uint64_t length) {
      for (const std::uint64_t end = at + length; at < end; at += piece.size()) {
        piece.resize(std::min<std::uint64_t>(std::size_t{1} << 20, end - at));
        file_->read(at, piece.data(), piece.size());
        copy.bytes_.write(at, piece.data(), piece.size());
      }
    });
  }
  copy.unreadable_ = unreadable_;
  return copy;
}

std::vector<std::uint64_t> Media::save(DiskFile& to) const {
  bytes_.for_each_page([&to](std::uint64_t at, const std::uint8_t* data, std::size_t length) { to.write(at, data, length); });
  std::vector<std::uint64_t> unreadable(unreadable_.begin(), unreadable_.end());
  std::sort(unreadable.begin(), unreadable.end());
  for (const std::uint64_t sector : unreadable) to.set_unreadable(sector, true);
  return unreadable;
}

}  // namespace platter::media
