// SPDX-License-Identifier: Apache-2.0
//
// Flushes and failures at random instants, with drives whose write cache loses its contents. Data that a good flush has covered
// is on the media; the next flush reports the data that is not.
#include "array_rig.h"

#include <algorithm>
#include <cstring>

#include "platter/core/pool.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

constexpr std::uint64_t kSector = 512;

/// Random writes, a fixed number at a time; flushes on request; and the contents that each sector may have.
class WritesAndFlushes : public ArrayClientIf {
 public:
  WritesAndFlushes(Array& array, std::uint64_t seed)
      : array_(array), random_(seed, "writes"), sectors_(array.capacity_bytes() / kSector, {{0, true, true}}) {}

  std::uint64_t good_flushes = 0, bad_flushes = 0, lost_sectors = 0, settled = 0;
  std::function<void()> on_finished;

  void start(std::uint32_t writes) {
    running_ = true;
    for (std::uint32_t i = 0; i < writes; ++i) write(jobs_.take());
  }
  void stop() { running_ = false; }
  std::uint32_t outstanding() const { return outstanding_; }
  ArrayRequest& flush() {
    Job& job = jobs_.take();
    job.operation = command::Operation::Flush;
    submit(job);
    return job;
  }
  /// Sets the drive that will fail before the next call of `look`.
  void expect_failure(std::uint32_t drive) { failing_ = drive; }
  /// Reads everything back. Precondition: no request is outstanding, and no drive has failed.
  void look(Script& script) {
    ASSERT_EQ(outstanding_, 0u);
    std::vector<std::uint8_t> bytes(array_.capacity_bytes());
    for (std::uint64_t at = 0; at < bytes.size(); at += 65'536) {
      Job& job = jobs_.take();
      job.operation = command::Operation::Read;
      job.address = at;
      job.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(65'536, bytes.size() - at));
      job.data = bytes.data() + at;
      submit(job);
      while (outstanding_ > 0) script.pause(1 * kMs);
      ASSERT_EQ(job.status, CommandStatus::Good);
    }
    std::uint64_t lost = 0;
    for (std::uint64_t s = 0; s < sectors_.size(); ++s) {
      std::uint64_t stamp = 0;
      std::memcpy(&stamp, bytes.data() + s * kSector, 8);
      for (std::size_t i = 0; i < kSector; i += 8)
        ASSERT_EQ(std::memcmp(bytes.data() + s * kSector + i, &stamp, 8), 0) << "torn";
      auto& versions = sectors_[s];
      // Finds the version on the media, and whether later versions were completed or flushed.
      std::size_t found = versions.size();
      while (found > 0 && versions[found - 1].stamp != stamp) --found;
      ASSERT_GT(found, 0u) << "sector " << s << " holds what was never written there";
      bool answered = false;
      for (std::size_t v = found; v < versions.size(); ++v) {
        answered = answered || versions[v].answered;
        ASSERT_FALSE(versions[v].flushed) << "sector " << s << ": a write that was flushed is not there";
      }
      if (answered) {
        EXPECT_TRUE(may_forget(s)) << "sector " << s;
        ++lost;
      }
      versions = {{stamp, true, true}};
    }
    lost_sectors += lost;
    lost_now = lost;
  }
  std::uint64_t lost_now = 0;  ///< sectors lost, as of the last `look`

 private:
  struct Version {
    std::uint64_t stamp;
    bool answered;
    bool flushed;
    bool told = false;  ///< a flush has reported that it may be lost
  };
  struct Job : ArrayRequest {
    std::vector<std::uint8_t> bytes;
    std::uint64_t stamp = 0;
  };

  bool may_forget(std::uint64_t sector) const {
    const StripeMap::Area& area = array_.map().area_at(sector * kSector);
    return !area.mirrored && array_.map().place(area, array_.map().unit_at(area, sector * kSector), 0).drive == failing_;
  }
  void write(Job& job) {
    const std::uint64_t length = 1 + random_.below(12);
    const std::uint64_t at = random_.below(sectors_.size() - length + 1);
    job.operation = command::read_or_write(true);
    job.fua = random_.below(8) == 0;
    job.cls = static_cast<RequestClass>(random_.below(3));
    job.address = at * kSector;
    job.length = static_cast<std::uint32_t>(length * kSector);
    job.stamp = ++stamp_;
    job.bytes.resize(job.length);
    for (std::size_t i = 0; i < job.length; i += 8) std::memcpy(job.bytes.data() + i, &job.stamp, 8);
    job.data = job.bytes.data();
    for (std::uint64_t s = at; s < at + length; ++s) sectors_[s].push_back({job.stamp, false, false});
    submit(job);
  }
  void submit(Job& job) {
    job.client = this;
    if (job.flush()) job.stamp = stamp_;  // the flush follows these writes
    ++outstanding_;
    array_.submit(job);
  }
  void finished(ArrayRequest& request) override {
    auto& job = static_cast<Job&>(request);
    --outstanding_;
    EXPECT_EQ(job.timing.parts(), job.timing.response());
    if (job.flush()) {
      ++(job.status == CommandStatus::Good ? good_flushes : bad_flushes);
      const bool good = job.status == CommandStatus::Good;
      // All older writes have ended. The completed ones are on the media, or were in the buffer of the drive that failed.
      for (std::uint64_t s = 0; s < sectors_.size(); ++s)
        for (Version& v : sectors_[s]) {
          if (v.stamp > job.stamp || !v.answered || v.flushed || v.told) continue;
          v.told = !good && may_forget(s);
          v.flushed = !v.told;
          settled += v.flushed ? 1u : 0u;
        }
      if (!good) {
        EXPECT_EQ(job.status, CommandStatus::NoCopy);
        EXPECT_GT(job.lost_bytes, 0u);
      }
    } else if (job.write()) {
      if (job.status == CommandStatus::Good)
        for (std::uint64_t s = job.address / kSector; s < (job.address + job.length) / kSector; ++s)
          for (Version& v : sectors_[s])
            if (v.stamp == job.stamp) {
              v.answered = true;
              v.flushed = job.fua;
            }
    }
    if (on_finished) on_finished();
    // No new write follows a failed one, because it might fail in the same instant.
    if (job.write() && !job.flush() && running_ && job.status == CommandStatus::Good)
      write(job);
    else
      jobs_.give_back(job);
  }

  Array& array_;
  core::RandomStream random_;
  std::vector<std::vector<Version>> sectors_;
  core::Pool<Job> jobs_;
  std::uint64_t stamp_ = 0;
  std::uint32_t outstanding_ = 0;
  std::uint32_t failing_ = 0;
  bool running_ = false;
};

profile::DriveProfile forgetful_profile(profile::WriteBack write_back) {
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 6;
  profile.overhead.read_hit_us = {50, 60};
  profile.cache.segments = 8;
  profile.cache.segment_blocks = 32;
  profile.cache.read_ahead = profile::ReadAhead::Segment;
  profile.cache.write_segments = 6;
  profile.cache.write_back = write_back;
  return profile;
}

class ArrayFlush : public ::testing::TestWithParam<const char*> {};

TEST_P(ArrayFlush, WhatItCoversOutlivesAnyFailure) {
  ArrayConfig config;
  config.drives = 4;
  config.tags = 6;
  config.areas = {area_of(128, 4096), area_of(64, 2048, true), area_of(60, 8192)};
  config.areas[2].first_drive = 1;
  config.poll = 3 * kMs;
  ArrayRig rig(config, forgetful_profile(profile::WriteBack::Interleaved), GetParam());
  Array& array = *rig.array;
  WritesAndFlushes load(array, 11);
  core::RandomStream random(12, "instants");
  std::uint64_t under_flush = 0, unseen = 0, told = 0, ended_before = 0;
  const auto rounds = static_cast<int>(scaled(100));
  const auto patience = [&](Script& s, const std::function<bool()>& done) {
    for (int k = 0; k < 100'000 && !done(); ++k) s.pause(200 * kUs);
    return done();
  };
  Script script("script", [&](Script& s) {
    for (int i = 0; i < rounds; ++i) {
      load.start(1 + static_cast<std::uint32_t>(random.below(24)));
      const auto d = static_cast<std::uint32_t>(random.below(4));
      load.expect_failure(d);
      // Three flushes and a failure, in any order.
      std::array<Picoseconds, 4> at;
      for (Picoseconds& t : at) t = static_cast<Picoseconds>(1 + random.below(120'000'000'000));
      std::sort(at.begin(), at.end());
      const std::uint64_t failure = random.below(4);
      std::uint64_t flushes = 0;
      const Picoseconds begin = core::now_ps();
      const std::uint64_t bad_before = load.bad_flushes;
      for (std::uint64_t k = 0; k < 4; ++k) {
        s.pause_until(begin + at[k]);
        if (k != failure) {
          load.flush();
          ++flushes;
          continue;
        }
        under_flush += load.good_flushes + load.bad_flushes < ended_before + flushes ? 1u : 0u;
        switch (random.below(4)) {
          case 0: array.fail(d); break;
          case 1: rig.drives[d]->set_alive(false); break;
          case 2: {  // within a host's callback
            bool done = false;
            load.on_finished = [&] {
              if (!done) array.fail(d);
              done = true;
            };
            patience(s, [&] { return done || load.outstanding() == 0; });
            load.on_finished = {};
            if (!done) array.fail(d);
            break;
          }
          default:
            rig.drives[d]->set_alive(false);
            rig.drives[d]->set_alive(true);
            ++unseen;
        }
      }
      s.pause(static_cast<Picoseconds>(1 + random.below(50'000'000'000)));
      if (random.below(2) == 0)
        array.revive(d);
      else
        rig.drives[d]->set_alive(true);  // the array finds this through the drive's registers
      load.stop();
      ASSERT_TRUE(patience(s, [&] { return load.outstanding() == 0 && array.alive(d); })) << "it hangs";
      // Some writes may have ended since the last flush: one more flush reports what is lost.
      load.flush();
      ASSERT_TRUE(patience(s, [&] { return load.outstanding() == 0; })) << "it hangs";
      ended_before = load.good_flushes + load.bad_flushes;
      told += load.bad_flushes > bad_before ? 1u : 0u;
      load.look(s);
      if (::testing::Test::HasFatalFailure()) return;
      if (load.lost_now > 0) {
        EXPECT_GT(load.bad_flushes, bad_before) << load.lost_now << " sectors are lost, and no flush has said so";
      }
      EXPECT_LE(load.bad_flushes, bad_before + 1) << "one failure is told once";
    }
  });
  for (int k = 0; k < 100 && !script.done(); ++k) run_until(core::now_ps() + 10'000 * kMs);
  ASSERT_TRUE(script.done()) << "it hangs";
  EXPECT_EQ(array.outstanding(), 0u);
  EXPECT_GT(load.settled, scaled(1'000));
  EXPECT_GT(load.good_flushes, scaled(200));
  EXPECT_GT(told, scaled(20));
  if (kScale == 1) {
    EXPECT_LT(told, 100u) << "no flush is good after a failure";
    EXPECT_GT(under_flush, 10u);
    EXPECT_GT(unseen, 10u);
    EXPECT_GT(load.lost_sectors, 100u) << "the drives' caches forget nothing: the test shows nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ArrayFlush, ::testing::Values("FCFS", "SPTF"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace platter::testing
