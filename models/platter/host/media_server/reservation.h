// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "platter/host/media_server/disk_times.h"
#include "platter/host/media_server/striping.h"

namespace platter::host::media_server {

/// A disk's time for a stream's read in one round.
struct TimedRead {
  std::uint32_t disk = 0;
  Nanoseconds time = 0;
};

/// A stream's demand on the disks in one round: the read of its primary copy, or all reads of its backup copy.
struct RoundDemand {
  TimedRead primary;
  Range<TimedRead> backups;
};

/// The demands of a stored stream, round by round: its entry in the schedule database (section 2.1).
class StreamSchedule {
 public:
  StreamSchedule(const StoredStream& stream, const DiskTimes& times, std::uint32_t block_bytes);

  Round rounds() const { return static_cast<Round>(primary_.size()); }
  RoundDemand demand(Round round) const {
    const auto i = static_cast<std::size_t>(round);
    return {primary_[i], {backups_.data() + backup_begin_[i], backups_.data() + backup_begin_[i + 1]}};
  }

 private:
  std::vector<TimedRead> primary_;
  std::vector<TimedRead> backups_;
  std::vector<std::size_t> backup_begin_;
};

/// Disk time reserved in each round of a window, and the rule that reserves it (sections 4 and 5). A slot is the index of a round in the window.
class ReservationIf {
 public:
  virtual ~ReservationIf() = default;
  /// True if every disk stays within the budget of the slot with one more stream's demand.
  virtual bool fits(std::size_t slot, const RoundDemand& demand) const = 0;
  /// Reserves the time. Returns the copy to be read while no disk has failed.
  virtual Copy reserve(std::size_t slot, const RoundDemand& demand) = 0;
  /// All time reserved on the disk.
  virtual Nanoseconds reserved(std::size_t slot, std::uint32_t disk) const = 0;
  /// The part of it that is reserved for reads of backup copies after a failure.
  virtual Nanoseconds reserved_for_failure(std::size_t slot, std::uint32_t disk) const = 0;
  virtual void clear(std::size_t slot) = 0;
};

struct ReservationSize {
  std::uint32_t disks = 0;
  std::size_t slots = 0;
  Nanoseconds budget = 0;  ///< of a disk in a round
};

struct ReservationInfo {
  std::string_view name;
  std::string_view description;
  bool needs_replicas = false;
  bool survives_failure = false;  ///< no read is late after the redirection if any one disk fails
  std::function<std::unique_ptr<ReservationIf>(const ReservationSize& size)> create;
};

/// All reservation rules.
const std::vector<ReservationInfo>& reservation_table();
/// Returns nullptr if no rule has that name.
const ReservationInfo* find_reservation(std::string_view name);

}  // namespace platter::host::media_server
