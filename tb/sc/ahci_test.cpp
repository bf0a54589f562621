// SPDX-License-Identifier: Apache-2.0
//
// The AHCI adapter by its registers, held against AHCI 1.3.1, Serial ATA 3.x and ACS-4.
#include <bitset>
#include <numeric>
#include <random>

#include "ahci_rig.h"

namespace platter::testing {
namespace {

constexpr std::uint8_t kIdentify = 0xEC;
constexpr std::uint8_t kReadLogExt = 0x2F;
constexpr std::uint8_t kFlushExt = 0xEA;

/// A toy drive with a write cache, which also reads ahead.
profile::DriveProfile disk_profile() { return cached_toy_profile(profile::WriteBack::Interleaved); }

std::uint8_t sum(const std::vector<std::uint8_t>& page) {
  return static_cast<std::uint8_t>(std::accumulate(page.begin(), page.end(), 0u));
}

std::vector<std::uint8_t> on_media(const drive::Drive& disk, std::uint64_t lba, std::uint32_t sectors) {
  std::vector<std::uint8_t> bytes(std::size_t{sectors} * 512);
  disk.media().read(lba * 512, bytes.data(), bytes.size());
  return bytes;
}

TEST(Ahci, PowersUpAsTheStandardSays) {
  Computer pc("pc", disk_profile(), 2);
  Computer::settle();
  EXPECT_EQ(pc.read(hba::kCap), 0xC13'41F01u | 0xE000u)
      << "64 bits, NCQ, CLO, 6 Gb/s, AHCI only, link power, 32 slots, 2 ports";
  EXPECT_EQ(pc.read(hba::kGhc), 0x8000'0000u);
  EXPECT_EQ(pc.read(hba::kPi), 3u);
  EXPECT_EQ(pc.read(hba::kVs), 0x0001'0301u);
  for (const std::uint32_t p : {0u, 1u}) {
    EXPECT_EQ(pc.port(hba::kTfd, p), 0x0150u) << "the signature does not wait for PxCMD.FRE";
    EXPECT_EQ(pc.port(hba::kSig, p), 0x0000'0101u);
    EXPECT_EQ(pc.port(hba::kSsts, p), 0x133u);
    EXPECT_EQ(pc.port(hba::kCmd, p), hba::kSud | hba::kPod);
    EXPECT_EQ(pc.port(hba::kPxIs, p), hba::kPcs);
    EXPECT_EQ(pc.port(hba::kSerr, p), hba::kSerrExchanged);
  }
  EXPECT_EQ(pc.read(hba::kPorts + 2 * hba::kPortBytes + hba::kSsts), 0u) << "no such port";
  pc.start(1);
  EXPECT_EQ(pc.port(hba::kCmd, 1), 0xC017u);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x40), 0u) << "but it has not been posted";
  pc.set_port(hba::kSctl, 1, 1);
  pc.set_port(hba::kSctl, 0, 1);
  Computer::settle();
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x40), 0x34u);
  EXPECT_EQ(pc.memory.get<std::uint16_t>(kReceived + 0x42), 0x0150u);
  pc.set_port(hba::kCmd, hba::kAtapi | hba::kDlae, 1);
  EXPECT_EQ(pc.port(hba::kCmd, 1), hba::kSud | hba::kPod | hba::kAtapi | hba::kDlae);
}

TEST(Ahci, AProbeSeesTheHostsAccessesAndTheSlots) {
  struct Probe : ahci::AhciProbeIf {
    void changed(const ahci::PortReport& report) override {
      issued |= report.ci;
      in_drive |= report.in_drive;
      last = report;
    }
    void accessed(const ahci::RegisterReport& report) override { accesses.push_back(report); }
    std::vector<ahci::RegisterReport> accesses;
    ahci::PortReport last;
    std::uint32_t issued = 0;
    std::uint32_t in_drive = 0;
  } probe;
  StartedComputer pc(disk_profile());
  pc.adapter->add_probe(probe);
  EXPECT_EQ(pc.port(hba::kSsts), 0x133u);
  ASSERT_EQ(probe.accesses.size(), 1u);
  EXPECT_EQ(probe.accesses[0].offset, hba::kPorts + hba::kSsts);
  EXPECT_EQ(probe.accesses[0].data, 0x133u);
  EXPECT_FALSE(probe.accesses[0].write);
  ASSERT_TRUE(pc.run(command_frame(0x25, 8, 8), 4096));
  EXPECT_EQ(probe.issued, 1u);
  EXPECT_EQ(probe.in_drive, 1u);
  EXPECT_EQ(probe.last.ci, 0u);
  EXPECT_EQ(probe.last.in_drive, 0u);
  EXPECT_EQ(probe.last.tfd, 0x50u);
  const std::size_t seen = probe.accesses.size();
  pc.adapter->remove_probe(probe);
  pc.port(hba::kSsts);
  EXPECT_EQ(probe.accesses.size(), seen);
}

TEST(Ahci, TheLinkRestsWhenAskedTo) {
  StartedComputer pc(disk_profile());
  const auto ask = [&pc](std::uint32_t state) {
    pc.set_port(hba::kCmd, hba::kSt | hba::kFre | state << hba::kIccPlace);
    return pc.port(hba::kSsts);
  };
  EXPECT_EQ(ask(hba::kIccSlumber), 0x633u);
  EXPECT_EQ(pc.port(hba::kCmd) >> hba::kIccPlace, 0u) << "ICC reads as idle";
  EXPECT_EQ(ask(hba::kIccActive), 0x133u);
  EXPECT_EQ(ask(hba::kIccPartial), 0x233u);
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.port(hba::kSsts), 0x133u) << "a command wakes it";
  pc.set_port(hba::kSctl, 0x300);
  EXPECT_EQ(ask(hba::kIccPartial), 0x133u) << "forbidden";
  EXPECT_EQ(ask(hba::kIccSlumber), 0x133u) << "forbidden";
}

TEST(Ahci, IdentifiesTheProfilesDrive) {
  StartedComputer pc(disk_profile());
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.port(hba::kPxIs), hba::kPss) << "a PIO command ends with its last block";
  EXPECT_EQ(pc.port(hba::kTfd), 0x50u);
  EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), 512u) << "PRDBC";
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x20), 0x5Fu);
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x20 + 15), 0x50u) << "E_Status";
  const auto page = pc.bytes_of(0, 512);
  EXPECT_EQ(sum(page), 0u);
  EXPECT_EQ(pc.word(255) & 0xFF, 0xA5);
  EXPECT_EQ(pc.memory.get<std::uint64_t>(kData + 200), kToyBlocks);
  EXPECT_EQ(pc.memory.get<std::uint32_t>(kData + 120), kToyBlocks);
  EXPECT_EQ(pc.word(75), 31);
  EXPECT_EQ(pc.word(76) & 0x1100, 0x1100) << "NCQ with priority";
  EXPECT_EQ(pc.word(217), 9375);
  EXPECT_EQ(pc.word(82) & pc.word(85) & 0x61, 0x61) << "SMART, write cache, look-ahead; all on";
  std::string model;
  for (std::size_t i = 54; i < 94; ++i) model += static_cast<char>(page[i ^ 1]);
  EXPECT_EQ(model.substr(0, 12), "PLATTER toy ");
}

