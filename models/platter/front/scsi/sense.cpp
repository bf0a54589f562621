// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/sense.h"

#include "platter/core/big_endian.h"

namespace platter::scsi {

using core::big_endian::put;

namespace {

/// The sense key specific data of a field.
void put_field(std::uint8_t* to, const SenseData::Field& field) {
  to[0] = static_cast<std::uint8_t>(0x80 | (field.in_cdb ? 0x40 : 0) | (field.bit < 8 ? 0x08 | field.bit : 0));
  put(to + 1, field.byte, 2);
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const SenseData& sense, bool descriptors) {
  std::vector<std::uint8_t> bytes;
  if (descriptors) {
    bytes = {static_cast<std::uint8_t>(sense.deferred ? 0x73 : 0x72), sense.key, sense.code, sense.qualifier, 0, 0, 0, 0};
    if (sense.information) {
      bytes.insert(bytes.end(), {0x00, 0x0A, 0x80, 0x00, 0, 0, 0, 0, 0, 0, 0, 0});
      put(&bytes[bytes.size() - 8], *sense.information, 8);
    }
    if (sense.field) {
      bytes.insert(bytes.end(), {0x02, 0x06, 0x00, 0x00, 0, 0, 0, 0});
      put_field(&bytes[bytes.size() - 4], *sense.field);
    }
    bytes[7] = static_cast<std::uint8_t>(bytes.size() - 8);
    return bytes;
  }
  bytes.resize(18);
  bytes[0] = sense.deferred ? 0x71 : 0x70;
  bytes[2] = sense.key;
  bytes[7] = 10;
  bytes[12] = sense.code;
  bytes[13] = sense.qualifier;
  if (sense.information && *sense.information <= 0xFFFF'FFFFu) {  // the field has no room for more
    bytes[0] |= 0x80;
    put(&bytes[3], *sense.information, 4);
  }
  if (sense.field) put_field(&bytes[15], *sense.field);
  return bytes;
}

}  // namespace platter::scsi
