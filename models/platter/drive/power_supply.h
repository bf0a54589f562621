// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "platter/command/command.h"
#include "platter/core/sc_time.h"
#include "platter/core/timed_call.h"
#include "platter/drive/power.h"

namespace platter::drive {

/// The power of one or more drives, which lose it together: by a call, at a time, or with the answer to the n-th write or flush.
///
/// Construct it during elaboration, before the drives, and give it to each of them by Drive::connect(). After the first of these drives has
/// been destroyed it must not be used.
class PowerSupply {
 public:
  /// When the power fails by itself. Each time or count that is set is a loss of its own. But a loss by a count that comes before `at` replaces
  /// the one at `at`, and a loss while the power is off has no effect.
  struct Plan {
    Picoseconds at = core::kNoDeadline;  ///< absolute simulated time of the loss, ps; kNoDeadline: none is scheduled
    std::uint64_t at_write = 0;  ///< it comes when this many writes have ended with Good, over all drives; 0: not by writes
    std::uint64_t at_flush = 0;  ///< the same of flushes
    Picoseconds off = 0;         ///< how long it lasts, ps; 0: until restore()
  };

  /// The power is on. A loss of the plan comes by itself.
  explicit PowerSupply(const Plan& plan)
      : plan_(plan), cut_(core::Rank::Failure, [this] { cut(plan_.off); }), back_(core::Rank::Failure, [this] { restore(); }) {
    if (plan.at != core::kNoDeadline) cut_.at(plan.at);
  }
  PowerSupply(const PowerSupply&) = delete;
  PowerSupply& operator=(const PowerSupply&) = delete;

  /// @cond for the drive
  /// The drive must live as long as the supply is used.
  void add(Power& drive) { drives_.push_back(&drive); }
  /// Whether it counts commands.
  bool counts() const { return plan_.at_write > 0 || plan_.at_flush > 0; }
  /// A command has ended with Good.
  void ended(const command::Command& command) {
    if ((command.write() && ++writes_ == plan_.at_write) || (command.flush() && ++flushes_ == plan_.at_flush)) cut_.now();
  }
  /// @endcond

  /// Called after each loss and return of the power.
  void on_change(std::function<void(bool on)> changed) { changed_ = std::move(changed); }

  /// Whether the drives have power.
  bool on() const { return on_; }
  /// Number of losses so far.
  std::uint32_t losses() const { return losses_; }
  /// All drives lose their power; without effect if they have none. `off`: how long, ps; 0: until restore(). Must not be called from a
  /// probe's callback.
  void cut(Picoseconds off = 0) {
    if (!on_) return;
    on_ = false;
    ++losses_;
    for (Power* drive : drives_) drive->cut();
    if (off > 0) back_.in(off);
    if (changed_) changed_(false);
  }
  /// The power returns to all drives; without effect if they have it. Must not be called from a probe's callback.
  void restore() {
    back_.cancel();
    if (on_) return;
    on_ = true;
    for (Power* drive : drives_) drive->restore();
    if (changed_) changed_(true);
  }

 private:
  Plan plan_;
  std::vector<Power*> drives_;
  std::function<void(bool on)> changed_;
  core::TimedCall cut_;
  core::TimedCall back_;
  std::uint64_t writes_ = 0;
  std::uint64_t flushes_ = 0;
  std::uint32_t losses_ = 0;
  bool on_ = true;
};

}  // namespace platter::drive
