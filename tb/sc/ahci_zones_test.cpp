// SPDX-License-Identifier: Apache-2.0
//
// An AHCI adapter before a drive with zones, held against ZAC (INCITS 537), and against what Linux and libzbc read.
#include <array>
#include <vector>

#include "ahci_rig.h"

namespace platter::testing {
namespace {

constexpr std::uint8_t kIdentify = 0xEC;
constexpr std::uint8_t kReadLogExt = 0x2F;
constexpr std::uint64_t kZone = 256;  // sectors
constexpr std::uint64_t kFirst = 4 * kZone;

enum Action : std::uint8_t { kClose = 1, kFinish, kOpen, kReset };

profile::DriveProfile zoned_profile(profile::ZoneModel model = profile::ZoneModel::Managed) {
  profile::DriveProfile profile = cached_toy_profile(profile::WriteBack::Interleaved);
  profile.zones.model = model;
  profile.zones.zone_mib = 0.125;
  profile.zones.conventional = 4;
  profile.zones.max_open = 3;
  return profile;
}

/// ZAC Management In: REPORT ZONES EXT.
Frame report_frame(std::uint64_t lba, std::uint8_t option, std::uint32_t pages) {
  return command_frame(0x4A, lba, pages, static_cast<std::uint16_t>(option << 8));
}
/// ZAC Management Out.
Frame action_frame(std::uint8_t action, std::uint64_t lba, bool all = false) {
  return command_frame(0x9F, lba, 0, static_cast<std::uint16_t>(action | (all ? 0x100 : 0)));
}
Frame with_auxiliary(Frame frame, std::uint32_t auxiliary) {
  std::memcpy(&frame[16], &auxiliary, 4);
  return frame;
}
/// RECEIVE FPDMA QUEUED, subcommand ZAC Management In.
Frame queued_report_frame(std::uint64_t lba, std::uint8_t option, std::uint32_t pages, std::uint32_t tag) {
  return with_auxiliary(command_frame(0x65, lba, tag << 3 | 2u << 8, static_cast<std::uint16_t>(pages)),
                        std::uint32_t{option} << 8);
}
/// NCQ NON-DATA, subcommand ZAC Management Out.
Frame queued_action_frame(std::uint8_t action, std::uint64_t lba, std::uint32_t tag, bool all = false) {
  return with_auxiliary(command_frame(0x63, lba, tag << 3, 7), action | (all ? 0x100u : 0));
}

struct Zone {
  std::uint8_t type;
  std::uint8_t condition;
  std::uint8_t flags;
  std::uint64_t length;
  std::uint64_t start;
  std::uint64_t pointer;
};
struct Report {
  std::uint32_t length;
  std::uint8_t same;
  std::uint64_t last;
  std::vector<Zone> zones;
};
Report parse(const Computer& pc, std::uint32_t bytes) {
  Report report{
      pc.memory.get<std::uint32_t>(kData), pc.memory.get<std::uint8_t>(kData + 4), pc.memory.get<std::uint64_t>(kData + 8), {}};
  for (std::uint64_t at = 64; at + 64 <= bytes && at < 64 + report.length; at += 64) {
    const auto b = [&](std::uint64_t offset) { return pc.memory.get<std::uint8_t>(kData + at + offset); };
    const auto q = [&](std::uint64_t offset) { return pc.memory.get<std::uint64_t>(kData + at + offset); };
    report.zones.push_back(
        {b(0), static_cast<std::uint8_t>(b(1) >> 4), static_cast<std::uint8_t>(b(1) & 0xF), q(8), q(16), q(24)});
  }
  return report;
}

/// A host with sense data reporting, as Linux sets it up.
void set_up(Computer& pc) {
  Computer::settle();
  pc.start();
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 1, 0xC3)));
}

