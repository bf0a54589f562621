// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "platter/core/random.h"
#include "platter/workload/request.h"
#include "platter/workload/stream_table.h"
#include "platter/workload/trace_reader.h"

namespace platter::workload {

/// The disk that a generator addresses.
struct Target {
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 512;
};

/// Where a random request may lie.
struct Placement {
  std::uint64_t span_blocks = 0;   ///< within one span of this many blocks, counted from the drive's start; 0: anywhere
  std::uint64_t align_blocks = 1;  ///< it begins at a multiple of this, counted from its span's start
};

/// Random requests: uniform over the drive, sizes fixed or normal (at least one sector), with Poisson arrivals (rate > 0) or as a closed
/// loop (depth > 0).
class RandomProducer : public ProducerIf {
 public:
  struct Options {
    double rate_per_s = 0;
    std::uint32_t closed_depth = 0;
    double read_fraction = 1;
    double mean_bytes = 4096;
    double deviation_bytes = 0;
    core::Picoseconds deadline = core::kNoDeadline;  ///< relative to the time of issue
    std::uint8_t duration = 0;                       ///< number of a duration descriptor of the drive; 0: none
    Placement placement;
    std::uint64_t seed = 1;
  };
  RandomProducer(const Target& target, const Options& options);

  bool next(Request& request, core::Picoseconds now) override;
  std::uint32_t closed_depth() const override { return options_.closed_depth; }

 private:
  Target target_;
  Options options_;
  core::RandomStream arrivals_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  core::RandomStream kinds_;
  double time_s_ = 0;
};

/// Continuous-media streams in rounds (Balafoutis et al., section 1.2). At the start of round k every stream requests the bytes that its
/// table holds for that round, or a random number of bytes. They must arrive before the round ends. A round without bytes makes no request.
class RoundsProducer : public ProducerIf {
 public:
  struct Options {
    std::uint32_t streams = 0;
    core::Picoseconds round = core::kPicosecondsPerSecond;
    bool contiguous = false;  ///< a stream's fragments follow each other; otherwise each has a random place
    Placement placement;
    double mean_bytes = 0;       ///< without tables: sizes are gamma-distributed
    double deviation_bytes = 0;  ///< not above the mean
    std::uint64_t seed = 1;
  };
  /// Stream i plays table i modulo the number of tables, from a random position on.
  RoundsProducer(const Target& target, const Options& options, std::vector<StreamTable> tables);

  bool next(Request& request, core::Picoseconds now) override;

 private:
  struct Stream {
    const StreamTable* table;  ///< null: random sizes
    std::int64_t start_us;
    std::uint64_t next_block;
  };

  std::uint64_t bytes_of(const Stream& stream);

  Target target_;
  Options options_;
  std::vector<StreamTable> tables_;
  std::vector<Stream> streams_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  std::int64_t round_ = 0;
  std::uint32_t stream_ = 0;
};

/// The requests of a trace that were not issued before the end of a run.
struct TraceRest {
  std::uint64_t requests = 0;
  bool all = true;  ///< false: there may be more of them
};

/// A recorded trace. Open: its arrival times divided by `speed`. Closed: a number of requests outstanding, in the trace's order. Errors of the reader
/// name file and line.
class TraceProducer : public ProducerIf {
 public:
  struct Pace {
    double speed = 1;
    std::uint32_t closed_depth = 0;  ///< 0: open
    core::Picoseconds think = 0;     ///< closed: from a completion to the issue of the request in its place
  };
  TraceProducer(const std::filesystem::path& file, const TraceOptions& options, const Target& target, const Pace& pace);

  bool next(Request& request, core::Picoseconds now) override;
  std::uint32_t closed_depth() const override { return pace_.closed_depth; }
  void dropped() override { ++dropped_; }
  /// Requests that were issued: those of next(), without the dropped ones.
  std::uint64_t issued() const { return given_ - dropped_; }
  /// Counts the trace's requests that were not issued, up to `most`: the dropped ones, and those that follow in the file. It reads these to count
  /// them, except from a pipe. No other function may be called afterwards.
  TraceRest rest(std::uint64_t most);
  /// Of the lines read so far.
  const TraceCounts& counts() const { return reader_.counts(); }
  /// Whether the trace's format records response times.
  bool records_responses() const { return reader_.format().responses; }

 private:
  /// The time of the request in an open replay.
  core::Picoseconds arrival(const TraceRecord& record) const;

  TraceReader reader_;
  std::string file_;
  Target target_;
  Pace pace_;
  std::uint64_t given_ = 0;
  std::uint64_t dropped_ = 0;
  bool ended_ = false;  ///< the file has no further request
};

}  // namespace platter::workload