TEST(Ahci, ATapCountsCommandsThatWaitForTokens) {
  profile::DriveProfile profile = disk_profile();
  profile.token_rate_bytes_per_s = 4'096;
  profile.token_depth_bytes = 4'096;
  std::uint64_t numbers = 0;
  observe::RequestTap tap("tap", numbers);
  Finished heard;
  tap.add_observer(heard);
  StartedComputer pc(profile, 1, "SPTF", 0, &tap);
  for (std::uint32_t slot = 0; slot < 20; ++slot) pc.prepare(slot, queued_frame(false, slot * 500, 8, slot), 4'096, false, {});
  pc.issue((1u << 20) - 1, true);
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_EQ(heard.issues, 20u);
  EXPECT_EQ(heard.rows.size(), 1u) << "the others have no tokens";
  pc.stop();
  run_until(core::now_ps() + 2'000 * kMs);
  EXPECT_EQ(heard.issues, 20u);
  ASSERT_EQ(heard.rows.size(), 20u);
  EXPECT_EQ(heard.excess, 0);
  EXPECT_EQ(std::count_if(heard.rows.begin(), heard.rows.end(),
                          [](const Finished::Row& row) { return row.status == CommandStatus::Aborted; }),
            18)
      << "one waits in the drive's port";
}

TEST(Ahci, QueuedCommandsMoveTheBytesOfTheirRegions) {
  StartedComputer pc(disk_profile(), 1, "SPTF", 3 * kUs / 1000);
  std::mt19937 random(1);
  std::vector<std::uint8_t> shadow(kToyBlocks * 512);
  std::size_t checked = 0;
  for (int round = 0; round < 40; ++round) {
    std::uint32_t slots = 0;
    std::vector<std::array<std::uint64_t, 3>> issued;  // slot, lba, sectors
    const bool write = round % 2 == 0;
    for (std::uint32_t slot = 0; slot < 32; ++slot) {
      if (random() % 4 == 0) continue;
      // no two overlap in one round
      const std::uint64_t lba = slot * 500 + random() % 300;
      const auto sectors = static_cast<std::uint32_t>(1 + random() % 100);
      std::vector<Region> regions;
      std::uint32_t left = sectors * 512;
      std::uint64_t at = pc.data(slot);
      while (left > 0) {
        const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, 2 * (1 + random() % 9000)));
        regions.push_back({at, part});
        at += part + 2 * (random() % 40);
        left -= part;
      }
      if (write) {
        for (const Region& region : regions)
          for (std::uint32_t i = 0; i < region.bytes; ++i)
            pc.memory.bytes[region.address + i] = static_cast<std::uint8_t>(random());
        std::uint64_t byte = lba * 512;
        for (const Region& region : regions)
          for (std::uint32_t i = 0; i < region.bytes; ++i) shadow[byte++] = pc.memory.bytes[region.address + i];
      }
      pc.prepare(slot, queued_frame(write, lba, sectors, slot, random() % 3 == 0), 0, write, regions);
      slots |= 1u << slot;
      issued.push_back({slot, lba, sectors});
    }
    pc.set_port(hba::kPxIs, ~0u);
    pc.write(hba::kIs, ~0u);
    pc.issue(slots, true);
    ASSERT_TRUE(pc.idle());
    ASSERT_EQ(pc.port(hba::kPxIs) & ~hba::kDps, hba::kSdbs);
    ASSERT_EQ(pc.port(hba::kTfd) & 0x89, 0u);
    if (write) continue;
    for (const auto& [slot, lba, sectors] : issued) {
      const std::uint64_t table = kTables + slot * 0x1000;
      const auto regions = pc.memory.get<std::uint16_t>(kList + 32 * slot + 2);
      std::uint64_t byte = lba * 512;
      for (std::uint32_t r = 0; r < regions; ++r) {
        const auto from = pc.memory.get<std::uint64_t>(table + 0x80 + 16 * r);
        const auto bytes = pc.memory.get<std::uint32_t>(table + 0x8C + 16 * r) + 1;
        for (std::uint32_t i = 0; i < bytes; ++i, ++byte) {
          ++checked;
          if (pc.memory.bytes[from + i] != shadow[byte]) FAIL() << "slot " << slot << " byte " << byte;
        }
      }
    }
  }
  EXPECT_GT(checked, 10'000'000u);
  EXPECT_GT(pc.interrupts, 20u);
}

