// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/parameters.h"

#include <fmt/format.h>

#include "platter/command/duration.h"
#include "platter/workload/run_parameters.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {

using params::at;
using params::OneOf;
using params::Range;

const params::Table<RunParameters>& run_parameters() {
  using P = RunParameters;
  static const params::Table<P> table = {
      {"sim.seed", "", "seed of all random streams of the run", at(&P::seed), Range{0, 9.2e18}},
      {"sim.warmup_s", "s", "simulated time before the measured time", at(&P::warmup_s), Range{0, 1e6}},
      {"sim.measure_s", "s",
       "measured time in simulated seconds, at least 1 us; 0, which is the default with a trace: until the requests of the "
       "trace, and of the jobs that end, have ended",
       at(&P::measure_s), Range{0, kLongestMeasured_s}},
  };
  return table;
}

const params::Table<ContinuousWorkload>& continuous_parameters() {
  using P = ContinuousWorkload;
  static const params::Table<P> table = {
      {"workload.continuous.streams", "", "number of continuous-media streams; each requests its next fragment every round",
       at(&P::streams), Range{0, 10000}},
      {"workload.continuous.round_s", "s", "length of a round, which is also the time from a fragment's issue to its deadline",
       at(&P::round_s), Range{1e-3, 3600}},
      {"workload.continuous.size", "",
       "size of a fragment: the frames of the stream's table in a round, or a gamma-distributed size", at(&P::size),
       OneOf{{"tables", "gamma"}}},
      {"workload.continuous.tables", "", "frame-size tables; stream i plays table i modulo the number of tables",
       at(&P::tables)},
      {"workload.continuous.mean_bytes", "bytes", "gamma: mean size, rounded up to whole sectors", at(&P::mean_bytes),
       Range{1, 1e9}},
      {"workload.continuous.deviation_bytes", "bytes", "gamma: standard deviation of the size, not above the mean",
       at(&P::deviation_bytes), Range{0, 1e9}},
      {"workload.continuous.placement", "",
       "random: each fragment lies anywhere; contiguous: the fragments of a stream follow each other", at(&P::placement),
       OneOf{{"random", "contiguous"}}},
      {"workload.continuous.span_bytes", "bytes",
       "random: the drive is divided into spans of this size, such as a cylinder, and each fragment lies within one of them, "
       "chosen at random; 0: anywhere",
       at(&P::span_bytes), Range{0, 1e15}},
  };
  return table;
}

