// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "platter/front/serving/poller.h"

namespace platter::serving {

/// Accepts connections at a Unix socket, or at a TCP port of all addresses of a host.
class Listener : public PollHandlerIf {
 public:
  /// `address`: HOST:PORT (an IPv6 address in brackets; an empty host is the loopback; port 0 is any free port), or the path of a Unix socket. The
  /// destructor removes the socket's file. A file that a dead server has left is replaced. Throws std::invalid_argument with the reason.
  Listener(const std::string& address, Poller& poller, std::function<void(FileDescriptor)> connected);
  ~Listener() override;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void ready(std::uint32_t events) override;
  bool is_unix() const { return unix_; }
  /// True if only this machine reaches it: a Unix socket, or addresses of the loopback.
  bool is_local() const;
  /// The path, or HOST:PORT with the port in use.
  const std::string& address() const { return address_; }
  /// The same for the client of this socket. For a HOST that stands for all addresses of the machine, HOST is the one that the client has reached.
  std::string address_for(int client) const;

 private:
  void open_unix(const std::string& path);
  void open_tcp(const std::string& host, const std::string& port);
  bool bind_all(const void* addresses, std::string& why);
  void accept_all(int socket);

  Poller& poller_;
  std::function<void(FileDescriptor)> connected_;
  std::vector<FileDescriptor> sockets_;
  std::string address_;
  FileDescriptor spare_;  ///< closed to get a file descriptor with which to refuse a client if there is no other
  bool unix_ = false;
  dev_t device_ = 0;  ///< of the socket's file
  ino_t inode_ = 0;
};

}  // namespace platter::serving
