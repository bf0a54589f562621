// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platter/core/error.h"

namespace platter::observe {

using core::to_milliseconds;

void Samples::add(Picoseconds value) {
  values_.push_back(value);
  const double ms = to_milliseconds(value);
  sum_ms_ += ms;
  sum_squares_ms_ += ms * ms;
}

double Samples::mean_ms() const { return values_.empty() ? 0 : sum_ms_ / static_cast<double>(values_.size()); }

double Samples::max_ms() const {
  return values_.empty() ? 0 : to_milliseconds(*std::max_element(values_.begin(), values_.end()));
}

double Samples::percentile_ms(double p) const {
  if (values_.empty()) return 0;
  if (sorted_.size() != values_.size()) {
    sorted_ = values_;
    std::sort(sorted_.begin(), sorted_.end());
  }
  const double rank = std::ceil(p / 100 * static_cast<double>(sorted_.size()));
  return to_milliseconds(sorted_[static_cast<std::size_t>(std::max(rank, 1.0)) - 1]);
}

double Samples::fairness_index() const {
  if (values_.empty() || sum_squares_ms_ == 0) return 1;
  return sum_ms_ * sum_ms_ / (static_cast<double>(values_.size()) * sum_squares_ms_);
}

void Statistics::issued(const workload::Request& request) {
  if (request.time >= from_) ++classes_[static_cast<std::size_t>(request.cls)].issued;
}

void Statistics::finished(const workload::FinishedRequest& finished) {
  const workload::Request& request = finished.request;
  if (request.time < from_) return;
  ClassStatistics& c = classes_[static_cast<std::size_t>(request.cls)];
  const core::CommandTiming& t = finished.timing;
  if (finished.status != core::CommandStatus::Good) {
    ++c.failed;
    return;
  }
  ++c.completed;
  c.bytes += request.length;
  if (t.completed > request.deadline) ++c.late;
  if (t.parts() != t.response()) ++broken_sums_;
  c.response.add(t.response());
  const std::array<Picoseconds, kPartNames.size()> parts = {t.queue,    t.overhead, t.seek, t.settle,
                                                            t.rotation, t.transfer, t.bus};
  for (std::size_t i = 0; i < parts.size(); ++i) c.parts_ms[i] += to_milliseconds(parts[i]);
}

void Statistics::outstanding(const workload::Request& request, Picoseconds now) {
  if (request.time < from_) return;
  ClassStatistics& c = classes_[static_cast<std::size_t>(request.cls)];
  ++c.outstanding;
  if (request.deadline <= now) ++c.late;  // what happens at `now` has happened
}

void Statistics::check_conservation() const {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const ClassStatistics& c = classes_[i];
    if (c.issued != c.completed + c.failed + c.outstanding)
      throw core::SimulationError(fmt::format(
          "conservation broken in class {}: issued {} is not completed {} + failed {} + outstanding {}",
          core::to_string(static_cast<core::RequestClass>(i)), c.issued, c.completed, c.failed, c.outstanding));
  }
  if (broken_sums_ != 0)
    throw core::SimulationError(
        fmt::format("{} response times are not the sum of their parts", broken_sums_));
}

}  // namespace platter::observe
