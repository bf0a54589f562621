// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "platter/core/error.h"

namespace platter::observe {

namespace {

// A range is a shift and the ten bits after a value's leading one: exponent and mantissa, as in floating point.
constexpr unsigned kMantissaBits = 10;
constexpr std::uint64_t kMantissas = std::uint64_t{1} << kMantissaBits;

}  // namespace

std::size_t Samples::range_of(Picoseconds value) {
  auto rest = static_cast<std::uint64_t>(value);
  std::size_t shift = 0;
  for (; rest >= 2 * kMantissas; rest >>= 1) ++shift;
  return shift * kMantissas + static_cast<std::size_t>(rest);
}

Picoseconds Samples::begin_of(std::size_t range) {
  const std::size_t shift = range < 2 * kMantissas ? 0 : range / kMantissas - 1;
  return static_cast<Picoseconds>((range - shift * kMantissas) << shift);
}

void Samples::add(Picoseconds value) {
  ++count_;
  max_ = std::max(max_, value);
  const double ms = to_milliseconds(value);
  sum_ms_ += ms;
  sum_squares_ms_ += ms * ms;
  if (count_ <= kMaxKept) {
    values_.push_back(value);
    return;
  }
  if (counts_.empty()) {
    counts_.resize(range_of(core::kNoDeadline) + 1);
    for (const Picoseconds kept : values_) ++counts_[range_of(kept)];
    values_ = {};
  }
  ++counts_[range_of(value)];
}

std::optional<double> Samples::mean_ms() const {
  if (count_ == 0) return std::nullopt;
  return sum_ms_ / static_cast<double>(count_);
}

std::optional<double> Samples::max_ms() const {
  if (count_ == 0) return std::nullopt;
  return to_milliseconds(max_);
}

std::optional<double> Samples::percentile_ms(double p) const {
  if (count_ == 0) return std::nullopt;
  const auto per_mille = static_cast<std::size_t>(std::lround(p * 10));  // whole numbers: 99.9 / 100 * 1000 is above 999
  const std::size_t rank = std::max<std::size_t>((per_mille * count_ + 999) / 1000, 1);
  if (!counts_.empty()) {
    std::size_t range = 0;
    for (std::size_t below = counts_[0]; below < rank; below += counts_[range]) ++range;
    return to_milliseconds(begin_of(range));
  }
  if (sorted_.size() != values_.size()) {
    sorted_ = values_;
    std::sort(sorted_.begin(), sorted_.end());
  }
  return to_milliseconds(sorted_[rank - 1]);
}

std::optional<double> Samples::fairness_index() const {
  if (count_ == 0) return std::nullopt;
  if (sum_squares_ms_ == 0) return 1;  // all are 0, so all are equal
  return sum_ms_ * sum_ms_ / (static_cast<double>(count_) * sum_squares_ms_);
}

Backlog::Backlog(Picoseconds from, Picoseconds to)
    : from_(from), to_(std::max(from, to)), step_((to_ - from_) / static_cast<Picoseconds>(kParts)) {}

std::size_t Backlog::part_of(Picoseconds time) const {
  if (step_ == 0) return kParts - 1;
  return std::min(static_cast<std::size_t>((time - from_) / step_), kParts - 1);
}

void Backlog::add(Picoseconds issued, Picoseconds gone) {
  const Picoseconds begin = std::max(issued, from_);
  const Picoseconds end = std::min(gone, to_);
  if (begin >= end) return;
  const std::size_t first = part_of(begin);
  const std::size_t last = part_of(end - 1);
  if (first == last) {
    partial_[first] += static_cast<double>(end - begin);
    return;
  }
  partial_[first] += static_cast<double>(end_of(first) - begin);
  partial_[last] += static_cast<double>(end - begin_of(last));
  ++throughout_[first + 1];
  --throughout_[last];
}

std::array<double, Backlog::kParts> Backlog::means() const {
  std::array<double, kParts> means{};
  std::int64_t throughout = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    throughout += throughout_[i];
    const Picoseconds length = end_of(i) - begin_of(i);
    if (length > 0) means[i] = static_cast<double>(throughout) + partial_[i] / static_cast<double>(length);
  }
  return means;
}