const params::Table<DiscreteWorkload>& discrete_parameters() {
  using P = DiscreteWorkload;
  using G = GeneratedLoad;
  using T = TracedLoad;
  static const params::Table<P> table = {
      {"workload.discrete.source", "", "source of the discrete requests", at(&P::source),
       OneOf{{"none", "poisson", "trace", "closed"}}},
      {"workload.discrete.rate_per_s", "1/s", "poisson: mean arrival rate", at(&P::generated, &G::rate_per_s), Range{0, 1e9}},
      {"workload.discrete.outstanding", "", "closed, or a trace whose pace is closed: number of requests kept outstanding",
       at(&P::generated, &G::outstanding), Range{1, 100000}},
      {"workload.discrete.max_outstanding", "",
       "most discrete requests in the drive at once; the others wait in the host; 0: no limit with source closed or before a "
       "striped array, otherwise the tags of all drives (`drive.queue.depth` each) less the number of streams, at least 1",
       at(&P::max_outstanding), Range{0, 100000}},
      {"workload.discrete.read_fraction", "", "share of reads among generated requests", at(&P::generated, &G::read_fraction),
       Range{0, 1}},
      {"workload.discrete.size", "", "size of generated requests: always `mean_bytes`, or normally distributed around it",
       at(&P::generated, &G::size), OneOf{{"fixed", "normal"}}},
      {"workload.discrete.mean_bytes", "bytes", "mean size of generated requests, rounded to whole sectors",
       at(&P::generated, &G::mean_bytes), Range{1, 1e9}},
      {"workload.discrete.deviation_bytes", "bytes", "standard deviation of the size; the smallest size is one sector",
       at(&P::generated, &G::deviation_bytes), Range{0, 1e9}},
      {"workload.discrete.deadline_ms", "ms", "time from a generated request's issue to its deadline; 0: no deadline",
       at(&P::generated, &G::deadline_ms), Range{0, 1e9}},
      {"workload.discrete.duration_limit", "",
       "number of the drive's duration descriptor that generated requests name, of reads or of writes; 0: none",
       at(&P::generated, &G::duration_limit), Range{0, command::DurationTable::kDescriptors}},
      {"workload.discrete.align_bytes", "bytes", "generated requests begin at multiples of this; 0: at any sector",
       at(&P::generated, &G::align_bytes), Range{0, 1e9}},
      {"workload.discrete.span_bytes", "bytes",
       "the drive is divided into spans of this size, such as a cylinder, and each generated request lies within one of them, "
       "chosen at random; 0: anywhere",
       at(&P::generated, &G::span_bytes), Range{0, 1e15}},
      {"workload.discrete.trace", "",
       "trace: its file, NAME for the files NAME.blktrace.0, NAME.blktrace.1 and so on, or - for the standard input",
       at(&P::trace, &T::file)},
      {"workload.discrete.trace_format", "", "format of the trace: one of `platter list trace-formats`, or auto",
       at(&P::trace, &T::format)},
      {"workload.discrete.trace_device", "",
       "device whose requests are used; `*`: all devices; empty: the trace must have one device only",
       at(&P::trace, &T::device)},
      {"workload.discrete.trace_action", "",
       "blktrace, blkparse, ftrace: event that counts as a request, which is queued (Q), issued to the drive (D) or completed "
       "(C)",
       at(&P::trace, &T::action), OneOf{{"queued", "issued", "completed"}}},
      {"workload.discrete.trace_time_unit", "", "unit of the trace's times; format: the usual unit of its format",
       at(&P::trace, &T::time_unit), OneOf{{"format", "s", "ms", "us", "100ns", "ns", "ps"}}},
      {"workload.discrete.trace_lba_bytes", "bytes",
       "unit of the trace's addresses, and of its sizes if its format uses one unit for both; 0: the usual unit of its format",
       at(&P::trace, &T::lba_bytes), Range{0, 1e9}},
      {"workload.discrete.trace_sort_window", "",
       "requests of the trace that are held back to sort them by time; 0: none; -1: as many as its format is known to need",
       at(&P::trace, &T::sort_window), Range{-1, TraceOptions::kMaxSorted}},
      {"workload.discrete.trace_spread_s", "s",
       "requests with equal times are spread evenly over this time, but not beyond the next later time; 0: no spreading",
       at(&P::trace, &T::spread_s), Range{0, 1e6}},
      {"workload.discrete.trace_last_line", "",
       "last line of a text without an end of line, which may be cut short: stop with an error, read it as it is, or leave it "
       "out",
       at(&P::trace, &T::last_line), OneOf{{"error", "keep", "drop"}}},
      {"workload.discrete.trace_skip_empty", "", "requests of size 0 are left out of the trace; otherwise they are an error",
       at(&P::trace, &T::skip_empty)},
      {"workload.discrete.past_end", "",
       "a trace's request past the drive's end: stop with an error, wrap its address, or cut it; scale: stretch or shrink all "
       "addresses to the drive",
       at(&P::trace, &T::past_end), OneOf{{"error", "wrap", "clip", "scale"}}},
      {"workload.discrete.trace_span_bytes", "bytes",
       "scale: end of the trace's addresses, which becomes the end of the drive; 0: the largest end of a request, for which "
       "the trace is read twice",
       at(&P::trace, &T::span_bytes), Range{0, 9.2e18}},
      {"workload.discrete.trace_speed", "", "factor by which the arrival times of the trace are divided",
       at(&P::trace, &T::speed), Range{1e-6, 1e9}},
      {"workload.pace", "",
       "of a trace; open: requests arrive at their times; closed: `workload.discrete.outstanding` requests are kept "
       "outstanding, and the times have no effect",
       at(&P::trace, &T::pace), OneOf{{"open", "closed"}}},
      {"workload.thinktime_us", "us",
       "closed pace: time between the completion of a request and the issue of the next one in its place",
       at(&P::trace, &T::thinktime_us), Range{0, 1e12}},
  };
  return table;
}

