// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/host/media_server/reservation.h"

namespace platter::host::media_server {

/// The outcome of a stream's data of one round.
enum class Service : std::uint8_t {
  Served,
  Lost,  ///< it was on the failed disk, and no other copy could be read
  Late,  ///< a disk had no time left
};

/// The actual work of the disks in a round. It uses the reservation's times but is independent of what was reserved, because a
/// disk may have failed, and its reads then go to the other copies.
class ServiceAccount {
 public:
  ServiceAccount(std::uint32_t disks, Nanoseconds budget) : budget_(budget), used_(disks, 0) {}

  /// Begins the next round. `failed`: the failed disk. `redirected`: the reads of this round already go to the other copies; this
  /// holds from the round after the failure on.
  void begin_round(std::optional<std::uint32_t> failed, bool redirected);
  /// Accounts for one stream's read of the copy with which it was admitted. Streams are served in the order of the calls; a read
  /// that would exceed the budget of a disk is late and takes none of its time.
  Service serve(const RoundDemand& demand, Copy copy);

  Nanoseconds used(std::uint32_t disk) const { return used_[disk]; }

 private:
  bool on_failed(Range<TimedRead> reads) const;

  Nanoseconds budget_;
  std::vector<Nanoseconds> used_;
  std::optional<std::uint32_t> failed_;
  bool redirected_ = false;
};

}  // namespace platter::host::media_server
