// SPDX-License-Identifier: Apache-2.0
//
// Drives of an array fail and are revived at random instants under a mixed load of real bytes. No request is lost, nothing
// hangs, no byte is wrong, and the array reports the data that no working drive holds.
#include "array_rig.h"

#include <cstring>

#include "platter/core/pool.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

/// Discrete and background reads and writes, a fixed number at a time; and in each round reads (and a few writes) of continuous
/// streams with their deadline, at random places or sequentially.
class MixedLoad : public ArrayClientIf {
 public:
  MixedLoad(Array& array, std::uint64_t seed)
      : ledger(array.capacity_bytes()), array_(array), random_(seed, "load"), drive_failed_(host::array::kMaxDrives, false) {}

  Ledger ledger;
  std::uint64_t issued = 0, good = 0, failed = 0, no_copy = 0, exact = 0;
  bool running = true;
  bool sequential = false;  ///< the streams read sequentially
  std::function<void()> on_finished;
  /// Sets the drives that have failed and stay so. From now on the result of each request is known exactly.
  void expect_failed(std::vector<std::uint32_t> drives) {
    for (const std::uint32_t d : drives) drive_failed_[d] = true;
    known_from_ = number_ + 1;
  }

  void start(std::uint32_t best_effort) {
    for (std::uint32_t i = 0; i < best_effort; ++i) submit_random(jobs_.take());
  }
  void round(std::uint32_t streams, Picoseconds length) {
    std::vector<Job*> again;
    again.swap(failed_);
    for (Job* job : again) submit_random(*job);
    for (std::uint32_t i = 0; i < streams && running; ++i) {
      Job& job = jobs_.take();
      job.closed = false;
      job.cls = RequestClass::Continuous;
      job.deadline = core::now_ps() + length;
      job.operation = command::read_or_write(random_.below(8) == 0);
      place(job, 32);
      if (sequential && !job.write()) {
        positions_.resize(streams, job.address);
        job.stream = i;
        if (positions_[i] + job.length > array_.capacity_bytes() || random_.below(40) == 0) positions_[i] = job.address;
        job.address = positions_[i];
        positions_[i] += job.length;
      }
      submit(job);
    }
  }
  /// Bytes of the request that no working drive holds, by an independent implementation of the map's formula.
  std::uint64_t lost_bytes(const ArrayRequest& r) const {
    std::uint64_t lost = 0;
    for (std::uint64_t at = r.address; at < r.address + r.length; at += kSector) {
      const StripeMap::Area& a = array_.map().area_at(at);
      const std::uint64_t u = (at - a.begin) / a.unit_bytes;
      const std::uint64_t p = u % a.drives;
      const std::uint64_t b = (p + 1 + u / a.drives % (a.drives - 1)) % a.drives;
      if (drive_failed_[a.first_drive + p] && (!a.mirrored || drive_failed_[a.first_drive + b])) lost += kSector;
    }
    return lost;
  }

 private:
  struct Job : ArrayRequest {
    std::vector<std::uint8_t> bytes;
    std::uint64_t number = 0;
    bool closed = true;
  };

  void place(Job& job, std::uint64_t most_sectors) {
    const std::uint64_t sectors = array_.capacity_bytes() / kSector;
    const std::uint64_t length = 1 + random_.below(most_sectors);
    // Half of them use a small area.
    const std::uint64_t at = random_.below(2) == 0 ? random_.below(sectors - length + 1) : random_.below(sectors / 16);
    job.address = at * kSector;
    job.length = static_cast<std::uint32_t>(length * kSector);
  }
  void submit_random(Job& job) {
    job.closed = true;
    job.cls = random_.below(4) == 0 ? RequestClass::Background : RequestClass::Discrete;
    job.deadline = core::kNoDeadline;
    job.operation = command::read_or_write(random_.below(2) == 0);
    place(job, random_.below(4) == 0 ? 100 : 12);
    if (random_.below(3) == 0) {  // one or more whole units
      const StripeMap::Area& a = array_.map().area_at(job.address);
      const std::uint64_t units = 1 + random_.below(4);
      job.address -= (job.address - a.begin) % a.unit_bytes;
      job.length = static_cast<std::uint32_t>(std::min(units * a.unit_bytes, a.end() - job.address));
    }
    submit(job);
  }
  void submit(Job& job) {
    job.client = this;
    job.bytes.assign(job.length, 0xEE);
    job.data = job.bytes.data();
    job.number = ++number_;
    if (job.write()) ledger.accept(job, job.number);
    ++issued;
    array_.submit(job);
  }
  void finished(ArrayRequest& request) override {
    auto& job = static_cast<Job&>(request);
    EXPECT_EQ(job.timing.completed, core::now_ps());
    EXPECT_EQ(job.timing.parts(), job.timing.response());
    if (job.write()) ledger.ended(job, job.number);
    if (known_from_ != 0 && job.number >= known_from_) {
      const std::uint64_t lost = lost_bytes(job);
      EXPECT_EQ(job.status, lost == 0 ? CommandStatus::Good : CommandStatus::NoCopy);
      EXPECT_EQ(job.lost_bytes, lost);
      ++exact;
    }
    bool again = job.closed;
    if (job.status == CommandStatus::Good) {
      ++good;
      if (!job.write()) ledger.check(job, job.number);
    } else {
      ++failed;
      EXPECT_TRUE(job.status == CommandStatus::NoCopy || (job.write() && job.status == CommandStatus::DriveFailed))
          << command::to_string(job.status);
      if (job.status == CommandStatus::NoCopy) {
        ++no_copy;
        EXPECT_GT(job.lost_bytes, 0u);
      }
      if (again) failed_.push_back(&job);  // a retry now might fail in the same instant
      again = false;
    }
    if (on_finished) on_finished();
    if (!again || !running) {
      if (!job.closed || !running) jobs_.give_back(job);
      return;
    }
    submit_random(job);
  }