TEST(Ahci, EachKindOfReadAndWriteMovesTheSameBytes) {
  StartedComputer pc(disk_profile());
  const auto fill = [&pc](std::uint8_t seed, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) pc.memory.bytes[kData + i] = static_cast<std::uint8_t>(seed + i * 7);
  };
  const auto matches = [&pc](std::uint8_t seed, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i)
      if (pc.memory.bytes[kData + i] != static_cast<std::uint8_t>(seed + i * 7)) return false;
    return true;
  };
  std::uint8_t seed = 0;
  constexpr std::uint32_t kSectors = 20;
  for (const std::uint8_t write : std::vector<std::uint8_t>{0x30, 0x34, 0x35, 0x39, 0x3D, 0xC5, 0xCA}) {
    const bool short_address = write == 0x30 || write == 0xC5 || write == 0xCA;
    fill(++seed, kSectors * 512);
    ASSERT_TRUE(pc.run(short_address ? command_frame28(write, 300, kSectors) : command_frame(write, 300, kSectors),
                       kSectors * 512, true));
    EXPECT_EQ(pc.port(hba::kPxIs) & hba::kDhrs, hba::kDhrs) << "a write ends with a register FIS";
    for (const std::uint8_t read : std::vector<std::uint8_t>{0x20, 0x24, 0x25, 0x29, 0xC4, 0xC8}) {
      const bool short_read = read == 0x20 || read == 0xC4 || read == 0xC8;
      fill(0, kSectors * 512);
      ASSERT_TRUE(
          pc.run(short_read ? command_frame28(read, 300, kSectors) : command_frame(read, 300, kSectors), kSectors * 512));
      EXPECT_TRUE(matches(seed, kSectors * 512)) << std::hex << int{write} << " then " << int{read};
      EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), kSectors * 512) << "PRDBC";
    }
  }
  EXPECT_TRUE(pc.run(command_frame28(0x20, 0, 0), 256 * 512)) << "0 sectors: 256";
  EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), 256u * 512);
  EXPECT_TRUE(pc.run(command_frame(0x42, 0, 8))) << "verify";
}

// Cylinder, head and sector are no longer in the standard: without the LBA bit a command is aborted, and moves no data.
TEST(Ahci, AddressesOfOldHostsAreAborted) {
  StartedComputer pc(disk_profile());
  ASSERT_TRUE(pc.run(command_frame(0x35, 0, 8), 4096, true));
  for (const std::uint8_t command : std::vector<std::uint8_t>{0x20, 0x30, 0x40, 0xC4, 0xC5, 0xC8, 0xCA}) {
    Frame frame = command_frame28(command, 0x010203, 1);
    frame[7] = static_cast<std::uint8_t>(frame[7] & ~0x40u);
    const bool write = command == 0x30 || command == 0xC5 || command == 0xCA;
    EXPECT_FALSE(pc.run(frame, command == 0x40 ? 0 : 512, write)) << std::hex << int{command};
    EXPECT_EQ(pc.port(hba::kTfd), 0x0451u) << "ABRT " << std::hex << int{command};
    pc.restart();
  }
  EXPECT_FALSE(pc.run(command_frame(0x91, 0, 63, 0, 0x0F))) << "INITIALIZE DEVICE PARAMETERS";
  pc.restart();
  EXPECT_TRUE(pc.run(command_frame28(0x20, 0, 8), 4096)) << "with the bit";
}

