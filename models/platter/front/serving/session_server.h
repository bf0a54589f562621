// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/front/serving/kernel_loop.h"
#include "platter/front/serving/listener.h"
#include "platter/front/serving/memory.h"
#include "platter/front/serving/session_if.h"

namespace platter::serving {

/// Limits of a server.
struct SessionLimits {
  /// Bytes for the data of all clients' requests; at least twice the largest request. See Memory.
  std::uint64_t memory = std::uint64_t{256} << 20;
  /// While a client waits for memory, the server disconnects a client that holds memory and has been slow for this time: within it, the client has
  /// sent and taken less than 1 MiB, and less than all that it holds.
  std::chrono::milliseconds patience{10'000};
};

/// Accepts clients on a Unix socket or a TCP port, and moves bytes between each client's socket and its session.
class SessionServer : public FlushIf, private PollHandlerIf {
 public:
  /// Makes the session of a new client.
  using MakeSession = std::function<std::unique_ptr<SessionIf>(Memory& memory)>;

  /// `address`: see Listener, which may throw. `largest`: bytes of the largest request.
  SessionServer(const std::string& address, Poller& poller, const SessionLimits& limits, std::uint64_t largest,
                MakeSession make);
  ~SessionServer() override;

  /// Sends pending output, removes clients that have gone, and continues with those that have waited.
  void flush() override;

  const Listener& listener() const { return listener_; }
  std::uint64_t clients() const { return clients_; }
  const Memory& memory() const { return memory_; }

 private:
  class Connection;
  friend Connection;
  using Clock = std::chrono::steady_clock;

  void ready(std::uint32_t events) override;
  void set_timer(bool on);

  Poller& poller_;
  const SessionLimits limits_;
  Memory memory_;
  MakeSession make_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t clients_ = 0;  ///< connections so far
  FileDescriptor timer_;
  bool timer_on_ = false;  ///< a client waits for memory
  Listener listener_;
};

}  // namespace platter::serving
