// SPDX-License-Identifier: Apache-2.0
//
// A drive with zones: what it accepts, when zone management commands end, what reads find, and what a loss of power leaves.
#include <functional>
#include <optional>
#include <vector>

#include "platter/core/error.h"
#include "platter/media/disk_file.h"
#include "testing.h"

namespace platter::testing {
namespace {

using command::ZoneAction;
using profile::DriveProfile;
using profile::WriteBack;
using zones::ZoneCondition;
using zones::ZoneDescriptor;

constexpr std::uint64_t kZone = 256;  // blocks
constexpr std::uint64_t kFirst = 4 * kZone;

/// The toy drive with 64 zones of two cylinders, four of them conventional.
DriveProfile zoned_profile(WriteBack write_back = WriteBack::Off) {
  DriveProfile profile = write_back == WriteBack::Off ? toy_profile() : cached_toy_profile(write_back);
  profile.zones.model = profile::ZoneModel::Managed;
  profile.zones.zone_mib = 0.125;
  profile.zones.conventional = 4;
  profile.zones.max_open = 3;
  return profile;
}

/// Makes a zone management command of a transaction.
void set_zone(Transaction& t, ZoneAction action, std::uint64_t lba, bool all = false) {
  t.set(false, lba, 0);
  t.payload.set_command(tlm::TLM_IGNORE_COMMAND);
  t.payload.set_data_ptr(nullptr);
  t.extension.zone_action = action;
  t.extension.all_zones = all;
}

/// A script that talks to one drive.
class Zoned {
 public:
  explicit Zoned(const DriveProfile& profile, const char* policy = "FCFS")
      : Zoned(make_drive("disk", policy, "firmware", profile)) {}
  explicit Zoned(std::unique_ptr<drive::Drive> drive) : disk(std::move(drive)), host("host", *disk) {}

  void run(std::function<void(Script&)> body) {
    Script script("script", *disk, std::move(body));
    script.run_to_end(60'000 * kMs);
  }
  static CommandStatus read(Script& s, std::uint64_t lba, std::uint32_t blocks, std::vector<std::uint8_t>* data = nullptr) {
    Transaction t(nullptr);
    t.set(false, lba, blocks);
    s.transport(t);
    if (data != nullptr) *data = t.data;
    return t.extension.status;
  }
  static CommandStatus write(Script& s, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill) {
    Transaction t(nullptr);
    t.set(true, lba, blocks, fill);
    s.transport(t);
    return t.extension.status;
  }
  static CommandStatus act(Script& s, ZoneAction action, std::uint64_t lba, bool all = false) {
    Transaction t(nullptr);
    set_zone(t, action, lba, all);
    s.transport(t);
    return t.extension.status;
  }
  static void flush(Script& s) {
    Transaction t(nullptr);
    t.set_flush();
    s.transport(t);
  }
  /// True if every byte of these blocks reads as `fill`.
  static bool holds(Script& s, std::uint64_t lba, std::uint32_t blocks, std::uint8_t fill) {
    std::vector<std::uint8_t> data;
    if (read(s, lba, blocks, &data) != CommandStatus::Good) return false;
    return std::all_of(data.begin(), data.end(), [fill](std::uint8_t b) { return b == fill; });
  }
  Transaction& submit_zone(ZoneAction action, std::uint64_t lba) {
    Transaction& t = host.make();
    set_zone(t, action, lba);
    host.submit(t);
    return t;
  }
  std::uint64_t pointer(std::uint64_t lba) const {
    return disk->zones()->descriptor(disk->zones()->zone_of(lba)).write_pointer;
  }
  ZoneCondition condition(std::uint64_t lba) const { return disk->zones()->descriptor(disk->zones()->zone_of(lba)).condition; }

  std::unique_ptr<drive::Drive> disk;
  AtHost host;
};

TEST(Zoned, RefusesWhatItsZonesDoNotPermit) {
  Zoned d(zoned_profile());
  d.run([&](Script& s) {
    const Picoseconds before = core::now_ps();
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 1), CommandStatus::UnalignedWrite);
    EXPECT_EQ(Zoned::write(s, kFirst, 264, 1), CommandStatus::WriteBoundary);
    EXPECT_EQ(Zoned::read(s, kFirst - 1, 2), CommandStatus::ReadBoundary);
    EXPECT_EQ(Zoned::act(s, ZoneAction::Open, 0), CommandStatus::BadZone);
    EXPECT_EQ(Zoned::act(s, ZoneAction::Open, kToyBlocks), CommandStatus::BadAddress);
    EXPECT_EQ(core::now_ps(), before) << "a refusal takes no time";
    EXPECT_EQ(Zoned::write(s, 17, 3, 1), CommandStatus::Good) << "conventional";
    for (std::uint64_t zone = 4; zone < 7; ++zone)
      EXPECT_EQ(Zoned::act(s, ZoneAction::Open, zone * kZone), CommandStatus::Good);
    EXPECT_EQ(Zoned::write(s, 7 * kZone, 8, 1), CommandStatus::NoOpenZone);
    EXPECT_EQ(d.disk->host_port().rejected(), 6u);
    EXPECT_EQ(d.disk->zones()->counts().refused_writes, 3u);
  });
}

TEST(Zoned, ADriveWithoutZonesRefusesTheirCommands) {
  Zoned d(toy_profile());
  EXPECT_EQ(d.disk->zones(), nullptr);
  d.run([&](Script& s) { EXPECT_EQ(Zoned::act(s, ZoneAction::Reset, 0), CommandStatus::BadCommand); });
}

/// The pointer counts writes when they are accepted, so a queue may hold several of one zone.
TEST(Zoned, AWriteAdvancesThePointerWhenItIsAccepted) {
  Zoned d(zoned_profile(), "SPTF");
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 8; ++i)
    writes.push_back(&d.host.submit(true, kFirst + 16 * i, 16, static_cast<std::uint8_t>(i + 1)));
  Transaction& gap = d.host.submit(true, kFirst + 16 * 9, 16, 9);
  d.run([&](Script& s) {
    s.pause(1 * kUs);
    EXPECT_EQ(d.pointer(kFirst), kFirst + 128);
    EXPECT_EQ(gap.extension.status, CommandStatus::UnalignedWrite);
    Zoned::flush(s);
    for (std::uint64_t i = 0; i < 8; ++i) {
      EXPECT_EQ(writes[i]->extension.status, CommandStatus::Good);
      EXPECT_TRUE(Zoned::holds(s, kFirst + 16 * i, 16, static_cast<std::uint8_t>(i + 1)));
    }
    EXPECT_TRUE(Zoned::holds(s, kFirst + 128, 64, 0)) << "nothing is written there";
  });
}

