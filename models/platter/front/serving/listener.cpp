// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace platter::serving {

namespace {

constexpr int kBacklog = 64;

[[noreturn]] void refuse(const std::string& address, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", address, why));
}

/// HOST:PORT, if the text is one: its part behind the last colon is a number, and it names no file.
bool split(const std::string& address, std::string& host, std::string& port) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || address.find('/') != std::string::npos) return false;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  if (port.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return true;
}

FileDescriptor open_spare() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

Listener::Listener(const std::string& address, Poller& poller, std::function<void(FileDescriptor)> connected)
    : poller_(poller), connected_(std::move(connected)), address_(address), spare_(open_spare()) {
  std::string host;
  std::string port;
  if (split(address, host, port))
    open_tcp(host, port);
  else
    open_unix(address);
  if (listen(socket_.get(), kBacklog) != 0) refuse(address, std::strerror(errno));
  poller_.add(socket_.get(), EPOLLIN, *this);
}

Listener::~Listener() {
  poller_.remove(socket_.get(), *this);
  struct stat there{};
  const bool own = stat(address_.c_str(), &there) == 0 && there.st_dev == device_ && there.st_ino == inode_;
  if (unix_ && own) unlink(address_.c_str());
}

void Listener::open_unix(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof name.sun_path)
    refuse(path, fmt::format("expected HOST:PORT or the path of a Unix socket, of at most {} bytes", sizeof name.sun_path - 1));
  std::memcpy(name.sun_path, path.data(), path.size());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&name);
  struct stat there{};
  if (stat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) refuse(path, "exists, and is no socket");
    const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (connect(probe.get(), generic, sizeof name) == 0) refuse(path, "another server listens there");
    if (errno != ECONNREFUSED) refuse(path, std::strerror(errno));
    unlink(path.c_str());
  }
  socket_ = FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_ || bind(socket_.get(), generic, sizeof name) != 0) refuse(path, std::strerror(errno));
  unix_ = true;
  if (stat(path.c_str(), &there) == 0) {
    device_ = there.st_dev;
    inode_ = there.st_ino;
  }
}

void Listener::open_tcp(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  // Without a host and without AI_PASSIVE the address is the loopback's.
  if (const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found); error != 0)
    refuse(address_, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  std::string why = "no address";
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    FileDescriptor fresh(socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;
    if (fresh && setsockopt(fresh.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fresh.get(), one->ai_addr, one->ai_addrlen) == 0) {
      socket_ = std::move(fresh);
      break;
    }
    why = std::strerror(errno);
  }
  if (!socket_) refuse(address_, why);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &length);
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&bound);
  const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&bound);
  const unsigned number = ntohs(bound.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
  const std::string shown = host.empty() ? "localhost" : host.find(':') == std::string::npos ? host : "[" + host + "]";
  address_ = fmt::format("{}:{}", shown, number);
}

void Listener::ready(std::uint32_t /*events*/) {
  for (;;) {
    FileDescriptor client(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client && (errno == EMFILE || errno == ENFILE) && spare_) {
      spare_.close();  // the client is told so, instead of being found again at once and for ever
      FileDescriptor refused(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const bool found = static_cast<bool>(refused);
      refused.close();
      spare_ = open_spare();
      if (!found) return;
      continue;
    }
    if (!client) return;
    if (!unix_) {
      const int yes = 1;
      setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    connected_(std::move(client));
  }
}

}  // namespace platter::serving
