// SPDX-License-Identifier: Apache-2.0
//
// The set of a drive's faults, and the process that draws them: the published figures are estimated again from drives that it has made.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "drives.h"
#include "platter/core/error.h"
#include "platter/media/fault_parameters.h"
#include "platter/media/faults.h"
#include "platter/media/media.h"

namespace platter::media {
namespace {

using testing::small_drive;
using Effect = Faults::Effect;
constexpr core::Picoseconds kSecond = core::kPicosecondsPerSecond;

/// `number`: of the retry, of turns, or of the surface.
Fault of(FaultKind kind, std::uint64_t first = Fault::kAnyBlock, std::uint64_t blocks = 1, std::uint32_t number = 0) {
  Fault fault;
  fault.kind = kind;
  fault.first = first;
  fault.blocks = blocks;
  fault.tries = fault.turns = fault.surface = number;
  return fault;
}

Fault lasting_a_second(Fault fault, std::uint64_t at_command, std::uint64_t at_access) {
  fault.lasts = kSecond;
  fault.delay = 7;
  fault.at_command = at_command;
  fault.at_access = at_access;
  return fault;
}

/// The blocks at which an access meets something.
std::vector<std::uint64_t> met(Faults& faults, std::uint64_t first, std::uint64_t blocks, bool write = false,
                               core::Picoseconds now = 0) {
  std::vector<Faults::Met> met;
  faults.access(first, blocks, now);
  faults.meets(first, blocks, write, now, met);
  std::vector<std::uint64_t> found;
  for (const Faults::Met& each : met) found.push_back(each.block);
  return found;
}

using Blocks = std::vector<std::uint64_t>;

TEST(Faults, AreMetWhereTheyAre) {
  Faults faults(512, 1);
  EXPECT_FALSE(faults.on());
  faults.add(of(FaultKind::Unreadable, 100, 4));
  faults.add(of(FaultKind::WriteFault, 50));
  EXPECT_TRUE(faults.on());
  EXPECT_EQ(met(faults, 0, 100), Blocks{});
  EXPECT_EQ(met(faults, 0, 101), Blocks{100});
  EXPECT_EQ(met(faults, 102, 10), Blocks{102});
  EXPECT_EQ(met(faults, 104, 10), Blocks{});
  EXPECT_EQ(met(faults, 0, 200, true), Blocks{50}) << "a write meets only what cannot be written";
}

TEST(Faults, AWriteMakesBlocksReadable) {
  Faults faults(512, 1);
  faults.add(of(FaultKind::Unreadable, 100, 10));
  faults.found(103);
  faults.written(103, 2, 0);
  EXPECT_FALSE(faults.is_pending(103));
  EXPECT_EQ(met(faults, 103, 2), Blocks{});
  EXPECT_EQ(met(faults, 100, 3), Blocks{100});
  EXPECT_EQ(met(faults, 103, 20), Blocks{105});
  faults.written(0, 200, 0);
  EXPECT_FALSE(faults.on());
}

TEST(Faults, APermanentOneIsCheckedAtAWriteWhenItIsKnown) {
  Faults faults(512, 1);
  faults.add(of(FaultKind::Permanent, 5, 3));
  EXPECT_EQ(met(faults, 0, 10, true), Blocks{}) << "nobody has read it";
  faults.written(0, 10, 0);
  EXPECT_EQ(met(faults, 0, 10), Blocks{5}) << "a write does not help";
  faults.found(7);
  EXPECT_EQ(met(faults, 0, 7, true), Blocks{});
  EXPECT_EQ(met(faults, 0, 10, true), Blocks{5}) << "the pending one is not its first one";
  faults.reallocate(7, 0, 0);
  EXPECT_EQ(met(faults, 7, 3), Blocks{});
  for (const std::uint64_t block : {5u, 6u}) faults.reallocate(block, 0, 0);
  EXPECT_EQ(met(faults, 0, 10), Blocks{});
  EXPECT_EQ(faults.spare_of(7), std::optional<std::uint64_t>(0));
  EXPECT_EQ(faults.errors().pending, 0u);
  EXPECT_EQ(faults.errors().reallocated, 3u);
}

TEST(Faults, APhysicalSectorIsBadAsAWhole) {
  Faults faults(512, 8);
  faults.add(of(FaultKind::Unreadable, 19));
  EXPECT_EQ(met(faults, 0, 100), Blocks{16});
  EXPECT_EQ(met(faults, 23, 1), Blocks{23});
  faults.found(19);
  faults.written(16, 4, 0);
  EXPECT_EQ(met(faults, 16, 8), Blocks{20});
  EXPECT_TRUE(faults.is_pending(20)) << "its other blocks cannot be read";
  faults.written(16, 8, 0);
  EXPECT_FALSE(faults.is_pending(20));
}

TEST(Faults, BeginAndEnd) {
  Faults faults(512, 1);
  Fault at_time = lasting_a_second(of(FaultKind::Unreadable, 1), 0, 0);
  at_time.at = kSecond;
  faults.add(at_time);
  Fault at_access = of(FaultKind::Unreadable, 2);
  at_access.at_access = 3;
  at_access.count = 1;
  const std::uint64_t id = faults.add(at_access);
  Fault at_command = of(FaultKind::Unreadable, 3);
  at_command.at_command = 2;
  faults.add(at_command);
  EXPECT_EQ(met(faults, 1, 1, false, 0), Blocks{});
  EXPECT_EQ(met(faults, 1, 1, false, kSecond), Blocks{1});
  EXPECT_EQ(met(faults, 1, 1, false, 2 * kSecond - 1), Blocks{1});
  EXPECT_EQ(met(faults, 1, 1, false, 2 * kSecond), Blocks{});
  EXPECT_EQ(met(faults, 2, 1), Blocks{});
  EXPECT_EQ(met(faults, 2, 1), Blocks{});
  EXPECT_EQ(met(faults, 2, 1), Blocks{2});
  faults.use_id(id);
  EXPECT_EQ(met(faults, 2, 1), Blocks{}) << "once";
  core::Picoseconds delay = 0;
  EXPECT_EQ(met(faults, 3, 1), Blocks{});
  faults.command(0, 1, 0, delay);
  EXPECT_EQ(met(faults, 3, 1), Blocks{});
  faults.command(0, 1, 0, delay);
  EXPECT_EQ(met(faults, 3, 1), Blocks{3});
}

TEST(Faults, OneThatBeginsWithACommandOrAnAccessLastsFromThere) {
  Faults faults(512, 1);
  core::Picoseconds delay = 0;
  faults.add(lasting_a_second(of(FaultKind::Late), 1, 0));
  faults.add(lasting_a_second(of(FaultKind::Unreadable, 2), 0, 1));
  faults.command(0, 1, 10 * kSecond, delay);
  EXPECT_EQ(faults.late(11 * kSecond - 1), 7);
  EXPECT_EQ(faults.late(11 * kSecond), 0);
  EXPECT_EQ(met(faults, 2, 1, false, 20 * kSecond), Blocks{2});
  EXPECT_EQ(met(faults, 2, 1, false, 21 * kSecond - 1), Blocks{2});
  EXPECT_EQ(met(faults, 2, 1, false, 21 * kSecond), Blocks{});
  faults.add(lasting_a_second(of(FaultKind::Reset), 2, 0));
  EXPECT_EQ(faults.command(0, 1, 30 * kSecond, delay), Effect::None);
  EXPECT_EQ(faults.command(0, 1, 30 * kSecond, delay), Effect::Reset);
}

TEST(Faults, BefallCommands) {
  Faults faults(512, 1);
  Fault stuck = of(FaultKind::Stuck);
  stuck.at_command = 2;
  stuck.count = 1;
  faults.add(stuck);
  Fault reset = of(FaultKind::Reset);
  reset.at = 5;
  reset.delay = 7;
  faults.add(reset);
  core::Picoseconds delay = 0;
  EXPECT_EQ(faults.next_event(), 5);
  EXPECT_EQ(faults.command(0, 1, 0, delay), Effect::None);
  EXPECT_EQ(faults.command(0, 0, 0, delay, false), Effect::None) << "one that is never stuck, but counts";
  EXPECT_EQ(faults.command(0, 0, 0, delay), Effect::Stuck) << "a flush too";
  EXPECT_EQ(faults.command(0, 1, 0, delay), Effect::None);
  EXPECT_EQ(faults.take_event(4, delay), Effect::None);
  EXPECT_EQ(faults.take_event(5, delay), Effect::Reset);
  EXPECT_EQ(delay, 7);
  EXPECT_EQ(faults.take_event(6, delay), Effect::None) << "it happens once";
  faults.add(of(FaultKind::Stuck, 40, 2));
  EXPECT_EQ(faults.command(0, 40, 0, delay), Effect::None);
  EXPECT_EQ(faults.command(41, 1, 0, delay), Effect::Stuck);
}

TEST(Faults, SilentOnesChangeBytesAndAreCounted) {
  Faults faults(512, 1);
  Media media(512, true);
  std::vector<std::uint8_t> old(512 * 3, 0x11);
  media.write(0, old.data(), old.size());
  Fault lost = of(FaultKind::SilentStale, 1);
  lost.count = 1;
  faults.add(lost);
  Fault misdirected = of(FaultKind::SilentMisdirected, 2);
  misdirected.other_block = 9;
  misdirected.count = 1;
  faults.add(misdirected);
  std::vector<std::uint8_t> fresh(512 * 3, 0x22);
  faults.store(media, 0, fresh.data(), fresh.size(), 0);
  const auto byte = [&](std::uint64_t block) {
    std::uint8_t value = 0;
    media.read(block * 512 + 5, &value, 1);
    faults.spoil(block * 512 + 5, &value, 1, 0);
    return value;
  };
  EXPECT_EQ(byte(0), 0x22);
  EXPECT_EQ(byte(1), 0x11) << "the write was lost";
  EXPECT_EQ(byte(2), 0x11) << "it went elsewhere";
  EXPECT_EQ(byte(9), 0x22);
  EXPECT_EQ(faults.errors().silent_writes, 2u);
  faults.count_silent_read(0, 512, 0);
  EXPECT_EQ(faults.errors().silent_reads, 0u);
  faults.count_silent_read(512, 512, 0);
  faults.count_silent_read(9 * 512, 512, 0);
  EXPECT_EQ(faults.errors().silent_reads, 2u);
  faults.store(media, 512, fresh.data(), 512, 0);
  EXPECT_EQ(byte(1), 0x22);
  faults.count_silent_read(512, 512, 0);
  EXPECT_EQ(faults.errors().silent_reads, 2u);
  Fault bit = of(FaultKind::SilentBit, 0);
  bit.bit = 5 * 8 + 3;
  faults.add(bit);
  EXPECT_EQ(byte(0), 0x22 ^ 8);
  faults.written(0, 1, 0);
  EXPECT_EQ(byte(0), 0x22);
}

TEST(Faults, ObjectionsAndContradictions) {
  const auto key = [](const Fault& fault) { return objection(fault, 1000, 2, 512).key; };
  EXPECT_EQ(key(of(FaultKind::Unreadable)), "block");
  EXPECT_EQ(key(of(FaultKind::Unreadable, 999)), "");
  EXPECT_EQ(key(of(FaultKind::Unreadable, 1000)), "block");
  EXPECT_EQ(key(of(FaultKind::Unreadable, 999, 2)), "block");
  EXPECT_EQ(key(of(FaultKind::Unreadable, 1, 0)), "blocks");
  EXPECT_EQ(key(of(FaultKind::Retries, 1)), "tries");
  EXPECT_EQ(key(of(FaultKind::Slow, 1)), "turns");
  EXPECT_EQ(key(of(FaultKind::Retries, 1, 1, Fault::kMaxTries)), "");
  EXPECT_EQ(key(of(FaultKind::Retries, 1, 1, Fault::kMaxTries + 1)), "tries");
  Fault slow = of(FaultKind::Slow, 1);
  slow.turns = Fault::kMaxTurns;
  EXPECT_EQ(key(slow), "");
  slow.turns += 1;
  EXPECT_EQ(key(slow), "turns");
  EXPECT_EQ(key(of(FaultKind::OffTrack, 1)), "block");
  EXPECT_EQ(key(of(FaultKind::Late)), "delay_ms");
  EXPECT_EQ(key(of(FaultKind::Surface, Fault::kAnyBlock, 1, 2)), "surface");
  Fault other = of(FaultKind::SilentMisdirected, 5);
  EXPECT_EQ(key(other), "other_block");
  other.other_block = 5;
  EXPECT_EQ(key(other), "other_block");
  EXPECT_EQ(objection(of(FaultKind::WriteFault, 5), 1000, 2, 512, 2).key, "kind") << "no spares with two actuators";
  EXPECT_EQ(objection(of(FaultKind::Unreadable, 5), 1000, 2, 512, 2).key, "");
  EXPECT_TRUE(contradict(of(FaultKind::Unreadable, 5, 5), of(FaultKind::Slow, 9)));
  EXPECT_FALSE(contradict(of(FaultKind::Unreadable, 5, 5), of(FaultKind::Slow, 10)));
  EXPECT_FALSE(contradict(of(FaultKind::Unreadable, 5, 5), of(FaultKind::WriteFault, 5)));
  Fault later = of(FaultKind::Slow, 5);
  later.at = 1;
  EXPECT_FALSE(contradict(of(FaultKind::Unreadable, 5), later));
}

bool same(const std::vector<Fault>& a, const std::vector<Fault>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Fault& x, const Fault& y) { return x.first == y.first && x.at == y.at && x.blocks == y.blocks; });
}