TEST(Zoned, AResetWaitsForOlderCommandsAndYoungerOnesWaitForIt) {
  DriveProfile profile = zoned_profile();
  profile.zones.reset_ms = 50;
  Zoned d(profile);
  Transaction& older = d.host.submit(true, kFirst, 16, 0x11);
  Transaction& seen = d.host.submit(false, kFirst, 16);
  Transaction& reset = d.submit_zone(ZoneAction::Reset, kFirst);
  Transaction& younger = d.host.submit(true, kFirst, 8, 0x22);
  Transaction& elsewhere = d.host.submit(false, 9 * kZone, 8);
  d.run([&](Script& s) {
    s.pause(1 * kUs);
    EXPECT_EQ(d.pointer(kFirst), kFirst + 8) << "the state changes at acceptance";
    s.pause(200 * kMs);
    for (const Transaction* t : {&older, &seen, &reset, &younger, &elsewhere})
      EXPECT_EQ(t->extension.status, CommandStatus::Good);
    EXPECT_EQ(seen.data[16 * 512 - 1], 0x11) << "an older read has the old data";
    EXPECT_EQ(reset.timing().completed, reset.timing().started + 50 * kMs);
    EXPECT_GE(reset.timing().completed, std::max(older.timing().completed, seen.timing().completed));
    EXPECT_EQ(reset.timing().overhead, 50 * kMs);
    EXPECT_EQ(reset.timing().parts(), reset.timing().response());
    EXPECT_GT(younger.timing().started, reset.timing().completed - 1);
    EXPECT_GT(elsewhere.timing().started, reset.timing().completed - 1);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x22));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 100, 0)) << "the data is gone";
    EXPECT_FALSE(d.disk->abort(core::Tag(0)));
  });
}

TEST(Zoned, ActionsTakeTheirTimeForEachZoneThatChanges) {
  DriveProfile profile = zoned_profile();
  profile.zones.reset_ms = 10;
  profile.zones.finish_ms = 3;
  Zoned d(profile);
  d.run([&](Script& s) {
    const auto time_of = [&](ZoneAction action, std::uint64_t lba, bool all) {
      const Picoseconds before = core::now_ps();
      EXPECT_EQ(Zoned::act(s, action, lba, all), CommandStatus::Good);
      return core::now_ps() - before;
    };
    for (const std::uint64_t zone : {4u, 5u, 6u}) EXPECT_EQ(Zoned::write(s, zone * kZone, 8, 1), CommandStatus::Good);
    EXPECT_EQ(time_of(ZoneAction::Close, 4 * kZone, false), 0);
    EXPECT_EQ(time_of(ZoneAction::Open, 4 * kZone, false), 0);
    EXPECT_EQ(time_of(ZoneAction::Finish, 0, true), 9 * kMs);
    EXPECT_EQ(time_of(ZoneAction::Finish, 4 * kZone, false), 0) << "it is full";
    EXPECT_EQ(time_of(ZoneAction::Reset, 9 * kZone, false), 0) << "it is empty";
    EXPECT_EQ(time_of(ZoneAction::Reset, 0, true), 30 * kMs);
    EXPECT_EQ(time_of(ZoneAction::Reset, 0, true), 0);
  });
}

TEST(Zoned, AResetWaitsForTheWriteCacheAndEmptiesIt) {
  Zoned d(zoned_profile(WriteBack::Interleaved));
  d.run([&](Script& s) {
    EXPECT_EQ(Zoned::write(s, kFirst, 8, 0x33), CommandStatus::Good);
    EXPECT_TRUE(d.disk->segments()->any_dirty());
    EXPECT_EQ(Zoned::act(s, ZoneAction::Reset, kFirst), CommandStatus::Good);
    EXPECT_FALSE(d.disk->segments()->any_dirty());
    const Picoseconds before = core::now_ps();
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0));
    EXPECT_GT(core::now_ps() - before, 300 * kUs) << "not from the buffer";
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 8, 0));
  });
}

