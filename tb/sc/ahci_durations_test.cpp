// SPDX-License-Identifier: Apache-2.0
//
// Duration limits and priorities by ATA, as Linux and cdladm use them: logs 18h, 0Fh, 30h and 04h, SET FEATURES, the index in queued commands,
// sense data, and deadline handling (ACS-6; Serial ATA 3.x, 13.6).
#include <array>
#include <vector>

#include "ahci_rig.h"

namespace platter::testing {
namespace {

constexpr std::uint8_t kReadLogDmaExt = 0x47;
constexpr std::uint8_t kWriteLogDmaExt = 0x57;
constexpr std::uint8_t kSetFeatures = 0xEF;
constexpr std::uint32_t kLongSectors = 128;  // a read of three tracks takes 20 ms

profile::DriveProfile limited_profile(bool supported = true) {
  profile::DriveProfile p = toy_profile();
  p.limits.supported = supported;
  profile::DurationProfile first;
  first.guideline_ms = 50;
  p.limits.reads = {first};
  return p;
}

Frame with_auxiliary(Frame frame, std::uint32_t auxiliary) {
  std::memcpy(&frame[16], &auxiliary, 4);
  return frame;
}
Frame log_frame(std::uint8_t log, std::uint8_t page, std::uint32_t pages) {
  return command_frame(kReadLogDmaExt, std::uint64_t{page} << 8 | log, pages);
}

class AhciDurations : public ::testing::Test {
 protected:
  explicit AhciDurations(bool supported = true) : pc("pc", limited_profile(supported)) {
    Computer::settle();
    pc.start();
  }
  /// A page of a log is in the data of slot 0.
  bool log(std::uint8_t log, std::uint8_t page = 0, std::uint32_t pages = 1) {
    return pc.run(log_frame(log, page, pages), 512 * pages);
  }
  std::uint64_t qword(std::uint64_t at) const { return pc.memory.get<std::uint64_t>(kData + at); }
  std::uint32_t dword(std::uint64_t at) const { return pc.memory.get<std::uint32_t>(kData + at); }
  bool feature(std::uint8_t subcommand, std::uint16_t count) {
    return pc.run(command_frame(kSetFeatures, 0, count, subcommand));
  }
  /// As Linux sets it up.
  void enable() {
    ASSERT_TRUE(feature(0x0D, 1));
    ASSERT_TRUE(feature(0xC4, 1));
  }
  bool write_descriptor(std::uint8_t number, std::uint32_t policies, std::uint32_t active, std::uint32_t inactive,
                        std::uint32_t guideline) {
    EXPECT_TRUE(log(0x18));
    const std::uint64_t at = kData + 64 + 32 * (number - 1u);
    pc.memory.put(at, policies);
    pc.memory.put(at + 4, active);
    pc.memory.put(at + 8, inactive);
    pc.memory.put(at + 16, guideline);
    return pc.run(command_frame(kWriteLogDmaExt, 0x18, 1), 512, true);
  }
  /// A long queued read, and one behind it with this index.
  void queue_two(std::uint32_t index) {
    pc.set_port(hba::kPxIs, ~0u);
    pc.prepare(0, queued_frame(false, 0, kLongSectors, 0), kLongSectors * 512, false);
    pc.prepare(1, with_auxiliary(queued_frame(false, 9'000, 8, 1), index), 4096, false);
    issue_after_first(2);
  }
  /// The access of slot 0 begins before the others are issued.
  void issue_after_first(std::uint32_t others) {
    pc.issue(1, true);
    run_until(core::now_ps() + 1 * kMs);
    pc.issue(others, true);
    EXPECT_TRUE(pc.idle());
  }
  bool failed() { return (pc.port(hba::kPxIs) & hba::kTfes) != 0; }

  Computer pc;
};
class AhciWithoutDurations : public AhciDurations {
 protected:
  AhciWithoutDurations() : AhciDurations(false) {}
};

constexpr std::uint64_t bit(unsigned place) { return std::uint64_t{1} << place; }

TEST_F(AhciDurations, CapabilitiesAndSettings) {
  ASSERT_TRUE(log(0x30, 3));
  EXPECT_NE(qword(8) & bit(47), 0u) << "sense data of commands that end well";
  EXPECT_EQ(qword(168), bit(63) | 3u) << "limits and guidelines";
  EXPECT_EQ(qword(176), bit(63) | 1u);
  EXPECT_EQ(qword(184), bit(63) | 0xFFFF'FFFFu);
  ASSERT_TRUE(log(0x30, 4));
  EXPECT_EQ(qword(8) & (bit(18) | bit(21)), 0u);
  enable();
  ASSERT_TRUE(log(0x30, 4));
  EXPECT_EQ(qword(8) & (bit(18) | bit(21)), bit(18) | bit(21));
  ASSERT_TRUE(feature(0x0D, 0));
  ASSERT_TRUE(log(0x30, 4));
  EXPECT_EQ(qword(8) & bit(21), 0u);
  EXPECT_FALSE(feature(0x0D, 2));
  pc.restart();
  ASSERT_TRUE(log(0x30, 8));
  EXPECT_NE(qword(8) & bit(11), 0u) << "priorities";
  ASSERT_TRUE(log(0));
  EXPECT_EQ(pc.word(0x18), 1u);
  EXPECT_EQ(pc.word(0x0F), 2u);
}

TEST_F(AhciDurations, Log18hHasTheDescriptors) {
  ASSERT_TRUE(log(0x18));
  EXPECT_EQ(dword(0) & 0xF, 0xCu) << "20 %";
  EXPECT_EQ(dword(64), 0u);
  EXPECT_EQ(dword(64 + 16), 50'000u);
  ASSERT_TRUE(write_descriptor(2, 0xF00, 0, 15'000, 0));
  ASSERT_TRUE(log(0x18));
  EXPECT_EQ(dword(64 + 32), 0xF00u);
  EXPECT_EQ(dword(64 + 32 + 8), 15'000u);
  EXPECT_EQ(dword(64 + 16), 50'000u) << "the other one stays";
  EXPECT_FALSE(write_descriptor(2, 0xE00, 0, 15'000, 0)) << "abort-recovery is for the active limit";
  pc.restart();
  EXPECT_FALSE(write_descriptor(2, 0x0E0, 15'000, 0, 0)) << "and of SCSI only";
  pc.restart();
  ASSERT_TRUE(log(0x18));
  EXPECT_EQ(dword(64 + 32), 0xF00u);
}

TEST_F(AhciDurations, AQueuedCommandIsAborted) {
  enable();
  ASSERT_TRUE(write_descriptor(2, 0xF00, 0, 5'000, 0));
  queue_two(2);
  EXPECT_TRUE(failed());
  EXPECT_NE(pc.port(hba::kTfd) & 2, 0u) << "sense data available";
  pc.restart();
  ASSERT_TRUE(log(0x10));
  EXPECT_EQ(dword(0) & 0x9F, 1u) << "the tag";
  EXPECT_EQ(dword(12) >> 16 | (dword(16) & 0xFF) << 16, 0x01'2E'0Bu);
  queue_two(0);
  EXPECT_FALSE(failed());
}

TEST_F(AhciDurations, DataMayBeUnavailable) {
  enable();
  ASSERT_TRUE(write_descriptor(3, 0xD00, 0, 5'000, 0));
  queue_two(3);
  EXPECT_FALSE(failed());
  const auto status = pc.memory.get<std::uint8_t>(kReceived + 0x58 + 2);
  ASSERT_TRUE(log(0x0F, 0, 2));
  EXPECT_EQ(qword(0), std::uint64_t{0x0F} << 16 | 1);
  EXPECT_EQ(dword(8), 2u) << "tag 1";
  EXPECT_EQ(dword(32 + 24) & 0xFF'FFFF, 0x0A'55'0Fu);
  ASSERT_TRUE(log(0x0F, 0, 2));
  EXPECT_EQ(dword(8), 0u) << "it was read";
  EXPECT_EQ(status & 0x50, 0x50);
}

TEST_F(AhciDurations, TheIndexCountsOnlyWhileLimitsAreOn) {
  ASSERT_TRUE(write_descriptor(2, 0xF00, 0, 5'000, 0));
  queue_two(2);
  EXPECT_FALSE(failed());
  ASSERT_TRUE(log(0x04, 9));
  EXPECT_EQ(qword(8 + 16), bit(63) | bit(62));
  enable();
  queue_two(2);
  EXPECT_TRUE(failed());
  pc.restart();
  ASSERT_TRUE(log(0x10));
  ASSERT_TRUE(log(0x04, 9));
  EXPECT_EQ(qword(8 + 16), bit(63) | bit(62) | 1u) << "misses of descriptor 2";
}

TEST_F(AhciDurations, AReadByDmaHasTheIndexInItsFeatures) {
  enable();
  ASSERT_TRUE(write_descriptor(2, 0x0D0, 1'000, 0, 0));  // complete-unavailable, active
  EXPECT_TRUE(pc.run(command_frame(0x25, 0, kLongSectors, 0), kLongSectors * 512));
  ASSERT_TRUE(log(0x04, 9));
  EXPECT_EQ(qword(8 + 16), bit(63) | bit(62));
  EXPECT_TRUE(pc.run(command_frame(0x25, 0, kLongSectors, 2), kLongSectors * 512));
  ASSERT_TRUE(log(0x04, 9));
  EXPECT_EQ(qword(8 + 16), bit(63) | bit(62) | 1u);
}

TEST_F(AhciDurations, DeadlineHandlingEndsTheQueue) {
  const auto late = [&] {
    pc.set_port(hba::kPxIs, ~0u);
    pc.prepare(0, queued_frame(false, 0, kLongSectors, 0), kLongSectors * 512, false);
    Frame isochronous = queued_frame(false, 9'000, 8, 1);
    isochronous[13] = 0x40;  // PRIO 1
    isochronous[14] = 0;     // ICC: 10 ms
    pc.prepare(1, isochronous, 4096, false);
    pc.prepare(2, queued_frame(false, 100, kLongSectors, 2), kLongSectors * 512, false);
    pc.prepare(3, queued_frame(false, 300, kLongSectors, 3), kLongSectors * 512, false);
    issue_after_first(0xE);
  };
  pc.run(command_frame(0xEC, 0, 0), 512);
  EXPECT_NE(pc.word(77) & 1u << 5, 0u) << "NCQ NON-DATA";
  ASSERT_TRUE(log(0x12));
  EXPECT_EQ(dword(4), 7u);
  late();
  EXPECT_FALSE(failed()) << "a late command goes on";
  EXPECT_TRUE(pc.run(command_frame(0x63, 0, 0, 1u | 1u << 5))) << "RDNC";
  late();
  EXPECT_TRUE(failed()) << "it ends, and with it the queue";
  EXPECT_NE(pc.port(hba::kSact), 0u);
  pc.restart();
  ASSERT_TRUE(log(0x10));
  EXPECT_EQ(dword(0) & 0x9F, 1u);
  EXPECT_EQ(dword(12) >> 16 | (dword(16) & 0xFF) << 16, 0x01'2E'0Bu);
}

TEST_F(AhciWithoutDurations, NothingIsThere) {
  ASSERT_TRUE(log(0x30, 3));
  EXPECT_EQ(qword(168), 0u);
  EXPECT_EQ(qword(8) & bit(47), 0u);
  ASSERT_TRUE(log(0));
  EXPECT_EQ(pc.word(0x18), 0u);
  EXPECT_FALSE(log(0x18));
  pc.restart();
  EXPECT_FALSE(feature(0x0D, 1));
}

}  // namespace
}  // namespace platter::testing