TEST(Ahci, OldHostsSeeNoMoreCylindersThanTheDriveHas) {
  const auto word = [](std::uint64_t sectors, std::size_t index) {
    ahci::AtaIdentity identity;
    identity.sectors = sectors;
    const ahci::Page page = ahci::identify(identity, {});
    return page[2 * index] | std::uint64_t{page[2 * index + 1]} << 8;
  };
  for (const std::uint64_t sectors : {std::uint64_t{1000}, std::uint64_t{2'056'008}, std::uint64_t{16'514'063},
                                      std::uint64_t{16'514'064}, std::uint64_t{3'907'029'168}}) {
    const std::uint64_t there = word(sectors, 1) * word(sectors, 3) * word(sectors, 6);
    EXPECT_LE(there, sectors);
    EXPECT_TRUE(sectors - there < 16 * 63 || word(sectors, 1) == 16383) << sectors;
    EXPECT_EQ(word(sectors, 3), 16u);
    EXPECT_EQ(word(sectors, 6), 63u);
  }
}

TEST(Ahci, AQueuedReadPastTheEndStopsThePortUntilTheLogIsRead) {
  StartedComputer pc(disk_profile());
  for (std::uint32_t slot = 0; slot < 8; ++slot) pc.prepare(slot, queued_frame(false, slot * 1000, 8, slot), 4096, false);
  pc.prepare(5, queued_frame(false, kToyBlocks - 4, 8, 5), 4096, false);
  pc.issue(0xFF, true);
  ASSERT_TRUE(pc.idle());
  EXPECT_EQ(pc.port(hba::kPxIs) & (hba::kTfes | hba::kSdbs), hba::kTfes) << "the error, not the interrupt of its frame";
  EXPECT_EQ(pc.port(hba::kTfd) & 0xFF81, 0x1001u) << "ID not found";
  const std::uint32_t left = pc.port(hba::kSact);
  EXPECT_NE(left & 1u << 5, 0u);
  run_until(core::now_ps() + 500 * kMs);
  EXPECT_EQ(pc.port(hba::kSact), left) << "the others are not answered";
  pc.restart();
  EXPECT_EQ(pc.port(hba::kSact), 0u);

  EXPECT_FALSE(pc.run(queued_frame(false, 0, 1, 0), 512)) << "the device waits for the log to be read";
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  const auto log = pc.bytes_of(0, 512);
  EXPECT_EQ(log[0], 5) << "the tag of a queued command";
  EXPECT_EQ(log[2] & 1, 1);
  EXPECT_EQ(log[3], 0x10);
  EXPECT_EQ(log[4] | log[5] << 8 | log[6] << 16, static_cast<int>(kToyBlocks - 4));
  EXPECT_EQ(log[14], 5) << "illegal request";
  EXPECT_EQ(log[15], 0x21);
  EXPECT_EQ(sum(log), 0u);
  EXPECT_TRUE(pc.run(queued_frame(false, 0, 1, 0), 512));
}

TEST(Ahci, ACommandThatIsNotQueuedAmongQueuedOnesStopsTheQueue) {
  StartedComputer pc(disk_profile());
  pc.prepare(3, queued_frame(false, 5000, 8, 3), 4096, false);
  pc.issue(1u << 3, true);
  pc.prepare(4, command_frame(kIdentify, 0, 0), 512, false);
  pc.issue(1u << 4, false);
  ASSERT_TRUE(pc.idle());
  EXPECT_EQ(pc.port(hba::kTfd), 0x0451u);
  EXPECT_EQ(pc.port(hba::kSact), 1u << 3);
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x10, 1), 512));
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kData), 0x80) << "NQ";
}

