// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platter/core/error.h"

namespace platter::workload {

namespace {

std::uint64_t whole_blocks(double bytes, const Target& target) {
  const double blocks = bytes / target.block_bytes + 0.5;
  if (blocks < 1) return 1;
  const std::uint64_t longest = std::numeric_limits<std::uint32_t>::max() / target.block_bytes;  // a length has 32 bits
  return std::min({static_cast<std::uint64_t>(blocks), longest, target.blocks});
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
    request.time = now;
  } else {
    time_s_ += arrivals_.exponential() / options_.rate_per_s;
    request.time = core::to_picoseconds(time_s_, core::kPicosecondsPerSecond);
  }
  double bytes = options_.mean_bytes;
  if (options_.deviation_bytes > 0) bytes += options_.deviation_bytes * sizes_.normal();
  const std::uint64_t blocks = whole_blocks(bytes, target_);
  request.offset = places_.below(target_.blocks - blocks + 1) * target_.block_bytes;
  request.length = static_cast<std::uint32_t>(blocks * target_.block_bytes);
  request.write = options_.read_fraction < 1 && kinds_.uniform() > options_.read_fraction;
  request.cls = core::RequestClass::Discrete;
  request.deadline = core::kNoDeadline;
  request.stream = 0;
  return true;
}

RoundsProducer::RoundsProducer(const Target& target, const Options& options, std::vector<StreamTable> tables)
    : target_(target), options_(options), tables_(std::move(tables)), places_(options.seed, "continuous.places") {
  core::RandomStream starts(options.seed, "continuous.starts");
  for (std::uint32_t i = 0; i < options_.streams; ++i) {
    const StreamTable& table = tables_[i % tables_.size()];
    // Streams of a contiguous placement share the drive evenly.
    streams_.push_back({&table, static_cast<std::int64_t>(starts.below(static_cast<std::uint64_t>(table.duration_us()))),
                        target_.blocks / options_.streams * i});
  }
}

bool RoundsProducer::next(Request& request, core::Picoseconds /*now*/) {
  const std::int64_t round_us = options_.round / core::kPicosecondsPerMicrosecond;
  for (;;) {
    if (stream_ == options_.streams) {
      stream_ = 0;
      ++round_;
    }
    Stream& stream = streams_[stream_];
    const std::uint64_t bytes = stream.table->bytes_in_round(stream.start_us, round_us, round_);
    const std::uint32_t number = stream_++;
    if (bytes == 0) continue;  // no frame falls into this round; every table has bytes, so a later one has some
    const std::uint64_t blocks =
        std::min<std::uint64_t>((bytes + target_.block_bytes - 1) / target_.block_bytes, target_.blocks);
    std::uint64_t first = 0;
    if (options_.contiguous) {
      if (stream.next_block + blocks > target_.blocks) stream.next_block = 0;
      first = stream.next_block;
      stream.next_block += blocks;
    } else {
      first = places_.below(target_.blocks - blocks + 1);
    }
    request.time = round_ * options_.round;
    request.offset = first * target_.block_bytes;
    request.length = static_cast<std::uint32_t>(blocks * target_.block_bytes);
    request.write = false;
    request.cls = core::RequestClass::Continuous;
    request.stream = number;
    request.deadline = request.time + options_.round;
    return true;
  }
}

TraceProducer::TraceProducer(const std::filesystem::path& file, const TraceOptions& options, const Target& target,
                             double speed)
    : reader_(file, options), file_(file.string()), target_(target), speed_(speed) {}

bool TraceProducer::next(Request& request, core::Picoseconds /*now*/) {
  TraceRecord record;
  if (!reader_.next(record)) return false;
  if (record.offset_bytes % target_.block_bytes != 0 || record.length_bytes % target_.block_bytes != 0)
    throw core::InputError(file_, record.line, 0,
                           fmt::format("request of {} bytes at byte {}: expected whole sectors of {} bytes",
                                       record.length_bytes, record.offset_bytes, target_.block_bytes));
  request.time = speed_ == 1.0 ? record.time_ps
                               : static_cast<core::Picoseconds>(static_cast<double>(record.time_ps) / speed_ + 0.5);
  request.offset = record.offset_bytes;
  request.length = record.length_bytes;
  request.write = record.write;
  request.cls = core::RequestClass::Discrete;
  request.deadline = core::kNoDeadline;
  request.stream = 0;
  return true;
}

}  // namespace platter::workload