  Array& array_;
  core::RandomStream random_;
  core::Pool<Job> jobs_;
  std::vector<Job*> failed_;
  std::vector<bool> drive_failed_;
  std::vector<std::uint64_t> positions_;
  std::uint64_t number_ = 0;
  std::uint64_t known_from_ = 0;
};

/// Starts rounds of `streams` requests, each `period` after the one before, until it is over.
struct Rounds {
  Rounds(MixedLoad& load, std::uint32_t streams, std::function<Picoseconds()> period)
      : script("rounds", [this, &load, streams, period](Script& s) {
          while (!over) {
            load.round(streams, 200 * kMs);
            s.pause(period());
          }
        }) {}

  bool over = false;
  Script script;
};

struct ArrayCase {
  const char* name;
  const char* policy;
  profile::WriteBack write_back;
  std::uint32_t depth;
  std::uint32_t rebuild;

  friend std::ostream& operator<<(std::ostream& out, const ArrayCase& c) { return out << c.name; }
};

profile::DriveProfile profile_of(const ArrayCase& c) {
  profile::DriveProfile profile = c.write_back == profile::WriteBack::Off ? toy_profile() : cached_toy_profile(c.write_back);
  profile.queue_depth = c.depth;
  return profile;
}

ArrayConfig sixteen_drives(const ArrayCase& c) {
  ArrayConfig config;
  config.drives = 16;
  config.tags = 4;
  config.areas = {area_of(512, 2048, true), area_of(160, 8192, true), area_of(300, 4096, true)};
  config.areas[1].cached = true;
  config.areas[2].first_drive = 3;
  config.areas[2].drives = 7;
  config.cache.bytes = 32 * 4096;
  config.cache.block_bytes = 4096;
  config.rebuild.outstanding = c.rebuild;
  config.poll = 3 * kMs;
  return config;
}

std::uint64_t stale_units(const Array& array, std::size_t drives) {
  std::uint64_t stale = 0;
  for (std::uint32_t d = 0; d < drives; ++d) stale += array.stale_units(d);
  return stale;
}

/// Checks both copies of every unit byte for byte.
void compare_copies(ArrayRig& rig, MixedLoad& load) {
  const StripeMap& map = rig.array->map();
  for (const StripeMap::Area& a : map.areas())
    for (std::uint64_t unit = a.first_unit; unit < a.first_unit + a.bytes / a.unit_bytes; ++unit) {
      std::array<std::vector<std::uint8_t>, 2> bytes;
      for (std::uint32_t copy = 0; copy < 2; ++copy) {
        const UnitPlace place = map.place(a, unit, copy);
        bytes[copy].resize(a.unit_bytes);
        rig.drives[place.drive]->media().read(place.address, bytes[copy].data(), a.unit_bytes);
      }
      ASSERT_EQ(bytes[0], bytes[1]) << "unit " << unit;
      for (std::uint64_t at = 0; at < a.unit_bytes; at += kSector)
        ASSERT_TRUE(load.ledger.look((map.address_of(a, unit) + at) / kSector, bytes[0].data() + at, ~std::uint64_t{0}));
    }
}

void expect_conservation(const Array& array, const MixedLoad& load) {
  EXPECT_EQ(array.outstanding(), 0u);
  EXPECT_EQ(load.issued, load.good + load.failed);
  std::uint64_t submitted = 0, completed = 0, failed = 0;
  for (const auto cls : {RequestClass::Discrete, RequestClass::Continuous, RequestClass::Background}) {
    const auto& counters = array.counters(cls);
    submitted += counters.submitted;
    completed += counters.completed;
    failed += counters.failed;
    EXPECT_LE(counters.host_queue, counters.response);
  }
  EXPECT_EQ(submitted, load.issued);
  EXPECT_EQ(completed, load.good);
  EXPECT_EQ(failed, load.failed);
}

