// SPDX-License-Identifier: Apache-2.0
//
// Eager writing in the drive: data under every policy, partial writes, power loss, and refusals.
#include <functional>
#include <random>
#include <stdexcept>

#include "byte_load.h"
#include "platter/mapping/eager/eager_mapping.h"
#include "platter/scheduling/gap_statistics.h"
#include "testing.h"

namespace platter::testing {
namespace {

/// The contents of the blocks as a drive started from this image would read them.
std::vector<std::vector<std::uint8_t>> recovered(const drive::Drive& disk, const drive::DurableImage& image) {
  eager::BlockMap map(disk.eager_mapping()->map().layout(), 2);
  eager::EagerMapping::headers_in(image.map).recover(map);
  std::vector<std::vector<std::uint8_t>> blocks(map.blocks(), std::vector<std::uint8_t>(kBlock * 512));
  for (std::uint32_t b = 0; b < map.blocks(); ++b)
    image.media.read(map.layout().first_sector(map.place_of(eager::Block(b))).value * 512, blocks[b].data(), blocks[b].size());
  return blocks;
}

class EagerPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(EagerPolicy, ReadsReturnTheLastWriteAlsoAfterAPowerLossAtAnyInstant) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 12;
  const auto disk = make_eager("disk", GetParam(), profile);
  const auto again = make_eager("again", GetParam(), profile, 2, true, 99);
  ASSERT_EQ(disk->capacity_sectors(), kToyBlocks / 2);
  const std::uint64_t blocks = disk->capacity_sectors() / kBlock;
  AtHost host("host", *disk);
  constexpr std::uint64_t kHot = 40;
  ByteLoad load(host, blocks, kHot, 5);
  std::function<void(Script&)> after_the_loss;
  Script script("script", *again, [&](Script& s) { after_the_loss(s); });

