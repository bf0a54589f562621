// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "platter/core/error.h"
#include "platter/workload/blktrace_event.h"
#include "platter/workload/trace_units.h"

namespace platter::workload {
namespace {

/// Collects what it gets, so that the sink gets large pieces.
class BufferedWriter : public TraceWriterIf {
 public:
  void finish() override { flush(); }

 protected:
  BufferedWriter(const TraceTarget& target, ByteSink sink) : target_(target), sink_(std::move(sink)) {}

  template <typename... Values>
  void print(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), form, std::forward<Values>(values)...);
    if (buffer_.size() >= kPiece) flush();
  }
  void put(std::string_view bytes) {
    buffer_.append(bytes);
    if (buffer_.size() >= kPiece) flush();
  }
  void flush() {
    sink_({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  /// Fails unless the request is of whole sectors.
  void check_sectors(const TraceRecord& record) const {
    if (record.offset_bytes % kTraceSectorBytes != 0 || record.length_bytes % kTraceSectorBytes != 0)
      throw core::InputError(
          target_.input, record.line, 0,
          fmt::format("found a request of {} bytes at byte {}, expected whole sectors of {} bytes, as the format requires",
                      record.length_bytes, record.offset_bytes, kTraceSectorBytes));
  }

  TraceTarget target_;

 private:
  static constexpr std::size_t kPiece = std::size_t{64} * 1024;
  ByteSink sink_;
  fmt::memory_buffer buffer_;
};

class FioIologWriter : public BufferedWriter {
 public:
  FioIologWriter(const TraceTarget& target, ByteSink sink) : BufferedWriter(target, std::move(sink)) {
    print("fio version 3 iolog\n0 {0} add\n0 {0} open\n", target_.name);
  }
  void write(const TraceRecord& record) override {
    last_us_ = record.time_ps / core::kPicosecondsPerMicrosecond;
    print("{} {} {} {} {}\n", last_us_, target_.name, record.write ? "write" : "read", record.offset_bytes,
          record.length_bytes);
  }
  void finish() override {
    print("{} {} close\n", last_us_, target_.name);
    flush();
  }

 private:
  std::int64_t last_us_ = 0;
};

class DiskSimAsciiWriter : public BufferedWriter {
 public:
  DiskSimAsciiWriter(const TraceTarget& target, ByteSink sink) : BufferedWriter(target, std::move(sink)) {}
  void write(const TraceRecord& record) override {
    check_sectors(record);
    constexpr auto kUnit = core::kPicosecondsPerMillisecond;
    print("{}.{:09} 0 {} {} {}\n", record.time_ps / kUnit, record.time_ps % kUnit, record.offset_bytes / kTraceSectorBytes,
          record.length_bytes / kTraceSectorBytes, record.write ? 0 : 1);
  }
};

class MsrWriter : public BufferedWriter {
 public:
  MsrWriter(const TraceTarget& target, ByteSink sink) : BufferedWriter(target, std::move(sink)) {}
  void write(const TraceRecord& record) override {
    print("{},{},0,{},{},{},", record.time_ps / kFiletime.ps, target_.name, record.write ? "Write" : "Read",
          record.offset_bytes, record.length_bytes);
    if (record.response_ps >= 0)
      print("{}\n", record.response_ps / kFiletime.ps);
    else
      put("\n");
  }
};

/// A request is queued and issued when it arrives. It completes after its recorded response time, if there is one.
class BlktraceWriter : public BufferedWriter {
 public:
  BlktraceWriter(const TraceTarget& target, ByteSink sink) : BufferedWriter(target, std::move(sink)) {}

  void write(const TraceRecord& record) override {
    check_sectors(record);
    const auto time = static_cast<TraceTime>(record.time_ps);
    for (; !completions_.empty() && completions_.top().time <= time; completions_.pop()) put_event(completions_.top());
    Event event{time,
                number_++,
                record.offset_bytes / kTraceSectorBytes,
                record.length_bytes,
                BlktraceEvent::kQueue,
                record.write ? BlktraceEvent::kWrite : BlktraceEvent::kRead};
    put_event(event);
    event.action = BlktraceEvent::kIssue;
    put_event(event);
    if (record.response_ps < 0) return;
    event.action = BlktraceEvent::kComplete;
    event.time += static_cast<TraceTime>(record.response_ps);
    completions_.push(event);
  }

  void finish() override {
    for (; !completions_.empty(); completions_.pop()) put_event(completions_.top());
    flush();
  }

 private:
  struct Event {
    TraceTime time;
    std::uint64_t order;  ///< of those at the same time
    std::uint64_t sector;
    std::uint32_t bytes;
    std::uint32_t action;
    std::uint32_t category;
    friend bool operator>(const Event& a, const Event& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  };

  void put_event(const Event& event) {
    const std::uint32_t phase = event.action == BlktraceEvent::kQueue   ? BlktraceEvent::kQueued
                                : event.action == BlktraceEvent::kIssue ? BlktraceEvent::kIssued
                                                                        : BlktraceEvent::kCompleted;
    BlktraceEvent out;
    out.sequence = ++written_;
    out.time_ns = static_cast<std::uint64_t>(event.time / static_cast<TraceTime>(core::kPicosecondsPerNanosecond));
    out.sector = event.sector;
    out.bytes = event.bytes;
    out.action = event.action | (event.category | phase) << 16;
    out.process = 1;
    out.device = 8u << 20;
    const auto bytes = encode_blktrace(out);
    put({bytes.data(), bytes.size()});
  }

  std::priority_queue<Event, std::vector<Event>, std::greater<>> completions_;
  std::uint64_t number_ = 0;
  std::uint32_t written_ = 0;
};

template <typename Writer>
std::unique_ptr<TraceWriterIf> make_writer(const TraceTarget& target, ByteSink sink) {
  return std::make_unique<Writer>(target, std::move(sink));
}

}  // namespace

const std::vector<TraceOutputFormat>& trace_output_formats() {
  static const std::vector<TraceOutputFormat> kFormats = {
      {"fio-iolog", "version 3; whole microseconds", make_writer<FioIologWriter>},
      {"disksim-ascii", "whole sectors of 512 bytes, exact times", make_writer<DiskSimAsciiWriter>},
      {"blktrace", "whole sectors of 512 bytes, whole nanoseconds; Q and D at the arrival, C after the recorded response time",
       make_writer<BlktraceWriter>},
      {"msr", "CSV; units of 100 ns, recorded response times, empty where there are none", make_writer<MsrWriter>},
  };
  return kFormats;
}

const TraceOutputFormat* find_trace_output_format(std::string_view name) {
  const auto& formats = trace_output_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const TraceOutputFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace platter::workload
