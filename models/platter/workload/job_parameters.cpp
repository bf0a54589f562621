// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/job_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "platter/command/duration.h"
#include "platter/workload/parameters.h"

namespace platter::workload {

using params::at;
using params::notated;
using params::OneOf;
using params::Pattern;
using params::Range;

namespace {

constexpr std::string_view kNameForm = "[A-Za-z0-9_-]{1,64}";
constexpr std::size_t kLongestName = 64;

bool is_name(const std::string& text) {
  constexpr const char* kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !text.empty() && text.size() <= kLongestName && text.find_first_not_of(kAllowed) == std::string::npos;
}

}  // namespace

const params::Table<JobParameters>& job_parameters() {
  using P = JobParameters;
  static const params::Table<P> table = {
      params::required<P>({"name", "", "name of the job in results; letters, digits, _ and -; its random numbers depend on it",
                           at(&P::name), Pattern{kNameForm}}),
      {"rw", "", "direction and order of the requests; rw and readwrite: reads and writes, each in sequence", at(&P::rw),
       OneOf{{"read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"}}},
      {"rwmixread", "%", "rw, readwrite, randrw: share of reads", at(&P::rwmixread), Range{0, 100}},
      {"bs", "bytes",
       "size of a request, with the suffix k, m or g (powers of 1024) or without; two values, separated by a comma, are for "
       "reads and writes",
       notated(&P::bs, find_block_size, block_size_objection, true)},
      {"bsrange", "bytes",
       "sizes LEAST-MOST instead of `bs`: multiples of the least with equal probability; two ranges are for reads and writes",
       notated(&P::bsrange, find_block_range, block_range_objection)},
      {"bssplit", "bytes",
       "sizes with their shares instead of `bs` and `bsrange`: SIZE/PERCENT:SIZE/PERCENT...; two lists are for reads and "
       "writes",
       notated(&P::bssplit, find_block_split, block_split_objection)},
      {"blockalign", "bytes",
       "random requests begin at multiples of this, counted from `offset`; 0: the smallest size of a request",
       notated(&P::blockalign, find_amount, amount_objection, true)},
      {"rate_iops", "1/s", "arrival rate; 0: a request is issued when another has completed", at(&P::rate_iops), Range{0, 1e9}},
      {"rate_process", "", "with a rate: arrivals at equal distances, or of a Poisson process", at(&P::rate_process),
       OneOf{{"linear", "poisson"}}},
      {"iodepth", "",
       "number of requests kept outstanding; with a rate, the most of them, beyond which arrivals are delayed; 0: 1 without "
       "a rate, no limit with one",
       at(&P::iodepth), Range{0, 100000}},
      {"thinktime", "us", "time between the completion of a request and the issue of the next one in its place",
       at(&P::thinktime_us), Range{0, 1e12}},
      {"offset", "bytes", "begin of the region of the drive; with a suffix as in `bs`, or % of the drive, rounded down",
       notated(&P::offset, find_amount, amount_objection, true)},
      {"size", "bytes", "size of the region, as in `offset`; 0: up to the end of the drive",
       notated(&P::size, find_amount, amount_objection, true)},
      {"io_size", "bytes",
       "the job ends when it has issued this much; with a suffix as in `bs`, or % of its region; 0: no limit",
       notated(&P::io_size, find_amount, amount_objection, true)},
      {"random_distribution", "",
       "places of random requests: random (uniform), zipf:THETA, pareto:H, or zoned:ACCESSES/SIZE:... in percent",
       notated(&P::random_distribution, find_distribution, distribution_objection)},
      {"norandommap", "",
       "uniform places are drawn independently; otherwise, with one size, every block is used once before any is used again",
       at(&P::norandommap)},
      {"startdelay", "s", "simulated time at which the job starts", at(&P::startdelay_s), Range{0, 1e6}},
      {"runtime", "s", "time from the start after which the job issues nothing; 0: no limit", at(&P::runtime_s), Range{0, 1e6}},
      {"class", "", "class of the requests", at(&P::cls), OneOf{{"discrete", "continuous", "background"}}},
      {"deadline_ms", "ms", "time from the issue of a request to its deadline; 0: no deadline", at(&P::deadline_ms),
       Range{0, 1e9}},
      {"cmdprio_percentage", "%",
       "share of the requests that have `cmdprio_class` and `cmdprio_deadline_ms` instead; two values are for reads and writes",
       notated(&P::cmdprio_percentage, find_percentages, percentages_objection, true)},
      {"cmdprio_class", "", "class of that share; same: as `class` says", at(&P::cmdprio_class),
       OneOf{{"same", "discrete", "continuous", "background"}}},
      {"cmdprio_deadline_ms", "ms", "time from the issue to the deadline of that share; 0: no deadline",
       at(&P::cmdprio_deadline_ms), Range{0, 1e9}},
      {"priohint", "", "number of the drive's duration descriptor that the requests name, of reads or of writes; 0: none",
       at(&P::hint), Range{0, command::DurationTable::kDescriptors}},
      {"cmdprio_hint", "", "the same of that share", at(&P::cmdprio_hint), Range{0, command::DurationTable::kDescriptors}},
      {"high_priority", "", "the requests have priority, which the policy LSPTF knows", at(&P::high_priority)},
      {"cmdprio_high_priority", "", "the same of that share", at(&P::cmdprio_high_priority)},
  };
  return table;
}

double JobParameters::share_of_reads() const {
  switch (rw) {
    case Kind::Read:
    case Kind::Randread: return 1;
    case Kind::Write:
    case Kind::Randwrite: return 0;
    case Kind::Rw:
    case Kind::Readwrite:
    case Kind::Randrw: return rwmixread / 100;
  }
  return 1;
}

namespace {

/// Calls `use` with the bounds of the sizes of each direction that the job has.
template <typename Use>
void for_sizes(const JobParameters& job, const Use& use) {
  const double reads = job.share_of_reads();
  for (const std::size_t way : {kOfReads, kOfWrites}) {
    if (way == kOfReads ? reads == 0 : reads == 1) continue;
    if (!job.bssplit.notation.empty()) {
      for (const BlockShare& share : job.bssplit.shares[way])
        if (share.percent > 0) use("bssplit", share.bytes, share.bytes);
    } else if (!job.bsrange.notation.empty()) {
      use("bsrange", job.bsrange.bounds[way].least, job.bsrange.bounds[way].most);
    } else {
      use("bs", job.bs.bytes[way], job.bs.bytes[way]);
    }
  }
}

}  // namespace

std::uint64_t JobParameters::least_block() const {
  std::uint64_t found = std::numeric_limits<std::uint64_t>::max();
  for_sizes(*this, [&](const char* /*key*/, std::uint64_t least, std::uint64_t /*most*/) { found = std::min(found, least); });
  return found;
}

std::uint64_t JobParameters::most_block() const {
  std::uint64_t found = 0;
  for_sizes(*this, [&](const char* /*key*/, std::uint64_t /*least*/, std::uint64_t most) { found = std::max(found, most); });
  return found;
}

void check(const std::vector<JobParameters>& jobs, std::uint32_t sector_bytes, params::Findings& findings) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobParameters& job = jobs[i];
    const std::string table = fmt::format("workload.job.{}", i);
    const auto add = [&](const char* key, const std::string& message, const char* asked_by = "") {
      findings.add(table + "." + key, message, *asked_by != '\0' ? table + "." + asked_by : "");
    };
    if (!is_name(job.name))
      add("name", fmt::format("found \"{}\", expected 1 to {} letters, digits, _ and -", job.name, kLongestName));
    else if (!names.insert(job.name).second)
      add("name", fmt::format("found \"{}\" again, expected a name that no other job has", job.name));
    for_sizes(job, [&](const char* key, std::uint64_t least, std::uint64_t most) {
      if (least % sector_bytes != 0)
        add(key, fmt::format("found {} bytes, expected whole sectors of {} bytes", least, sector_bytes));
      if (most > std::numeric_limits<std::uint32_t>::max())
        add(key, fmt::format("found {} bytes, expected less than 4 GiB", most));
    });
    if (!job.offset.percent && job.offset.bytes % sector_bytes != 0)
      add("offset", fmt::format("found {} bytes, expected whole sectors of {} bytes", job.offset.bytes, sector_bytes));
    if (job.blockalign.percent)
      add("blockalign", fmt::format("found \"{}\", expected bytes", job.blockalign.notation));
    else if (job.blockalign.bytes % sector_bytes != 0)
      add("blockalign", fmt::format("found {} bytes, expected whole sectors of {} bytes", job.blockalign.bytes, sector_bytes));
    if (job.rate_iops > 0 && job.rate_iops < 1 / kLongestMean_s)
      add("rate_iops", fmt::format("found {:g}, expected 0, or at least {:g} 1/s, so that the time between two arrivals fits "
                                   "into simulated time",
                                   job.rate_iops, 1 / kLongestMean_s));
    if (job.thinktime_us > 0 && job.depth() == 0)
      add("thinktime", "expected iodepth above 0: without a limit no request waits for another");
    if (job.cls == JobParameters::Class::Continuous && job.deadline_ms == 0)
      add("deadline_ms", "is missing: continuous requests have deadlines", "class");
    if (job.cmdprio_percentage.percent != std::array<double, 2>{} && job.priority_class() == core::RequestClass::Continuous &&
        job.cmdprio_deadline_ms == 0)
      add("cmdprio_deadline_ms", "is missing: continuous requests have deadlines",
          job.cmdprio_class == JobParameters::PriorityClass::Same ? "class" : "cmdprio_class");
  }
}

