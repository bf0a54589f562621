// SPDX-License-Identifier: Apache-2.0
//
// Commands are aborted at any instant, especially while the engine works on a decision, or while they wait at the port for tokens: each command has
// one response, nothing hangs, and the accelerator and its model stay in step.
#include <algorithm>
#include <cmath>
#include <set>

#include "../sc/byte_load.h"
#include "platter/core/random.h"
#include "testing.h"

namespace platter::testing {
namespace {

using command::TaskAttribute;
using core::Tag;
using profile::DriveProfile;
using profile::WriteBack;

class Aborts : public ::testing::TestWithParam<Engine> {};

TEST_P(Aborts, AtAnyInstantLoseNothing) {
  DriveProfile profile = toy_profile();
  profile.queue_depth = 12;
  profile.task_attributes = true;
  profile.cache.segments = 8;
  profile.cache.segment_blocks = 32;
  profile.cache.write_segments = 2;
  profile.cache.write_back = WriteBack::Interleaved;
  const auto disk = make_drive("disk", GetParam().policy, GetParam().engine, profile);
  AtHost host("host", *disk);
  core::RandomStream random(7, "aborts");
  std::uint64_t issued = 0;
  std::uint64_t good = 0;
  std::uint64_t aborted = 0;
  bool over = false;
  const auto issue = [&](std::int32_t tag) {
    Transaction& t = host.reuse();
    t.extension.tag = tag;
    t.extension.flush = false;
    t.extension.deadline = core::kNoDeadline;
    t.extension.attribute = TaskAttribute::Simple;
    t.extension.cls = static_cast<RequestClass>(random.below(3));
    if (random.below(15) == 0) {
      t.set_flush();
    } else {
      const auto blocks = static_cast<std::uint32_t>(1 + random.below(40));
      const bool write = t.extension.cls != RequestClass::Continuous && random.below(2) == 0;
      t.set(write, random.below(kToyBlocks - blocks + 1), blocks, 1);
      if (t.extension.cls == RequestClass::Continuous)
        t.extension.deadline = core::now_ps() + static_cast<Picoseconds>(50 + random.below(400)) * kMs;
    }
    const std::uint64_t dice = random.below(30);
    if (dice == 0) t.extension.attribute = TaskAttribute::Ordered;
    if (dice == 1) t.extension.attribute = TaskAttribute::HeadOfQueue;
    ++issued;
    host.submit(t);
  };
  host.on_finished = [&](Transaction& t) {
    ++(t.extension.status == CommandStatus::Aborted ? aborted : good);
    EXPECT_TRUE(t.extension.status == CommandStatus::Aborted || t.extension.status == CommandStatus::Good);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    if (!over) issue(t.extension.tag);  // takes the tag that has just become free
  };
  const std::uint32_t aborts = scaled(6000);
  std::uint64_t taken_back = 0, at_port = 0;
  const auto load = [&](Script& s, std::uint32_t until) {
    over = false;
    while (taken_back < until) {
      // From one clock cycle of the engine to the time of an access.
      s.pause(static_cast<Picoseconds>(5'000 * std::pow(10, 6 * random.uniform())));
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        const Tag tag(static_cast<std::uint16_t>(random.below(profile.queue_depth)));
        const bool waits = !disk->queue().entries()[tag.value].used();
        const bool found = disk->abort(tag);
        taken_back += found ? 1 : 0;
        at_port += found && waits ? 1 : 0;
      }
    }
    over = true;
  };
  Script script("script", [&](Script& s) {
    for (int i = 0; i < 20; ++i) issue(command::CommandExtension::kAnyTag);
    load(s, aborts / 2);
    s.pause(5'000 * kMs);
    disk->set_token_bucket(4'000'000, 65'536);
    for (std::uint32_t tag = 0; tag < profile.queue_depth; ++tag) issue(static_cast<std::int32_t>(tag));
    load(s, aborts);
  });
  for (int k = 0; k < 20'000 && !script.done(); ++k) run_until(core::now_ps() + 10 * kMs);
  ASSERT_TRUE(script.done()) << "it hangs";
  run_until(core::now_ps() + 5'000 * kMs);
  EXPECT_EQ(issued, good + aborted);
  EXPECT_EQ(aborted, taken_back);
  EXPECT_GT(at_port, aborts / 100);
  EXPECT_GT(good, aborted / 100);
  EXPECT_EQ(disk->queue().occupancy(), 0u);
  EXPECT_TRUE(disk->engine().empty());
  EXPECT_TRUE(host.all_released());
  EXPECT_EQ(disk->engine().statistics().mismatches, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Aborts,
                         ::testing::Values(Engine{"SPTF", "firmware"}, Engine{"OPS:SCAN/CI-OPT(6)", "firmware"},
                                           Engine{"OPS:SCAN/CLUST-REQ(4)", "firmware"}, Engine{"OPS:FAMISH", "firmware"},
                                           Engine{"OPS:SLACK(3|1)", "firmware"}, Engine{"CELLO(1|1|1)", "firmware"},
                                           Engine{"RR", "firmware"}, Engine{"SFQ(1|1|1)", "firmware"},
                                           Engine{"TPS:SCAN/SCAN", "firmware"}, Engine{"SPTF", "model"},
                                           Engine{"LOOK", "lockstep"}, Engine{"SPTF", "lockstep"},
                                           Engine{"ASPTF(0.01)", "lockstep"}, Engine{"OPS:SCAN/CI-SPTF", "lockstep"},
                                           Engine{"OPS:SCAN/CI-OPT(6)", "lockstep"},
                                           Engine{"OPS:SCAN/CLUST-REQ(4)", "lockstep"}),
                         name_of_engine);
INSTANTIATE_TEST_SUITE_P(Own, Aborts, ::testing::Values(Engine{"FCFS", PLATTER_OWN_ENGINE}),
                         [](const ::testing::TestParamInfo<Engine>&) { return std::string("FCFS_lockstep_own"); });

/// Aborts the only command of an engine that works on its first decision; a head-of-queue command has arrived meanwhile.
TEST(Aborts, WhatIsAtTheHeadOfTheQueueIsServedWhenTheEngineHasNothingLeft) {
  DriveProfile profile = toy_profile();
  profile.task_attributes = true;
  const auto disk = make_drive("disk", "SPTF", "model", profile);
  AtHost host("host", *disk);
  Transaction& first = host.make();
  Transaction& urgent = host.make();
  first.set(false, 100, 1);
  urgent.set(false, 5'000, 1);
  urgent.extension.attribute = TaskAttribute::HeadOfQueue;
  Script script("script", [&](Script& s) {
    s.pause(1 * kMs);
    host.submit(first);
    s.pause(60'000);
    host.submit(urgent);
    s.pause(60'000);
    EXPECT_TRUE(disk->abort(Tag(0)));
  });
  script.run_to_end(100 * kMs);
  EXPECT_EQ(first.extension.status, CommandStatus::Aborted);
  EXPECT_EQ(urgent.begin_resp > 0, true) << "it was never answered";
  EXPECT_EQ(urgent.extension.status, CommandStatus::Good);
}

/// Under eager writing a command takes several accesses: a command whose first access has begun ends normally.
TEST(Aborts, BetweenTwoAccessesAreTooLate) {
  const auto disk = make_eager("disk", "SATF-EW", toy_profile());
  AtHost host("host", *disk);
  Transaction& write = host.make();
  write.set(true, 0, 3 * kBlock, 0x44);
  host.submit(write);
  std::uint64_t refused = 0;
  Script script("script", [&](Script& s) {
    while (write.begin_resp < 0) {
      s.pause(97 * kUs);
      if (core::now_ps() < 2 * kMs) continue;  // its first access is in progress by then
      EXPECT_FALSE(disk->abort(Tag(0)));
      ++refused;
    }
  });
  script.run_to_end(500 * kMs);
  EXPECT_GT(refused, 10u);
  EXPECT_EQ(write.extension.status, CommandStatus::Good);
}

/// A torn sector that an older write, still in progress, will overwrite need not be readable.
TEST(Unreadable, SectorsThatAnOlderWriteHasAreTheWritesBytes) {
  const auto disk = make_drive("disk", "SSTF", "firmware", toy_profile());
  drive::DurableImage image = disk->power_loss_image();
  constexpr std::uint64_t kTorn = 10 * 128;  // the first block of a cylinder
  image.media.tear(kTorn * 512);
  disk->power_up(image);
  AtHost host("host");
  host.disk_init_socket.bind(disk->host_tgt_socket);
  // While the arm is at the outer edge, an older write of the sector waits. A younger read, which begins one cylinder nearer, is served first.
  Transaction& away = host.submit(false, 0, 1);
  Transaction& write = host.submit(true, kTorn, 1, 0x55);
  Transaction& read = host.submit(false, kTorn - 1, 3);
  run_until(200 * kMs);
  ASSERT_EQ(host.finished(), 3u);
  EXPECT_EQ(away.extension.status, CommandStatus::Good);
  EXPECT_EQ(write.extension.status, CommandStatus::Good);
  EXPECT_EQ(read.extension.status, CommandStatus::Good);
  EXPECT_LT(read.begin_resp, write.begin_resp);
  EXPECT_EQ(read.data[512], 0x55);
}

TEST(PowerLoss, OfAnEagerDriveWithoutDataLeavesNothingToStartFrom) {
  const auto disk = make_eager("disk", "SATF-EW", toy_profile(), 2, false);
  AtHost host("host", *disk);
  EXPECT_THROW(disk->power_up(disk->power_loss_image()), std::runtime_error);
}

}  // namespace
}  // namespace platter::testing
