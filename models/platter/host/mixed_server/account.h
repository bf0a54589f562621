// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <utility>

#include "platter/host/mixed_server/text_clients.h"
#include "platter/workload/initiator.h"

namespace platter::host::mixed_server {

/// Results of the clients. A text request ends with its last unit. A video unit is late if it arrives after its round's end, if
/// it was due and has not arrived, or if it is lost because no working disk holds it. A client's round with a late unit is a
/// violation. The account counts video units issued from `from` on, and text units that arrive after it.
class Account : public workload::RequestObserverIf {
 public:
  Account(TextClients& text, Picoseconds from) : text_(text), from_(from) {}

  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    const workload::Request& request = finished.request;
    const bool lost = finished.status != command::CommandStatus::Good;
    const auto part_ms = [](Picoseconds time) { return core::to_milliseconds(time); };
    if (request.cls == core::RequestClass::Continuous) {
      if (request.issued < from_) return;
      ++video_units_;
      if (lost) ++lost_units_;
      if (lost || finished.timing.completed > request.deadline) late(request);
      return;
    }
    text_.unit_ended(request, finished.timing.completed, lost);
    if (lost || (request.issued < from_ && finished.timing.completed <= from_)) return;
    ++text_units_;
    queue_ms_ += part_ms(finished.timing.queue);
    service_ms_ += part_ms(finished.timing.response() - finished.timing.queue);
  }
  /// Counts a request that is not done at the end of the run, `now`. A video unit that is due by then is late.
  void outstanding(const workload::Request& request, Picoseconds now) {
    if (request.cls != core::RequestClass::Continuous || request.issued < from_ || request.deadline > now) return;
    ++video_units_;
    late(request);
  }

  std::uint64_t violations() const { return violations_.size(); }
  std::uint64_t late_units() const { return late_units_; }
  std::uint64_t lost_units() const { return lost_units_; }
  /// Units that arrived, and units that were due at the end; `late_units` of them were late.
  std::uint64_t video_units() const { return video_units_; }
  std::uint64_t text_units() const { return text_units_; }
  /// Sums over the text units that were read.
  double queue_ms() const { return queue_ms_; }
  double service_ms() const { return service_ms_; }

 private:
  void late(const workload::Request& request) {
    ++late_units_;
    violations_.emplace(request.stream, request.deadline);
  }

  TextClients& text_;
  Picoseconds from_;
  std::set<std::pair<std::uint32_t, Picoseconds>> violations_;  ///< client and end of its round
  std::uint64_t late_units_ = 0;
  std::uint64_t lost_units_ = 0;
  std::uint64_t video_units_ = 0;
  std::uint64_t text_units_ = 0;
  double queue_ms_ = 0;
  double service_ms_ = 0;
};

}  // namespace platter::host::mixed_server
