// SPDX-License-Identifier: Apache-2.0
//
// Faults of the media and of the drive, in time: the ladder of retries, spares, limits, read-ahead and destages, commands that are never
// answered, answers that are late, restarts and losses of the link. Times are calculated by hand for the toy drive (6.4 ms a turn).
#include "testing.h"

#include <stdexcept>

#include "platter/core/error.h"
#include "platter/media/disk_file.h"
#include "platter/media/faults.h"

namespace platter::testing {
namespace {

using drive::ControllerState;
using media::Fault;
using media::FaultKind;

constexpr Picoseconds us(double value) { return core::to_picoseconds(value, kUs); }

/// The toy drive with a ladder of 2 turns, 5 turns and 40 ms for reads, 3 turns and 25 ms for writes.
profile::DriveProfile faulty_profile(profile::DriveProfile p = toy_profile()) {
  p.recovery.read_ms = {12.8, 32, 40};
  p.recovery.write_ms = {19.2, 25};
  p.recovery.spares = 2;
  return p;
}
constexpr Picoseconds kTurn = kToyTurn;
constexpr Picoseconds kLadderEnd = 40 * kMs;
constexpr Picoseconds kWriteLadder = 4 * kTurn;  // 25 ms in whole turns: a write succeeds, on the spare

/// `number`: of the retry, of turns, or of the surface.
Fault of(FaultKind kind, std::uint64_t first = Fault::kAnyBlock, std::uint64_t blocks = 1, std::uint32_t number = 0,
         std::uint64_t count = 0) {
  Fault fault;
  fault.kind = kind;
  fault.first = first;
  fault.blocks = blocks;
  fault.tries = fault.turns = fault.surface = number;
  fault.count = count;
  return fault;
}
constexpr std::uint64_t kAny = Fault::kAnyBlock;

std::unique_ptr<drive::Drive> make_faulty(const profile::DriveProfile& profile, std::vector<Fault> faults,
                                          const char* name = "disk", const char* policy = "FCFS") {
  drive::DriveConfig config;
  config.profile = profile;
  config.faults = std::move(faults);
  return std::make_unique<drive::Drive>(name, config, system::engine_factory(engine_options(policy, "firmware", profile)));
}

/// Runs `body` on a drive with faults.
void with_drive(const profile::DriveProfile& profile, std::vector<Fault> faults,
                const std::function<void(drive::Drive&, Script&, Transaction&)>& body, Picoseconds until = 100'000 * kMs) {
  const auto disk = make_faulty(profile, std::move(faults));
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    body(*disk, s, t);
  });
  script.run_to_end(until);
}

/// Carries out a command, which may fail: returns its status.
CommandStatus go(Script& s, Transaction& t, bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
  t.set(write, lba, blocks, fill);
  s.transport(t);
  return t.extension.status;
}

CommandStatus flush(Script& s, Transaction& t) {
  t.set_flush();
  s.transport(t);
  t.extension.flush = false;
  return t.extension.status;
}

Picoseconds response_of(Script& s, Transaction& t, bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill = 0) {
  go(s, t, write, lba, blocks, fill);
  EXPECT_EQ(t.timing().parts(), t.timing().response());
  return t.timing().response();
}

// --- reads ------------------------------------------------------------------------------------------------------------