TEST(Zoned, AnAbortedWriteTakesThePointerBackWithTheYoungerOnes) {
  Zoned d(zoned_profile());
  Transaction& far = d.host.submit(false, kToyBlocks - 8, 8);
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 4; ++i) writes.push_back(&d.host.submit(true, kFirst + 8 * i, 8, 0x44));
  Transaction& other = d.host.submit(true, 8 * kZone, 8, 0x55);
  d.run([&](Script& s) {
    s.pause(1'000 * kUs);  // the read's access has begun
    EXPECT_EQ(d.pointer(kFirst), kFirst + 32);
    EXPECT_TRUE(d.disk->abort(core::Tag(2)));  // the second write
    EXPECT_EQ(d.pointer(kFirst), kFirst + 8);
    Zoned::flush(s);
    EXPECT_EQ(far.extension.status, CommandStatus::Good);
    EXPECT_EQ(writes[0]->extension.status, CommandStatus::Good);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(writes[i]->extension.status, CommandStatus::Aborted);
    EXPECT_EQ(other.extension.status, CommandStatus::Good);
    EXPECT_EQ(d.pointer(8 * kZone), 8 * kZone + 8);
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 0x66), CommandStatus::Good);
    EXPECT_TRUE(Zoned::holds(s, kFirst + 16, 32, 0));
  });
}

/// RESET and FINISH have decided the pointer when they are accepted, so what becomes of an older write no longer matters.
TEST(Zoned, AnAbortBeforeAResetOrFinishLeavesThePointer) {
  Zoned d(zoned_profile());
  d.host.submit(false, kToyBlocks - 8, 8);
  std::vector<Transaction*> lost;
  std::vector<Transaction*> kept;
  for (const std::uint64_t zone : {kFirst, 5 * kZone}) {  // three tags each
    lost.push_back(&d.host.submit(true, zone, 8, 0x11));
    kept.push_back(&d.host.submit(true, zone + 8, 8, 0x22));
    kept.push_back(&d.submit_zone(zone == kFirst ? ZoneAction::Reset : ZoneAction::Finish, zone));
  }
  kept.push_back(&d.host.submit(true, kFirst, 8, 0x33));
  d.run([&](Script& s) {
    s.pause(1'000 * kUs);  // the read's access has begun
    EXPECT_TRUE(d.disk->abort(core::Tag(1)));
    EXPECT_TRUE(d.disk->abort(core::Tag(4)));
    EXPECT_EQ(d.pointer(kFirst), kFirst + 8);
    EXPECT_EQ(d.condition(5 * kZone), ZoneCondition::Full);
    EXPECT_EQ(d.disk->zones()->counts().retracted, 0u);
    Zoned::flush(s);
    for (const Transaction* t : lost) EXPECT_EQ(t->extension.status, CommandStatus::Aborted);
    for (const Transaction* t : kept) EXPECT_EQ(t->extension.status, CommandStatus::Good);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x33));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 8, 0));
    EXPECT_TRUE(Zoned::holds(s, 5 * kZone, 8, 0));
    EXPECT_TRUE(Zoned::holds(s, 5 * kZone + 8, 8, 0x22)) << "FINISH keeps it";
    EXPECT_EQ(d.condition(5 * kZone), ZoneCondition::Full);
  });
}

/// A command that a fault keeps from being answered.
media::Fault stuck_at(std::uint64_t block = media::Fault::kAnyBlock) {
  media::Fault fault;
  fault.kind = media::FaultKind::Stuck;
  fault.first = block;
  fault.count = 1;
  return fault;
}

/// The abort lets the RESET go at the same instant.
TEST(Zoned, AnAbortThatLetsAResetGoLeavesThePointer) {
  Zoned d(zoned_profile());
  d.disk->add_fault(stuck_at(kFirst));
  Transaction& stuck = d.host.submit(true, kFirst, 8, 0x11);
  Transaction& reset = d.submit_zone(ZoneAction::Reset, kFirst);
  Transaction& write = d.host.submit(true, kFirst, 16, 0x22);
  d.run([&](Script& s) {
    s.pause(100 * kMs);
    EXPECT_EQ(reset.begin_resp, -1) << "it waits";
    EXPECT_TRUE(d.disk->abort(core::Tag(0)));
    EXPECT_EQ(d.pointer(kFirst), kFirst + 16);
    s.pause(100 * kMs);
    EXPECT_EQ(stuck.extension.status, CommandStatus::Aborted);
    EXPECT_EQ(reset.extension.status, CommandStatus::Good);
    EXPECT_EQ(write.extension.status, CommandStatus::Good);
    EXPECT_EQ(d.pointer(kFirst), kFirst + 16);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 16, 0x22));
  });
}

/// A younger write is on the media when an older one is aborted, and the access of another one runs.
TEST(Zoned, AnAbortLosesAllDataBehindThePointer) {
  Zoned d(zoned_profile());
  d.disk->add_fault(stuck_at(kFirst + 8));
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 5; ++i)
    writes.push_back(&d.host.submit(true, kFirst + 8 * i, 8, static_cast<std::uint8_t>(0x11 * (i + 1))));
  d.run([&](Script& s) {
    while (writes[2]->begin_resp < 0) s.pause(100 * kUs);
    s.pause(400 * kUs);
    ASSERT_EQ(d.disk->queue().entry(core::Tag(3)).stage, drive::Stage::Access);
    ASSERT_EQ(d.disk->queue().entry(core::Tag(4)).stage, drive::Stage::Queued);
    EXPECT_TRUE(d.disk->abort(core::Tag(1)));
    EXPECT_EQ(d.pointer(kFirst), kFirst + 8);
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 0x77), CommandStatus::Good);
    EXPECT_EQ(writes[0]->extension.status, CommandStatus::Good);
    EXPECT_EQ(writes[1]->extension.status, CommandStatus::Aborted);
    EXPECT_EQ(writes[2]->extension.status, CommandStatus::Good) << "it was answered before";
    EXPECT_EQ(writes[3]->extension.status, CommandStatus::Aborted);
    EXPECT_EQ(writes[4]->extension.status, CommandStatus::Aborted);
    EXPECT_GT(writes[3]->begin_resp, writes[4]->begin_resp) << "at the end of its access";
    EXPECT_EQ(d.pointer(kFirst), kFirst + 16);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x11));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 8, 0x77));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 16, 100, 0));
  });
}

