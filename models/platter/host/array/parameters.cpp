// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/parameters.h"

#include <fmt/format.h>

#include <utility>

namespace platter::host::array {

using params::at;
using params::OneOf;
using params::Range;

const params::Table<RedundancyParameters>& redundancy_parameters() {
  using P = RedundancyParameters;
  static const params::Table<P> table = {
      {"array.copies", "", "copies of each block, on different drives; striped and mixed_server: 1 or 2", at(&P::copies),
       Range{1, 32}},
      {"array.rebuild_outstanding", "",
       "units that are rebuilt after a revival, or repaired after a bad sector, at the same time; 0: neither",
       at(&P::rebuild, &RebuildOptions::outstanding), Range{0, 1024}},
      {"array.rebuild_bytes_per_s", "bytes/s", "highest rate of rebuild and repair; 0: no limit",
       at(&P::rebuild, &RebuildOptions::bytes_per_s), Range{0, 4e9}},
      {"failure.revives_at_s", "s", "simulated time at which the failed drive is revived, and its rebuild begins; 0: never",
       at(&P::revives_at_s), Range{0, 1e6}},
      {"failure.replaced", "", "an empty drive replaces the failed one, and all of its units are rebuilt", at(&P::replaced)},
      {"failure.drive", "", "number of the drive that fails, from 0", at(&P::failing_drive), Range{0, 31}},
  };
  return table;
}

const params::Table<ArrayParameters>& array_parameters() {
  using P = ArrayParameters;
  static const params::Table<P> table = {
      {"array.drives", "", "number of drives", at(&P::drives), Range{1, 32}},
      {"array.kind", "",
       "ew: EW-Array, with blocks of `eager.block_bytes`; striped: units on the drives in turn, each with a backup copy if "
       "wanted, below a host queue for each drive, a cache, and stream buffers",
       at(&P::kind), OneOf{{"ew", "striped"}}},
      {"array.answer", "", "ew: a write completes when all of its copies are on the media, or when the first copy is",
       at(&P::answer), OneOf{{"all", "first"}}},
      {"array.unit_bytes", "bytes", "striped: size of a stripe unit", at(&P::unit_bytes), Range{512, 1e9}},
      {"array.tags", "", "striped: most commands in a drive at once; the others wait in the host; 0: `drive.queue.depth`",
       at(&P::tags), Range{0, 1024}},
      {"array.cache_bytes", "bytes", "striped: size of the LRU cache for reads in the host; 0: no cache", at(&P::cache_bytes),
       Range{0, 1e12}},
      {"array.cache_block_bytes", "bytes", "striped: block of the cache; a stripe unit is a multiple of it",
       at(&P::cache_block_bytes), Range{512, 1e9}},
      {"array.stream_buffer_units", "",
       "striped, without a cache: units in each half of a sequential read stream's double buffer; 0: no buffers",
       at(&P::stream_buffer_units), Range{0, 16384}},
  };
  return table;
}

namespace {

/// Most blocks of a block cache, whose hash table is allocated in full at the beginning.
constexpr std::int64_t kMaxCacheBlocks = 1 << 24;

class Checks {
 public:
  Checks(const ArrayParameters& array, const RedundancyParameters& redundancy, const profile::DriveProfile& drive,
         params::Findings& findings)
      : a_(array), r_(redundancy), drive_(drive), findings_(findings) {}

