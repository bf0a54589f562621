// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platter/core/error.h"

namespace platter::workload {

namespace {

/// Largest number of blocks of a request: a length has 32 bits.
std::uint64_t most_blocks(const Target& target) {
  return std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max() / target.block_bytes, target.blocks);
}

std::uint64_t whole_blocks(double bytes, const Target& target) {
  const double blocks = bytes / target.block_bytes + 0.5;
  if (blocks < 1) return 1;
  return std::min(static_cast<std::uint64_t>(blocks), most_blocks(target));
}

/// Random first block for a request of `blocks` blocks, which is cut to the length of its span.
std::uint64_t random_place(core::RandomStream& random, const Target& target, const Placement& placement,
                           std::uint64_t& blocks) {
  const auto within = [&](std::uint64_t span) {
    return random.below((span - blocks) / placement.align_blocks + 1) * placement.align_blocks;
  };
  if (placement.span_blocks == 0) return within(target.blocks);
  const std::uint64_t span = std::min(placement.span_blocks, target.blocks);
  blocks = std::min(blocks, span);
  const std::uint64_t first = random.below(target.blocks / span) * span;
  return first + within(span);
}

}  // namespace

RandomProducer::RandomProducer(const Target& target, const Options& options)
    : target_(target),
      options_(options),
      arrivals_(options.seed, "discrete.arrivals"),
      places_(options.seed, "discrete.places"),
      sizes_(options.seed, "discrete.sizes"),
      kinds_(options.seed, "discrete.kinds") {}

bool RandomProducer::next(Request& request, core::Picoseconds now) {
  if (options_.closed_depth > 0) {
    request.issued = now;
  } else {
    time_s_ += arrivals_.exponential() / options_.rate_per_s;
    request.issued = core::to_picoseconds(time_s_, core::kPicosecondsPerSecond);
    if (request.issued == core::kNoDeadline) return false;  // past the largest time that can be represented
  }
  double bytes = options_.mean_bytes;
  if (options_.deviation_bytes > 0) bytes += options_.deviation_bytes * sizes_.normal();
  std::uint64_t blocks = whole_blocks(bytes, target_);
  request.address = random_place(places_, target_, options_.placement, blocks) * target_.block_bytes;
  request.length = static_cast<std::uint32_t>(blocks * target_.block_bytes);
  request.operation = command::read_or_write(options_.read_fraction < 1 && kinds_.uniform() > options_.read_fraction);
  request.cls = core::RequestClass::Discrete;
  request.deadline = core::later_by(request.issued, options_.deadline);
  request.duration = options_.duration;
  request.stream = 0;
  return true;
}

RoundsProducer::RoundsProducer(const Target& target, const Options& options, std::vector<StreamTable> tables)
    : target_(target),
      options_(options),
      tables_(std::move(tables)),
      places_(options.seed, "continuous.places"),
      sizes_(options.seed, "continuous.sizes") {
  core::RandomStream starts(options.seed, "continuous.starts");
  for (std::uint32_t i = 0; i < options_.streams; ++i) {
    const StreamTable* table = tables_.empty() ? nullptr : &tables_[i % tables_.size()];
    const std::uint64_t start = table != nullptr ? starts.below(static_cast<std::uint64_t>(table->duration_us())) : 0;
    // Streams of a contiguous placement share the drive evenly.
    streams_.push_back({table, static_cast<std::int64_t>(start), target_.blocks / options_.streams * i});
  }
}

std::uint64_t RoundsProducer::bytes_of(const Stream& stream) {
  if (stream.table != nullptr)
    return stream.table->bytes_in_round(stream.start_us, options_.round / core::kPicosecondsPerMicrosecond, round_);
  if (options_.deviation_bytes <= 0) return static_cast<std::uint64_t>(options_.mean_bytes);
  const double scale = options_.deviation_bytes * options_.deviation_bytes / options_.mean_bytes;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sizes_.gamma(options_.mean_bytes / scale) * scale + 0.5));
}

bool RoundsProducer::next(Request& request, core::Picoseconds /*now*/) {
  for (;;) {
    if (stream_ == options_.streams) {
      stream_ = 0;
      ++round_;
    }
    Stream& stream = streams_[stream_];
    const std::uint64_t bytes = bytes_of(stream);
    const std::uint32_t number = stream_++;
    if (bytes == 0) continue;  // no frame falls into this round; every table has bytes, so a later one has some
    std::uint64_t blocks =
        std::min<std::uint64_t>((bytes + target_.block_bytes - 1) / target_.block_bytes, most_blocks(target_));
    std::uint64_t first = 0;
    if (options_.contiguous) {
      if (stream.next_block + blocks > target_.blocks) stream.next_block = 0;
      first = stream.next_block;
      stream.next_block += blocks;
    } else {
      first = random_place(places_, target_, options_.placement, blocks);
    }
    request.issued = round_ * options_.round;
    request.address = first * target_.block_bytes;
    request.length = static_cast<std::uint32_t>(blocks * target_.block_bytes);
    request.operation = command::read_or_write(false);
    request.cls = core::RequestClass::Continuous;
    request.stream = number;
    request.deadline = request.issued + options_.round;
    return true;
  }
}

TraceProducer::TraceProducer(const std::filesystem::path& file, const TraceOptions& options, const Target& target,
                             const Pace& pace)
    : reader_(file, options), file_(file.string()), target_(target), pace_(pace) {}

TraceRest TraceProducer::rest(std::uint64_t most) {
  TraceRest rest{dropped_, ended_};
  if (ended_ || !ByteSource::rereadable(file_)) return rest;
  try {
    TraceRecord record;
    while (rest.requests < most && reader_.next(record)) ++rest.requests;
    rest.all = rest.requests < most;
  } catch (const core::InputError&) {
    rest.all = false;  // the run did not need what is wrong with the rest
  }
  return rest;
}

core::Picoseconds TraceProducer::arrival(const TraceRecord& record) const {
  const core::Picoseconds time =
      pace_.speed == 1.0 ? record.time_ps : core::to_picoseconds(static_cast<double>(record.time_ps) / pace_.speed, 1);
  if (time == core::kNoDeadline)
    throw core::InputError(file_, record.line, 0,
                           fmt::format("found an arrival after {1:g} s with workload.discrete.trace_speed = {0:g}, expected "
                                       "one within the 106 days that simulated time lasts",
                                       pace_.speed, static_cast<double>(record.time_ps) * 1e-12 / pace_.speed));
  return time;
}

bool TraceProducer::next(Request& request, core::Picoseconds now) {
  TraceRecord record;
  ended_ = !reader_.next(record);
  if (ended_) return false;
  if (record.offset_bytes % target_.block_bytes != 0 || record.length_bytes % target_.block_bytes != 0)
    throw core::InputError(file_, record.line, 0,
                           fmt::format("found a request of {} bytes at byte {}, expected whole sectors of {} bytes",
                                       record.length_bytes, record.offset_bytes, target_.block_bytes));
  request.issued = pace_.closed_depth == 0       ? arrival(record)
                   : given_ < pace_.closed_depth ? now
                                                 : core::later_by(now, pace_.think);
  ++given_;
  request.address = record.offset_bytes;
  request.length = record.length_bytes;
  request.operation = command::read_or_write(record.write);
  request.cls = core::RequestClass::Discrete;
  request.deadline = core::kNoDeadline;
  request.stream = 0;
  request.recorded = record.response_ps;
  return true;
}

}  // namespace platter::workload
