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

}  // namespace platter::drive