  const std::uint32_t requests = scaled(6000);
  int losses = 0;
  int torn = 0;
  std::vector<std::vector<std::uint8_t>> last;
  after_the_loss = [&](Script& s) {
    std::mt19937_64 random(17);
    for (int i = 0; i < 100; ++i) {
      s.pause(static_cast<Picoseconds>(random() % 100'000'000'000));
      const drive::DurableImage image = disk->power_loss_image();
      const eager::BlockHeaders& headers = eager::EagerMapping::headers_in(image.map);
      const eager::BlockMap& map = disk->eager_mapping()->map();
      for (std::uint32_t p = 0; p < map.layout().places(); ++p)
        torn += headers.sector(eager::Place(p), 0) == headers.sector(eager::Place(p), kBlock - 1) ? 0 : 1;
      last = recovered(*disk, image);
      for (std::uint64_t b = 0; b < blocks; ++b) ASSERT_TRUE(load.shadow.allows(b, last[b])) << "loss " << i << " block " << b;
      ++losses;
      if (i != 50) continue;
      // Another drive starts from this image: it reads the same data, and continues to write.
      again->power_up(image);
      Transaction t(nullptr);
      for (std::uint64_t b = 0; b < kHot + 5; ++b) {
        s.access(t, false, b * kBlock, kBlock);
        ASSERT_EQ(t.data, last[b]);
      }
      for (std::uint64_t b = 0; b < kHot; ++b) {
        s.access(t, true, b * kBlock + 2, 3, static_cast<std::uint8_t>(b));
        std::fill_n(last[b].begin() + 2 * 512, 3 * 512, static_cast<std::uint8_t>(b));
      }
      const auto second = recovered(*again, again->power_loss_image());
      for (std::uint64_t b = 0; b < blocks; ++b) ASSERT_EQ(second[b], last[b]);
    }
  };
  load.start(16, requests);
  while (host.finished() < requests && !::testing::Test::HasFatalFailure()) run_until(core::now_ps() + 1000 * kMs);
  while (!script.done() && !::testing::Test::HasFatalFailure()) run_until(core::now_ps() + 1000 * kMs);
  EXPECT_EQ(losses, 100);
  EXPECT_EQ(host.finished(), requests);
  EXPECT_GT(load.reads, requests / 3);
  EXPECT_GT(torn, 0) << "no write was ever cut off";
  EXPECT_GT(disk->eager_mapping()->statistics().read_first, 0u);
  EXPECT_EQ(disk->eager_mapping()->map().free_count(), 1024u);
  EXPECT_TRUE(host.all_released());

  // Blocks that have not been written are still zero, and transport_dbg shows the same as the recovered image.
  std::vector<std::uint8_t> all(disk->capacity_sectors() * 512);
  Transaction t(nullptr);
  t.set(false, 0, static_cast<std::uint32_t>(disk->capacity_sectors()));
  EXPECT_EQ(host.disk_init_socket->transport_dbg(t.payload), all.size());
  const auto end = recovered(*disk, disk->power_loss_image());
  for (std::uint64_t b = 0; b < blocks; ++b)
    ASSERT_TRUE(std::equal(end[b].begin(), end[b].end(), t.data.begin() + static_cast<std::ptrdiff_t>(b * kBlock * 512))) << b;
}

INSTANTIATE_TEST_SUITE_P(All, EagerPolicy,
                         ::testing::Values("SATF-EW", "FreeBW-SATF", "FreeBW-SCAN", "FreeBW-Hybrid", "Read-First", "Credit-EW"),
                         [](const auto& test) {
                           std::string name = test.param;
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

// --- one command -----------------------------------------------------------------------------------------------------

/// The toy drive without overheads and with zero decision time.
profile::DriveProfile bare_profile() {
  profile::DriveProfile profile = toy_profile();
  profile.overhead = {};
  profile.bus_read_block_us = profile.bus_write_block_us = 0;
  profile.firmware_base_cycles = profile.firmware_candidate_cycles = 0;
  return profile;
}

TEST(EagerDrive, AWriteTakesTheTimeToTheClosestFreeBlock) {
  const auto disk = make_eager("disk", "SATF-EW", bare_profile());
  const eager::BlockMap& map = disk->eager_mapping()->map();
  // From cylinder 0, head 0 at 0: block i of head 0 is written at (i + 1) * 800 us, of head 1 not before 700 us.
  Picoseconds expected = 0;
  for (std::uint32_t i = 0; i < 8 && expected == 0; ++i) {
    const bool here = map.free(eager::Place(i));
    const bool other = i >= 1 && map.free(eager::Place(8 + i));
    if (here || other) expected = (Picoseconds{i} + 1) * 800 * kUs;
  }
  ASSERT_GT(expected, 0);
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    const eager::Place before = map.place_of(eager::Block(7));
    s.access(t, true, 7 * kBlock, kBlock, 0x5A);
    EXPECT_EQ(t.begin_resp, expected);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_NE(map.place_of(eager::Block(7)), before);
    EXPECT_TRUE(map.free(before));
    s.access(t, false, 7 * kBlock, kBlock);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(kBlock * 512, 0x5A));
  });
  script.run_to_end(1000 * kMs);
}

TEST(EagerDrive, TheMapChangesWhenTheBlockIsOnTheMedia) {
  const auto disk = make_eager("disk", "SATF-EW", bare_profile());
  AtHost host("host", *disk);
  const eager::BlockMap& map = disk->eager_mapping()->map();
  const eager::Place before = map.place_of(eager::Block(3));
  Transaction& write = host.submit(true, 3 * kBlock, kBlock, 1);
  Picoseconds last_old = 0;
  while (!write.released) {
    run_until(core::now_ps() + 10 * kUs);
    if (map.place_of(eager::Block(3)) == before) last_old = core::now_ps();
  }
  EXPECT_GE(last_old + 10 * kUs, write.begin_resp);
}

TEST(EagerDrive, AWriteOfAPartOfABlockReadsItFirst) {
  const auto disk = make_eager("disk", "SATF-EW", bare_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 5 * kBlock, kBlock, 1);
    EXPECT_EQ(disk->eager_mapping()->statistics().read_first, 0u);
    s.access(t, true, 5 * kBlock + 6, 4, 2);  // two sectors of this block, two of the next
    EXPECT_EQ(disk->eager_mapping()->statistics().read_first, 2u);
    EXPECT_EQ(disk->eager_mapping()->statistics().writes, 3u);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_EQ(t.timing().transfer, 4 * 800 * kUs);  // two blocks read, two written
    s.access(t, false, 5 * kBlock, 2 * kBlock);
    std::vector<std::uint8_t> expected(2 * kBlock * 512, 0);
    std::fill_n(expected.begin(), 6 * 512, std::uint8_t{1});
    std::fill_n(expected.begin() + 6 * 512, 4 * 512, std::uint8_t{2});
    EXPECT_EQ(t.data, expected);
    EXPECT_EQ(t.timing().transfer, 2 * 800 * kUs);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
  });
  script.run_to_end(1000 * kMs);
}

