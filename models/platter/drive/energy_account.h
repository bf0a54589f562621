// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "platter/mechanics/access_planner.h"
#include "platter/profile/drive_profile.h"

namespace platter::drive {

using core::Picoseconds;

/// What a drive takes its power for.
enum class PowerState : std::uint8_t {
  Off,         ///< the drive has failed
  Standby,     ///< the spindle is stopped
  Start,       ///< the spindle gains speed
  IdleC,       ///< the spindle turns slowly, and the heads are unloaded
  IdleB,       ///< the heads are unloaded
  Load,        ///< they are loaded again
  IdleA,       ///< reduced electronics
  Idle,        ///< ready
  Overhead,    ///< of a command, before the arm moves
  Accelerate,  ///< the arm gains or loses speed: the coil carries its full current
  Coast,       ///< the arm moves on without current
  Settle,      ///< the heads settle on the track, or a write waits for its data
  Rotation,    ///< wait for the sector
  Read,        ///< transfer from the media
  Write,       ///< transfer to the media
  ReadAhead,   ///< the actuator reads ahead
};

inline constexpr std::size_t kPowerStates = 16;
/// As results and waves have them.
inline constexpr std::array<const char*, kPowerStates> kPowerStateNames = {
    "off",      "standby",    "start", "idle_c", "idle_b",   "load", "idle_a", "idle",
    "overhead", "accelerate", "coast", "settle", "rotation", "read", "write",  "read_ahead"};
constexpr std::size_t index_of(PowerState state) { return static_cast<std::size_t>(state); }

/// Time in each state.
using PowerTimes = std::array<Picoseconds, kPowerStates>;
/// Watts in each state.
using PowerTable = std::array<double, kPowerStates>;

PowerTable power_table(const profile::PowerProfile& power);

/// A read-ahead whose end is not yet known.
class OpenReadAheadIf {
 public:
  struct Interval {
    Picoseconds begin;
    Picoseconds end;
  };
  virtual ~OpenReadAheadIf() = default;
  /// The part of it that has passed at `now`; nothing if there is no such read-ahead.
  virtual std::optional<Interval> open_read_ahead(Picoseconds now) = 0;
  /// Its time has been entered in the account.
  virtual void read_ahead_entered() = 0;
};

/// The time that a drive has spent in each power state. Activities are entered in the order of time, from their begin, when their length is
/// known. The time between them is rest, which deepens as the profile says. The account takes no event, and is exact at any time.
class EnergyAccount {
 public:
  /// The rest that an access has ended.
  struct Waking {
    Picoseconds ready;  ///< when the access may begin
    bool starts;        ///< the spindle stood
  };

  /// `spin_up`: from rest to full speed.
  EnergyAccount(const mechanics::AccessPlanner& planner, const profile::PowerProfile& power, Picoseconds spin_up);

  void bind_read_ahead(OpenReadAheadIf* source) { read_ahead_ = source; }

  const PowerTable& watts() const { return watts_; }
  /// Sums from time 0 to `now`.
  PowerTimes times(Picoseconds now) const;
  PowerState state(Picoseconds now) const;
  /// An access would have to wait until the spindle has its speed, or the heads are loaded.
  bool rests(Picoseconds now) const;
  /// The spindle stands, or is to stop when the access in progress has ended.
  bool stopped(Picoseconds now) const { return rest_ == PowerState::Standby || state(now) == PowerState::Standby; }

  /// An access is decided on at `now` and begins at `begin`; the arm is `distance` cylinders away.
  void access(Picoseconds now, Picoseconds begin, std::uint32_t distance, const mechanics::AccessTime& time, bool write);
  /// The same of a movement without an access.
  void move(Picoseconds now, Picoseconds begin, std::uint32_t distance, Picoseconds seek);
  /// A read-ahead has ended, or will have at `end`.
  void read_ahead(Picoseconds now, Picoseconds begin, Picoseconds end);
  /// An access is wanted at `now`, which ends the rest. Nothing if it need not wait.
  std::optional<Waking> wake(Picoseconds now);
  /// The spindle stops at `now`, or when the access in progress has ended.
  void stop(Picoseconds now);
  /// What the drive does ends at `now`, except a start of the spindle.
  void interrupted(Picoseconds now);
  /// The drive fails at `now`, which ends what it does, but no rest for which an access has to wait, and no start; or it is revived.
  void set_on(Picoseconds now, bool on);

 private:
  struct Interval {
    PowerState state;
    Picoseconds begin;
    Picoseconds end;
  };

  /// Appends an interval; its begin is the end of the one before. Throws std::logic_error if too many are not over.
  void append(PowerState state, Picoseconds duration);
  void append_seek(std::uint32_t distance, Picoseconds duration);
  /// Appends the rest until `begin`, after a read-ahead that nobody has stopped. `now`: the present time.
  void rest_until(Picoseconds now, Picoseconds begin);
  /// Enters in the sums what is over at `now`.
  void fold(Picoseconds now);
  /// Removes what lies behind `now`.
  void cut(Picoseconds now);
  /// Calls `visit(state, begin, end)` for the parts of a rest from the last interval's end to `end`.
  template <typename Visit>
  void for_each_rest(Picoseconds end, Visit visit) const;
  /// The account, with the part of an open read-ahead that has passed.
  EnergyAccount at(Picoseconds now) const;

  struct Depth {
    PowerState state;
    Picoseconds after;     ///< without an access
    Picoseconds recovery;  ///< until an access may begin
  };

  const mechanics::AccessPlanner& planner_;
  PowerTable watts_;
  std::array<Depth, 4> depths_;
  Picoseconds least_recovering_ = core::kNoDeadline;  ///< shortest rest that an access has to wait for
  Picoseconds settle_;                                ///< the last part of each seek
  Picoseconds most_current_;                          ///< longest time in one seek for which the coil carries current
  OpenReadAheadIf* read_ahead_ = nullptr;
  PowerTimes sums_{};                     ///< until the begin of the first interval
  std::array<Interval, 32> intervals_{};  ///< the last ones, without gaps
  std::size_t count_ = 0;
  Picoseconds end_ = 0;  ///< of the last one
  PowerState rest_ =
      PowerState::Idle;  ///< the next rest begins with it: IdleB, IdleC or Standby after a failure in it, Standby after a stop
  bool on_ = true;
  Interval start_{};  ///< the last start or loading
};

}  // namespace platter::drive
