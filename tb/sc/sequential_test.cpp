// SPDX-License-Identifier: Apache-2.0
//
// Sequential reads: a host that asks for more at once, answers faster or has a faster bus never gets less, on every shipped drive with a
// buffer and through every front. Random reads beside a stream get their turn.
#include <algorithm>
#include <array>
#include <map>

#include "array_rig.h"
#include "platter/front/nbd/block_initiator.h"
#include "testing.h"

namespace platter::testing {
namespace {

using workload::Request;

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }
constexpr std::uint32_t kBlockBytes = 4096;
constexpr std::array<std::uint32_t, 6> kDepths = {1, 2, 4, 8, 16, 32};

/// Reads one block behind the other, as many at once as `depth`; each comes `think` after the end of another one.
class Sequential : public workload::ProducerIf {
 public:
  /// From the front again at `bytes`; 0: never.
  Sequential(std::uint32_t depth, Picoseconds think, std::uint64_t bytes = 0) : depth_(depth), think_(think), bytes_(bytes) {}
  bool next(Request& request, Picoseconds now) override {
    request = {};
    if (issued_ == most) return false;
    request.issued = now + (issued_ < depth_ ? 0 : think_);
    request.address = issued_++ * length;
    if (bytes_ > 0) request.address %= bytes_;
    request.length = length;
    return true;
  }
  std::uint32_t closed_depth() const override { return depth_; }

  std::uint32_t length = kBlockBytes;      ///< of a read, bytes
  std::uint64_t most = ~std::uint64_t{0};  ///< reads

 private:
  std::uint32_t depth_;
  Picoseconds think_;
  std::uint64_t bytes_;
  std::uint64_t issued_ = 0;
};

/// Reads blocks anywhere behind the first tenth of the drive.
class Random : public workload::ProducerIf {
 public:
  Random(std::uint32_t depth, std::uint64_t sectors)
      : depth_(depth), blocks_(sectors * 512 / kBlockBytes), random_(7, "random") {}
  bool next(Request& request, Picoseconds now) override {
    request = {};
    request.issued = now;
    const std::uint64_t first = blocks_ / 10;
    request.address = (first + random_.below(blocks_ - first)) * kBlockBytes;
    request.length = kBlockBytes;
    return true;
  }
  std::uint32_t closed_depth() const override { return depth_; }

 private:
  std::uint32_t depth_;
  std::uint64_t blocks_;
  core::RandomStream random_;
};

class Count : public workload::RequestObserverIf {
 public:
  explicit Count(std::uint64_t stream_bytes) : stream_bytes_(stream_bytes) {}
  void issued(const Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& f) override {
    const bool random = f.request.address >= stream_bytes_;
    ++(random ? of_random : of_stream);
    if (random) longest = std::max(longest, f.timing.response());
    if (first_end == 0) first_end = core::now_ps();
    last_end = core::now_ps();
  }
  std::uint64_t of_stream = 0;
  std::uint64_t of_random = 0;
  Picoseconds longest = 0;    ///< response of a random read
  Picoseconds first_end = 0;  ///< when the first request ended, and the last one
  Picoseconds last_end = 0;

 private:
  std::uint64_t stream_bytes_;
};

/// A drive with a stream, and perhaps random reads.
struct Rig {
  Rig(const std::string& name, const profile::DriveProfile& profile, const std::string& policy, const std::string& engine,
      std::uint32_t depth, Picoseconds think, std::uint32_t randoms = 0)
      : disk(make_drive((name + "_disk").c_str(), policy, engine, profile, false)),
        host((name + "_host").c_str()),
        stream(depth, think),
        random(randoms, disk->capacity_sectors()),
        count(disk->capacity_sectors() * 512 / 11) {
    host.disk_init_socket.bind(disk->host_tgt_socket);
    if (depth > 0) host.add_producer(stream);
    if (randoms > 0) host.add_producer(random);
    host.add_observer(count);
    for (std::size_t cls = 0; cls < core::kRequestClasses; ++cls)
      host.set_limit(static_cast<RequestClass>(cls), std::max(1u, depth + randoms));
  }
  std::unique_ptr<drive::Drive> disk;
  workload::Initiator host;
  Sequential stream;
  Random random;
  Count count;
};

std::vector<std::string> buffered_drives() {
  std::vector<std::string> names;
  for (const auto& [name, file] : system::shipped_drives())
    if (system::load_drive(name).cache.segments > 0) names.push_back(name);
  return names;
}

// --- rates -------------------------------------------------------------------------------------------------------------

constexpr Picoseconds kTime = 1'000 * kMs;

/// Blocks of the stream in the first second, for each of the depths.
using Rates = std::array<std::uint64_t, kDepths.size()>;
using Rigs = std::array<std::unique_ptr<Rig>, kDepths.size()>;

Rigs rigs(const std::string& name, const profile::DriveProfile& profile, const std::string& policy, const std::string& engine,
          Picoseconds think) {
  Rigs made;
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = std::make_unique<Rig>(name + "_depth" + std::to_string(kDepths[i]), profile, policy, engine, kDepths[i], think);
  return made;
}

Rates rates(const Rigs& rigs) {
  Rates rates{};
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rigs[i]->count.of_stream;
  return rates;
}

/// The rate falls with no depth; the first turns of a stream, in which the reads that come at once are put in order, are 3 % of the time.
void expect_rising(const Rates& rates, const std::string& what) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    EXPECT_GE(static_cast<double>(rates[i]), 0.97 * static_cast<double>(most)) << what << ", depth " << kDepths[i];
    most = std::max(most, rates[i]);
  }
}