/// A plan of rows on a small drive.
std::vector<Fault> planned(const std::vector<FaultParameters>& rows, std::uint64_t seed = 1) {
  const mechanics::Geometry geometry(small_drive().geometry);
  return FaultPlan(rows, {}, seed, 1, geometry, 1, {}).of(0);
}

TEST(Faults, ADrawnPlaceThatContradictsAnotherFaultIsDrawnAgain) {
  const mechanics::Geometry geometry(small_drive().geometry);
  std::vector<FaultParameters> rows(12);
  for (FaultParameters& row : rows) {
    row.drawn = true;
    row.blocks = static_cast<std::int64_t>(geometry.block_count() / 40);
  }
  rows[7].drawn = false;
  rows[7].block = static_cast<std::int64_t>(geometry.block_count() / 20);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<Fault> faults = planned(rows, seed);
    ASSERT_EQ(faults.size(), rows.size());
    EXPECT_EQ(faults[7].first, geometry.block_count() / 20) << "the rows keep their order";
    for (std::size_t i = 0; i < faults.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(contradict(faults[i], faults[j])) << seed << ": " << i << ", " << j;
    EXPECT_TRUE(same(faults, planned(rows, seed)));
  }
  rows[3].drawn = false;
  rows[3].block = rows[7].block + 1;
  EXPECT_THROW(planned(rows), core::ConfigError) << "places that are given are not changed";
  FaultParameters most;
  most.drawn = true;
  most.blocks = static_cast<std::int64_t>(geometry.block_count());
  FaultParameters all = most;
  all.drawn = false;
  all.block = 0;
  EXPECT_THROW(planned({all, most}), core::ConfigError) << "no place is left";
}

