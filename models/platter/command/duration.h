// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "platter/core/types.h"

namespace platter::command {

using core::Picoseconds;

/// What the drive does with a command whose limit has passed. The values are the codes of SCSI (SPC-6, T2A mode page) and ATA (ACS-6, log 18h).
enum class LimitPolicy : std::uint8_t {
  CompleteEarliest = 0x0,     ///< it goes on, and the policy LSPTF serves it first
  ContinueNextLimit = 0x1,    ///< from then on the guideline of the next descriptor holds, also counted from the arrival
  ContinueNoLimit = 0x2,      ///< from then on no guideline holds; the active limit still does
  CompleteUnavailable = 0xD,  ///< it completes well, but without data (sense 0Fh/55h/0Ah)
  AbortRecovery = 0xE,        ///< as Abort; only an active limit may have it, and only in SCSI
  Abort = 0xF,                ///< it is aborted (sense 0Bh/2Eh/01h to 03h)
};

/// Which time a limit is about.
enum class LimitKind : std::uint8_t {
  Inactive,   ///< from the arrival until the first access begins
  Active,     ///< from the begin of the first access until the completion
  Guideline,  ///< from the arrival until the completion
};

/// True if the standards permit this policy for a limit of this kind.
constexpr bool permitted(LimitKind kind, LimitPolicy policy) {
  switch (policy) {
    case LimitPolicy::CompleteEarliest:
    case LimitPolicy::CompleteUnavailable:
    case LimitPolicy::Abort: return true;
    case LimitPolicy::AbortRecovery: return kind == LimitKind::Active;
    case LimitPolicy::ContinueNextLimit:
    case LimitPolicy::ContinueNoLimit: return kind == LimitKind::Guideline;
  }
  return false;
}

/// True if a command that waits ends when its inactive limit or its guideline passes. (AbortRecovery is a policy of active limits only.)
constexpr bool ends_command(LimitPolicy policy) {
  return policy == LimitPolicy::Abort || policy == LimitPolicy::CompleteUnavailable;
}

/// A limit of one kind.
struct DurationLimit {
  Picoseconds time = 0;                                ///< ps; 0: none
  LimitPolicy policy = LimitPolicy::CompleteEarliest;  ///< what follows when it has passed

  /// There is a limit.
  bool given() const { return time > 0; }
  /// Both are equal.
  friend constexpr bool operator==(const DurationLimit& a, const DurationLimit& b) {
    return a.time == b.time && a.policy == b.policy;
  }
};

/// The limits that a command names by a number.
struct DurationDescriptor {
  DurationLimit inactive;   ///< the wait for the first access
  DurationLimit active;     ///< the work
  DurationLimit guideline;  ///< both

  /// There is a limit of any kind.
  bool any() const { return inactive.given() || active.given() || guideline.given(); }
  /// Both are equal.
  friend constexpr bool operator==(const DurationDescriptor& a, const DurationDescriptor& b) {
    return a.inactive == b.inactive && a.active == b.active && a.guideline == b.guideline;
  }
};

/// The descriptors of a drive, which commands name by the numbers from 1 on.
struct DurationTable {
  static constexpr std::uint8_t kDescriptors = 7;  ///< of reads, and of writes

  std::array<std::array<DurationDescriptor, kDescriptors>, 2> descriptors;  ///< of reads and of writes, from number 1 on
  /// Most throughput that guidelines may cost, in 1/1000.
  std::uint32_t cost_permille = 0;

  /// The descriptor of this number. Precondition: 1 <= number <= kDescriptors.
  const DurationDescriptor& of(bool write, std::uint8_t number) const { return descriptors[write ? 1 : 0][number - 1u]; }
};

/// Values of the code "performance versus duration guideline" (log 18h, T2A mode page), in 1/1000 of the throughput.
inline constexpr std::array<std::uint32_t, 13> kGuidelineCosts = {0, 5, 10, 15, 20, 25, 30, 40, 50, 80, 100, 150, 200};

}  // namespace platter::command
