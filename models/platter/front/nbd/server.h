// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platter/front/nbd/session.h"
#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"

namespace platter::nbd {

struct ServerOptions {
  static constexpr std::uint64_t kMinMemory = 2 * std::uint64_t{Session::kMaxBytes};

  /// Bytes for the data of all clients' requests; at least twice the largest request. See Memory.
  std::uint64_t memory = std::uint64_t{256} << 20;
  /// While a client waits for memory, the server disconnects a client that holds memory and has been slow for this time: within it, the client has
  /// sent and taken less than 1 MiB, and less than all that it holds.
  std::chrono::milliseconds patience{10'000};
};

/// Offers drives as network block devices on a Unix socket or a TCP port.
class Server : public serving::FlushIf, private serving::PollHandlerIf {
 public:
  /// `address`: see serving::Listener, which may throw. The drives of the exports must outlive the server.
  Server(const std::string& address, std::vector<Export> exports, serving::Poller& poller, const ServerOptions& options = {});
  ~Server() override;

  /// Sends pending output, removes clients that have gone, and continues with those that have waited.
  void flush() override;

  /// The address for a client: an NBD URI.
  std::string uri(const std::string& export_name) const;
  std::uint64_t clients() const { return clients_; }
  const Memory& memory() const { return memory_; }

 private:
  class Connection;
  friend Connection;
  using Clock = std::chrono::steady_clock;

  void ready(std::uint32_t events) override;
  void set_timer(bool on);

  serving::Poller& poller_;
  const std::vector<Export> exports_;
  const ServerOptions options_;
  Memory memory_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t clients_ = 0;  ///< connections so far
  serving::FileDescriptor timer_;
  bool timer_on_ = false;  ///< a client waits for memory
  serving::Listener listener_;
};

}  // namespace platter::nbd