// --- the process ------------------------------------------------------------------------------------------------------

constexpr std::uint64_t kCapacity = 1'953'525'168;
constexpr std::uint32_t kTrack = 1'200;
constexpr int kDrives = 10'000;

struct Estimate {
  double with_error = 0;        ///< share of the drives
  double in_front = 0;          ///< share of the clusters in the first tenth of the blocks
  double runs = 0;              ///< share of the errors with neighbouring bad blocks
  double second_near = 0;       ///< share of the second errors of a cluster within 100 blocks
  double median_errors = 0;     ///< of drives with an error
  double share_in_a_month = 0;  ///< of the pairs of neighbouring errors of a drive: less than a month apart
};

Estimate estimate(Population population, double months, int drives = kDrives) {
  FaultProcess process;
  process.population = population;
  Estimate e;
  int with = 0, clusters = 0, front = 0, errors = 0, runs = 0, seconds = 0, near = 0, pairs = 0, close = 0;
  std::vector<std::size_t> counts;
  for (int drive = 0; drive < drives; ++drive) {
    const auto drawn = draw_errors(process, static_cast<std::uint64_t>(drive) + 1, months, kCapacity, kTrack);
    if (drawn.empty()) continue;
    ++with;
    counts.push_back(drawn.size());
    std::map<std::uint32_t, std::vector<const DrawnError*>> by_cluster;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      EXPECT_LE(drawn[i].first + drawn[i].blocks, kCapacity);
      EXPECT_LE(drawn[i].month, months);
      by_cluster[drawn[i].cluster].push_back(&drawn[i]);
      ++errors;
      runs += drawn[i].blocks > 1 ? 1 : 0;
      if (i > 0) {
        ++pairs;
        close += drawn[i].month - drawn[i - 1].month < 1 ? 1 : 0;
      }
    }
    for (const auto& [number, of] : by_cluster) {
      ++clusters;
      front += of[0]->first < kCapacity / 10 ? 1 : 0;
      if (of.size() < 2) continue;
      ++seconds;
      const auto distance = std::llabs(static_cast<long long>(of[1]->first) - static_cast<long long>(of[0]->first));
      near += distance <= 116 ? 1 : 0;
    }
  }
  e.with_error = double(with) / drives;
  e.in_front = double(front) / std::max(clusters, 1);
  e.runs = double(runs) / std::max(errors, 1);
  e.second_near = double(near) / std::max(seconds, 1);
  e.share_in_a_month = double(close) / std::max(pairs, 1);
  std::sort(counts.begin(), counts.end());
  if (!counts.empty()) e.median_errors = double(counts[counts.size() / 2]);
  return e;
}