void check_hints(const std::vector<JobParameters>& jobs, std::size_t reads, std::size_t writes, params::Findings& findings) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobParameters& job = jobs[i];
    const double share = job.share_of_reads();
    const std::size_t most = share == 1 ? reads : share == 0 ? writes : std::min(reads, writes);
    for (const auto& [key, number] : {std::pair{"priohint", job.hint}, {"cmdprio_hint", job.cmdprio_hint}})
      if (number > most)
        findings.add(
            fmt::format("workload.job.{}.{}", i, key),
            fmt::format("found {}, expected at most {}: the drive has no more duration descriptors for the requests of "
                        "this job (`drive.duration_limits`)",
                        number, most));
  }
}

JobRegion::JobRegion(const JobParameters& job, const Target& target) {
  const std::uint64_t capacity = target.blocks * target.block_bytes;
  const std::uint64_t most = job.most_block() / target.block_bytes;
  align =
      std::max<std::uint64_t>((job.blockalign.bytes > 0 ? job.blockalign.bytes : job.least_block()) / target.block_bytes, 1);
  first = job.offset.of(capacity) / target.block_bytes;
  if (job.offset.percent) first -= first % align;
  if (first >= target.blocks) return;
  blocks = target.blocks - first;
  if (job.size.percent)
    blocks = std::min(blocks, job.size.of(capacity) / target.block_bytes);
  else if (job.size.bytes > 0)
    blocks = job.size.bytes / target.block_bytes;
  if (blocks >= most) places = (blocks - most) / align + 1;
}

