// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platter/front/nbd/session.h"
#include "platter/front/serving/session_server.h"

namespace platter::nbd {

using ServerOptions = serving::SessionLimits;

/// Offers drives as network block devices on a Unix socket or a TCP port.
class Server : public serving::FlushIf {
 public:
  static constexpr std::uint64_t kMinMemory = 2 * std::uint64_t{Session::kMaxBytes};

  /// `address`: see serving::Listener, which may throw. The drives of the exports must outlive the server.
  Server(const std::string& address, std::vector<Export> exports, serving::Poller& poller, const ServerOptions& options = {});

  void flush() override { server_.flush(); }

  /// The address for a client: an NBD URI.
  std::string uri(const std::string& export_name) const;
  std::uint64_t clients() const { return server_.clients(); }
  const Memory& memory() const { return server_.memory(); }

 private:
  const std::vector<Export> exports_;
  serving::SessionServer server_;
};

}  // namespace platter::nbd
