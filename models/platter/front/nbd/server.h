// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platter/front/nbd/session.h"
#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"

namespace platter::nbd {

/// Offers drives as network block devices on a Unix socket or a TCP port.
class Server : public serving::FlushIf {
 public:
  /// `address`: see serving::Listener, which throws. The drives of the exports must stay.
  Server(const std::string& address, std::vector<Export> exports, serving::Poller& poller);
  ~Server() override;

  /// Sends what is to be sent, and leaves the clients that are gone.
  void flush() override;

  /// The address for a client: an NBD URI.
  std::string uri(const std::string& export_name) const;
  std::uint64_t clients() const { return clients_; }

 private:
  class Connection;
  friend Connection;

  serving::Poller& poller_;
  const std::vector<Export> exports_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t clients_ = 0;  ///< so far
  serving::Listener listener_;
};

}  // namespace platter::nbd