/// Three standard deviations of a share that was estimated from 10^4 drives.
double within(double share) { return 3 * std::sqrt(share * (1 - share) / kDrives); }

TEST(FaultProcess, HasThePublishedShares) {
  const Estimate nearline = estimate(Population::Nearline, 32);
  EXPECT_NEAR(nearline.with_error, 0.085, within(0.085));
  EXPECT_NEAR(estimate(Population::Nearline, 12).with_error, 0.0315, within(0.0315));
  EXPECT_NEAR(estimate(Population::Enterprise, 32).with_error, 0.019, within(0.019));
  EXPECT_NEAR(estimate(Population::Enterprise, 12).with_error, 0.0146, within(0.0146));
  EXPECT_NEAR(estimate(Population::All, 32).with_error, 0.0345, within(0.0345));
  EXPECT_GE(nearline.in_front, 0.20);
  EXPECT_LE(nearline.in_front, 0.50);
  EXPECT_LE(nearline.runs, 0.025) << "bursts: errors with neighbouring bad blocks";
  EXPECT_GE(nearline.second_near, 0.85) << "a second error is mostly within 100 sectors of the first";
  EXPECT_NEAR(nearline.median_errors, 3, 1);
  EXPECT_GE(nearline.share_in_a_month, 0.9) << "close in space means close in time";
}

