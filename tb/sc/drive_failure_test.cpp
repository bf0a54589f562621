// SPDX-License-Identifier: Apache-2.0
//
// A drive fails at random instants under a mixed load, and is revived. Commands are aborted at random instants. At other instants the drive is asked
// for the state that a loss of power would leave. No command is lost, nothing hangs, and the media hold the data that must be on them.
#include "testing.h"

#include <algorithm>
#include <map>
#include <optional>

#include "platter/core/random.h"
#include "platter/drive/drive_registers.h"
#include "platter/observe/statistics.h"
#include "platter/workload/generators.h"

namespace platter::testing {
namespace {

using command::TaskAttribute;
using profile::DriveProfile;
using profile::WriteBack;

constexpr std::uint64_t kSpan = 512;  // blocks in use

struct FailureCase {
  const char* name;
  const char* policy;
  const char* engine;
  WriteBack write_back;
  std::uint32_t token_rate = 0;
  EndResponse end_response = EndResponse::Completed;
  bool zero_latency = false;
  bool saved = false;  ///< the cache is; then the drive also loses its power, and its firmware restarts

  friend std::ostream& operator<<(std::ostream& out, const FailureCase& c) { return out << c.name; }
};

/// Reads, writes, FUA, flushes, ordered and head-of-queue commands of all classes from two hosts and from blocking callers. A
/// model holds the contents that each block may have: those since the last write that must be on the media.
class FailureTraffic {
 public:
  FailureTraffic(drive::Drive& disk, std::vector<AtHost*> hosts, bool cached, std::uint64_t seed)
      : disk_(disk), hosts_(std::move(hosts)), random_(seed, "failure"), cached_(cached), versions_(kSpan, {{0, 0, true}}) {
    for (AtHost* host : hosts_) {
      host->on_accepted = [this](Transaction& t) { accepted(t); };
      host->on_finished = [this, host](Transaction& t) { finished(t, host); };
    }
  }

  std::uint64_t issued = 0, good = 0, failed = 0, aborted = 0;
  std::function<void()> on_event;  ///< called in the hosts' callbacks

