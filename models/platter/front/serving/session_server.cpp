// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/session_server.h"

#include <malloc.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace platter::serving {

namespace {

/// Bytes that a client must send or take within the server's patience; less if it holds less.
constexpr std::uint64_t kMinMoved = std::uint64_t{1} << 20;

}  // namespace

/// The socket and the session of a client.
class SessionServer::Connection : public PollHandlerIf {
 public:
  Connection(FileDescriptor socket, SessionServer& server)
      : poller_(server.poller_), socket_(std::move(socket)), session_(server.make_(server.memory_)) {
    poller_.add(socket_.get(), events_, *this);
    session_->connected(server.listener_.address_for(socket_.get()));
  }
  ~Connection() override { poller_.remove(socket_.get(), *this); }

  void ready(std::uint32_t events) override {
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive();
    if ((events & (EPOLLHUP | EPOLLERR)) != 0 && !session_->takes_input()) gone_ = true;
  }
  void send_output() {
    while (!gone_ && session_->unsent_bytes() > 0) {
      const SessionIf::Piece piece = session_->output();
      const ssize_t sent = send(socket_.get(), piece.from, piece.bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) {
        gone_ = errno != EAGAIN;
        break;
      }
      moved_ += static_cast<std::uint64_t>(sent);
      session_->sent(static_cast<std::size_t>(sent));
    }
  }
  /// Continues with input that was held back, because the client had too much in progress or because there was no memory.
  void resume() {
    session_->resume();
    const std::uint32_t wanted =
        (session_->takes_input() ? EPOLLIN : 0u) | (session_->unsent_bytes() == 0 ? 0u : std::uint32_t{EPOLLOUT});
    if (wanted == events_) return;
    events_ = wanted;
    poller_.change(socket_.get(), events_, *this);
  }
  bool gone() const { return gone_ || (session_->over() && session_->unsent_bytes() == 0); }

  void begin_watch(Clock::time_point now) {
    watched_since_ = now;
    moved_ = 0;
  }
  /// Disconnects a client that holds memory and does nothing to give it back.
  void watch(Clock::time_point now, std::chrono::milliseconds patience) {
    if (!session_->client_holds_memory()) return begin_watch(now);
    if (now - watched_since_ < patience) return;
    if (moved_ < std::min(kMinMoved, session_->held_bytes())) gone_ = true;
    begin_watch(now);
  }

 private:
  void receive() {
    for (int turn = 0; turn < 4; ++turn) {
      const SessionIf::Room room = session_->room();
      if (room.bytes == 0) break;
      const ssize_t received = recv(socket_.get(), room.to, room.bytes, 0);
      if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
      if (received <= 0) break;
      moved_ += static_cast<std::uint64_t>(received);
      session_->received(static_cast<std::size_t>(received));
      if (static_cast<std::size_t>(received) < room.bytes) break;
    }
  }

  Poller& poller_;
  FileDescriptor socket_;
  std::unique_ptr<SessionIf> session_;
  std::uint32_t events_ = EPOLLIN;
  bool gone_ = false;
  std::uint64_t moved_ = 0;  ///< bytes since `watched_since_`
  Clock::time_point watched_since_;
};

SessionServer::SessionServer(const std::string& address, Poller& poller, const SessionLimits& limits, std::uint64_t largest,
                             MakeSession make)
    : poller_(poller),
      limits_(limits),
      memory_(limits.memory, largest),
      make_(std::move(make)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      listener_(address, poller, [this](FileDescriptor client) {
        ++clients_;
        connections_.push_back(std::make_unique<Connection>(std::move(client), *this));
        connections_.back()->begin_watch(Clock::now());
      }) {
  if (!timer_) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  poller_.add(timer_.get(), EPOLLIN, *this);
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 128 << 10);  // fixed, so that large data goes back to the system when it is freed
#endif
}

SessionServer::~SessionServer() {
  connections_.clear();
  poller_.remove(timer_.get(), *this);
}

void SessionServer::flush() {
  for (const auto& connection : connections_) connection->send_output();
  const auto left = std::remove_if(connections_.begin(), connections_.end(), [](const auto& c) { return c->gone(); });
  if (left != connections_.end()) {
    connections_.erase(left, connections_.end());
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }
  for (const auto& connection : connections_) connection->resume();
  if (memory_.anybody_waits() != timer_on_) set_timer(memory_.anybody_waits());
}

void SessionServer::set_timer(bool on) {
  timer_on_ = on;
  itimerspec times{};
  if (on) {
    const auto part = std::chrono::duration_cast<std::chrono::nanoseconds>(limits_.patience) / 4;
    times.it_interval.tv_sec = part.count() / 1'000'000'000;
    times.it_interval.tv_nsec = part.count() % 1'000'000'000;
    times.it_value = times.it_interval;
    for (const auto& connection : connections_) connection->begin_watch(Clock::now());
  }
  timerfd_settime(timer_.get(), 0, &times, nullptr);
}

void SessionServer::ready(std::uint32_t /*events*/) {
  std::uint64_t count = 0;
  if (read(timer_.get(), &count, sizeof count) != sizeof count) return;
  for (const auto& connection : connections_) connection->watch(Clock::now(), limits_.patience);
}

}  // namespace platter::serving
