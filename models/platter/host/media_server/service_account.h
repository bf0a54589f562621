// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/host/media_server/reservation.h"

namespace platter::host::media_server {

/// What became of a stream's data of a round.
enum class Service : std::uint8_t {
  Served,
  Lost,  ///< on the failed disk, and no other copy could be asked for
  Late,  ///< a disk had no time left for it
};

/// What the disks really have to do in a round, by the reservation's own times but apart from what was reserved: a disk may have
/// failed, and its reads then go to the other copies.
class ServiceAccount {
 public:
  ServiceAccount(std::uint32_t disks, Nanoseconds budget) : budget_(budget), used_(disks, 0) {}

  /// The next round. `failed`: the disk that is gone; `redirected`: the reads of this round were already asked of the other copies,
  /// which is so from the round after the failure on.
  void begin_round(std::optional<std::uint32_t> failed, bool redirected);
  /// One stream's read of the copy that it was admitted with. Streams are served in the order of the calls; what would
  /// reach beyond the budget of a disk is late and takes none of its time.
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
