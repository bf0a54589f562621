// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/job.h"

#include <algorithm>
#include <string>

namespace platter::workload {

namespace {

core::Picoseconds relative(double deadline_ms) {
  return deadline_ms > 0 ? core::to_picoseconds(deadline_ms, core::kPicosecondsPerMillisecond) : core::kNoDeadline;
}

core::RandomStream stream_of(const JobParameters& job, std::uint64_t seed, const char* use) {
  return {seed, "job." + job.name + "." + use};
}

}  // namespace

JobProducer::JobProducer(const JobParameters& job, std::int32_t number, std::uint32_t stream, const Target& target,
                         std::uint64_t seed)
    : target_(target),
      region_(job, target),
      number_(number),
      stream_(stream),
      depth_(job.depth()),
      is_random_(job.is_random()),
      share_of_reads_(job.share_of_reads()),
      rate_per_s_(job.rate_iops),
      poisson_(job.rate_process == JobParameters::Arrivals::Poisson),
      think_(core::to_picoseconds(job.thinktime_us, core::kPicosecondsPerMicrosecond)),
      begin_(core::to_picoseconds(job.startdelay_s, core::kPicosecondsPerSecond)),
      bytes_left_(job.io_size.of(region_.blocks * target.block_bytes)),
      usual_{job.usual_class(), relative(job.deadline_ms), static_cast<std::uint8_t>(job.hint), job.high_priority},
      urgent_{job.priority_class(), relative(job.cmdprio_deadline_ms), static_cast<std::uint8_t>(job.cmdprio_hint),
              job.cmdprio_high_priority},
      urgent_share_{job.cmdprio_percentage.percent[kOfReads] / 100, job.cmdprio_percentage.percent[kOfWrites] / 100},
      law_(job.random_distribution.kind),
      law_parameter_(job.random_distribution.parameter),
      arrivals_(stream_of(job, seed, "arrivals")),
      kinds_(stream_of(job, seed, "kinds")),
      places_(stream_of(job, seed, "places")),
      sizes_(stream_of(job, seed, "sizes")),
      priorities_(stream_of(job, seed, "priorities")) {
  if (bytes_left_ == 0) bytes_left_ = ~std::uint64_t{0};  // no limit
  if (job.runtime_s > 0) end_ = core::later_by(begin_, core::to_picoseconds(job.runtime_s, core::kPicosecondsPerSecond));
  for (const std::size_t way : {kOfReads, kOfWrites}) {
    Sizes& sizes = sizes_of_[way];
    sizes.least = job.bs.bytes[way] / target.block_bytes;
    if (!job.bsrange.notation.empty()) {
      const BlockRange::Bounds& range = job.bsrange.bounds[way];
      sizes.least = range.least / target.block_bytes;
      sizes.steps = range.most / range.least;
    }
    double share = 0;
    for (const BlockShare& one : job.bssplit.shares[way]) {
      if (one.percent == 0) continue;
      share += one.percent;
      sizes.shares.push_back({share / 100, one.bytes / target.block_bytes});
    }
    if (!sizes.shares.empty()) sizes.shares.back().until = 1;  // the sum is rounded
  }
  const bool one_size = job.least_block() == job.most_block();
  switch (law_) {
    case Distribution::Kind::Uniform: every_place_once_ = is_random_ && one_size && !job.norandommap; break;
    case Distribution::Kind::Zipf: zipf_.emplace(region_.places, law_parameter_); [[fallthrough]];
    case Distribution::Kind::Pareto: order_.emplace(region_.places, places_); break;
    case Distribution::Kind::Zoned: zones_ = zones_of(job.random_distribution, region_.places); break;
  }
}

core::Picoseconds JobProducer::issue_time(core::Picoseconds now) {
  core::Picoseconds time = begin_;
  if (depth_ > 0 && issued_ >= depth_) time = std::max(begin_, core::later_by(now, think_));
  if (rate_per_s_ == 0) return time;
  if (poisson_) {
    time_s_ += arrivals_.exponential() / rate_per_s_;
  } else {
    time_s_ = static_cast<double>(issued_) / rate_per_s_;
  }
  return std::max(time, core::later_by(begin_, core::to_picoseconds(time_s_, core::kPicosecondsPerSecond)));
}

std::uint64_t JobProducer::blocks_of_next(bool write) {
  const Sizes& sizes = sizes_of_[write ? kOfWrites : kOfReads];
  if (sizes.shares.empty()) return sizes.steps == 1 ? sizes.least : sizes.least * (1 + sizes_.below(sizes.steps));
  if (sizes.shares.size() == 1) return sizes.shares.front().blocks;
  const double share = sizes_.uniform();
  return std::find_if(sizes.shares.begin(), sizes.shares.end(), [share](const Share& s) { return share <= s.until; })->blocks;
}

std::uint64_t JobProducer::random_place() {
  switch (law_) {
    case Distribution::Kind::Uniform:
      if (!every_place_once_) return places_.below(region_.places);
      if (!order_ || in_pass_ == region_.places) {
        order_.emplace(region_.places, places_);
        in_pass_ = 0;
      }
      return (*order_)(in_pass_++);
    case Distribution::Kind::Zipf: return (*order_)(zipf_->rank(places_) - 1);
    case Distribution::Kind::Pareto: {
      const double power = core::portable_log(law_parameter_) / core::portable_log(1 - law_parameter_);
      const double share = core::portable_exp(power * core::portable_log(places_.uniform()));
      const auto rank = static_cast<std::uint64_t>(static_cast<double>(region_.places) * share);
      return (*order_)(std::min(rank, region_.places - 1));
    }
    case Distribution::Kind::Zoned: {
      const double share = places_.uniform();
      auto zone = std::find_if(zones_.begin(), zones_.end(), [share](const PlacedZone& z) { return share <= z.share_until; });
      return zone->first + places_.below(zone->places);
    }
  }
  return 0;
}

bool JobProducer::next(Request& request, core::Picoseconds now) {
  if (bytes_left_ == 0) return false;
  request.issued = issue_time(now);
  if (request.issued >= end_ || request.issued == core::kNoDeadline) return false;
  const bool write = share_of_reads_ < 1 && (share_of_reads_ == 0 || kinds_.uniform() > share_of_reads_);
  const std::size_t way = write ? kOfWrites : kOfReads;
  const std::uint64_t blocks = blocks_of_next(write);
  std::uint64_t at = 0;
  if (is_random_) {
    at = random_place() * region_.align;
  } else {
    if (at_[way] + blocks > region_.blocks) at_[way] = 0;
    at = at_[way];
    at_[way] += blocks;
  }
  request.address = (region_.first + at) * target_.block_bytes;
  request.length = static_cast<std::uint32_t>(blocks * target_.block_bytes);
  request.operation = command::read_or_write(write);
  const bool is_urgent = urgent_share_[way] > 0 && priorities_.uniform() <= urgent_share_[way];
  const Urgency& urgency = is_urgent ? urgent_ : usual_;
  request.cls = urgency.cls;
  request.deadline = core::later_by(request.issued, urgency.deadline);
  request.duration = urgency.duration;
  request.high_priority = urgency.high_priority;
  request.stream = urgency.cls == core::RequestClass::Continuous ? stream_ : 0;
  request.job = number_;
  bytes_left_ -= std::min<std::uint64_t>(bytes_left_, request.length);
  ++issued_;
  return true;
}

}  // namespace platter::workload
