// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/workload/trace_record.h"

namespace platter::workload {

struct ContinuousWorkload {
  std::int64_t streams = 0;
  double round_s = 1.0;
  std::string size = "tables";
  std::vector<params::FileName> tables;
  std::int64_t mean_bytes = 200'000;
  std::int64_t deviation_bytes = 0;
  std::string placement = "random";
  std::int64_t span_bytes = 0;
};

/// Requests of a generator.
struct GeneratedLoad {
  double rate_per_s = 0;
  std::int64_t outstanding = 1;
  double read_fraction = 1.0;
  std::string size = "fixed";
  std::int64_t mean_bytes = 4096;
  std::int64_t deviation_bytes = 0;
  double deadline_ms = 0;
  std::uint32_t duration_limit = 0;
  std::int64_t align_bytes = 0;
  std::int64_t span_bytes = 0;
};

/// Requests of a trace, and how the trace is read.
struct TracedLoad {
  params::FileName file{{}, {}, ".blktrace.0", true};
  std::string format = "auto";
  std::string device;
  std::string action = "queued";
  std::string time_unit = "format";
  std::int64_t lba_bytes = 0;
  std::int64_t sort_window = -1;
  double spread_s = 0;
  std::string last_line = "error";
  bool skip_empty = false;
  std::int64_t span_bytes = 0;
  std::string past_end = "error";
  double speed = 1.0;
  std::string pace = "open";
  double thinktime_us = 0;
};

/// Discrete requests come from one source. The parameters of the other sources have no effect.
struct DiscreteWorkload {
  std::string source = "none";
  std::int64_t max_outstanding = 0;
  GeneratedLoad generated;
  TracedLoad trace;

  /// Number of requests that are kept outstanding; 0: requests arrive at times of their own.
  std::uint32_t keeps_outstanding() const {
    const bool closed = source == "closed" || (source == "trace" && trace.pace == "closed");
    return closed ? static_cast<std::uint32_t>(generated.outstanding) : 0;
  }
};

/// How the trace is to be read; the caller sets capacity and sector size.
TraceOptions trace_options(const TracedLoad& trace);

/// Simulated time ends at 2^63 ps, which is 9.2e6 s. A run ends within 2e6 s (kLongestMeasured_s), and the random draw that passes the end of the run adds less
/// than 54 means.
inline constexpr double kLongestMean_s = 1e5;

/// Keys `workload.continuous.*` and `workload.discrete.*`.
const params::Table<ContinuousWorkload>& continuous_parameters();
const params::Table<DiscreteWorkload>& discrete_parameters();
/// `sector_bytes`: sector size of the drive or array that gets the load.
void check(const ContinuousWorkload& workload, std::uint32_t sector_bytes, params::Findings& findings);
void check(const DiscreteWorkload& workload, std::uint32_t sector_bytes, params::Findings& findings);

}  // namespace platter::workload
