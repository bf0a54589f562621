// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/block_headers.h"

#include <gtest/gtest.h>

#include <random>

#include "eager_drives.h"

namespace platter::eager {
namespace {

using mechanics::AccessPlanner;

class HeadersTest : public ::testing::Test {
 protected:
  HeadersTest() : planner_(testing::paper_drive(8)), layout_(planner_, 4096), map_(layout_, 2), headers_(layout_) {
    map_.place_at_random(1);
    headers_.format(map_);
  }

  Place some_free() {
    Place place(static_cast<std::uint32_t>(random_()) % layout_.places());
    while (!map_.free(place)) place = Place((place.value + 1) % layout_.places());
    return place;
  }

  AccessPlanner planner_;
  BlockLayout layout_;
  BlockMap map_;
  BlockHeaders headers_;
  std::mt19937_64 random_{4};
};

TEST_F(HeadersTest, AFreshDriveIsRecoveredAsItWasMade) {
  BlockMap again(layout_, 2);
  EXPECT_EQ(headers_.recover(again), 1u);
  for (std::uint32_t b = 0; b < map_.blocks(); ++b) EXPECT_EQ(again.place_of(Block(b)), map_.place_of(Block(b)));
  EXPECT_EQ(again.free_count(), map_.free_count());
}

TEST_F(HeadersTest, TheNewestCompleteCopyWinsAndATornOneIsNotTaken) {
  std::uint64_t sequence = 1;
  for (int round = 0; round < 2000; ++round) {
    const Block block(static_cast<std::uint32_t>(random_()) % map_.blocks());
    const Place place = some_free();
    const auto cut = static_cast<std::uint32_t>(random_() % 40);
    if (cut >= 8) {  // a whole write
      headers_.write(place, {block, sequence++});
      map_.move(block, place);
      continue;
    }
    // The power goes after `cut` sectors, in the middle of the next one.
    headers_.tear(place, cut, {block, sequence});
    EXPECT_EQ(headers_.sector(place, cut).block, BlockMap::kNoBlock);
    BlockMap again(layout_, 2);
    const std::uint64_t next = headers_.recover(again);
    EXPECT_EQ(next, cut > 0 ? sequence + 1 : sequence);
    for (std::uint32_t b = 0; b < map_.blocks(); ++b) ASSERT_EQ(again.place_of(Block(b)), map_.place_of(Block(b))) << b;
    ASSERT_EQ(again.free_count(), map_.free_count());
    sequence = next;
  }
}

TEST_F(HeadersTest, AWriteThatIsCutOffWithItsLastSectorIsComplete) {
  const Block block(3);
  const Place place = some_free();
  headers_.tear(place, 8, {block, 1});
  BlockMap again(layout_, 2);
  EXPECT_EQ(headers_.recover(again), 2u);
  EXPECT_EQ(again.place_of(block), place);
  EXPECT_TRUE(again.free(map_.place_of(block)));
}

TEST_F(HeadersTest, TwoTornWritesDoNotMakeAWholeOne) {
  const Block block(3);
  const Place place = some_free();
  headers_.tear(place, 5, {block, 1});
  BlockMap again(layout_, 2);
  const std::uint64_t next = headers_.recover(again);
  EXPECT_GT(next, 1u) << "the sequence of the torn write is used up";
  // The same block, the same place, cut off earlier: sectors 0 to 2 of the second, 3 unreadable, 4 of the first write.
  headers_.tear(place, 3, {block, next});
  EXPECT_EQ(headers_.sector(place, 2).sequence, next);
  EXPECT_EQ(headers_.sector(place, 4).sequence, 1u);
  headers_.recover(again);
  EXPECT_EQ(again.place_of(block), map_.place_of(block));
}

TEST_F(HeadersTest, ABlockWithoutACopyIsReported) {
  headers_.tear(map_.place_of(Block(5)), 0, {});
  BlockMap again(layout_, 2);
  EXPECT_THROW(headers_.recover(again), std::runtime_error);
}

}  // namespace
}  // namespace platter::eager
