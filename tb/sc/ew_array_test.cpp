// SPDX-License-Identifier: Apache-2.0
#include "platter/host/ew_array/ew_array.h"

#include <algorithm>

#include "ew_array_rig.h"
#include "platter/mapping/eager/eager_mapping.h"

namespace platter::testing {
namespace {

using host::EwArray;
using host::EwArrayOptions;
using host::WriteAnswer;

class EwArrayAnswer : public ::testing::TestWithParam<WriteAnswer> {};

TEST_P(EwArrayAnswer, ReadsReturnTheLastWriteFromWhicheverCopyAndAllCopiesEndEqual) {
  EwArrayRig rig(three_drives(GetParam()));
  const std::uint64_t blocks = rig.array->capacity_bytes() / (kBlock * 512);
  EXPECT_EQ(blocks, 1024u / 2 * 3);
  AtHost host("host", *rig.array);
  ByteLoad load(host, blocks, 40, 3);
  const std::uint32_t requests = std::max(scaled(6000), 2000U);
  load.start(24, requests);
  while (host.finished() < requests && !::testing::Test::HasFatalFailure()) run_until(core::now_ps() + 1000 * kMs);
  run_until(core::now_ps() + 5000 * kMs);  // completes the background copies
  EXPECT_EQ(host.finished(), requests);
  EXPECT_GT(load.reads, requests / 3);
  EXPECT_TRUE(host.all_released());

  std::uint64_t most = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t d = 0; d < 3; ++d) {
    most = std::max(most, rig.array->sent(d));
    least = std::min(least, rig.array->sent(d));
    EXPECT_EQ(rig.drives[d]->queue().occupancy(), 0u);
  }
  EXPECT_LT(static_cast<double>(most), 1.1 * static_cast<double>(least)) << "the load is spread";