TEST(Ahci, ATagThatTheDriveDoesNotHaveStopsTheQueue) {
  auto profile = disk_profile();
  profile.queue_depth = 8;
  Computer shallow("shallow", profile);
  shallow.start();
  ASSERT_TRUE(shallow.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(shallow.word(75), 7);
  shallow.prepare(8, queued_frame(false, 0, 8, 8), 4096, false);
  shallow.issue(1u << 8, true);
  ASSERT_TRUE(shallow.idle());
  EXPECT_EQ(shallow.port(hba::kTfd), 0x0451u) << "tag 8 of 8";
}

TEST(Ahci, BadMemoryAndBadFramesStopThePort) {
  StartedComputer pc(disk_profile());
  const auto before = on_media(*pc.drives[0], 0, 64);
  // The second region is outside the memory.
  EXPECT_FALSE(pc.run(queued_frame(true, 0, 8, 0), 4096, true, {{kData, 2048}, {1ull << 40, 2048}}));
  EXPECT_EQ(pc.port(hba::kPxIs) & hba::kHbfs, hba::kHbfs);
  pc.reset_link();
  // Fewer bytes than the command writes.
  EXPECT_FALSE(pc.run(command_frame(0x35, 0, 8), 4096, true, {{kData, 2048}}));
  EXPECT_EQ(pc.port(hba::kPxIs) & (hba::kOfs | hba::kTfes), hba::kOfs | hba::kTfes);
  pc.restart();
  // More bytes than there is room for: what fits arrives.
  pc.memory.put(kData + 2048, std::uint64_t{0xA5A5'A5A5'A5A5'A5A5});
  EXPECT_TRUE(pc.run(command_frame(0x25, 0, 8), 4096, false, {{kData, 2048}}));
  EXPECT_EQ(pc.port(hba::kPxIs) & hba::kOfs, hba::kOfs);
  EXPECT_EQ(pc.memory.get<std::uint64_t>(kData + 2048), 0xA5A5'A5A5'A5A5'A5A5u);
  EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), 2048u);
  // No register FIS, and one that is too short.
  Frame frame = command_frame(0x25, 0, 8);
  frame[0] = 0x46;
  EXPECT_FALSE(pc.run(frame, 4096));
  EXPECT_EQ(pc.port(hba::kPxIs) & hba::kIfs, hba::kIfs);
  EXPECT_NE(pc.port(hba::kSerr), 0u);
  pc.restart();
  pc.prepare(0, command_frame(0x25, 0, 8), 4096, false);
  pc.memory.put(kList, std::uint32_t{3 | 1 << 16});
  pc.issue(1, false);
  ASSERT_TRUE(pc.idle());
  EXPECT_EQ(pc.port(hba::kPxIs) & hba::kIfs, hba::kIfs);
  pc.restart();
  // The command list is nowhere.
  pc.stop();
  pc.set_port(hba::kClbu, 0x100);
  pc.set_port(hba::kCmd, hba::kFre | hba::kSt);
  pc.issue(1, false);
  ASSERT_TRUE(pc.idle());
  EXPECT_EQ(pc.port(hba::kPxIs) & hba::kHbfs, hba::kHbfs);
  pc.stop();
  pc.set_port(hba::kClbu, 0);
  pc.restart();
  // A command that there is not.
  EXPECT_FALSE(pc.run(command_frame(0xF1, 0, 0)));
  EXPECT_EQ(pc.port(hba::kTfd), 0x0451u);
  EXPECT_EQ(pc.port(hba::kCi), 1u) << "a command with an error stays";
  EXPECT_EQ(pc.port(hba::kPxIs), hba::kTfes);
  pc.restart();
  EXPECT_EQ(on_media(*pc.drives[0], 0, 64), before) << "nothing has been written";
  EXPECT_TRUE(pc.run(queued_frame(false, 0, 8, 0), 4096));
}

class AhciResets : public ::testing::TestWithParam<bool> {};

TEST_P(AhciResets, WithdrawWhatWaitsAndTheDriveGoesOn) {
  {
    const bool hard = GetParam();
    Computer pc("pc", toy_profile());
    pc.start();
    for (std::uint32_t slot = 0; slot < 32; ++slot) {
      pc.prepare(slot, queued_frame(true, slot * 500, 16, slot), 8192, true);
      std::fill_n(pc.memory.bytes.begin() + static_cast<std::ptrdiff_t>(pc.data(slot)), 8192,
                  static_cast<std::uint8_t>(slot + 1));
    }
    pc.issue(~0u, true);
    run_until(core::now_ps() + 20 * kMs);
    const std::uint32_t open = pc.port(hba::kSact);
    EXPECT_GT(open, 0u);
    EXPECT_EQ(pc.drives[0]->queue().occupancy(), static_cast<std::uint32_t>(std::bitset<32>(open).count()));
    pc.stop();
    pc.set_port(hba::kPxIe, 0);
    if (hard) {
      pc.set_port(hba::kSctl, 0x301);
      EXPECT_EQ(pc.port(hba::kSsts), 0u);
      pc.set_port(hba::kSctl, 0x300);
      EXPECT_EQ(pc.port(hba::kSsts), 0x133u);
      EXPECT_EQ(pc.port(hba::kSerr) & hba::kSerrExchanged, hba::kSerrExchanged);
      Computer::settle();
    } else {
      pc.restart();
      for (const std::uint8_t control : std::vector<std::uint8_t>{0x04, 0x00}) {
        Frame frame{};
        frame[0] = 0x27;
        frame[15] = control;
        pc.prepare(0, frame, 0, false, {}, control != 0 ? 1u << 10 | 1u << 8 : 0);
        pc.issue(1, false);
        Computer::settle();
        EXPECT_EQ(pc.port(hba::kCi), 0u);
      }
    }
    EXPECT_EQ(pc.port(hba::kSig), 0x101u);
    EXPECT_EQ(pc.port(hba::kTfd), 0x0150u);
    pc.restart();
    // The next command waits for the access under way, and nothing else does.
    const Picoseconds before = core::now_ps();
    ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
    EXPECT_LT(core::now_ps() - before, 30 * kMs);
    EXPECT_EQ(pc.drives[0]->queue().occupancy(), 0u);
    std::size_t written = 0;
    for (std::uint32_t slot = 0; slot < 32; ++slot) {
      const auto bytes = on_media(*pc.drives[0], slot * 500, 16);
      const bool there = bytes == std::vector<std::uint8_t>(8192, static_cast<std::uint8_t>(slot + 1));
      EXPECT_TRUE(there || bytes == std::vector<std::uint8_t>(8192)) << "slot " << slot << " is torn";
      written += there ? 1 : 0;
    }
    EXPECT_EQ(written, 32 - std::bitset<32>(open).count() + 1) << "those answered, and the one in its access";
    for (std::uint32_t slot = 0; slot < 32; ++slot) pc.prepare(slot, queued_frame(false, slot * 500, 16, slot), 8192, false);
    pc.set_port(hba::kPxIs, ~0u);
    pc.issue(~0u, true);
    ASSERT_TRUE(pc.idle());
    EXPECT_EQ(pc.port(hba::kPxIs), hba::kSdbs);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AhciResets, ::testing::Bool(), [](const auto& test) { return test.param ? "COMRESET" : "soft"; });

TEST(Ahci, FeaturesAndPowerReachTheDrive) {
  auto profile = disk_profile();
  profile.spin_up_s = 2;
  StartedComputer pc(profile);
  const auto cached = [&pc] { return pc.drives[0]->cache_statistics().cached_writes; };
  ASSERT_TRUE(pc.run(queued_frame(true, 100, 8, 0), 4096, true));
  EXPECT_EQ(cached(), 1u);
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x82)));
  EXPECT_FALSE(pc.drives[0]->segments()->any_dirty()) << "the cached writes go first";
  ASSERT_TRUE(pc.run(queued_frame(true, 200, 8, 0), 4096, true));
  EXPECT_EQ(cached(), 1u);
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.word(85) & 0x20, 0);
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x02)));
  ASSERT_TRUE(pc.run(queued_frame(true, 300, 8, 0), 4096, true));
  EXPECT_EQ(cached(), 2u);
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x55)));
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.word(85) & 0x40, 0);
  EXPECT_FALSE(pc.run(command_frame(0xEF, 0, 0, 0x77)));
  pc.restart();

  const auto mode = [&pc] {
    EXPECT_TRUE(pc.run(command_frame(0xE5, 0, 0)));
    return pc.memory.get<std::uint8_t>(kReceived + 0x40 + 12);
  };
  EXPECT_EQ(mode(), 0xFF);
  ASSERT_TRUE(pc.run(command_frame(0xE1, 0, 0)));
  EXPECT_EQ(mode(), 0x80);
  ASSERT_TRUE(pc.run(command_frame(0xE0, 0, 0)));
  EXPECT_EQ(mode(), 0x00);
  EXPECT_FALSE(pc.drives[0]->segments()->any_dirty());
  ASSERT_TRUE(pc.run(queued_frame(false, 300, 8, 0), 4096)) << "the buffer has it";
  EXPECT_EQ(mode(), 0x00);
  const Picoseconds before = core::now_ps();
  ASSERT_TRUE(pc.run(queued_frame(false, 9000, 8, 0), 4096));
  EXPECT_GE(core::now_ps() - before, 2'000 * kMs) << "the spindle starts";
  EXPECT_LT(core::now_ps() - before, 2'030 * kMs);
  EXPECT_EQ(mode(), 0xFF);
}

TEST(Ahci, IdleStartsTheSpindleAndSleepEndsWithAReset) {
  auto profile = disk_profile();
  profile.spin_up_s = 2;
  StartedComputer pc(profile);
  const auto mode = [&pc] {
    EXPECT_TRUE(pc.run(command_frame(0xE5, 0, 0)));
    return pc.memory.get<std::uint8_t>(kReceived + 0x40 + 12);
  };
  ASSERT_TRUE(pc.run(command_frame(0xE0, 0, 0)));
  EXPECT_EQ(mode(), 0x00);
  ASSERT_TRUE(pc.run(command_frame(0xE1, 0, 0)));
  run_until(core::now_ps() + 2'500 * kMs);
  EXPECT_EQ(mode(), 0x80);
  const Picoseconds before = core::now_ps();
  ASSERT_TRUE(pc.run(queued_frame(false, 9000, 8, 0), 4096));
  EXPECT_LT(core::now_ps() - before, 30 * kMs) << "it turns already";

  ASSERT_TRUE(pc.run(command_frame(0xE6, 0, 0)));
  pc.prepare(0, command_frame(kIdentify, 0, 0), 512, false);
  pc.issue(1, false);
  run_until(core::now_ps() + 5'000 * kMs);
  EXPECT_EQ(pc.port(hba::kCi), 1u) << "asleep";
  EXPECT_EQ(pc.port(hba::kTfd) & 0x80, 0x80u);
  pc.reset_link();
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(mode(), 0x00);
}

TEST(Ahci, ABlockOfSeveralSectorsFitsIntoADataFrame) {
  profile::DriveProfile profile = disk_profile();
  profile.geometry.sector_bytes = 4096;
  StartedComputer pc(profile);
  ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
  EXPECT_EQ(pc.word(47), 0x8002) << "8 KiB";
  EXPECT_EQ(pc.word(59), 0x0102);
  ASSERT_TRUE(pc.run(command_frame(0x29, 40, 16), 65'536));
  EXPECT_EQ(pc.memory.get<std::uint16_t>(kReceived + 0x20 + 16), 8192u) << "transfer count of the PIO setup";
  EXPECT_TRUE(pc.run(command_frame(0xC6, 0, 1)));
  EXPECT_FALSE(pc.run(command_frame(0xC6, 0, 4)));
}

TEST(Ahci, ALossOfPowerLeavesTheDeviceAsAtPowerUp) {
  StartedComputer pc(disk_profile());
  const auto wakes = [&pc](bool by_reset) {
    pc.drives[0]->cut_power();
    pc.drives[0]->restore_power();
    run_until(core::now_ps() + 60'000 * kMs);
    if (by_reset) pc.reset_link();
    ASSERT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
    EXPECT_EQ(pc.word(85) & 0x20, 0x20) << "write cache";
    EXPECT_EQ(pc.word(85) & 1, 0) << "SMART stays off";
    EXPECT_EQ(pc.word(59), 0x0110) << "multiple";
    EXPECT_EQ(pc.word(120) & 0x40, 0) << "sense data reporting";
    const std::uint64_t cached = pc.drives[0]->cache_statistics().cached_writes;
    ASSERT_TRUE(pc.run(queued_frame(true, 9'000, 8, 0), 4096, true));
    EXPECT_EQ(pc.drives[0]->cache_statistics().cached_writes, cached + 1);
  };
  ASSERT_TRUE(pc.run(command_frame(0xB0, 0xC2'4F00, 0, 0xD9)));
  for (const bool by_reset : {false, true}) {
    ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x82)));
    ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 1, 0xC3)));
    ASSERT_TRUE(pc.run(command_frame(0xC6, 0, 4)));
    ASSERT_TRUE(pc.run(command_frame(0xE6, 0, 0)));
    wakes(by_reset);
  }
  EXPECT_FALSE(pc.run(queued_frame(false, ~0u, 8, 0), 4096)) << "past the end: the queue stops";
  pc.restart();
  EXPECT_FALSE(pc.run(command_frame(kFlushExt, 0, 0)));
  pc.restart();
  wakes(false);
}

TEST(Ahci, SettingsSurviveAComresetUnlessToldOtherwise) {
  StartedComputer pc(disk_profile());
  const auto cache_on = [&pc] {
    EXPECT_TRUE(pc.run(command_frame(kIdentify, 0, 0), 512));
    EXPECT_EQ(pc.word(78) & 0x40, 0x40);
    return (pc.word(85) & 0x20) != 0;
  };
  const auto cached = [&pc] { return pc.drives[0]->cache_statistics().cached_writes; };
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x82)));
  pc.reset_link();
  EXPECT_FALSE(cache_on());
  EXPECT_EQ(pc.word(79) & 0x40, 0x40);
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 6, 0x90)));
  EXPECT_FALSE(cache_on());
  EXPECT_EQ(pc.word(79) & 0x40, 0);
  ASSERT_TRUE(pc.run(queued_frame(true, 100, 8, 0), 4096, true));
  EXPECT_EQ(cached(), 0u);
  pc.reset_link();
  EXPECT_TRUE(cache_on());
  ASSERT_TRUE(pc.run(queued_frame(true, 200, 8, 0), 4096, true));
  EXPECT_EQ(cached(), 1u) << "the drive has heard of it";
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 6, 0x10)));
  ASSERT_TRUE(pc.run(command_frame(0xEF, 0, 0, 0x82)));
  pc.reset_link();
  EXPECT_FALSE(cache_on());
  EXPECT_FALSE(pc.run(command_frame(0xEF, 0, 2, 0x10))) << "no other feature";
}