  void ew(double fails_at_s, bool eager, std::uint32_t block_bytes) {
    if (r_.revives_at_s > 0) refuse("failure.revives_at_s", "found a drive that is revived, expected array.kind = \"striped\"");
    if (fails_at_s > 0) refuse("failure.fails_at_s", "found a drive that fails, expected 0 (never) with array.kind = \"ew\"");
    const ArrayParameters unset;
    const std::pair<const char*, bool> striped_only[] = {
        {"array.unit_bytes", a_.unit_bytes != unset.unit_bytes},
        {"array.tags", a_.tags != unset.tags},
        {"array.cache_bytes", a_.cache_bytes != unset.cache_bytes},
        {"array.cache_block_bytes", a_.cache_block_bytes != unset.cache_block_bytes},
        {"array.stream_buffer_units", a_.stream_buffer_units != unset.stream_buffer_units},
        {"array.rebuild_outstanding", r_.rebuild.outstanding != RebuildOptions().outstanding},
        {"array.rebuild_bytes_per_s", r_.rebuild.bytes_per_s != RebuildOptions().bytes_per_s}};
    for (const auto& [key, set] : striped_only)
      if (set) refuse(key, "is a key of striped arrays, expected array.kind = \"striped\"");
    if (!eager) whole("eager.block_bytes", block_bytes, drive_.geometry.sector_bytes, "a sector");
  }
  void striped(bool eager) {
    if (eager) refuse("array.kind", "found striped, expected ew with eager.enabled = true");
    if (r_.copies > 2) refuse("array.copies", fmt::format("found {}, expected 1 or 2 in a striped array", r_.copies));
    if (a_.answer != "all") refuse("array.answer", fmt::format("found {}, expected all in a striped array", a_.answer));
    if (a_.tags > drive_.queue_depth)
      refuse("array.tags",
             fmt::format("found {}, expected at most drive.queue.depth, which is {}", a_.tags, drive_.queue_depth));
    whole("array.unit_bytes", a_.unit_bytes, drive_.geometry.sector_bytes, "a sector");
    if (r_.copies == 2 && a_.unit_bytes > kMaxMirroredUnitBytes)
      refuse("array.unit_bytes",
             fmt::format("found {}, expected at most {} with array.copies = 2", a_.unit_bytes, kMaxMirroredUnitBytes));
    if (a_.stream_buffer_units > kMaxHalfBytes / a_.unit_bytes)
      refuse("array.stream_buffer_units", fmt::format("found {} units of {} bytes, expected at most {} bytes in all",
                                                      a_.stream_buffer_units, a_.unit_bytes, kMaxHalfBytes));
    if (a_.cache_bytes > 0) cache();
  }

 private:
  void refuse(const char* key, const std::string& what) { findings_.add(key, what); }
  void whole(const char* key, std::uint64_t bytes, std::uint32_t of, const char* what) {
    if (bytes % of != 0) refuse(key, fmt::format("found {}, expected a multiple of the {} bytes of {}", bytes, of, what));
  }
  void cache() {
    whole("array.cache_block_bytes", a_.cache_block_bytes, drive_.geometry.sector_bytes, "a sector");
    whole("array.unit_bytes", a_.unit_bytes, a_.cache_block_bytes, "a block of the cache");
    if (a_.cache_bytes < a_.cache_block_bytes)
      refuse("array.cache_bytes", fmt::format("found {}, expected 0 or at least array.cache_block_bytes, which is {}",
                                              a_.cache_bytes, a_.cache_block_bytes));
    if (a_.cache_bytes / a_.cache_block_bytes > kMaxCacheBlocks)
      refuse("array.cache_bytes", fmt::format("found {}, expected at most {} blocks of array.cache_block_bytes, which is {}",
                                              a_.cache_bytes, kMaxCacheBlocks, a_.cache_block_bytes));
    if (a_.stream_buffer_units > 0)
      refuse("array.stream_buffer_units", "found stream buffers, expected 0 together with array.cache_bytes");
  }

  const ArrayParameters& a_;
  const RedundancyParameters& r_;
  const profile::DriveProfile& drive_;
  params::Findings& findings_;
};

}  // namespace

void check(const RedundancyParameters& r, std::uint32_t drives, double fails_at_s, params::Findings& findings) {
  if (r.revives_at_s > 0 && fails_at_s <= 0)
    findings.add("failure.revives_at_s", "found a drive that is revived, expected a failure before it (failure.fails_at_s)");
  else if (r.revives_at_s > 0 && r.revives_at_s <= fails_at_s)
    findings.add("failure.revives_at_s", fmt::format("found {:g}, expected a time after failure.fails_at_s, which is {:g}",
                                                     r.revives_at_s, fails_at_s));
  if (r.replaced && r.revives_at_s <= 0)
    findings.add("failure.replaced", "found true, expected a revival too (failure.revives_at_s)");
  if (r.failing_drive >= drives)
    findings.add("failure.drive",
                 fmt::format("found {}, expected one of the host's {} drives, from 0", r.failing_drive, drives));
}

void check(const ArrayParameters& array, const RedundancyParameters& redundancy, const profile::DriveProfile& drive,
           double fails_at_s, bool eager, std::uint32_t block_bytes, params::Findings& findings) {
  if (redundancy.copies > array.drives)
    findings.add("array.copies",
                 fmt::format("found {}, expected at most array.drives, which is {}", redundancy.copies, array.drives));
  check(redundancy, array.drives, fails_at_s, findings);
  Checks checks(array, redundancy, drive, findings);
  if (drive.token_rate_bytes_per_s > 0)
    findings.add("drive.port.token_rate_bytes_per_s", "found a token bucket, expected none on the drives of an array");
  if (array.striped())
    checks.striped(eager);
  else
    checks.ew(fails_at_s, eager, block_bytes);
}

}  // namespace platter::host::array
