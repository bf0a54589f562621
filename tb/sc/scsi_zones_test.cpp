// SPDX-License-Identifier: Apache-2.0
//
// The SCSI target before drives with zones: the commands, pages and errors of ZBC (INCITS 536).
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "scsi_rig.h"

namespace platter::testing {
namespace {

using command::Sense;
using core::big_endian::get;
using core::big_endian::put;
using scsi::Status;
namespace sense = scsi::sense;

constexpr std::uint64_t kZone = 256;  // blocks
constexpr std::uint64_t kFirst = 4 * kZone;
constexpr Sense kUnaligned{0x5, 0x21, 0x04};
constexpr Sense kWriteBoundary{0x5, 0x21, 0x05};
constexpr Sense kReadBoundary{0x5, 0x21, 0x07};
constexpr Sense kNoResources{0x7, 0x55, 0x0E};

profile::DriveProfile zoned_profile(profile::ZoneModel model = profile::ZoneModel::Managed) {
  profile::DriveProfile profile = scsi_profile();
  profile.zones.model = model;
  profile.zones.zone_mib = 0.125;
  profile.zones.conventional = 4;
  profile.zones.max_open = 3;
  return profile;
}

enum Action : std::uint8_t { kClose = 1, kFinish, kOpen, kReset };

Bytes zone_out(std::uint8_t action, std::uint64_t lba, bool all = false) {
  Bytes cdb(16);
  cdb[0] = 0x94;
  cdb[1] = action;
  put(&cdb[2], lba, 8);
  cdb[14] = all ? 1 : 0;
  return cdb;
}
Bytes zone_in(std::uint64_t lba, std::uint8_t options, std::uint32_t allocation) {
  Bytes cdb(16);
  cdb[0] = 0x95;
  put(&cdb[2], lba, 8);
  put(&cdb[10], allocation, 4);
  cdb[14] = options;
  return cdb;
}

class ScsiZones : public ::testing::Test {
 protected:
  explicit ScsiZones(profile::ZoneModel model = profile::ZoneModel::Managed) : rig(1, zoned_profile(model)) { port.settle(); }

  Sense write(std::uint64_t lba, std::uint32_t blocks) {
    const scsi::Task& task = port.run(cdb16(0x8A, lba, blocks), some_bytes(blocks * kScsiSector));
    return task.status == Status::Good ? sense::kNone : Sense(task.sense);
  }
  Sense read(std::uint64_t lba, std::uint32_t blocks) {
    const scsi::Task& task = port.run(cdb16(0x88, lba, blocks), {}, blocks * kScsiSector);
    return task.status == Status::Good ? sense::kNone : Sense(task.sense);
  }
  Sense act(std::uint8_t action, std::uint64_t lba, bool all = false) {
    const scsi::Task& task = port.run(zone_out(action, lba, all));
    return task.status == Status::Good ? sense::kNone : Sense(task.sense);
  }
  Bytes report(std::uint64_t lba, std::uint8_t options = 0, std::uint32_t allocation = 1 << 16) {
    return port.run(zone_in(lba, options, allocation), {}, allocation).data;
  }
  /// Condition and write pointer of a zone.
  std::pair<unsigned, std::uint64_t> zone(std::uint64_t lba) {
    const Bytes data = report(lba, 0x80, 128);
    return {data[65] >> 4, get(&data[88], 8)};
  }

