// SPDX-License-Identifier: Apache-2.0
// The CSV traces of libCacheSim. The columns are found by the names in the first line, such as "version,time,op,size,lbn" of its CloudPhysics trace;
// a # may stand before them. Without names the columns are time, object and size. Times are whole seconds. An object is a block of 512 bytes
// (lbn), and its number is the place. Operations are SCSI opcodes in hexadecimal, or names of reads and writes; without a column all are reads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "platter/workload/scsi_kind.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {
namespace {

constexpr std::size_t kNoColumn = ~std::size_t{0};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

struct CacheColumns {
  std::size_t time = kNoColumn;
  std::size_t object = kNoColumn;
  std::size_t size = kNoColumn;
  std::size_t operation = kNoColumn;
  std::size_t count = 0;

  /// The columns of a line of names; `time` is kNoColumn for any other line.
  static CacheColumns of(std::string_view text) {
    constexpr std::array<std::string_view, 5> kTimes = {"time", "timestamp", "clock_time", "real_time", "ts"};
    constexpr std::array<std::string_view, 9> kObjects = {"lbn", "lba",    "obj_id", "obj-id", "object_id",
                                                          "id",  "object", "block",  "key"};
    constexpr std::array<std::string_view, 6> kSizes = {"size", "obj_size", "obj-size", "object_size", "length", "bytes"};
    constexpr std::array<std::string_view, 7> kOperations = {"op",        "op_type", "op-type", "optype",
                                                             "operation", "opcode",  "type"};
    if (is_comment(text)) text.remove_prefix(text.find('#') + 1);
    const Fields fields = split_commas(text);
    CacheColumns columns;
    columns.count = fields.size();
    for (std::size_t i = 0; i < std::min(fields.size(), Fields::kKept); ++i) {
      const std::string name = lower_case(fields[i].text);
      const auto take = [&](std::size_t& column, const auto& names) {
        if (column == kNoColumn && std::find(names.begin(), names.end(), name) != names.end()) column = i;
      };
      take(columns.time, kTimes);
      take(columns.object, kObjects);
      take(columns.size, kSizes);
      take(columns.operation, kOperations);
    }
    return columns.object == kNoColumn || columns.size == kNoColumn ? CacheColumns() : columns;
  }
  bool found() const { return time != kNoColumn; }
};

class LibcachesimParser : public TraceParserIf {
 public:
  explicit LibcachesimParser(const TraceUnits& units) : units_(units) {
    columns_.time = 0;
    columns_.object = 1;
    columns_.size = 2;
    columns_.count = 3;
  }

  LineKind parse(const SourceLine& line, ParsedRequest& request) override {
    const Fields fields = split_commas(line.text);
    if (!is_decimal(fields[std::min(columns_.time, fields.size() - 1)].text)) {
      const CacheColumns columns = CacheColumns::of(line.text);
      if (columns.found()) {
        columns_ = columns;
        named_ = true;
        return LineKind::OtherLine;
      }
    }
    if (fields.size() < columns_.count || (named_ && fields.size() > columns_.count))
      line.fail(0, fmt::format("expected {} comma-separated fields{}, found {}", columns_.count,
                               named_ ? " as in the line of names" : " or more (time, object, size)", fields.size()));
    request.time = parse_time(line, fields[columns_.time], units_.time);
    request.length_bytes = parse_scaled(line, fields[columns_.size], units_.size_bytes, "size");
    const LineKind kind =
        columns_.operation == kNoColumn ? LineKind::Request : operation(line, fields[columns_.operation], request.write);
    if (kind != LineKind::Request) return kind;
    request.offset_bytes = parse_scaled(line, fields[columns_.object], units_.address_bytes, "object");
    request.device = "0";
    return LineKind::Request;
  }

  bool reads(std::string_view comment) const override { return CacheColumns::of(comment).found(); }

 private:
  static LineKind operation(const SourceLine& line, const Field& field, bool& write) {
    constexpr std::array<std::string_view, 4> kReads = {"r", "read", "get", "gets"};
    constexpr std::array<std::string_view, 6> kWrites = {"w", "write", "set", "put", "add", "replace"};
    constexpr std::array<std::string_view, 3> kDiscards = {"delete", "trim", "discard"};
    const std::string name = lower_case(field.text);
    const auto is_one_of = [&name](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
    write = is_one_of(kWrites);
    if (write || is_one_of(kReads)) return LineKind::Request;
    if (is_one_of(kDiscards)) return LineKind::Discard;
    std::uint16_t opcode = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), opcode, 16);
    if (error == std::errc() && end == name.data() + name.size() && opcode <= 0xFF) return scsi_kind(opcode, write);
    line.fail(field.column, fmt::format("operation is {}, expected a SCSI opcode in hexadecimal such as 28 or 2a, or read, "
                                        "write, get, set, put, add, replace, delete",
                                        in_quotes(field.text)));
  }

  TraceUnits units_;
  CacheColumns columns_;
  bool named_ = false;  ///< by a line of names
};

}  // namespace

bool detect_libcachesim(const TraceHead& head) {
  const auto named = [](std::string_view line) { return CacheColumns::of(line).found(); };
  return (!head.lines.empty() && named(head.lines.front())) || std::any_of(head.comments.begin(), head.comments.end(), named);
}

std::unique_ptr<TraceParserIf> read_libcachesim(const TraceOptions& /*options*/, const TraceUnits& units) {
  return std::make_unique<LibcachesimParser>(units);
}

}  // namespace platter::workload