/// The sense data of the last error, by REQUEST SENSE DATA EXT: key, code, qualifier.
std::uint32_t sense(Computer& pc) {
  EXPECT_NE(pc.port(hba::kTfd) & 2, 0u) << "sense data available";
  pc.restart();
  EXPECT_TRUE(pc.run(command_frame(0x0B, 0, 0)));
  return pc.memory.get<std::uint32_t>(kReceived + 0x40 + 4) & 0xFF'FFFF;
}
/// The same of a queued command, by log 10h.
std::uint32_t queued_sense(Computer& pc, std::uint32_t tag) {
  EXPECT_NE(pc.port(hba::kTfd) & 2, 0u) << "sense data available";
  pc.restart();
  EXPECT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  const auto log = pc.bytes_of(0, 512);
  EXPECT_EQ(log[0], tag);
  EXPECT_NE(log[2] & 2, 0) << "its status";
  return std::uint32_t{log[14]} << 16 | std::uint32_t{log[15]} << 8 | log[16];
}

TEST(AhciZones, TheSignatureIsThatOfAHostManagedDrive) {
  Computer managed("managed", zoned_profile());
  Computer aware("aware", zoned_profile(profile::ZoneModel::Aware));
  Computer::settle();
  EXPECT_EQ(managed.port(hba::kSig), 0xABCD'0101u);
  EXPECT_EQ(aware.port(hba::kSig), 0x0000'0101u);
}

class AhciZoneModels : public ::testing::TestWithParam<profile::ZoneModel> {};

TEST_P(AhciZoneModels, IdentifyAndLogsDescribeTheZones) {
  const bool aware = GetParam() == profile::ZoneModel::Aware;
  Computer pc("pc", zoned_profile(GetParam()));
  set_up(pc);
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.word(69) & 3, aware ? 1 : 0);
  EXPECT_EQ(pc.word(77) & 0x60, 0x60) << "NCQ NON-DATA, RECEIVE FPDMA QUEUED";
  const auto log = [&](std::uint8_t number, std::uint32_t page) {
    ASSERT_TRUE(pc.run(command_frame(kReadLogExt, number | page << 8, 1), 512));
  };
  const auto q = [&](std::uint64_t at) { return pc.memory.get<std::uint64_t>(kData + at); };
  const std::uint64_t valid = std::uint64_t{1} << 63;
  log(0x30, 0);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kData + 8), 7);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kData + 15), 9) << "the page of zones";
  log(0x30, 2);
  EXPECT_EQ(q(8), valid | kToyBlocks);
  EXPECT_NE(q(16) & valid, 0u);
  log(0x30, 3);
  EXPECT_EQ(q(104), valid | (aware ? 1 : 0));
  log(0x30, 9);
  EXPECT_EQ(q(0), valid | 9u << 16 | 1);
  EXPECT_EQ(q(8), valid | 1) << "URSWRZ";
  EXPECT_EQ(q(24), valid | (aware ? 3 : 0xFFFF'FFFF));
  EXPECT_EQ(q(32), valid | 0xFFFF'FFFF);
  EXPECT_EQ(q(40), valid | (aware ? 0xFFFF'FFFF : 3));
  EXPECT_EQ(q(48), valid | 0x05CF);
  log(0x12, 0);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kData + 0x1C), 1);
  log(0x13, 0);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kData + 0x10), 3);
  log(0x00, 0);
  EXPECT_EQ(pc.memory.get<std::uint16_t>(kData + 2 * 0x30), 10);
}

INSTANTIATE_TEST_SUITE_P(Both, AhciZoneModels, ::testing::Values(profile::ZoneModel::Managed, profile::ZoneModel::Aware),
                         [](const auto& test) {
                           return std::string(test.param == profile::ZoneModel::Aware ? "aware" : "managed");
                         });

