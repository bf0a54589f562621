// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/data_path.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace platter::drive {

template <typename Visit>
void DataPath::for_each_buffered(std::uint64_t address, std::uint64_t length, Visit visit) const {
  if (segments_ == nullptr || !segments_->any_dirty()) return;
  const std::uint64_t first = address / sector_bytes_;
  const std::uint64_t end = (address + length + sector_bytes_ - 1) / sector_bytes_;
  segments_->for_each_dirty(core::Lba(first), static_cast<std::uint32_t>(end - first), [&](core::Lba from, core::Lba to) {
    const std::uint64_t begin = std::max(address, bytes(from.value));
    visit(begin, std::min(address + length, bytes(to.value)), begin - address);
  });
}

void DataPath::overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const {
  for_each_buffered(address, length, [&](std::uint64_t from, std::uint64_t to, std::uint64_t offset) {
    buffered_.read(from, data + offset, to - from);
  });
}

void DataPath::read(const Slot& slot) const {
  std::uint8_t* data = slot.payload->get_data_ptr();
  if (media_ == nullptr || data == nullptr) return;
  if (translation_ != nullptr) {
    translation_->read_bytes(slot);
    return;
  }
  media_->read(slot.payload->get_address(), data, slot.payload->get_data_length());
  overlay_buffered(slot.payload->get_address(), data, slot.payload->get_data_length());
}

void DataPath::overlay(const Slot& read, const Slot& write) const {
  std::uint8_t* to = read.payload->get_data_ptr();
  const std::uint8_t* from = write.payload->get_data_ptr();
  if (media_ == nullptr || to == nullptr || from == nullptr) return;
  const std::uint64_t first = std::max(read.payload->get_address(), write.payload->get_address());
  const std::uint64_t end = std::min(read.payload->get_address() + read.payload->get_data_length(),
                                     write.payload->get_address() + write.payload->get_data_length());
  std::memcpy(to + (first - read.payload->get_address()), from + (first - write.payload->get_address()), end - first);
}

void DataPath::write(const Slot& slot) {
  const std::uint8_t* data = slot.payload->get_data_ptr();
  if (media_ != nullptr && data != nullptr) media_->write(slot.payload->get_address(), data, slot.payload->get_data_length());
}

void DataPath::buffer(const Slot& slot) {
  if (media_ == nullptr) return;
  const tlm::tlm_generic_payload& payload = *slot.payload;
  if (payload.get_data_ptr() != nullptr) {
    buffered_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  } else {  // a write without data leaves the bytes as they are
    std::vector<std::uint8_t> data(payload.get_data_length());
    media_->read(payload.get_address(), data.data(), data.size());
    buffered_.write(payload.get_address(), data.data(), data.size());
  }
}

void DataPath::destage(core::Lba first, std::uint32_t blocks) {
  if (media_ == nullptr) return;
  std::vector<std::uint8_t> data(bytes(blocks));
  buffered_.read(bytes(first.value), data.data(), data.size());
  media_->write(bytes(first.value), data.data(), data.size());
}

bool DataPath::look(const tlm::tlm_generic_payload& payload, std::uint64_t length) {
  std::uint8_t* data = payload.get_data_ptr();
  if (media_ == nullptr || data == nullptr || (!payload.is_read() && !payload.is_write())) return false;
  const std::uint64_t address = payload.get_address();
  if (translation_ != nullptr) {
    payload.is_read() ? translation_->peek(address, data, length) : translation_->poke(address, data, length);
    return true;
  }
  if (payload.is_read()) {
    media_->read(address, data, length);
    overlay_buffered(address, data, length);  // as for a read
  } else {
    media_->write(address, data, length);
    for_each_buffered(address, length, [&](std::uint64_t from, std::uint64_t to, std::uint64_t offset) {
      buffered_.write(from, data + offset, to - from);
    });
  }
  return true;
}

}  // namespace platter::drive
