// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "platter/core/random.h"
#include "platter/host/media_server/admission_run.h"
#include "platter/host/media_server/service_account.h"
#include "platter/system/drives.h"

namespace platter::host::media_server {
namespace {

using Disks = std::vector<std::uint32_t>;

// --- streams -------------------------------------------------------------------------------------------------------

double variation(const std::vector<std::uint32_t>& bytes, double mean) {
  double squares = 0;
  for (const std::uint32_t round : bytes) squares += (round - mean) * (round - mean);
  return std::sqrt(squares / static_cast<double>(bytes.size())) / mean;
}

TEST(StreamContent, HasTheStatisticsOfTable3) {
  ASSERT_EQ(content_table().size(), 6u);
  for (const ContentType& type : content_table())
    for (const std::uint32_t scene : {1u, 10u})
      for (const std::uint64_t seed : {1u, 2u, 77u}) {
        SCOPED_TRACE(std::string(type.name) + ", scenes of " + std::to_string(scene) + ", seed " + std::to_string(seed));
        ContentOptions options;
        options.scene_rounds = scene;
        options.seed = seed;
        const auto bytes = generate_rounds(type, options);
        ASSERT_EQ(bytes.size(), 1800u);
        EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}), std::uint64_t{1800} * type.mean_bytes);
        EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), type.largest_bytes);
        EXPECT_GE(*std::min_element(bytes.begin(), bytes.end()), kMinBytesPerRound);
        EXPECT_NEAR(variation(bytes, type.mean_bytes), type.variation, 0.0005);  // as the table is rounded
      }
}

TEST(StreamContent, TheDocumentaryIsConstantButForAFewLowRounds) {
  const auto bytes = generate_rounds(*find_content("documentary"), {});
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 625'786u), 1797);
}

TEST(StreamContent, FollowsTheSeedAndKeepsTheRateWithinAScene) {
  const ContentType& action = *find_content("action");
  ContentOptions options;
  const auto first = generate_rounds(action, options);
  EXPECT_EQ(first, generate_rounds(action, options));
  options.seed = 2;
  EXPECT_NE(first, generate_rounds(action, options));
  const auto changes = [](const std::vector<std::uint32_t>& bytes) {
    int count = 0;
    for (std::size_t i = 1; i < bytes.size(); ++i) count += std::abs(std::int64_t{bytes[i]} - bytes[i - 1]) > 2;
    return count;
  };
  EXPECT_GT(changes(first), 1700);
  options.scene_rounds = 10;
  EXPECT_NEAR(changes(generate_rounds(action, options)), 180, 50);
}

TEST(StreamContent, CorrelatesARoundWithTheOneBefore) {
  for (const double correlation : {0.0, 0.9, 0.98}) {
    double sum = 0;
    constexpr int kSeeds = 20;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      ContentOptions options;
      options.correlation = correlation;
      options.seed = seed;
      const ContentType& type = *find_content("science-fiction");
      const auto bytes = generate_rounds(type, options);
      EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}), std::uint64_t{1800} * type.mean_bytes);
      EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), type.largest_bytes);
      EXPECT_NEAR(variation(bytes, type.mean_bytes), type.variation, 0.0005);
      double products = 0;
      double squares = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const double here = static_cast<double>(bytes[i]) - type.mean_bytes;
        squares += here * here;
        if (i > 0) products += here * (static_cast<double>(bytes[i - 1]) - type.mean_bytes);
      }
      sum += products / squares;
    }
    EXPECT_NEAR(sum / kSeeds, correlation, 0.015) << correlation;
  }
}

TEST(StreamContent, RefusesStatisticsThatNoStreamHas) {
  EXPECT_THROW(generate_rounds({"flat", 600'000, 600'000, 0.1}, {}), std::invalid_argument);
  EXPECT_THROW(generate_rounds({"wild", 600'000, 700'000, 2.0}, {}), std::invalid_argument);
  EXPECT_THROW(generate_rounds({"low", 100'000, 700'000, 0.1}, {}), std::invalid_argument);
}