TEST(Zoned, AnAbortLosesTheDataInTheWriteCacheToo) {
  Zoned d(zoned_profile(WriteBack::Interleaved));
  d.disk->add_fault(stuck_at(kFirst + 8));
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 4; ++i)
    writes.push_back(&d.host.submit(true, kFirst + 8 * i, 8, static_cast<std::uint8_t>(0x11 * (i + 1))));
  d.run([&](Script& s) {
    while (writes[3]->begin_resp < 0) s.pause(10 * kUs);
    ASSERT_TRUE(d.disk->segments()->any_dirty());
    EXPECT_TRUE(d.disk->abort(core::Tag(1)));
    EXPECT_EQ(d.pointer(kFirst), kFirst + 8);
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 100, 0)) << "from the buffer";
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 16, 0x77), CommandStatus::Good);
    Zoned::flush(s);
    EXPECT_FALSE(d.disk->segments()->any_dirty());
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x11));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 16, 0x77));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 24, 100, 0)) << "from the media";
  });
}

TEST(Zoned, AHeadOfQueueCommandWaitsForTheResetOfItsZone) {
  DriveProfile profile = zoned_profile();
  profile.task_attributes = true;
  profile.zones.reset_ms = 50;
  Zoned d(profile);
  d.host.submit(true, kFirst, 16, 0x11);
  Transaction& reset = d.submit_zone(ZoneAction::Reset, kFirst);
  std::vector<Transaction*> urgent;
  for (const std::uint64_t block : {kFirst, kFirst + 12, 9 * kZone, kFirst + kZone}) {
    Transaction& t = d.host.make();
    t.set(block == kFirst, block, 8, 0x22);
    t.extension.attribute = command::TaskAttribute::HeadOfQueue;
    d.host.submit(t);
    urgent.push_back(&t);
  }
  d.run([&](Script& s) {
    s.pause(300 * kMs);
    for (const Transaction* t : urgent) EXPECT_EQ(t->extension.status, CommandStatus::Good);
    EXPECT_GE(urgent[0]->timing().started, reset.timing().completed);
    EXPECT_GE(urgent[1]->timing().started, reset.timing().completed);
    EXPECT_EQ(urgent[1]->data[0], 0) << "a read has the state after the reset";
    for (const std::size_t elsewhere : {2u, 3u}) EXPECT_LT(urgent[elsewhere]->timing().completed, reset.timing().completed);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x22)) << "the reset comes before it";
  });
}

TEST(Zoned, AZoneManagementCommandIsNeverStuck) {
  Zoned d(zoned_profile());
  d.disk->add_fault(stuck_at());
  d.run([&](Script& s) {
    EXPECT_EQ(Zoned::act(s, ZoneAction::Open, kFirst), CommandStatus::Good);
    EXPECT_EQ(Zoned::act(s, ZoneAction::Reset, 0, true), CommandStatus::Good);
    const Transaction& read = d.host.submit(false, kFirst, 8);
    s.pause(100 * kMs);
    EXPECT_EQ(read.begin_resp, -1) << "the fault is still there";
    EXPECT_TRUE(d.disk->abort(core::Tag(0)));
  });
}

class ZonedPowerLoss : public ::testing::TestWithParam<profile::LostCache> {};

/// Of writes that were answered from the buffer, the pointer keeps those that a loss of power keeps.
TEST_P(ZonedPowerLoss, ThePointerStandsAtTheFirstBlockThatIsLost) {
  DriveProfile profile = zoned_profile(WriteBack::Interleaved);
  profile.power_loss.cache = GetParam();
  const bool saved = GetParam() == profile::LostCache::Saved;
  Zoned d(profile);
  d.run([&](Script& s) {
    EXPECT_EQ(Zoned::write(s, kFirst, 8, 0x11), CommandStatus::Good);
    EXPECT_EQ(Zoned::act(s, ZoneAction::Open, 5 * kZone), CommandStatus::Good);
    Zoned::flush(s);
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 0x22), CommandStatus::Good);
    EXPECT_EQ(Zoned::write(s, 6 * kZone, 8, 0x33), CommandStatus::Good);
    ASSERT_TRUE(d.disk->segments()->any_dirty());
    const drive::DurableImage image = d.disk->power_loss_image();
    d.disk->cut_power();
    s.pause(10 * kMs);
    d.disk->restore_power();
    EXPECT_EQ(d.pointer(kFirst), kFirst + (saved ? 16 : 8));
    EXPECT_EQ(d.condition(kFirst), ZoneCondition::Closed);
    EXPECT_EQ(d.condition(5 * kZone), ZoneCondition::Empty);
    EXPECT_EQ(d.condition(6 * kZone), saved ? ZoneCondition::Closed : ZoneCondition::Empty);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x11));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 8, saved ? 0x22 : 0));
    for (std::uint32_t zone = 0; zone < d.disk->zones()->count(); ++zone) {
      const ZoneDescriptor left = d.disk->zones()->descriptor(zone);
      const ZoneDescriptor in_image = image.zones->descriptor(zone);
      EXPECT_EQ(left.write_pointer, in_image.write_pointer) << zone;
      EXPECT_EQ(left.condition, in_image.condition) << zone;
    }
    d.disk->power_up(image);
    EXPECT_EQ(d.pointer(kFirst), kFirst + (saved ? 16 : 8));
    EXPECT_EQ(Zoned::write(s, kFirst + (saved ? 16 : 8), 8, 0x44), CommandStatus::Good);
  });
}