double Backlog::integral() const {
  std::int64_t throughout = 0;
  double sum = 0;
  for (std::size_t i = 0; i < kParts; ++i) {
    throughout += throughout_[i];
    sum += partial_[i] + static_cast<double>(throughout) * static_cast<double>(end_of(i) - begin_of(i));
  }
  return sum;
}

double Backlog::mean() const { return to_ > from_ ? integral() / static_cast<double>(to_ - from_) : 0; }

Statistics::Statistics(Picoseconds from, Picoseconds to, const std::vector<std::string>& jobs)
    : from_(from), classes_{ClassStatistics(from, to), ClassStatistics(from, to), ClassStatistics(from, to)} {
  for (const std::string& job : jobs) jobs_.emplace_back(job, ClassStatistics(from, to));
}

void RequestStatistics::finished(const workload::FinishedRequest& finished, bool issued_within) {
  const workload::Request& request = finished.request;
  const command::CommandTiming& t = finished.timing;
  const bool good = finished.status == command::CommandStatus::Good;
  if (issued_within) {
    ++(good ? completed : failed);
    if (good && t.completed > request.deadline) ++late;
  }
  if (!good) return;
  bytes += request.length;
  response.add(t.response());
  if (request.recorded >= 0) recorded.add(request.recorded);
  if (spread) {
    missed += t.missed > 0 ? 1 : 0;
    missed_turns += t.missed;
    gained_turns += t.gained;
  }
  const std::array<Picoseconds, kPartNames.size()> parts = {t.queue,    t.overhead, t.seek, t.settle,
                                                            t.rotation, t.transfer, t.bus};
  for (std::size_t i = 0; i < parts.size(); ++i) parts_ms[i] += to_milliseconds(parts[i]);
}

void RequestStatistics::outstanding_at(const workload::Request& request, Picoseconds now, bool issued_within) {
  ++waiting;
  oldest = std::max(oldest, now - request.issued);
  if (!issued_within) return;
  ++outstanding;
  if (request.deadline <= now) ++late;  // events at `now` are over
}

void Statistics::count_misses() {
  const auto count = [](ClassStatistics& c) { c.spread = c.reads.spread = c.writes.spread = true; };
  for (ClassStatistics& c : classes_) count(c);
  for (auto& [name, job] : jobs_) count(job);
}

void Statistics::issued(const workload::Request& request) {
  if (request.issued < from_) return;
  for_accounts(request,
               [&](ClassStatistics& account) { account.for_statistics(request, [](RequestStatistics& s) { ++s.issued; }); });
}

void Statistics::finished(const workload::FinishedRequest& finished) {
  const workload::Request& request = finished.request;
  const command::CommandTiming& t = finished.timing;
  const bool issued_within = request.issued >= from_;
  const bool counts = issued_within || t.completed > from_;
  for_accounts(request, [&](ClassStatistics& account) {
    account.backlog.add(request.issued, t.completed);
    if (!counts) return;
    account.for_statistics(request, [&](RequestStatistics& s) { s.finished(finished, issued_within); });
  });
  if (counts && finished.status == command::CommandStatus::Good && t.parts() != t.response()) ++broken_sums_;
}

void Statistics::outstanding(const workload::Request& request, Picoseconds now) {
  const bool issued_within = request.issued >= from_;
  for_accounts(request, [&](ClassStatistics& account) {
    account.backlog.add(request.issued, now);
    account.for_statistics(request, [&](RequestStatistics& s) { s.outstanding_at(request, now, issued_within); });
  });
}

void Statistics::check_conservation() const {
  const auto check = [](const char* what, std::string_view name, const ClassStatistics& c) {
    if (c.issued != c.completed + c.failed + c.outstanding)
      throw core::SimulationError(
          fmt::format("conservation broken in {} {}: issued {} is not completed {} + failed {} + outstanding {}", what, name,
                      c.issued, c.completed, c.failed, c.outstanding));
  };
  for (std::size_t i = 0; i < classes_.size(); ++i)
    check("class", core::to_string(static_cast<core::RequestClass>(i)), classes_[i]);
  for (const auto& [name, job] : jobs_) check("job", name, job);
  if (broken_sums_ != 0)
    throw core::SimulationError(fmt::format("{} response times are not the sum of their parts", broken_sums_));
}

}  // namespace platter::observe
