// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/read_write_channel.h"

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

}  // namespace platter::drive
