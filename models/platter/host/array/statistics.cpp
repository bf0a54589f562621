// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/statistics.h"

#include "platter/core/sc_time.h"

namespace platter::host::array {

namespace {

const params::Statistics<ArrayCounters>& class_rows() {
  using C = ArrayCounters;
  static const auto rows =
      params::Statistics<C>()
          .value("completed", "", "requests that completed", "count", [](const C& c) { return c.completed; })
          .value("failed", "", "requests that failed", "count", [](const C& c) { return c.failed; })
          .value("cache_hits", "", "reads that needed neither a drive nor a stream buffer", "count",
                 [](const C& c) { return c.cache_hits; }, {"cache hits"})
          .value("redirected", "", "read commands that were repeated on the other copy because their drive had failed", "count",
                 [](const C& c) { return c.redirected; }, {"redirected"})
          .value("host_queue_ms", "ms", "part of a completed request's response time until its last command had a tag", "mean",
                 [](const C& c) { return params::mean(core::to_milliseconds(c.host_queue), c.completed); }, {"host queue", 3});
  return rows;
}

const params::Statistics<ArrayErrors>& array_error_rows() {
  using E = ArrayErrors;
  static const auto rows =
      params::Statistics<E>()
          .value("redirected", "", "reads that were repeated on the other copy, because a sector could not be read", "count",
                 [](const E& e) { return e.redirected; }, {"redirected"})
          .value("unreadable", "", "reads that no copy could answer", "count", [](const E& e) { return e.unreadable; })
          .value("repaired", "", "units, or blocks of an EW-Array, that were written again from another copy", "count",
                 [](const E& e) { return e.repaired; }, {"repaired"})
          .value("lost_sectors", "", "sectors that a rebuild could not read on its source", "count",
                 [](const E& e) { return e.lost_sectors; });
  return rows;
}

/// Counters and memory of a striped array's stream buffers.
struct Buffers {
  const StreamBufferCounters& counters;
  std::uint64_t memory_bytes;
};
const params::Statistics<Buffers>& buffer_rows() {
  using B = Buffers;
  static const auto rows =
      params::Statistics<B>()
          .value("hits", "", "reads found complete in the buffer", "count", [](const B& b) { return b.counters.hits; })
          .value("underruns", "", "reads served from the buffer that had to wait for it", "count",
                 [](const B& b) { return b.counters.underruns; })
          .value("misses", "", "reads of which a part came from a drive", "count", [](const B& b) { return b.counters.misses; })
          .value("fetched_bytes", "bytes", "data fetched into the buffers", "sum",
                 [](const B& b) { return b.counters.fetched_bytes; })
          .value("memory_bytes", "bytes", "memory of all stream buffers", "last", [](const B& b) { return b.memory_bytes; });
  return rows;
}

std::optional<double> fresh_since_s(const Array& array, std::uint32_t drive) {
  const Picoseconds since = array.fresh_since(drive);
  if (since == core::kNoDeadline) return std::nullopt;
  return core::to_milliseconds(since) * 1e-3;
}

using Classes = std::vector<std::pair<std::string_view, ArrayCounters>>;
std::optional<Classes> classes_of(const Array* array) {
  if (array == nullptr) return std::nullopt;
  Classes classes;
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<core::RequestClass>(i);
    if (array->counters(cls).submitted > 0) classes.emplace_back(core::to_string(cls), array->counters(cls));
  }
  if (classes.empty()) return std::nullopt;
  return classes;
}

}  // namespace

const params::Statistics<ArrayResult>& array_rows() {
  using R = ArrayResult;
  static const auto rows =
      params::Statistics<R>()
          .value("utilisation", "", "share of the measured time in which an access ran (no read-ahead), for each drive",
                 "time-weighted mean", [](const R& r) { return r.utilisation; })
          .value("commands", "", "commands that the array sent to each drive", "count", [](const R& r) { return r.commands; })
          .value_if("failures", "", "striped: failures of each drive", "count",
                    [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.failures(drive); }); },
                    {"failures of each drive"})
          .value_if("stale_units", "", "striped: units of each drive that do not hold the newest data at the end of the run",
                    "last",
                    [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.stale_units(drive); }); },
                    {"stale units"})
          .value_if(
              "rebuilt_units", "", "striped: units of each drive that were rebuilt", "count",
              [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.rebuilt_units(drive); }); },
              {"rebuilt units"})
          .value_if("fresh_since_s", "s",
                    "striped: time at which the last stale unit of each drive was rebuilt or written; 0: none was stale; null: "
                    "some are stale",
                    "last", [](const R& r) { return r.each(fresh_since_s); })
          .by_name("classes", "striped: requests of a class, as the array sees them", class_rows(),
                   [](const R& r) { return classes_of(r.striped); })
          .group("errors", "sectors that drives could not read; left out if there were none", array_error_rows(),
                 [](const R& r) { return r.errors.any() ? std::optional(r.errors) : std::nullopt; })
          .group("stream_buffers", "striped: reads that continued the read before them", buffer_rows(), [](const R& r) {
            return r.striped == nullptr
                       ? std::nullopt
                       : std::optional<Buffers>({r.striped->stream_buffer_counters(), r.striped->stream_buffer_bytes()});
          });
  return rows;
}

}  // namespace platter::host::array
