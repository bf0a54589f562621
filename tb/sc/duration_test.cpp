// SPDX-License-Identifier: Apache-2.0
//
// Duration limits of a drive, in time: what each policy does when a limit has passed before, during and after the access, and what the drive counts.
#include "testing.h"

#include <fmt/format.h>

#include <map>

#include "platter/core/random.h"
#include "platter/media/faults.h"

namespace platter::testing {
namespace {

using command::DurationDescriptor;
using command::DurationTable;
using command::LimitPolicy;
using drive::DurationCounters;

/// Six tracks of the toy drive: more than 38 ms.
constexpr std::uint32_t kLong = 6 * kToyTrack;
constexpr Picoseconds kLongTime = 30 * kMs;  // a lower bound

/// A drive by FCFS, and reads of one block that wait behind a long one. A fault is at block 20.
struct Rig {
  explicit Rig(const std::string& policy = "FCFS", const profile::DriveProfile& profile = toy_profile(),
               std::optional<media::FaultKind> fault = {}, const char* engine = "firmware")
      : host("host") {
    drive::DriveConfig config;
    config.profile = profile;
    config.holds_data = false;
    if (fault) {
      config.faults.resize(1);
      config.faults[0].kind = *fault;
      config.faults[0].first = 20;
    }
    disk = std::make_unique<drive::Drive>("disk", config, system::engine_factory(engine_options(policy, engine, profile)));
    host.disk_init_socket.bind(disk->host_tgt_socket);
  }
  DurationDescriptor& descriptor(std::uint8_t number) { return table.descriptors[0][number - 1u]; }
  Transaction& submit(bool write, std::uint64_t lba, std::uint32_t blocks, std::uint8_t number) {
    Transaction& t = host.make();
    t.set(write, lba, blocks);
    t.extension.duration = number;
    t.extension.durations = &table;
    host.submit(t);
    return t;
  }
  Transaction& read(std::uint64_t lba, std::uint32_t blocks, std::uint8_t number) { return submit(false, lba, blocks, number); }
  /// Its deadline is its end.
  Transaction& expiring_read(std::uint64_t lba, std::uint32_t blocks, std::uint8_t number, Picoseconds deadline) {
    Transaction& t = read(lba, blocks, number);
    t.extension.deadline = deadline;
    t.extension.expires = true;
    return t;
  }
  /// What the drive has counted: misses of the three limits (i, a, g), those in recovery (r), commands aborted (A) and without data (U).
  std::string counted(std::uint8_t number, bool write = false) const {
    const DurationCounters& c = disk->duration_statistics().of[write][number];
    return fmt::format("i{} a{} g{} r{} A{} U{}", c.inactive_missed, c.active_missed, c.guideline_missed, c.in_recovery,
                       c.aborted, c.unavailable);
  }