TEST(AhciZones, ADriveWithoutZonesHasNoneOfIt) {
  Computer pc("pc", cached_toy_profile(profile::WriteBack::Interleaved));
  set_up(pc);
  for (const Frame& frame :
       {report_frame(0, 0, 1), action_frame(kReset, 0), queued_report_frame(0, 0, 1, 0), queued_action_frame(kReset, 0, 0)}) {
    EXPECT_FALSE(pc.run(frame, 512));
    pc.restart();
  }
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.word(77), 0x0006);
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x00, 1), 512));
  EXPECT_EQ(pc.memory.get<std::uint16_t>(kData + 2 * 0x30), 9);
  EXPECT_FALSE(pc.run(command_frame(kReadLogExt, 0x930, 1), 512));
}

TEST(AhciZones, ReportZones) {
  Computer pc("pc", zoned_profile());
  set_up(pc);
  ASSERT_TRUE(pc.run(queued_frame(true, kFirst, 8, 0), 4096, true));
  ASSERT_TRUE(pc.run(action_frame(kFinish, 5 * kZone)));
  for (const bool queued : {false, true}) {
    const auto report = [&](std::uint64_t lba, std::uint8_t option, std::uint32_t pages) {
      EXPECT_TRUE(pc.run(queued ? queued_report_frame(lba, option, pages, 0) : report_frame(lba, option, pages), pages * 512));
      return parse(pc, pages * 512);
    };
    Report all = report(0, 0x00, 9);
    EXPECT_EQ(all.length, 64u * 64);
    EXPECT_EQ(all.same, 3);
    EXPECT_EQ(all.last, kToyBlocks - 1);
    ASSERT_EQ(all.zones.size(), 64u);
    EXPECT_EQ(all.zones[0].type, 1);
    EXPECT_EQ(all.zones[0].condition, 0);
    EXPECT_EQ(all.zones[0].pointer, ~std::uint64_t{0});
    EXPECT_EQ(all.zones[4].type, 2);
    EXPECT_EQ(all.zones[4].condition, 2);
    EXPECT_EQ(all.zones[4].length, kZone);
    EXPECT_EQ(all.zones[4].start, kFirst);
    EXPECT_EQ(all.zones[4].pointer, kFirst + 8);
    EXPECT_EQ(all.zones[5].condition, 0xE);
    EXPECT_EQ(all.zones[63].condition, 1);
    const Report short_one = report(kFirst, 0x00, 1);
    EXPECT_EQ(short_one.length, 60u * 64) << "all that there are";
    EXPECT_EQ(short_one.zones.size(), 7u);
    EXPECT_EQ(report(kFirst, 0x80, 1).length, 7u * 64) << "PARTIAL: those that fit";
    const Report full = report(0, 0x05, 1);
    ASSERT_EQ(full.zones.size(), 1u);
    EXPECT_EQ(full.zones[0].start, 5 * kZone);
    EXPECT_EQ(report(0, 0x3F, 1).length, 4u * 64);
    EXPECT_EQ(report(0, 0x07, 1).length, 0u);
  }
}

