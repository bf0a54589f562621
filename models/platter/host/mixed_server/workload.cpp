// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/workload.h"

#include <algorithm>
#include <cmath>

namespace platter::host::mixed_server {

using core::kPicosecondsPerSecond;
using workload::Request;

std::uint32_t cascade_levels(double seconds, double interval_s) {
  const double intervals = seconds / interval_s;
  std::uint32_t levels = 0;
  while (levels <= kMostLevels && std::ldexp(2.0, static_cast<int>(2 * levels)) <= intervals * intervals)
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

Workload::Workload(const TextOptions& text, const VideoOptions& video, std::vector<workload::StreamTable> tables,
                   Picoseconds begin, Picoseconds end, std::uint64_t seed)
    : text_(text),
      video_unit_bytes_(video.unit_bytes),
      tables_(std::move(tables)),
      begin_(begin),
      end_(end),
      text_units_(text.set_bytes / text.unit_bytes),
      arrivals_(seed, "mixed_server.text.arrivals"),
      places_(seed, "mixed_server.text.places"),
      sizes_(seed, "mixed_server.text.sizes"),
      cache_(static_cast<std::uint32_t>(std::min(text_units_, text.cache_bytes / text.unit_bytes)), text.unit_bytes),
      next_text_(core::kNoDeadline),
      staggered_(video.staggered) {
  if (text.bursty) begin_bursts(seed);
  fill_cache(seed);
  draw_text_time();

  for (std::size_t i = 0; i < tables_.size(); ++i) {
    File file;
    file.table = i;
    if (!video.bits_per_s.empty()) file.scale = video.bits_per_s[i] / 8 / tables_[i].mean_rate_bytes_per_s();
    const double bytes = tables_[i].mean_rate_bytes_per_s() * file.scale * video.file_s;
    file.first_unit = video_units_;
    file.units = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(bytes / video_unit_bytes_, 0x1p60)) + 1);
    video_units_ += file.units;
    files_.push_back(file);
  }
  core::RandomStream random(seed, "mixed_server.video.clients");
  for (std::uint32_t c = 0; c < video.clients; ++c) {
    Client client;
    client.file = random.below(files_.size());
    const File& file = files_[client.file];
    client.start_us = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tables_[file.table].duration_us())));
    client.next_unit = random.below(file.units);
    client.position = static_cast<double>(client.next_unit) * video_unit_bytes_;
    clients_.push_back(client);
  }
}

void Workload::fill_cache(std::uint64_t seed) {
  const std::uint64_t capacity = std::min(text_units_, text_.cache_bytes / text_.unit_bytes);
  core::RandomStream random(seed, "mixed_server.text.cache");
  if (capacity == text_units_) {
    for (std::uint64_t unit = 0; unit < capacity; ++unit) use_unit(unit);
  }
  while (cache_.size() < capacity) use_unit(random.below(text_units_));
}

bool Workload::use_unit(std::uint64_t unit) {
  const bool hit = cache_.read(unit, 0, nullptr, 0);
  if (!hit) cache_.insert(unit, nullptr);
  return hit;
}

void Workload::begin_bursts(std::uint64_t seed) {
  core::RandomStream random(seed, "mixed_server.text.cascade");
  const double seconds = static_cast<double>(end_ - begin_) / kPicosecondsPerSecond;
  const double mean = text_.load_bytes_per_s / text_.mean_bytes;
  rates_ = cascade(cascade_levels(seconds, text_.burst_interval_s), mean, text_.peak_to_mean, random);
  burst_interval_s_ = seconds / static_cast<double>(rates_.size());
  rates_.insert(rates_.begin(), mean);
  offered_bytes_.resize(static_cast<std::size_t>(std::ceil(seconds)));
}

void Workload::draw_text_time() {
  if (text_.bursty) {
    // An exponential amount of work, consumed at the rate of each interval.
    const double begin_s = static_cast<double>(begin_) / kPicosecondsPerSecond;
    double work = arrivals_.exponential();
    for (; rate_ < rates_.size(); ++rate_) {
      const double until = begin_s + static_cast<double>(rate_) * burst_interval_s_;
      const double left = until - text_time_s_;
      if (work < rates_[rate_] * left) {
        text_time_s_ += work / rates_[rate_];
        next_text_ = core::to_picoseconds(text_time_s_, kPicosecondsPerSecond);
        return;
      }
      work -= rates_[rate_] * left;
      text_time_s_ = until;
    }
    next_text_ = core::kNoDeadline;
  } else if (text_.clients > 0) {  // the sum of Poisson processes is a Poisson process
    text_time_s_ += arrivals_.exponential() * text_.interval_s / text_.clients;
    next_text_ = core::to_picoseconds(text_time_s_, kPicosecondsPerSecond);
  }
}

