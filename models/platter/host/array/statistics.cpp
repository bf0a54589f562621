// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/statistics.h"

#include "platter/core/sc_time.h"

namespace platter::host::array {

namespace {

const params::Statistics<ArrayCounters>& class_rows() {
  using C = ArrayCounters;
  static const auto rows =
      params::Statistics<C>()
          .value("completed", "", "", "count", [](const C& c) { return c.completed; })
          .value("failed", "", "", "count", [](const C& c) { return c.failed; })
          .value("cache_hits", "", "reads that took no drive, nor a stream's buffer", "count",
                 [](const C& c) { return c.cache_hits; }, {"cache hits"})
          .value("redirected", "", "commands whose reads went on to the other copy, their drive having failed under them",
                 "count", [](const C& c) { return c.redirected; }, {"redirected"})
          .value("host_queue_ms", "ms", "of the response time, until the last command had a tag; of the completed", "mean",
                 [](const C& c) { return params::mean(core::to_milliseconds(c.host_queue), c.completed); }, {"host queue", 3});
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
          .value("hits", "", "all of it was there", "count", [](const B& b) { return b.counters.hits; })
          .value("underruns", "", "all of it came from the buffer, but had to be waited for", "count",
                 [](const B& b) { return b.counters.underruns; })
          .value("misses", "", "some of it was asked of a drive", "count", [](const B& b) { return b.counters.misses; })
          .value("fetched_bytes", "bytes", "", "sum", [](const B& b) { return b.counters.fetched_bytes; })
          .value("memory_bytes", "bytes", "", "last", [](const B& b) { return b.memory_bytes; });
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
          .value("utilisation", "", "share of the measured time in which an access ran, of each drive", "time-weighted mean",
                 [](const R& r) { return r.utilisation; })
          .value("commands", "", "that the array has sent to each drive", "count", [](const R& r) { return r.commands; })
          .value_if("failures", "", "striped: of each drive", "count",
                    [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.failures(drive); }); },
                    {"failures of each drive"})
          .value_if("stale_units", "", "striped, of each drive at the end: not what was written last", "last",
                    [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.stale_units(drive); }); },
                    {"stale units"})
          .value_if(
              "rebuilt_units", "", "striped: of each drive", "count",
              [](const R& r) { return r.each([](const Array& a, std::uint32_t drive) { return a.rebuilt_units(drive); }); },
              {"rebuilt units"})
          .value_if("fresh_since_s", "s",
                    "striped: when the last stale unit of each drive was rebuilt or written; 0: none was stale; null: some are",
                    "last", [](const R& r) { return r.each(fresh_since_s); })
          .by_name("classes", "striped, as the array sees them", class_rows(), [](const R& r) { return classes_of(r.striped); })
          .group("stream_buffers", "striped: reads that went on from the one before", buffer_rows(), [](const R& r) {
            return r.striped == nullptr
                       ? std::nullopt
                       : std::optional<Buffers>({r.striped->stream_buffer_counters(), r.striped->stream_buffer_bytes()});
          });
  return rows;
}

}  // namespace platter::host::array