TEST(AhciZones, ErrorsOfReports) {
  Computer pc("pc", zoned_profile());
  set_up(pc);
  EXPECT_FALSE(pc.run(report_frame(0, 0x08, 1), 512));
  EXPECT_EQ(sense(pc), 0x05'2400u);
  EXPECT_FALSE(pc.run(report_frame(kToyBlocks, 0, 1), 512));
  EXPECT_EQ(sense(pc), 0x05'2100u);
  EXPECT_FALSE(pc.run(queued_report_frame(0, 0x12, 1, 0), 512));
  EXPECT_EQ(queued_sense(pc, 0), 0x05'2400u);
  EXPECT_FALSE(pc.run(queued_report_frame(kToyBlocks, 0, 1, 0), 512));
  EXPECT_EQ(queued_sense(pc, 0), 0x05'2100u);
  EXPECT_FALSE(pc.run(command_frame(0x4A, 0, 1, 1), 512)) << "another action";
  EXPECT_EQ(sense(pc), 0x05'2400u);
  EXPECT_FALSE(pc.run(command_frame(0x65, 0, 1u << 8, 1), 512)) << "another subcommand";
  EXPECT_EQ(queued_sense(pc, 0), 0x05'2400u);
  EXPECT_TRUE(pc.run(report_frame(0, 0, 1), 512));
}

TEST(AhciZones, ActionsInBothForms) {
  Computer pc("pc", zoned_profile());
  set_up(pc);
  const auto condition = [&](std::uint64_t zone) {
    return pc.drives[0]->zones()->descriptor(static_cast<std::uint32_t>(zone)).condition;
  };
  for (const bool queued : {false, true}) {
    const auto act = [&](std::uint8_t action, std::uint64_t lba, bool all = false) {
      return pc.run(queued ? queued_action_frame(action, lba, 0, all) : action_frame(action, lba, all));
    };
    EXPECT_TRUE(act(kOpen, kFirst));
    EXPECT_EQ(condition(4), zones::ZoneCondition::ExplicitOpen);
    EXPECT_TRUE(act(kClose, kFirst));
    EXPECT_EQ(condition(4), zones::ZoneCondition::Empty);
    ASSERT_TRUE(pc.run(queued_frame(true, kFirst, 8, 0), 4096, true));
    EXPECT_TRUE(act(kClose, 0, true));
    EXPECT_EQ(condition(4), zones::ZoneCondition::Closed);
    EXPECT_TRUE(act(kOpen, 0, true));
    EXPECT_EQ(condition(4), zones::ZoneCondition::ExplicitOpen);
    EXPECT_TRUE(act(kFinish, 0, true));
    EXPECT_EQ(condition(4), zones::ZoneCondition::Full);
    EXPECT_TRUE(act(kReset, kFirst));
    EXPECT_EQ(condition(4), zones::ZoneCondition::Empty);
    EXPECT_TRUE(act(kFinish, kFirst));
    EXPECT_TRUE(act(kReset, 0, true));
    EXPECT_EQ(condition(4), zones::ZoneCondition::Empty);
    ASSERT_TRUE(pc.run(queued_frame(false, kFirst, 8, 0), 4096));
    EXPECT_EQ(pc.bytes_of(0, 1)[0], 0);
  }
}

TEST(AhciZones, ErrorsOfActions) {
  Computer pc("pc", zoned_profile());
  set_up(pc);
  struct Case {
    std::uint8_t action;
    std::uint64_t lba;
    std::uint32_t sense;
  };
  for (const Case& c : {Case{kReset, 0, 0x05'2400},          // conventional
                        Case{kOpen, kFirst + 1, 0x05'2400},  // no start of a zone
                        Case{kFinish, kToyBlocks, 0x05'2100}, Case{0, kFirst, 0x05'2400}, Case{5, kFirst, 0x05'2400}}) {
    EXPECT_FALSE(pc.run(action_frame(c.action, c.lba)));
    EXPECT_EQ(sense(pc), c.sense);
    EXPECT_FALSE(pc.run(queued_action_frame(c.action, c.lba, 0)));
    EXPECT_EQ(queued_sense(pc, 0), c.sense);
  }
  for (std::uint64_t zone = 4; zone < 7; ++zone) ASSERT_TRUE(pc.run(action_frame(kOpen, zone * kZone)));
  EXPECT_FALSE(pc.run(action_frame(kOpen, 7 * kZone)));
  EXPECT_EQ(sense(pc), 0x07'550Eu);
  EXPECT_FALSE(pc.run(queued_action_frame(kFinish, 7 * kZone, 0)));
  EXPECT_EQ(queued_sense(pc, 0), 0x07'550Eu);
  EXPECT_FALSE(pc.run(queued_frame(true, 7 * kZone, 8, 0), 4096, true));
  EXPECT_EQ(queued_sense(pc, 0), 0x07'550Eu);
  EXPECT_FALSE(pc.run(with_auxiliary(command_frame(0x63, 0, 0, 1), 0))) << "another subcommand";
  EXPECT_EQ(queued_sense(pc, 0), 0x05'2400u);
}

TEST(AhciZones, ErrorsOfReadsAndWrites) {
  profile::DriveProfile restricted = zoned_profile();
  restricted.zones.unrestricted_reads = false;
  restricted.geometry.physical_sector_bytes = 4096;
  Computer pc("pc", restricted);
  set_up(pc);
  ASSERT_TRUE(pc.run(queued_frame(true, kFirst, 8, 0), 4096, true));
  ASSERT_TRUE(pc.run(action_frame(kFinish, 5 * kZone)));
  struct Case {
    bool write;
    std::uint64_t lba;
    std::uint32_t sectors;
    std::uint32_t sense;
  };
  for (const Case& c :
       {Case{true, kFirst, 8, 0x05'2104}, Case{true, kFirst + 8, 4, 0x05'2104}, Case{true, kFirst + 8, 255, 0x05'2105},
        Case{true, 5 * kZone, 8, 0x05'2400}, Case{true, 6 * kZone - 8, 16, 0x05'2400},  // full, which is checked first
        Case{true, kFirst - 8, 16, 0x05'2105}, Case{false, kFirst + 8, 8, 0x05'2106}, Case{false, 5 * kZone - 8, 16, 0x05'2107},
        Case{false, kFirst - 8, 16, 0x05'2107}}) {
    EXPECT_FALSE(pc.run(queued_frame(c.write, c.lba, c.sectors, 0), c.sectors * 512, c.write));
    EXPECT_EQ(queued_sense(pc, 0), c.sense) << c.lba;
    EXPECT_FALSE(pc.run(command_frame(c.write ? 0x35 : 0x25, c.lba, c.sectors), c.sectors * 512, c.write));
    EXPECT_EQ(sense(pc), c.sense) << c.lba;
  }
  EXPECT_TRUE(pc.run(queued_frame(true, kFirst + 8, 8, 0), 4096, true)) << "and the pointer has stayed";
}

/// Zone commands and writes of one zone wait together in the queue.
TEST(AhciZones, AQueueOfWritesAndActions) {
  Computer pc("pc", zoned_profile());
  set_up(pc);
  const auto slot_of = [](std::uint32_t order) { return (order + 1) % 32; };  // set_up has used slot 0
  for (std::uint32_t round = 0; round < 20; ++round) {
    const auto fill = [round](std::uint32_t write) { return static_cast<std::uint8_t>(round * 16 + write + 1); };
    for (std::uint32_t i = 0; i < 32; ++i) {
      const std::uint32_t slot = slot_of(i);
      if (i % 16 == 15) {
        pc.prepare(slot, queued_action_frame(i == 31 ? kReset : kFinish, kFirst, slot), 0, false);
      } else if (i < 16) {
        pc.prepare(slot, queued_frame(true, kFirst + 8 * i, 8, slot), 4096, true);
        std::fill_n(pc.memory.bytes.begin() + static_cast<std::ptrdiff_t>(pc.data(slot)), 4096, fill(i));
      } else {
        pc.prepare(slot, queued_frame(false, kFirst + 8 * (i - 16), 8, slot), 4096, false);
      }
    }
    pc.set_port(hba::kPxIs, ~0u);
    pc.issue(~0u, true);
    ASSERT_TRUE(pc.idle());
    ASSERT_EQ(pc.port(hba::kPxIs) & hba::kTfes, 0u);
    for (std::uint32_t i = 16; i < 31; ++i) {
      ASSERT_EQ(pc.bytes_of(slot_of(i), 4096)[0], fill(i - 16)) << i;
      ASSERT_EQ(pc.bytes_of(slot_of(i), 4096)[4095], fill(i - 16)) << i;
    }
    EXPECT_EQ(pc.drives[0]->zones()->descriptor(4).condition, zones::ZoneCondition::Empty);
  }
}

}  // namespace
}  // namespace platter::testing