// --- striping ------------------------------------------------------------------------------------------------------

TEST(Striping, BlocksAreTheDifferenceOfCumulativeCeilings) {
  // 10, 20, 22, 42, 52 bytes so far are 1, 2, 3, 5, 6 blocks of 10 (the 22nd byte begins the third).
  EXPECT_EQ(blocks_per_round({10, 10, 2, 20, 10}, 10), (Disks{1, 1, 1, 2, 1}));
  EXPECT_EQ(blocks_per_round({1, 1, 8, 1}, 10), (Disks{1, 0, 0, 1}));
}

TEST(Striping, BlocksHoldTheWholeStream) {
  const auto bytes = generate_rounds(*find_content("music-clip"), {});
  const auto blocks = blocks_per_round(bytes, 16'384);
  const auto sum = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  EXPECT_EQ(std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0}), (sum + 16'383) / 16'384);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_GE(blocks[i] * 16'384 + 16'383, bytes[i]);
    EXPECT_LE(blocks[i] * 16'384, bytes[i] + 16'384);
  }
}

TEST(Striping, RoundsVisitTheDisksInTurn) {
  const StoredStream stream({3, 1, 0, 2, 5, 4}, {4, 2, 0}, nullptr);
  Disks disks;
  std::vector<std::uint64_t> first;
  for (Round round = 0; round < stream.rounds(); ++round) {
    disks.push_back(stream.primary(round).disk);
    first.push_back(stream.primary(round).first_block);
    EXPECT_TRUE(stream.backups(round).empty());
  }
  EXPECT_EQ(disks, (Disks{2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(first, (std::vector<std::uint64_t>{0, 0, 0, 0, 3, 1}));
  EXPECT_EQ(stream.area_blocks(Copy::Primary, 2), 8u);
  EXPECT_EQ(stream.area_blocks(Copy::Backup, 2), 0u);
}

// --- replicas ------------------------------------------------------------------------------------------------------

std::unique_ptr<ReplicaPlacementIf> placement(const char* name, std::uint32_t disks, std::uint64_t seed = 1) {
  return find_replica_placement(name)->create(disks, seed, "stream");
}

Disks backups_of(const StoredStream& stream, std::uint32_t primary) {
  Disks disks;
  for (Round round = 0; round < stream.rounds(); ++round)
    if (stream.primary(round).disk == primary)
      for (const Fragment& fragment : stream.backups(round)) disks.push_back(fragment.disk);
  return disks;
}

TEST(ReplicaPlacement, DeterministicRotatesFromTheNextDiskOn) {
  const auto rotated = placement("deterministic", 4);
  const StoredStream stream(std::vector<std::uint32_t>(20, 5), {4, 0, 0}, rotated.get());
  EXPECT_EQ(backups_of(stream, 0), (Disks{1, 2, 3, 1, 2}));  // figure 2
  EXPECT_EQ(backups_of(stream, 1), (Disks{2, 3, 0, 2, 3}));
  EXPECT_EQ(backups_of(stream, 3), (Disks{0, 1, 2, 0, 1}));
  for (Round turn = 0; turn < 5; ++turn) {  // the n-th units of all disks are on different ones
    std::set<std::uint32_t> used;
    for (Round disk = 0; disk < 4; ++disk) used.insert(stream.backups(4 * turn + disk).begin()->disk);
    EXPECT_EQ(used.size(), 4u);
  }
}

TEST(ReplicaPlacement, AscendingMeetsOnOneDisk) {
  const auto ascending = placement("ascending", 4);
  const StoredStream stream(std::vector<std::uint32_t>(12, 5), {4, 0, 0}, ascending.get());
  EXPECT_EQ(backups_of(stream, 0), (Disks{1, 2, 3}));
  EXPECT_EQ(backups_of(stream, 2), (Disks{0, 1, 3}));
}

TEST(ReplicaPlacement, RandomAvoidsThePrimaryAndIsEven) {
  const auto random = placement("random", 4, 9);
  const StoredStream stream(std::vector<std::uint32_t>(12'000, 5), {4, 0, 0}, random.get());
  std::map<std::uint32_t, int> count;
  for (const std::uint32_t disk : backups_of(stream, 1)) ++count[disk];
  EXPECT_EQ(count.count(1), 0u);
  for (const std::uint32_t disk : {0u, 2u, 3u}) EXPECT_NEAR(count[disk], 1000, 100);
  const auto again = placement("random", 4, 9);
  const auto other = placement("random", 4, 10);
  const std::vector<std::uint32_t> blocks(12'000, 5);
  EXPECT_EQ(backups_of(stream, 1), backups_of(StoredStream(blocks, {4, 0, 0}, again.get()), 1));
  EXPECT_NE(backups_of(stream, 1), backups_of(StoredStream(blocks, {4, 0, 0}, other.get()), 1));
}

TEST(ReplicaPlacement, DeclusteredBlocksGoOnRoundRobinAndMergeOnADisk) {
  const auto rotated = placement("deterministic", 3);
  // Five blocks in twos on the two other disks: 2, 2 and 1, of which the first and the last share a disk.
  const StoredStream stream({5, 1, 1, 5}, {3, 0, 2}, rotated.get());
  const auto first = stream.backups(0);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first.begin()[0].disk, 1u);
  EXPECT_EQ(first.begin()[0].blocks, 3u);
  EXPECT_EQ(first.begin()[1].disk, 2u);
  EXPECT_EQ(first.begin()[1].blocks, 2u);
  const auto fourth = stream.backups(3);  // goes on with the fourth block: disk 2 first
  EXPECT_EQ(fourth.begin()[0].disk, 2u);
  EXPECT_EQ(fourth.begin()[0].blocks, 3u);
  EXPECT_EQ(stream.area_blocks(Copy::Backup, 1) + stream.area_blocks(Copy::Backup, 2) + stream.area_blocks(Copy::Backup, 0),
            12u);
}

TEST(ReplicaPlacement, RandomBlocksOfARoundUseEveryDiskBeforeOneTwice) {
  const auto random = placement("random", 5);
  const StoredStream stream(std::vector<std::uint32_t>(200, 6), {5, 0, 1}, random.get());  // six blocks, four other disks
  for (Round round = 0; round < stream.rounds(); ++round) {
    ASSERT_EQ(stream.backups(round).size(), 4u);
    for (const Fragment& fragment : stream.backups(round)) {
      EXPECT_NE(fragment.disk, stream.primary(round).disk);
      EXPECT_GE(fragment.blocks, 1u);
      EXPECT_LE(fragment.blocks, 2u);
    }
  }
}

TEST(ReplicaPlacement, WithoutBlocksLargerThanTheRoundNothingIsDeclustered) {
  const std::vector<std::uint32_t> blocks{7, 3, 8, 8, 1};
  const auto a = placement("deterministic", 4);
  const auto b = placement("deterministic", 4);
  const StoredStream whole(blocks, {4, 0, 0}, a.get());
  const StoredStream cut(blocks, {4, 0, 8}, b.get());
  for (Round round = 0; round < 5; ++round) {
    ASSERT_EQ(cut.backups(round).size(), 1u);
    EXPECT_EQ(cut.backups(round).begin()->disk, whole.backups(round).begin()->disk);
  }
}

// --- strides -------------------------------------------------------------------------------------------------------

TEST(Strides, AFragmentLiesInAtMostTwo) {
  StrideAllocator allocator(2, 4, 100);
  const StoredStream stream({3, 3, 3, 3, 4, 0}, {2, 0, 0}, nullptr);
  const StrideMap map(stream, allocator);
  const auto second = map.locate(Copy::Primary, stream.primary(2));  // blocks 3 to 5 of disk 0: strides 0 and 1
  ASSERT_EQ(second.count, 2u);
  EXPECT_EQ(second.extents[0].first_block, 3u);
  EXPECT_EQ(second.extents[0].blocks, 1u);
  EXPECT_EQ(second.extents[1].first_block, 4u);
  EXPECT_EQ(second.extents[1].blocks, 2u);
  EXPECT_EQ(map.locate(Copy::Primary, stream.primary(0)).count, 1u);
  EXPECT_EQ(map.locate(Copy::Primary, stream.primary(5)).count, 0u);
  EXPECT_EQ(allocator.used(0), 3u);
  EXPECT_EQ(allocator.used(1), 2u);
}

TEST(Strides, NoBlockHoldsTwoThings) {
  StrideAllocator allocator(4, 64, 10'000);
  std::map<std::uint32_t, std::set<std::uint64_t>> taken;
  for (const char* name : {"deterministic", "random"}) {
    const auto replicas = placement(name, 4);
    const auto blocks = blocks_per_round(generate_rounds(*find_content("action"), {}), 32'768);
    const StoredStream stream(blocks, {4, 1, 0}, replicas.get());
    const StrideMap map(stream, allocator);
    for (Round round = 0; round < stream.rounds(); ++round)
      for (const Copy copy : {Copy::Primary, Copy::Backup})
        for (const Fragment& fragment : stream.fragments(copy, round)) {
          const auto place = map.locate(copy, fragment);
          std::uint32_t sum = 0;
          for (std::uint32_t i = 0; i < place.count; ++i) {
            sum += place.extents[i].blocks;
            for (std::uint32_t block = 0; block < place.extents[i].blocks; ++block)
              ASSERT_TRUE(taken[fragment.disk].insert(place.extents[i].first_block + block).second);
          }
          ASSERT_EQ(sum, fragment.blocks);
        }
  }
}

TEST(Strides, FullDisksAndLargeFragmentsAreRefused) {
  StrideAllocator allocator(2, 4, 1);
  EXPECT_THROW(StrideMap(StoredStream({4, 4, 1}, {2, 0, 0}, nullptr), allocator), std::length_error);
  StrideAllocator other(2, 4, 9);
  EXPECT_THROW(StrideMap(StoredStream({5}, {2, 0, 0}, nullptr), other), std::invalid_argument);
}

// --- times ---------------------------------------------------------------------------------------------------------

TEST(DiskTimes, OfThePapersDrive) {
  const DiskTimes times = DiskTimes::of(system::load_drive("cheetah_st34501n"), 11'300'000);
  EXPECT_EQ(times.full_seek, 18'200'000);
  EXPECT_EQ(times.track_seek, 980'000);
  EXPECT_EQ(times.average_rotation, 2'990'000);
  EXPECT_EQ(times.budget(kRoundTime), 963'600'000);
  EXPECT_EQ(times.access(0), 0);
  EXPECT_EQ(times.access(11'300'000), 7'940'000 + 1'000'000'000);
  EXPECT_EQ(times.access(16'384), 7'940'000 + 1'449'912);      // 1,449,911.504… ns
  EXPECT_EQ(times.access(2 * 16'384), 7'940'000 + 2'899'823);  // 2,899,823.009… ns
  const DiskTimes own = DiskTimes::of(system::load_drive("cheetah_st34501n"), 0);
  EXPECT_NEAR(static_cast<double>(own.bytes_per_s), 11.3e6, 0.05e6);
}

// --- reservation ---------------------------------------------------------------------------------------------------

/// Demands by hand: reads of one round.
struct Reads {
  TimedRead primary;
  std::vector<TimedRead> backups;

  RoundDemand demand() const { return {primary, {backups.data(), backups.data() + backups.size()}}; }
};

std::unique_ptr<ReservationIf> reservation(const char* name) { return find_reservation(name)->create({4, 2, 100}); }

TEST(Reservation, PrimaryCountsOneCopyUpToTheBudget) {
  const auto r = reservation("primary");
  const Reads a{{0, 60}, {{1, 60}}};
  EXPECT_TRUE(r->fits(0, a.demand()));
  r->reserve(0, a.demand());
  EXPECT_EQ(r->reserved(0, 0), 60);
  EXPECT_EQ(r->reserved(0, 1), 0);
  EXPECT_TRUE(r->fits(0, Reads{{0, 40}, {}}.demand()));
  EXPECT_FALSE(r->fits(0, Reads{{0, 41}, {}}.demand()));
  EXPECT_TRUE(r->fits(1, a.demand())) << "another round";
  r->clear(0);
  EXPECT_TRUE(r->fits(0, a.demand()));
}

TEST(Reservation, MirroringCountsBoth) {
  const auto r = reservation("mirroring");
  r->reserve(0, Reads{{0, 60}, {{1, 50}}}.demand());
  EXPECT_EQ(r->reserved(0, 1), 50);
  EXPECT_EQ(r->reserved_for_failure(0, 1), 50);
  EXPECT_TRUE(r->fits(0, Reads{{2, 60}, {{1, 50}}}.demand()));
  EXPECT_FALSE(r->fits(0, Reads{{2, 60}, {{1, 51}}}.demand()));
  EXPECT_FALSE(r->fits(0, Reads{{1, 51}, {{2, 1}}}.demand()));
}

TEST(Reservation, MinimumKeepsTheLargestOverTheDisksThatMayFail) {
  const auto r = reservation("minimum");
  r->reserve(0, Reads{{0, 60}, {{1, 30}}}.demand());
  r->reserve(0, Reads{{2, 20}, {{1, 40}}}.demand());
  EXPECT_EQ(r->reserved(0, 1), 40) << "the larger of 30 for disk 0 and 40 for disk 2";
  r->reserve(0, Reads{{0, 10}, {{1, 30}}}.demand());
  EXPECT_EQ(r->reserved(0, 1), 60) << "30 + 30 for disk 0 now";
  r->reserve(0, Reads{{1, 15}, {{3, 15}}}.demand());
  EXPECT_EQ(r->reserved(0, 1), 75);
  EXPECT_EQ(r->reserved_for_failure(0, 1), 60);
  EXPECT_TRUE(r->fits(0, Reads{{2, 1}, {{1, 45}}}.demand())) << "15 + max(60, 40 + 45)";
  EXPECT_FALSE(r->fits(0, Reads{{2, 1}, {{1, 46}}}.demand()));
  EXPECT_TRUE(r->fits(0, Reads{{0, 1}, {{1, 25}}}.demand())) << "15 + 60 + 25";
  EXPECT_FALSE(r->fits(0, Reads{{0, 1}, {{1, 26}}}.demand()));
  EXPECT_FALSE(r->fits(0, Reads{{1, 26}, {{0, 1}}}.demand())) << "60 + 15 + 26";
}

TEST(Reservation, BalancingReadsTheLessLoadedCopy) {
  const auto r = reservation("dynamic-balancing");
  const Reads read{{0, 30}, {{1, 30}}};
  EXPECT_EQ(r->reserve(0, read.demand()), Copy::Primary) << "the primary of two equal ones";
  EXPECT_EQ(r->reserve(0, read.demand()), Copy::Backup);
  EXPECT_EQ(r->reserve(0, read.demand()), Copy::Primary);
  EXPECT_EQ(r->reserved(0, 0), 60);
  EXPECT_EQ(r->reserved(0, 1), 30);
  EXPECT_TRUE(r->fits(0, Reads{{0, 70}, {{1, 70}}}.demand()));
  EXPECT_FALSE(r->fits(0, Reads{{0, 71}, {{1, 71}}}.demand()));
}

TEST(Reservation, MinimumIsTheLargestOverAnyFailureWhateverTheLoad) {
  constexpr std::uint32_t kDisks = 5;
  core::RandomStream random(3, "test");
  const auto r = find_reservation("minimum")->create({kDisks, 1, 1'000});
  std::vector<Reads> accepted;
  const auto load_after = [&](std::uint32_t failed, std::uint32_t disk) {
    Nanoseconds sum = 0;
    for (const Reads& read : accepted) {
      if (read.primary.disk == disk) sum += read.primary.time;
      if (read.primary.disk == failed)
        for (const TimedRead& backup : read.backups) sum += backup.disk == disk ? backup.time : 0;
    }
    return sum;
  };
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    const auto primary = static_cast<std::uint32_t>(random.below(kDisks));
    Reads read{{primary, static_cast<Nanoseconds>(1 + random.below(90))}, {}};
    for (std::uint32_t step = 1; step <= 1 + random.below(3); ++step)
      read.backups.push_back({(primary + step) % kDisks, static_cast<Nanoseconds>(1 + random.below(60))});
    const bool fits = r->fits(0, read.demand());
    accepted.push_back(read);
    bool within = true;
    for (std::uint32_t failed = 0; failed < kDisks; ++failed)
      for (std::uint32_t disk = 0; disk < kDisks; ++disk) within &= disk == failed || load_after(failed, disk) <= 1'000;
    ASSERT_EQ(fits, within) << i;
    if (fits) {
      r->reserve(0, read.demand());
    } else {
      accepted.pop_back();
      ++refused;
    }
    for (std::uint32_t disk = 0; disk < kDisks; ++disk) {
      Nanoseconds most = 0;
      for (std::uint32_t failed = 0; failed < kDisks; ++failed)
        if (failed != disk) most = std::max(most, load_after(failed, disk));
      ASSERT_EQ(r->reserved(0, disk), most);
    }
  }
  EXPECT_GT(refused, 100);
}

// --- admission -----------------------------------------------------------------------------------------------------

/// Times in which a block costs 10 ns and an access nothing else.
DiskTimes simple_times() {
  DiskTimes times;
  times.bytes_per_s = 100'000'000;  // one byte, one block: 10 ns
  return times;
}

StreamSchedule schedule(const std::vector<std::uint32_t>& blocks, std::uint32_t disks) {
  return {StoredStream(blocks, {disks, 0, 0}, nullptr), simple_times(), 1};
}

TEST(AdmissionControl, TakesTheFirstStartAtWhichEveryRoundFits) {
  const StreamSchedule stream = schedule({6, 6}, 2);  // disk 0, then disk 1: 60 ns each
  AdmissionControl control(*find_reservation("primary"), 2, 100, stream.rounds(), 3);
  ASSERT_EQ(control.request(stream)->start, 1);
  ASSERT_EQ(control.request(stream)->start, 2) << "round 1 has disk 0 at 60";
  ASSERT_EQ(control.request(stream)->start, 3);
  EXPECT_FALSE(control.request(stream)) << "three rounds were tried";
  EXPECT_EQ(control.reserved(2, 0), 60);
  EXPECT_EQ(control.reserved(2, 1), 60);
  control.advance();
  EXPECT_EQ(control.request(stream)->start, 4);
}

TEST(AdmissionControl, ARejectedRequestReservesNothing) {
  const StreamSchedule small = schedule({2, 9}, 2);
  const StreamSchedule large = schedule({2, 11}, 2);  // its second round never fits
  AdmissionControl control(*find_reservation("primary"), 2, 100, 2, 2);
  EXPECT_FALSE(control.request(large));
  EXPECT_EQ(control.reserved(1, 0), 0);
  EXPECT_EQ(control.request(small)->start, 1);
}

TEST(AdmissionControl, RoundsThatPassAreUsedAgain) {
  const StreamSchedule stream = schedule({10}, 1);
  AdmissionControl control(*find_reservation("primary"), 1, 100, 1, 1);
  for (Round now = 0; now < 20; ++now) {
    ASSERT_EQ(control.now(), now);
    ASSERT_TRUE(control.request(stream));
    ASSERT_FALSE(control.request(stream));
    control.advance();
    ASSERT_EQ(control.reserved(control.now(), 0), 100);
  }
}

// --- service -------------------------------------------------------------------------------------------------------

TEST(ServiceAccount, ReadsGoToTheOtherCopyFromTheRoundAfterTheFailureOn) {
  ServiceAccount account(4, 100);
  const Reads read{{0, 60}, {{1, 60}}};
  account.begin_round({}, false);
  EXPECT_EQ(account.serve(read.demand(), Copy::Primary), Service::Served);
  EXPECT_EQ(account.serve(read.demand(), Copy::Primary), Service::Late);
  EXPECT_EQ(account.used(0), 60) << "what is late takes no time";
  account.begin_round(0, false);
  EXPECT_EQ(account.serve(read.demand(), Copy::Primary), Service::Lost);
  EXPECT_EQ(account.serve(read.demand(), Copy::Backup), Service::Served);
  account.begin_round(0, true);
  EXPECT_EQ(account.serve(read.demand(), Copy::Primary), Service::Served);
  EXPECT_EQ(account.used(1), 60);
  EXPECT_EQ(account.used(0), 0);
  EXPECT_EQ(account.serve(read.demand(), Copy::Backup), Service::Late);
  account.begin_round(1, true);
  EXPECT_EQ(account.serve(read.demand(), Copy::Backup), Service::Served) << "back to the primary copy";
  EXPECT_EQ(account.used(0), 60);
  EXPECT_EQ(account.serve(Reads{{1, 60}, {}}.demand(), Copy::Primary), Service::Lost) << "there is no other copy";
  EXPECT_EQ(account.serve(Reads{{1, 0}, {}}.demand(), Copy::Primary), Service::Served) << "no data in this round";
}

// --- whole runs ----------------------------------------------------------------------------------------------------

AdmissionRunOptions run_options(const char* place, const char* reserve, std::uint32_t disks = 4) {
  AdmissionRunOptions options;
  for (const ContentType& type : content_table()) options.content.push_back(&type);
  options.generator.rounds = 120;
  options.disks = disks;
  options.disk_bytes = std::uint64_t{4} << 30;
  options.times = DiskTimes::of(system::load_drive("cheetah_st34501n"), 11'300'000);
  options.placement = find_replica_placement(place);
  options.reservation = find_reservation(reserve);
  options.warmup = 150;
  options.measure = 400;
  return options;
}

TEST(AdmissionRun, LoadAndTriesFollowEquation1) {
  AdmissionRunOptions options = run_options("none", "primary");
  options.content = {find_content("talk-show")};
  const AdmissionRunResult result = run_admission(options);
  EXPECT_DOUBLE_EQ(result.arrivals_per_round, 0.8 * 4 * 11.3e6 / (120 * 624'729.0));
  EXPECT_EQ(result.tries, 3);  // 1 / 0.482 rounds
  EXPECT_NEAR(static_cast<double>(result.requests), 400 * result.arrivals_per_round, 60);
  EXPECT_LE(result.accepted, result.requests);
  EXPECT_GE(*result.mean_start_delay, 1);
  EXPECT_LE(*result.mean_start_delay, 3);
}

TEST(AdmissionRun, TheSeedDecides) {
  AdmissionRunOptions options = run_options("random", "minimum");
  const AdmissionRunResult one = run_admission(options);
  const AdmissionRunResult again = run_admission(options);
  EXPECT_EQ(one.mean_active, again.mean_active);
  EXPECT_EQ(one.reserved_share, again.reserved_share);
  options.seed = options.generator.seed = 2;
  EXPECT_NE(one.mean_active, run_admission(options).mean_active);
}

TEST(AdmissionRun, NoDiskIsReservedBeyondTheRound) {
  for (const ReservationInfo& row : reservation_table()) {
    SCOPED_TRACE(row.name);
    const AdmissionRunResult result = run_admission(run_options("deterministic", row.name.data()));
    EXPECT_LE(result.most_loaded_share, 1.0);
    EXPECT_GT(result.most_loaded_share, 0.8) << "it is loaded near its capacity";
    EXPECT_LE(result.least_loaded_share, result.reserved_share);
    EXPECT_LE(result.reserved_share, result.most_loaded_share);
    EXPECT_EQ(result.reserved_for_failure_share > 0, row.survives_failure);
  }
}

TEST(AdmissionRun, WhicheverDiskFailsAReservationForItHolds) {
  for (const ReservationInfo& row : reservation_table())
    for (const char* place : {"deterministic", "random"})
      for (const std::uint32_t decluster : {0u, 65'536u})
        for (std::uint32_t disk = 0; disk < 4; ++disk) {
          if (decluster > 0 && row.name == "dynamic-balancing") continue;
          SCOPED_TRACE(std::string(row.name) + ", " + place + ", blocks of " + std::to_string(decluster) + ", disk " +
                       std::to_string(disk));
          AdmissionRunOptions options = run_options(place, row.name.data());
          options.decluster_bytes = decluster;
          options.failure = DiskFailure{disk, 200};
          const FailureResult failure = *run_admission(options).failure;
          EXPECT_GT(failure.streams_hit, 0u);
          EXPECT_EQ(failure.rounds, 349);
          EXPECT_GT(failure.stream_rounds, 349u * 10);
          EXPECT_EQ(failure.lost, 0u);
          if (row.survives_failure) {
            EXPECT_EQ(failure.late, 0u);
            EXPECT_EQ(failure.streams_missing, 0u);
            EXPECT_LE(*failure.used_share, *failure.reserved_share);
          } else {
            EXPECT_GT(failure.late, 100u);
            EXPECT_GT(failure.streams_missing, 10u);
          }
        }
}

TEST(AdmissionRun, WithoutReplicasEveryReadOfTheDiskIsLost) {
  AdmissionRunOptions options = run_options("none", "primary");
  options.failure = DiskFailure{1, 200};
  const FailureResult failure = *run_admission(options).failure;
  EXPECT_NEAR(static_cast<double>(failure.lost), static_cast<double>(failure.stream_rounds) / 4,
              0.02 * static_cast<double>(failure.stream_rounds));
  EXPECT_EQ(failure.late, 0u);
}

TEST(AdmissionRun, StoresTheStreamsAgainAsLongAsTheyFit) {
  AdmissionRunOptions options = run_options("deterministic", "minimum");
  options.fill_disks = false;
  const StoredLibrary once(options);
  EXPECT_EQ(once.times_stored, std::vector<std::uint64_t>(6, 1));
  options.fill_disks = true;
  const StoredLibrary full(options);
  const std::uint64_t strides = options.disk_bytes / options.stride_bytes;
  EXPECT_LE(full.strides_used, strides);
  EXPECT_GT(full.strides_used, strides - strides / 50);
  const auto most = *std::max_element(full.times_stored.begin(), full.times_stored.end());
  EXPECT_GE(full.times_stored.back() + 1, most);
  EXPECT_TRUE(std::is_sorted(full.times_stored.rbegin(), full.times_stored.rend())) << "in turn";
  // Where a storing lies by its offset is where a map of strides taken in turn has it.
  StrideAllocator allocator(4, options.stride_bytes / options.block_bytes, strides);
  for (std::uint64_t storing = 0; storing < 2; ++storing)
    for (std::size_t i = 0; i < 6; ++i) {
      const StrideMap map(full.streams[i], allocator);
      for (const Copy copy : {Copy::Primary, Copy::Backup})
        for (const Fragment& fragment : full.streams[i].fragments(copy, 57)) {
          const StrideMap::Place here = map.locate(copy, fragment);
          const StrideMap::Place first = full.strides[i].locate(copy, fragment);
          ASSERT_EQ(here.count, first.count);
          for (std::uint32_t k = 0; k < here.count; ++k)
            EXPECT_EQ(here.extents[k].first_block, first.extents[k].first_block + storing * full.set_blocks[fragment.disk]);
        }
    }
  // What is admitted does not depend on it.
  options.fill_disks = false;
  const AdmissionRunResult sparse = run_admission(options);
  options.fill_disks = true;
  EXPECT_EQ(run_admission(options).mean_active, sparse.mean_active);
}

TEST(AdmissionRun, FullDisksAreRefused) {
  AdmissionRunOptions options = run_options("deterministic", "minimum");
  options.disk_bytes = 50u << 20;
  EXPECT_THROW(run_admission(options), std::length_error);
}

}  // namespace
}  // namespace platter::host::media_server
