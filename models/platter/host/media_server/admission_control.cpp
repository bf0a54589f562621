// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/admission_control.h"

#include <stdexcept>
#include <string>

namespace platter::host::media_server {

namespace {

/// Checks the number of rounds of a schedule. A round has at most one number for each pair of disks.
std::size_t checked(Round window, std::uint32_t disks) {
  constexpr Round kMax = 1 << 27;
  const Round pairs = Round{disks} * disks;
  if (window > kMax / pairs)
    throw std::invalid_argument("a stream and its wait of " + std::to_string(window) + " rounds, expected at most " +
                                std::to_string(kMax / pairs) + " with " + std::to_string(disks) + " disks");
  return static_cast<std::size_t>(window);
}

}  // namespace

AdmissionControl::AdmissionControl(const ReservationInfo& reservation, std::uint32_t disks, Nanoseconds budget, Round longest,
                                   Round tries)
    : tries_(tries), window_(longest + tries + 1), reservation_(reservation.create({disks, checked(window_, disks), budget})) {}

bool AdmissionControl::fits(const StreamSchedule& stream, Round start) const {
  for (Round round = 0; round < stream.rounds(); ++round)
    if (!reservation_->fits(slot(start + round), stream.demand(round))) return false;
  return true;
}

std::optional<Admission> AdmissionControl::request(const StreamSchedule& stream) {
  for (Round start = now_ + 1; start <= now_ + tries_; ++start) {
    if (!fits(stream, start)) continue;
    Admission admission;
    admission.start = start;
    admission.copies.reserve(static_cast<std::size_t>(stream.rounds()));
    for (Round round = 0; round < stream.rounds(); ++round)
      admission.copies.push_back(reservation_->reserve(slot(start + round), stream.demand(round)));
    return admission;
  }
  return std::nullopt;
}

void AdmissionControl::advance() {
  reservation_->clear(slot(now_));
  ++now_;
}

}  // namespace platter::host::media_server
