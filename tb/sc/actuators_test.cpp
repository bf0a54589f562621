// SPDX-License-Identifier: Apache-2.0
//
// Drives with two actuators: each is exactly a drive of its own with half of the surfaces, and they share queue, bus and flushes.
#include "scsi_rig.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "platter/core/random.h"
#include "platter/crash/checked_port.h"
#include "platter/front/ahci/ata_pages.h"
#include "platter/mechanics/actuator_layout.h"

namespace platter::testing {
namespace {

using core::RandomStream;
using profile::DriveProfile;
using profile::WriteBack;

constexpr std::uint64_t kHalf = kToyBlocks / 2;

DriveProfile with_two_actuators(DriveProfile profile) {
  profile.geometry.actuators = 2;
  return profile;
}

/// The share of one actuator as a drive of its own.
DriveProfile half_of(DriveProfile profile, std::uint32_t actuator) {
  profile.geometry = mechanics::share_of(profile.geometry, actuator);
  profile.cache.segments /= 2;
  profile.cache.write_segments /= 2;
  return profile;
}

struct Io {
  bool write;
  std::uint64_t lba;
  std::uint32_t blocks;
};

/// Random commands within [from, from + span); half of the writes' places come again as reads.
std::vector<Io> random_ios(std::size_t count, std::uint64_t seed, std::uint64_t from, std::uint64_t span, double writes = 0.5) {
  RandomStream random(seed, "ios");
  std::vector<Io> ios;
  for (std::size_t i = 0; i < count; ++i) {
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(24));
    const bool again = !ios.empty() && random.below(4) == 0;
    const Io io{random.below(1000) < static_cast<std::uint64_t>(writes * 1000), from + random.below(span - blocks + 1), blocks};
    ios.push_back(again ? Io{!ios.back().write, ios.back().lba, ios.back().blocks} : io);
  }
  return ios;
}

/// Keeps `depth` commands of a list outstanding until the list ends. `route` gives the host of a command and its block there.
class Loop {
 public:
  using Route = std::function<std::pair<AtHost*, std::uint64_t>(std::uint64_t lba)>;

  Loop(std::vector<AtHost*> hosts, std::vector<Io> ios, std::size_t depth, Route route)
      : ios_(std::move(ios)), route_(std::move(route)) {
    timings.resize(ios_.size());
    for (AtHost* host : hosts)
      host->on_finished = [this](Transaction& transaction) {
        timings[numbers_.at(&transaction)] = transaction.timing();
        EXPECT_EQ(transaction.status(), tlm::TLM_OK_RESPONSE);
        last = core::now_ps();
        issue();
      };
    for (std::size_t i = 0; i < depth; ++i) issue();
  }

  std::vector<CommandTiming> timings;  ///< in the order of the list
  Picoseconds last = 0;                ///< when the last command has ended

 private:
  void issue() {
    if (next_ == ios_.size()) return;
    const Io& io = ios_[next_];
    const auto [host, lba] = route_(io.lba);
    Transaction& transaction = host->reuse();
    numbers_[&transaction] = next_++;
    transaction.set(io.write, lba, io.blocks);
    host->submit(transaction);
  }

