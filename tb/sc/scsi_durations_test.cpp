// SPDX-License-Identifier: Apache-2.0
//
// Duration limits by SCSI: the T2A and T2B mode pages, the index in READ (16) and WRITE (16), sense data, and the log page (SPC-6, SBC-4).
#include "scsi_rig.h"

namespace platter::testing {
namespace {

using command::Sense;
using core::big_endian::get;
using core::big_endian::put;
using scsi::Status;
namespace sense = scsi::sense;

constexpr std::size_t kPage = 8;  // behind the header of MODE SENSE (10)
constexpr std::size_t kPageBytes = 232;
constexpr std::size_t descriptor(std::size_t number) { return kPage + 8 + 32 * (number - 1); }

profile::DriveProfile limited_profile(bool supported = true) {
  profile::DriveProfile p = scsi_profile();
  p.cache = {};
  p.limits.supported = supported;
  profile::DurationProfile first;
  first.guideline_ms = 50;
  first.inactive_ms = 20;
  first.inactive_policy = profile::LimitAction::Abort;
  p.limits.reads = {first};
  return p;
}

class ScsiDurations : public ::testing::Test {
 protected:
  explicit ScsiDurations(bool supported = true) : rig(1, limited_profile(supported)) { port.settle(); }

  Bytes page(std::uint8_t subcode, std::uint8_t control = 0) {
    return port.run({0x5A, 0x08, static_cast<std::uint8_t>(control << 6 | 0x0A), subcode, 0, 0, 0, 2, 0, 0}, {}, 512).data;
  }
  scsi::Task& select(Bytes data) {
    put(data.data(), 0, 2);
    data[3] = 0;
    return port.run({0x55, 0x10, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(data.size()), 0}, data);
  }
  static Bytes access(bool write, std::uint64_t lba, std::uint32_t blocks, unsigned index) {
    Bytes cdb = cdb16(write ? 0x8A : 0x88, lba, blocks, static_cast<std::uint8_t>(index >> 2));
    cdb[14] = static_cast<std::uint8_t>((index & 3) << 6);
    return cdb;
  }
  /// A read that waits behind a long one.
  scsi::Task& wait_with(unsigned index) {
    port.begin(cdb16(0x88, 0, 6 * kToyTrack), {}, 1 << 20);
    run_until(core::now_ps() + 1 * kMs);  // its access has begun
    scsi::Task& task = port.begin(access(false, 5'000, 1, index), {}, 512);
    run_until(core::now_ps() + 300 * kMs);
    return task;
  }

  ScsiRig rig;
  Port port{rig, "iqn.2026-01.test:one,i,0x000000000001"};
};
class ScsiWithoutDurations : public ScsiDurations {
 protected:
  ScsiWithoutDurations() : ScsiDurations(false) {}
};

TEST_F(ScsiDurations, ModeSenseOf6BytesRefusesWhatItsLengthCannotTell) {
  EXPECT_TRUE(port.run({0x1A, 0, 0x3F, 0xFF, 255}, {}, 255).sense == sense::kInvalidField) << "532 bytes";
  EXPECT_EQ(port.run({0x1A, 0, 0x3F, 0x00, 255}, {}, 255).data.size(), 68u) << "without subpages";
  EXPECT_EQ(port.run({0x1A, 0, 0x0A, 0x07, 255}, {}, 255).data[0], 4 + 8 + kPageBytes - 1);
  EXPECT_EQ(get<std::uint16_t>(port.run({0x5A, 0, 0x3F, 0xFF, 0, 0, 0, 2, 255}, {}, 767).data.data()), 534u);
}

TEST_F(ScsiDurations, PagesTellTheDescriptorsOfTheProfile) {
  const Bytes reads = page(0x07);
  ASSERT_EQ(reads.size(), kPage + kPageBytes);
  EXPECT_EQ(reads[kPage], 0x4A);
  EXPECT_EQ(reads[kPage + 1], 0x07);
  EXPECT_EQ(get(&reads[kPage + 2], 2), 0xE4u);
  EXPECT_EQ(reads[kPage + 7] >> 4, 0xC) << "20 %";
  EXPECT_EQ(reads[descriptor(1)], 0x8) << "microseconds";
  EXPECT_EQ(get(&reads[descriptor(1) + 2], 2), 20'000u);
  EXPECT_EQ(get(&reads[descriptor(1) + 4], 2), 0u);
  EXPECT_EQ(reads[descriptor(1) + 6], 0xF0);
  EXPECT_EQ(get(&reads[descriptor(1) + 10], 2), 50'000u);
  EXPECT_EQ(reads[descriptor(1) + 14], 0x0);
  EXPECT_EQ(reads[descriptor(2)], 0);
  const Bytes writes = page(0x08);
  EXPECT_EQ(writes[kPage + 1], 0x08);
  EXPECT_EQ(writes[kPage + 7], 0);
  const Bytes changeable = page(0x07, 1);
  EXPECT_EQ(changeable[kPage + 7], 0xF0);
  EXPECT_EQ(changeable[descriptor(7) + 14], 0x0F);
  EXPECT_EQ(page(0xFF).size(), kPage + 12 + 2 * kPageBytes) << "the control page and both subpages";
  EXPECT_EQ(page(0x00).size(), kPage + 12u);
}

TEST_F(ScsiDurations, SelectChangesThem) {
  Bytes reads = page(0x07);
  reads[descriptor(7)] = 0xA;
  put(&reads[descriptor(7) + 2], 3, 2);  // 30 ms
  reads[descriptor(7) + 6] = 0xD0;
  EXPECT_EQ(select(reads).status, Status::Good);
  EXPECT_EQ(get(&page(0x07)[descriptor(7) + 2], 2), 3u);
  const scsi::Task& task = wait_with(7);
  EXPECT_EQ(task.status, Status::Good) << "it completes, without data";
  EXPECT_EQ(Sense(task.sense), (Sense{0xF, 0x55, 0x0A}));
  EXPECT_TRUE(task.data.empty());
}

TEST_F(ScsiDurations, SelectRefusesWhatTheStandardDoesNotHave) {
  const Bytes good = page(0x07);
  const auto refused_at = [&](std::size_t at, std::uint8_t value) {
    Bytes bad = good;
    bad[at] = value;
    const scsi::Task& task = select(bad);
    EXPECT_EQ(task.status, Status::CheckCondition);
    EXPECT_EQ(Sense(task.sense), sense::kInvalidParameter);
    return task.sense.field ? task.sense.field->byte : std::uint16_t{0};
  };
  EXPECT_EQ(refused_at(descriptor(1), 0x7), descriptor(1)) << "no unit has this code";
  EXPECT_EQ(refused_at(descriptor(1), 0x0), descriptor(1)) << "a limit without a unit";
  EXPECT_EQ(refused_at(descriptor(1) + 6, 0xE0), descriptor(1) + 6) << "abort-recovery is for the active limit";
  EXPECT_EQ(refused_at(descriptor(1) + 6, 0x10), descriptor(1) + 6);
  EXPECT_EQ(refused_at(descriptor(1) + 14, 0x0E), descriptor(1) + 14);
  EXPECT_EQ(refused_at(kPage + 7, 0xD0), kPage + 7);
  EXPECT_EQ(refused_at(descriptor(1) + 20, 1), descriptor(1) + 20) << "a reserved byte";
  EXPECT_EQ(page(0x07), good) << "nothing has changed";
}

TEST_F(ScsiDurations, ACommandIsAbortedAtItsLimit) {
  const scsi::Task& task = wait_with(1);
  EXPECT_EQ(task.status, Status::CheckCondition);
  EXPECT_EQ(Sense(task.sense), (Sense{0xB, 0x2E, 0x01}));
  const scsi::Task& none = wait_with(0);
  EXPECT_EQ(none.status, Status::Good);
  EXPECT_EQ(none.data.size(), 512u);
}

TEST_F(ScsiDurations, TheLogCountsMisses) {
  wait_with(1);
  const Bytes log = port.run({0x4D, 0, 0x40 | 0x19, 0x21, 0, 0, 0, 4, 0, 0}, {}, 1024).data;
  ASSERT_EQ(log.size(), 4u + 14 * 36);
  EXPECT_EQ(log[0], 0x40 | 0x19);
  EXPECT_EQ(log[1], 0x21);
  EXPECT_EQ(get(&log[4], 2), 0x11u);
  EXPECT_EQ(get(&log[8], 4), 1u) << "inactive";
  EXPECT_EQ(get(&log[16], 4), 0u) << "latency";
  EXPECT_EQ(get(&log[4 + 7 * 36], 2), 0x21u);
  const Bytes all = port.run({0x4D, 0, 0x40, 0xFF, 0, 0, 0, 4, 0, 0}, {}, 1024).data;
  bool listed = false;
  for (std::size_t at = 4; at + 1 < all.size(); at += 2) listed = listed || (all[at] == 0x19 && all[at + 1] == 0x21);
  EXPECT_TRUE(listed);
}

TEST_F(ScsiDurations, SupportedOperationCodesTellThePages) {
  const auto report = [&](std::uint8_t code) {
    return port.run({0xA3, 0x0C, 0x01, code, 0, 0, 0, 0, 2, 0, 0, 0}, {}, 512).data;
  };
  const Bytes read = report(0x88);
  EXPECT_EQ(read[0] & 1, 1) << "RWCDLP";
  EXPECT_EQ(read[1] >> 3 & 3, 1) << "T2A";
  EXPECT_EQ(read[4 + 1] & 1, 1);
  EXPECT_EQ(read[4 + 14] & 0xC0, 0xC0);
  EXPECT_EQ(report(0x8A)[1] >> 3 & 3, 2) << "T2B";
  EXPECT_EQ(report(0x28)[0] & 1, 0);
}

TEST_F(ScsiWithoutDurations, NothingIsThere) {
  EXPECT_EQ(port.run({0x5A, 0x08, 0x0A, 0x07, 0, 0, 0, 2, 0, 0}, {}, 512).status, Status::CheckCondition);
  const scsi::Task& task = port.run(access(false, 0, 1, 2), {}, 512);
  EXPECT_EQ(Sense(task.sense), sense::kInvalidField);
  ASSERT_TRUE(task.sense.field);
  EXPECT_EQ(task.sense.field->byte, 14);
  EXPECT_EQ(port.run({0x4D, 0, 0x59, 0x21, 0, 0, 0, 4, 0, 0}, {}, 1024).status, Status::CheckCondition);
  const Bytes read = port.run({0xA3, 0x0C, 0x01, 0x88, 0, 0, 0, 0, 2, 0, 0, 0}, {}, 512).data;
  EXPECT_EQ(read[0], 0);
}

}  // namespace
}  // namespace platter::testing