  // Block b: copy k on drive (b + k) mod 3 as block (b / 3) * 2 + k.
  for (std::uint64_t b = 0; b < blocks; ++b) {
    Transaction whole(nullptr);
    whole.set(false, b * kBlock, kBlock);
    EXPECT_EQ(host.disk_init_socket->transport_dbg(whole.payload), kBlock * 512);
    EXPECT_EQ(whole.data, load.shadow.latest(whole));
    for (std::uint64_t k = 0; k < 2; ++k) {
      Transaction copy(nullptr);
      copy.set(false, (b / 3 * 2 + k) * kBlock, kBlock);
      EXPECT_EQ(rig.array->disk_init_sockets[(b + k) % 3]->transport_dbg(copy.payload), kBlock * 512);
      ASSERT_EQ(copy.data, whole.data) << "block " << b << " copy " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EwArrayAnswer, ::testing::Values(WriteAnswer::All, WriteAnswer::First),
                         [](const auto& test) { return test.param == WriteAnswer::All ? "All" : "First"; });

TEST(EwArray, AWriteIsAnsweredAtItsLastOrItsFirstCopy) {
  EwArrayOptions options = three_drives(WriteAnswer::First);
  options.drives = options.copies = 2;
  EwArrayRig rig(options);
  Script script("script", *rig.array, [&](Script& s) {
    Transaction t(nullptr);
    for (int i = 0; i < 20; ++i) {
      const auto before = [&](std::size_t d) { return rig.drives[d]->eager_mapping()->statistics().writes; };
      const std::uint64_t written = before(0) + before(1);
      s.access(t, true, 64, kBlock, static_cast<std::uint8_t>(i));
      EXPECT_EQ(t.timing().parts(), t.timing().response());
      EXPECT_GT(rig.drives[0]->queue().occupancy() + rig.drives[1]->queue().occupancy(), 0u) << "the other copy is on its way";
      EXPECT_LE(before(0) + before(1), written + 2);
      s.access(t, false, 64, kBlock);
      EXPECT_EQ(t.data, std::vector<std::uint8_t>(kBlock * 512, static_cast<std::uint8_t>(i)));
      s.pause(50 * kMs);
    }
  });
  script.run_to_end(10'000 * kMs);
}

TEST(EwArray, ReadsGoToTheDriveWithTheFewestCommands) {
  EwArrayOptions options;
  EwArrayRig rig(options);
  AtHost host("host", *rig.array);
  for (int i = 0; i < 10; ++i) host.submit(false, 0, kBlock);  // ten times the same block
  run_until(1 * kUs);
  EXPECT_EQ(rig.array->sent(0), 5u);
  EXPECT_EQ(rig.array->sent(1), 5u);
  run_until(1000 * kMs);
  EXPECT_EQ(host.finished(), 10u);
}

TEST(EwArray, ReadsTheNextCopyOfABlockThatCannotBeRead) {
  EwArrayRig rig(EwArrayOptions{});
  AtHost host("host", *rig.array);
  host.submit(true, 0, kBlock, 0x5A);
  run_until(1000 * kMs);
  media::Fault everywhere;
  everywhere.kind = media::FaultKind::Surface;
  for (const std::uint32_t surface : {0u, 1u}) {
    everywhere.surface = surface;
    rig.drives[0]->add_fault(everywhere);
  }
  Transaction& read = host.submit(false, 0, kBlock);
  run_until(20'000 * kMs);
  EXPECT_EQ(read.extension.status, CommandStatus::Good);
  EXPECT_EQ(read.data[0], 0x5A);
  EXPECT_LE(rig.array->errors().redirected, 1u) << "it may have begun with the other one";
  for (const std::uint32_t surface : {0u, 1u}) {
    everywhere.surface = surface;
    rig.drives[1]->add_fault(everywhere);
  }
  Transaction& lost = host.submit(false, 16, kBlock);
  run_until(60'000 * kMs);
  EXPECT_EQ(lost.extension.status, CommandStatus::Unreadable);
  EXPECT_EQ(lost.extension.first_bad, 16u);
  EXPECT_EQ(lost.timing().parts(), lost.timing().response());
  EXPECT_GE(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->errors().unreadable, 1u);
}

/// Sectors of the media of a drive that writes eagerly, from sector `within` of its block `block` on.
media::Fault bad_sectors(const drive::Drive& disk, std::uint32_t block, std::uint32_t within, std::uint32_t sectors) {
  media::Fault fault;
  const eager::BlockMap& map = disk.eager_mapping()->map();
  fault.first = map.layout().first_sector(map.place_of(eager::Block(block))).value + within;
  fault.blocks = sectors;
  return fault;
}

TEST(EwArray, WritesABlockThatCannotBeReadAgainFromAnotherCopy) {
  EwArrayRig rig(EwArrayOptions{});
  AtHost host("host", *rig.array);
  host.submit(true, 0, kBlock, 0x5A);
  run_until(1000 * kMs);
  rig.drives[0]->add_fault(bad_sectors(*rig.drives[0], 0, 3, 1));
  Transaction& read = host.submit(false, 2, 4);
  run_until(20'000 * kMs);
  EXPECT_EQ(read.extension.status, CommandStatus::Good);
  EXPECT_EQ(read.data[0], 0x5A);
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  EXPECT_EQ(rig.drives[0]->media_errors().uncorrectable, 1u);
  rig.drives[1]->set_alive(false);
  Transaction& again = host.submit(false, 0, kBlock);
  run_until(40'000 * kMs);
  EXPECT_EQ(again.extension.status, CommandStatus::Good) << "the first copy is good again";
  for (std::uint32_t i = 0; i < kBlock * 512; ++i) ASSERT_EQ(again.data[i], 0x5A) << i;
}

/// The copy from which a block is repaired cannot be read either. The third one can.
TEST(EwArray, RepairsTwoOfThreeCopiesFromTheThird) {
  EwArrayOptions options;
  options.drives = options.copies = 3;
  EwArrayRig rig(options);
  AtHost host("host", *rig.array);
  host.submit(true, 0, kBlock, 0x5A);
  run_until(1000 * kMs);
  for (const std::uint32_t copy : {0u, 1u}) rig.drives[copy]->add_fault(bad_sectors(*rig.drives[copy], copy, 3 + copy, 1));
  Transaction& read = host.submit(false, 3, 1);  // of the two it meets one
  run_until(60'000 * kMs);
  EXPECT_EQ(read.extension.status, CommandStatus::Good);
  EXPECT_EQ(rig.array->errors().redirected, 1u);
  EXPECT_EQ(rig.array->errors().repaired, 2u);
  for (const std::uint32_t copy : {0u, 1u, 2u})
    EXPECT_EQ(rig.drives[copy]->media_errors().uncorrectable, copy < 2 ? 1u : 0u) << copy;
}

TEST_P(EwArrayAnswer, APartOfABlockIsWrittenAlthoughACopyCannotReadTheRest) {
  EwArrayOptions options;
  options.answer = GetParam();
  EwArrayRig rig(options);
  AtHost host("host", *rig.array);
  host.submit(true, 0, kBlock, 0x11);
  run_until(1000 * kMs);
  rig.drives[0]->add_fault(bad_sectors(*rig.drives[0], 0, 7, 1));
  Transaction& part = host.submit(true, 0, 2, 0x22);
  Transaction& read = host.submit(false, 0, 2);
  run_until(20'000 * kMs);
  EXPECT_EQ(part.extension.status, CommandStatus::Good);
  EXPECT_EQ(read.extension.status, CommandStatus::Good);
  EXPECT_EQ(read.data[0], 0x22);
  EXPECT_EQ(rig.array->errors().repaired, 1u);
  rig.drives[1]->set_alive(false);
  Transaction& whole = host.submit(false, 0, kBlock);
  run_until(40'000 * kMs);
  EXPECT_EQ(whole.extension.status, CommandStatus::Good);
  for (std::uint32_t i = 0; i < kBlock; ++i) ASSERT_EQ(whole.data[i * 512], i < 2 ? 0x22 : 0x11) << i;
}

TEST(EwArray, RefusesWhatItCannotDo) {
  EwArrayRig rig(EwArrayOptions{});
  AtHost host("host", *rig.array);
  const std::uint64_t sectors = rig.array->capacity_bytes() / 512;
  Transaction& beyond = host.submit(false, sectors, 1);
  Transaction& across = host.submit(true, sectors - 1, 2);
  Transaction& flush = host.make();
  flush.set_flush();
  host.submit(flush);
  Transaction& nothing = host.make();
  nothing.set(false, 0, 1);
  nothing.payload.set_data_length(0);
  host.submit(nothing);
  Transaction& narrow = host.make();
  narrow.set(false, 0, 1);
  narrow.payload.set_streaming_width(1);
  host.submit(narrow);
  run_until(10 * kMs);
  EXPECT_EQ(nothing.status(), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(narrow.status(), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(beyond.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(across.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(flush.status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(rig.array->sent(0) + rig.array->sent(1), 0u);
  Transaction& uneven = host.make();
  uneven.set(true, 0, 2 * kBlock);
  uneven.payload.set_data_length(2 * kBlock * 512 - 1);
  host.submit(uneven);
  run_until(1000 * kMs);
  EXPECT_EQ(uneven.extension.status, CommandStatus::BadLength) << "of the second block; the first one is written";
  EXPECT_EQ(uneven.timing().queue, uneven.timing().response());
  EXPECT_EQ(uneven.timing().parts(), uneven.timing().response());
  EXPECT_TRUE(host.all_released());
}

TEST(EwArray, NeedsADriveForEachCopy) {
  EwArrayOptions options;
  options.copies = 3;
  EXPECT_THROW(EwArray("array", options, 1 << 20), std::invalid_argument);
}

}  // namespace
}  // namespace platter::testing
