// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/token_bucket.h"

#include <gtest/gtest.h>

namespace platter {
namespace {

using core::kNoDeadline;
using core::kPicosecondsPerSecond;
using core::Picoseconds;
using drive::TokenBucket;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;

/// When a command of so many bytes passes, if it comes at `now` and nothing is before it.
Picoseconds pass(TokenBucket& bucket, std::uint32_t bytes, Picoseconds now) {
  bucket.enter(bytes);
  const Picoseconds at = bucket.passes_at(now);
  bucket.leave(true, at);
  return at;
}

TEST(TokenBucket, LetsABurstOfItsDepthPass) {
  TokenBucket bucket;
  bucket.set(4'096'000, 16'384, 0);  // a token a millisecond, four of them
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pass(bucket, 4096, 0), 0);
  EXPECT_EQ(bucket.bytes(0), 0);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(pass(bucket, 4096, 0), i * 1000 * kUs);
  // Idle for a second: full again, not fuller.
  EXPECT_EQ(bucket.bytes(kPicosecondsPerSecond), 16'384);
}

TEST(TokenBucket, CountsWholeTokens) {
  TokenBucket bucket;
  bucket.set(4'096'000, 16'384, 0);
  EXPECT_EQ(pass(bucket, 512, 0), 0);
  EXPECT_EQ(bucket.bytes(0), 12'288);
  EXPECT_EQ(pass(bucket, 4097, 0), 0);
  EXPECT_EQ(bucket.bytes(0), 4'096);
  EXPECT_EQ(pass(bucket, 0, 0), 0) << "a flush takes none";
  EXPECT_EQ(bucket.bytes(0), 4'096);
  EXPECT_EQ(pass(bucket, 8'192, 0), 1000 * kUs);
  bucket.set(4'096'000, 10'000, 2000 * kUs);
  EXPECT_EQ(bucket.depth(), 8'192u) << "no part of a token";
  bucket.set(4'096'000, 1, 2000 * kUs);
  EXPECT_EQ(bucket.depth(), 4'096u) << "at least one";
}

TEST(TokenBucket, ReleasesDoNotDrift) {
  TokenBucket bucket;
  bucket.set(3, 4096, 0);  // a token in 4096/3 s, which is no whole number of picoseconds
  EXPECT_EQ(pass(bucket, 4096, 0), 0);
  Picoseconds last = 0;
  for (std::int64_t i = 1; i <= 2250; ++i) {
    last = pass(bucket, 4096, last);
    ASSERT_EQ(last, (i * 4096 * kPicosecondsPerSecond + 2) / 3) << "the i-th token, rounded up";
  }
  EXPECT_EQ(last, 750 * 4096 * kPicosecondsPerSecond);
}

TEST(TokenBucket, MoreThanTheDepthLeavesADebt) {
  TokenBucket bucket;
  bucket.set(4'096'000, 8'192, 0);
  EXPECT_EQ(pass(bucket, 5 * 4096, 0), 0) << "full";
  EXPECT_EQ(bucket.bytes(0), -3 * 4096);
  EXPECT_EQ(pass(bucket, 4096, 0), 4000 * kUs);
  EXPECT_EQ(pass(bucket, 5 * 4096, 4000 * kUs), 6000 * kUs) << "full again";
}

TEST(TokenBucket, IsFirstInFirstOut) {
  TokenBucket bucket;
  bucket.set(4'096'000, 8'192, 0);
  const auto large = bucket.enter(16'384);
  bucket.leave(true, 0);
  const auto second = bucket.enter(8'192);
  const auto third = bucket.enter(512);
  EXPECT_FALSE(bucket.first(large));
  EXPECT_TRUE(bucket.first(second));
  EXPECT_FALSE(bucket.first(third));
  EXPECT_EQ(bucket.waiting(), 2u);
  EXPECT_EQ(bucket.passes_at(0), 4000 * kUs) << "the small one does not go first";
  bucket.leave(false, 4000 * kUs);  // refused: its tokens stay
  EXPECT_EQ(bucket.passes_at(4000 * kUs), 4000 * kUs);
  EXPECT_EQ(bucket.bytes(4000 * kUs), 8'192);
  bucket.clear();
  EXPECT_TRUE(bucket.empty());
  EXPECT_FALSE(bucket.first(third));
  EXPECT_EQ(bucket.passes_at(5000 * kUs), kNoDeadline);
  EXPECT_TRUE(bucket.first(bucket.enter(512)));
}

TEST(TokenBucket, CommandsLeaveTheLineFromAnyPlace) {
  TokenBucket bucket;
  bucket.set(4'096'000, 4096, 0);
  EXPECT_EQ(pass(bucket, 4096, 0), 0);
  const auto first = bucket.enter(4096);
  for (int i = 1; i < 6; ++i) bucket.enter(4096);
  for (const auto i : {2u, 1u, 5u}) bucket.withdraw(first + i);
  EXPECT_EQ(bucket.waiting(), 3u);
  bucket.leave(true, bucket.passes_at(0));
  EXPECT_TRUE(bucket.first(first + 3)) << "those between have gone";
  bucket.withdraw(first + 3);
  EXPECT_TRUE(bucket.first(first + 4));
  EXPECT_EQ(bucket.passes_at(1000 * kUs), 2000 * kUs) << "they took no tokens";
  bucket.clear();
  bucket.withdraw(first + 4);  // of a line that there is no more
  EXPECT_TRUE(bucket.empty() && bucket.waiting() == 0);
}

TEST(TokenBucket, ChangesHoldAtOnce) {
  TokenBucket bucket;
  EXPECT_FALSE(bucket.on());
  bucket.set(4'096'000, 8'192, 0);
  EXPECT_EQ(pass(bucket, 8'192, 0), 0);
  bucket.enter(8'192);
  EXPECT_EQ(bucket.passes_at(0), 2000 * kUs);
  // Half a token has come; the rest comes at a quarter of the rate: 1.5 tokens of 4 ms.
  bucket.set(1'024'000, 8'192, 500 * kUs);
  EXPECT_EQ(bucket.passes_at(500 * kUs), 6500 * kUs);
  // A bucket of one token lets two pass when it is full.
  bucket.set(1'024'000, 4'096, 500 * kUs);
  EXPECT_EQ(bucket.passes_at(500 * kUs), 2500 * kUs);
  bucket.set(0, 4'096, 600 * kUs);
  EXPECT_EQ(bucket.passes_at(600 * kUs), 600 * kUs) << "off: at once";
  bucket.leave(true, 600 * kUs);
  bucket.set(1, 8'192, 700 * kUs);
  EXPECT_EQ(bucket.bytes(700 * kUs), 8'192) << "full when it is switched on";
}

TEST(TokenBucket, IsExactAtTheEndsOfItsRange) {
  TokenBucket bucket;
  bucket.set(0xFFFFFFFF, 0xFFFFFFFF, 0);
  EXPECT_EQ(bucket.depth(), 0xFFFFF000u);
  EXPECT_EQ(pass(bucket, 0xFFFFF000, 0), 0);
  EXPECT_EQ(pass(bucket, 4096, 0), (4096 * kPicosecondsPerSecond + 0xFFFFFFFE) / 0xFFFFFFFF);
  EXPECT_EQ(bucket.bytes(kNoDeadline - 1), 0xFFFFF000);
  bucket.set(1, 0xFFFFFFFF, 0);
  ASSERT_EQ(bucket.bytes(0), -4096) << "what it has, it keeps";
  EXPECT_EQ(pass(bucket, 4096, 0), Picoseconds{8192} * kPicosecondsPerSecond);
  EXPECT_EQ(pass(bucket, 0xFFFFF000, 0), kNoDeadline) << "more than 106 days: never";
}

}  // namespace
}  // namespace platter