TEST(EagerDrive, AReadInTheQueueFollowsItsBlock) {
  // Read-First would serve the read first, so the write is the policy's choice only if the read arrives after it. SATF-EW
  // writes at once, and the read, which arrives during the write, finds the block at its new place.
  profile::DriveProfile profile = bare_profile();
  const auto disk = make_eager("disk", "SATF-EW", profile);
  AtHost host("host", *disk);
  const eager::BlockMap& map = disk->eager_mapping()->map();
  Transaction& write = host.submit(true, 11 * kBlock, kBlock, 7);
  run_until(10 * kUs);
  Transaction& read = host.submit(false, 11 * kBlock, kBlock);
  while (!write.released) run_until(core::now_ps() + 10 * kUs);
  const eager::Place place = map.place_of(eager::Block(11));
  while (!read.released) run_until(core::now_ps() + 10 * kUs);
  EXPECT_EQ(read.data, std::vector<std::uint8_t>(kBlock * 512, 7));
  // Right after its end: the head is there, and block i ends at the phase of (i + 1) * 800 us.
  const Picoseconds ends = (Picoseconds{place.value % 8} + 1) * 800 * kUs;
  EXPECT_EQ(read.begin_resp % kToyTurn, ends % kToyTurn);
  EXPECT_EQ(read.begin_resp, write.begin_resp + kToyTurn);
}

TEST(EagerDrive, TheHostSeesTheLogicalCapacity) {
  const auto disk = make_eager("disk", "SATF-EW", toy_profile(), 4);
  EXPECT_EQ(disk->capacity_sectors(), kToyBlocks / 4);
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, false, kToyBlocks / 4 - 1, 1);
    t.set(false, kToyBlocks / 4, 1);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    t.set(true, kToyBlocks / 4 - 1, 2);
    s.transport(t);
    EXPECT_EQ(t.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    t.set(false, kToyBlocks / 4 - 1, 2);
    EXPECT_EQ(s.disk_init_socket->transport_dbg(t.payload), 512u);
  });
  script.run_to_end(100 * kMs);
  EXPECT_EQ(disk->host_port().rejected(), 2u);
}

TEST(EagerDrive, ALookWithoutTimeSeesAndChangesTheBlocksWhereTheyAre) {
  const auto disk = make_eager("disk", "SATF-EW", bare_profile());
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    t.set(true, 2 * kBlock + 3, 12, 0x77);
    EXPECT_EQ(s.disk_init_socket->transport_dbg(t.payload), 12u * 512);
    s.access(t, true, 2 * kBlock, kBlock + 1, 1);
    s.access(t, false, 2 * kBlock, 2 * kBlock);
    std::vector<std::uint8_t> expected(2 * kBlock * 512, 0);
    std::fill_n(expected.begin(), 9 * 512, std::uint8_t{1});
    std::fill_n(expected.begin() + 9 * 512, 6 * 512, std::uint8_t{0x77});
    EXPECT_EQ(t.data, expected);
    t.set(false, 2 * kBlock, 2 * kBlock);
    s.disk_init_socket->transport_dbg(t.payload);
    EXPECT_EQ(t.data, expected);
  });
  script.run_to_end(1000 * kMs);
}

TEST(EagerDrive, AFlushWaitsForOlderWritesAsEver) {
  const auto disk = make_eager("disk", "SATF-EW", toy_profile());
  AtHost host("host", *disk);
  Transaction& write = host.submit(true, 0, 3 * kBlock, 1);
  Transaction& flush = host.flush();
  run_until(1000 * kMs);
  EXPECT_TRUE(flush.released);
  EXPECT_GE(flush.begin_resp, write.begin_resp);
}

TEST(EagerDrive, GapsCountOnWhenThePowerReturns) {
  const auto disk = make_eager("disk", "FreeBW-SATF", toy_profile());
  AtHost host("host", *disk);
  for (const std::uint64_t block : {3u, 5u}) {
    host.submit(false, block * kBlock, kBlock);
    run_until(core::now_ps() + 100 * kMs);
    disk->set_alive(false);
    disk->set_alive(true);
  }
  EXPECT_EQ(disk->engine().gaps()->gaps, 2u);
}

// --- refused ---------------------------------------------------------------------------------------------------------

