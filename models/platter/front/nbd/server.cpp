// SPDX-License-Identifier: Apache-2.0
#include "platter/front/nbd/server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace platter::nbd {

using serving::FileDescriptor;

/// A client's socket.
class Server::Connection : public serving::PollHandlerIf {
 public:
  Connection(FileDescriptor socket, const std::vector<Export>& exports, serving::Poller& poller)
      : poller_(poller), socket_(std::move(socket)), session_(exports) {
    poller_.add(socket_.get(), events_, *this);
  }
  ~Connection() override { poller_.remove(socket_.get(), *this); }

  void ready(std::uint32_t events) override {
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
    if ((events & (EPOLLHUP | EPOLLERR)) != 0 && session_.room().bytes == 0) gone_ = true;
  }
  void flush() {
    while (!gone_ && !session_.output().empty()) {
      const std::size_t begin = session_.sent_so_far();
      const ssize_t sent =
          send(socket_.get(), session_.output().data() + begin, session_.output().size() - begin, MSG_NOSIGNAL);
      if (sent < 0) {
        gone_ = errno != EAGAIN && errno != EINTR;
        break;
      }
      session_.sent(static_cast<std::size_t>(sent));
    }
    if (gone()) return;
    session_.received(0);  // what has come while the client had too much under way
    watch();
  }
  bool gone() const { return gone_ || (session_.over() && session_.output().empty()); }

 private:
  void receive() {
    for (int turn = 0; turn < 4; ++turn) {
      const Session::Room room = session_.room();
      if (room.bytes == 0) break;
      const ssize_t received = recv(socket_.get(), room.to, room.bytes, 0);
      if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
      if (received <= 0) break;
      session_.received(static_cast<std::size_t>(received));
      if (static_cast<std::size_t>(received) < room.bytes) break;
    }
  }
  void watch() {
    const std::uint32_t wanted =
        (session_.room().bytes > 0 ? EPOLLIN : 0u) | (session_.output().empty() ? 0u : std::uint32_t{EPOLLOUT});
    if (wanted == events_) return;
    events_ = wanted;
    poller_.change(socket_.get(), events_, *this);
  }

  serving::Poller& poller_;
  FileDescriptor socket_;
  Session session_;
  std::uint32_t events_ = EPOLLIN;
  bool gone_ = false;
};

Server::Server(const std::string& address, std::vector<Export> exports, serving::Poller& poller)
    : poller_(poller), exports_(std::move(exports)), listener_(address, poller, [this](FileDescriptor client) {
        ++clients_;
        connections_.push_back(std::make_unique<Connection>(std::move(client), exports_, poller_));
      }) {}

Server::~Server() = default;

void Server::flush() {
  for (const auto& connection : connections_) connection->flush();
  connections_.erase(std::remove_if(connections_.begin(), connections_.end(), [](const auto& c) { return c->gone(); }),
                     connections_.end());
}

std::string Server::uri(const std::string& export_name) const {
  return listener_.is_unix() ? fmt::format("nbd+unix:///{}?socket={}", export_name, listener_.address())
                             : fmt::format("nbd://{}/{}", listener_.address(), export_name);
}

}  // namespace platter::nbd