TEST(Ahci, ACommandForgottenDuringATransferStaysForgotten) {
  StartedComputer pc(disk_profile(), 1, "SPTF", 1 * kMs);
  for (const bool whole : {false, true}) {
    std::vector<Region> regions;
    for (std::uint32_t i = 0; i < 16; ++i) regions.push_back({kData + std::uint64_t{256} * i, 256});
    std::fill_n(pc.memory.bytes.begin() + kData, 4096, std::uint8_t{0x5A});
    pc.prepare(0, command_frame(0x25, 0, 8), 0, false, regions);
    pc.issue(1, false);
    for (int i = 0; i < 1000 && pc.memory.bytes[kData] != 0; ++i) run_until(core::now_ps() + kMs / 10);
    ASSERT_EQ(pc.memory.bytes[kData], 0) << "the data come";
    EXPECT_EQ(pc.port(hba::kCi), 1u);
    whole ? pc.write(hba::kGhc, hba::kGhcReset) : pc.stop();
    EXPECT_EQ(pc.port(hba::kCi), 0u);
    EXPECT_EQ(pc.port(hba::kCmd) & hba::kCr, hba::kCr) << "until the transfer under way has ended";
    run_until(core::now_ps() + 50 * kMs);
    EXPECT_EQ(pc.port(hba::kCmd) & hba::kCr, 0u);
    EXPECT_EQ(pc.port(hba::kPxIs) & hba::kDhrs, 0u);
    EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), 0xFFFF'FFFFu) << "PRDBC";
    EXPECT_EQ(pc.memory.bytes[kData + 1024], 0x5A) << "no more data";
    whole ? pc.start() : pc.restart();
    ASSERT_TRUE(pc.run(queued_frame(false, 0, 8, 0), 4096));
    EXPECT_EQ(pc.memory.bytes[kData + 1024], 0);
  }
}