INSTANTIATE_TEST_SUITE_P(Both, ZonedPowerLoss, ::testing::Values(profile::LostCache::Volatile, profile::LostCache::Saved),
                         [](const auto& test) {
                           return std::string(test.param == profile::LostCache::Saved ? "saved" : "volatile");
                         });

/// The power fails in the middle of a write, at one instant after another: below the pointer is the new data, whole physical sectors of it,
/// and nothing behind it.
TEST(Zoned, ATornWriteLeavesThePointerAtTheLastWholePhysicalSector) {
  DriveProfile profile = zoned_profile();
  profile.geometry.physical_sector_bytes = 4096;
  Zoned d(profile);
  std::uint64_t partly = 0;
  d.run([&](Script& s) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      ASSERT_EQ(Zoned::act(s, ZoneAction::Reset, 0, true), CommandStatus::Good);
      d.host.submit(true, kFirst, 64, static_cast<std::uint8_t>(i + 1));
      s.pause((5 + 13 * i % 180) * 100 * kUs + i * 7 * kUs);
      d.disk->cut_power();
      s.pause(1 * kMs);
      d.disk->restore_power();
      const std::uint64_t written = d.pointer(kFirst) - kFirst;
      EXPECT_EQ(written % 8, 0u);
      if (written > 0 && written < 64) ++partly;
      EXPECT_TRUE(written == 0 ||
                  Zoned::holds(s, kFirst, static_cast<std::uint32_t>(written), static_cast<std::uint8_t>(i + 1)));
      EXPECT_TRUE(Zoned::holds(s, kFirst + written, 64, 0)) << "and all of it can be read";
    }
  });
  EXPECT_GT(partly, 5u);
}

/// Writes on their way are lost with the drive's electronics, also where a younger one of the zone is on the media.
TEST(Zoned, AFailureTakesThePointerBackToTheFirstLostWrite) {
  Zoned d(zoned_profile(), "SPTF");
  std::vector<Transaction*> writes;
  for (std::uint64_t i = 0; i < 8; ++i) writes.push_back(&d.host.submit(true, kFirst + 16 * i, 16, 0x77));
  d.run([&](Script& s) {
    s.pause(8 * kMs);
    d.disk->set_alive(false);
    s.pause(1 * kMs);
    d.disk->set_alive(true);
    std::uint64_t kept = 0;
    while (kept < 8 && writes[kept]->extension.status == CommandStatus::Good) ++kept;
    ASSERT_LT(kept, 8u);
    EXPECT_EQ(d.pointer(kFirst), kFirst + 16 * kept);
    EXPECT_TRUE(Zoned::holds(s, kFirst + 16 * kept, static_cast<std::uint32_t>(kZone - 16 * kept), 0));
    EXPECT_EQ(Zoned::write(s, kFirst + 16 * kept, 8, 1), CommandStatus::Good);
  });
}

media::DiskIdentity identity_of(const DriveProfile& profile) {
  media::DiskIdentity identity;
  identity.drive = profile.name;
  identity.sectors = kToyBlocks;
  identity.sector_bytes = 512;
  identity.zones = 64;
  return identity;
}

drive::DriveConfig kept_in(media::DiskFile& file, const DriveProfile& profile) {
  drive::DriveConfig config;
  config.profile = profile;
  config.disk_file = &file;
  return config;
}

/// The buffer joins writes on both sides of the start of a zone, of which some blocks are on the media.
TEST_P(ZonedPowerLoss, EachZoneOfJoinedWritesLosesItsOwn) {
  const bool saved = GetParam() == profile::LostCache::Saved;
  DriveProfile profile = zoned_profile(WriteBack::Interleaved);
  profile.power_loss.cache = GetParam();
  const TemporaryFile path(".disk");
  media::DiskFile file(path.path(), identity_of(profile));
  Zoned d(std::make_unique<drive::Drive>("disk", kept_in(file, profile),
                                         system::engine_factory(engine_options("FCFS", "firmware", profile))));
  std::uint64_t crossing = 0;
  d.run([&](Script& s) {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const std::uint64_t start = i % 2 == 0 ? kFirst : kFirst + kZone;  // behind a conventional zone, or another one
      if (i % 2 != 0) {
        ASSERT_EQ(Zoned::write(s, kFirst, kZone - 8, 1), CommandStatus::Good);
        Zoned::flush(s);
      }
      EXPECT_EQ(Zoned::write(s, start - 8, 8, 2), CommandStatus::Good);
      EXPECT_EQ(Zoned::write(s, start, 8, 3), CommandStatus::Good);
      EXPECT_EQ(Zoned::write(s, start + 8, 8, 4), CommandStatus::Good);
      s.pause(static_cast<Picoseconds>(i) * 400 * kUs);
      std::uint64_t in_file = 0;
      file.for_each_zone([&](std::uint64_t number, const media::DiskZone& record) {
        if (number == start / kZone) in_file = record.written;
      });
      const drive::DurableImage image = d.disk->power_loss_image();
      d.disk->cut_power();
      s.pause(1 * kMs);
      d.disk->restore_power();
      const std::uint64_t written = d.pointer(start) - start;
      EXPECT_EQ(image.zones->descriptor(d.disk->zones()->zone_of(start)).write_pointer, start + written);
      EXPECT_LE(in_file, written) << "it has a destage when it has ended";
      if (written < 16) ++crossing;
      EXPECT_TRUE(!saved || written == 16) << written;
      for (std::uint64_t block = 0; block < written; ++block) EXPECT_TRUE(Zoned::holds(s, start + block, 1, block < 8 ? 3 : 4));
      EXPECT_EQ(Zoned::write(s, start + written, 8, 5), CommandStatus::Good);
      ASSERT_EQ(Zoned::act(s, ZoneAction::Reset, 0, true), CommandStatus::Good);
    }
  });
  EXPECT_EQ(crossing > 10, !saved);
}