  ScsiRig rig;
  Port port{rig, "iqn.2026-01.test:one,i,0x000000000001"};
};
class ScsiAwareZones : public ScsiZones {
 protected:
  ScsiAwareZones() : ScsiZones(profile::ZoneModel::Aware) {}
};
class ScsiWithoutZones : public ScsiZones {
 protected:
  ScsiWithoutZones() : ScsiZones(profile::ZoneModel::None) {}
};

TEST_F(ScsiZones, InquiryTellsOfThem) {
  EXPECT_EQ(port.run({0x12, 0, 0, 0, 96}, {}, 96).data[0], 0x14) << "host managed zoned block device";
  const Bytes pages = port.run({0x12, 1, 0, 0, 255}, {}, 255).data;
  EXPECT_EQ(pages.back(), 0xB6);
  const Bytes page = port.run({0x12, 1, 0xB6, 0, 255}, {}, 255).data;
  ASSERT_EQ(page.size(), 64u);
  EXPECT_EQ(page[0], 0x14);
  EXPECT_EQ(page[4], 1) << "URSWRZ";
  EXPECT_EQ(get(&page[8], 4), 0xFFFF'FFFFu);
  EXPECT_EQ(get(&page[16], 4), 3u) << "open zones";
  EXPECT_EQ(port.run({0x12, 1, 0xB1, 0, 255}, {}, 255).data[8], 0);
  EXPECT_EQ(port.run({0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32}, {}, 32).data[12], 0x10) << "RC BASIS";
}

TEST_F(ScsiZones, AReportHasEveryZone) {
  ASSERT_EQ(write(kFirst, 8), sense::kNone);
  const Bytes data = report(0);
  const std::size_t zones = kToyBlocks / kZone;
  ASSERT_EQ(data.size(), 64 + zones * 64);
  EXPECT_EQ(get(&data[0], 4), zones * 64);
  EXPECT_EQ(get(&data[8], 8), kToyBlocks - 1);
  EXPECT_EQ(data[64], 1) << "conventional";
  EXPECT_EQ(data[65], 0x00);
  const std::uint8_t* written = &data[64 + 4 * 64];
  EXPECT_EQ(written[0], 2) << "sequential write required";
  EXPECT_EQ(written[1] >> 4, 2) << "implicitly open";
  EXPECT_EQ(get(written + 8, 8), kZone);
  EXPECT_EQ(get(written + 16, 8), kFirst);
  EXPECT_EQ(get(written + 24, 8), kFirst + 8);
  EXPECT_EQ(get(&report(0, 0x02)[0], 4), 64u) << "one implicitly open zone";
  EXPECT_EQ(get(&report(0, 0x3F)[0], 4), 4 * 64u) << "without a write pointer";
}

TEST_F(ScsiZones, AReportThatIsCutCountsAllZonesUnlessItIsPartial) {
  Bytes data = report(0, 0x00, 64 + 3 * 64);
  EXPECT_EQ(data.size(), 64 + 3 * 64u);
  EXPECT_EQ(get(&data[0], 4), kToyBlocks / kZone * 64);
  data = report(0, 0x80, 64 + 3 * 64);
  EXPECT_EQ(get(&data[0], 4), 3 * 64u);
  EXPECT_EQ(report(0, 0, 16).size(), 16u);
  EXPECT_EQ(report(0, 0, 0).size(), 0u);
}

TEST_F(ScsiZones, EachCommandHasItsStatusAndSense) {
  EXPECT_EQ(write(kFirst + 8, 8), kUnaligned);
  EXPECT_EQ(write(kFirst, 264), kWriteBoundary);
  EXPECT_EQ(read(kFirst - 1, 2), kReadBoundary);
  EXPECT_TRUE(port.run(cdb16(0x88, kFirst - 1, 2), {}, 2 * kScsiSector).data.empty()) << "a read that is refused has no data";
  EXPECT_EQ(read(kFirst, 8), sense::kNone) << "above the write pointer";
  EXPECT_EQ(act(kOpen, 0), sense::kInvalidField) << "conventional";
  EXPECT_EQ(act(kOpen, kFirst + 1), sense::kInvalidField) << "not its start";
  EXPECT_EQ(act(kOpen, kToyBlocks), sense::kOutOfRange);
  EXPECT_EQ(act(5, kFirst), sense::kInvalidField) << "no such service action";
  const scsi::Task& option = port.run(zone_in(0, 0x09, 128), {}, 128);
  EXPECT_EQ(Sense(option.sense), sense::kInvalidField);
  EXPECT_EQ(Sense(port.run(zone_in(kToyBlocks, 0, 128), {}, 128).sense), sense::kOutOfRange);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(act(kOpen, kFirst + i * kZone), sense::kNone);
  EXPECT_EQ(act(kOpen, kFirst + 3 * kZone), kNoResources);
  EXPECT_EQ(write(kFirst + 3 * kZone, 8), kNoResources);
}

TEST_F(ScsiZones, OpenCloseFinishReset) {
  EXPECT_EQ(act(kOpen, kFirst), sense::kNone);
  EXPECT_EQ(zone(kFirst).first, 3u);
  EXPECT_EQ(write(kFirst, 16), sense::kNone);
  EXPECT_EQ(act(kClose, kFirst), sense::kNone);
  EXPECT_EQ(zone(kFirst), std::pair(4u, kFirst + 16));
  EXPECT_EQ(act(kFinish, kFirst), sense::kNone);
  EXPECT_EQ(zone(kFirst).first, 0xEu);
  EXPECT_EQ(write(kFirst, 8), sense::kInvalidField) << "full";
  EXPECT_EQ(act(kReset, kFirst), sense::kNone);
  EXPECT_EQ(zone(kFirst), std::pair(1u, kFirst));
  EXPECT_EQ(port.run(cdb16(0x88, kFirst, 16), {}, 16 * kScsiSector).data, Bytes(16 * kScsiSector)) << "its data is gone";
  EXPECT_EQ(write(kFirst, 8), sense::kNone);
  EXPECT_EQ(act(kReset, 0, true), sense::kNone);
  EXPECT_EQ(zone(kFirst), std::pair(1u, kFirst));
}

TEST_F(ScsiAwareZones, AreWrittenAnywhere) {
  EXPECT_EQ(port.run({0x12, 0, 0, 0, 96}, {}, 96).data[0], 0x00);
  EXPECT_EQ(port.run({0x12, 1, 0xB1, 0, 255}, {}, 255).data[8], 0x10) << "ZONED: host aware";
  EXPECT_EQ(write(kFirst + 8, 8), sense::kNone);
  const Bytes data = report(kFirst, 0x80, 128);
  EXPECT_EQ(data[64], 3) << "sequential write preferred";
  EXPECT_EQ(data[65] & 2, 2) << "written out of order";
}

/// A drive as that of `scripts/guest zones`: 64 zones of 1 MiB, 4 of them conventional, 8 open ones, physical sectors of 4 KiB.
profile::DriveProfile guest_profile() {
  profile::DriveProfile profile = zoned_profile();
  profile.geometry.cylinders = 1024;
  profile.geometry.zones[0].last_cylinder = 1023;
  profile.geometry.physical_sector_bytes = 4096;
  profile.seek.points_us.back().first = 1023;
  profile.zones.zone_mib = 1;
  profile.zones.max_open = 8;
  return profile;
}

class ScsiRecorded : public ::testing::Test {
 protected:
  ScsiRecorded() { port.settle(); }

  static std::uint64_t mixed(std::uint64_t x) {  // as in tb/clients/zone_commands.c, and so are the next ones
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }
  static std::uint32_t digest(std::uint32_t of, const std::uint8_t* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) of = (of ^ data[i]) * 16777619u;
    return of;
  }
  static std::string of_report(const Bytes& data) {
    std::uint32_t of = digest(2166136261u, &data[8], 8);
    for (std::size_t at = 64; at + 64 <= data.size(); at += 64) {
      const unsigned condition = data[at + 1] >> 4;
      std::array<std::uint8_t, 32> row = {static_cast<std::uint8_t>(data[at] & 0xF), static_cast<std::uint8_t>(condition),
                                          static_cast<std::uint8_t>(data[at + 1] & 3)};
      put(&row[8], get(&data[at + 16], 8), 8);
      put(&row[16], get(&data[at + 8], 8), 8);
      put(&row[24], condition >= 1 && condition <= 4 ? get(&data[at + 24], 8) : ~std::uint64_t{0}, 8);
      of = digest(of, row.data(), row.size());
    }
    return fmt::format(":{}:{}:{:08x}", get(&data[0], 4), data[4] & 0xF, of);
  }

  /// The answer to a recorded command, as the program prints it.
  std::string answer(std::uint64_t number, const std::string& operation, std::uint64_t lba, std::uint32_t blocks,
                     std::uint8_t option) {
    const scsi::Task* task = nullptr;
    if (operation == "report") {
      task = &port.run(zone_in(lba, option, blocks), {}, blocks);
    } else if (operation == "read") {
      task = &port.run(cdb16(0x88, lba, blocks), {}, blocks * kScsiSector);
    } else if (operation == "write" || operation == "same") {
      Bytes data((operation == "same" ? 1 : blocks) * kScsiSector);
      for (std::size_t i = 0; i < data.size(); i += 8) put(&data[i], mixed(number << 32 | i), 8);
      task = &port.run(cdb16(operation == "same" ? 0x93 : 0x8A, lba, blocks), data);
    } else {
      const std::uint8_t action = operation == "open"     ? kOpen
                                  : operation == "close"  ? kClose
                                  : operation == "finish" ? kFinish
                                                          : kReset;
      task = &port.run(zone_out(action, lba, option != 0));
    }
    const Sense sense = task->sense;
    std::string text =
        fmt::format("{:02x}:{:x}/{:02x}/{:02x}", static_cast<unsigned>(task->status), sense.key, sense.code, sense.qualifier);
    if (task->status != Status::Good) return text;
    if (operation == "report") return text + of_report(task->data);
    if (operation == "read") return text + fmt::format(":{:08x}", digest(2166136261u, task->data.data(), task->data.size()));
    return text;
  }

  ScsiRig rig{1, guest_profile()};
  Port port{rig, "iqn.2026-01.test:one,i,0x000000000001"};
};

// The first commands of a run of `scripts/guest zones`, which has held every answer against Linux's scsi_debug.
TEST_F(ScsiRecorded, AnswersAreThoseHeldAgainstScsiDebug) {
  std::ifstream file(PLATTER_SOURCE_DIR "/tb/clients/zone_commands.txt");
  std::size_t commands = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("C ", 0) != 0) continue;
    std::istringstream words(line);
    std::string kind, operation, option, condition, referee, drive;
    std::uint64_t number = 0, lba = 0;
    std::uint32_t blocks = 0;
    ASSERT_TRUE(words >> kind >> number >> operation >> lba >> blocks >> option >> condition >> referee >> drive) << line;
    ASSERT_EQ(answer(number, operation, lba, blocks, static_cast<std::uint8_t>(std::stoul(option, nullptr, 16))), drive)
        << line;
    ++commands;
  }
  EXPECT_GT(commands, 400u);
}

TEST_F(ScsiWithoutZones, RefusesTheirCommands) {
  EXPECT_EQ(act(kReset, 0, true), sense::kInvalidOpcode);
  EXPECT_EQ(Sense(port.run(zone_in(0, 0, 128), {}, 128).sense), sense::kInvalidOpcode);
  EXPECT_EQ(Sense(port.run({0x12, 1, 0xB6, 0, 255}, {}, 255).sense), sense::kInvalidField);
  const Bytes one = port.run({0xA3, 0x0C, 0x03, 0x95, 0, 0, 0, 0, 0, 64, 0, 0}, {}, 64).data;
  EXPECT_EQ(one[1] & 7, 1) << "not supported";
}

}  // namespace
}  // namespace platter::testing
