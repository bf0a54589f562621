// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "platter/front/serving/pacing.h"
#include "platter/front/serving/poller.h"
#include "platter/workload/initiator.h"

namespace platter::serving {

/// Sends its pending output before the loop waits.
class FlushIf {
 public:
  virtual ~FlushIf() = default;
  virtual void flush() = 0;
};

/// The pacing of a served run. Most values are wall time, so they differ from run to run.
struct PacingAccount {
  std::uint64_t ended = 0;      ///< commands
  double window_sum = 0;        ///< commands outstanding when one ended, itself included
  double late_s = 0;            ///< sum of the wall time by which commands ended after their simulated time (Realtime)
  double most_late_s = 0;       ///< largest value of one command
  double longest_step_s = 0;    ///< longest wall time of a step, in which no socket was served
  std::uint64_t impatient = 0;  ///< how often Lockstep continued with fewer commands than its depth
};

/// Runs the SystemC kernel and serves sockets, in one thread. Between two instants of simulated time the loop looks for what clients have sent. Their
/// requests enter the model at the present simulated time. For that, the loop simulates everything that is due, moves the time to the wall clock's
/// (Realtime), calls the handlers, and runs what they have notified (IEEE 1666-2011, 4.3.4.2).
///
/// Register it as an observer of all commands of the clients: it counts those outstanding.
class KernelLoop : public workload::RequestObserverIf {
 public:
  KernelLoop(const Pacing& pacing, Poller& poller) : pacing_(pacing), poller_(poller) {}

  /// `sender` sends the answers that it has gathered, at the end of each look at the sockets.
  void add(FlushIf& sender) { senders_.push_back(&sender); }
  /// Simulates also while `awaited` returns true: a client waits for the drive, although no command is outstanding.
  void wait_for(std::function<bool()> awaited) { awaited_ = std::move(awaited); }
  /// Runs until `stop`. May be called once.
  void run();
  /// Ends `run` soon; may be called by a handler or by the model.
  void stop() { stopped_ = true; }

  std::uint32_t outstanding() const { return outstanding_; }
  const PacingAccount& account() const { return account_; }

  void issued(const workload::Request& request) override;
  void finished(const workload::FinishedRequest& finished) override;

 private:
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::nanoseconds;

  void settle();
  void step(const sc_core::sc_time& duration);
  bool next_instant();
  void catch_up(Clock::time_point until);
  void serve(const Poller::Timeout& timeout);
  void follow_wall_clock();
  void follow_clients();
  core::Picoseconds simulated_at(Clock::time_point wall) const;
  Nanoseconds wall_of(core::Picoseconds duration) const;

  const Pacing pacing_;
  Poller& poller_;
  std::vector<FlushIf*> senders_;
  std::function<bool()> awaited_ = [] { return false; };
  std::uint32_t outstanding_ = 0;
  bool stopped_ = false;
  PacingAccount account_;
  Clock::time_point begin_;
  Clock::time_point served_;   ///< last look at the sockets
  Clock::time_point heard_;    ///< last message of a client
  Clock::time_point changed_;  ///< last change of the number of commands outstanding
};

}  // namespace platter::serving
