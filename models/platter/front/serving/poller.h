// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "platter/front/serving/file_descriptor.h"

namespace platter::serving {

/// Is called when its file descriptor is ready.
class PollHandlerIf {
 public:
  virtual ~PollHandlerIf() = default;
  /// `events`: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR.
  virtual void ready(std::uint32_t events) = 0;
};

/// Waits for file descriptors of any number of handlers (epoll).
class Poller {
 public:
  using Timeout = std::optional<std::chrono::nanoseconds>;  ///< no value: no limit

  /// Throws std::system_error.
  Poller();

  /// The handler must exist until `remove`.
  void add(int fd, std::uint32_t events, PollHandlerIf& handler);
  void change(int fd, std::uint32_t events, PollHandlerIf& handler);
  void remove(int fd, const PollHandlerIf& handler);

  /// Waits until a file descriptor is ready, or for `timeout`. Returns whether one is.
  bool wait(const Timeout& timeout);
  /// Calls the handlers for what the last `wait` found. A handler may remove itself and others.
  void dispatch();

 private:
  FileDescriptor epoll_;
  std::array<epoll_event, 64> events_{};
  int found_ = 0;
};

}  // namespace platter::serving