std::string refusal(const std::string& policy, const profile::DriveProfile& profile, double dilution = 2) {
  try {
    make_eager("disk", policy, profile, dilution);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

/// A block whose place cannot be read is good as soon as it is written, elsewhere. Its old place is used again, and is then good: a sector
/// that could only not be read is healed by the write, and one that a write does not help is put on a spare.
class EagerBadPlace : public ::testing::TestWithParam<media::FaultKind> {};

TEST_P(EagerBadPlace, IsLeftByTheNextWriteAndUsedAgainOnlyIfItIsWrittenWell) {
  profile::DriveProfile profile = toy_profile();
  profile.recovery.read_ms = {12.8};
  profile.recovery.write_ms = {12.8};
  const auto disk = make_eager("disk", "SATF-EW", profile, 1.02, true);
  const eager::BlockMap& map = disk->eager_mapping()->map();
  AtHost host("host", *disk);
  const auto go = [&](bool write, std::uint32_t block, std::uint8_t fill, std::uint32_t sectors = 8) -> Transaction& {
    Transaction& t = host.submit(write, std::uint64_t{block} * 8 + 8 - sectors, sectors, fill);
    run_until(core::now_ps() + 500 * kMs);
    return t;
  };
  go(true, 5, 0x55);
  const eager::Place place = map.place_of(eager::Block(5));
  media::Fault fault;
  fault.kind = GetParam();
  fault.first = map.layout().first_sector(place).value + 2;
  disk->add_fault(fault);
  const Transaction& part = go(true, 5, 0x44, 4);  // reads the whole block first
  EXPECT_EQ(part.extension.status, CommandStatus::Unreadable);
  EXPECT_EQ(part.extension.first_bad, 5u * 8 + 4);
  EXPECT_EQ(part.data, std::vector<std::uint8_t>(4 * 512, 0x44)) << "the data of a write is the host's";
  EXPECT_EQ(go(false, 5, 0).extension.status, CommandStatus::Unreadable);
  EXPECT_EQ(disk->media_errors().pending, 1u);
  EXPECT_EQ(go(true, 5, 0x66).extension.status, CommandStatus::Good);
  EXPECT_NE(map.place_of(eager::Block(5)).value, place.value);
  EXPECT_EQ(disk->media_errors().reallocated, 0u);
  EXPECT_EQ(go(false, 5, 0).data[0], 0x66);
  std::uint32_t there = 0;
  for (std::uint32_t i = 0; i < 5'000 && there == 0; ++i) {  // few places are free, so one of the writes goes there
    const std::uint32_t block = i * 7 % map.blocks();
    EXPECT_EQ(go(true, block, 0x77).extension.status, CommandStatus::Good);
    if (map.place_of(eager::Block(block)).value != place.value) continue;
    there = block;
    const Transaction& read = go(false, block, 0);
    EXPECT_EQ(read.extension.status, CommandStatus::Good);
    for (std::size_t at = 0; at < 8 * 512; ++at) ASSERT_EQ(read.data[at], 0x77);
  }
  EXPECT_NE(there, 0u);
  EXPECT_EQ(disk->media_errors().pending, 0u);
  EXPECT_EQ(disk->media_errors().reallocated, fault.kind == media::FaultKind::Permanent ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EagerBadPlace, ::testing::Values(media::FaultKind::Unreadable, media::FaultKind::Permanent),
                         [](const auto& test) { return std::string(media::info_of(test.param).name); });

TEST(EagerDrive, RefusesABuffer) {
  profile::DriveProfile profile = toy_profile();
  profile.cache.segments = 1;
  profile.cache.segment_blocks = 64;
  EXPECT_EQ(refusal("SATF-EW", profile), "found a buffer, expected cache.segments = 0 with eager writing");
}

TEST(EagerDrive, RefusesZeroLatencyWrites) {
  profile::DriveProfile profile = toy_profile();
  profile.zero_latency_write = true;
  EXPECT_EQ(
      refusal("SATF-EW", profile),
      "found zero-latency writes, expected mechanics.zero_latency_write = false, because an eager write begins with its first "
      "sector");
}

TEST(EagerDrive, RefusesTaskAttributes) {
  profile::DriveProfile profile = toy_profile();
  profile.task_attributes = true;
  EXPECT_EQ(
      refusal("SATF-EW", profile),
      "found task attributes, expected queue.task_attributes = false, because eager writing takes no head-of-queue commands");
}

TEST(EagerDrive, RefusesAPolicyThatWritesInPlace) {
  EXPECT_NE(refusal("SPTF", toy_profile()).find("policy SPTF writes in place"), std::string::npos);
}

TEST(EagerDrive, RefusesADilutionThatLeavesNothingFree) {
  EXPECT_NE(refusal("SATF-EW", toy_profile(), 1).find("leaves the host none, or none free"), std::string::npos);
}

TEST(EagerDrive, APolicyOfEagerWritingIsRefusedWithoutIt) {
  EXPECT_THROW(make_drive("disk", "SATF-EW", "firmware", toy_profile()), std::invalid_argument);
}

}  // namespace
}  // namespace platter::testing
