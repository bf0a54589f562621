// SPDX-License-Identifier: Apache-2.0
#include "platter/crash/history.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace platter::crash {
namespace {

constexpr std::uint32_t kBlock = 512;

std::vector<std::uint8_t> content(std::uint64_t first, const std::vector<Version>& versions) {
  std::vector<std::uint8_t> data(versions.size() * kBlock);
  for (std::size_t i = 0; i < versions.size(); ++i) fill(first + i, versions[i], data.data() + i * kBlock, kBlock);
  return data;
}

/// What is wrong if these blocks are read with these versions; "" if nothing is.
std::string read(History& history, std::uint64_t first, const std::vector<Version>& versions) {
  const auto data = content(first, versions);
  const auto blocks = static_cast<std::uint32_t>(versions.size());
  return history.read(first, blocks, history.oldest(first, blocks), data.data()).value_or("");
}

TEST(CrashHistory, EveryVersionOfEveryBlockHasItsOwnBytes) {
  EXPECT_EQ(content(7, {0}), std::vector<std::uint8_t>(kBlock));
  EXPECT_NE(content(7, {1}), content(7, {2}));
  EXPECT_NE(content(7, {1}), content(8, {1}));
}

TEST(CrashHistory, AReadSeesTheAnsweredWriteOrALaterOne) {
  History history(kBlock, {});
  const Version one = history.issue(10, 2, false);
  history.answered(one, true);
  const Version two = history.issue(11, 1, false);
  EXPECT_EQ(read(history, 10, {one, one}), "");
  EXPECT_EQ(read(history, 10, {one, two}), "");
  EXPECT_NE(read(history, 10, {0, one}), "") << "older than what was answered";
  EXPECT_NE(read(history, 10, {two, one}), "") << "never written there";
}

TEST(CrashHistory, WhatIsNotDurableMayBeOldOrNewAfterALoss) {
  History history(kBlock, {});
  const Version one = history.issue(10, 2, false);
  history.answered(one, true);
  const Version two = history.issue(10, 2, false);
  history.answered(two, true);
  history.power_lost();
  EXPECT_EQ(read(history, 10, {0, two}), "") << "each block on its own";
  EXPECT_EQ(history.old(), 2u);
  EXPECT_NE(read(history, 10, {one, two}), "") << "what was read once stays";
  EXPECT_EQ(read(history, 10, {0, two}), "");
}

TEST(CrashHistory, FlushAndFuaAreDurable) {
  History history(kBlock, {});
  const Version one = history.issue(10, 1, false);
  history.answered(one, true);
  const Version accepted = history.issue(20, 1, false);
  history.accepted(accepted);
  const Version held = history.issue(30, 1, false);
  const std::vector<Version> covered = history.covered();
  EXPECT_EQ(covered, (std::vector<Version>{one, accepted}));
  history.flushed(covered);
  const Version fua = history.issue(40, 1, true);
  history.answered(fua, true);
  history.power_lost();
  EXPECT_NE(read(history, 10, {0}), "");
  EXPECT_EQ(read(history, 10, {one}), "");
  EXPECT_NE(read(history, 20, {0}), "") << "the drive had it before the flush";
  EXPECT_EQ(read(history, 30, {0}), "") << "the flush was before it";
  EXPECT_NE(read(history, 40, {0}), "");
  EXPECT_EQ(history.open_writes(), 1u);
  (void)held;
}

TEST(CrashHistory, OnlyASectorThatWasBeingWrittenMayBeTorn) {
  Promises promises;
  promises.torn_together = 8;
  History history(kBlock, promises);
  const Version one = history.issue(8, 8, true);
  history.answered(one, true);
  EXPECT_NE(history.unreadable(8).value_or(""), "") << "no loss of power yet";
  history.issue(12, 1, false);
  history.power_lost();
  for (std::uint64_t block = 8; block < 16; ++block) EXPECT_FALSE(history.unreadable(block)) << "the neighbours too";
  EXPECT_FALSE(history.unreadable(9)) << "and they stay so";
  EXPECT_EQ(history.torn(), 8u);
  EXPECT_FALSE(history.summed_up());
  EXPECT_NE(history.unreadable(16).value_or(""), "");
  EXPECT_NE(read(history, 8, {one}), "") << "a torn sector does not heal by itself";
}

TEST(CrashHistory, OneLossTearsOneSector) {
  History history(kBlock, {});
  history.issue(8, 2, false);
  history.power_lost();
  EXPECT_FALSE(history.unreadable(8));
  EXPECT_FALSE(history.summed_up());
  EXPECT_FALSE(history.unreadable(9));
  EXPECT_TRUE(history.summed_up());
}

TEST(CrashHistory, AMixedSectorHasAFrontOfTheNewBytes) {
  Promises promises;
  promises.may_be_unreadable = false;
  promises.may_be_mixed = true;
  History history(kBlock, promises);
  const Version one = history.issue(8, 1, true);
  history.answered(one, true);
  const Version two = history.issue(8, 1, false);
  history.power_lost();
  std::vector<std::uint8_t> data = content(8, {one});
  const auto front = content(8, {two});
  std::memcpy(data.data(), front.data(), 100);
  EXPECT_FALSE(history.read(8, 1, history.oldest(8, 1), data.data()));
  EXPECT_FALSE(history.read(8, 1, history.oldest(8, 1), data.data())) << "and stays so";
  data[0] = static_cast<std::uint8_t>(data[0] + 1);
  EXPECT_TRUE(history.read(8, 1, history.oldest(8, 1), data.data()));
  EXPECT_EQ(history.torn(), 1u);
}

TEST(CrashHistory, ASecondLossCountsFromTheFirst) {
  History history(kBlock, {});
  const Version one = history.issue(8, 1, false);
  history.answered(one, true);
  history.power_lost();
  EXPECT_EQ(read(history, 8, {one}), "");
  const Version two = history.issue(8, 1, false);
  history.answered(two, true);
  history.power_lost();
  EXPECT_NE(read(history, 8, {0}), "") << "the first loss has left the first version";
  EXPECT_EQ(read(history, 8, {two}), "");
}

}  // namespace
}  // namespace platter::crash
