// SPDX-License-Identifier: Apache-2.0
#include "platter/front/vfio_user/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace platter::vfio_user {

using serving::FileDescriptor;

Connection::Connection(serving::Poller& poller, MessageHandlerIf& handler) : poller_(poller), handler_(handler) {}

void Connection::open(FileDescriptor client) {
  client_ = std::move(client);
  events_ = EPOLLIN;
  poller_.add(client_.get(), events_, *this);
}

void Connection::close() {
  if (!client_) return;
  poller_.remove(client_.get(), *this);
  client_.close();
  failed_ = false;
  received_ = 0;
  body_.clear();
  files_.clear();
  output_.clear();
  question_ = {};
}

void Connection::ready(std::uint32_t events) {
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  while (!failed_ && receive()) {
  }
}

/// Reads the next part of a message, but not beyond its end: the file descriptors of the next message come with the first byte of that one. Returns
/// false if no more has arrived.
bool Connection::receive() {
  const bool in_body = received_ >= kHeaderBytes;
  iovec part = in_body ? iovec{body_.data() + (received_ - kHeaderBytes), header_.size - received_}
                       : iovec{reinterpret_cast<char*>(&header_) + received_, kHeaderBytes - received_};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxFiles)> control{};
  msghdr message_header{};
  message_header.msg_iov = &part;
  message_header.msg_iovlen = 1;
  message_header.msg_control = control.data();
  message_header.msg_controllen = control.size();
  const ssize_t bytes = recvmsg(client_.get(), &message_header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return errno == EINTR;
  const bool files_good = bytes < 0 || take_files(&message_header);
  if (bytes <= 0) {
    failed_ = true;
    return false;
  }
  received_ += static_cast<std::size_t>(bytes);
  if (received_ < kHeaderBytes) return true;
  if (header_.size < kHeaderBytes || header_.size > kMaxBytes || !files_good) {
    send({header_.id, header_.command, 0, kTypeReply | kError, static_cast<std::uint32_t>(files_good ? EMSGSIZE : EMFILE)}, {});
    failed_ = true;
    return false;
  }
  if (!in_body) body_.resize(header_.size - kHeaderBytes);
  if (received_ < header_.size) return true;
  received_ = 0;
  complete({header_, std::exchange(body_, {}), std::exchange(files_, {})});
  return !failed_;
}

/// Takes the file descriptors of a message. Returns false if there were more than allowed.
bool Connection::take_files(const void* control) {
  auto* const header = const_cast<msghdr*>(static_cast<const msghdr*>(control));
  for (cmsghdr* c = CMSG_FIRSTHDR(header); c != nullptr; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
      files_.emplace_back(fd);
    }
  }
  return (header->msg_flags & MSG_CTRUNC) == 0 && files_.size() <= kMaxFiles;
}

/// Handles a complete message.
void Connection::complete(Message message) {
  const Header header = message.header;
  const std::uint32_t type = header.flags & kTypeMask;
  if (type == kTypeReply && question_.open && header.id == question_.id) {
    question_.open = false;
    question_.error = (header.flags & kError) != 0 ? std::max(header.error, 1u) : 0;
    question_.answer = std::move(message.body);
    return;
  }
  const Reply reply = type == kTypeCommand ? handler_.execute(message) : Reply::leave(EINVAL);
  const std::uint32_t flags = kTypeReply | (reply.error != 0 ? kError : 0);
  if ((header.flags & kNoReply) == 0)
    send({header.id, header.command, 0, flags, static_cast<std::uint32_t>(reply.error)}, reply.body);
  failed_ = failed_ || reply.fatal;
}

void Connection::send(Header header, const Bytes& body) {
  header.size = static_cast<std::uint32_t>(kHeaderBytes + body.size());
  put(output_, header);
  output_.insert(output_.end(), body.begin(), body.end());
  push();
}

/// Sends pending output, as far as the client takes it now.
void Connection::push() {
  const ssize_t sent = ::send(client_.get(), output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) output_.erase(output_.begin(), output_.begin() + sent);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) failed_ = true;
  if (output_.size() > kMaxUnsent) failed_ = true;
}

bool Connection::flush() {
  waited_ = {};
  if (!failed_ && !output_.empty()) push();
  if (failed_) return false;
  const std::uint32_t wanted = EPOLLIN | (output_.empty() ? 0u : std::uint32_t{EPOLLOUT});
  if (wanted == events_) return true;
  events_ = wanted;
  poller_.change(client_.get(), events_, *this);
  return true;
}

std::optional<Bytes> Connection::ask(Command command, const Bytes& body) {
  if (failed_ || !client_) return std::nullopt;
  question_.open = true;
  send({++question_.id, command, 0, 0, 0}, body);
  await_answer();
  if (std::exchange(question_.open, false) || question_.error != 0) return std::nullopt;
  return std::move(question_.answer);
}

/// Waits for the client's answer. The connection fails if it takes too long, or if the server is to stop.
void Connection::await_answer() {
  const auto begin = std::chrono::steady_clock::now();
  std::array<pollfd, 2> waiting{};
  waiting[1] = {stop_fd_, POLLIN, 0};  // without a file (-1) poll ignores it
  while (question_.open && !failed_) {
    if (!output_.empty()) push();
    waiting[0] = {client_.get(), static_cast<short>(output_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(kPatience - waited_ - (std::chrono::steady_clock::now() - begin));
    const int ready = poll(waiting.data(), waiting.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready == 0 || (ready < 0 && errno != EINTR) || left.count() <= 0 || waiting[1].revents != 0) failed_ = true;
    while (question_.open && !failed_ && receive()) {
    }
  }
  waited_ += std::chrono::steady_clock::now() - begin;
}

}  // namespace platter::vfio_user