  std::vector<Io> ios_;
  Route route_;
  std::map<const Transaction*, std::size_t> numbers_;
  std::size_t next_ = 0;
};

struct Rig {
  Rig(const char* name, const DriveProfile& profile, const char* policy, const char* engine = "firmware")
      : disk(make_drive(name, policy, engine, profile)), host((std::string(name) + "_host").c_str(), *disk) {}
  std::unique_ptr<drive::Drive> disk;
  AtHost host;
};

struct Case {
  const char* name;
  bool cached;
  const char* policy;
  std::uint32_t actuator;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class OneActuatorLoaded : public ::testing::TestWithParam<Case> {};

/// Commands of one actuator's blocks take the times that they take on a drive of half the surfaces, to the picosecond.
TEST_P(OneActuatorLoaded, IsADriveOfHalfTheSurfaces) {
  const Case& c = GetParam();
  const DriveProfile profile = with_two_actuators(c.cached ? cached_toy_profile(WriteBack::Interleaved) : toy_profile());
  Rig two("two", profile, c.policy);
  Rig half("half", half_of(profile, c.actuator), c.policy);
  ASSERT_EQ(two.disk->actuators(), 2u);
  ASSERT_EQ(two.disk->capacity_sectors(), 2 * half.disk->capacity_sectors());
  const std::uint64_t from = c.actuator * kHalf;
  std::vector<Io> ios = random_ios(scaled(600), 7, from, kHalf);
  // The read-ahead ends with the actuator's blocks.
  for (const std::uint64_t behind : {64u, 48u, 32u, 16u}) ios.push_back({false, from + kHalf - behind, 16});
  Loop on_two({&two.host}, ios, 12, [&](std::uint64_t lba) { return std::pair(&two.host, lba); });
  Loop on_half({&half.host}, ios, 12, [&](std::uint64_t lba) { return std::pair(&half.host, lba - from); });
  run_until(60'000 * kMs);
  ASSERT_EQ(on_two.timings.size(), ios.size());
  for (std::size_t i = 0; i < ios.size(); ++i) {
    ASSERT_GT(on_half.timings[i].completed, 0);
    ASSERT_TRUE(same_times(on_two.timings[i], on_half.timings[i])) << "command " << i;
  }
  EXPECT_EQ(two.disk->actuator(c.actuator).busy(core::now_ps()), half.disk->actuator().busy(core::now_ps()));
  EXPECT_EQ(two.disk->actuator(1 - c.actuator).accesses(), 0u);
  EXPECT_EQ(two.disk->cache_statistics().read_hits, half.disk->cache_statistics().read_hits);
  EXPECT_EQ(two.disk->cache_statistics().destages, half.disk->cache_statistics().destages);
  EXPECT_EQ(two.disk->cache_statistics().destages > 0, c.cached);
}

INSTANTIATE_TEST_SUITE_P(All, OneActuatorLoaded,
                         ::testing::Values(Case{"first", false, "SPTF", 0}, Case{"second", false, "SPTF", 1},
                                           Case{"first_cached", true, "SPTF", 0}, Case{"second_cached", true, "SCAN", 1}),
                         [](const auto& test) { return std::string(test.param.name); });

/// Both actuators together do what two drives of half the surfaces do behind the same split of the addresses.
TEST(BothActuatorsLoaded, AreTwoDrives) {
  const DriveProfile profile = with_two_actuators(toy_profile());
  Rig two("two", profile, "SPTF");
  Rig low("low", half_of(profile, 0), "SPTF");
  Rig high("high", half_of(profile, 1), "SPTF");
  Rig one("one", half_of(profile, 0), "SPTF");
  const std::vector<Io> ios = random_ios(scaled(1200), 11, 0, kHalf, 0);
  std::vector<Io> both = ios;
  for (std::size_t i = 0; i < both.size(); ++i)
    if (i * 2654435761u >> 7 & 1) both[i].lba += kHalf;
  Loop on_two({&two.host}, both, 16, [&](std::uint64_t lba) { return std::pair(&two.host, lba); });
  Loop on_drives({&low.host, &high.host}, both, 16, [&](std::uint64_t lba) {
    return lba < kHalf ? std::pair(&low.host, lba) : std::pair(&high.host, lba - kHalf);
  });
  Loop on_one({&one.host}, ios, 16, [&](std::uint64_t lba) { return std::pair(&one.host, lba); });
  run_until(120'000 * kMs);
  ASSERT_GT(on_two.last, 0);
  const double of_drives = static_cast<double>(on_drives.last) / static_cast<double>(on_two.last);
  EXPECT_NEAR(of_drives, 1, 0.02) << "only the shared bus, a hundredth of a rotation, is between them";
  const double gain = static_cast<double>(on_one.last) / static_cast<double>(on_two.last);
  EXPECT_GT(gain, 1.5);
  EXPECT_LE(gain, 2.0);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(two.disk->actuator(i).accesses(), both.size() / 3);
}

class ACommandOverBoth : public ::testing::TestWithParam<bool> {};

TEST_P(ACommandOverBoth, IsServedByOneAfterTheOther) {
  const DriveProfile profile = GetParam() ? cached_toy_profile(WriteBack::Interleaved) : toy_profile();
  const auto disk = make_drive("disk", "SPTF", "firmware", with_two_actuators(profile));
  Script script("script", *disk, [&](Script& s) {
    Transaction t(nullptr);
    s.access(t, true, kHalf - 20, 16, 0x11);
    s.access(t, true, kHalf + 4, 16, 0x12);
    s.access(t, true, kHalf - 8, 16, 0x22);
    EXPECT_GT(disk->actuator(0).accesses(), 0u);
    EXPECT_GT(disk->actuator(1).accesses(), 0u);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    s.access(t, false, kHalf - 20, 40);
    EXPECT_EQ(t.timing().parts(), t.timing().response());
    for (std::size_t block = 0; block < 40; ++block)
      EXPECT_EQ(t.data[block * 512], block < 12 ? 0x11 : block < 28 ? 0x22 : 0x12) << block;
    s.access(t, false, kHalf - 1, 1);
    EXPECT_EQ(t.data[0], 0x22);
    s.access(t, false, kHalf, 1);
    EXPECT_EQ(t.data[0], 0x22);
    EXPECT_EQ(disk->cache_statistics().read_hits, 0u) << "nothing of it is in the buffer";
  });
  script.run_to_end();
}

INSTANTIATE_TEST_SUITE_P(Both, ACommandOverBoth, ::testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "cached" : "plain"); });

/// A read over the middle that arrives while writes of both parts wait gets their data, and a younger write waits for an older one.
TEST(Actuators, TheOrderOfOverlappingCommandsHoldsOverBoth) {
  Rig two("two", with_two_actuators(toy_profile()), "SPTF");
  Transaction& old_write = two.host.submit(true, kHalf - 4, 8, 0x11);
  Transaction& low = two.host.submit(true, kHalf - 4, 2, 0x22);
  Transaction& high = two.host.submit(true, kHalf + 2, 2, 0x33);
  Transaction& read = two.host.submit(false, kHalf - 4, 8);
  sc_core::sc_start();
  EXPECT_TRUE(two.host.all_released());
  EXPECT_GE(low.timing().started, old_write.timing().completed);
  EXPECT_GE(high.timing().started, old_write.timing().completed);
  for (std::size_t block = 0; block < 8; ++block)
    EXPECT_EQ(read.data[block * 512], block < 2 ? 0x22 : block < 6 ? 0x11 : 0x33) << block;
}

/// The drive reads on for waiting reads, but the buffer serves none over the middle.
TEST(Actuators, AReadOverBothBehindAStreamIsWhole) {
  Rig two("two", with_two_actuators(cached_toy_profile(WriteBack::Interleaved)), "SPTF");
  two.host.submit(true, kHalf + 2, 8, 0x12);
  run_until(100 * kMs);
  two.host.submit(false, kHalf - 40, 20);
  Transaction& read = two.host.submit(false, kHalf - 20, 40);
  sc_core::sc_start();
  EXPECT_EQ(read.data[22 * 512], 0x12);
}

/// Reads return what the order of arrival implies, and flushes and FUA keep their promises, with many commands over the middle at once.
TEST(Actuators, KeepTheDataOfAMixedLoad) {
  const auto disk = make_drive("disk", "SPTF", "firmware", with_two_actuators(cached_toy_profile(WriteBack::Interleaved)));
  crash::CheckedPort port("port", crash::History(512, {}), {});
  AtHost host("host", port);
  port.disk_init_socket.bind(disk->host_tgt_socket);
  port.own_init_socket.bind(disk->host_tgt_socket);
  std::vector<Io> ios = random_ios(scaled(500), 5, kHalf - 100, 200);
  const std::vector<Io> others = random_ios(scaled(500), 6, 0, kToyBlocks);
  for (std::size_t i = 0; i < others.size(); ++i) ios.insert(ios.begin() + static_cast<std::ptrdiff_t>(2 * i), others[i]);
  std::size_t over_both = 0;
  for (const Io& io : ios)
    if (io.lba < kHalf && io.lba + io.blocks > kHalf) ++over_both;
  ASSERT_GT(over_both, 10u);
  Loop loop({&host}, ios, 16, [&](std::uint64_t lba) { return std::pair(&host, lba); });
  run_until(60'000 * kMs);
  EXPECT_EQ(host.finished(), ios.size());
  EXPECT_FALSE(port.violation().has_value()) << port.violation().value_or("");
  EXPECT_GT(disk->cache_statistics().cached_writes, scaled(100));
}

TEST(Actuators, AFlushWaitsForTheWritesOfBoth) {
  Rig two("two", with_two_actuators(cached_toy_profile(WriteBack::Interleaved)), "SPTF");
  two.host.submit(true, 100, 8, 0x11);
  two.host.submit(true, kHalf + 5'000, 8, 0x22);
  Transaction& flush = two.host.flush();
  bool dirty = true;
  two.host.on_finished = [&](Transaction& transaction) {
    if (&transaction == &flush) dirty = two.disk->segments(0)->any_dirty() || two.disk->segments(1)->any_dirty();
  };
  sc_core::sc_start();
  EXPECT_TRUE(two.host.all_released());
  EXPECT_FALSE(dirty);
  EXPECT_EQ(two.disk->cache_statistics().cached_writes, 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(two.disk->actuator(i).accesses(), 1u);
}

/// The power fails while both actuators write: both writes are cut, and nothing else is.
TEST(Actuators, ALossOfPowerCutsTheWritesOfBoth) {
  Rig two("two", with_two_actuators(toy_profile()), "SPTF");
  std::uint64_t torn[2] = {0, 0};
  Script script("script", *two.disk, [&](Script& s) {
    Transaction t(nullptr);
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (const std::uint64_t half : {std::uint64_t{0}, kHalf}) s.access(t, true, half + 8, 40, 0x11);
      for (const std::uint64_t half : {std::uint64_t{0}, kHalf}) two.host.submit(true, half + 8, 40, 0x22);
      s.pause((8 + i * 5) * 100 * kUs + i * 13 * kUs);
      two.disk->cut_power();
      s.pause(1 * kMs);
      two.disk->restore_power();
      for (std::size_t side = 0; side < 2; ++side) {
        bool fresh = true;
        for (std::uint64_t block = 0; block < 48; ++block) {
          t.set(false, side * kHalf + block, 1);
          s.transport(t);
          if (t.extension.status == CommandStatus::Unreadable) {
            ++torn[side];
            EXPECT_GE(block, 8u);
            fresh = false;
            continue;
          }
          ASSERT_EQ(t.extension.status, CommandStatus::Good);
          if (block >= 8 && t.data[0] != 0x22) fresh = false;
          EXPECT_EQ(t.data[0], block < 8 ? 0 : fresh ? 0x22 : 0x11) << "side " << side << ", block " << block;
        }
      }
    }
  });
  script.run_to_end();
  EXPECT_GT(torn[0], 0u);
  EXPECT_GT(torn[1], 0u);
}

/// Waves and logs tell the actuators apart.
TEST(Actuators, ProbesAreToldTheNumber) {
  struct Watch : drive::ProbeIf, drive::DecisionProbeIf {
    void started(const drive::AccessReport& report) override { firsts[report.actuator].push_back(report.first.value); }
    void entered(const drive::ActuatorReport& report) override {
      EXPECT_EQ(report.head, report.actuator) << "each has one of the two surfaces";
    }
    void decided(const drive::DecisionReport& report) override { ++decisions[report.actuator]; }
    std::map<std::uint32_t, std::vector<std::uint64_t>> firsts;
    std::map<std::uint32_t, std::uint32_t> decisions;
  } watch;
  Rig two("two", with_two_actuators(toy_profile()), "SPTF");
  two.disk->add_probe(watch);
  two.disk->add_decision_probe(watch);
  two.host.submit(false, 10, 1);
  two.host.submit(false, kHalf + 20, 1);
  two.host.submit(false, kHalf + 5'000, 1);
  sc_core::sc_start();
  EXPECT_EQ(watch.firsts[0], (std::vector<std::uint64_t>{10}));
  EXPECT_EQ(watch.firsts[1], (std::vector<std::uint64_t>{kHalf + 20, kHalf + 5'000}));
  EXPECT_EQ(watch.decisions[0], 1u);
  EXPECT_EQ(watch.decisions[1], 2u);
}

/// Each actuator has an accelerator. Two instances of the RTL agree with their models.
TEST(Actuators, RunInLockStepWithTwoInstancesOfTheRtl) {
  const DriveProfile profile = with_two_actuators(toy_profile());
  Rig two("two", profile, "SPTF", "lockstep");
  std::vector<Io> both = random_ios(scaled(90), 3, kHalf, kHalf);
  for (const Io& io : random_ios(scaled(90), 4, 0, kHalf)) both.push_back(io);
  Loop on_two({&two.host}, both, both.size(), [&](std::uint64_t lba) { return std::pair(&two.host, lba); });
  run_until(20'000 * kMs);
  ASSERT_GT(on_two.timings.back().completed, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(two.disk->engine(i).statistics().operations_compared, scaled(60));
    EXPECT_EQ(two.disk->engine(i).statistics().mismatches, 0u);
  }
}

/// What Linux reads of a SATA drive: log 47h, its number of pages in the directory, and ACS-5 in IDENTIFY (libata-core.c, ata_dev_config_cpr).
TEST(ActuatorsBehindAhci, AreRangesInALogThatTheDirectoryHas) {
  for (const bool two : {false, true}) {
    const DriveProfile profile = two ? with_two_actuators(toy_profile()) : toy_profile();
    const ahci::AtaIdentity identity = ahci::AtaIdentity::of(profile, kToyBlocks, "1");
    const ahci::AtaSettings settings;
    const ahci::AtaCounters counters;
    const ahci::QueuedError error;
    const ahci::DeviceHistory history;
    const ahci::SuccessSense successes{};
    const drive::DurationStatistics durations{};
    const ahci::PageSource source{identity, settings, counters, error, history, ahci::PowerMode::Active, successes, durations};
    const auto little = [](const ahci::Page& page, std::size_t at, std::size_t bytes) {
      std::uint64_t value = 0;
      for (std::size_t i = bytes; i-- > 0;) value = value << 8 | page[at + i];
      return value;
    };
    EXPECT_EQ(little(ahci::identify(identity, settings), 160, 2) >> 12, two ? 1u : 0u);
    EXPECT_EQ(little(ahci::log_pages(source, 0, 0, 1, true).value(), 2 * 0x47, 2), two ? 1u : 0u);
    EXPECT_FALSE(ahci::log_pages(source, 0x47, 0, 1, false).has_value()) << "not of SMART READ LOG";
    const auto log = ahci::log_pages(source, 0x47, 0, 1, true);
    ASSERT_EQ(log.has_value(), two);
    if (!two) continue;
    EXPECT_EQ((*log)[0], 2);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t at = 64 + 32 * i;
      EXPECT_EQ((*log)[at], i);
      EXPECT_EQ(little(*log, at + 8, 8), i * kHalf);
      EXPECT_EQ(little(*log, at + 16, 8), kHalf);
    }
  }
}

/// The same of SCSI: VPD page B9h (sd.c, sd_read_cpr).
TEST(ActuatorsBehindScsi, AreRangesInAVitalProductPage) {
  ScsiRig rig(1, with_two_actuators(scsi_profile()));
  Port port(rig, "a");
  port.settle();
  const Bytes page = port.run({0x12, 1, 0xB9, 0, 255}, {}, 255).data;
  ASSERT_EQ(page.size(), 64u + 2 * 32);
  EXPECT_EQ(core::big_endian::get(&page[2], 2) + 4, page.size());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(page[64 + 32 * i], i);
    EXPECT_EQ(core::big_endian::get(&page[64 + 32 * i + 8], 8), i * kHalf);
    EXPECT_EQ(core::big_endian::get(&page[64 + 32 * i + 16], 8), kHalf);
  }
  const Bytes pages = port.run({0x12, 1, 0x00, 0, 255}, {}, 255).data;
  EXPECT_NE(std::find(pages.begin() + 4, pages.end(), 0xB9), pages.end());
}

/// A logical unit for each actuator: the addresses of each begin at 0, and the units share neither blocks nor tags.
TEST(ActuatorsBehindScsi, MayBeLogicalUnits) {
  DriveProfile profile = with_two_actuators(scsi_profile());
  profile.actuators_by = profile::ActuatorsBy::Lun;
  ScsiRig rig(1, profile);
  Port port(rig, "a");
  const Bytes data[2] = {some_bytes(8 * 512, 1), some_bytes(8 * 512, 2)};
  for (std::uint64_t lun = 0; lun < 2; ++lun) {
    port.settle(lun);
    const Bytes capacity = port.run({0x25}, {}, 8, lun).data;
    EXPECT_EQ(core::big_endian::get(&capacity[0], 4), kHalf - 1);
    EXPECT_EQ(port.run({0x12, 1, 0xB9, 0, 255}, {}, 255, lun).status, scsi::Status::CheckCondition) << "it has one actuator";
    EXPECT_EQ(port.run(cdb10(0x2A, 24, 8, 0x08), data[lun], 0, lun).status, scsi::Status::Good);  // FUA
    EXPECT_EQ(rig.drives[0]->actuator(lun).accesses(), 1u);
  }
  for (std::uint64_t lun = 0; lun < 2; ++lun) EXPECT_EQ(port.run(cdb10(0x28, 24, 8), {}, 8 * 512, lun).data, data[lun]);
  const scsi::Task& beyond = port.run(cdb10(0x28, kHalf, 1), {}, 512, 0);
  EXPECT_EQ(beyond.status, scsi::Status::CheckCondition) << "the blocks of the other unit are not there";

  // More commands than a unit has tags, on both at once.
  const std::uint64_t before = rig.ends;
  for (std::uint32_t i = 0; i < 40; ++i)
    for (std::uint64_t lun = 0; lun < 2; ++lun) port.begin(cdb10(0x28, 200 * i, 8), {}, 8 * 512, lun);
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_SEC));
  EXPECT_EQ(rig.ends, before + 80);
  EXPECT_NEAR(static_cast<double>(rig.drives[0]->actuator(0).accesses()),
              static_cast<double>(rig.drives[0]->actuator(1).accesses()), 2);

  media::Fault fault;
  fault.first = kHalf + 5'003;
  rig.drives[0]->add_fault(fault);
  const scsi::Task& bad = port.run(cdb10(0x28, 5'000, 8), {}, 8 * 512, 1);
  EXPECT_EQ(bad.status, scsi::Status::CheckCondition);
  EXPECT_EQ(bad.sense.information, 5'003u) << "by the unit's own address";
}

TEST(Actuators, WhatADriveWithTwoCannotHaveIsRefused) {
  const auto refused = [](const DriveProfile& profile) -> std::string {
    try {
      make_drive("refused", "SPTF", "firmware", profile);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  DriveProfile profile = with_two_actuators(toy_profile());
  EXPECT_EQ(refused(profile), "");
  DriveProfile odd = profile;
  odd.geometry.surfaces = 3;
  EXPECT_EQ(refused(odd), "found 2, expected a number that divides the 3 surfaces");
  DriveProfile power = profile;
  power.power.spindle_w = 3;
  EXPECT_NE(refused(power).find("power.spindle_w"), std::string::npos);
  DriveProfile zones = profile;
  zones.zones.model = profile::ZoneModel::Managed;
  EXPECT_NE(refused(zones).find("zones.model"), std::string::npos);
  DriveProfile segments = with_two_actuators(cached_toy_profile(WriteBack::Off));
  segments.cache.segments = 7;
  EXPECT_NE(refused(segments).find("cache.segments"), std::string::npos);

  const auto disk = make_drive("disk", "SPTF", "firmware", profile);
  media::Fault fault;
  fault.first = kHalf + 3;
  EXPECT_NO_THROW(disk->add_fault(fault));
  fault.kind = media::FaultKind::WriteFault;
  EXPECT_THROW(disk->add_fault(fault), std::invalid_argument);
}

}  // namespace
}  // namespace platter::testing
