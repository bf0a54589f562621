// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/rate_stream.h"

#include <algorithm>
#include <string>
#include <utility>

namespace platter::host::autoqos {

RateStream::RateStream(RateStreamOptions options)
    : options_(std::move(options)),
      random_(options_.seed, "rate-stream-" + std::to_string(options_.stream)),
      clock_(options_.seed, "rate-stream-clock-" + std::to_string(options_.stream)),
      period_start_(options_.enters),
      period_(period_at(options_.enters)) {}

std::uint64_t RateStream::rate_at(Picoseconds time) const {
  std::uint64_t rate = options_.rates.front().bytes_per_s;
  for (const RateChange& change : options_.rates)
    if (change.at <= time) rate = change.bytes_per_s;
  return rate;
}

std::uint64_t RateStream::wanted(Picoseconds time) const {
  return time >= options_.enters && time < options_.leaves ? rate_at(time) : 0;
}

Picoseconds RateStream::period_at(Picoseconds time) {
  const std::uint64_t rate = rate_at(time);
  if (rate == 0) return 0;
  const double seconds =
      static_cast<double>(std::uint64_t{options_.command_bytes} * options_.commands_per_period) / static_cast<double>(rate);
  return core::to_picoseconds(options_.periodic ? seconds : seconds * random_.exponential(), core::kPicosecondsPerSecond);
}

RateStream::Periods RateStream::periods(Picoseconds now) const {
  // The period of the outstanding command and those after it, if they began before the stream left, are late in any case.
  Picoseconds waiting = 0;
  if (period_ > 0 && command_ > 0 && now > period_start_)
    waiting = std::min((now - period_start_ - 1) / period_, (options_.leaves - period_start_ - 1) / period_ + 1);
  const auto not_read = static_cast<std::uint64_t>(given_up_ + static_cast<double>(waiting));
  return {read_ + not_read, read_late_ + not_read};
}

bool RateStream::next(workload::Request& request, Picoseconds now) {
  if (command_ == options_.commands_per_period) {
    command_ = 0;
    period_start_ += period_;
    if (period_ > 0) {
      ++read_;
      if (now > period_start_) ++read_late_;
    }
    period_ = period_at(period_start_);
    // A stream without a rate is never late.
    const Picoseconds furthest = now - static_cast<Picoseconds>(options_.late_periods) * period_;
    if (furthest > period_start_) {
      if (period_ > 0) given_up_ += static_cast<double>(furthest - period_start_) / static_cast<double>(period_);
      period_start_ = furthest;
    }
  }
  request = {};
  Picoseconds begins = period_start_;
  if (options_.jitter > 0 && command_ == 0)  // the other commands of a period follow without a clock
    begins += static_cast<Picoseconds>(options_.jitter * clock_.uniform() * static_cast<double>(period_));
  request.issued = std::max(now, begins);
  if (request.issued >= options_.leaves) {
    if (now <= period_start_ + period_) command_ = 0;  // it leaves a period that it has not missed
    return false;
  }
  if (!options_.sequential)
    place_ = random_.below(options_.file_bytes / options_.command_bytes) * options_.command_bytes;
  else if (place_ + options_.command_bytes > options_.file_bytes)
    place_ = 0;
  request.address = options_.file_offset + place_;
  request.length = options_.command_bytes;
  request.cls = options_.cls;
  request.stream = options_.stream;
  place_ += options_.command_bytes;
  ++command_;
  return true;
}

}  // namespace platter::host::autoqos
