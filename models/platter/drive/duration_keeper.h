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
  /// Another limit counts from now on: calls DurationKeeper::set_deadline when the engine does not read the waiting command.
  virtual void limit_changes(QueueEntry& entry) = 0;
};

/// The duration limits of the commands in the drive: when each limit passes, what follows, and the counters. All limits count from the time
/// at which the drive accepts the command. docs/reference/duration_limits.md has the rules.
///
/// Scheduling sees a limit as the deadline of the command: the earlier one of the inactive limit and the guideline.
class DurationKeeper {
 public:
  /// `table`: the descriptors of the profile.
  DurationKeeper(HazardQueue& queue, const command::DurationTable& table);

  void bind_sink(DurationSinkIf& sink) { sink_ = &sink; }

  /// The command `entry.asked`, which is limited, has been accepted.
  void arrived(QueueEntry& entry, Picoseconds now);
  /// The command completes at `done`, which its access or the buffer has determined at `now`. Counts its misses, and sets the status of one
  /// that its limit ends. Returns when it completes.
  Picoseconds completed(QueueEntry& entry, Picoseconds now, Picoseconds done);
  /// Gives the command the deadline that follows from the limits that count now.
  void set_deadline(QueueEntry& entry) const;
  /// The drive has lost its power.
  void halt() { expiry_.cancel(); }

  const DurationStatistics& statistics() const { return statistics_; }

 private:
  /// The limits of a command in the drive.
  struct State {
    command::DurationDescriptor limits;
    const command::DurationTable* table = nullptr;
    std::uint8_t number = 0;   ///< the descriptor of the guideline that counts now; 0: of a command that expires
    Picoseconds since = 0;     ///< when the command was accepted
    Picoseconds start_by = 0;  ///< absolute; kNoDeadline: none, or it has been dealt with
    Picoseconds complete_by = 0;
  };

  DurationCounters& counters(const QueueEntry& entry) { return statistics_.of[entry.asked.write()][entry.asked.duration]; }
  void expire();
  void expire(QueueEntry& entry, Picoseconds now);
  /// The guideline has passed and another one, or none, counts from now on.
  void go_on(QueueEntry& entry);
  void end(QueueEntry& entry, command::LimitPolicy policy);
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