std::vector<PlacedZone> zones_of(const Distribution& distribution, std::uint64_t places) {
  const auto at = [places](double percent) {
    return std::min(static_cast<std::uint64_t>(static_cast<double>(places) * percent / 100 + 0.5), places);
  };
  std::vector<PlacedZone> found;
  double accesses = 0;
  double size = 0;
  for (const Distribution::Zone& zone : distribution.zones) {
    const std::uint64_t first = at(size);
    size += zone.size_percent;
    accesses += zone.accesses_percent;
    if (zone.accesses_percent > 0) found.push_back({accesses / 100, first, at(size) - first});
  }
  found.back().share_until = 1;  // the sum is rounded
  return found;
}

std::optional<std::pair<std::string, std::string>> region_objection(const JobParameters& job, const Target& target) {
  const std::uint64_t capacity = target.blocks * target.block_bytes;
  const JobRegion region(job, target);
  if (region.first >= target.blocks)
    return std::pair("offset",
                     fmt::format("found {}, expected less than the {} bytes of the drive", job.offset.notation, capacity));
  if (region.blocks > target.blocks - region.first)
    return std::pair("size", fmt::format("found {} from byte {} on, expected an end within the {} bytes of the drive",
                                         job.size.notation, region.first * target.block_bytes, capacity));
  if (region.places == 0)
    return std::pair("size", fmt::format("found a region of {} bytes, expected at least one request of {} bytes",
                                         region.blocks * target.block_bytes, job.most_block()));
  if (job.blockalign.bytes > region.blocks * target.block_bytes)
    return std::pair("blockalign", fmt::format("found {}, expected at most the {} bytes of the region", job.blockalign.notation,
                                               region.blocks * target.block_bytes));
  if (job.io_size.percent && job.io_size.of(region.blocks * target.block_bytes) < target.block_bytes)
    return std::pair("io_size", fmt::format("found {}, expected at least one sector", job.io_size.notation));
  if (job.is_random() && job.random_distribution.kind == Distribution::Kind::Zoned) {
    for (const PlacedZone& zone : zones_of(job.random_distribution, region.places))
      if (zone.places == 0)
        return std::pair(
            "random_distribution",
            fmt::format("found a zone without a place among {} places, expected at least one in each", region.places));
  }
  return std::nullopt;
}

}  // namespace platter::workload
