// SPDX-License-Identifier: Apache-2.0
#include "platter/front/nbd/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace platter::nbd {

namespace {

std::uint64_t largest_request(const std::vector<Export>& exports) {
  std::uint64_t largest = 0;
  for (const Export& each : exports) largest = std::max(largest, std::min<std::uint64_t>(each.bytes, Session::kMaxBytes));
  return largest;
}

}  // namespace

Server::Server(const std::string& address, std::vector<Export> exports, serving::Poller& poller, const ServerOptions& options)
    : exports_(std::move(exports)), server_(address, poller, options, largest_request(exports_), [this](Memory& memory) {
        return std::make_unique<Session>(exports_, memory);
      }) {}

std::string Server::uri(const std::string& export_name) const {
  const serving::Listener& listener = server_.listener();
  return listener.is_unix() ? fmt::format("nbd+unix:///{}?socket={}", export_name, listener.address())
                            : fmt::format("nbd://{}/{}", listener.address(), export_name);
}

}  // namespace platter::nbd
