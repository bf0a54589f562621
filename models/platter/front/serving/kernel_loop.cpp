// SPDX-License-Identifier: Apache-2.0
#include "platter/front/serving/kernel_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::serving {

using core::Picoseconds;

namespace {

/// Wall time for which the loop simulates without a look at the sockets.
constexpr std::chrono::microseconds kTurn{20};
/// Wall time after a client's message for which the loop looks for the next one without sleeping.
constexpr std::chrono::microseconds kAttention{50};

constexpr Picoseconds kLongest = Picoseconds{1} << 62;  // leaves room, because a drive adds times

double to_seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void KernelLoop::issued(const workload::Request& /*request*/) {
  ++outstanding_;
  changed_ = Clock::now();
}

void KernelLoop::finished(const workload::FinishedRequest& finished) {
  ++account_.ended;
  account_.window_sum += outstanding_;
  --outstanding_;
  changed_ = Clock::now();
  if (pacing_.kind != Pacing::Kind::Realtime) return;
  const double late_s = to_seconds(changed_ - begin_ - wall_of(finished.timing.completed));
  account_.late_s += std::max(late_s, 0.0);
  account_.most_late_s = std::max(account_.most_late_s, late_s);
}

Picoseconds KernelLoop::simulated_at(Clock::time_point wall) const {
  return static_cast<Picoseconds>(std::min(static_cast<double>(Nanoseconds(wall - begin_).count()) * 1e3 / pacing_.scale,
                                           2.0 * static_cast<double>(kLongest) - 1024));
}

KernelLoop::Nanoseconds KernelLoop::wall_of(Picoseconds duration) const {
  return Nanoseconds(static_cast<std::int64_t>(std::min(static_cast<double>(duration) * 1e-3 * pacing_.scale, 1e18)));
}

void KernelLoop::step(const sc_core::sc_time& duration) {
  const Clock::time_point before = Clock::now();
  sc_core::sc_start(duration, sc_core::SC_RUN_TO_TIME);
  account_.longest_step_s = std::max(account_.longest_step_s, to_seconds(Clock::now() - before));
  if (sc_core::sc_get_status() == sc_core::SC_STOPPED) stopped_ = true;
}

/// Simulates everything that is due at the present time.
void KernelLoop::settle() {
  while (sc_core::sc_pending_activity_at_current_time() && !stopped_) step(sc_core::SC_ZERO_TIME);
}

/// Moves to the next instant at which something happens; false if there is none.
bool KernelLoop::next_instant() {
  settle();
  if (!sc_core::sc_pending_activity_at_future_time() || stopped_) return false;
  step(sc_core::sc_time_to_pending_activity());
  settle();
  return true;
}

/// Sends answers, waits for clients, and lets their requests enter the model.
void KernelLoop::serve(const Poller::Timeout& timeout) {
  for (FlushIf* sender : senders_) sender->flush();
  // A flush may have caused activity: a client has gone, or a client that was held back continues.
  if (sc_core::sc_pending_activity_at_current_time()) {
    settle();
    return;  // the caller has to compute the timeout again
  }
  const Clock::time_point begin = Clock::now();
  bool found = poller_.wait(Nanoseconds(0));
  served_ = Clock::now();
  // A client often continues soon after it was served. Sleeping and waking up would take longer than its next message does.
  while (!found && served_ - heard_ < kAttention && (!timeout || served_ - begin < *timeout)) {
    found = poller_.wait(Nanoseconds(0));
    served_ = Clock::now();
  }
  if (!found && (!timeout || served_ - begin < *timeout)) {
    found = poller_.wait(timeout ? Poller::Timeout(*timeout - (served_ - begin)) : timeout);
    served_ = Clock::now();
  }
  if (!found) return;
  heard_ = served_;
  if (pacing_.kind == Pacing::Kind::Realtime) catch_up(served_);
  poller_.dispatch();
  settle();
}

/// Simulates up to the time of the wall clock, but for no longer than kTurn.
void KernelLoop::catch_up(Clock::time_point until) {
  const Picoseconds target = simulated_at(until);
  if (target > kLongest)
    throw core::SimulationError(fmt::format("simulated time ends at {} s", kLongest / core::kPicosecondsPerSecond));
  const Clock::time_point begin = Clock::now();
  settle();
  while (core::now_ps() < target && !stopped_) {
    const Picoseconds next =
        sc_core::sc_pending_activity_at_future_time() ? core::to_ps(sc_core::sc_time_to_pending_activity()) : target;
    step(core::to_sc_time(std::min(next, target - core::now_ps())));
    settle();
    if (Clock::now() - begin > kTurn) return;
  }
}

void KernelLoop::follow_wall_clock() {
  while (!stopped_) {
    catch_up(Clock::now());
    const Picoseconds late = simulated_at(Clock::now()) - core::now_ps();
    Poller::Timeout timeout;
    if (sc_core::sc_pending_activity_at_future_time())
      timeout = std::max(Nanoseconds(0), wall_of(core::to_ps(sc_core::sc_time_to_pending_activity()) - late));
    serve(timeout);
  }
}

void KernelLoop::follow_clients() {
  const std::uint32_t depth = pacing_.kind == Pacing::Kind::Lockstep ? pacing_.depth : 1;
  const auto patience = std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(Pacing::kPatience_s));
  settle();
  while (!stopped_) {
    while (outstanding_ == 0 && awaited_() && next_instant())
      if (Clock::now() - served_ > kTurn) serve(Nanoseconds(0));
    if (outstanding_ < depth) {
      Poller::Timeout timeout;
      if (outstanding_ > 0) timeout = std::max(Nanoseconds(0), Nanoseconds(changed_ + patience - Clock::now()));
      serve(timeout);
      if (outstanding_ == 0) continue;
      if (outstanding_ < depth) {
        if (Clock::now() < changed_ + patience) continue;
        ++account_.impatient;
      }
    }
    // Simulates until a command ends, which makes room for another one.
    const std::uint64_t ended = account_.ended;
    while (account_.ended == ended && !stopped_) {
      if (!next_instant()) {
        serve({});
        break;
      }
      if (Clock::now() - served_ > kTurn) serve(Nanoseconds(0));
    }
  }
}

void KernelLoop::run() {
  begin_ = served_ = heard_ = changed_ = Clock::now();
  if (pacing_.kind == Pacing::Kind::Realtime)
    follow_wall_clock();
  else
    follow_clients();
  for (FlushIf* sender : senders_) sender->flush();
}

}  // namespace platter::serving