void Workload::text_request() {
  const double bytes = std::max(1.0, text_.mean_bytes + text_.deviation_bytes * sizes_.normal());
  const std::uint64_t units =
      std::min(text_units_, (static_cast<std::uint64_t>(bytes) + text_.unit_bytes - 1) / text_.unit_bytes);
  if (text_.bursty && next_text_ >= begin_)
    offered_bytes_[static_cast<std::size_t>((next_text_ - begin_) / kPicosecondsPerSecond)] += bytes;
  const std::uint64_t first = places_.below(text_units_ - units + 1);
  TextRequest job;
  job.issued = job.ended = next_text_;
  const auto index = ended_.empty() ? static_cast<std::uint32_t>(text_requests_.size()) : ended_.back();
  for (std::uint64_t unit = first; unit < first + units; ++unit) {
    ++cache_uses_;
    if (use_unit(unit)) {
      ++cache_hits_;
      continue;
    }
    ++job.units;
    Request request;
    request.issued = next_text_;
    request.address = unit * text_.unit_bytes;
    request.length = text_.unit_bytes;
    request.stream = index;
    made_.push_back(request);
  }
  if (job.units == 0) {
    if (text_ended_) text_ended_(job);
  } else if (ended_.empty()) {
    text_requests_.push_back(job);
  } else {
    text_requests_[index] = job;
    ended_.pop_back();
  }
  draw_text_time();
}

void Workload::unit_ended(std::uint32_t index, Picoseconds when, bool failed) {
  TextRequest& job = text_requests_[index];
  job.failed = job.failed || failed;
  job.ended = std::max(job.ended, when);
  if (--job.units > 0) return;
  if (text_ended_) text_ended_(job);
  ended_.push_back(index);
}

void Workload::video_round() {
  const Picoseconds begin = next_round();
  if (staggered_) {
    video_round(next_client_, begin);
    next_client_ = (next_client_ + 1) % static_cast<std::uint32_t>(clients_.size());
    if (next_client_ == 0) ++round_;
    return;
  }
  for (std::uint32_t c = 0; c < clients_.size(); ++c) video_round(c, begin);
  ++round_;
}

void Workload::video_round(std::uint32_t c, Picoseconds begin) {
  Client& client = clients_[c];
  const File& file = files_[client.file];
  client.position += static_cast<double>(tables_[file.table].bytes_in_round(client.start_us, 1'000'000, round_)) * file.scale;
  const auto behind = static_cast<std::uint64_t>(std::ceil(client.position / video_unit_bytes_));
  for (; client.next_unit < behind; ++client.next_unit) {
    const std::uint64_t unit = file.first_unit + client.next_unit % file.units;
    Request request;
    request.issued = begin;
    request.address = text_units_ * text_.unit_bytes + unit * video_unit_bytes_;
    request.length = video_unit_bytes_;
    request.cls = core::RequestClass::Continuous;
    request.stream = c;
    request.deadline = begin + kPicosecondsPerSecond;
    made_.push_back(request);
  }
}

Picoseconds Workload::next_round() const {
  if (clients_.empty()) return core::kNoDeadline;
  const auto clients = static_cast<Picoseconds>(clients_.size());
  return round_ * kPicosecondsPerSecond + (staggered_ ? kPicosecondsPerSecond / clients * next_client_ : 0);
}

bool Workload::advance() {
  const Picoseconds round = next_round();
  if (std::min(round, next_text_) >= end_) return false;
  if (round <= next_text_)
    video_round();
  else
    text_request();
  return true;
}

bool Workload::next(Request& request, Picoseconds /*now*/) {
  while (made_.empty())
    if (!advance()) return false;
  request = made_.front();
  made_.pop_front();
  return true;
}

}  // namespace platter::host::mixed_server