/// The share of its rate that a drive keeps with a faster host or bus and one read at a time, where this is less than 99 %: a read-ahead
/// that has reached its limit begins anew, which costs up to a turn, and how often that happens depends on the host.
const std::map<std::string, double> kKept = {{"atlas10k", 0.95}, {"atlas_iii", 0.86}, {"barracuda", 0.9}};

/// A host or a bus that is faster, and nothing else, has no lower rate.
void expect_no_less(const std::string& drive, const Rates& faster, const Rates& slower, const std::string& what) {
  const auto known = kKept.find(drive);
  for (std::size_t i = 0; i < faster.size(); ++i) {
    const double kept = kDepths[i] == 1 && known != kKept.end() ? known->second : 0.99;
    EXPECT_GE(static_cast<double>(faster[i]), kept * static_cast<double>(slower[i])) << what << ", depth " << kDepths[i];
  }
}

class BufferedDrive : public ::testing::TestWithParam<std::string> {};

TEST_P(BufferedDrive, IsNoSlowerForAHostThatAsksForMoreOrSoonerOrHasAFasterBus) {
  constexpr std::array<double, 5> kThinks = {100, 20, 15, 10, 0};
  // us a block; 0: the profile's. A calibrated drive has the buffer of the imported one.
  const bool derived = GetParam().find("_calibrated") != std::string::npos || GetParam().find("_spread") != std::string::npos;
  const std::vector<double> buses = derived ? std::vector<double>{0, 6.4} : std::vector<double>{0, 20, 6.4, 1};
  std::vector<std::array<Rigs, kThinks.size()>> all(buses.size());
  const auto name_of = [&](std::size_t bus, std::size_t think) {
    return "bus " + std::to_string(buses[bus]) + " us, host " + std::to_string(kThinks[think]) + " us";
  };
  for (std::size_t bus = 0; bus < buses.size(); ++bus)
    for (std::size_t think = 0; think < kThinks.size(); ++think) {
      profile::DriveProfile profile = system::load_drive(GetParam());
      if (buses[bus] > 0) profile.bus_read_block_us = profile.bus_write_block_us = buses[bus];
      all[bus][think] =
          rigs("rig" + std::to_string(bus) + "_" + std::to_string(think), profile, "SPTF", "firmware", us(kThinks[think]));
    }
  run_until(kTime);
  for (std::size_t bus = 0; bus < buses.size(); ++bus)
    for (std::size_t think = 0; think < kThinks.size(); ++think) {
      expect_rising(rates(all[bus][think]), name_of(bus, think));
      if (think > 0) expect_no_less(GetParam(), rates(all[bus][think]), rates(all[bus][think - 1]), name_of(bus, think));
      if (bus > 1) expect_no_less(GetParam(), rates(all[bus][think]), rates(all[bus - 1][think]), name_of(bus, think));
    }
}

