// SPDX-License-Identifier: Apache-2.0
//
// The rules of the firmware on a drive with a write cache. Beside a stream of reads that never pauses, commands of hosts that wait for
// destages are served within the age limit and a bound.
#include "testing.h"

namespace platter::testing {
namespace {

constexpr Picoseconds kLimit = 200 * kMs;
constexpr std::uint64_t kDestages = 6;
constexpr std::uint32_t kDepth = 4;
/// Seek, two turns, settling, overhead and a segment.
constexpr Picoseconds kLongest = 2'260 * kUs + 2 * kToyTurn + 200 * kUs + 330 * kUs + 3'200 * kUs;
/// Destages and the commands of the stream take turns at the worst, and an access is under way.
constexpr Picoseconds kBound = Picoseconds{2 * kDestages + kDepth + 1} * kLongest;

profile::DriveProfile rules_profile(Picoseconds limit) {
  profile::DriveProfile p = cached_toy_profile(profile::WriteBack::Interleaved);
  p.cache.write_segments = static_cast<std::uint32_t>(kDestages);
  p.cache.destage_entries = 16;
  p.age_limit_s = static_cast<double>(limit) * 1e-12;
  p.stream_first = true;
  return p;
}

/// Reads of a stream that skips blocks, so that the drive has no hits, and other commands. In 900 ms the stream gets through half of the drive.
struct Rig {
  Rig(const std::string& name, const profile::DriveProfile& profile)
      : disk(make_drive((name + "_disk").c_str(), "SPTF(unguarded)", "firmware", profile, false)),
        host((name + "_host").c_str()) {
    host.disk_init_socket.bind(disk->host_tgt_socket);
    host.on_finished = [this](Transaction& t) {
      if (!t.write() && !t.extension.fua)
        read();
      else
        others.push_back({t.write(), t.begin_resp - t.begin_req});
    };
    for (std::uint32_t i = 0; i < kDepth; ++i) read();
  }
  void read() {
    Transaction& t = host.reuse();
    t.extension.fua = false;
    t.set(false, next, 8);
    next += 16;
    host.submit(t);
  }
  void write(std::uint64_t lba, std::uint32_t blocks) { host.submit(true, lba, blocks); }

  struct Other {
    bool write;
    Picoseconds response;
  };
  std::unique_ptr<drive::Drive> disk;
  AtHost host;
  std::uint64_t next = 0;
  std::vector<Other> others;
};

TEST(FirmwareRulesOfADrive, AWriteThatWaitsForRoomEnds) {
  Rig rig("room", rules_profile(kLimit));
  run_until(50 * kMs);
  for (std::uint64_t i = 0; i < 2 * kDestages; ++i) rig.write(kToyBlocks - 600 * (i + 1), 8);
  run_until(900 * kMs);
  ASSERT_EQ(rig.others.size(), 2 * kDestages);
  for (const Rig::Other& other : rig.others) EXPECT_LE(other.response, kLimit + kBound);
  EXPECT_GT(rig.others.back().response, kLimit);
}

TEST(FirmwareRulesOfADrive, AStreamGoesBeforeDestagesForEver) {
  Rig rig("room", rules_profile(100 * core::kPicosecondsPerSecond));
  run_until(50 * kMs);
  for (std::uint64_t i = 0; i < 2 * kDestages; ++i) rig.write(kToyBlocks - 600 * (i + 1), 8);
  run_until(900 * kMs);
  EXPECT_EQ(rig.others.size(), kDestages);
}

TEST(FirmwareRulesOfADrive, AReadThatWaitsForItsDestageEnds) {
  Rig rig("fua", rules_profile(kLimit));
  run_until(50 * kMs);
  for (std::uint64_t i = 0; i < kDestages; ++i) rig.write(kToyBlocks - 1'000 * (i + 1), 8);
  rig.host.submit(false, kToyBlocks - 1'000 * kDestages, 8, 0, [](auto& e) { e.fua = true; });
  run_until(900 * kMs);
  ASSERT_EQ(rig.others.size(), kDestages + 1);
  EXPECT_FALSE(rig.others.back().write);
  EXPECT_GT(rig.others.back().response, kLimit);
  EXPECT_LE(rig.others.back().response, kLimit + kBound);
}

}  // namespace
}  // namespace platter::testing
