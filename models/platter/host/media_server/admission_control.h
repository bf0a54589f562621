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
  std::vector<Copy> copies;  ///< what is read in each of its rounds while no disk has failed
};

/// Round-based admission control (section 6.2): a playback is accepted if the disks' time suffices in every one of its
/// rounds, from the first start that is found.
class AdmissionControl {
 public:
  /// `longest`: rounds of the longest stream; a start is tried in the next `tries` rounds.
  AdmissionControl(const ReservationInfo& reservation, std::uint32_t disks, Nanoseconds budget, Round longest, Round tries);

  /// A request in the current round. Tries the starts now + 1 … now + tries and reserves from the first that fits; none: rejected.
  std::optional<Admission> request(const StreamSchedule& stream);

  Round now() const { return now_; }
  /// The next round; what was reserved in the one before is forgotten.
  void advance();

  /// Time reserved in a round from the current one on.
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
