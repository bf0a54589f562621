// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/observe/statistics.h"
#include "platter/workload/generators.h"
#include "testing.h"

namespace platter::testing {

/// Continuous streams in rounds and Poisson discrete requests, as in models/configs/scenarios/mixed_media.toml.
struct MixedLoad {
  std::vector<std::string> tables = {"bigbuckbunny_mpeg1_1150k", "bikes_mpeg1_1150k", "carphone_mpeg1_1150k",
                                     "bigbuckbunny_mpeg2_2000k", "bikes_mpeg2_2000k", "carphone_mpeg2_2000k"};
  std::uint32_t streams = 25;
  Picoseconds round = core::kPicosecondsPerSecond;
  double rate_per_s = 30;
  double read_fraction = 0.8;
  Picoseconds deadline = core::kNoDeadline;  ///< of a discrete request, from its issue on
  std::uint64_t seed = 1;
};

/// Long requests in short rounds, and more discrete ones than the drive has time for: the guard must refuse requests
/// frequently, with as little as one turn to spare.
inline MixedLoad tight_load() {
  MixedLoad load;
  load.tables = {"bigbuckbunny_mpeg2_3000k", "bikes_mpeg2_3000k", "carphone_mpeg2_3000k"};
  load.streams = 8;
  load.round = 250 * kMs;
  load.rate_per_s = 120;
  load.read_fraction = 0.5;
  return load;
}

/// A drive, its host and a mixed load.
class MixedRig {
 public:
  MixedRig(const std::string& name, std::unique_ptr<drive::Drive> drive, const MixedLoad& load, Picoseconds end)
      : disk(std::move(drive)), host((name + "_host").c_str()) {
    const workload::Target target{disk->planner().geometry().block_count(), disk->planner().geometry().sector_bytes()};
    std::vector<workload::StreamTable> tables;
    for (const std::string& table : load.tables)
      tables.push_back(
          workload::StreamTable::load(std::filesystem::path(PLATTER_SOURCE_DIR) / "models/configs/streams" / (table + ".csv")));
    workload::RoundsProducer::Options rounds;
    rounds.streams = load.streams;
    rounds.round = load.round;
    rounds.seed = load.seed;
    continuous_ = std::make_unique<workload::RoundsProducer>(target, rounds, std::move(tables));
    workload::RandomProducer::Options random;
    random.rate_per_s = load.rate_per_s;
    random.read_fraction = load.read_fraction;
    random.mean_bytes = 70'000;
    random.deviation_bytes = 20'000;
    random.deadline = load.deadline;
    random.seed = load.seed;
    discrete_ = std::make_unique<workload::RandomProducer>(target, random);
    host.add_producer(*continuous_);
    host.add_producer(*discrete_);
    host.add_observer(finished);
    host.add_observer(statistics);
    host.set_limit(RequestClass::Discrete, disk->queue().depth() - load.streams);
    host.set_end(end);
    host.disk_init_socket.bind(disk->host_tgt_socket);
  }
  MixedRig(const std::string& name, const std::string& policy, const std::string& engine, const MixedLoad& load,
           Picoseconds end)
      : MixedRig(name, make_drive((name + "_disk").c_str(), policy, engine, atlas_profile(), false), load, end) {}

  /// Call this after the run: counts the outstanding requests and checks the balance.
  void close() {
    host.for_each_outstanding([&](const workload::Request& r) { statistics.outstanding(r, core::now_ps()); });
    EXPECT_NO_THROW(statistics.check_conservation());
  }
  double mean_ms(RequestClass cls) const { return statistics.of(cls).response.mean_ms().value(); }

  std::unique_ptr<drive::Drive> disk;
  workload::Initiator host;
  Finished finished;
  observe::Statistics statistics{0};

 private:
  std::unique_ptr<workload::RoundsProducer> continuous_;
  std::unique_ptr<workload::RandomProducer> discrete_;
};

}  // namespace platter::testing