TEST(Ahci, QueuedDataAreAnnounced) {
  StartedComputer pc(disk_profile());
  for (const bool write : {false, true}) {
    ASSERT_TRUE(pc.run(queued_frame(write, 64, 8, 0), 4096, write));
    EXPECT_EQ(pc.memory.get<std::uint16_t>(kReceived), write ? 0x0041 : 0x2041) << "DMA setup";
    EXPECT_EQ(pc.memory.get<std::uint32_t>(kReceived + 20), 4096u);
    pc.memory.put(kReceived, std::uint64_t{0});
  }
}

TEST(Ahci, WithoutALinkNothingIsFetched) {
  StartedComputer pc(disk_profile());
  pc.set_port(hba::kSctl, 4);
  pc.prepare(0, command_frame(kIdentify, 0, 0), 512, false);
  pc.issue(1, false);
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_EQ(pc.port(hba::kCi), 1u);
  EXPECT_EQ(pc.memory.get<std::uint32_t>(kList + 4), 0xFFFF'FFFFu);
}

TEST(Ahci, PriorityBecomesClassAndDeadline) {
  StartedComputer pc(disk_profile());
  const auto counter = [&pc](RequestClass cls) { return pc.drives[0]->host_port().counters(cls).reads; };
  const auto read = [&pc](std::uint32_t priority, std::uint8_t icc, std::uint64_t lba) {
    Frame frame = queued_frame(false, lba, 8, 0);
    frame[13] = static_cast<std::uint8_t>(priority << 6);
    frame[14] = icc;
    return pc.run(frame, 4096);
  };
  ASSERT_TRUE(read(0, 0, 1000));
  EXPECT_EQ(counter(RequestClass::Discrete), 1u);
  ASSERT_TRUE(read(2, 0, 2000));
  EXPECT_EQ(counter(RequestClass::Discrete), 2u);
  ASSERT_TRUE(read(1, 0, 3000));
  EXPECT_EQ(counter(RequestClass::Continuous), 1u);
  EXPECT_EQ(pc.drives[0]->host_port().counters(RequestClass::Continuous).late +
                pc.drives[0]->host_port().counters(RequestClass::Discrete).late,
            0u);
}

TEST(Ahci, LogsAndSmartHoldWhatTheDriveHasCounted) {
  StartedComputer pc(disk_profile());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pc.run(queued_frame(false, 1000, 8, 0), 4096));
  ASSERT_TRUE(pc.run(command_frame(0x35, 64, 24), 24 * 512, true));
  ASSERT_TRUE(pc.run(command_frame(kFlushExt, 0, 0)));
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x00, 1), 512));
  for (const std::uint32_t log : {0x10u, 0x12u, 0x13u, 0x30u, 0x04u}) EXPECT_GT(pc.word(log), 0) << log;
  for (const std::uint8_t command : {kReadLogExt, std::uint8_t{0x47}})
    for (const std::uint64_t page : {0u, 2u, 3u, 4u, 8u}) {
      ASSERT_TRUE(pc.run(command_frame(command, 0x30 | page << 8, 1), 512));
      EXPECT_EQ(pc.memory.get<std::uint8_t>(kData + 2), page);
    }
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x30 | 2 << 8, 1), 512));
  EXPECT_EQ(pc.memory.get<std::uint64_t>(kData + 8), kToyBlocks | std::uint64_t{1} << 63);
  ASSERT_TRUE(pc.run(command_frame(kReadLogExt, 0x04 | 1 << 8, 1), 512));
  const auto statistic = [&pc](std::uint32_t at) { return pc.memory.get<std::uint64_t>(kData + at) & 0xFFFF'FFFF'FFFF; };
  EXPECT_EQ(statistic(24), 24u) << "sectors written";
  EXPECT_EQ(statistic(32), 1u);
  EXPECT_EQ(statistic(40), 40u) << "sectors read";
  EXPECT_EQ(statistic(48), 5u);
  EXPECT_FALSE(pc.run(command_frame(kReadLogExt, 0x55, 1), 512)) << "no such log";
  pc.restart();
  EXPECT_FALSE(pc.run(command_frame(kReadLogExt, 0x10, 2), 1024)) << "one page only";
  pc.restart();
  ASSERT_TRUE(pc.run(command_frame(0xB0, 0xC2'4F00, 0, 0xD0), 512));
  EXPECT_EQ(sum(pc.bytes_of(0, 512)), 0u);
  ASSERT_TRUE(pc.run(command_frame(0xB0, 0xC2'4F00, 0, 0xDA)));
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x40 + 5), 0x4F) << "no threshold is passed";
  EXPECT_EQ(pc.memory.get<std::uint8_t>(kReceived + 0x40 + 6), 0xC2);
  EXPECT_FALSE(pc.run(command_frame(0xB0, 0, 0, 0xD0), 512)) << "without the key";
}

TEST(Ahci, RegistersTakeEveryWidthAndRefuseOthers) {
  Computer pc("pc", disk_profile());
  std::uint64_t wide = 0x1234'5678'9ABC'DEF0;
  EXPECT_EQ(pc.access(tlm::TLM_WRITE_COMMAND, Computer::at(hba::kClb), &wide, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(pc.port(hba::kClb), 0x9ABC'DC00u) << "the lower ten bits are 0";
  EXPECT_EQ(pc.port(hba::kClbu), 0x1234'5678u);
  std::uint8_t byte = 0x55;
  EXPECT_EQ(pc.access(tlm::TLM_WRITE_COMMAND, Computer::at(hba::kFb) + 2, &byte, 1), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(pc.port(hba::kFb), 0x0055'0000u);
  std::uint16_t half = 0;
  EXPECT_EQ(pc.access(tlm::TLM_READ_COMMAND, Computer::at(hba::kFb) + 2, &half, 2), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(half, 0x55);
  EXPECT_EQ(pc.access(tlm::TLM_READ_COMMAND, Computer::at(hba::kFb) + 1, &half, 2), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(pc.access(tlm::TLM_READ_COMMAND, 0, &wide, 3), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(pc.access(tlm::TLM_READ_COMMAND, 0x1000, &wide, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(pc.access(tlm::TLM_READ_COMMAND, 0xFFC, &wide, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(pc.access(tlm::TLM_IGNORE_COMMAND, 0, &wide, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(pc.read(0xFFC), 0u);
}

TEST(Ahci, AResetOfTheAdapterKeepsItsAddressesOnly) {
  StartedComputer pc(disk_profile());
  pc.prepare(0, queued_frame(false, 8000, 8, 0), 4096, false);
  pc.issue(1, true);
  Computer::settle();
  pc.write(hba::kGhc, hba::kGhcReset);
  EXPECT_EQ(pc.read(hba::kGhc), 0x8000'0000u);
  EXPECT_EQ(pc.port(hba::kClb), kList);
  EXPECT_EQ(pc.port(hba::kCi), 0u);
  EXPECT_EQ(pc.port(hba::kPxIe), 0u);
  Computer::settle();
  EXPECT_EQ(pc.port(hba::kTfd), 0x0150u);
  pc.start();
  EXPECT_EQ(pc.port(hba::kSig), 0x101u);
  EXPECT_TRUE(pc.run(queued_frame(false, 8000, 8, 0), 4096));
}

TEST(Ahci, TheInterruptIsALevelOfAllPorts) {
  Computer pc("pc", disk_profile(), 2);
  pc.start(0);
  pc.set_port(hba::kPxIs, ~0u);
  Computer::settle();
  EXPECT_FALSE(pc.interrupt.read());
  ASSERT_TRUE(pc.run(command_frame(kFlushExt, 0, 0)));
  EXPECT_TRUE(pc.interrupt.read());
  EXPECT_EQ(pc.read(hba::kIs), 1u);
  pc.write(hba::kIs, 1);
  EXPECT_EQ(pc.read(hba::kIs), 1u) << "PxIS still has its cause";
  pc.set_port(hba::kPxIs, ~0u);
  EXPECT_EQ(pc.read(hba::kIs), 1u) << "latched";
  pc.write(hba::kIs, 1);
  EXPECT_EQ(pc.read(hba::kIs), 0u);
  Computer::settle();
  EXPECT_FALSE(pc.interrupt.read());
  pc.write(hba::kGhc, 0);
  ASSERT_TRUE(pc.run(command_frame(kFlushExt, 0, 0)));
  EXPECT_EQ(pc.read(hba::kIs), 1u);
  EXPECT_FALSE(pc.interrupt.read()) << "GHC.IE is off";
}

}  // namespace
}  // namespace platter::testing