  void fill(int each) {
    for (AtHost* host : hosts_)
      for (int i = 0; i < each; ++i) issue(host);
  }
  void make(Transaction& t) {
    t.extension.flush = false;
    t.extension.fua = false;
    t.extension.attribute = TaskAttribute::Simple;
    t.extension.deadline = core::kNoDeadline;
    t.extension.cls = static_cast<RequestClass>(random_.below(3));
    if (random_.below(12) == 0) {
      t.set_flush();
    } else {
      const auto blocks = static_cast<std::uint32_t>(1 + random_.below(40));
      const std::uint64_t first = random_.below(kSpan - blocks + 1);
      const bool write = t.extension.cls != RequestClass::Continuous && random_.below(3) != 0;
      t.set(write, first, blocks, static_cast<std::uint8_t>(1 + random_.below(255)));
      t.extension.fua = random_.below(6) == 0;
      if (t.extension.cls == RequestClass::Continuous)
        t.extension.deadline = core::now_ps() + static_cast<Picoseconds>(20 + random_.below(200)) * kMs;
    }
    const std::uint64_t dice = random_.below(30);
    if (dice == 0) t.extension.attribute = TaskAttribute::Ordered;
    if (dice == 1) t.extension.attribute = TaskAttribute::HeadOfQueue;
    ++issued;
  }
  void ended(Transaction& t) {
    const CommandTiming& timing = t.timing();
    EXPECT_EQ(timing.parts(), timing.response());
    EXPECT_LE(timing.completed, core::now_ps());
    const auto number = number_.find(&t);  // a blocking call has none
    if (t.extension.status == CommandStatus::DriveFailed || t.extension.status == CommandStatus::Aborted) {
      EXPECT_EQ(t.status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
      ++(t.extension.status == CommandStatus::Aborted ? aborted : failed);
      if (t.write() && number != number_.end())
        for (std::uint64_t b = t.lba(); b < t.lba() + t.blocks(); ++b) forget(b, number->second);
      return;
    }
    EXPECT_EQ(t.extension.status, CommandStatus::Good);
    EXPECT_EQ(t.status(), tlm::TLM_OK_RESPONSE);
    ++good;
    if (number == number_.end()) return;
    if (t.write())
      for (std::uint64_t b = t.lba(); b < t.lba() + t.blocks(); ++b)
        for (Version& v : versions_[b]) v.answered = v.answered || v.number == number->second;
    if (t.write() && (t.extension.fua || !cached_))
      for (std::uint64_t b = t.lba(); b < t.lba() + t.blocks(); ++b) settle(b, number->second);
    if (t.extension.flush)
      for (std::uint64_t b = 0; b < kSpan; ++b) settle(b, number->second);
  }
  /// The drive has accepted the command: from now on its data may be on the media.
  void accepted(Transaction& t) {
    number_[&t] = ++accepted_;
    if (t.write())
      for (std::uint64_t b = t.lba(); b < t.lba() + t.blocks(); ++b) versions_[b].push_back({t.data[0], accepted_, false});
    if (on_event) on_event();
  }

  /// Checks after a failure that every block has one of its possible contents, complete; these are its contents from now on.
  void check_media() {
    std::vector<std::uint8_t> bytes(kSpan * 512);
    disk_.media().read(0, bytes.data(), bytes.size());
    for (std::uint64_t b = 0; b < kSpan; ++b) {
      const std::uint8_t found = bytes[b * 512];
      for (std::uint64_t i = 0; i < 512; ++i) ASSERT_EQ(bytes[b * 512 + i], found) << "block " << b << " is torn";
      ASSERT_TRUE(std::any_of(versions_[b].begin(), versions_[b].end(), [&](const Version& v) { return v.fill == found; }))
          << "block " << b << " holds " << int{found} << ", which it cannot";
      lost_ += found != versions_[b].back().fill ? 1u : 0u;
      versions_[b] = {{found, 0, true}};
    }
  }
  std::uint64_t lost() const { return lost_; }

  /// The same check of the state that a loss of power would leave, in which one block may be torn. Returns its number, kSpan if none is.
  std::uint64_t check(const drive::DurableImage& image) const {
    std::vector<std::uint8_t> bytes(kSpan * 512);
    image.media.read(0, bytes.data(), bytes.size());
    std::uint64_t torn = kSpan;
    for (std::uint64_t b = 0; b < kSpan; ++b) {
      if (image.media.unreadable(b * 512, 512)) {
        EXPECT_EQ(torn, kSpan) << "two blocks are torn";
        torn = b;
        continue;
      }
      const std::uint8_t found = bytes[b * 512];
      EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(b * 512),
                              bytes.begin() + static_cast<std::ptrdiff_t>((b + 1) * 512),
                              [&](std::uint8_t byte) { return byte == found; }));
      EXPECT_TRUE(std::any_of(versions_[b].begin(), versions_[b].end(), [&](const Version& v) { return v.fill == found; }))
          << "block " << b << " would hold " << int{found} << ", which it cannot";
    }
    return torn;
  }

 private:
  struct Version {
    std::uint8_t fill;
    std::uint64_t number;  ///< of the write, in order of acceptance
    bool answered;         ///< until completion it may have been aborted
  };

  /// The writes accepted up to `number` are on the media, except aborted ones.
  void settle(std::uint64_t block, std::uint64_t number) {
    auto& versions = versions_[block];
    auto base = versions.begin();
    for (auto v = versions.begin(); v != versions.end(); ++v)
      if (v->number <= number && v->answered) base = v;
    versions.erase(versions.begin(), base);
  }
  /// The write accepted as `number` was refused or has failed. If it has reached the media, this has been checked.
  void forget(std::uint64_t block, std::uint64_t number) {
    auto& versions = versions_[block];
    versions.erase(std::remove_if(versions.begin(), versions.end(), [&](const Version& v) { return v.number == number; }),
                   versions.end());
  }
  void issue(AtHost* host) {
    Transaction& t = host->reuse();
    make(t);
    host->submit(t);
  }
  void finished(Transaction& t, AtHost* host) {
    ended(t);
    if (t.extension.status != CommandStatus::DriveFailed) issue(host);
    if (on_event) on_event();
  }

