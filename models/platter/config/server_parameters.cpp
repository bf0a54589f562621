// SPDX-License-Identifier: Apache-2.0
#include "platter/config/parameter.h"
#include "platter/host/media_server/replica_placement.h"
#include "platter/host/media_server/reservation.h"
#include "platter/host/media_server/stream_content.h"

namespace platter::config {

namespace {

template <typename Row>
std::vector<std::string_view> names(const std::vector<Row>& table, std::vector<std::string_view> before = {}) {
  for (const Row& row : table) before.push_back(row.name);
  return before;
}

}  // namespace

const std::vector<Parameter<ServerScenario>>& server_parameters() {
  using S = ServerScenario;
  constexpr double kInfinity = Parameter<S>::kInfinity;
  const auto at = [](auto member) { return [member](S& s) -> Field { return &(s.*member); }; };
  static const std::vector<Parameter<S>> table = {
      {"format", "", "version of the file format", at(&S::format), true, 1, 1, {}},
      {"server.disks", "", "disks, all of the same kind", at(&S::disks), false, 1, 256},
      {"server.block_bytes", "bytes", "logical block, in whole sectors; a round's data is read in whole ones", at(&S::block_bytes),
       false, 512, 1 << 24},
      {"server.stride_bytes", "bytes", "stride of disk space, in whole logical blocks; holds the largest round of a stream",
       at(&S::stride_bytes), false, 512, 1 << 30},
      {"server.rate_bytes_per_s", "bytes/s",
       "transfer rate that the reservation counts with; 0: the sustained rate of the drive's slowest zone",
       at(&S::rate_bytes_per_s), false, 0, 1e12},
      {"replication.placement", "", "where backup copies lie", at(&S::placement), false, -kInfinity, kInfinity,
       names(host::media_server::replica_placement_table())},
      {"replication.decluster_bytes", "bytes",
       "a round's backup copy is cut into blocks of this size, in whole logical blocks, on different disks; 0: it is whole",
       at(&S::decluster_bytes), false, 0, 1 << 30},
      {"reservation.scheme", "", "which copies disk time is reserved for", at(&S::reservation), false, -kInfinity, kInfinity,
       names(host::media_server::reservation_table())},
      {"streams.content", "", "one stored stream of each of the six types, requested in turn, or one of a single type",
       at(&S::content), false, -kInfinity, kInfinity,
       names(host::media_server::content_table(), {"mixed"})},
      {"streams.rounds", "rounds", "length of a stream", at(&S::rounds), false, 1, 1e6},
      {"streams.scene_rounds", "rounds", "mean length of the scenes within which a stream's rate stays; 1: each round by itself",
       at(&S::scene_rounds), false, 1, 1e6},
      {"streams.correlation", "",
       "of a round's rate with the one before's in the same stream, in scenes of one round; 0: each round by itself", at(&S::correlation), false, 0, 0.9999},
      {"streams.fill_disks", "",
       "the streams are stored again and again, one set of them behind the other, as long as they fit, and playbacks take these in turn; otherwise once each, "
       "at the beginning of the disks",
       at(&S::fill_disks)},
      {"requests.load", "", "request rate, as a share of the playbacks that disks without any overhead would finish", at(&S::load),
       false, 1e-6, 100},
      {"disks.policy", "", "scheduling policy of the simulated disks (`server simulate`), one of `platter list policies`", at(&S::policy),
       false},
      {"failure.disk", "", "the disk that fails; -1: none", at(&S::failed_disk), false, -1, 255},
      {"failure.at_s", "s", "the round in which it fails, counted after the warm-up; its reads are lost in this one and asked of the other copies from the next",
       at(&S::failure_s), false, 0, 1e7},
      {"sim.seed", "", "seed of streams, random placement and requests", at(&S::seed), false, 0, 9.2e18},
      {"sim.warmup_s", "s", "rounds before counting starts", at(&S::warmup_s), false, 0, 1e7},
      {"sim.measure_s", "s", "rounds that are counted", at(&S::measure_s), false, 1, 1e7},
  };
  return table;
}

}  // namespace platter::config