  std::unique_ptr<drive::Drive> disk;
  AtHost host;
  DurationTable table;
};

Picoseconds response(const Transaction& t) { return t.begin_resp - t.end_req; }

TEST(DurationLimit, ACommandThatWaitsTooLongIsAbortedAtItsLimit) {
  Rig rig;
  rig.descriptor(1).inactive = {10 * kMs, LimitPolicy::Abort};
  const Transaction& first = rig.read(0, kLong, 0);
  const Transaction& second = rig.read(5'000, 1, 1);
  run_until(200 * kMs);
  EXPECT_EQ(first.extension.status, CommandStatus::Good);
  EXPECT_EQ(second.extension.status, CommandStatus::LimitBefore);
  EXPECT_EQ(response(second), 10 * kMs);
  EXPECT_EQ(second.timing().queue, 10 * kMs) << "all its time is wait";
  EXPECT_EQ(second.extension.sense(), (command::Sense{0xB, 0x2E, 0x01}));
  EXPECT_EQ(rig.disk->duration_statistics().of[0][1].commands, 1u);
  EXPECT_EQ(rig.counted(1), "i1 a0 g0 r0 A1 U0");
}

TEST(DurationLimit, DataMayBeUnavailable) {
  Rig rig;
  rig.descriptor(3).inactive = {5 * kMs, LimitPolicy::CompleteUnavailable};
  rig.descriptor(4).guideline = {7 * kMs, LimitPolicy::CompleteUnavailable};
  rig.read(0, kLong, 0);
  const Transaction& inactive = rig.read(5'000, 1, 3);
  const Transaction& guideline = rig.read(6'000, 1, 4);
  run_until(200 * kMs);
  EXPECT_EQ(inactive.extension.status, CommandStatus::Unavailable);
  EXPECT_EQ(response(inactive), 5 * kMs);
  EXPECT_EQ(inactive.extension.sense(), (command::Sense{0xF, 0x55, 0x0A}));
  EXPECT_EQ(guideline.extension.status, CommandStatus::Unavailable);
  EXPECT_EQ(response(guideline), 7 * kMs);
  EXPECT_EQ(rig.counted(3), "i1 a0 g0 r0 A0 U1");
  EXPECT_EQ(rig.counted(4), "i0 a0 g1 r0 A0 U1");
}

TEST(DurationLimit, ALateCommandGoesOnIfItsPolicySaysSo) {
  Rig rig;
  rig.descriptor(1).inactive = {5 * kMs, LimitPolicy::CompleteEarliest};
  rig.descriptor(2).guideline = {5 * kMs, LimitPolicy::CompleteEarliest};
  rig.descriptor(3).guideline = {5 * kMs, LimitPolicy::ContinueNoLimit};
  rig.read(0, kLong, 0);
  for (std::uint8_t number = 1; number <= 3; ++number) rig.read(5'000u + number, 1, number);
  run_until(200 * kMs);
  EXPECT_EQ(rig.host.finished(), 4u);
  EXPECT_EQ(rig.counted(1), "i1 a0 g0 r0 A0 U0");
  EXPECT_EQ(rig.counted(2), "i0 a0 g1 r0 A0 U0");
  EXPECT_EQ(rig.counted(3), "i0 a0 g1 r0 A0 U0");
}

TEST(DurationLimit, TheGuidelineOfTheNextDescriptorFollows) {
  Rig rig;
  rig.descriptor(1).guideline = {4 * kMs, LimitPolicy::ContinueNextLimit};
  rig.descriptor(2).guideline = {6 * kMs, LimitPolicy::ContinueNextLimit};
  rig.descriptor(3).guideline = {9 * kMs, LimitPolicy::Abort};
  rig.read(0, kLong, 0);
  const Transaction& second = rig.read(5'000, 1, 1);
  run_until(200 * kMs);
  EXPECT_EQ(second.extension.status, CommandStatus::LimitBefore);
  EXPECT_EQ(response(second), 9 * kMs) << "all count from the arrival";
  EXPECT_EQ(rig.counted(1), "i0 a0 g3 r0 A1 U0") << "the descriptor of the command counts each limit";
}

TEST(DurationLimit, TheNextGuidelineFollowsAlsoDuringTheAccess) {
  Rig rig;
  rig.descriptor(1).guideline = {500 * kUs, LimitPolicy::ContinueNextLimit};
  rig.descriptor(2).guideline = {1 * kMs, LimitPolicy::Abort};
  rig.descriptor(3).guideline = {500 * kUs, LimitPolicy::ContinueNoLimit};
  const Transaction& first = rig.read(0, kLong, 1);
  const Transaction& second = rig.read(5'000, kLong, 3);
  run_until(300 * kMs);
  EXPECT_EQ(first.extension.status, CommandStatus::LimitDuring);
  EXPECT_EQ(rig.counted(1), "i0 a0 g2 r0 A1 U0");
  EXPECT_EQ(second.extension.status, CommandStatus::Good);
  EXPECT_EQ(rig.counted(3), "i0 a0 g1 r0 A0 U0");
}

TEST(DurationLimit, ALimitThatIsReplacedWhileTheSpindleStartsCostsNoTime) {
  profile::DriveProfile profile = toy_profile();
  profile.overhead_overlap = true;
  profile.spin_up_s = profile.power.standby_s = profile.power.spindle_w = 0.064;  // 10 turns
  Rig rig("FCFS", profile);
  rig.descriptor(1).guideline = {10 * kMs, LimitPolicy::ContinueNextLimit};
  rig.descriptor(2).guideline = {30 * kMs, LimitPolicy::ContinueNoLimit};
  for (const std::uint8_t number : {std::uint8_t{0}, std::uint8_t{1}}) {
    run_until(core::now_ps() + 100 * kToyTurn);
    const Transaction& read = rig.read(0, 1, number);
    run_until(core::now_ps() + 100 * kToyTurn);
    EXPECT_EQ(response(read), 11 * kToyTurn + 105 * kUs);
  }
}

TEST(DurationLimit, ALimitMayPassWhileTheAcceleratorLetsGo) {
  Rig rig("SPTF", toy_profile(), {}, "model");
  rig.descriptor(1).guideline = {60'000, LimitPolicy::ContinueNextLimit};
  rig.descriptor(2).guideline = {60'001, LimitPolicy::Abort};
  const Transaction& first = rig.read(0, 1, 1);
  run_until(100 * kMs);
  EXPECT_EQ(first.extension.status, CommandStatus::LimitBefore);
  EXPECT_LT(response(first), 10 * kUs);
  EXPECT_EQ(rig.counted(1), "i0 a0 g2 r0 A1 U0");
}

TEST(DurationLimit, ALimitMayPassWhileTheFirmwareDecides) {
  profile::DriveProfile profile = toy_profile();
  profile.firmware_base_cycles = 400'000;
  constexpr Picoseconds kDecision = 2 * kMs;
  Rig rig("FCFS", profile);
  rig.descriptor(1).inactive = {1 * kMs, LimitPolicy::Abort};
  rig.descriptor(2).inactive = {kDecision, LimitPolicy::CompleteEarliest};
  rig.descriptor(3).guideline = {1 * kMs, LimitPolicy::CompleteUnavailable};
  const Transaction& inactive = rig.read(0, 1, 1);
  run_until(100 * kMs);
  EXPECT_EQ(inactive.extension.status, CommandStatus::LimitBefore);
  EXPECT_EQ(response(inactive), 1 * kMs);
  EXPECT_EQ(rig.counted(1), "i1 a0 g0 r0 A1 U0");
  const Transaction& guideline = rig.read(5'000, 1, 3);
  const Transaction& late = rig.read(0, 1, 2);
  run_until(200 * kMs);
  EXPECT_GE(late.timing().queue, kDecision);
  EXPECT_EQ(rig.counted(2), "i1 a0 g0 r0 A0 U0");
  EXPECT_EQ(response(guideline), 1 * kMs);
  EXPECT_EQ(rig.counted(3), "i0 a0 g1 r0 A0 U1");
}

TEST(DurationLimit, AWriteThatHasFailedSaysSoAlsoWhenItIsLate) {
  profile::DriveProfile profile = toy_profile();
  profile.recovery.spares = 0;
  Rig rig("FCFS", profile, media::FaultKind::WriteFault);
  rig.table.descriptors[1][0].active = {1 * kMs, LimitPolicy::CompleteUnavailable};
  const Transaction& failed = rig.submit(true, 15, 10, 1);
  const Transaction& late = rig.submit(true, 0, 10, 1);
  run_until(10'000 * kMs);
  EXPECT_EQ(failed.extension.status, CommandStatus::WriteFault);
  EXPECT_EQ(late.extension.status, CommandStatus::Unavailable);
  EXPECT_EQ(rig.counted(1, true), "i0 a2 g0 r1 A0 U1");
}

TEST(DurationLimit, AnAccessIsNotCutShort) {
  Rig rig;
  rig.descriptor(1).guideline = {10 * kMs, LimitPolicy::Abort};
  rig.descriptor(2).active = {10 * kMs, LimitPolicy::CompleteUnavailable};
  const Transaction& first = rig.read(0, kLong, 1);
  const Transaction& second = rig.read(5'000, kLong, 2);
  const Transaction& third = rig.read(0, 1, 0);
  run_until(300 * kMs);
  EXPECT_EQ(first.extension.status, CommandStatus::LimitDuring);
  EXPECT_EQ(first.extension.sense(), (command::Sense{0xB, 0x2E, 0x02}));
  EXPECT_GT(response(first), kLongTime);
  EXPECT_EQ(second.extension.status, CommandStatus::Unavailable);
  EXPECT_EQ(third.extension.status, CommandStatus::Good);
  EXPECT_EQ(rig.counted(1), "i0 a0 g1 r0 A1 U0");
  EXPECT_EQ(rig.counted(2), "i0 a1 g0 r0 A0 U1");
}

TEST(DurationLimit, TheActiveLimitEndsErrorRecovery) {
  profile::DriveProfile profile = toy_profile();
  profile.recovery.read_ms = {12.8, 32, 400};
  Rig rig("FCFS", profile, media::FaultKind::Unreadable);
  rig.descriptor(1).active = {50 * kMs, LimitPolicy::AbortRecovery};
  rig.descriptor(2).active = {100 * kMs, LimitPolicy::Abort};
  rig.descriptor(3).active = {1 * kMs, LimitPolicy::AbortRecovery};
  const Transaction& recovered = rig.read(15, 10, 1);
  const Transaction& aborted = rig.read(15, 10, 2);
  const Transaction& slow = rig.read(100, 10, 3);  // this policy aborts without recovery too
  run_until(1'000 * kMs);
  EXPECT_EQ(recovered.extension.status, CommandStatus::LimitInRecovery);
  EXPECT_EQ(recovered.extension.sense(), (command::Sense{0xB, 0x2E, 0x03}));
  EXPECT_LT(response(recovered), 50 * kMs + 2 * kToyTurn) << "the recovery ends with the limit, not with the ladder";
  EXPECT_EQ(aborted.extension.status, CommandStatus::LimitInRecovery);
  EXPECT_EQ(slow.extension.status, CommandStatus::LimitDuring);
  EXPECT_EQ(rig.counted(1), "i0 a1 g0 r1 A1 U0");
  EXPECT_EQ(rig.counted(2), "i0 a1 g0 r1 A1 U0");
  EXPECT_EQ(rig.counted(3), "i0 a1 g0 r0 A1 U0");
}

TEST(DurationLimit, ACommandMayExpireAtItsDeadline) {
  Rig rig;
  rig.read(0, kLong, 0);
  const Transaction& second = rig.expiring_read(5'000, 1, 0, 8 * kMs);
  run_until(200 * kMs);
  EXPECT_EQ(second.extension.status, CommandStatus::LimitBefore);
  EXPECT_EQ(second.begin_resp, 8 * kMs);
  EXPECT_EQ(rig.counted(0), "i0 a0 g1 r0 A1 U0");
}

TEST(DurationLimit, AnEarlierGuidelineDoesNotReplaceTheDeadline) {
  Rig rig;
  rig.descriptor(1).guideline = {4 * kMs, LimitPolicy::CompleteEarliest};
  rig.descriptor(2).guideline = {4 * kMs, LimitPolicy::ContinueNoLimit};
  const Transaction& during = rig.expiring_read(0, kLong, 1, 8 * kMs);
  const Transaction& before = rig.expiring_read(5'000, 1, 2, 8 * kMs);
  run_until(200 * kMs);
  EXPECT_EQ(during.extension.status, CommandStatus::LimitDuring);
  EXPECT_EQ(rig.counted(1), "i0 a0 g2 r0 A1 U0");
  EXPECT_EQ(before.begin_resp, 8 * kMs);
  EXPECT_EQ(rig.counted(2), "i0 a0 g2 r0 A1 U0");
}

TEST(DurationLimit, TheProfileHasATable) {
  profile::DriveProfile profile = toy_profile();
  profile::DurationProfile descriptor;
  descriptor.inactive_ms = 10;
  descriptor.inactive_policy = profile::LimitAction::Abort;
  profile.limits.reads = {descriptor};
  Rig rig("FCFS", profile);
  rig.read(0, kLong, 0);
  Transaction& second = rig.read(5'000, 1, 1);
  second.extension.durations = nullptr;
  run_until(200 * kMs);
  EXPECT_EQ(response(second), 10 * kMs);
  EXPECT_EQ(second.extension.status, CommandStatus::LimitBefore);
}

/// Reads, overlapping writes and aborts at random: each command is counted once, by how it ends.
TEST(DurationLimit, EachCommandIsCountedOnce) {
  Rig rig("SPTF");
  rig.descriptor(1).inactive = {30 * kMs, LimitPolicy::Abort};
  rig.descriptor(2).active = {6 * kMs, LimitPolicy::AbortRecovery};
  rig.descriptor(3).guideline = {50 * kMs, LimitPolicy::CompleteUnavailable};
  rig.table.descriptors[1] = rig.table.descriptors[0];
  core::RandomStream random(6, "limits");
  std::map<std::pair<bool, int>, std::map<CommandStatus, std::uint64_t>> told;
  const auto submit = [&] {
    rig.submit(random.below(2) == 0, random.below(400), 8, static_cast<std::uint8_t>(random.below(4)));
  };
  rig.host.on_finished = [&](const Transaction& t) {
    ++told[{t.write(), t.extension.duration}][t.extension.status];
    if (core::now_ps() < 20'000 * kMs) submit();
  };
  for (int i = 0; i < 24; ++i) submit();
  while (core::now_ps() < 25'000 * kMs) {
    run_until(core::now_ps() + 50 * kMs);
    rig.disk->abort(core::Tag(static_cast<std::uint16_t>(random.below(16))));
  }
  for (const bool write : {false, true})
    for (std::uint8_t number = 1; number <= 3; ++number) {
      auto& of = told[{write, number}];
      const std::uint64_t aborted = of[number == 1 ? CommandStatus::LimitBefore : CommandStatus::LimitDuring];
      const std::uint64_t unavailable = of[CommandStatus::Unavailable];
      EXPECT_EQ(rig.counted(number, write), fmt::format("i{} a{} g{} r0 A{} U{}", number == 1 ? aborted : 0,
                                                        number == 2 ? aborted : 0, unavailable, aborted, unavailable));
      EXPECT_EQ(rig.disk->duration_statistics().of[write][number].commands,
                of[CommandStatus::Good] + of[CommandStatus::Aborted] + aborted + unavailable);
      EXPECT_GT(aborted + unavailable, 10u);
    }
}

// --- the policy for limits --------------------------------------------------------------------------------------------

/// Reads at random places, eight at a time; every tenth has the descriptor 1. Response times by descriptor, in ms.
std::map<std::uint8_t, std::vector<double>> closed_load(Rig& rig, Picoseconds until) {
  std::map<std::uint8_t, std::vector<double>> responses;
  std::uint32_t random = 7;
  std::uint32_t number = 0;
  const auto next = [&] {
    random = random * 1'664'525u + 1'013'904'223u;
    const auto limited = static_cast<std::uint8_t>(number++ % 10 == 0 ? 1 : 0);
    rig.read((random >> 8) % (kToyBlocks - 8), 8, limited);
  };
  rig.host.on_finished = [&](const Transaction& t) {
    responses[t.extension.duration].push_back(static_cast<double>(t.begin_resp - t.begin_req) * 1e-9);
    next();
  };
  for (int i = 0; i < 8; ++i) next();
  run_until(until);
  rig.host.on_finished = nullptr;
  return responses;
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(static_cast<double>(values.size() - 1) * share)];
}

TEST(LimitedPolicy, LimitedCommandsAreHeldBackUntilShortlyBeforeTheirLimit) {
  Rig rig("LSPTF(0)");
  rig.descriptor(1).guideline = {200 * kMs, LimitPolicy::CompleteEarliest};
  rig.table.cost_permille = 200;
  auto responses = closed_load(rig, 20'000 * kMs);
  ASSERT_GT(responses[1].size(), 100u);
  EXPECT_GT(at_share(responses[1], 0.2), 100) << "they wait, although the queue would be empty sooner";
  EXPECT_LT(at_share(responses[1], 0.95), 210);
  EXPECT_LT(at_share(responses[0], 0.5), 100) << "the others go on";
}

TEST(LimitedPolicy, WithoutOtherCommandsNothingIsHeldBack) {
  Rig rig("LSPTF(0)");
  rig.descriptor(1).guideline = {300 * kMs, LimitPolicy::CompleteEarliest};
  for (std::uint64_t i = 0; i < 4; ++i) rig.read(3'000 * i, 8, 1);
  run_until(100 * kMs);
  EXPECT_EQ(rig.host.finished(), 4u);
}

TEST(LimitedPolicy, ACommandWithPriorityGoesFirst) {
  Rig rig("LSPTF(0)");
  rig.read(0, kLong, 0);
  const Transaction& near = rig.read(kLong, 1, 0);
  Transaction& far = rig.read(kToyBlocks - 8, 8, 0);
  far.extension.high_priority = true;
  run_until(200 * kMs);
  EXPECT_LT(far.begin_resp, near.begin_resp);
}

TEST(LimitedPolicy, ACommandWithPriorityDoesNotWaitForTheOneThatItContinues) {
  Rig rig("LSPTF(0)", cached_toy_profile(profile::WriteBack::Interleaved));
  rig.read(0, kLong, 0);
  const Transaction& near = rig.read(kLong + 64, 1, 0);
  rig.read(kToyBlocks - 64, 8, 0);
  Transaction& far = rig.read(kToyBlocks - 56, 8, 0);
  far.extension.high_priority = true;
  run_until(200 * kMs);
  EXPECT_LT(far.begin_resp, near.begin_resp);
}

TEST(LimitedPolicy, ALaterGuidelineDoesNotWeakenADeadline) {
  Rig rig("LSPTF(0)");
  rig.descriptor(1).guideline = {5'000 * kMs, LimitPolicy::CompleteEarliest};
  for (std::uint64_t i = 0; i < 24; ++i) rig.read(i * 1'237 % 4'000, 8, 0);
  Transaction& far = rig.read(kToyBlocks - 8, 8, 1);
  far.extension.deadline = 50 * kMs;
  run_until(500 * kMs);
  EXPECT_LT(far.begin_resp, far.extension.deadline) << "although a guideline may cost nothing";
}

TEST(LimitedPolicy, ALateCommandStaysLateWhenItsGuidelineEnds) {
  Rig rig("LSPTF(0)");
  rig.descriptor(1).inactive = {5 * kMs, LimitPolicy::CompleteEarliest};
  rig.descriptor(1).guideline = {7 * kMs, LimitPolicy::ContinueNoLimit};
  rig.read(0, kLong, 0);
  run_until(1 * kMs);  // it has begun
  const Transaction& near = rig.read(kLong + 24, 1, 0);
  const Transaction& far = rig.read(kToyBlocks - 8, 8, 1);
  run_until(200 * kMs);
  EXPECT_LT(far.begin_resp, near.begin_resp);
}

TEST(LimitedPolicy, AnInactiveLimitThatWasKeptDoesNotHurryTheSecondActuator) {
  profile::DriveProfile profile = toy_profile();
  profile.geometry.actuators = 2;
  constexpr std::uint64_t kHalf = kToyBlocks / 2;
  Rig rig("LSPTF(0)", profile);
  rig.descriptor(1).inactive = {1 * kMs, LimitPolicy::CompleteEarliest};
  rig.read(kHalf + 5'000, kLong, 0);
  const Transaction& near = rig.read(kHalf + 5'000 + kLong + 8, 1, 0);
  const Transaction& both = rig.read(kHalf - 4, 8, 1);
  run_until(200 * kMs);
  EXPECT_EQ(rig.counted(1), "i0 a0 g0 r0 A0 U0");
  EXPECT_GT(both.begin_resp, near.begin_resp);
}

TEST(LimitedPolicy, WithoutAShareOfTheThroughputAGuidelineChangesNothing) {
  Rig rig("LSPTF(0)");
  rig.descriptor(1).guideline = {1 * kMs, LimitPolicy::CompleteEarliest};  // always late
  rig.table.cost_permille = 0;
  const auto with = closed_load(rig, 20'000 * kMs);
  double sum = 0;
  for (const double value : with.at(1)) sum += value;
  double other = 0;
  for (const double value : with.at(0)) other += value;
  // Late commands have the positioning times of all others, so they wait as long.
  EXPECT_NEAR(sum / static_cast<double>(with.at(1).size()), other / static_cast<double>(with.at(0).size()),
              0.2 * other / static_cast<double>(with.at(0).size()));
}

}  // namespace
}  // namespace platter::testing