TEST(MediaFault, AnUnreadableBlockEndsTheReadWithTheLadder) {
  with_drive(faulty_profile(), {of(FaultKind::Unreadable, 20)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    go(s, t, true, 10, 10, 0x77);
    go(s, t, false, 10, 30);
    EXPECT_EQ(t.data[0], 0x77) << "a host takes the blocks before the bad one as good";
    EXPECT_EQ(t.data[10 * 512 - 1], 0x77);
    EXPECT_EQ(t.extension.status, CommandStatus::Unreadable);
    EXPECT_EQ(t.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(t.extension.sense().code, 0x11);
    EXPECT_EQ(t.extension.first_bad, 20u);
    EXPECT_EQ(t.timing().recovery, kLadderEnd);
    EXPECT_EQ(t.timing().retry_turns, 7u) << "begun ones included";
    EXPECT_EQ(t.timing().transfer, us(1'100) + kLadderEnd) << "blocks 10 to 20, then the ladder";
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_EQ(disk.media_errors().uncorrectable, 1u);
    EXPECT_EQ(disk.media_errors().pending, 1u);
    EXPECT_EQ(go(s, t, false, 21, 10), CommandStatus::Good) << "the others are served";
    EXPECT_EQ(t.timing().recovery, 0);
    EXPECT_EQ(go(s, t, true, 20, 1, 0x55), CommandStatus::Good);
    EXPECT_EQ(disk.media_errors().pending, 0u);
    EXPECT_EQ(go(s, t, false, 10, 30), CommandStatus::Good);
    EXPECT_EQ(t.data[10 * 512], 0x55);
    EXPECT_EQ(disk.media_errors().reallocated, 0u) << "the write has healed it";
    EXPECT_FALSE(disk.faults().on());
  });
}

TEST(MediaFault, ARetryThatSucceedsTakesWholeTurns) {
  const std::vector<Fault> faults = {of(FaultKind::Retries, 20, 1, 2), of(FaultKind::Retries, 200, 1, 4)};
  with_drive(faulty_profile(), faults, [](drive::Drive& disk, Script& s, Transaction& t) {
    go(s, t, true, 10, 30, 0x11);
    response_of(s, t, false, 10, 30);
    EXPECT_EQ(t.extension.status, CommandStatus::Good);
    EXPECT_EQ(t.timing().recovery, 5 * kTurn);
    EXPECT_EQ(t.timing().retry_turns, 5u);
    EXPECT_EQ(t.timing().transfer, us(3'000) + 5 * kTurn) << "it goes on where it stopped";
    EXPECT_EQ(t.data[0], 0x11);
    EXPECT_EQ(disk.media_errors().recovered, 1u);
    EXPECT_EQ(disk.media_errors().uncorrectable, 0u);
  });
}

TEST(MediaFault, ARetryBeyondTheLadderFails) {
  with_drive(faulty_profile(), {of(FaultKind::Retries, 20, 1, 4)},
             [](drive::Drive&, Script& s, Transaction& t) { EXPECT_EQ(go(s, t, false, 20, 1), CommandStatus::Unreadable); });
}

TEST(MediaFault, LimitsOfProfileHostAndCommand) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.limit_ms = 30;
  with_drive(p, {of(FaultKind::Retries, 20, 1, 2)}, [](drive::Drive&, Script& s, Transaction& t) {
    EXPECT_EQ(go(s, t, false, 20, 1), CommandStatus::Unreadable) << "32 ms are more than the limit";
    EXPECT_EQ(t.timing().recovery, 30 * kMs);
    t.extension.recovery_limit = 1;
    EXPECT_EQ(go(s, t, false, 20, 1), CommandStatus::Unreadable);
    EXPECT_EQ(t.timing().recovery, kTurn) << "one turn in any case";
  });
}

TEST(MediaFault, ALimitCountsTheWholeCommand) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.read_ms = {1};
  p.recovery.spares = 3;
  std::vector<Fault> faults = {of(FaultKind::WriteFault, 60, 3), of(FaultKind::Unreadable, 100)};
  for (const std::uint64_t block : {20u, 21u, 22u}) faults.push_back(of(FaultKind::Slow, block, 1, 1));
  with_drive(p, faults, [](drive::Drive& disk, Script& s, Transaction& t) {
    t.extension.recovery_limit = 2 * kTurn;
    EXPECT_EQ(go(s, t, false, 10, 30), CommandStatus::Unreadable);
    EXPECT_EQ(t.extension.first_bad, 22u) << "two turns are spent";
    EXPECT_EQ(t.timing().recovery, 2 * kTurn);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_EQ(go(s, t, true, 60, 3), CommandStatus::Good);
    EXPECT_EQ(t.timing().retry_turns, 2u) << "the spares come on top of the limit";
    EXPECT_EQ(disk.media_errors().reallocated, 3u);
    go(s, t, false, 100, 1);
    EXPECT_EQ(t.timing().recovery, kTurn) << "a ladder of 1 ms takes a turn too";
  });
}

TEST(MediaFault, SlowBlocksAndAnOffTrackRun) {
  Fault off = of(FaultKind::OffTrack, kAny, 1, 2);
  off.at = 2000 * kMs;
  off.lasts = 1000 * kMs;
  with_drive(faulty_profile(), {of(FaultKind::Slow, 20, 4, 3), off}, [](drive::Drive&, Script& s, Transaction& t) {
    EXPECT_EQ(go(s, t, false, 10, 30), CommandStatus::Good);
    EXPECT_EQ(t.timing().recovery, 3 * kTurn);
    go(s, t, true, 22, 1);
    EXPECT_EQ(t.timing().recovery, 3 * kTurn) << "each time";
    go(s, t, false, 100, 1);
    EXPECT_EQ(t.timing().recovery, 0);
    s.pause_until(2500 * kMs);
    go(s, t, false, 100, 1);
    EXPECT_EQ(t.timing().recovery, 2 * kTurn);
    s.pause_until(3500 * kMs);
    go(s, t, false, 100, 1);
    EXPECT_EQ(t.timing().recovery, 0);
  });
}

TEST(MediaFault, AFailedHeadLosesItsSurfaceOnly) {
  with_drive(faulty_profile(), {of(FaultKind::Surface, kAny, 1, 1)}, [](drive::Drive&, Script& s, Transaction& t) {
    EXPECT_EQ(go(s, t, false, 0, 64), CommandStatus::Good);
    EXPECT_EQ(go(s, t, false, 64, 64), CommandStatus::Unreadable);
    EXPECT_EQ(t.extension.first_bad, 64u);
    go(s, t, false, 32, 64);
    EXPECT_EQ(t.extension.first_bad, 64u);
    EXPECT_EQ(go(s, t, false, 128, 64), CommandStatus::Good);
    go(s, t, true, 64, 1);
    EXPECT_EQ(go(s, t, false, 64, 2), CommandStatus::Unreadable) << "the next sector is not on a spare";
    EXPECT_EQ(t.extension.first_bad, 65u);
  });
}

TEST(MediaFault, FaultsEndWhenTheyHaveTakenEffectOften) {
  const std::vector<Fault> faults = {of(FaultKind::Surface, kAny, 1, 1, 2), of(FaultKind::SilentBit, 10, 1, 0, 1)};
  with_drive(faulty_profile(), faults, [](drive::Drive& disk, Script& s, Transaction& t) {
    for (const int i : {0, 1, 2, 3}) {
      EXPECT_EQ(go(s, t, false, 32, 64), i < 2 ? CommandStatus::Unreadable : CommandStatus::Good);
      go(s, t, false, 10, 1);
      EXPECT_EQ(t.data[0], i == 0 ? 1 : 0);
    }
    EXPECT_EQ(disk.media_errors().silent_reads, 1u);
  });
}

TEST(MediaFault, OneOfTwoActuatorsMeetsAFaultThatTakesEffectOnce) {
  profile::DriveProfile p = faulty_profile();
  p.geometry.actuators = 2;
  const auto disk = make_faulty(p, {of(FaultKind::OffTrack, kAny, 1, 2, 1)});
  AtHost host("host", *disk);
  Transaction& one = host.submit(false, 100, 1);
  Transaction& other = host.submit(false, kToyBlocks - 100, 1);
  run_until(1'000 * kMs);
  EXPECT_EQ(one.timing().recovery + other.timing().recovery, 2 * kTurn);
}

TEST(MediaFault, OlderWritesReplaceOnlyTheirOwnBlocks) {
  const std::vector<Fault> faults[] = {{of(FaultKind::Unreadable, 4'992)},
                                       {of(FaultKind::Unreadable, 4'992, 2)},
                                       {of(FaultKind::Permanent, 4'992, 2)},
                                       {of(FaultKind::Surface)},
                                       {}};
  std::vector<std::unique_ptr<drive::Drive>> disks;
  std::vector<std::unique_ptr<AtHost>> hosts;
  std::vector<Transaction*> reads;
  std::vector<Transaction*> writes;
  for (const std::vector<Fault>& each : faults) {
    const std::string name = "disk" + std::to_string(disks.size());
    disks.push_back(make_faulty(faulty_profile(), each, name.c_str(), "SPTF"));
    hosts.push_back(std::make_unique<AtHost>((name + "_host").c_str()));
    hosts.back()->disk_init_socket.bind(disks.back()->host_tgt_socket);
    if (each.empty()) {
      drive::DurableImage torn = disks.back()->power_loss_image();
      for (const std::uint64_t block : {4'992u, 4'993u}) torn.media.tear(block * 512);
      disks.back()->power_up(torn);
    }
    hosts.back()->submit(false, 12'000, 1);
    writes.push_back(&hosts.back()->submit(true, 4'992, 1, 0x77));
    reads.push_back(&hosts.back()->submit(false, 4'982, 20));
  }
  run_until(10'000 * kMs);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    EXPECT_LT(reads[i]->begin_resp, writes[i]->begin_resp);
    EXPECT_EQ(reads[i]->extension.status, i == 0 ? CommandStatus::Good : CommandStatus::Unreadable) << i;
    EXPECT_TRUE(i == 0 || reads[i]->extension.first_bad == 4'993) << i;
    EXPECT_EQ(reads[i]->data[10 * 512], 0x77) << i;
    EXPECT_EQ(reads[i]->timing().recovery, i == 0 ? 0 : kLadderEnd) << i;
    EXPECT_EQ(disks[i]->media_errors().pending, i == 0 ? 0u : 1u) << i;
  }
}

// --- writes and spares -------------------------------------------------------------------------------------------------

TEST(MediaFault, AWriteThatFailsIsPutOnASpare) {
  with_drive(faulty_profile(), {of(FaultKind::WriteFault, 20)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    EXPECT_EQ(go(s, t, true, 10, 30, 0x44), CommandStatus::Good);
    EXPECT_TRUE(t.timing().reallocated);
    EXPECT_EQ(t.timing().retry_turns, 4u);
    EXPECT_GT(t.timing().recovery, kWriteLadder) << "and the way to the spare and back";
    EXPECT_EQ(t.timing().recovery % kTurn, 0);
    EXPECT_EQ(disk.media_errors().reallocated, 1u);
    EXPECT_EQ(disk.media_errors().reallocations, 1u);
    EXPECT_EQ(go(s, t, false, 10, 30), CommandStatus::Good);
    EXPECT_EQ(t.data[10 * 512], 0x44);
    EXPECT_GT(t.timing().recovery, 0) << "later accesses go there";
    EXPECT_EQ(t.timing().retry_turns, 0u);
    EXPECT_EQ(disk.media_errors().detours, 1u);
    go(s, t, false, 21, 10);
    EXPECT_EQ(t.timing().recovery, 0);
    go(s, t, true, 20, 1, 0x45);
    EXPECT_FALSE(t.timing().reallocated);
    go(s, t, false, 20, 1);
    EXPECT_EQ(t.data[0], 0x45);
  });
}

TEST(MediaFault, APermanentDefectIsFoundPendingAndReallocated) {
  with_drive(faulty_profile(), {of(FaultKind::Permanent, 16, 5)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    go(s, t, true, 20, 1, 0x01);
    EXPECT_EQ(t.timing().recovery, 0) << "nobody knows of it";
    EXPECT_EQ(go(s, t, false, 20, 1), CommandStatus::Unreadable);
    EXPECT_EQ(disk.media_errors().pending, 1u);
    EXPECT_EQ(go(s, t, true, 10, 20, 0x02), CommandStatus::Good);
    EXPECT_TRUE(t.timing().reallocated);
    EXPECT_EQ(disk.media_errors().pending, 0u);
    EXPECT_EQ(go(s, t, false, 20, 1), CommandStatus::Good);
    EXPECT_EQ(t.data[0], 0x02);
  });
}

TEST(MediaFault, ASectorWithTwoTroublesIsReallocatedOnce) {
  const std::vector<Fault> faults = {of(FaultKind::Permanent, 20, 2), of(FaultKind::WriteFault, 20, 2),
                                     of(FaultKind::WriteFault, 70), of(FaultKind::Surface, kAny, 1, 1)};
  profile::DriveProfile p = faulty_profile();
  p.recovery.spares = 8;
  with_drive(p, faults, [](drive::Drive& disk, Script& s, Transaction& t) {
    for (const std::uint64_t block : {20u, 21u}) go(s, t, false, block, 1);
    for (const std::uint64_t block : {20u, 70u}) {
      EXPECT_EQ(go(s, t, true, block, block == 20 ? 2 : 1, 0x44), CommandStatus::Good);
      EXPECT_EQ(t.timing().retry_turns, block == 20 ? 8u : 4u);
      EXPECT_EQ(go(s, t, false, block, 1), CommandStatus::Good);
      EXPECT_EQ(t.data[0], 0x44);
    }
    EXPECT_EQ(disk.media_errors().reallocated, 3u);
    EXPECT_EQ(disk.media_errors().reallocations, 3u);
    EXPECT_EQ(disk.faults().spare_places().size(), 3u) << "the next one has the next number";
  });
}

TEST(MediaFault, WithoutASpareTheWriteFails) {
  with_drive(faulty_profile(), {of(FaultKind::WriteFault, 20, 3)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    go(s, t, true, 20, 1);
    EXPECT_EQ(go(s, t, true, 21, 1), CommandStatus::Good);
    EXPECT_EQ(go(s, t, true, 22, 1), CommandStatus::WriteFault);
    EXPECT_EQ(t.extension.sense(), (command::Sense{0x3, 0x0C, 0x02}));
    EXPECT_EQ(t.extension.first_bad, 22u);
    EXPECT_EQ(disk.media_errors().write_errors, 1u);
    EXPECT_EQ(disk.media_errors().reallocations, 3u);
  });
}

TEST(MediaFault, AWriteThatFailsKeepsTheBlocksBeforeTheBadOne) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.spares = 0;
  with_drive(p, {of(FaultKind::WriteFault, 20), of(FaultKind::Unreadable, 12)}, [](drive::Drive&, Script& s, Transaction& t) {
    go(s, t, true, 21, 9, 0x11);
    EXPECT_EQ(go(s, t, true, 10, 20, 0x22), CommandStatus::WriteFault);
    EXPECT_EQ(t.extension.first_bad, 20u);
    EXPECT_EQ(go(s, t, false, 10, 20), CommandStatus::Good) << "a block before it has been healed by the write";
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(t.data[i * 512], i < 10 ? 0x22 : i == 10 ? 0 : 0x11) << "block " << 10 + i;
  });
}

TEST(MediaFault, AFailedZeroLatencyWriteKeepsTheBlocksBeforeTheBadOne) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.spares = 0;
  p.zero_latency_write = true;
  with_drive(p, {of(FaultKind::WriteFault, 60)}, [](drive::Drive&, Script& s, Transaction& t) {
    for (const Picoseconds pause : {0, 1, 2, 3, 4, 5}) {
      s.pause(pause * kMs);
      const auto fill = static_cast<std::uint8_t>(0x10 + pause);
      EXPECT_EQ(go(s, t, true, 0, 64, fill), CommandStatus::WriteFault);
      EXPECT_EQ(t.extension.first_bad, 60u);
      EXPECT_EQ(t.timing().parts(), t.timing().response());
      EXPECT_GE(t.timing().transfer, 60 * us(100)) << "the blocks before it have passed the head";
      go(s, t, false, 0, 60);
      for (std::size_t i = 0; i < 60; ++i) ASSERT_EQ(t.data[i * 512], fill) << i;
    }
  });
}

TEST(MediaFault, ASpareOfTheLayoutIsTheNearest) {
  profile::DriveProfile p = faulty_profile();
  p.geometry.spare_unit = profile::SpareUnit::Track;
  p.geometry.zones[0].spare_sectors = 2;
  with_drive(p, {of(FaultKind::WriteFault, 20)}, [](drive::Drive&, Script& s, Transaction& t) {
    go(s, t, true, 20, 1);
    // From sector 20 to sector 63 on the same track: 42 sectors later, and then the sector itself.
    EXPECT_EQ(t.timing().recovery, kWriteLadder + us(4'300));
    go(s, t, false, 20, 2);
    EXPECT_EQ(t.timing().recovery, kTurn) << "there and back takes a turn";
  });
}

/// What the drive knows of its defects is in its image: another drive that starts from it goes to the same places.
TEST(MediaFault, TheImageHasPendingSectorsSparesAndCounters) {
  profile::DriveProfile p = faulty_profile();
  p.geometry.spare_unit = profile::SpareUnit::Track;
  p.geometry.zones[0].spare_sectors = 1;  // the second spare is on the next track
  const auto first =
      make_faulty(p, {of(FaultKind::WriteFault, 20), of(FaultKind::WriteFault, 22), of(FaultKind::Unreadable, 30)});
  const auto second = make_faulty(p, {}, "other");
  std::array<std::vector<Picoseconds>, 2> times;
  Script one("one", *first, [&](Script& s) {
    Transaction t(nullptr);
    for (const std::uint64_t block : {20u, 22u}) go(s, t, true, block, 1, 0x44);
    go(s, t, false, 30, 1);
    EXPECT_EQ(first->media_errors().pending, 1u);
    second->power_up(first->power_loss_image());
    for (const std::uint64_t block : {20u, 22u, 24u}) times[0].push_back(response_of(s, t, false, block, 1));
  });
  Script two("two", [&](Script& s) {
    Transaction t(nullptr);
    s.pause(50'000 * kMs + kTurn * 3);
    // The other drive's arm and angle are those of the first before its reads.
    go(s, t, false, 29, 1);
    EXPECT_EQ(second->media_errors().pending, 1u);
    EXPECT_EQ(second->media_errors().reallocated, 2u);
    EXPECT_EQ(second->media_errors().reallocations, 2u);
    EXPECT_EQ(second->media_errors().uncorrectable, 1u);
    EXPECT_TRUE(second->faults().is_pending(30));
    const std::uint64_t before = second->media_errors().detours;
    for (const std::uint64_t block : {20u, 22u, 24u}) {
      times[1].push_back(response_of(s, t, false, block, 1));
      EXPECT_EQ(t.extension.status, CommandStatus::Good);
      EXPECT_EQ(t.data[0], block < 24 ? 0x44 : 0);
    }
    EXPECT_EQ(second->media_errors().detours, before + 2);
    EXPECT_EQ(second->faults().spare_places()[1].track, first->faults().spare_places()[1].track);
  });
  two.disk_init_socket.bind(second->host_tgt_socket);
  run_until(100'000 * kMs);
  EXPECT_TRUE(one.done() && two.done());
  // Each read begins where the one before it has ended, so only the first one depends on the angle.
  for (const std::size_t i : {1u, 2u}) EXPECT_EQ(times[1][i] % kTurn, times[0][i] % kTurn) << i;
}

TEST(MediaFault, ADiskFileWithAnImpossibleSpareIsRefused) {
  profile::DriveProfile p = faulty_profile();
  p.geometry.spare_unit = profile::SpareUnit::Track;
  p.geometry.zones[0].spare_sectors = 2;
  const mechanics::AccessPlanner planner(p);
  const auto objection = [&](std::uint32_t track, std::uint32_t place) {
    return drive::Recovery::objection(planner.geometry(), {0, track, place});
  };
  EXPECT_EQ(objection(~0u, 7), "") << "on the last tracks";
  EXPECT_EQ(objection(3, 63), "");
  EXPECT_EQ(objection(3, 64), "found sector 64, expected at most 63");
  EXPECT_EQ(objection(3, 61), "found sector 61 of track 3, expected one without a block");
  EXPECT_EQ(objection(256, 0), "found track 256, expected one with blocks");
  EXPECT_EQ(objection(~0u - 1, 0), "found track 4294967294, expected one with blocks");
  media::DiskIdentity identity;
  identity.sectors = planner.geometry().block_count();
  identity.sector_bytes = 512;
  const TemporaryFile path(".disk");
  media::DiskFile file(path.path(), identity);
  file.put_spare(0, {2, 3, 63});
  file.put_spare(1, {4, 3, 61});
  drive::DriveConfig config;
  config.profile = p;
  config.disk_file = &file;
  try {
    const drive::Drive disk("disk", config, system::engine_factory(engine_options("FCFS", "firmware", p)));
    ADD_FAILURE() << "it is taken";
  } catch (const core::InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              path.path().string() + ": spare 1: found sector 61 of track 3, expected one without a block");
  }
}

// --- the buffer ---------------------------------------------------------------------------------------------------------

TEST(MediaFault, AReadAheadEndsBeforeABadBlockWithoutAnError) {
  with_drive(faulty_profile(cached_toy_profile(profile::WriteBack::Off)), {of(FaultKind::Unreadable, 20)},
             [](drive::Drive& disk, Script& s, Transaction& t) {
               go(s, t, false, 0, 8);
               s.pause(100 * kMs);
               EXPECT_EQ(disk.media_errors().read_ahead_stops, 1u);
               EXPECT_EQ(disk.media_errors().uncorrectable, 0u);
               EXPECT_EQ(go(s, t, false, 8, 12), CommandStatus::Good);
               EXPECT_EQ(disk.cache_statistics().read_hits, 1u) << "what lies before it is in the buffer";
               EXPECT_EQ(go(s, t, false, 20, 4), CommandStatus::Unreadable);
               EXPECT_EQ(go(s, t, false, 20, 4), CommandStatus::Unreadable) << "and stays out of the buffer";
             });
}

TEST(MediaFault, ADestageThatFailsIsPutOnASpare) {
  with_drive(faulty_profile(cached_toy_profile(profile::WriteBack::Interleaved)), {of(FaultKind::WriteFault, 20)},
             [](drive::Drive& disk, Script& s, Transaction& t) {
               EXPECT_LT(response_of(s, t, true, 20, 1, 0x66), kTurn) << "the buffer has answered";
               EXPECT_EQ(flush(s, t), CommandStatus::Good);
               EXPECT_EQ(disk.media_errors().reallocated, 1u);
               go(s, t, false, 20, 1);
               EXPECT_EQ(t.data[0], 0x66);
             });
}

TEST(MediaFault, ALostDestageFailsTheNextFlush) {
  profile::DriveProfile p = faulty_profile(cached_toy_profile(profile::WriteBack::Interleaved));
  p.recovery.spares = 0;
  p.power_loss.cache = profile::LostCache::Saved;
  with_drive(p, {of(FaultKind::WriteFault, 20)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    EXPECT_EQ(go(s, t, true, 20, 1, 0x66), CommandStatus::Good);
    EXPECT_EQ(flush(s, t), CommandStatus::WriteFault);
    EXPECT_EQ(disk.media_errors().lost_destages, 1u);
    EXPECT_EQ(flush(s, t), CommandStatus::Good) << "it is told once";
    EXPECT_EQ(go(s, t, true, 20, 1, 0x66), CommandStatus::Good);
    s.pause(1'000 * kMs);
    EXPECT_EQ(disk.media_errors().lost_destages, 2u);
    disk.restart(0);
    EXPECT_EQ(flush(s, t), CommandStatus::WriteFault) << "a drive that saves its buffer keeps this in mind too";
  });
}

// --- scrubbing ----------------------------------------------------------------------------------------------------------

TEST(MediaFault, ScrubbingFindsBadBlocksInIdleTimeOnly) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.scrub_after_ms = 50;
  p.recovery.scrub_blocks = 128;
  with_drive(p, {of(FaultKind::Unreadable, 5'000)}, [](drive::Drive& disk, Script& s, Transaction& t) {
    for (int i = 0; i < 100; ++i) {  // never idle for 50 ms
      go(s, t, false, 100, 1);
      s.pause(20 * kMs);
    }
    EXPECT_EQ(disk.media_errors().scrubbed_blocks, 0u);
    s.pause(10'000 * kMs);
    EXPECT_GE(disk.media_errors().scrubbed_blocks, kToyBlocks) << "all of the drive";
    EXPECT_EQ(disk.media_errors().scrub_errors, 1u) << "once, although it is read again and again";
    EXPECT_EQ(disk.media_errors().pending, 1u);
    const Picoseconds piece = 128 * us(100) + us(500) + 2 * kTurn;
    EXPECT_LT(response_of(s, t, false, 100, 1), piece + 20 * kMs) << "it waits at most for the piece that runs";
    EXPECT_EQ(t.extension.status, CommandStatus::Good);
    go(s, t, true, 5'000, 1);
    EXPECT_EQ(disk.media_errors().pending, 0u);
  });
}

TEST(MediaFault, ScrubbingBeginsWhenTheIdleTimeIsOver) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.scrub_after_ms = 50;
  p.recovery.scrub_blocks = 128;
  with_drive(p, {}, [](drive::Drive& disk, Script& s, Transaction& t) {
    for (std::uint64_t i = 0; i < 100; ++i) {  // a piece or two fit into each pause
      EXPECT_GE(disk.media_errors().scrubbed_blocks, 128 * i);
      go(s, t, false, 100, 1);
      s.pause(50 * kMs + 128 * us(100) + us(500) + 2 * kTurn);
    }
  });
}

TEST(MediaFault, ScrubbingTakesNoTimeOfTheBus) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.scrub_after_ms = 50;
  p.recovery.scrub_blocks = 128;
  p.bus_overlap = false;
  const auto fast = make_faulty(p, {});
  p.bus_read_block_us = 2'000;
  const auto slow = make_faulty(p, {}, "slow");
  const AtHost of_fast("of_fast", *fast);
  const AtHost of_slow("of_slow", *slow);
  run_until(3'000 * kMs);
  EXPECT_GT(fast->media_errors().scrubbed_blocks, 5'000u);
  EXPECT_EQ(slow->media_errors().scrubbed_blocks, fast->media_errors().scrubbed_blocks);
}

TEST(MediaFault, ScrubbingGivesUpABadBlockAfterAFewTurns) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.read_ms = {12.8, 2'000};
  p.recovery.scrub_after_ms = 50;
  p.recovery.scrub_blocks = 128;
  const std::vector<Fault> faults = {of(FaultKind::Unreadable, 5'000), of(FaultKind::Retries, 9'000, 1, 2),
                                     of(FaultKind::Retries, 7'000, 1, 1)};
  with_drive(p, faults, [](drive::Drive& disk, Script& s, Transaction& t) {
    const Picoseconds piece = 128 * us(100) + us(500) + 2 * kTurn;
    while (disk.media_errors().scrubbed_blocks < kToyBlocks) {  // a host that comes at any moment of a pass
      s.pause(61 * kMs);
      EXPECT_LT(response_of(s, t, false, 100, 1), piece + 3 * kTurn + 20 * kMs);
      if (core::now_ps() > 90'000 * kMs) break;
    }
    EXPECT_GE(disk.media_errors().scrubbed_blocks, kToyBlocks);
    EXPECT_EQ(disk.media_errors().pending, 2u) << "three turns do not reach the second retry";
    EXPECT_TRUE(disk.faults().is_pending(5'000));
    EXPECT_TRUE(disk.faults().is_pending(9'000));
    EXPECT_EQ(go(s, t, false, 9'000, 1), CommandStatus::Good) << "a host has the whole ladder";
  });
}

/// Idle time begins with the end of any command, and with the return of a drive that did not work.
TEST(MediaFault, ScrubbingWaitsForAnAbortAndGoesOnAfterARestart) {
  profile::DriveProfile p = faulty_profile();
  p.recovery.scrub_after_ms = 50;
  Fault stuck = of(FaultKind::Stuck);
  stuck.count = 1;
  const auto disk = make_faulty(p, {stuck});
  AtHost host("host", *disk);
  run_until(10 * kMs);
  host.submit(false, 0, 1);
  run_until(505 * kMs);
  EXPECT_TRUE(disk->abort(core::Tag(0)));
  for (const auto& again : {+[](drive::Drive& /*d*/) {}, +[](drive::Drive& d) { d.restart(0); },
                            +[](drive::Drive& d) { d.set_alive(false), d.set_alive(true); },
                            +[](drive::Drive& d) { d.cut_power(), d.restore_power(); }}) {
    again(*disk);
    const std::uint64_t before = disk->actuator().accesses();
    run_until(core::now_ps() + 50 * kMs - 1);
    EXPECT_EQ(disk->actuator().accesses(), before);
    run_until(core::now_ps() + 100 * kMs);
    EXPECT_GT(disk->actuator().accesses(), before);
  }
}

TEST(MediaFault, TheExtendedSelfTestWakesADriveThatRests) {
  profile::DriveProfile p = faulty_profile();
  p.spin_up_s = 2;
  p.power.spindle_w = 6;
  p.power.standby_s = 1;
  const auto disk = make_faulty(p, {});
  AtHost host("host", *disk);
  Registers registers("registers", *disk);
  run_until(5'000 * kMs);
  EXPECT_TRUE(disk->spindle().stopped());
  registers.write(drive::reg::kSelfTest, drive::reg::kSelfTestLong);
  run_until(20'000 * kMs);
  EXPECT_EQ(disk->media_errors().scrubbed_blocks, kToyBlocks);
  EXPECT_EQ(registers.read(drive::reg::kSelfTest) & drive::reg::kSelfTestState, drive::reg::kSelfTestGood);
}

/// A self-test starts while a piece of the test before it is read.
TEST(MediaFault, ASelfTestBeginsAtItsOwnFirstPiece) {
  constexpr std::uint64_t kPiece = 1'024;
  profile::DriveProfile p = faulty_profile();
  p.recovery.scrub_blocks = kPiece;
  const auto disk = make_faulty(p, {});
  Registers registers("registers", *disk);
  Script script("script", *disk, [&](Script& s) {
    const auto wait_for = [&](std::uint64_t blocks) {
      while (disk->media_errors().scrubbed_blocks < blocks && core::now_ps() < 20'000 * kMs) s.pause(1 * kMs);
      EXPECT_EQ(disk->media_errors().scrubbed_blocks, blocks);
    };
    registers.write(drive::reg::kSelfTest, drive::reg::kSelfTestLong);
    wait_for(3 * kPiece);
    s.pause(30 * kMs);
    ASSERT_EQ(disk->actuator().doing(), ControllerState::Transfer) << "the fourth piece";
    registers.write(drive::reg::kSelfTest, 0);
    registers.write(drive::reg::kSelfTest, drive::reg::kSelfTestLong);
    wait_for(4 * kPiece);
    EXPECT_EQ(registers.read(drive::reg::kSelfTest) & drive::reg::kSelfTestState, drive::reg::kSelfTestRuns);
    wait_for(4 * kPiece + kToyBlocks);  // all of the drive
    s.pause(100 * kMs);
    EXPECT_EQ(registers.read(drive::reg::kSelfTest) & drive::reg::kSelfTestState, drive::reg::kSelfTestGood);
    EXPECT_EQ(disk->media_errors().scrubbed_blocks, 4 * kPiece + kToyBlocks);
  });
  script.run_to_end(30'000 * kMs);
}

/// Random commands at a depth, with and without reads in rotational waits.
struct WaitLoad {
  std::vector<Picoseconds> completions;
  std::uint64_t read = 0;
  std::uint64_t rounds = 0;
};

void run_beside(const profile::DriveProfile& p, std::uint32_t depth, std::uint32_t commands, WaitLoad& off, WaitLoad& on,
                const std::function<void(drive::Drive&)>& look = nullptr) {
  std::array<std::unique_ptr<drive::Drive>, 2> disks;
  std::array<std::unique_ptr<AtHost>, 2> hosts;
  for (const std::size_t i : {0u, 1u}) {
    profile::DriveProfile own = p;
    own.recovery.scrub_in_waits = i == 1;
    drive::DriveConfig config;
    config.profile = own;
    config.faults = {of(FaultKind::Unreadable, 5'000)};
    disks[i] = std::make_unique<drive::Drive>(i == 0 ? "off" : "on", config,
                                              system::engine_factory(engine_options("SPTF", "firmware", own)));
    hosts[i] = std::make_unique<AtHost>(i == 0 ? "host_off" : "host_on");
    hosts[i]->disk_init_socket.bind(disks[i]->host_tgt_socket);
  }
  std::array<std::vector<const Transaction*>, 2> commands_of;
  core::RandomStream random(7, "load");
  std::uint32_t sent = 0;
  while (hosts[0]->finished() < commands && core::now_ps() < 1'000'000 * kMs) {
    while (sent - hosts[0]->finished() < depth) {
      const bool write = random.bits() % 3 == 0;
      const std::uint64_t block = random.bits() % (kToyBlocks - 8);
      const bool bad = block <= 5'000 && 5'000 < block + 8;
      for (const std::size_t i : {0u, 1u}) commands_of[i].push_back(&hosts[i]->submit(write, bad ? 0 : block, 8));
      ++sent;
    }
    run_until(core::now_ps() + us(300));
  }
  run_until(core::now_ps() + 1'000 * kMs);
  ASSERT_EQ(hosts[0]->finished(), sent);
  ASSERT_EQ(hosts[1]->finished(), sent);
  for (const std::size_t i : {0u, 1u}) {
    WaitLoad& load = i == 0 ? off : on;
    for (const Transaction* t : commands_of[i]) load.completions.push_back(t->begin_resp);
    load.read = disks[i]->media_errors().wait_blocks;
    load.rounds = disks[i]->rounds_in_waits();
  }
  if (look) look(*disks[1]);
}

class WaitReads : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(WaitReads, CostNoCommandATimeAndReadTheWholeDrive) {
  WaitLoad off;
  WaitLoad on;
  run_beside(faulty_profile(), GetParam(), 8'000, off, on, [](drive::Drive& disk) {
    if (disk.rounds_in_waits() == 0) return;
    EXPECT_TRUE(disk.faults().is_pending(5'000)) << "all blocks have been read";
    EXPECT_EQ(disk.media_errors().scrub_errors, 1u);
  });
  EXPECT_EQ(off.completions, on.completions);
  EXPECT_EQ(off.read, 0u);
  EXPECT_GT(on.read, kToyBlocks / 2);
  EXPECT_TRUE(on.rounds >= 1 || GetParam() != 1);
}

TEST_P(WaitReads, CostNothingWithASpreadOfArrivals) {
  profile::DriveProfile p = faulty_profile();
  p.arrival_spread_us = {{1, 200}};
  WaitLoad off;
  WaitLoad on;
  run_beside(p, GetParam(), scaled(4'000), off, on);
  EXPECT_EQ(off.completions, on.completions);
  EXPECT_GT(on.read, 0u);
}

INSTANTIATE_TEST_SUITE_P(Depths, WaitReads, ::testing::Values(1u, 8u), ::testing::PrintToStringParamName());

/// The head cannot read more blocks in a wait than pass under it: an access on the track of the one before it or on its own.
void check_waits(profile::DriveProfile p) {
  profile::ZoneProfile inner;
  inner.first_cylinder = 64;
  inner.last_cylinder = 127;
  inner.sectors_per_track = 40;
  p.geometry.zones[0].last_cylinder = 63;
  p.geometry.zones.push_back(inner);
  p.recovery.scrub_in_waits = true;
  with_drive(p, {}, [](drive::Drive& disk, Script& s, Transaction& t) {
    const std::uint64_t capacity = disk.capacity_sectors();
    const auto sector_time = [&](std::uint64_t block) { return block < 64 * 2 * 64 ? kTurn / 64 : kTurn / 40; };
    core::RandomStream random(11, "waits");
    std::uint64_t before = 0;
    std::uint64_t last = 0;
    Picoseconds waits = 0;
    Picoseconds reads = 0;
    for (int i = 0; i < 1'500; ++i) {
      const auto blocks = static_cast<std::uint32_t>(1 + random.bits() % 30);
      const std::uint64_t block = random.bits() % (capacity - blocks);
      go(s, t, random.bits() % 3 == 0, block, blocks);
      ASSERT_EQ(t.extension.status, CommandStatus::Good);
      const std::uint64_t read = disk.media_errors().wait_blocks - before;
      before += read;
      const Picoseconds least = static_cast<Picoseconds>(read) * std::min(sector_time(block), sector_time(last));
      ASSERT_LE(least, t.timing().rotation) << "command " << i << " reads " << read << " blocks in its wait";
      waits += t.timing().rotation;
      reads += least;
      last = block + blocks - 1;
    }
    EXPECT_LE(before, (disk.rounds_in_waits() + 1) * capacity) << "each block once in a round";
    EXPECT_GT(reads, waits / 20) << "it reads at all";
  });
}

TEST(MediaFault, ReadsInWaitsTakeNoLongerThanTheWaits) { check_waits(toy_profile()); }

TEST(MediaFault, ReadsInWaitsTakeNoLongerThanTheWaitsWithASpreadOfArrivals) {
  profile::DriveProfile p = toy_profile();
  p.arrival_spread_us = {{1, 200}};
  check_waits(p);
}

// --- silent -------------------------------------------------------------------------------------------------------------

TEST(MediaFault, SilentOnesAreReportedByNobody) {
  Fault elsewhere = of(FaultKind::SilentMisdirected, 12, 1, 0, 1);
  elsewhere.other_block = 500;
  elsewhere.at_access = 2;
  with_drive(faulty_profile(), {of(FaultKind::SilentStale, 11, 1, 0, 1), elsewhere},
             [](drive::Drive& disk, Script& s, Transaction& t) {
               go(s, t, true, 10, 3, 0xF0);
               disk.add_fault(of(FaultKind::SilentBit, 10));
               go(s, t, true, 12, 1, 0xAA);
               EXPECT_EQ(go(s, t, false, 10, 3), CommandStatus::Good);
               EXPECT_EQ(t.data[0], 0xF1);
               EXPECT_EQ(t.data[512], 0x00) << "the write was lost";
               EXPECT_EQ(t.data[1024], 0xF0) << "the second write went to block 500";
               go(s, t, false, 500, 1);
               EXPECT_EQ(t.data[0], 0xAA);
               EXPECT_EQ(disk.media_errors().silent_writes, 2u);
               EXPECT_EQ(disk.media_errors().silent_reads, 2u);
               EXPECT_EQ(disk.media_errors().uncorrectable, 0u);
               EXPECT_EQ(t.timing().recovery, 0);
             });
}

// --- stuck and slow -----------------------------------------------------------------------------------------------------

TEST(DriveFault, AStuckCommandWaitsUntilItIsAborted) {
  Fault stuck = of(FaultKind::Stuck, kAny, 1, 0, 1);
  stuck.at_command = 2;
  const auto disk = make_faulty(faulty_profile(), {stuck});
  AtHost host("host", *disk);
  std::vector<Transaction*> all;
  for (const std::uint64_t block : {1u, 500u, 81u, 1u})  // the last one overlaps the first
    all.push_back(&host.submit(all.size() % 2 == 1, block, block == 500 ? 4 : 1, 0x10));
  Transaction& blocked = host.submit(true, 502, 1, 0x30);  // overlaps the stuck one
  run_until(500 * kMs);
  EXPECT_EQ(all[0]->extension.status, CommandStatus::Good);
  EXPECT_EQ(all[1]->begin_resp, -1);
  EXPECT_GE(all[2]->begin_resp, 0);
  EXPECT_GE(all[3]->begin_resp, 0);
  EXPECT_EQ(blocked.begin_resp, -1) << "what waits for it waits";
  EXPECT_TRUE(disk->abort(core::Tag(1)));
  run_until(1'000 * kMs);
  EXPECT_EQ(all[1]->extension.status, CommandStatus::Aborted);
  EXPECT_EQ(blocked.extension.status, CommandStatus::Good);
  EXPECT_EQ(disk->media_errors().timeouts, 1u);
  EXPECT_EQ(disk->queue().occupancy(), 0u);
}

TEST(DriveFault, AnswersAreLateForAWhileAndStayInOrder) {
  Fault late = of(FaultKind::Late);
  late.at = 1'000 * kMs;
  late.lasts = 1'000 * kMs;
  late.delay = 3'000 * kMs;
  with_drive(faulty_profile(), {late}, [](drive::Drive& disk, Script& s, Transaction& t) {
    EXPECT_LT(response_of(s, t, false, 0, 1), 20 * kMs);
    s.pause_until(1'500 * kMs);
    EXPECT_GT(response_of(s, t, false, 100, 1), 3'000 * kMs);
    EXPECT_LT(response_of(s, t, false, 200, 1), 30 * kMs) << "it is over";
    EXPECT_EQ(disk.media_errors().late, 1u);
  });
}

TEST(DriveFault, ARestartAbortsEveryCommandAndTheDriveIsReadyLater) {
  Fault reset = of(FaultKind::Reset);
  reset.at = us(25'000);
  reset.delay = 500 * kMs;
  const auto disk = make_faulty(faulty_profile(cached_toy_profile(profile::WriteBack::Interleaved)), {reset});
  AtHost host("host", *disk);
  std::vector<Transaction*> all;
  for (std::uint32_t i = 0; i < 12; ++i) all.push_back(&host.submit(false, i * 1'000, 1));
  run_until(us(30'000));
  std::uint32_t good = 0, aborted = 0;
  for (const Transaction* t : all) {
    ASSERT_GE(t->begin_resp, 0) << "every command has an end";
    good += t->extension.status == CommandStatus::Good ? 1 : 0;
    aborted += t->extension.status == CommandStatus::Aborted ? 1 : 0;
    EXPECT_EQ(t->timing().parts(), t->timing().response());
  }
  EXPECT_GT(good, 0u);
  EXPECT_GT(aborted, 5u);
  EXPECT_EQ(good + aborted, 12u);
  Transaction& after = host.submit(false, 77, 1);
  run_until(us(520'000));
  EXPECT_EQ(after.end_req, -1) << "it is not ready";
  run_until(700 * kMs);
  EXPECT_EQ(after.extension.status, CommandStatus::Good);
  EXPECT_GE(after.timing().accepted, us(525'000));
  EXPECT_EQ(disk->media_errors().resets, 1u);
  EXPECT_TRUE(disk->power().alive());
}

TEST(DriveFault, ALostLinkAbortsWhatWaits) {
  Fault drop = of(FaultKind::LinkDrop);
  drop.at_command = 6;
  const auto disk = make_faulty(faulty_profile(), {drop});
  AtHost host("host", *disk);
  std::vector<Transaction*> all;
  for (std::uint32_t i = 0; i < 6; ++i) all.push_back(&host.submit(false, i * 1'000, 1));
  run_until(1'000 * kMs);
  for (const Transaction* t : all) EXPECT_GE(t->begin_resp, 0);
  EXPECT_EQ(all[5]->extension.status, CommandStatus::Aborted);
  EXPECT_EQ(disk->media_errors().link_drops, 1u);
  Transaction& after = host.submit(false, 77, 1);
  run_until(2'000 * kMs);
  EXPECT_EQ(after.extension.status, CommandStatus::Good);
}

/// A flush behind a write, and behind both a write that the buffer would take: whatever their tags are, none of them goes on.
TEST(DriveFault, ALostLinkLetsNothingGoOn) {
  profile::DriveProfile profile = faulty_profile(cached_toy_profile(profile::WriteBack::Interleaved));
  profile.queue_depth = 4;
  const auto disk = make_faulty(profile, {});
  AtHost host("host", *disk);
  for (const bool reversed : {false, true}) {
    std::vector<Transaction*> all;
    for (std::int32_t i = 0; i < 5; ++i) {  // the last one waits at the port
      Transaction& t = *all.emplace_back(&host.make());
      t.set(i > 0, 1'000, 8, 0x40);
      if (i == 2) t.set_flush();
      t.extension.fua = i < 2;
      if (i < 4) t.extension.tag = reversed ? 3 - i : i;
      host.submit(t);
    }
    run_until(core::now_ps() + us(500));
    disk->add_fault(of(FaultKind::LinkDrop));
    run_until(core::now_ps() + 100 * kMs);
    EXPECT_EQ(all[0]->extension.status, CommandStatus::Good) << "its access runs";
    for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(all[i]->extension.status, CommandStatus::Aborted) << i;
    disk->clear_faults();
  }
}

// --- the drive as a whole -------------------------------------------------------------------------------------------------

TEST(DriveFault, AFaultThatTheDriveCannotHaveIsRefused) {
  const auto disk = make_faulty(faulty_profile(), {});
  EXPECT_THROW(disk->add_fault(of(FaultKind::Unreadable, kToyBlocks)), std::invalid_argument);
  EXPECT_THROW(disk->add_fault(of(FaultKind::Retries, 1)), std::invalid_argument);
  EXPECT_FALSE(disk->clear_fault(1));
  EXPECT_FALSE(disk->faults().on());
}

TEST(DriveFault, RetriesAreAStateOfTheActuator) {
  const auto disk = make_faulty(faulty_profile(), {of(FaultKind::Unreadable, 20)});
  DriveWatch watch;
  disk->add_probe(watch);
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    go(s, t, false, 10, 30);
    go(s, t, false, 10, 30);
  });
  run_until(1'000 * kMs);
  std::vector<Picoseconds> retries;
  for (std::size_t i = 0; i + 1 < watch.states.size(); ++i)
    if (watch.states[i].state == ControllerState::Retry) retries.push_back(watch.states[i + 1].since - watch.states[i].since);
  EXPECT_EQ(retries, (std::vector<Picoseconds>{kLadderEnd, kLadderEnd}));
}

/// Whoever watches: a probe changes no time.
TEST(DriveFault, TimesDoNotDependOnAProbe) {
  const std::vector<Fault> faults = {of(FaultKind::Unreadable, 300, 7), of(FaultKind::WriteFault, 700, 3),
                                     of(FaultKind::Retries, 1'000, 50, 1)};
  const auto watched = make_faulty(faulty_profile(), faults, "watched");
  const auto alone = make_faulty(faulty_profile(), faults, "alone");
  DriveWatch watch;
  watched->add_probe(watch);
  AtHost one("one", *watched);
  AtHost other("other", *alone);
  AtHost* const hosts[2] = {&one, &other};
  std::vector<Transaction*> all[2];
  for (std::uint32_t h = 0; h < 2; ++h)
    for (std::uint32_t i = 0; i < 100; ++i) all[h].push_back(&hosts[h]->submit(i % 3 == 0, i * 17 % 1'500, 1 + i % 20, 1));
  run_until(100'000 * kMs);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_GE(all[0][i]->begin_resp, 0);
    EXPECT_EQ(all[0][i]->begin_resp, all[1][i]->begin_resp) << i;
  }
}

}  // namespace
}  // namespace platter::testing
