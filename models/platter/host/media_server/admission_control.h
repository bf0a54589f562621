// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "platter/host/media_server/reservation.h"

namespace platter::host::media_server {

/// A playback that was accepted.
struct Admission {
  Round start = 0;
  std::vector<Copy> copies;  ///< the copy that is read in each of its rounds while no disk has failed
};

/// Round-based admission control (section 6.2): a playback is accepted if the disk time suffices in each of its rounds. It gets
/// the first start for which this holds.
class AdmissionControl {
 public:
  /// `longest`: length of the longest stream in rounds. `tries`: number of following rounds that are tried as a start.
  AdmissionControl(const ReservationInfo& reservation, std::uint32_t disks, Nanoseconds budget, Round longest, Round tries);

  /// Handles a request in the current round: tries the starts now + 1 … now + tries and reserves for the first that fits. Returns
  /// nothing if it is rejected.
  std::optional<Admission> request(const StreamSchedule& stream);

  Round now() const { return now_; }
  /// Advances to the next round and discards the reservations of the last one.
  void advance();

  /// Time reserved in `round`, which must not be before the current one.
  Nanoseconds reserved(Round round, std::uint32_t disk) const { return reservation_->reserved(slot(round), disk); }
  Nanoseconds reserved_for_failure(Round round, std::uint32_t disk) const {
    return reservation_->reserved_for_failure(slot(round), disk);
  }

 private:
  std::size_t slot(Round round) const { return static_cast<std::size_t>(round % window_); }
  bool fits(const StreamSchedule& stream, Round start) const;

  Round tries_;
  Round window_;
  Round now_ = 0;
  std::unique_ptr<ReservationIf> reservation_;
};

}  // namespace platter::host::media_server