  drive::Drive& disk_;
  std::vector<AtHost*> hosts_;
  core::RandomStream random_;
  bool cached_;
  std::vector<std::vector<Version>> versions_;
  std::map<const Transaction*, std::uint64_t> number_;
  std::uint64_t accepted_ = 0;
  std::uint64_t lost_ = 0;
};

class DriveFailures : public ::testing::TestWithParam<FailureCase> {};

TEST_P(DriveFailures, LoseNothing) {
  const FailureCase& c = GetParam();
  DriveProfile profile = cached_toy_profile(c.write_back);
  profile.task_attributes = true;
  profile.queue_depth = 12;
  profile.token_rate_bytes_per_s = c.token_rate;
  profile.token_depth_bytes = 64 * 1024;
  profile.zero_latency_write = c.zero_latency;
  if (c.saved) profile.power_loss.cache = profile::LostCache::Saved;
  const auto disk = make_drive("disk", c.policy, c.engine, profile);
  AtHost best_effort("best_effort", *disk);
  AtHost media("media", *disk);
  best_effort.end_response = c.end_response;
  best_effort.response_delay = 300 * kUs;
  FailureTraffic traffic(*disk, {&best_effort, &media}, c.write_back != WriteBack::Off && !c.saved, 1);
  core::RandomStream random(2, "instants");
  std::uint64_t blocking = 0;
  std::uint64_t immediate = 0, in_callback = 0, held = 0;
  constexpr int kCallers = 4;
  bool over = false;
  std::uint64_t life = 0;
  Script callers("callers", *disk, [&](Script& s) {
    for (int i = 0; i < kCallers; ++i)
      s.spawn([&] {
        Transaction t(nullptr);
        while (!over) {
          if (!disk->power().alive()) {
            s.pause(1 * kMs);
            continue;
          }
          traffic.make(t);
          ++blocking;
          // The test cannot know when the drive accepts a blocking call, so these calls write to blocks that are not checked.
          if (t.write()) t.payload.set_address(t.payload.get_address() + (kSpan + 64) * 512);
          s.transport(t);
          --blocking;
          traffic.ended(t);
        }
      });
  });
  const int failures = static_cast<int>(scaled(100));
  std::uint64_t taken_back = 0, torn = 0;
  const auto aborts_and_images = [&](Script& s) {
    for (std::uint64_t i = random.below(8); i > 0; --i) {
      s.pause(static_cast<Picoseconds>(1 + random.below(8'000'000'000)));
      if (disk->abort(core::Tag(static_cast<std::uint16_t>(random.below(14))))) ++taken_back;
      torn += traffic.check(disk->power_loss_image()) != kSpan ? 1u : 0u;
    }
  };
  Script failing("failing", [&](Script& s) {
    for (int i = 0; i < failures; ++i) {
      traffic.fill(10);
      s.pause(static_cast<Picoseconds>(1 + random.below(60'000'000'000)));
      aborts_and_images(s);
      s.pause(1);
      const bool within_call = random.below(2) == 0;
      const bool back = random.below(4) == 0;  // revived in the same instant
      const std::uint64_t how = c.saved ? random.below(3) : 0;
      const auto set_alive = [&](bool alive) {
        if (how == 0) disk->set_alive(alive);
        if (how == 1) alive ? disk->restore_power() : disk->cut_power();
        if (how == 2 && !alive) disk->restart(0);
      };
      const std::uint64_t before = traffic.failed + traffic.aborted;
      held += disk->host_port().admission().token_bucket().waiting();
      const auto fail = [&] {
        set_alive(false);
        traffic.check_media();
        if (!back) return;
        set_alive(true);
        ++immediate;
      };
      if (within_call && how != 2) {
        bool done = false;
        std::uint64_t calls = random.below(4);
        traffic.on_event = [&] {
          if (done || calls-- > 0) return;
          done = true;
          fail();
        };
        while (!done) s.pause(100 * kUs);
        traffic.on_event = {};
        ++in_callback;
      } else {
        fail();
      }
      ++life;
      s.pause(1);
      if (how == 2) taken_back += traffic.failed + traffic.aborted - before;
      // Responses are sent within the instant, except to a host that delays the end of each response.
      if (best_effort.end_response != EndResponse::Later && !disk->power().alive()) {
        EXPECT_EQ(disk->queue().occupancy(), 0u);
        EXPECT_EQ(traffic.issued, traffic.good + traffic.failed + traffic.aborted) << "failure " << i;
      }
      EXPECT_TRUE(disk->engine().empty() || disk->power().alive());
      s.pause(20 * kMs);
      if (!disk->power().alive()) {
        EXPECT_EQ(disk->queue().occupancy(), 0u);
        EXPECT_EQ(blocking, 0u);
        EXPECT_EQ(traffic.issued, traffic.good + traffic.failed + traffic.aborted) << "failure " << i;
        EXPECT_FALSE(best_effort.requesting() || media.requesting());
        set_alive(true);
      }
      EXPECT_GT(traffic.failed + traffic.aborted, before) << "there was something to lose";
    }
    over = true;
  });
  for (int k = 0; k < 4000 && !failing.done(); ++k) run_until(core::now_ps() + 10 * kMs);
  ASSERT_TRUE(failing.done()) << "it hangs";
  run_until(core::now_ps() + 3'000 * kMs);
  EXPECT_EQ(life, static_cast<std::uint64_t>(failures));
  EXPECT_EQ(blocking, 0u);
  disk->set_alive(false);
  run_until(core::now_ps() + 100 * kMs);
  EXPECT_EQ(traffic.issued, traffic.good + traffic.failed + traffic.aborted);
  EXPECT_LE(traffic.aborted, taken_back);
  EXPECT_TRUE(traffic.aborted == taken_back || c.end_response == EndResponse::Later)
      << "a slow host may receive the failure instead";
  EXPECT_GT(taken_back, scaled(40u));
  if (c.saved) EXPECT_EQ(torn, 0u);
  if (!c.saved) EXPECT_GT(torn, scaled(10u));
  EXPECT_TRUE(best_effort.all_released() && media.all_released());
  EXPECT_EQ(disk->queue().occupancy(), 0u);
  std::uint64_t failed = 0;
  for (const auto cls : {RequestClass::Discrete, RequestClass::Continuous, RequestClass::Background})
    failed += disk->host_port().counters(cls).failed;
  EXPECT_EQ(failed, traffic.failed + traffic.aborted);
  EXPECT_EQ(disk->host_port().completed(), traffic.good);
  EXPECT_GT(traffic.good, traffic.failed / 5) << "it works between its failures";
  EXPECT_GT(in_callback, scaled(20u));
  EXPECT_TRUE(immediate > 10 || kScale > 1) << immediate;
  EXPECT_TRUE(traffic.lost() > 0 || c.write_back == WriteBack::Off) << "cached writes that were not flushed";
  EXPECT_EQ(held > 0, c.token_rate > 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, DriveFailures,
    ::testing::Values(FailureCase{"firmware", "SPTF", "firmware", WriteBack::Off},
                      FailureCase{"firmware_cached", "LOOK", "firmware", WriteBack::Interleaved},
                      FailureCase{"firmware_appending", "SPTF", "firmware", WriteBack::Append, 0, EndResponse::Updated},
                      FailureCase{"firmware_zero_latency", "SPTF", "firmware", WriteBack::Off, 0, EndResponse::Completed, true},
                      FailureCase{"firmware_clusters", "OPS:SCAN/CLUST-CYL(4|20)", "firmware", WriteBack::Interleaved},
                      FailureCase{"firmware_slack", "OPS:SLACK(3|1)", "firmware", WriteBack::Append},
                      FailureCase{"firmware_famish", "OPS:FAMISH", "firmware", WriteBack::Interleaved},
                      FailureCase{"firmware_cello", "CELLO(1|1|1)", "firmware", WriteBack::Interleaved},
                      FailureCase{"firmware_gated", "OPS:SCAN/CI-OPT(6)", "firmware", WriteBack::Interleaved, 2'000'000},
                      FailureCase{"firmware_saved", "SPTF", "firmware", WriteBack::Interleaved, 2'000'000,
                                  EndResponse::Completed, false, true},
                      FailureCase{"firmware_slow_host", "SPTF", "firmware", WriteBack::Interleaved, 0, EndResponse::Later},
                      FailureCase{"model", "SPTF", "model", WriteBack::Off},
                      FailureCase{"model_cached", "OPS:SCAN/CI-SPTF", "model", WriteBack::Interleaved},
                      FailureCase{"model_clusters", "OPS:SCAN/CLUST-REQ(4)", "model", WriteBack::Interleaved, 2'000'000,
                                  EndResponse::Updated},
                      FailureCase{"model_orders", "OPS:SCAN/CI-OPT(6)", "model", WriteBack::Append},
                      FailureCase{"lockstep_sptf", "SPTF", "lockstep", WriteBack::Append},
                      FailureCase{"lockstep_elevator", "LOOK", "lockstep", WriteBack::Off},
                      FailureCase{"lockstep_clusters", "OPS:SCAN/CLUST-REQ(4)", "lockstep", WriteBack::Interleaved},
                      FailureCase{"lockstep", "OPS:SCAN/CI-OPT(6)", "lockstep", WriteBack::Interleaved}),
    [](const auto& test) { return std::string(test.param.name); });

/// The host's statistics count the requests, with generated requests and an end of the run.
TEST(DriveFailure, TheHostsStatisticsAddUp) {
  DriveProfile profile = atlas_profile();
  profile.token_rate_bytes_per_s = 1'000'000;
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = false;
  config.fails_at = 1234567891011;
  const auto disk =
      std::make_unique<drive::Drive>("disk", config, system::engine_factory(engine_options("SPTF", "firmware", profile)));
  const workload::Target target{disk->planner().geometry().block_count(), 512};
  workload::Initiator host("host");
  host.disk_init_socket.bind(disk->host_tgt_socket);
  host.best_effort_init_socket.bind(disk->host_tgt_socket);
  workload::RoundsProducer::Options rounds;
  rounds.streams = 10;
  rounds.round = 250 * kMs;
  rounds.mean_bytes = 100'000;
  workload::RoundsProducer continuous(target, rounds, {});
  workload::RandomProducer::Options random;
  random.rate_per_s = 100;
  random.mean_bytes = 16'384;
  random.read_fraction = 0.5;
  workload::RandomProducer discrete(target, random);
  host.add_producer(continuous);
  host.add_producer(discrete);
  host.set_end(2'000 * kMs);
  observe::Statistics statistics(0);
  host.add_observer(statistics);
  run_until(2'000 * kMs);
  host.for_each_outstanding([&](const workload::Request& request) { statistics.outstanding(request, 2'000 * kMs); });
  EXPECT_NO_THROW(statistics.check_conservation());
  for (const auto cls : {RequestClass::Continuous, RequestClass::Discrete}) {
    const observe::ClassStatistics& s = statistics.of(cls);
    EXPECT_GT(s.completed, 0u);
    EXPECT_GT(s.failed, 0u);
    EXPECT_EQ(s.failed, disk->host_port().counters(cls).failed);
    EXPECT_EQ(s.completed, disk->host_port().counters(cls).reads + disk->host_port().counters(cls).writes);
  }
  EXPECT_EQ(statistics.of(RequestClass::Continuous).late, 0u) << "best effort did not hold them up";
  EXPECT_LE(statistics.of(RequestClass::Discrete).bytes, 1'234'568u + 512 * 1024) << "rate and one bucket";
}

class PowerLoss : public ::testing::TestWithParam<bool> {};

/// In the middle of a write of 40 sectors: the sectors written so far are on the media, one sector is torn, the others are unchanged.
TEST_P(PowerLoss, ATornSectorCannotBeReadUntilItIsWritten) {
  DriveProfile profile = toy_profile();
  profile.zero_latency_write = GetParam();
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  const auto other = make_drive("other", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  std::optional<drive::DurableImage> found;
  std::uint64_t torn = 0;
  bool powered = false;
  Script script("script", *other, [&](Script& s) {
    while (!powered) s.pause(1 * kMs);
    Transaction t(nullptr);
    t.set(false, 0, 64);
    s.transport(t);
    EXPECT_EQ(t.extension.status, CommandStatus::Unreadable);
    EXPECT_EQ(t.extension.first_bad, torn);
    EXPECT_EQ(t.extension.sense(), (command::Sense{0x3, 0x11, 0x00}));
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    EXPECT_GT(t.timing().transfer, 0) << "it was tried";
    if (torn > 10) s.access(t, false, 10, static_cast<std::uint32_t>(torn - 10));
    if (torn < 49) s.access(t, false, torn + 1, static_cast<std::uint32_t>(49 - torn));
    s.access(t, true, torn, 1, 0x33);
    s.access(t, false, 0, 64);
    EXPECT_EQ(t.data[torn * 512], 0x33);
  });

  host.submit(true, 10, 40, 0x11);
  run_until(50 * kMs);
  ASSERT_EQ(host.finished(), 1u);
  host.submit(true, 10, 40, 0x22);
  std::uint64_t before = 0;
  while (host.finished() < 2) {
    run_until(core::now_ps() + 37 * kUs);
    drive::DurableImage image = disk->power_loss_image();
    std::vector<std::uint8_t> bytes(64 * 512);
    image.media.read(0, bytes.data(), bytes.size());
    std::uint64_t written = 0;
    std::uint64_t bad = 0;
    for (std::uint64_t b = 10; b < 50; ++b) {
      ASSERT_TRUE(bytes[b * 512] == 0x22 || bytes[b * 512] == 0x11);
      bad += image.media.unreadable(b * 512, 512) ? 1u : 0u;
      written += bytes[b * 512] == 0x22 ? 1u : 0u;
    }
    ASSERT_LE(bad, 1u);
    ASSERT_GE(written, before) << "what is durable stays";
    before = written;
    if (bad == 0 || written < 20 || found) continue;
    torn = *image.media.unreadable(0, bytes.size()) / 512;
    EXPECT_TRUE(torn == 10 + written || GetParam()) << torn << " " << written;
    found = std::move(image);
  }
  ASSERT_TRUE(found);
  EXPECT_EQ(before, 40u);
  other->power_up(*found);
  powered = true;
  run_until(core::now_ps() + 10'000 * kMs);  // a torn sector is read with all retries
  EXPECT_TRUE(script.done());
}

/// A write of a part of physical sectors of 4 KiB: nothing changes while they are read, then one of them after the other is torn as a whole.
TEST(PowerLossOfPhysicalSectors, TearsThemAsAWhole) {
  DriveProfile profile = toy_profile();
  profile.geometry.physical_sector_bytes = 4096;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  host.submit(true, 10, 20, 0x22);
  std::vector<std::uint64_t> bad_counts;
  std::uint64_t untouched = 0;
  while (host.finished() < 1) {
    run_until(core::now_ps() + 37 * kUs);
    const drive::DurableImage image = disk->power_loss_image();
    std::vector<std::uint64_t> bad;
    for (std::uint64_t b = 0; b < 64; ++b)
      if (image.media.unreadable(b * 512, 512)) bad.push_back(b);
    untouched += bad.empty() ? 1u : 0u;
    if (bad.empty()) continue;
    ASSERT_EQ(bad.size(), 8u);
    ASSERT_EQ(bad.front() % 8, 0u);
    ASSERT_EQ(bad.back(), bad.front() + 7);
    ASSERT_TRUE(bad.front() >= 8 && bad.front() <= 24) << bad.front();
    bad_counts.push_back(bad.front());
  }
  EXPECT_TRUE(std::is_sorted(bad_counts.begin(), bad_counts.end()));
  EXPECT_EQ(bad_counts.front(), 8u) << "blocks before the write are in its first physical sector";
  EXPECT_EQ(bad_counts.back(), 24u);
  const auto turn = static_cast<std::uint64_t>(disk->planner().rotation().period() / (37 * kUs));
  EXPECT_GE(untouched, turn - 2) << "a turn for the read";
}

/// A drive of less than a physical sector, on a track without another sector for a spare.
TEST(PowerLossOfPhysicalSectors, TearsTheLastOneOfADriveThatEndsInIt) {
  DriveProfile profile = toy_profile();
  profile.geometry.cylinders = profile.geometry.surfaces = 1;
  profile.geometry.physical_sector_bytes = 4096;
  profile.geometry.blocks = 4;
  profile.geometry.zones[0].last_cylinder = 0;
  profile.geometry.zones[0].sectors_per_track = 8;
  const auto disk = make_drive("disk", "FCFS", "firmware", profile);
  AtHost host("host", *disk);
  host.submit(true, 1, 3, 0x22);
  std::uint64_t torn = 0;
  while (host.finished() < 1) {
    run_until(core::now_ps() + 37 * kUs);
    torn += disk->power_loss_image().media.unreadable(0, 512) ? 1u : 0u;
  }
  EXPECT_NEAR(static_cast<double>(torn), 6'400.0 / 37, 2) << "while it is under the head, a turn";
  media::Fault fault;
  fault.kind = media::FaultKind::WriteFault;
  fault.first = 0;
  disk->add_fault(fault);
  host.submit(true, 0, 4, 0x33);
  run_until(core::now_ps() + 10'000 * kMs);
  EXPECT_EQ(host.finished(), 2u);
  EXPECT_EQ(disk->media_errors().reallocated, 1u);
}

INSTANTIATE_TEST_SUITE_P(Both, PowerLoss, ::testing::Values(false, true),
                         [](const auto& test) { return std::string(test.param ? "zero_latency" : "in_order"); });

}  // namespace
}  // namespace platter::testing
