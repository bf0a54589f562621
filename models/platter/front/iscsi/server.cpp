// SPDX-License-Identifier: Apache-2.0
#include "platter/front/iscsi/server.h"

#include <fmt/format.h>

#include <memory>

namespace platter::iscsi {

Server::Server(const std::string& address, scsi::ScsiTarget& target, const std::string& name, std::uint32_t window,
               serving::Poller& poller, const serving::SessionLimits& limits)
    : portal_(target, name, window), server_(address, poller, limits, Session::kMaxBytes, [this](serving::Memory& memory) {
        return std::make_unique<Session>(portal_, memory);
      }) {}

void Server::say_farewell() {
  portal_.say_farewell();
  server_.flush();
}

std::string Server::url(std::size_t lun) const {
  return fmt::format("iscsi://{}/{}/{}", server_.listener().address(), portal_.name(), lun);
}

}  // namespace platter::iscsi
