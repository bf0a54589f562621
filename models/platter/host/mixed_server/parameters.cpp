// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "platter/host/array/config.h"
#include "platter/host/mixed_server/text_arrivals.h"
#include "platter/workload/parameters.h"

namespace platter::host::mixed_server {

using params::at;
using params::OneOf;
using params::Range;

const params::Table<MixedServerParameters>& mixed_server_parameters() {
  using P = MixedServerParameters;
  static const params::Table<P> table = {
      {"server.architecture", "",
       "partitioned: text and video have disks of their own; integrated: both are on all disks, with the policy of the key "
       "`policy`",
       at(&P::architecture), OneOf{{"partitioned", "integrated"}}},
      {"server.text_disks", "", "disks for text of the partitioned server", at(&P::text_disks), Range{1, 31}},
      {"server.video_disks", "", "disks for video of the partitioned server; the integrated server has the sum of both numbers",
       at(&P::video_disks), Range{1, 31}},
      {"server.text_policy", "", "partitioned: scheduling policy of the text disks",
       params::notated(&P::text_policy, scheduling::find_policy, scheduling::policy_objection)},
      {"server.video_policy", "", "partitioned: scheduling policy of the video disks",
       params::notated(&P::video_policy, scheduling::find_policy, scheduling::policy_objection)},
      {"server.areas", "",
       "places on the disks. adjacent: video next to the text; apart: text at the outer edge and video at the inner edge; "
       "spread: both in equal parts over the whole disk",
       at(&P::areas), OneOf{{"adjacent", "apart", "spread"}}},
      {"text.clients", "", "number of text clients", at(&P::text_clients), Range{0, 1e6}},
      {"text.arrivals", "",
       "poisson: each client issues requests at random; bursty: the whole load follows a multiplicative cascade",
       at(&P::arrivals), OneOf{{"poisson", "bursty"}}},
      {"text.interval_s", "s", "poisson: mean time between two requests of a client", at(&P::interval_s), Range{1e-6, 1e6}},
      {"text.load_bytes_per_s", "bytes/s", "bursty: mean load", at(&P::load_bytes_per_s), Range{1, 1e12}},
      {"text.peak_to_mean", "", "bursty: largest rate of an interval of the cascade, divided by the mean rate",
       at(&P::peak_to_mean), Range{1, 1e6}},
      {"text.burst_scaling", "",
       "bursty: how a load above the trace's is made: by its time stamps, which makes the bursts shorter, or by its intensity",
       at(&P::burst_scaling), OneOf{{"time-stamps", "intensity"}}},
      {"text.trace_bytes_per_s", "bytes/s", "time-stamps: load of the trace as it was recorded, in intervals of 1 s",
       at(&P::trace_bytes_per_s), Range{1, 1e12}},
      {"text.mean_bytes", "bytes", "mean size of a request", at(&P::mean_bytes), Range{1, 1e9}},
      {"text.deviation_bytes", "bytes", "standard deviation of the size of a request", at(&P::deviation_bytes), Range{0, 1e9}},
      {"text.unit_bytes", "bytes", "stripe unit of text, in whole sectors; a request reads whole units",
       at(&P::text_unit_bytes), Range{512, 1 << 24}},
      {"text.set_bytes", "bytes", "size of all text, in whole units", at(&P::set_bytes), Range{512, 1e15}},
      {"text.cache_bytes", "bytes", "size of the LRU cache of text units; 0: no cache", at(&P::cache_bytes), Range{0, 1e15}},
      {"video.clients", "", "number of video clients", at(&P::video_clients), Range{0, 1e6}},
      {"video.unit_bytes", "bytes", "stripe unit of video, in whole sectors; it is read as a whole", at(&P::video_unit_bytes),
       Range{512, 1 << 24}},
      {"video.file_s", "s", "length of a stored file", at(&P::file_s), Range{1, 1e6}},
      {"video.tables", "", "frame-size tables, one for each stored file", at(&P::tables)},
      {"video.bits_per_s", "bit/s", "mean rate to which the frames of each table are scaled; empty: no scaling",
       at(&P::bits_per_s)},
      {"video.rounds", "", "rounds of the clients: common to all, or staggered at equal distances over 1 s", at(&P::rounds),
       OneOf{{"common", "staggered"}}},
  };
  return table;
}

void check(const MixedServerParameters& s, std::uint32_t copies, const profile::DriveProfile& drive,
           const workload::RunParameters& run, params::Findings& findings) {
  for (const auto& [key, policy] : {std::pair<const char*, const scheduling::PolicySpec*>{"server.text_policy", &s.text_policy},
                                    {"server.video_policy", &s.video_policy}})
    if (const std::string objection = scheduling::placing_objection(*policy, false); !objection.empty())
      findings.add(key, objection);
  if (s.disks() > array::kMaxDrives)
    findings.add("server.video_disks", fmt::format("found {}, expected at most {} with server.text_disks, which is {}",
                                                   s.video_disks, array::kMaxDrives, s.text_disks));
  if (copies > 2) findings.add("array.copies", fmt::format("found {}, expected 1 or 2 in a server of text and video", copies));
  for (const auto& [key, disks] : {std::pair<const char*, std::int64_t>{"text", s.text_disks}, {"video", s.video_disks}})
    if (copies == 2 && !s.integrated() && disks < 2)
      findings.add("array.copies", fmt::format("found 2, expected 1: server.{}_disks is 1", key));
  const auto multiple = [&](const std::string& key, std::int64_t bytes, std::int64_t unit, const char* of) {
    if (bytes % unit != 0) findings.add(key, fmt::format("found {}, expected whole {} of {} bytes", bytes, of, unit));
  };
  if (s.arrivals == "poisson" && s.text_clients > 0 &&
      s.interval_s / static_cast<double>(s.text_clients) > workload::kLongestMean_s)
    findings.add("text.interval_s",
                 fmt::format("found {:g}, which makes {:g} s from a request to the next, expected at most {:g} s", s.interval_s,
                             s.interval_s / static_cast<double>(s.text_clients), workload::kLongestMean_s));
  multiple("text.unit_bytes", s.text_unit_bytes, drive.geometry.sector_bytes, "sectors");
  multiple("text.set_bytes", s.set_bytes, s.text_unit_bytes, "units");
  multiple("video.unit_bytes", s.video_unit_bytes, drive.geometry.sector_bytes, "sectors");
  if (drive.queue_depth < 2) findings.add("drive.queue.depth", "found 1, expected at least 2 tags: one for each class");
  if (s.video_clients > 0 && s.tables.empty())
    findings.add("video.tables", "is missing: video clients need at least one frame-size table");
  if (!s.bits_per_s.empty() && s.bits_per_s.size() != s.tables.size())
    findings.add("video.bits_per_s",
                 fmt::format("found {} rates, expected one for each of the {} tables", s.bits_per_s.size(), s.tables.size()));
  for (const double rate : s.bits_per_s)
    if (!(rate > 0) || rate > 1e12)
      findings.add("video.bits_per_s", fmt::format("found {:g}, expected rates above 0, at most 1e+12 bit/s", rate));
  if (s.arrivals == "bursty") {
    const std::uint32_t levels = cascade_levels(run.measure_s, s.burst_interval_s());
    const double intervals = static_cast<double>(std::uint64_t{1} << levels);
    if (levels > kMaxLevels)
      findings.add(
          "text.load_bytes_per_s",
          fmt::format("found {:g}, with which the cascade would have intervals of {:g} s, more than the 2^{} that are allowed",
                      s.load_bytes_per_s, s.burst_interval_s(), kMaxLevels));
    else if (s.peak_to_mean > intervals)
      findings.add("text.peak_to_mean", fmt::format("found {:g}, expected at most {:g}, the number of intervals of the cascade",
                                                    s.peak_to_mean, intervals));
  }
  for (const auto& [key, seconds] :
       {std::pair<const char*, double>{"sim.warmup_s", run.warmup_s}, {"sim.measure_s", run.measure_s}})
    if (seconds != std::floor(seconds)) findings.add(key, fmt::format("found {:g}, expected whole rounds of 1 s", seconds));
}

}  // namespace platter::host::mixed_server
