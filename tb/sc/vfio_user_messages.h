// SPDX-License-Identifier: Apache-2.0
//
// Messages of a client of vfio-user, with files beside them.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "platter/front/vfio_user/protocol.h"

namespace platter::testing {

/// A message with its header.
inline std::vector<std::uint8_t> vfio_user_message(std::uint16_t command, const std::vector<std::uint8_t>& content,
                                                   std::uint32_t flags = 0) {
  std::vector<std::uint8_t> b =
      vfio_user::body_of(std::uint16_t{77}, command, static_cast<std::uint32_t>(16 + content.size()), flags, std::uint32_t{0});
  b.insert(b.end(), content.begin(), content.end());
  return b;
}

/// Sends bytes with up to 64 files. Returns what sendmsg() does.
inline ssize_t send_with_files(int socket, const std::vector<std::uint8_t>& bytes, const std::vector<int>& files, int flags) {
  iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 64)> control{};
  if (!files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(header), files.data(), sizeof(int) * files.size());
  }
  return sendmsg(socket, &message, flags);
}

}  // namespace platter::testing