/// Runs until the script has ended, for so many simulated seconds at most, and then until nothing is left of the load.
void run_to_the_end(const Script& script, std::uint32_t most_s, const Array& array, MixedLoad& load) {
  for (std::uint32_t s = 0; s < most_s && !script.done() && !::testing::Test::HasFatalFailure(); s += 10)
    run_until(core::now_ps() + 10'000 * kMs);
  ASSERT_TRUE(script.done()) << "it hangs";
  load.running = false;
  run_until(core::now_ps() + 5'000 * kMs);
  expect_conservation(array, load);
}

class ArrayFailures : public ::testing::TestWithParam<ArrayCase> {};

TEST_P(ArrayFailures, AnyOneDriveAtAnyTimeLosesNothing) {
  ArrayRig rig(sixteen_drives(GetParam()), profile_of(GetParam()), GetParam().policy);
  Array& array = *rig.array;
  MixedLoad load(array, 1);
  core::RandomStream random(2, "failures");
  std::uint64_t revives_at_once = 0, noticed = 0, rebuilt = 0;
  const auto failures = static_cast<int>(scaled(100));
  Rounds rounds(load, 8, [] { return 200 * kMs; });
  Script failing("failing", [&](Script& s) {
    load.start(40);
    for (int i = 0; i < failures; ++i) {
      s.pause(static_cast<Picoseconds>(1 + random.below(150'000'000'000)));
      const auto d = static_cast<std::uint32_t>(random.below(16));
      bool back = false;
      switch (random.below(4)) {
        case 0: array.fail(d); break;
        case 1: rig.drives[d]->set_alive(false); break;
        case 2:
          rig.drives[d]->set_alive(false);
          rig.drives[d]->set_alive(true);
          back = true;
          ++revives_at_once;
          break;
        default: {  // within a host's callback
          bool done = false;
          load.on_finished = [&] {
            if (!done) array.fail(d);
            done = true;
          };
          while (!done) s.pause(100 * kUs);
          load.on_finished = {};
        }
      }
      s.pause(static_cast<Picoseconds>(1 + random.below(300'000'000'000)));
      noticed += array.alive(d) && !back ? 0u : 1u;
      if (!back && random.below(2) == 0)
        array.revive(d);
      else
        rig.drives[d]->set_alive(true);                                   // the array finds this through the drive's registers
      for (int k = 0; k < 500 && !array.alive(d); ++k) s.pause(4 * kMs);  // until earlier commands have ended
      EXPECT_TRUE(array.alive(d));
      int patience = 4000;
      while (stale_units(array, 16) > 0 && --patience > 0) s.pause(10 * kMs);
      ASSERT_GT(patience, 0) << "the rebuild does not end; " << stale_units(array, 16) << " units left";
    }
    rounds.over = true;
  });
  ASSERT_NO_FATAL_FAILURE(run_to_the_end(failing, 4000, array, load));
  EXPECT_EQ(load.failed, 0u);
  EXPECT_GT(load.good, scaled(20'000));
  std::uint64_t redirected = 0;
  for (const auto cls : {RequestClass::Discrete, RequestClass::Continuous, RequestClass::Background})
    redirected += array.counters(cls).redirected;
  EXPECT_GT(redirected, scaled(50));
  for (std::uint32_t d = 0; d < 16; ++d) {
    rebuilt += array.rebuilt_units(d);
    EXPECT_EQ(array.in_drive(d), 0u);
    EXPECT_EQ(array.queued(d), 0u);
    EXPECT_EQ(rig.drives[d]->queue().occupancy(), 0u);
  }
  EXPECT_GT(rebuilt, scaled(500));
  EXPECT_GT(noticed, scaled(80));
  if (kScale == 1) {
    EXPECT_GT(revives_at_once, 10u);
  }
  compare_copies(rig, load);
}

/// A case, and the seed that determines which two drives fail, and when.
class ArrayTwoFailures : public ::testing::TestWithParam<std::tuple<ArrayCase, std::uint64_t>> {};

TEST_P(ArrayTwoFailures, LoseExactlyWhatBothHeld) {
  const auto& [of, seed] = GetParam();
  ArrayConfig config = sixteen_drives(of);
  config.cache.bytes = 0;  // the cache would still hold some of the lost data
  ArrayRig rig(config, profile_of(of), of.policy);
  Array& array = *rig.array;
  MixedLoad load(array, seed);
  core::RandomStream random(seed, "failures");
  // Either neighbours in a stripe, which hold most of each other's backups, or any two drives.
  const auto first = static_cast<std::uint32_t>(random.below(16));
  const auto second = static_cast<std::uint32_t>((first + (seed % 2 == 0 ? 1 : 1 + random.below(15))) % 16);
  Rounds rounds(load, 8, [] { return 137 * kMs; });
  Script script("script", [&](Script& s) {
    load.start(40);
    s.pause(static_cast<Picoseconds>(1 + random.below(1'000'000'000'000)));
    array.fail(first);
    s.pause(static_cast<Picoseconds>(1 + random.below(1'000'000'000'000)));
    EXPECT_EQ(load.failed, 0u);
    rig.drives[second]->set_alive(false);
    s.pause(200 * kMs);  // the array notices by a command or by the poll
    ASSERT_FALSE(array.alive(second));
    load.expect_failed({first, second});
    s.pause(6'000 * kMs);
    load.running = false;
    rounds.over = true;
  });
  run_until(30'000 * kMs);
  ASSERT_TRUE(script.done());
  expect_conservation(array, load);
  EXPECT_GT(load.exact, 1000u);
  if (seed % 2 == 0) {
    EXPECT_GT(load.no_copy, 20u);
  }
  EXPECT_LT(load.failed, load.good / 4);
}

TEST_P(ArrayFailures, FailuresDuringTheRebuildAndOfBothCopiesLeaveNoWrongByte) {
  ArrayRig rig(sixteen_drives(GetParam()), profile_of(GetParam()), GetParam().policy);
  Array& array = *rig.array;
  MixedLoad load(array, 5);
  core::RandomStream random(6, "failures");
  std::uint64_t in_rebuild = 0, both_failed = 0;
  Rounds rounds(load, 8, [] { return 200 * kMs; });
  Script failing("failing", [&](Script& s) {
    load.start(40);
    for (int i = 0; i < static_cast<int>(scaled(400)); ++i) {
      s.pause(static_cast<Picoseconds>(1 + random.below(150'000'000'000)));
      const auto d = static_cast<std::uint32_t>(3 + random.below(5));  // a few, so that copies meet
      if (!array.alive(d)) {
        array.revive(d);
        continue;
      }
      in_rebuild += stale_units(array, 16) > 0 ? 1u : 0u;
      if (random.below(2) == 0)
        array.fail(d);
      else
        rig.drives[d]->set_alive(false);
      std::uint32_t failed = 0;
      for (std::uint32_t k = 0; k < 16; ++k) failed += rig.drives[k]->power().alive() ? 0u : 1u;
      both_failed += failed > 1 ? 1u : 0u;
    }
    for (std::uint32_t d = 0; d < 16; ++d) {
      rig.drives[d]->set_alive(true);
      array.revive(d);
    }
    int patience = 10'000;
    while (stale_units(array, 16) > 0 && --patience > 0) s.pause(10 * kMs);
    EXPECT_GT(patience, 0) << "the rebuild does not end; " << stale_units(array, 16) << " units left";
    const std::uint64_t failed = load.failed;
    s.pause(2'000 * kMs);
    EXPECT_EQ(load.failed, failed) << "all is there again";
    rounds.over = true;
  });
  ASSERT_NO_FATAL_FAILURE(run_to_the_end(failing, 4000, array, load));
  EXPECT_GT(in_rebuild, scaled(50));
  EXPECT_GT(both_failed, scaled(50));
  EXPECT_GT(load.failed, scaled(100));
  EXPECT_GT(load.good, load.failed);
  compare_copies(rig, load);
}

TEST_P(ArrayFailures, StreamsWithBuffersReadTheBytesOfTheOrderOfSubmission) {
  ArrayConfig config = sixteen_drives(GetParam());
  config.stream_buffers.units = 2;
  ArrayRig rig(config, profile_of(GetParam()), GetParam().policy);
  Array& array = *rig.array;
  MixedLoad load(array, 7);
  load.sequential = true;
  core::RandomStream random(8, "failures");
  // now and then two rounds at once
  Rounds rounds(load, 12, [&] { return static_cast<Picoseconds>(random.below(3) == 0 ? 5 : 200) * kMs; });
  Script failing("failing", [&](Script& s) {
    load.start(6);
    for (int i = 0; i < static_cast<int>(scaled(200)); ++i) {
      s.pause(static_cast<Picoseconds>(1 + random.below(400'000'000'000)));
      const auto d = static_cast<std::uint32_t>(3 + random.below(5));  // a few, so that copies meet
      if (!array.alive(d))
        array.revive(d);
      else if (random.below(2) == 0)
        array.fail(d);
      else
        rig.drives[d]->set_alive(false);
    }
    rounds.over = true;
  });
  ASSERT_NO_FATAL_FAILURE(run_to_the_end(failing, 1000, array, load));
  EXPECT_GT(load.failed, 0u);
  EXPECT_GT(load.good, load.failed);
  EXPECT_GT(array.stream_buffer_counters().hits, scaled(200));
  EXPECT_GT(array.stream_buffer_counters().underruns, scaled(20));
  EXPECT_GT(array.stream_buffer_counters().misses, scaled(200));
}

const auto kCases = ::testing::Values(ArrayCase{"fcfs", "FCFS", profile::WriteBack::Off, 8, 4},
                                      ArrayCase{"cached", "SPTF", profile::WriteBack::Interleaved, 4, 2},
                                      ArrayCase{"guarded", "OPS:SCAN/CI-SPTF", profile::WriteBack::Off, 3, 8});
INSTANTIATE_TEST_SUITE_P(All, ArrayFailures, kCases, [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(All, ArrayTwoFailures, ::testing::Combine(kCases, ::testing::Range<std::uint64_t>(1, 7)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::to_string(std::get<1>(test.param));
                         });

/// Reads of the streams in each round; counts those that are late.
class Streams : public ArrayClientIf {
 public:
  Streams(Array& array, std::uint32_t streams) : array_(array), reads_(streams), busy_(streams, false) {}

  std::uint64_t late = 0, good = 0;
  /// A stream whose read of the last round is still outstanding skips this round.
  void round(Picoseconds length, core::RandomStream& random) {
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      if (busy_[i]) continue;
      ArrayRequest& r = reads_[i];
      const std::uint64_t unit = array_.map().areas()[0].unit_bytes;
      r.address = (random.below(60) * 4 + i % 4) * unit;  // equally many on every drive
      r.length = 8192;
      r.cls = RequestClass::Continuous;
      r.deadline = core::now_ps() + length;
      r.client = this;
      busy_[i] = true;
      array_.submit(r);
    }
  }
  void finished(ArrayRequest& r) override {
    busy_[static_cast<std::size_t>(&r - reads_.data())] = false;
    EXPECT_EQ(r.status, CommandStatus::Good);
    ++good;
    if (core::now_ps() > r.deadline) ++late;
  }

 private:
  Array& array_;
  std::vector<ArrayRequest> reads_;
  std::vector<bool> busy_;
};

TEST(ArrayRebuild, RestoresEveryByteAtItsRate) {
  constexpr std::uint32_t kUnit = 8192;
  constexpr std::uint64_t kUnits = 240;
  ArrayConfig config;
  config.drives = 4;
  config.tags = 120;  // enough for all reads of a round, because the guard must see them
  config.class_tags = {2, ~0u, 2};
  config.areas = {area_of(kUnits, kUnit, true)};
  config.rebuild.outstanding = 2;
  config.rebuild.bytes_per_s = 200'000;
  profile::DriveProfile profile = toy_profile();
  profile.queue_depth = 120;
  ArrayRig rig(config, profile, "OPS:SCAN/CI-SPTF");
  Array& array = *rig.array;
  Streams streams(array, 288);
  core::RandomStream random(9, "streams");
  bool returned = false;
  bool over = false;
  Script rounds("rounds", [&](Script& s) {
    while (!returned) s.pause(1 * kMs);
    while (!over) {
      streams.round(500 * kMs, random);
      s.pause(500 * kMs);
    }
  });
  const auto fill = [](std::uint64_t sector, std::uint8_t generation) {
    return static_cast<std::uint8_t>(sector * 7 + generation);
  };
  Script script("script", array, [&](Script& s) {
    Transaction t(nullptr);
    const auto write = [&](std::uint64_t first, std::uint32_t count, std::uint8_t generation) {
      t.set(true, first, count);
      for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = fill(first + i / 512, generation);
      s.transport(t);
      ASSERT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    };
    for (std::uint64_t at = 0; at < kUnits * 16; at += 128) write(at, 128, 1);
    array.fail(2);
    for (std::uint64_t at = 0; at < kUnits * 16; at += 120) write(at + 3, 50, 2);  // parts of units
    // Half of all units were written in part; a quarter of the copies is on one drive.
    std::uint64_t stale = 0;
    for (std::uint64_t u = 0; u < kUnits; ++u) {
      bool written = false;
      for (std::uint64_t at = 0; at < kUnits * 16; at += 120) written = written || (at + 3 < u * 16 + 16 && at + 53 > u * 16);
      const std::uint64_t p = u % 4;
      const std::uint64_t b = (p + 1 + u / 4 % 3) % 4;
      stale += written && (p == 2 || b == 2) ? 1u : 0u;
    }
    EXPECT_EQ(array.stale_units(2), stale);
    EXPECT_GT(stale, 50u);
    EXPECT_EQ(array.stale_units(0) + array.stale_units(1) + array.stale_units(3), 0u);
    array.revive(2);
    returned = true;
    const Picoseconds began = core::now_ps();
    std::uint64_t last = 0;
    while (array.stale_units(2) > 0) {
      s.pause(20 * kMs);
      const std::uint64_t done = array.rebuilt_units(2);
      EXPECT_GE(done, last);
      last = done;
      EXPECT_EQ(done + array.stale_units(2), stale);
      const double bound = 200'000e-12 * static_cast<double>(core::now_ps() - began) + kUnit;
      ASSERT_LE(static_cast<double>(array.rebuilt_bytes(2)), bound);
      ASSERT_LT(core::now_ps() - began, 60'000 * kMs) << "it does not end";
    }
    EXPECT_EQ(array.rebuilt_bytes(2), stale * kUnit);
    over = true;
  });
  run_until(200'000 * kMs);
  ASSERT_TRUE(script.done());
  EXPECT_EQ(streams.late, 0u);
  EXPECT_GT(streams.good, 2'000u);
  const StripeMap& map = array.map();
  for (std::uint64_t u = 0; u < kUnits; ++u)
    for (std::uint32_t copy = 0; copy < 2; ++copy) {
      const UnitPlace place = map.place(map.areas()[0], u, copy);
      std::vector<std::uint8_t> bytes(kUnit);
      rig.drives[place.drive]->media().read(place.address, bytes.data(), bytes.size());
      for (std::size_t i = 0; i < kUnit; ++i) {
        const std::uint64_t sector = u * 16 + i / 512;
        const std::uint8_t generation = sector % 120 >= 3 && sector % 120 < 53 ? 2 : 1;
        ASSERT_EQ(bytes[i], fill(sector, generation)) << "unit " << u << " copy " << copy << " drive " << place.drive;
      }
    }
}

/// Streams in rounds over an array in which one drive has been revived with many stale units.
struct RebuildUnderStreams {
  static constexpr std::uint64_t kUnits = 480;
  static constexpr std::uint64_t kUnitBytes = 32'768;
  static constexpr Picoseconds kRound = 500 * kMs;

  RebuildUnderStreams(const std::string& name, std::uint32_t outstanding, std::uint32_t background_tags)
      : rig(config(outstanding, background_tags), profile(), "OPS:SCAN/CI-SPTF", name),
        streams(*rig.array, 180),
        random(3, "streams") {}
  static ArrayConfig config(std::uint32_t outstanding, std::uint32_t background_tags) {
    ArrayConfig config;
    config.drives = 4;
    config.tags = 64;  // of which a round's reads take 45
    config.class_tags[2] = background_tags;
    config.areas = {area_of(kUnits, kUnitBytes, true)};
    config.holds_data = false;
    config.rebuild.outstanding = outstanding;
    return config;
  }
  static profile::DriveProfile profile() {
    profile::DriveProfile profile = toy_profile();
    profile.queue_depth = 64;
    return profile;
  }
  void make_stale(Script& s) {
    struct Ended : ArrayClientIf {
      std::size_t writes = 0;
      void finished(ArrayRequest& /*request*/) override { ++writes; }
    } ended;
    std::vector<ArrayRequest> writes(kUnits);
    rig.array->fail(2);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      writes[i].operation = command::read_or_write(true);
      writes[i].address = i * kUnitBytes;
      writes[i].length = 512;
      writes[i].client = &ended;
      rig.array->submit(writes[i]);
    }
    while (ended.writes < writes.size()) s.pause(kRound);
    EXPECT_EQ(rig.array->stale_units(2), kUnits / 2);
  }

  ArrayRig rig;
  Streams streams;
  core::RandomStream random;
  std::uint64_t rounds = 0;  ///< rounds until everything was rebuilt
};

TEST(ArrayRebuild, LeavesTheStreamsTheirsWhereAGreedyOneDoesNot) {
  RebuildUnderStreams none("none", 0, ~0u);
  RebuildUnderStreams own("own", 1, ~0u);  // the array's default
  RebuildUnderStreams bounded("bounded", 160, 2);
  RebuildUnderStreams greedy("greedy", 160, ~0u);  // without a limit
  EXPECT_EQ(host::array::RebuildOptions().outstanding, 1u);
  const std::array<RebuildUnderStreams*, 4> all = {&none, &own, &bounded, &greedy};
  Script script("script", [&](Script& s) {
    for (RebuildUnderStreams* array : all) array->make_stale(s);
    for (RebuildUnderStreams* array : all) array->rig.array->revive(2);
    for (int round = 0; round < 100; ++round) {
      for (RebuildUnderStreams* array : all) {
        array->rounds += array->rig.array->stale_units(2) > 0 ? 1u : 0u;
        array->streams.round(RebuildUnderStreams::kRound, array->random);
      }
      s.pause(RebuildUnderStreams::kRound);
    }
  });
  run_until(2'000'000 * kMs);
  ASSERT_TRUE(script.done());
  for (RebuildUnderStreams* array : all) {
    EXPECT_GT(array->streams.good, 17'000u);
    if (array != &none) {
      EXPECT_EQ(array->rig.array->rebuilt_units(2), RebuildUnderStreams::kUnits / 2);
    }
  }
  EXPECT_EQ(none.streams.late, 0u) << "the load alone is too much";
  EXPECT_EQ(own.streams.late, 0u);
  EXPECT_EQ(bounded.streams.late, 0u);
  EXPECT_GT(greedy.streams.late, 50u) << "a rebuild can be no trouble here, and the test shows nothing";
  EXPECT_LT(own.rounds, 100u);
}

/// With registers, the killed drive fails its commands; without registers, it carries them out.
class ArrayRevival : public ::testing::TestWithParam<bool> {};

TEST_P(ArrayRevival, WaitsForWhatIsLeftFromBeforeTheFailure) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(64, 4096, true)};
  config.tags = 4;
  config.rebuild.outstanding = 0;
  ArrayRig rig(config, toy_profile(), "FCFS", "array", GetParam());
  Array& array = *rig.array;
  AtHost host("host", array);
  for (std::uint64_t unit = 0; unit < 20; ++unit) host.submit(true, 8 * unit, 8, 1);
  run_until(30 * kMs);
  ASSERT_GT(host.finished(), 0u);
  ASSERT_EQ(array.in_drive(0), 4u);
  ASSERT_GT(array.queued(0), 0u);
  array.fail(0);
  array.revive(0);
  EXPECT_FALSE(array.alive(0)) << "writes from before its failure are on their way";
  Transaction& younger = host.submit(true, 8 * 30, 8, 2);
  while (!array.alive(0) && core::now_ps() < 5'000 * kMs) run_until(core::now_ps() + 100 * kUs);
  ASSERT_TRUE(array.alive(0));
  EXPECT_EQ(array.in_drive(0), 0u);
  EXPECT_GE(host.finished(), 20u);
  const std::uint64_t stale = array.stale_units(0);
  EXPECT_GT(stale, 0u) << "nothing was missed, and the test shows nothing";
  run_until(core::now_ps() + 1'000 * kMs);
  EXPECT_EQ(host.finished(), 21u);
  EXPECT_EQ(younger.extension.status, CommandStatus::Good);
  EXPECT_LE(array.stale_units(0), stale + 1) << "the younger write may have missed it too";
  EXPECT_EQ(array.stale_units(1), 0u);
  array.fail(0);  // once more, with nothing outstanding: takes effect at once
  array.revive(0);
  EXPECT_TRUE(array.alive(0));
}
INSTANTIATE_TEST_SUITE_P(All, ArrayRevival, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "WithRegisters" : "WithoutRegisters"); });

TEST(ArrayRebuild, FillsAnEmptyDriveWithEveryMirroredUnit) {
  constexpr std::uint64_t kUnits = 60;
  ArrayConfig config;
  config.drives = 4;
  config.areas = {area_of(kUnits, 4096, true), area_of(8, 4096)};  // 15 rows on each drive, then 2 that are not mirrored
  config.rebuild.outstanding = 2;
  ArrayRig rig(config);
  Array& array = *rig.array;
  Script script("script", array, [&](Script& s) {
    Transaction t(nullptr);
    for (std::uint64_t u = 0; u < kUnits; ++u) s.access(t, true, u * 8, 8, static_cast<std::uint8_t>(u + 1));
    s.access(t, true, kUnits * 8, 64, 200);
    array.fail(1);
    s.pause(10 * kMs);
    array.replace(1);
    EXPECT_EQ(array.stale_units(1), 15u + 15 + 2);
    while (array.stale_units(1) > 2) {
      s.pause(10 * kMs);
      ASSERT_LT(core::now_ps(), 100'000 * kMs) << "it does not end";
    }
    EXPECT_EQ(array.rebuilt_units(1), 30u);
    // The data that the empty drive has received must suffice alone: each of the other drives fails in turn.
    for (const std::uint32_t other : {0u, 2u, 3u}) {
      array.fail(other);
      for (std::uint64_t u = 0; u < kUnits; ++u) {
        s.access(t, false, u * 8, 8);
        ASSERT_EQ(t.data, std::vector<std::uint8_t>(8 * 512, static_cast<std::uint8_t>(u + 1))) << u;
      }
      array.revive(other);
    }
    t.set(false, (kUnits + 1) * 8, 8);  // on drive 1, without a copy
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::NoCopy);
    s.access(t, true, (kUnits + 1) * 8, 8, 7);  // written as a whole, the unit is valid again
    s.access(t, false, (kUnits + 1) * 8, 8);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(8 * 512, 7));
    EXPECT_EQ(array.stale_units(1), 1u);
  });
  script.run_to_end(200'000 * kMs);
}

/// Without registers the array cannot stop a drive: its commands go on while the drive is replaced.
TEST(ArrayRebuild, AReplacedDriveHoldsNothingThatTheOneBeforeItWrote) {
  ArrayConfig config;
  config.drives = 1;
  config.areas = {area_of(16, 4096)};
  ArrayRig rig(config, toy_profile(), "FCFS", "array", false);
  Array& array = *rig.array;
  AtHost host("host", array);
  Transaction& whole = host.submit(true, 0, 8, 1);
  Transaction& part = host.submit(true, 8, 2, 1);
  run_until(1 * kMs);
  ASSERT_EQ(array.in_drive(0), 2u);
  array.fail(0);
  array.replace(0);
  run_until(1'000 * kMs);
  ASSERT_EQ(host.finished(), 2u);
  ASSERT_TRUE(array.alive(0));
  EXPECT_NE(whole.extension.status, CommandStatus::Good);
  EXPECT_NE(part.extension.status, CommandStatus::Good);
  EXPECT_EQ(array.stale_units(0), 16u);
}

TEST(ArrayRebuild, PassesByWhatHasNoCopy) {
  ArrayConfig config;
  config.drives = 3;
  config.areas = {area_of(30, 4096, true), area_of(300, 4096), area_of(30, 4096, true)};
  config.rebuild.outstanding = 2;
  ArrayRig rig(config);
  Array& array = *rig.array;
  Script script("script", array, [&](Script& s) {
    Transaction t(nullptr);
    array.fail(1);
    array.replace(1);
    s.access(t, true, 8 * 31, 8, 1);  // in the middle of what has no copy: the walk begins anew behind it
    for (int round = 0; round < 2; ++round) {
      while (array.stale_units(1) > 99) {
        s.pause(10 * kMs);
        ASSERT_LT(core::now_ps(), 100'000 * kMs) << "it does not end";
      }
      EXPECT_EQ(array.rebuilt_units(1), 40u + 2 * static_cast<std::uint64_t>(round));  // units 0 and 1 are on drive 1
      array.fail(1);
      s.access(t, true, 0, 8, 2);
      s.access(t, true, 8, 8, 2);
      array.revive(1);
    }
  });
  script.run_to_end(200'000 * kMs);
}

struct Reports : host::array::ArrayProbeIf {
  void changed(Picoseconds time, std::uint32_t drive, const host::array::ArrayDriveReport& report) override {
    EXPECT_EQ(time, core::now_ps());
    EXPECT_FALSE(last.at(drive) == report);
    last[drive] = report;
    ++count;
  }
  std::array<host::array::ArrayDriveReport, 2> last;
  std::uint64_t count = 0;
};

TEST(ArrayProbe, IsToldOfEachChangeAndOfNothingElse) {
  ArrayConfig config;
  config.drives = 2;
  config.areas = {area_of(64, 4096, true)};
  config.tags = 2;
  ArrayRig rig(config);
  Array& array = *rig.array;
  Reports reports;
  Reports late;
  array.add_probe(reports);
  AtHost host("host", array);
  for (std::uint64_t unit = 0; unit < 20; ++unit) host.submit(true, 8 * unit, 8, 1);
  std::uint64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    run_until(core::now_ps() + 500 * kUs);
    if (i == 20) {
      array.fail(1);
      late.last = {array.report_of(0), array.report_of(1)};
      array.add_probe(late);
    }
    if (i == 200) array.revive(1);
    for (std::uint32_t drive = 0; drive < 2; ++drive) {
      ASSERT_TRUE(reports.last[drive] == array.report_of(drive)) << i;
      if (i >= 20) {
        ASSERT_TRUE(late.last[drive] == array.report_of(drive)) << i;
      }
    }
    most = std::max(most, reports.last[0].queued);
  }
  EXPECT_EQ(most, 18u);
  EXPECT_TRUE(reports.last[1].alive);
  EXPECT_GT(reports.last[1].rebuilt_units, 0u);
  const std::uint64_t before = reports.count;
  array.remove_probe(reports);
  array.remove_probe(reports);  // none is watched twice
  host.submit(true, 0, 8, 1);
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_EQ(reports.count, before);
}

TEST(ArrayRebuild, WithoutItWhatIsStaleIsNeverRead) {
  ArrayConfig config;
  config.drives = 3;
  config.areas = {area_of(30, 4096, true)};
  config.rebuild.outstanding = 0;
  ArrayRig rig(config);
  Array& array = *rig.array;
  Script script("script", array, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, 0, 16, 1);
    array.fail(0);
    s.access(t, true, 2, 4, 2);  // a part of unit 0, on drive 0 with its backup on drive 1
    array.revive(0);
    s.pause(1'000 * kMs);
    EXPECT_EQ(array.stale_units(0), 1u);
    s.access(t, false, 2, 4);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(4 * 512, 2));
    array.fail(1);
    t.set(false, 0, 16);  // units 0 and 1: unit 1 has its backup on drive 2
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::NoCopy);
    t.set(true, 0, 2);
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::NoCopy) << "a part of a unit of which nobody has the rest";
    s.access(t, true, 0, 8, 5);  // the whole of it: drive 0 is no longer stale, drive 1 is
    EXPECT_EQ(array.stale_units(0), 0u);
    EXPECT_EQ(array.stale_units(1), 1u);
    s.access(t, false, 0, 8);
    EXPECT_EQ(t.data, std::vector<std::uint8_t>(8 * 512, 5));
  });
  script.run_to_end(10'000 * kMs);
}

}  // namespace
}  // namespace platter::testing
