// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/read_write_channel.h"

#include <cstring>

namespace platter::drive {

void ReadWriteChannel::move_bytes(const Slot& slot) {
  std::uint8_t* data = slot.payload->get_data_ptr();
  if (media_ == nullptr || data == nullptr) return;
  const std::uint64_t offset = slot.payload->get_address();
  const std::size_t length = slot.payload->get_data_length();
  if (slot.command.extent.write)
    media_->write(offset, data, length);
  else
    media_->read(offset, data, length);
}

void ReadWriteChannel::overlay_bytes(const Slot& read, const Slot& write) const {
  std::uint8_t* to = read.payload->get_data_ptr();
  const std::uint8_t* from = write.payload->get_data_ptr();
  if (media_ == nullptr || to == nullptr || from == nullptr) return;
  const std::uint64_t first = std::max(read.payload->get_address(), write.payload->get_address());
  const std::uint64_t end = std::min(read.payload->get_address() + read.payload->get_data_length(),
                                     write.payload->get_address() + write.payload->get_data_length());
  std::memcpy(to + (first - read.payload->get_address()), from + (first - write.payload->get_address()), end - first);
}

void ReadWriteChannel::buffer_bytes(const Slot& write) {
  if (media_ == nullptr) return;
  if (write.payload->get_data_ptr() != nullptr) {
    buffered_.write(write.payload->get_address(), write.payload->get_data_ptr(), write.payload->get_data_length());
  } else {  // a write without data leaves the bytes as they are
    std::vector<std::uint8_t> data(write.payload->get_data_length());
    media_->read(write.payload->get_address(), data.data(), data.size());
    buffered_.write(write.payload->get_address(), data.data(), data.size());
  }
}

void ReadWriteChannel::destage_bytes(core::Lba first, std::uint32_t blocks) {
  if (media_ == nullptr) return;
  std::vector<std::uint8_t> data(bytes(blocks));
  buffered_.read(bytes(first.value), data.data(), data.size());
  media_->write(bytes(first.value), data.data(), data.size());
}

void ReadWriteChannel::overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length, core::Lba from,
                                        core::Lba to) const {
  if (media_ == nullptr || data == nullptr) return;
  const std::uint64_t first = std::max(address, bytes(from.value));
  const std::uint64_t end = std::min(address + length, bytes(to.value));
  buffered_.read(first, data + (first - address), end - first);
}

void ReadWriteChannel::replace_buffered(std::uint64_t address, const std::uint8_t* data, std::uint64_t length, core::Lba from,
                                        core::Lba to) {
  const std::uint64_t first = std::max(address, bytes(from.value));
  const std::uint64_t end = std::min(address + length, bytes(to.value));
  buffered_.write(first, data + (first - address), end - first);
}

}  // namespace platter::drive
