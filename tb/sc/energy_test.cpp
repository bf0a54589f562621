// SPDX-License-Identifier: Apache-2.0
//
// The account of power states: by hand on the toy drive, and under random loads against the states that a probe has seen.
#include <initializer_list>
#include <utility>

#include "platter/core/random.h"
#include "platter/drive/energy_statistics.h"
#include "testing.h"

namespace platter::testing {
namespace {

using drive::PowerState;
using drive::PowerTimes;

constexpr Picoseconds kS = core::kPicosecondsPerSecond;

profile::PowerProfile power() {
  using P = profile::PowerProfile;
  P p;
  for (const auto& [member, watts] : std::initializer_list<std::pair<double P::*, double>>{{&P::spindle_w, 6},
                                                                                           {&P::spindle_unloaded_w, 5},
                                                                                           {&P::spindle_slow_w, 3},
                                                                                           {&P::electronics_w, 2},
                                                                                           {&P::electronics_idle_a_w, 1.5},
                                                                                           {&P::electronics_standby_w, 1},
                                                                                           {&P::active_w, 0.5},
                                                                                           {&P::read_w, 1},
                                                                                           {&P::write_w, 1.25},
                                                                                           {&P::coil_w, 8},
                                                                                           {&P::start_w, 20}})
    p.*member = watts;
  return p;
}

profile::DriveProfile powered(profile::DriveProfile profile = toy_profile(), double spin_up_s = 0) {
  profile.power = power();
  profile.spin_up_s = spin_up_s;
  return profile;
}

Picoseconds in(const PowerTimes& times, PowerState state) { return times[drive::index_of(state)]; }

Picoseconds sum(const PowerTimes& times) {
  Picoseconds all = 0;
  for (const Picoseconds each : times) all += each;
  return all;
}

/// Carries out `body` on a drive to the end of `length`.
struct Rig {
  Rig(const profile::DriveProfile& profile, std::function<void(Script&)> body, const std::string& number = {})
      : disk(make_drive(("disk" + number).c_str(), "FCFS", "firmware", profile)),
        script(("script" + number).c_str(), std::move(body)),
        host(("host" + number).c_str()) {
    script.disk_init_socket.bind(disk->host_tgt_socket);
    host.disk_init_socket.bind(disk->host_tgt_socket);
  }
  PowerTimes times() const { return disk->energy()->times(core::now_ps()); }

