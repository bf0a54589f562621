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
#include <array>
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

/// Splits HOST:PORT. Returns false if the text is something else: it has a slash, or no number behind its last colon.
bool split(const std::string& address, std::string& host, std::string& port) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || address.find('/') != std::string::npos) return false;
  host = address.substr(0, colon);
  port = address.substr(colon + 1);
  if (port.empty() || !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return true;
}

FileDescriptor open_spare() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// HOST:PORT in numbers, of this side of a TCP socket; empty for other sockets.
std::string local_address(int socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  auto* const generic = reinterpret_cast<sockaddr*>(&name);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getsockname(socket, generic, &length) != 0 || (name.ss_family != AF_INET && name.ss_family != AF_INET6) ||
      getnameinfo(generic, length, host.data(), host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  return name.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host.data(), port.data())
                                    : fmt::format("{}:{}", host.data(), port.data());
}

}  // namespace

Listener::Listener(const std::string& address, Poller& poller, std::function<void(FileDescriptor)> connected)
    : poller_(poller), connected_(std::move(connected)), address_(address), spare_(open_spare()) {
  std::string host;
  std::string port;
  if (split(address, host, port))
    open_tcp(host, port);
  else
    open_unix(address);
  for (const FileDescriptor& each : sockets_) {
    if (listen(each.get(), kBacklog) != 0) refuse(address, std::strerror(errno));
  }
  for (const FileDescriptor& each : sockets_) poller_.add(each.get(), EPOLLIN, *this);
}

Listener::~Listener() {
  for (const FileDescriptor& each : sockets_) poller_.remove(each.get(), *this);
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
  sockets_.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!sockets_.back() || bind(sockets_.back().get(), generic, sizeof name) != 0) refuse(path, std::strerror(errno));
  unix_ = true;
  if (stat(path.c_str(), &there) == 0) {
    device_ = there.st_dev;
    inode_ = there.st_ino;
  }
}

/// Binds a socket to each address, all to one port. Returns false, with the reason in `why`, if one is in use or if none can be bound.
bool Listener::bind_all(const void* addresses, std::string& why) {
  sockets_.clear();
  in_port_t port = 0;  // of the first one: port 0 is any free port, but the same for all
  why = "no address";
  for (const auto* one = static_cast<const addrinfo*>(addresses); one != nullptr; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    sockaddr_storage name{};
    std::memcpy(&name, one->ai_addr, one->ai_addrlen);
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&name);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&name);
    in_port_t& number = one->ai_family == AF_INET6 ? v6->sin6_port : v4->sin_port;
    if (!sockets_.empty()) number = port;
    FileDescriptor fresh(socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;
    if (!fresh || setsockopt(fresh.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        (one->ai_family == AF_INET6 && setsockopt(fresh.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0) ||
        bind(fresh.get(), reinterpret_cast<const sockaddr*>(&name), one->ai_addrlen) != 0) {
      why = std::strerror(errno);
      if (errno == EADDRINUSE || errno == EACCES) return false;
      continue;  // a family that this machine does not have
    }
    socklen_t length = sizeof name;
    getsockname(fresh.get(), reinterpret_cast<sockaddr*>(&name), &length);
    port = number;
    sockets_.push_back(std::move(fresh));
  }
  return !sockets_.empty();
}

void Listener::open_tcp(const std::string& host, const std::string& port) {
  if (port.size() > 5 || std::stoul(port) > 65'535) refuse(address_, fmt::format("found port {}, expected 0 to 65535", port));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  // Without a host and without AI_PASSIVE the addresses are the loopback's.
  if (const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found); error != 0)
    refuse(address_, gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  std::string why;
  // With port 0, the port that the first address gets may be in use at another address. So there are several tries.
  for (int tries = std::stoul(port) == 0 ? 20 : 1; !bind_all(all.get(), why);)
    if (--tries == 0) refuse(address_, why);
  const std::string bound = local_address(sockets_.front().get());
  const std::string shown = host.empty() ? "localhost" : host.find(':') == std::string::npos ? host : "[" + host + "]";
  address_ = shown + bound.substr(bound.rfind(':'));
}

std::string Listener::address_for(int client) const {
  const std::string bound = local_address(sockets_.front().get());
  return bound.rfind("0.0.0.0:", 0) == 0 || bound.rfind("[::]:", 0) == 0 ? local_address(client) : address_;
}

bool Listener::is_local() const {
  return std::all_of(sockets_.begin(), sockets_.end(), [](const FileDescriptor& each) {
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    getsockname(each.get(), reinterpret_cast<sockaddr*>(&bound), &length);
    if (bound.ss_family == AF_INET) return ntohl(reinterpret_cast<const sockaddr_in*>(&bound)->sin_addr.s_addr) >> 24 == 127;
    return bound.ss_family == AF_UNIX || IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_addr);
  });
}

void Listener::ready(std::uint32_t /*events*/) {
  for (const FileDescriptor& each : sockets_) accept_all(each.get());
}

void Listener::accept_all(int socket) {
  for (;;) {
    FileDescriptor client(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client && (errno == EMFILE || errno == ENFILE) && spare_) {
      spare_.close();  // accept and refuse the client; otherwise the poller would report it again forever
      FileDescriptor refused(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
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
