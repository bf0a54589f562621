// SPDX-License-Identifier: Apache-2.0
// The binary recording of Linux's blktrace: events of 48 bytes (blktrace_event.h), each with a text or a cgroup behind it where its length says
// so. blktrace writes a file for each processor, which TraceReader merges by time.
//
// Events of one action are requests (Q: queued, by default); events of other actions are counted, and so are commands that do not come from
// the block layer. Messages (names of processes, the time of day) are no requests. Flushes without data and discards are counted, not delivered.
#include <fmt/format.h>

#include "platter/workload/blktrace_event.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

/// Of an action, as blkparse prints it; 0: it prints none.
char letter_of(std::uint32_t action) {
  constexpr std::string_view kLetters = " QMFGSRDCPUTIXBA";
  return action > 0 && action < kLetters.size() ? kLetters[action] : '\0';
}

class BlktraceParser : public TraceParserIf {
 public:
  BlktraceParser(char action, const TraceUnits& units)
      : action_(action == 'D'   ? BlktraceEvent::kIssue
                : action == 'C' ? BlktraceEvent::kComplete
                                : BlktraceEvent::kQueue),
        units_(units) {}

  std::size_t head_bytes() const override { return BlktraceEvent::kBytes; }

  std::size_t record_bytes(const SourceLine& head) override {
    event_ = decode_blktrace(head.text);
    if (event_.magic != BlktraceEvent::kMagic)
      head.fail(0, fmt::format("an event begins with {:#010x}, expected {:#010x} (blktrace, version 7, little-endian)",
                               event_.magic, BlktraceEvent::kMagic));
    return BlktraceEvent::kBytes + event_.extra;
  }

  LineKind parse(const SourceLine& record, ParsedRequest& request) override {
    const std::uint32_t categories = event_.categories();
    if ((categories & BlktraceEvent::kNotify) != 0) return LineKind::OtherLine;
    if (event_.what() != action_ || (categories & BlktraceEvent::kPassThrough) != 0) {
      if (event_.what() != action_) request.action = letter_of(event_.what());
      return LineKind::OtherAction;
    }
    if ((categories & BlktraceEvent::kDiscard) != 0) return LineKind::Discard;
    if (event_.bytes == 0) return LineKind::Flush;
    if (device_.empty() || event_.device != named_) {
      named_ = event_.device;
      device_ = fmt::format("{},{}", named_ >> 20, named_ & 0xFFFFFu);
    }
    request.time = static_cast<TraceTime>(event_.time_ns) * static_cast<TraceTime>(units_.time.ps);
    request.offset_bytes = scaled(record, {}, event_.sector, units_.address_bytes, "sector");
    request.length_bytes = event_.bytes * units_.size_bytes;
    request.write = (categories & BlktraceEvent::kWrite) != 0;
    request.device = device_;
    return LineKind::Request;
  }

 private:
  std::uint32_t action_;
  TraceUnits units_;
  BlktraceEvent event_;
  std::uint32_t named_ = 0;
  std::string device_;  ///< name of device `named_`
};

}  // namespace

// Of any version, and of either order of bytes: the parser says which it expects.
bool detect_blktrace(const TraceHead& head) {
  constexpr std::string_view kLittleEndian = "tae";
  constexpr std::string_view kBigEndian = "eat";
  return head.bytes.size() >= sizeof BlktraceEvent::kMagic &&
         (head.bytes.substr(1, 3) == kLittleEndian || (head.bytes.substr(0, 3) == kBigEndian && head.bytes[3] < ' '));
}

std::unique_ptr<TraceParserIf> read_blktrace(const TraceOptions& options, const TraceUnits& units) {
  return std::make_unique<BlktraceParser>(options.action, units);
}

}  // namespace platter::workload
