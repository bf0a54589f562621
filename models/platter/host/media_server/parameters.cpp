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
      {"server.disks", "", "number of disks, all of the same kind", at(&P::disks), params::Range{1, 256}},
      {"server.block_bytes", "bytes", "logical block, in whole sectors; the data of a round are read in whole logical blocks",
       at(&P::block_bytes), params::Range{512, 1 << 24}},
      {"server.stride_bytes", "bytes", "stride of disk space, in whole logical blocks; it holds the largest round of a stream",
       at(&P::stride_bytes), params::Range{512, 1 << 30}},
      {"server.rate_bytes_per_s", "bytes/s",
       "transfer rate that the reservation assumes; 0: the sustained rate of the drive's slowest zone",
       at(&P::rate_bytes_per_s), params::Range{0, 1e12}},
      {"replication.placement", "", "placement of the backup copies", at(&P::placement), names_of(replica_placement_table())},
      {"replication.decluster_bytes", "bytes",
       "size of the blocks into which a round's backup copy is cut, in whole logical blocks; they lie on different disks; 0: "
       "not cut",
       at(&P::decluster_bytes), params::Range{0, 1 << 30}},
      {"reservation.scheme", "", "copies for which disk time is reserved", at(&P::reservation), names_of(reservation_table())},
      {"streams.content", "",
       "mixed: one stored stream of each of the six types, requested in turn; otherwise one stored stream of this type",
       at(&P::content), names_of(content_table(), {"mixed"})},
      {"streams.rounds", "rounds", "length of a stream", at(&P::rounds), params::Range{1, 1e6}},
      {"streams.scene_rounds", "rounds",
       "mean length of the scenes, within which a stream's rate stays the same; 1: each round has its own rate",
       at(&P::scene_rounds), params::Range{1, 1e6}},
      {"streams.correlation", "",
       "correlation of a round's rate with the rate of the round before it in the same stream, for scenes of one round; 0: "
       "independent rates",
       at(&P::correlation), params::Range{0, 0.9999}},
      {"streams.fill_disks", "",
       "true: the set of streams is stored again and again as long as it fits, and playbacks use the stored sets in turn; "
       "false: it is stored once, at the beginning of the disks",
       at(&P::fill_disks)},
      {"requests.load", "", "request rate, as a share of the playbacks that disks without any overhead would finish",
       at(&P::load), params::Range{1e-6, 100}},
      {"disks.simulated", "",
       "true: simulated disks execute the measured rounds; false: admission and reservation only, and no data move",
       at(&P::simulated)},
      {"failure.disk", "", "number of the disk that fails; -1: none", at(&P::failed_disk), params::Range{-1, 255}},
      {"failure.at_s", "s",
       "round in which the disk fails, counted after the warm-up; its reads are lost in this round and go to the other copies "
       "from the next round on",
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
                 fmt::format("\"{}\" needs backup copies, but replication.placement is \"none\"", s.reservation));
  if (s.decluster_bytes > 0 && !replicated)
    findings.add("replication.decluster_bytes",
                 "found a size, expected 0: there are no backup copies, because replication.placement is \"none\"");
  if (s.decluster_bytes > 0 && s.reservation == "dynamic-balancing")
    findings.add("replication.decluster_bytes", "expected 0: dynamic balancing chooses between two whole copies");
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