/// A file holds at any moment what a loss of power would leave. So a copy of it, made while the drive works, is such a drive.
TEST(Zoned, ADiskFileKeepsPointersAndConditions) {
  const DriveProfile profile = zoned_profile(WriteBack::Interleaved);
  const TemporaryFile path(".disk");
  const TemporaryFile copy(".copy.disk");
  {
    media::DiskFile file(path.path(), identity_of(profile));
    drive::Drive disk("disk", kept_in(file, profile), system::engine_factory(engine_options("FCFS", "firmware", profile)));
    Script script("script", disk, [&](Script& s) {
      EXPECT_EQ(Zoned::write(s, kFirst, 16, 0x11), CommandStatus::Good);
      EXPECT_EQ(Zoned::write(s, 5 * kZone, 8, 0x22), CommandStatus::Good);
      EXPECT_EQ(Zoned::act(s, ZoneAction::Finish, 5 * kZone), CommandStatus::Good);
      EXPECT_EQ(Zoned::act(s, ZoneAction::Open, 6 * kZone), CommandStatus::Good);
      EXPECT_EQ(Zoned::write(s, 7 * kZone, 8, 0x33), CommandStatus::Good);
      EXPECT_EQ(Zoned::act(s, ZoneAction::Reset, 7 * kZone), CommandStatus::Good);
      EXPECT_EQ(Zoned::write(s, kFirst + 16, 8, 0x44), CommandStatus::Good);  // in the buffer only
      ASSERT_TRUE(disk.segments()->any_dirty());
      std::filesystem::copy_file(path.path(), copy.path());
    });
    script.run_to_end(1'000 * kMs);
  }
  for (const TemporaryFile* each : {&path, &copy}) {
    media::DiskFile file(each->path(), identity_of(profile));
    zones::Zones zones(zones::options_of(profile, kToyBlocks));
    file.for_each_zone([&zones](std::uint64_t number, const media::DiskZone& record) {
      zones.restore(static_cast<std::uint32_t>(number), {record.written, static_cast<ZoneCondition>(record.condition), false});
    });
    EXPECT_EQ(zones.descriptor(4).condition, ZoneCondition::Closed);
    EXPECT_EQ(zones.descriptor(4).write_pointer, kFirst + (each == &path ? 24 : 16));
    EXPECT_EQ(zones.descriptor(5).condition, ZoneCondition::Full);
    for (const std::uint32_t empty : {6u, 7u, 8u}) EXPECT_EQ(zones.descriptor(empty).condition, ZoneCondition::Empty);
    EXPECT_EQ(zones.descriptor(0).condition, ZoneCondition::NoPointer);
    std::vector<std::uint8_t> data(512);
    file.read(7 * kZone * 512, data.data(), data.size());
    EXPECT_EQ(data[0], 0);
    file.read(kFirst * 512, data.data(), data.size());
    EXPECT_EQ(data[0], 0x11);
  }
}

/// A write that waits for a reset has advanced the pointer already. The file has it when it is on the media.
TEST(Zoned, ADiskFileHasNoPointerAheadOfItsData) {
  DriveProfile profile = zoned_profile();
  profile.zones.reset_ms = 5;
  const TemporaryFile path(".disk");
  media::DiskFile file(path.path(), identity_of(profile));
  drive::Drive disk("disk", kept_in(file, profile), system::engine_factory(engine_options("FCFS", "firmware", profile)));
  AtHost host("host", disk);
  const auto written = [&file](std::uint64_t zone) {
    std::uint64_t found = 0;
    file.for_each_zone(
        [&](std::uint64_t number, const media::DiskZone& record) { found = number == zone ? record.written : found; });
    return found;
  };
  Script script("script", disk, [&](Script& s) {
    EXPECT_EQ(Zoned::write(s, kFirst, 32, 0x11), CommandStatus::Good);
    EXPECT_EQ(written(4), 32u);
    Transaction& reset = host.make();
    set_zone(reset, ZoneAction::Reset, 0, true);
    host.submit(reset);
    host.submit(true, kFirst, 8, 0x22);
    s.pause(5 * kMs + 10 * kUs);
    EXPECT_EQ(reset.extension.status, CommandStatus::Good);
    EXPECT_EQ(disk.zones()->descriptor(4).write_pointer, kFirst + 8);
    EXPECT_EQ(written(4), 0u);
    Zoned::flush(s);
    EXPECT_EQ(written(4), 8u);
  });
  script.run_to_end(1'000 * kMs);
}

/// The pointer stays behind a write that fails on the media: in the drive, and in the file.
TEST(Zoned, ADiskFileHasThePointerBehindAWriteFault) {
  DriveProfile profile = zoned_profile();
  profile.recovery.spares = 0;
  const TemporaryFile path(".disk");
  media::DiskFile file(path.path(), identity_of(profile));
  drive::DriveConfig config = kept_in(file, profile);
  media::Fault fault;
  fault.kind = media::FaultKind::WriteFault;
  fault.first = kFirst + 12;
  config.faults = {fault};
  drive::Drive disk("disk", config, system::engine_factory(engine_options("FCFS", "firmware", profile)));
  Script script("script", disk, [&](Script& s) {
    EXPECT_EQ(Zoned::write(s, kFirst, 16, 0x11), CommandStatus::WriteFault);
    EXPECT_EQ(disk.zones()->descriptor(4).write_pointer, kFirst + 16);
    zones::Zones zones(zones::options_of(profile, kToyBlocks));
    media::Media media(512, true, 1, &file);
    drive::ZoneKeeper::load(zones, media);
    EXPECT_EQ(zones.descriptor(4).write_pointer, kFirst + 16);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 12, 0x11)) << "the blocks before the bad one";
  });
  script.run_to_end(10'000 * kMs);
}

TEST(Zoned, ADiskFileWithImpossibleRecordsIsRefused) {
  const DriveProfile profile = zoned_profile();
  const auto message = [&](std::uint64_t zone, const media::DiskZone& record) -> std::string {
    const TemporaryFile path(".disk");
    media::DiskFile file(path.path(), identity_of(profile));
    file.put_zones(zone, &record, 1);
    media::Media media(512, true, 1, &file);
    zones::Zones zones(zones::options_of(profile, kToyBlocks));
    try {
      drive::ZoneKeeper::load(zones, media);
    } catch (const core::InputError& error) {
      EXPECT_EQ(error.file(), path.path().string());
      return std::string(error.what()).substr(path.path().string().size());
    }
    return "";
  };
  EXPECT_EQ(message(4, {8, 4, 0}), "");
  EXPECT_EQ(message(4, {8, 16, 0}), ": zone 4: found condition 10h, expected at most Fh");
  EXPECT_EQ(message(4, {8, 4, 6}), ": zone 4: found flags 6h, expected 0 or 1");
  EXPECT_EQ(message(63, {257, 14, 0}), ": zone 63: found 257 blocks below the write pointer, expected 256");
  EXPECT_EQ(message(3, {8, 4, 0}), ": zone 3: found condition 4h, expected 0h, Dh or Fh, because the zone is conventional");
}

/// A process may end after a write has reached the file, and before an older one of its zone.
TEST(Zoned, ADriveStartsFromADiskFileWithoutWhatLiesBehindItsPointers) {
  const DriveProfile profile = zoned_profile();
  const TemporaryFile path(".disk");
  std::vector<std::uint8_t> data(8 * 512, 0x11);
  media::DiskFile file(path.path(), identity_of(profile));
  file.write(kFirst * 512, data.data(), data.size());
  const media::DiskZone record{8, static_cast<std::uint32_t>(ZoneCondition::Closed), 0};
  file.put_zones(4, &record, 1);
  for (const std::uint64_t lba : {kFirst + 16, 9 * kZone + 8, std::uint64_t{3}})
    file.write(lba * 512, data.data(), data.size());
  drive::Drive disk("disk", kept_in(file, profile), system::engine_factory(engine_options("FCFS", "firmware", profile)));
  Script script("script", disk, [&](Script& s) {
    EXPECT_EQ(disk.zones()->descriptor(4).write_pointer, kFirst + 8);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x11));
    EXPECT_TRUE(Zoned::holds(s, kFirst + 8, 100, 0));
    EXPECT_TRUE(Zoned::holds(s, 9 * kZone, 100, 0));
    EXPECT_TRUE(Zoned::holds(s, 3, 8, 0x11)) << "conventional";
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 1), CommandStatus::Good);
  });
  script.run_to_end(1'000 * kMs);
}

