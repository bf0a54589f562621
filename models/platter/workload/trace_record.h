// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace platter::workload {

/// One request of a recorded trace: what to do, where, and when it arrived.
struct TraceRecord {
  std::int64_t time_ps = 0;
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool write = false;
  std::uint32_t line = 0;         ///< line of the trace file, or its record; its largest value stands for every later one
  std::int64_t response_ps = -1;  ///< recorded response time; -1: none
};

/// What to do with a request that does not lie inside the drive.
enum class PastEnd {
  Error,  ///< stop with a message that names the request and the capacity
  Wrap,   ///< address modulo the capacity; a request that crosses the end is moved back so that it fits
  Clip,   ///< cut the request at the drive's end; drop it if it begins there or later
  Scale,  ///< every address times capacity / span of the trace, rounded down to whole sectors; sizes stay
};

/// Of "error", "wrap", "clip" or "scale".
constexpr PastEnd past_end_of(std::string_view name) {
  return name == "wrap" ? PastEnd::Wrap : name == "clip" ? PastEnd::Clip : name == "scale" ? PastEnd::Scale : PastEnd::Error;
}

/// What to do with the last line of a text that has no end of line. A number at its end may be cut short, so that it reads as a smaller one.
enum class LastLine {
  Error,  ///< stop with a message
  Keep,   ///< read it as it is
  Drop,   ///< leave it out
};

/// Of "error", "keep" or "drop".
constexpr LastLine last_line_of(std::string_view name) {
  return name == "keep" ? LastLine::Keep : name == "drop" ? LastLine::Drop : LastLine::Error;
}

/// What the `wait` lines of a version 2 fio log mean.
enum class FioWait {
  Documented,  ///< as fio's manual says: microseconds, after the previous wait
  AsReplayed,  ///< as fio's replay does it (checked with 3.33): milliseconds, since the start of the job
};

struct TraceOptions {
  /// A name of the table of trace formats, or "auto" to recognise the format by the file's beginning.
  std::string format = "auto";
  /// Only requests of this device (file, for fio) are read. "": the trace must name one device only;
  /// "*": all devices, placed on one drive at their own addresses.
  std::string device;
  PastEnd past_end = PastEnd::Error;
  std::uint64_t capacity_bytes = 0;  ///< 0: unknown, addresses are not checked
  std::uint64_t span_bytes = 0;      ///< for Scale: no request ends later; 0: the largest end, found by reading the file twice
  std::uint32_t sector_bytes = 512;  ///< for Scale
  bool rebase = true;                ///< the first request arrives at time 0
  char action = 'Q';                 ///< blktrace, blkparse, ftrace: 'Q' queued, 'D' issued to the drive, 'C' completed
  LastLine last_line = LastLine::Error;
  bool skip_empty = false;  ///< requests of size 0 are left out; otherwise they are errors
  FioWait fio_wait = FioWait::Documented;
  std::string time_unit;                 ///< a name of kTimeUnits; "": the format's
  std::uint64_t address_unit_bytes = 0;  ///< of addresses, and of sizes where the format counts both alike; 0: the format's
  std::optional<std::uint32_t>
      sort_window;             ///< requests held back to sort them, at most kMaxSorted; none: the format's, 0: none
  std::int64_t spread_ps = 0;  ///< requests of equal time are spread evenly over so long, or up to the next later time

  static constexpr std::uint32_t kMaxSorted = 4'000'000;
};

/// Counts of a trace's lines, or of its records where it is binary. Every line is in exactly one of `records`, `dropped`, `other_device`, `other_lines`, `other_actions`,
/// `flushes`, `discards`, `empty`, `ignored`, `cut_short`.
struct TraceCounts {
  std::uint64_t lines = 0;
  std::uint64_t records = 0;        ///< requests delivered
  std::uint64_t dropped = 0;        ///< began past the drive's end, under PastEnd::Clip
  std::uint64_t other_device = 0;   ///< requests to a device that was not asked for
  std::uint64_t other_lines = 0;    ///< blank lines, comments, headers, file and wait actions, messages, tables of statistics
  std::uint64_t other_actions = 0;  ///< blktrace, blkparse, ftrace: events of another action
  std::uint64_t flushes = 0;        ///< flush or sync without data
  std::uint64_t discards = 0;       ///< discard, trim
  std::uint64_t empty = 0;          ///< requests of size 0, under TraceOptions::skip_empty
  std::uint64_t ignored = 0;        ///< to be left out by the description of the format
  std::uint64_t cut_short = 0;      ///< the last line without an end of line, under LastLine::Drop
  std::uint64_t clipped = 0;        ///< of `records`: cut at the drive's end
  std::uint64_t wrapped = 0;        ///< of `records`: moved into the drive
  std::uint64_t scaled = 0;         ///< of `records`: by PastEnd::Scale
  std::uint64_t out_of_order = 0;   ///< requests with an earlier time than one before, sorted
  std::array<std::uint64_t, 128> actions{};                   ///< of `other_actions`, by the letter of the action
  std::map<std::string, std::uint64_t, std::less<>> devices;  ///< requests by device, before the device filter
};

/// Summary of a trace; times run from the first delivered request to the last.
struct TraceSummary {
  std::string format;
  bool binary = false;
  TraceCounts counts;
  std::uint64_t records = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::int64_t span_ps = 0;
  double rate_per_s = 0;  ///< (records - 1) / span; 0 if the span is 0
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint32_t min_bytes = 0;
  std::uint32_t max_bytes = 0;
  double mean_bytes = 0;
  /// Key 2^k counts the requests of 2^k … 2^(k+1) - 1 bytes.
  std::map<std::uint32_t, std::uint64_t> size_histogram;
  std::uint64_t largest_end_bytes = 0;  ///< the drive must be at least this large
  std::uint64_t unaligned = 0;          ///< requests not made of whole 512-byte sectors
  std::uint64_t sequential = 0;         ///< requests that begin where the one before ended
  double sequential_share = 0;          ///< of records
};

}  // namespace platter::workload