TEST_P(BufferedDrive, ReadsOfAnySizeAreNoSlowerWithTheReadAheadOrMoreAtOnce) {
  constexpr std::array<std::uint32_t, 3> kAtOnce = {1, 2, 16};
  constexpr std::uint64_t kReads = 60;
  const profile::DriveProfile profile = system::load_drive(GetParam());
  profile::DriveProfile without = profile;
  without.cache.read_ahead = profile::ReadAhead::None;
  const std::uint32_t segment = profile.cache.segment_blocks * profile.geometry.sector_bytes;
  const std::array<std::uint32_t, 4> sizes = {65'536, segment, segment + 4096, 2 * segment};
  std::vector<std::unique_ptr<Rig>> all;
  for (const std::uint32_t size : sizes)
    for (const std::uint32_t depth : kAtOnce)
      for (const profile::DriveProfile& one : {profile, without}) {
        all.push_back(std::make_unique<Rig>("large" + std::to_string(all.size()), one, "SPTF", "firmware", depth, 0));
        all.back()->stream.length = size;
        all.back()->stream.most = kReads;
      }
  run_until(3'600'000 * kMs);
  auto rig = all.begin();
  for (const std::uint32_t size : sizes) {
    Picoseconds least = std::numeric_limits<Picoseconds>::max() / 2;  // time of the same bytes with fewer at once
    for (const std::uint32_t depth : kAtOnce) {
      std::array<Picoseconds, 2> times{};  // with the read-ahead, and without it
      for (Picoseconds& time : times) {
        ASSERT_EQ((*rig)->count.of_stream, kReads);
        time = (*rig)->count.last_end - (*rig)->count.first_end;
        ++rig;
      }
      const std::string what = std::to_string(size) + " bytes, depth " + std::to_string(depth);
      const bool costly = GetParam() == "cheetah15k5";  // a hit has an overhead there, and a read from the media has none
      if (!costly) {
        EXPECT_LE(times[0], times[1] + times[1] / 20) << what;
      }
      EXPECT_LE(times[0], least + least / 20) << what;
      least = std::min(least, times[0]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, BufferedDrive, ::testing::ValuesIn(buffered_drives()),
                         [](const auto& test) { return test.param; });

TEST(Sequential, EveryPolicyAndEngineReadsOn) {
  std::vector<std::pair<std::string, Rigs>> all;
  profile::DriveProfile profile = system::load_drive("cheetah9lp");
  profile.bus_read_block_us = profile.bus_write_block_us = 6.4;
  for (const char* policy : {"FCFS", "SSTF", "LOOK", "SPTF", "ASPTF(0.01)"})
    all.emplace_back(policy, rigs("on_" + std::to_string(all.size()), profile, policy, "firmware", 0));
  all.emplace_back("model", rigs("on_model", profile, "SPTF", "model", 0));
  run_until(kTime);
  for (const auto& [name, each] : all) {
    expect_rising(rates(each), name);
    EXPECT_NEAR(static_cast<double>(rates(each).back()), static_cast<double>(rates(all[0].second).back()),
                0.03 * static_cast<double>(rates(each).back()))
        << name << ": at the media's rate";
  }
}

TEST(Sequential, TheAcceleratorsRtlTakesTheSameDecisions) {
  profile::DriveProfile profile = system::load_drive("cheetah9lp");
  const auto rig = std::make_unique<Rig>("lockstep", profile, "SPTF", "lockstep", 8, 0, 6);
  const auto model = std::make_unique<Rig>("model", profile, "SPTF", "model", 8, 0, 6);
  run_until(100 * kMs);
  EXPECT_GT(rig->count.of_stream, 8u);
  EXPECT_EQ(rig->count.of_stream, model->count.of_stream);
  EXPECT_EQ(rig->count.of_random, model->count.of_random);
}

TEST(Sequential, AnArrayIsNoSlowerForAHostThatAsksForMore) {
  std::vector<std::unique_ptr<ArrayRig>> arrays;
  std::vector<std::unique_ptr<workload::Initiator>> hosts;
  std::vector<std::unique_ptr<Sequential>> streams;
  std::vector<std::unique_ptr<Count>> counts;
  for (const std::uint32_t depth : kDepths) {
    const std::string name = "array" + std::to_string(depth);
    ArrayConfig config;
    config.drives = 4;
    config.areas = {area_of(64, 65'536)};
    config.holds_data = false;
    profile::DriveProfile profile = cached_toy_profile(profile::WriteBack::Off);
    profile.cache.keep_read_blocks = false;
    arrays.push_back(std::make_unique<ArrayRig>(config, profile, "SPTF", name));
    hosts.push_back(std::make_unique<workload::Initiator>((name + "_host").c_str()));
    streams.push_back(std::make_unique<Sequential>(depth, 0, 64 * 65'536));
    counts.push_back(std::make_unique<Count>(~std::uint64_t{0}));
    hosts.back()->disk_init_socket.bind(arrays.back()->array->host_tgt_socket);
    hosts.back()->add_producer(*streams.back());
    hosts.back()->add_observer(*counts.back());
    hosts.back()->set_limit(RequestClass::Discrete, depth);
  }
  run_until(kTime);
  Rates rates{};
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = counts[i]->of_stream;
  EXPECT_GT(rates[0], 0u);
  expect_rising(rates, "array");
}

/// A client of a served drive: several reads under way, each followed by the next one as soon as it is answered.
class BlockReader : public nbd::BlockClientIf {
 public:
  BlockReader(nbd::BlockInitiator& initiator, std::uint32_t depth) : initiator_(initiator) {
    for (std::uint32_t i = 0; i < depth; ++i) issue();
  }
  void answered(nbd::BlockRequest& /*request*/) override {
    ++blocks;
    issue();
  }
  std::uint64_t blocks = 0;

 private:
  void issue() {
    nbd::BlockRequest& request = initiator_.acquire(*this);
    request.command = {};
    request.command.address = issued_++ * kBlockBytes;
    request.command.length = kBlockBytes;
    request.data.resize(kBlockBytes);
    initiator_.issue(request);
  }
  nbd::BlockInitiator& initiator_;
  std::uint64_t issued_ = 0;
};

TEST(Sequential, AServedDriveIsNoSlowerForAClientThatAsksForMore) {
  profile::DriveProfile profile = system::load_drive("cheetah9lp");
  profile.bus_read_block_us = profile.bus_write_block_us = 6.4;
  profile.bus_overlap = true;
  std::vector<std::unique_ptr<drive::Drive>> disks;
  std::vector<std::unique_ptr<nbd::BlockInitiator>> initiators;
  std::vector<std::unique_ptr<BlockReader>> clients;
  for (const std::uint32_t depth : kDepths) {
    const std::string name = "served" + std::to_string(depth);
    disks.push_back(make_drive(name.c_str(), "SPTF", "firmware", profile));
    initiators.push_back(std::make_unique<nbd::BlockInitiator>((name + "_initiator").c_str()));
    initiators.back()->disk_init_socket.bind(disks.back()->host_tgt_socket);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::size_t i = 0; i < kDepths.size(); ++i) clients.push_back(std::make_unique<BlockReader>(*initiators[i], kDepths[i]));
  run_until(kTime);
  Rates rates{};
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = clients[i]->blocks;
  expect_rising(rates, "served");
  EXPECT_GT(rates[0], 3'000u) << "the media's rate, at any depth";
}

// --- beside random reads -----------------------------------------------------------------------------------------------

class BesideRandomReads : public ::testing::TestWithParam<const char*> {};

TEST_P(BesideRandomReads, AStreamsTurnServesAllOfItsReadsThatWaitAndCostsNobodyMore) {
  profile::DriveProfile profile = system::load_drive("cheetah9lp");
  profile.bus_read_block_us = profile.bus_write_block_us = 6.4;
  profile::DriveProfile without = profile;
  without.cache.almost_read_hits = false;
  const Rig with("with", profile, GetParam(), "firmware", 8, 0, 8);
  const Rig off("without", without, GetParam(), "firmware", 8, 0, 8);
  const Rig alone("alone", profile, GetParam(), "firmware", 0, 0, 8);
  run_until(4 * kTime);
  EXPECT_GT(with.count.of_stream, off.count.of_stream);
  EXPECT_GE(with.count.of_random, off.count.of_random) << "the stream's gain is nobody's loss";
  // A policy that heeds age gives random reads at least half of what they get alone. LOOK and SPTF starve them beside a stream, with a
  // read-ahead and without.
  const std::string policy = GetParam();
  if (policy == "FCFS" || policy == "ASPTF(0.01)") {
    EXPECT_GT(2 * with.count.of_random, alone.count.of_random);
    EXPECT_LT(with.count.longest, off.count.longest);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, BesideRandomReads, ::testing::Values("FCFS", "LOOK", "SPTF", "ASPTF(0.01)"));

TEST(SequentialAndRandom, ACommandWithADeadlineDoesNotWaitForAStream) {
  const auto disk = make_drive("disk", "FCFS", "firmware", cached_toy_profile(profile::WriteBack::Off));
  AtHost host("host", *disk);
  const auto begin_of = [&](bool deadline) {
    const Picoseconds now = core::now_ps() / kToyTurn * kToyTurn + 4 * kToyTurn;
    run_until(now);
    const std::uint64_t at = deadline ? 4 * kToyCylinder : 2 * kToyCylinder;
    host.submit(false, at, 8);
    Transaction& next = host.submit(false, at + 8, 8);
    Transaction& other = host.make();
    other.set(false, (deadline ? 40 : 60) * kToyCylinder, 8);
    if (deadline) other.extension.deadline = now + 20 * kToyTurn;
    host.submit(other);
    run_until(now + 20 * kToyTurn);
    EXPECT_EQ(next.status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(next.timing().parts(), next.timing().response());
    EXPECT_EQ(other.timing().parts(), other.timing().response());
    return next.timing().transfer == 0;  // from the buffer
  };
  EXPECT_TRUE(begin_of(false)) << "the drive reads on";
  EXPECT_FALSE(begin_of(true)) << "the policy decides";
}

}  // namespace
}  // namespace platter::testing