TEST(Zoned, ADiskFileOfOtherSizesIsRefused) {
  const auto make = [](const media::DiskIdentity& identity) {
    const TemporaryFile path(".disk");
    media::DiskFile file(path.path(), identity);
    const drive::Drive disk("disk", kept_in(file, zoned_profile()),
                            system::engine_factory(engine_options("FCFS", "firmware", zoned_profile())));
  };
  using Identity = media::DiskIdentity;
  EXPECT_NO_THROW(make(identity_of(zoned_profile())));
  for (const auto value : {&Identity::sector_bytes, &Identity::torn_together, &Identity::block_bytes, &Identity::zones}) {
    Identity identity = identity_of(zoned_profile());
    ++(identity.*value);
    EXPECT_THROW(make(identity), std::invalid_argument);
  }
}

TEST(Zoned, AWornOutZone) {
  Zoned d(zoned_profile());
  d.run([&](Script& s) {
    EXPECT_EQ(Zoned::write(s, kFirst, 8, 0x11), CommandStatus::Good);
    d.disk->wear_out(4, false);
    d.disk->wear_out(5, true);
    EXPECT_THROW(d.disk->wear_out(64, true), std::invalid_argument);
    EXPECT_TRUE(Zoned::holds(s, kFirst, 8, 0x11));
    EXPECT_EQ(Zoned::write(s, kFirst + 8, 8, 1), CommandStatus::ZoneReadOnly);
    EXPECT_EQ(Zoned::read(s, 5 * kZone, 8), CommandStatus::ZoneOffline);
    d.disk->cut_power();
    s.pause(1 * kMs);
    d.disk->restore_power();
    EXPECT_EQ(d.condition(5 * kZone), ZoneCondition::Offline);
  });
}

