// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/poller.h"

#include <cerrno>
#include <ctime>
#include <system_error>

namespace platter::serving {

namespace {

void control(int epoll, int operation, int fd, std::uint32_t events, PollHandlerIf* handler) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = handler;
  if (epoll_ctl(epoll, operation, fd, &event) != 0) throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

}  // namespace

Poller::Poller() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void Poller::add(int fd, std::uint32_t events, PollHandlerIf& handler) {
  control(epoll_.get(), EPOLL_CTL_ADD, fd, events, &handler);
}

void Poller::change(int fd, std::uint32_t events, PollHandlerIf& handler) {
  control(epoll_.get(), EPOLL_CTL_MOD, fd, events, &handler);
}

void Poller::remove(int fd, const PollHandlerIf& handler) {
  control(epoll_.get(), EPOLL_CTL_DEL, fd, 0, nullptr);
  for (int i = 0; i < found_; ++i)
    if (events_[static_cast<std::size_t>(i)].data.ptr == &handler) events_[static_cast<std::size_t>(i)].data.ptr = nullptr;
}

bool Poller::wait(const Timeout& timeout) {
  timespec limit{};
  if (timeout) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
    limit.tv_sec = whole.count();
    limit.tv_nsec = (*timeout - whole).count();
  }
  found_ = epoll_pwait2(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout ? &limit : nullptr, nullptr);
  if (found_ >= 0) return found_ > 0;
  if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "epoll_pwait2");
  found_ = 0;
  return false;
}

void Poller::dispatch() {
  for (int i = 0; i < found_; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) static_cast<PollHandlerIf*>(event.data.ptr)->ready(event.events);
  }
  found_ = 0;
}

}  // namespace platter::serving