TEST(FaultProcess, FewDrivesHaveMoreThanAThousandErrors) {
  FaultProcess process;
  process.population = Population::Nearline;
  process.rate_factor = 0.1;  // one cluster for most
  int with = 0, many = 0;
  for (std::uint64_t seed = 1; with < 4000; ++seed) {
    const std::size_t errors = draw_errors(process, seed, 400, kCapacity, kTrack).size();
    with += errors > 0 ? 1 : 0;
    many += errors > 1000 ? 1 : 0;
  }
  EXPECT_NEAR(double(many) / with, 0.002, 0.0015);
}

TEST(FaultProcess, IsOfTheSeed) {
  FaultProcess process;
  process.population = Population::Nearline;
  process.rate_factor = 1000;
  process.age_months = 6;
  const auto drawn = draw_faults(process, 1, 30 * 86400, kCapacity, kTrack);
  ASSERT_FALSE(drawn.empty());
  EXPECT_TRUE(same(drawn, draw_faults(process, 1, 30 * 86400, kCapacity, kTrack)));
  EXPECT_FALSE(same(drawn, draw_faults(process, 2, 30 * 86400, kCapacity, kTrack)));
  EXPECT_GT(std::count_if(drawn.begin(), drawn.end(), [](const Fault& f) { return f.at == 0; }), 0) << "of its life before";
  EXPECT_GT(std::count_if(drawn.begin(), drawn.end(), [](const Fault& f) { return f.at > 0; }), 0);
  process.population = Population::None;
  EXPECT_TRUE(draw_faults(process, 1, 30 * 86400, kCapacity, kTrack).empty());
}

}  // namespace
}  // namespace platter::media
