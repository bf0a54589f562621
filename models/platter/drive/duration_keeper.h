// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "platter/command/duration.h"
#include "platter/core/sc_time.h"
#include "platter/core/timed_call.h"
#include "platter/drive/duration_statistics.h"
#include "platter/drive/hazard_queue.h"

namespace platter::drive {

/// Carries out what a limit that has passed asks for.
class DurationSinkIf {
 public:
  virtual ~DurationSinkIf() = default;
  /// The waiting command ends with this status, unless its access has begun.
  virtual void limit_ends(QueueEntry& entry, command::CommandStatus status) = 0;
  /// Another limit counts from now on: calls DurationKeeper::set_deadline as soon as the engine does not read the waiting command.
  virtual void limit_changes(QueueEntry& entry) = 0;
};

/// The duration limits of the commands in the drive: when each limit passes, what follows, and the counters. docs/reference/duration_limits.md has
/// the rules. Scheduling sees a limit as the deadline of the command: the earliest one of the inactive limit, the guideline, and its own deadline.
class DurationKeeper {
 public:
  /// What the limits that have passed mean for a command.
  struct Passed {
    command::CommandStatus ends;  ///< Good: it goes on
    Picoseconds at;               ///< when it ends
    bool follows;                 ///< another guideline, or none, counts
  };

  /// `table`: the descriptors of the profile.
  DurationKeeper(HazardQueue& queue, const command::DurationTable& table);

  void bind_sink(DurationSinkIf& sink) { sink_ = &sink; }

  /// The command `entry.asked`, which is limited, has been accepted.
  void arrived(QueueEntry& entry, Picoseconds now);
  /// The command waits until `when` (>= now). Deals with the limits that pass by then, in their order, until one of them ends the command.
  Passed pass(QueueEntry& entry, Picoseconds when);
  /// The command completes at `done`, which its access or the buffer has determined at `now`. Counts its misses, and sets the status of one
  /// that its limit ends. Returns when it completes.
  Picoseconds completed(QueueEntry& entry, Picoseconds now, Picoseconds done);
  /// Gives the command, which the engine does not read, the deadline that follows from the limits that count now.
  void set_deadline(QueueEntry& entry);
  /// The drive has lost its power.
  void halt() { expiry_.cancel(); }

  const DurationStatistics& statistics() const { return statistics_; }

 private:
  /// The limits of a command in the drive. Times are absolute. One that has passed without an end is still the command's deadline.
  struct State {
    command::DurationDescriptor limits;
    const command::DurationTable* table = nullptr;
    std::uint8_t number = 0;  ///< the descriptor of the guideline that counts now; 0: of a command that expires
    bool start_passed = false;
    bool complete_passed = false;
    Picoseconds since = 0;  ///< when the command was accepted
    Picoseconds start_by = core::kNoDeadline;
    Picoseconds complete_by = core::kNoDeadline;
    Picoseconds expire_by = core::kNoDeadline;  ///< kNoDeadline: it does not expire, or that has passed

    /// The first one that has not passed.
    Picoseconds next() const {
      constexpr Picoseconds kNone = core::kNoDeadline;
      return std::min({start_passed ? kNone : start_by, complete_passed ? kNone : complete_by, expire_by});
    }
  };

  DurationCounters& counters(const QueueEntry& entry) { return statistics_.of[entry.asked.write()][entry.asked.duration]; }
  void expire();
  /// The guideline has passed and another one, or none, counts from now on.
  static void follow(const QueueEntry& entry, State& state);
  /// Sees to it that `expire` is called by then.
  void watch(Picoseconds when) {
    if (when != core::kNoDeadline) expiry_.at(std::max(when, core::now_ps()));
  }

  HazardQueue& queue_;
  command::DurationTable table_;
  DurationSinkIf* sink_ = nullptr;
  std::vector<State> states_;  ///< by tag
  DurationStatistics statistics_;
  core::TimedCall expiry_;
};

}  // namespace platter::drive
