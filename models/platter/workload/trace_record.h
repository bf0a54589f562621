// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace platter::workload {

/// One request of a recorded trace: what to do, where, and when it arrived.
struct TraceRecord {
  std::int64_t time_ps = 0;
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool write = false;
  std::uint32_t line = 0;  ///< line of the trace file; its largest value stands for every later line
};

/// What to do with a request that does not lie inside the drive.
enum class PastEnd {
  Error,  ///< stop with a message that names the request and the capacity
  Wrap,   ///< address modulo the capacity; a request that crosses the end is moved back so that it fits
  Clip,   ///< cut the request at the drive's end; drop it if it begins there or later
};

/// What the `wait` lines of a version 2 fio log mean.
enum class FioWait {
  Documented,  ///< as fio's manual says: microseconds, after the previous wait
  AsReplayed,  ///< as fio's replay does it (checked with 3.33): milliseconds, since the start of the job
};

struct TraceOptions {
  /// A name of the table of trace formats, or "auto" to recognise the format by the first lines.
  std::string format = "auto";
  /// Only requests of this device (file, for fio) are read. "": the trace must name one device only;
  /// "*": all devices, placed on one drive at their own addresses.
  std::string device;
  PastEnd past_end = PastEnd::Error;
  std::uint64_t capacity_bytes = 0;  ///< 0: unknown, addresses are not checked
  bool rebase = true;                ///< the first request arrives at time 0
  char blkparse_action = 'Q';        ///< 'Q' queued, 'D' issued to the drive, 'C' completed
  FioWait fio_wait = FioWait::Documented;
};

/// Counts of a trace's lines. Every line is in exactly one of `records`, `dropped`, `other_device`, `other_lines`, `other_actions`,
/// `flushes`, `discards`.
struct TraceCounts {
  std::uint64_t lines = 0;
  std::uint64_t records = 0;                                  ///< requests delivered
  std::uint64_t dropped = 0;                                  ///< began past the drive's end, under PastEnd::Clip
  std::uint64_t other_device = 0;                             ///< requests to a device that was not asked for
  std::uint64_t other_lines = 0;                              ///< blank lines, headers, file and wait actions, the trailer
  std::uint64_t other_actions = 0;                            ///< blkparse: events of another action
  std::uint64_t flushes = 0;                                  ///< flush or sync without data
  std::uint64_t discards = 0;                                 ///< discard, trim
  std::uint64_t clipped = 0;                                  ///< of `records`: cut at the drive's end
  std::uint64_t wrapped = 0;                                  ///< of `records`: moved into the drive
  std::map<std::string, std::uint64_t, std::less<>> devices;  ///< requests by device, before the device filter
};

/// Summary of a trace; times run from the first delivered request to the last.
struct TraceSummary {
  std::string format;
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
