// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/parameters.h"

#include <fmt/format.h>

#include <cmath>

#include "platter/host/media_server/replica_placement.h"
#include "platter/host/media_server/reservation.h"
#include "platter/host/media_server/stream_content.h"

namespace platter::host::media_server {

using params::at;
using params::names_of;

const params::Table<MediaServerParameters>& media_server_parameters() {
  using P = MediaServerParameters;
  static const params::Table<P> table = {
      {"server.disks", "", "disks, all of the same kind", at(&P::disks), params::Range{1, 256}},
      {"server.block_bytes", "bytes", "logical block, in whole sectors; a round's data is read in whole ones",
       at(&P::block_bytes), params::Range{512, 1 << 24}},
      {"server.stride_bytes", "bytes", "stride of disk space, in whole logical blocks; holds the largest round of a stream",
       at(&P::stride_bytes), params::Range{512, 1 << 30}},
      {"server.rate_bytes_per_s", "bytes/s",
       "transfer rate that the reservation counts with; 0: the sustained rate of the drive's slowest zone",
       at(&P::rate_bytes_per_s), params::Range{0, 1e12}},
      {"replication.placement", "", "where backup copies lie", at(&P::placement), names_of(replica_placement_table())},
      {"replication.decluster_bytes", "bytes",
       "a round's backup copy is cut into blocks of this size, in whole logical blocks, on different disks; "
       "0: it is whole",
       at(&P::decluster_bytes), params::Range{0, 1 << 30}},
      {"reservation.scheme", "", "which copies disk time is reserved for", at(&P::reservation), names_of(reservation_table())},
      {"streams.content", "", "one stored stream of each of the six types, requested in turn, or one of a single type",
       at(&P::content), names_of(content_table(), {"mixed"})},
      {"streams.rounds", "rounds", "length of a stream", at(&P::rounds), params::Range{1, 1e6}},
      {"streams.scene_rounds", "rounds",
       "mean length of the scenes within which a stream's rate stays; 1: each round by itself", at(&P::scene_rounds),
       params::Range{1, 1e6}},
      {"streams.correlation", "",
       "of a round's rate with the one before's in the same stream, in scenes of one round; 0: each round by itself",
       at(&P::correlation), params::Range{0, 0.9999}},
      {"streams.fill_disks", "",
       "the streams are stored again and again, one set of them behind the other, as long as they fit, and playbacks take "
       "these in turn; otherwise once each, at the beginning of the disks",
       at(&P::fill_disks)},
      {"requests.load", "", "request rate, as a share of the playbacks that disks without any overhead would finish",
       at(&P::load), params::Range{1e-6, 100}},
      {"disks.simulated", "",
       "simulated disks carry the measured rounds out; otherwise admission and reservation only: no data moves",
       at(&P::simulated)},
      {"failure.disk", "", "the disk that fails; -1: none", at(&P::failed_disk), params::Range{-1, 255}},
      {"failure.at_s", "s",
       "the round in which it fails, counted after the warm-up; its reads are lost in this one and asked of the other copies "
       "from the next",
       at(&P::failure_s), params::Range{0, 1e6}},
  };
  return table;
}

void check(const MediaServerParameters& s, const profile::DriveProfile& drive, const workload::RunParameters& run,
           params::Findings& findings) {
  const auto multiple = [&](const std::string& key, std::int64_t bytes, std::int64_t unit, const char* of) {
    if (bytes % unit != 0) findings.add(key, fmt::format("found {}, expected whole {} of {} bytes", bytes, of, unit));
  };
  multiple("server.block_bytes", s.block_bytes, drive.geometry.sector_bytes, "sectors");
  multiple("server.stride_bytes", s.stride_bytes, s.block_bytes, "logical blocks");
  multiple("replication.decluster_bytes", s.decluster_bytes, s.block_bytes, "logical blocks");
  const auto whole = [&](const std::string& key, double rounds) {
    if (rounds != std::floor(rounds)) findings.add(key, fmt::format("found {:g}, expected whole rounds of 1 s", rounds));
  };
  whole("sim.warmup_s", run.warmup_s);
  whole("sim.measure_s", run.measure_s);
  whole("failure.at_s", s.failure_s);

  const bool replicated = s.placement != "none";
  if (replicated && s.disks < 2) findings.add("server.disks", "found 1, expected at least 2 disks for two copies");
  if (find_reservation(s.reservation)->needs_replicas && !replicated)
    findings.add("reservation.scheme",
                 fmt::format("\"{}\" needs backup copies, and replication.placement is \"none\"", s.reservation));
  if (s.decluster_bytes > 0 && !replicated)
    findings.add("replication.decluster_bytes", "there are no backup copies: replication.placement is \"none\"");
  if (s.decluster_bytes > 0 && s.reservation == "dynamic-balancing")
    findings.add("replication.decluster_bytes", "dynamic balancing chooses between two whole copies, expected 0");
  if (s.correlation > 0 && s.scene_rounds > 1)
    findings.add("streams.correlation",
                 fmt::format("found {:g}, expected 0 with scenes of {} rounds", s.correlation, s.scene_rounds));
  if (s.failed_disk >= s.disks)
    findings.add("failure.disk", fmt::format("found {}, expected a disk below {}", s.failed_disk, s.disks));
  if (s.failed_disk >= 0 && s.failure_s + 1 >= run.measure_s)
    findings.add("failure.at_s", fmt::format("found {:g}, expected at least one of the {:g} measured rounds after it",
                                             s.failure_s, run.measure_s));
}

}  // namespace platter::host::media_server
