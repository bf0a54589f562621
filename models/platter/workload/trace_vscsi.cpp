// SPDX-License-Identifier: Apache-2.0
// CloudPhysics' traces of virtual SCSI disks: little-endian records, of which the version tells the layout.
//
//   version 1, 32 bytes   u32 number, u32 bytes, u32 segments, u16 opcode, u16 version, u64 block, u64 time
//   version 2, 40 bytes   u16 opcode, u16 version, u32 number, u32 bytes, u32 segments, u64 block, u64 time, u64 response time
//
// The version is in the upper byte of its field. Times are microseconds, blocks of 512 bytes. A file is of one disk. SCSI commands other than
// reads, writes, flushes and discards are counted, and so are reads and writes of no data, which SCSI allows.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platter/workload/blktrace_event.h"
#include "platter/workload/scsi_kind.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::size_t kVscsi1Bytes = 32;
constexpr std::size_t kVscsi2Bytes = 40;

struct VscsiLayout {
  std::size_t bytes;
  std::size_t opcode_at, version_at, size_at, block_at, time_at;
};
constexpr VscsiLayout kVscsi1{kVscsi1Bytes, 12, 14, 4, 16, 24};
constexpr VscsiLayout kVscsi2{kVscsi2Bytes, 0, 2, 8, 16, 24};

/// Whether a file is of this version: its first record says so and is a request, or all of its first records say so.
bool is_vscsi(const VscsiLayout& version, std::string_view bytes, unsigned number) {
  constexpr std::size_t kLooked = 16;
  const std::size_t records = std::min(kLooked, bytes.size() / version.bytes);
  std::size_t good = 0;
  while (good < records && number_at<std::uint16_t>(bytes, good * version.bytes + version.version_at) >> 8 == number) ++good;
  bool write = false;
  return good > 0 && ((good > 1 && good == records) ||
                      scsi_kind(number_at<std::uint16_t>(bytes, version.opcode_at), write) == LineKind::Request);
}

class VscsiParser : public TraceParserIf {
 public:
  explicit VscsiParser(const TraceUnits& units) : units_(units) {}

  std::size_t head_bytes() const override { return kVscsi1Bytes; }

  std::size_t record_bytes(const SourceLine& head) override {
    const unsigned first = number_at<std::uint16_t>(head.text, kVscsi1.version_at) >> 8;
    const unsigned second = number_at<std::uint16_t>(head.text, kVscsi2.version_at) >> 8;
    if (version_ == nullptr) version_ = second == 2 && first != 1 ? &kVscsi2 : &kVscsi1;
    const bool good = version_ == &kVscsi1 ? first == 1 : second == 2;
    if (!good)
      head.fail(0, fmt::format("the record's version is {}, expected {}", version_ == &kVscsi1 ? first : second,
                               version_ == &kVscsi2 ? "2, as in the records before"
                                                    : "1 (or 2, in a file with records of version 2 only)"));
    return version_->bytes;
  }

  LineKind parse(const SourceLine& record, ParsedRequest& request) override {
    const std::string_view bytes = record.text;
    const LineKind kind = scsi_kind(number_at<std::uint16_t>(bytes, version_->opcode_at), request.write);
    if (kind != LineKind::Request) return kind;
    const auto unit = static_cast<TraceTime>(units_.time.ps);
    request.time = number_at<std::uint64_t>(bytes, version_->time_at) * unit;
    request.offset_bytes =
        scaled(record, {}, number_at<std::uint64_t>(bytes, version_->block_at), units_.address_bytes, "block");
    request.length_bytes = number_at<std::uint32_t>(bytes, version_->size_at) * units_.size_bytes;
    if (request.length_bytes == 0) return LineKind::OtherAction;
    request.device = "0";
    if (version_ == &kVscsi2) {
      const TraceTime response = number_at<std::uint64_t>(bytes, 32) * unit;
      if (response > static_cast<TraceTime>(std::numeric_limits<std::int64_t>::max()))
        record.fail(0, "the response time is more than 106 days and does not fit in 64 bits of picoseconds");
      request.response_ps = static_cast<std::int64_t>(response);
    }
    return LineKind::Request;
  }

 private:
  TraceUnits units_;
  const VscsiLayout* version_ = nullptr;
};

}  // namespace

// Each version has numbers where the other one has its version.
bool detect_vscsi(const TraceHead& head) { return is_vscsi(kVscsi1, head.bytes, 1) || is_vscsi(kVscsi2, head.bytes, 2); }

std::unique_ptr<TraceParserIf> read_vscsi(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<VscsiParser>(units);
}

}  // namespace platter::workload
