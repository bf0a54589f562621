// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/core/nearest.h"
#include "platter/observe/output_file.h"
#include "platter/observe/statistics.h"
#include "platter/workload/trace_reader.h"
#include "platter/workload/trace_writers.h"

namespace platter::cli {

namespace {

using nlohmann::json;

workload::TraceOptions reading_of(const TraceInputOptions& options) {
  if (options.format != "auto" && workload::find_trace_format(options.format) == nullptr)
    throw core::InputError("--format", 0, 0, workload::unknown_trace_format(options.format));
  if (std::isnan(options.spread_s)) throw core::InputError("--spread", 0, 0, "found no number, expected a number of seconds");
  workload::TraceOptions reading;
  reading.format = options.format;
  reading.device = options.device;
  reading.action = options.action.front();
  reading.time_unit = options.time_unit;
  reading.address_unit_bytes = options.lba_bytes;
  if (options.sort_window >= 0) reading.sort_window = static_cast<std::uint32_t>(options.sort_window);
  reading.last_line = workload::last_line_of(options.last_line);
  reading.skip_empty = options.skip_empty;
  reading.spread_ps = core::to_picoseconds(options.spread_s, core::kPicosecondsPerSecond);
  return reading;
}

constexpr std::array<std::pair<const char*, double>, 5> kPercentiles{
    {{"p50_ms", 50}, {"p90_ms", 90}, {"p95_ms", 95}, {"p99_ms", 99}, {"p99_9_ms", 99.9}}};

json to_json(const observe::Samples& responses) {
  if (responses.count() == 0) return nullptr;
  json out = {{"count", responses.count()}, {"mean_ms", *responses.mean_ms()}, {"max_ms", *responses.max_ms()}};
  for (const auto& [name, p] : kPercentiles) out[name] = *responses.percentile_ms(p);
  return out;
}

void print_json(const workload::TraceSummary& t, const observe::Samples& responses) {
  json sizes = json::object();
  for (const auto& [size, count] : t.size_histogram) sizes[std::to_string(size)] = count;
  fmt::print("{}\n", json({{"format", t.format},
                           {"records", t.records},
                           {"reads", t.reads},
                           {"writes", t.writes},
                           {"span_s", static_cast<double>(t.span_ps) * 1e-12},
                           {"rate_per_s", t.rate_per_s},
                           {"read_bytes", t.read_bytes},
                           {"written_bytes", t.written_bytes},
                           {"min_bytes", t.min_bytes},
                           {"mean_bytes", t.mean_bytes},
                           {"max_bytes", t.max_bytes},
                           {"sizes_from_bytes", sizes},
                           {"largest_end_bytes", t.largest_end_bytes},
                           {"unaligned", t.unaligned},
                           {"sequential_share", t.sequential_share},
                           {"lines", t.counts.lines},
                           {"flushes", t.counts.flushes},
                           {"discards", t.counts.discards},
                           {"empty", t.counts.empty},
                           {"ignored", t.counts.ignored},
                           {"cut_short", t.counts.cut_short},
                           {"out_of_order", t.counts.out_of_order},
                           {"devices", t.counts.devices},
                           {"recorded_response", to_json(responses)}})
                         .dump(2, ' ', false, json::error_handler_t::replace));
}

void print_text(const std::string& file, const workload::TraceSummary& t, const observe::Samples& responses) {
  fmt::print("{}: {}, {} {}\n", file, t.format, t.counts.lines, t.binary ? "records" : "lines");
  fmt::print("requests         {} ({} reads, {} writes; {} flushes and {} discards left out)\n", t.records, t.reads, t.writes,
             t.counts.flushes, t.counts.discards);
  if (t.counts.empty > 0) fmt::print("left out         {} requests of size 0\n", t.counts.empty);
  if (t.counts.ignored > 0) fmt::print("left out         {} requests that the format's rules ignore\n", t.counts.ignored);
  if (t.counts.cut_short > 0) fmt::print("left out         the last line, which has no end of line\n");
  fmt::print("span             {:.6f} s, {:.2f} requests/s\n", static_cast<double>(t.span_ps) * 1e-12, t.rate_per_s);
  fmt::print("bytes            {} read, {} written\n", t.read_bytes, t.written_bytes);
  fmt::print("size             {} to {} bytes, mean {:.1f}\n", t.min_bytes, t.max_bytes, t.mean_bytes);
  fmt::print("largest address  byte {} ({:.3f} GB)\n", t.largest_end_bytes, static_cast<double>(t.largest_end_bytes) * 1e-9);
  fmt::print("sequential       {:.1f} %\n", t.sequential_share * 100);
  if (t.unaligned > 0) fmt::print("unaligned        {} requests that are not whole sectors of 512 bytes\n", t.unaligned);
  if (t.counts.out_of_order > 0) fmt::print("out of order     {} requests, sorted by time\n", t.counts.out_of_order);
  if (responses.count() > 0)
    fmt::print(
        "response time    recorded: mean {:.3f} ms, p50 {:.3f}, p90 {:.3f}, p99 {:.3f}, p99.9 {:.3f}, max {:.3f} ({} "
        "requests)\n",
        *responses.mean_ms(), *responses.percentile_ms(50), *responses.percentile_ms(90), *responses.percentile_ms(99),
        *responses.percentile_ms(99.9), *responses.max_ms(), responses.count());
  fmt::print("sizes from       ");
  for (const auto& [size, count] : t.size_histogram) fmt::print("{}: {}  ", size, count);
  fmt::print("\n");
  if (t.counts.devices.size() > 1) {
    fmt::print("devices          ");
    for (const auto& [device, count] : t.counts.devices) fmt::print("{}: {}  ", device, count);
    fmt::print("\n");
  }
}

}  // namespace

int trace_info(const TraceInfoOptions& options) {
  workload::TraceOptions reading = reading_of(options);
  if (reading.device.empty()) reading.device = "*";  // the devices are listed
  observe::Samples responses;
  const workload::TraceSummary t =
      workload::summarize_trace(options.file, reading, [&responses](const workload::TraceRecord& record) {
        if (record.response_ps >= 0) responses.add(record.response_ps);
      });
  if (options.json)
    print_json(t, responses);
  else
    print_text(options.file, t, responses);
  return kGood;
}

int trace_convert(const TraceConvertOptions& options) {
  const workload::TraceOutputFormat* format = workload::find_trace_output_format(options.to);
  if (format == nullptr) {
    std::vector<std::string_view> names;
    std::string all;
    for (const workload::TraceOutputFormat& row : workload::trace_output_formats()) {
      names.push_back(row.name);
      all += fmt::format("{}{}", all.empty() ? "" : ", ", row.name);
    }
    throw core::InputError("--to", 0, 0,
                           fmt::format("there is no output format \"{}\"{}; expected one of {}", options.to,
                                       core::did_you_mean(options.to, names), all));
  }
  if (options.name.empty() || options.name.find_first_of(" \t\r\n,") != std::string::npos)
    throw core::InputError("--name", 0, 0,
                           fmt::format("found \"{}\", expected a name without blanks and commas", options.name));
  workload::TraceOptions reading = reading_of(options);
  reading.capacity_bytes = options.capacity_bytes;
  reading.span_bytes = options.span_bytes;
  reading.past_end = workload::past_end_of(options.past_end);
  workload::TraceReader reader(options.file, reading);
  observe::OutputFile file(options.output);
  const auto writer = format->create({options.file, options.name}, [&file](std::string_view bytes) { file.write(bytes); });
  workload::TraceRecord record;
  while (reader.next(record)) writer->write(record);
  writer->finish();
  file.commit();
  const workload::TraceCounts& counts = reader.counts();
  const auto note = [](std::uint64_t number, const char* what) {
    if (number > 0) fmt::print(stderr, "{} requests {}\n", number, what);
  };
  note(counts.out_of_order, "out of order, sorted");
  note(counts.wrapped, "moved into the drive");
  note(counts.clipped, "cut at the drive's end");
  note(counts.dropped, "left out, past the drive's end");
  note(counts.flushes, "left out: flushes");
  note(counts.discards, "left out: discards");
  note(counts.empty, "left out: of size 0");
  note(counts.ignored, "left out, as the format's rules ignore them");
  note(counts.cut_short, "left out: the last line, which has no end of line");
  return kGood;
}

}  // namespace platter::cli