TraceOptions trace_options(const TracedLoad& trace) {
  TraceOptions options;
  options.format = trace.format;
  options.device = trace.device;
  options.past_end = past_end_of(trace.past_end);
  options.span_bytes = static_cast<std::uint64_t>(trace.span_bytes);
  options.action = trace.action == "issued" ? 'D' : trace.action == "completed" ? 'C' : 'Q';
  if (trace.time_unit != "format") options.time_unit = trace.time_unit;
  options.address_unit_bytes = static_cast<std::uint64_t>(trace.lba_bytes);
  if (trace.sort_window >= 0) options.sort_window = static_cast<std::uint32_t>(trace.sort_window);
  options.last_line = last_line_of(trace.last_line);
  options.skip_empty = trace.skip_empty;
  options.spread_ps = core::to_picoseconds(trace.spread_s, core::kPicosecondsPerSecond);
  return options;
}

namespace {

constexpr double kMinRate = 1 / kLongestMean_s;

void check_span(const char* key, std::int64_t bytes, std::uint32_t sector_bytes, params::Findings& findings) {
  if (bytes % sector_bytes != 0)
    findings.add(key, fmt::format("found {}, expected whole sectors of {} bytes", bytes, sector_bytes));
}

}  // namespace

void check(const ContinuousWorkload& w, std::uint32_t sector_bytes, params::Findings& findings) {
  if (w.streams > 0 && w.size == "tables" && w.tables.empty())
    findings.add("workload.continuous.tables", "is missing: continuous streams need at least one frame-size table",
                 "workload.continuous.streams");
  if (w.size == "gamma" && w.deviation_bytes > w.mean_bytes)
    findings.add("workload.continuous.deviation_bytes", "expected no more than workload.continuous.mean_bytes");
  check_span("workload.continuous.span_bytes", w.span_bytes, sector_bytes, findings);
}

void check(const DiscreteWorkload& w, std::uint32_t sector_bytes, params::Findings& findings) {
  const GeneratedLoad& generated = w.generated;
  if (generated.align_bytes % sector_bytes != 0)
    findings.add("workload.discrete.align_bytes",
                 fmt::format("found {}, expected a multiple of the sector's {} bytes", generated.align_bytes, sector_bytes));
  if (generated.align_bytes > 0 && generated.span_bytes % generated.align_bytes != 0)
    findings.add("workload.discrete.align_bytes",
                 fmt::format("found {}, expected a divisor of workload.discrete.span_bytes, which is {}", generated.align_bytes,
                             generated.span_bytes));
  if (w.trace.format != "auto" && find_trace_format(w.trace.format) == nullptr)
    findings.add("workload.discrete.trace_format", unknown_trace_format(w.trace.format));
  check_span("workload.discrete.span_bytes", generated.span_bytes, sector_bytes, findings);
  if (w.trace.pace == "closed" && w.source != "trace")
    findings.add("workload.pace",
                 fmt::format("found closed, expected workload.discrete.source = \"trace\", which is \"{}\"", w.source));
  if (w.source == "trace" && w.trace.file.empty())
    findings.add("workload.discrete.trace", "is missing: the trace file", "workload.discrete.source");
  if (w.source == "poisson" && generated.rate_per_s <= 0)
    findings.add("workload.discrete.rate_per_s", "is missing: a rate above 0 for Poisson arrivals", "workload.discrete.source");
  else if (w.source == "poisson" && generated.rate_per_s < kMinRate)
    findings.add(
        "workload.discrete.rate_per_s",
        fmt::format("found {:g}, expected at least {:g} 1/s, so that the time between two arrivals fits into simulated time",
                    generated.rate_per_s, kMinRate));
}

}  // namespace platter::workload