  std::unique_ptr<drive::Drive> disk;
  Script script;
  AtHost host;
};

TEST(Energy, AProfileWithoutPowerHasNoAccount) {
  const auto disk = make_drive("disk", "FCFS", "firmware", toy_profile());
  EXPECT_EQ(disk->energy(), nullptr);
}

TEST(Energy, PowerByState) {
  const drive::PowerTable watts = drive::power_table(power());
  const auto of = [&](PowerState state) { return watts[drive::index_of(state)]; };
  EXPECT_EQ(of(PowerState::Off), 0);
  EXPECT_EQ(of(PowerState::Standby), 1);
  EXPECT_EQ(of(PowerState::Start), 20);
  EXPECT_EQ(of(PowerState::IdleC), 3 + 1.5);  // as in Idle_B and Idle_A
  EXPECT_EQ(of(PowerState::IdleB), 5 + 1.5);
  EXPECT_EQ(of(PowerState::IdleA), 6 + 1.5);
  EXPECT_EQ(of(PowerState::Idle), 8);
  EXPECT_EQ(of(PowerState::Rotation), 8.5);
  EXPECT_EQ(of(PowerState::Accelerate), 16.5);
  EXPECT_EQ(of(PowerState::Read), 9.5);
  EXPECT_EQ(of(PowerState::Write), 9.75);
}

TEST(Energy, OneReadAndOneWriteByHand) {
  Rig rig(powered(), [&](Script& script) {
    Transaction read(nullptr);
    script.access(read, false, 100 * kToyCylinder, 4);
    Transaction write(nullptr);
    script.access(write, true, 90 * kToyCylinder, 2);
  });
  run_until(1 * kS);
  const PowerTimes times = rig.times();
  // The coil carries current for as long as in the longest seek without coasting, 40 of 127 cylinders: 1,390 us less the 1,000 us of one cylinder.
  EXPECT_EQ(in(times, PowerState::Accelerate), (390 + 90) * kUs);
  EXPECT_EQ(in(times, PowerState::Coast), 600 * kUs);
  EXPECT_EQ(in(times, PowerState::Read), 400 * kUs);
  EXPECT_EQ(in(times, PowerState::Write), 200 * kUs);
  EXPECT_EQ(in(times, PowerState::Overhead), (300 + 320) * kUs);
  EXPECT_GE(in(times, PowerState::Settle), 2200 * kUs);  // and what a write waits for its data
  EXPECT_LT(in(times, PowerState::Settle), 2300 * kUs);
  EXPECT_EQ(sum(times), 1 * kS);
  EXPECT_EQ(in(times, PowerState::ReadAhead), 0);
}

TEST(Energy, AReadAheadCountsUntilItsEnd) {
  Rig rig(powered(cached_toy_profile(profile::WriteBack::Off)), [&](Script& script) {
    Transaction read(nullptr);
    script.access(read, false, 0, 8);
  });
  std::vector<Picoseconds> seen;
  bool reads_ahead = false;
  for (Picoseconds at = 0; at < 40 * kMs; at += kMs / 4) {
    run_until(at);
    const PowerTimes times = rig.times();
    EXPECT_EQ(sum(times), at);
    seen.push_back(in(times, PowerState::ReadAhead));
    EXPECT_GE(seen.back(), seen[seen.size() > 1 ? seen.size() - 2 : 0]);
    EXPECT_TRUE(!reads_ahead || seen.back() > seen[seen.size() - 2]);
    reads_ahead = rig.disk->energy()->state(at) == PowerState::ReadAhead;
    EXPECT_TRUE(reads_ahead || seen.back() == 0 || seen.back() == 24 * 100 * kUs) << at;
  }
  EXPECT_EQ(seen.back(), 24 * 100 * kUs);  // until the segment is full
}

TEST(Energy, ARestDeepensAndTheNextAccessWaits) {
  profile::DriveProfile profile = powered(toy_profile(), 5);
  profile.power.idle_a_s = 1;
  profile.power.idle_b_s = 2;
  profile.power.idle_c_s = 4;
  profile.power.standby_s = 8;
  profile.power.idle_b_recovery_s = 0.5;
  profile.power.idle_c_recovery_s = 2;
  std::vector<Picoseconds> responses;
  std::vector<Picoseconds> ends;
  Rig rig(profile, [&](Script& script) {
    for (const double pause : {0.0, 1.5, 3.0, 6.0, 20.0}) {
      script.pause(core::to_picoseconds(pause, kS));
      Transaction read(nullptr);
      script.access(read, false, 0, 1);
      responses.push_back(read.timing().response());
      ends.push_back(core::now_ps());
    }
  });
  run_until(ends.empty() ? 60 * kS : 0);
  ASSERT_EQ(responses.size(), 5u);
  const Picoseconds most = 300 * kUs + kToyTurn + 200 * kUs;  // of an access that waits for nothing
  EXPECT_LE(responses[1], most);
  EXPECT_GE(responses[2], kS / 2);
  EXPECT_LE(responses[2], kS / 2 + most);
  EXPECT_GE(responses[3], 2 * kS);
  EXPECT_LE(responses[3], 2 * kS + most);
  EXPECT_GE(responses[4], 5 * kS);
  EXPECT_LE(responses[4], 5 * kS + most);
  const PowerTimes times = rig.times();
  EXPECT_EQ(sum(times), 60 * kS);
  EXPECT_EQ(in(times, PowerState::Load), kS / 2);
  EXPECT_EQ(in(times, PowerState::Start), (2 + 5) * kS);
  // The last rest reaches standby too.
  EXPECT_NEAR(static_cast<double>(in(times, PowerState::Standby)), static_cast<double>(12 * kS + 60 * kS - ends[4] - 8 * kS),
              static_cast<double>(kMs));
  EXPECT_NEAR(static_cast<double>(in(times, PowerState::IdleC)), static_cast<double>((2 + 4 + 4) * kS),
              static_cast<double>(kMs));
  EXPECT_NEAR(static_cast<double>(in(times, PowerState::IdleB)), static_cast<double>((1 + 2 + 2 + 2) * kS),
              static_cast<double>(kMs));
  EXPECT_EQ(rig.disk->spindle().starts(), 2u);
  EXPECT_TRUE(rig.disk->spindle().stopped());
}

/// Restarts of the firmware and failures in the middle of accesses and of a read-ahead.
TEST(Energy, AnInterruptionEndsWhatTheDriveDoes) {
  Rig rig(powered(cached_toy_profile(profile::WriteBack::Off)), {});
  rig.host.submit(false, 0, 8);
  for (int i = 0; i < 99 && in(rig.times(), PowerState::ReadAhead) < kMs; ++i) run_until(core::now_ps() + 100 * kUs);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const PowerTimes before = rig.times();
    if (i % 2 == 0) rig.disk->restart(0);
    rig.disk->set_alive(i % 2 == 0);
    rig.disk->set_alive(true);
    EXPECT_EQ(rig.times(), before);
    EXPECT_EQ(rig.disk->energy()->state(core::now_ps()), PowerState::Idle);
    rig.host.submit(false, (40 + i) * kToyCylinder, 60);
    run_until(core::now_ps() + 2 * kMs);
    EXPECT_EQ(sum(rig.times()), core::now_ps());
  }
}

/// Failures, losses of power, restarts and the register SPINDLE at any instant: the account has each start, except what passes while the drive is off.
TEST(Energy, EachStartIsInTheAccount) {
  profile::DriveProfile profile = powered(toy_profile(), 5);
  profile.power.standby_s = 1;
  Rig rig(profile, {});
  drive::Drive& disk = *rig.disk;
  Registers registers("registers", disk);
  core::RandomStream random(4, "starts");
  Picoseconds expected = 0, gains_until = 0, off = 0;
  std::uint32_t starts = 1;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t what = random.below(8);
    const Picoseconds now = core::now_ps();
    if (what == 0) disk.set_alive(false);
    if (what == 1) disk.cut_power();
    if (what == 2) disk.restart(0);
    if (what == 3 || what == 4) disk.set_alive(true);
    if (what == 4) disk.restore_power();
    if (what == 5) rig.host.submit(false, random.below(kToyBlocks), 1);
    if (what >= 6 && disk.power().ready() && disk.queue().occupancy() == 0) registers.write(drive::reg::kSpindle, what == 7);
    if (what == 1 || (what == 6 && disk.spindle().stopped())) gains_until = now;
    run_until(now + 1);
    if (disk.spindle().starts() > starts) gains_until = now + 5 * kS;
    starts = disk.spindle().starts();
    const Picoseconds time = static_cast<Picoseconds>(random.below(3'000)) * kMs + 1;
    const bool alive = disk.power().alive();
    (alive ? expected : off) += alive ? std::clamp<Picoseconds>(gains_until - now, 0, time) : time;
    run_until(now + time);
    const PowerTimes times = rig.times();
    ASSERT_EQ(in(times, PowerState::Start), expected) << what << " at " << now;
    ASSERT_EQ(in(times, PowerState::Off), off);
    ASSERT_EQ(sum(times), core::now_ps());
  }
  EXPECT_GT(starts, 100u);
}

TEST(Energy, AFailureEndsNoRest) {
  profile::DriveProfile profile = powered(toy_profile(), 5);
  profile.power.idle_c_s = 4;
  profile.power.standby_s = 8;
  profile.power.idle_c_recovery_s = 2;
  drive::Drive* disk = nullptr;
  Rig rig(profile, [&](Script& script) {
    for (const PowerState rest : {PowerState::IdleC, PowerState::Standby}) {
      const bool stands = rest == PowerState::Standby;
      script.pause(stands ? 20 * kS : 6 * kS);
      disk->set_alive(false);
      EXPECT_EQ(disk->spindle().stopped(), stands);
      script.pause(1 * kS);
      disk->set_alive(true);
      EXPECT_EQ(disk->spindle().stopped(), stands);
      EXPECT_EQ(disk->energy()->state(core::now_ps()), rest);
      Transaction read(nullptr);
      script.access(read, false, 0, 1);
      EXPECT_GE(read.timing().response(), stands ? 5 * kS : 2 * kS);
    }
  });
  disk = rig.disk.get();
  run_until(60 * kS);
  EXPECT_TRUE(rig.script.done());
  EXPECT_EQ(disk->spindle().starts(), 2u);
}

/// Times by state that a probe has seen.
struct Seen {
  std::array<Picoseconds, drive::kControllerStateNames.size()> times{};

  explicit Seen(const DriveWatch& watch, Picoseconds end) {
    for (std::size_t i = 0; i < watch.states.size(); ++i) {
      const Picoseconds until = i + 1 < watch.states.size() ? watch.states[i + 1].since : end;
      times[static_cast<std::size_t>(watch.states[i].state)] += until - watch.states[i].since;
    }
  }
  Picoseconds of(drive::ControllerState state) const { return times[static_cast<std::size_t>(state)]; }
};

struct LoadedDrive {
  profile::WriteBack write_back;
  bool read_ahead_on_hit;

  profile::DriveProfile profile() const {
    profile::DriveProfile profile = cached_toy_profile(write_back);
    profile.cache.read_ahead_on_hit = read_ahead_on_hit;
    return profile;
  }
};

class EnergyUnderLoad : public ::testing::TestWithParam<LoadedDrive> {};

/// The states that the account and a probe divide alike.
void expect_alike(const PowerTimes& times, const Seen& seen) {
  using drive::ControllerState;
  EXPECT_EQ(in(times, PowerState::Overhead), seen.of(ControllerState::Overhead));
  EXPECT_EQ(in(times, PowerState::Accelerate) + in(times, PowerState::Coast) + in(times, PowerState::Settle),
            seen.of(ControllerState::Seek) + seen.of(ControllerState::Settle));
  EXPECT_EQ(in(times, PowerState::Rotation), seen.of(ControllerState::Rotate));
  EXPECT_EQ(in(times, PowerState::Read) + in(times, PowerState::Write), seen.of(ControllerState::Transfer));
  EXPECT_EQ(in(times, PowerState::ReadAhead) + in(times, PowerState::Idle),
            seen.of(ControllerState::Idle) + seen.of(ControllerState::Decide));
}

TEST_P(EnergyUnderLoad, AgreesWithTheStatesThatAProbeSees) {
  Rig rig(powered(GetParam().profile()), {});
  DriveWatch watch;
  rig.disk->add_probe(watch);
  core::RandomStream random(3, "energy");
  rig.host.on_finished = [&](Transaction&) {
    if (core::now_ps() > 900 * kMs) return;
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(20));
    const bool write = random.below(3) == 0;
    const bool anywhere = random.below(4) == 0;
    rig.host.submit(write, random.below(anywhere ? kToyBlocks - 20 : 200), blocks);
  };
  for (int i = 0; i < 4; ++i) rig.host.submit(false, static_cast<std::uint64_t>(i) * 100, 4);
  PowerTimes before{};
  PowerTimes total{};
  bool alone = false;
  for (Picoseconds at = 0; at < 1200 * kMs; at += static_cast<Picoseconds>(1 + random.below(30'000)) * kUs / 3) {
    run_until(at);
    if (at > 1000 * kMs && !alone) {  // the drive reads ahead after a read that no command follows
      alone = true;
      rig.host.submit(false, 60, 4);
    }
    const PowerTimes times = rig.times();
    ASSERT_EQ(sum(times), at);
    expect_alike(times, Seen(watch, at));
    ASSERT_FALSE(HasFailure()) << "at " << at;
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_GE(times[i], before[i]) << drive::kPowerStateNames[i] << " at " << at;
      total[i] += times[i] - before[i];
    }
    before = times;
  }
  EXPECT_EQ(total, before);  // adjacent windows add up
  expect_alike(before, Seen(watch, core::now_ps()));
  EXPECT_TRUE(in(before, PowerState::ReadAhead) > 0 || GetParam().write_back != profile::WriteBack::Off);
}

/// Three drives with the same load: one without power, one with power that never rests, and one of these whose account is read all the time.
TEST_P(EnergyUnderLoad, AnAccountWithoutRestChangesNoResponse) {
  std::vector<std::unique_ptr<Rig>> rigs;
  std::vector<core::RandomStream> random(3, core::RandomStream(5, "energy"));
  std::vector<std::vector<Picoseconds>> responses(3);
  for (std::size_t i = 0; i < 3; ++i) {
    profile::DriveProfile profile = GetParam().profile();
    if (i > 0) profile.power = power();
    rigs.push_back(std::make_unique<Rig>(profile, std::function<void(Script&)>(), std::to_string(i)));
    AtHost& host = rigs.back()->host;
    host.on_finished = [&, i](Transaction& t) {
      responses[i].push_back(core::now_ps() - t.begin_req);
      const bool anywhere = random[i].below(4) == 0;
      const bool write = random[i].below(3) == 0;
      const std::uint64_t first = random[i].below(anywhere ? kToyBlocks - 20 : 200);
      host.submit(write, first, static_cast<std::uint32_t>(1 + random[i].below(20)));
    };
    for (std::uint64_t j = 0; j < 2; ++j) host.submit(false, j * 100, 4);
  }
  for (Picoseconds at = 0; at < 1500 * kMs; at += kMs / 7) {
    run_until(at);
    rigs[2]->times();
  }
  EXPECT_GT(responses[0].size(), 100u);
  EXPECT_EQ(responses[0], responses[1]);
  EXPECT_EQ(responses[0], responses[2]);
}

INSTANTIATE_TEST_SUITE_P(Caches, EnergyUnderLoad,
                         ::testing::Values(LoadedDrive{profile::WriteBack::Off, false},
                                           LoadedDrive{profile::WriteBack::Off, true},
                                           LoadedDrive{profile::WriteBack::Append, false},
                                           LoadedDrive{profile::WriteBack::Interleaved, false},
                                           LoadedDrive{profile::WriteBack::Interleaved, true}),
                         [](const auto& drive) {
                           const profile::WriteBack cached = drive.param.write_back;
                           return std::string(cached == profile::WriteBack::Off      ? "Off"
                                              : cached == profile::WriteBack::Append ? "Append"
                                                                                     : "Interleaved") +
                                  (drive.param.read_ahead_on_hit ? "WithReadAheadOnHits" : "");
                         });

}  // namespace
}  // namespace platter::testing
