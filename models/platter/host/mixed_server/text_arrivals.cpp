// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/text_arrivals.h"

#include <cmath>
#include <utility>

namespace platter::host::mixed_server {

using core::kPicosecondsPerSecond;

std::uint32_t cascade_levels(double seconds, double interval_s) {
  const double intervals = seconds / interval_s;
  std::uint32_t levels = 0;
  while (levels <= kMaxLevels && std::ldexp(2.0, static_cast<int>(2 * levels)) <= intervals * intervals)
    ++levels;  // 2^levels * sqrt(2)
  return levels;
}

std::vector<double> cascade(std::uint32_t levels, double mean, double peak_to_mean, core::RandomStream& random) {
  // The peak is mean * (2 p)^levels. Bisection finds p, so that the result does not depend on the last bit of a library function.
  double low = 0.5;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double p = (low + high) / 2;
    double peak = 1;
    for (std::uint32_t k = 0; k < levels; ++k) peak *= 2 * p;
    (peak < peak_to_mean ? low : high) = p;
  }
  std::vector<double> rates = {mean};
  for (std::uint32_t k = 0; k < levels; ++k) {
    std::vector<double> halves;
    halves.reserve(rates.size() * 2);
    for (const double rate : rates) {
      const double left = random.below(2) == 0 ? high : 1 - high;
      halves.push_back(rate * 2 * left);
      halves.push_back(rate * 2 * (1 - left));
    }
    rates = std::move(halves);
  }
  return rates;
}

TextArrivals::TextArrivals(const TextOptions& text, Picoseconds begin, Picoseconds end, std::uint64_t seed)
    : random_(seed, "mixed_server.text.arrivals"),
      clients_(text.clients),
      interval_s_(text.interval_s),
      begin_s_(static_cast<double>(begin) / kPicosecondsPerSecond) {
  if (text.bursty) make_rates(text, static_cast<double>(end - begin) / kPicosecondsPerSecond, seed);
  draw();
}

void TextArrivals::make_rates(const TextOptions& text, double seconds, std::uint64_t seed) {
  core::RandomStream random(seed, "mixed_server.text.cascade");
  const double mean = text.load_bytes_per_s / text.mean_bytes;
  rates_ = cascade(cascade_levels(seconds, text.burst_interval_s), mean, text.peak_to_mean, random);
  burst_interval_s_ = seconds / static_cast<double>(rates_.size());
  rates_.insert(rates_.begin(), mean);
}

void TextArrivals::draw() {
  if (bursty()) {
    draw_bursty();
  } else if (clients_ > 0) {  // the sum of Poisson processes is a Poisson process
    time_s_ += random_.exponential() * interval_s_ / clients_;
    next_ = core::to_picoseconds(time_s_, kPicosecondsPerSecond);
  }
}

/// An exponential amount of work, consumed at the rate of each interval.
void TextArrivals::draw_bursty() {
  double work = random_.exponential();
  for (; rate_ < rates_.size(); ++rate_) {
    const double until = begin_s_ + static_cast<double>(rate_) * burst_interval_s_;
    const double left = until - time_s_;
    if (work < rates_[rate_] * left) {
      time_s_ += work / rates_[rate_];
      next_ = core::to_picoseconds(time_s_, kPicosecondsPerSecond);
      return;
    }
    work -= rates_[rate_] * left;
    time_s_ = until;
  }
  next_ = core::kNoDeadline;
}

}  // namespace platter::host::mixed_server