/// Writes and resets of several zones are on their way when the drive loses its power, fails or restarts. Below each pointer is then what was
/// written, behind it nothing, and what a flush has made durable is kept.
TEST_P(ZonedPowerLoss, RandomLossesKeepTheFrontOfEachZone) {
  DriveProfile profile = zoned_profile(WriteBack::Interleaved);
  profile.power_loss.cache = GetParam();
  profile.zones.reset_ms = 2;
  profile.firmware_base_cycles = 400'000;  // limits pass during decisions too
  Zoned d(profile, "SPTF");
  command::DurationTable limits;
  limits.descriptors[1][0].inactive = {5 * kMs, command::LimitPolicy::Abort};
  std::uint64_t went_back = 0;
  d.run([&](Script& s) {
    std::vector<std::uint8_t> expected(kToyBlocks);
    std::vector<std::uint64_t> flushed(64);
    std::uint32_t random = 7;
    const auto below = [&random](std::uint32_t n) { return (random = random * 1664525u + 1013904223u) / 11 % n; };
    std::uint8_t fill = 0;
    const auto bytes = [&expected](std::uint64_t lba) { return expected.begin() + static_cast<std::ptrdiff_t>(lba); };
    for (int round = 0; round < static_cast<int>(scaled(60)); ++round) {
      for (std::uint32_t i = 1 + below(14); i > 0; --i) {
        const std::uint64_t zone = 4 + below(3);
        const ZoneDescriptor z = d.disk->zones()->descriptor(static_cast<std::uint32_t>(zone));
        if (z.condition == ZoneCondition::Full || below(12) == 0) {
          d.submit_zone(ZoneAction::Reset, zone * kZone);
          std::fill_n(bytes(zone * kZone), kZone, std::uint8_t{0});
          flushed[zone] = 0;
        } else {
          const std::uint64_t blocks = std::min<std::uint64_t>(1 + below(30), zone * kZone + kZone - z.write_pointer);
          if (++fill == 0) fill = 1;
          CommandExtension& asked = d.host.submit(true, z.write_pointer, static_cast<std::uint32_t>(blocks), fill).extension;
          asked.durations = &limits;
          asked.duration = below(3) == 0 ? 1 : 0;
          asked.fua = asked.duration != 0;
          std::fill_n(bytes(z.write_pointer), blocks, fill);
        }
        s.pause(below(4) == 0 ? below(8'000) * kUs : 1);
      }
      if (below(3) == 0) {
        Zoned::flush(s);
        for (std::uint64_t zone = 4; zone < 7; ++zone) {
          const std::uint64_t pointer = d.pointer(zone * kZone);
          flushed[zone] = pointer == ZoneDescriptor::kNoPointer ? kZone : pointer - zone * kZone;
        }
        continue;
      }
      const std::uint32_t how = below(3);
      if (how == 0) d.disk->set_alive(false);
      if (how == 1) d.disk->cut_power();
      if (how == 2) d.disk->restart(5 * kMs);
      s.pause(1 * kMs);
      if (how == 0) d.disk->set_alive(true);
      if (how == 1) d.disk->restore_power();
      for (std::uint64_t zone = 4; zone < 7; ++zone) {
        const ZoneDescriptor z = d.disk->zones()->descriptor(static_cast<std::uint32_t>(zone));
        const std::uint64_t written = z.condition == ZoneCondition::Full ? kZone : z.write_pointer - z.start;
        EXPECT_TRUE(z.condition == ZoneCondition::Full || z.condition == ZoneCondition::Closed || written == 0);
        EXPECT_GE(written, flushed[zone]) << "round " << round;
        for (std::uint64_t b = written; b < kZone; ++b) {
          if (expected[zone * kZone + b] != 0) ++went_back;
          expected[zone * kZone + b] = 0;
        }
        std::vector<std::uint8_t> data;
        ASSERT_EQ(Zoned::read(s, zone * kZone, kZone, &data), CommandStatus::Good) << "round " << round;
        for (std::uint64_t b = 0; b < kZone; ++b)
          ASSERT_EQ(data[b * 512 + 1], expected[zone * kZone + b])
              << "round " << round << ", zone " << zone << ", block " << b << ", pointer " << written;
      }
    }
  });
  EXPECT_GT(went_back, 50u);
  EXPECT_GT(d.disk->duration_statistics().of[1][1].aborted, 5u);
}

/// Random commands on a drive with a write cache, against the values that its blocks must have.
TEST(Zoned, RandomCommandsAndTheirData) {
  DriveProfile profile = zoned_profile(WriteBack::Interleaved);
  profile.zones.reset_ms = 1;
  Zoned d(profile, "SPTF");
  d.run([&](Script& s) {
    std::vector<std::uint8_t> expected(kToyBlocks);
    std::uint32_t random = 1;
    const auto below = [&random](std::uint32_t n) { return (random = random * 1664525u + 1013904223u) / 7 % n; };
    std::uint8_t fill = 0;
    for (int i = 0; i < static_cast<int>(scaled(3'000)); ++i) {
      const std::uint32_t zone = 4 + below(6);
      const std::uint64_t start = zone * kZone;
      const std::uint32_t what = below(20);
      if (what < 12) {
        const ZoneDescriptor z = d.disk->zones()->descriptor(zone);
        if (z.condition == ZoneCondition::Full) {
          EXPECT_EQ(Zoned::act(s, ZoneAction::Reset, start), CommandStatus::Good);
          std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(start), kZone, std::uint8_t{0});
          continue;
        }
        const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(1 + below(40), start + kZone - z.write_pointer));
        if (++fill == 0) fill = 1;
        ASSERT_EQ(Zoned::write(s, z.write_pointer, blocks, fill), CommandStatus::Good);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(z.write_pointer), blocks, fill);
      } else if (what < 18) {
        const std::uint64_t first = kFirst + below(7 * kZone - 40);
        std::vector<std::uint8_t> data;
        ASSERT_EQ(Zoned::read(s, first, 40, &data), CommandStatus::Good);
        for (std::uint32_t b = 0; b < 40; ++b)
          ASSERT_EQ(data[b * 512 + 3], expected[first + b]) << "block " << first + b << ", command " << i;
      } else if (what == 18) {
        EXPECT_EQ(Zoned::act(s, below(2) == 0 ? ZoneAction::Finish : ZoneAction::Close, start), CommandStatus::Good);
      } else {
        Zoned::flush(s);
      }
    }
  });
}

}  // namespace
}  // namespace platter::testing
