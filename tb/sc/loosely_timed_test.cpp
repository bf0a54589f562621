// SPDX-License-Identifier: Apache-2.0
//
// A loosely timed drive against a drive of the same profile whose b_transport waits: the same commands have the same times, results and bytes, at any
// quantum.
#include "testing.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "platter/core/random.h"

namespace platter::testing {
namespace {

using profile::DriveProfile;
using profile::WriteBack;

struct Step {
  Picoseconds think = 0;  ///< after the end of the command before
  bool write = false;
  bool fua = false;
  std::uint64_t block = 0;
  std::uint32_t blocks = 0;
  bool flush = false;
  bool high_priority = false;
  RequestClass cls = RequestClass::Discrete;
  Picoseconds patience = 0;   ///< from its issue to its deadline; 0: none
  std::uint8_t duration = 0;  ///< its duration descriptor
  Picoseconds retries = 0;    ///< its recovery limit; 0: none
  unsigned excess_bytes = 0;  ///< its length is no whole number of blocks: a refused command
};

using Outcome = std::tuple<CommandStatus, Picoseconds, Picoseconds, Picoseconds, Picoseconds, Picoseconds, Picoseconds,
                           Picoseconds, Picoseconds, Picoseconds, Picoseconds, std::uint64_t>;

/// One thread that calls b_transport. It may be `quantum` ahead of the kernel; 0: it waits after each command.
class Caller : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Caller);
  Caller(const sc_core::sc_module_name& name, drive::Drive& disk, const std::vector<Step>& steps, Picoseconds quantum)
      : sc_module(name), disk_init_socket("disk_init_socket"), steps_(steps), quantum_(quantum) {
    disk_init_socket.bind(disk.host_tgt_socket);
    SC_THREAD(run);
  }

  tlm_utils::simple_initiator_socket<Caller> disk_init_socket;
  std::vector<Outcome> outcomes;
  std::uint64_t waits = 0;
  bool forgets = false;  ///< the delay, after each call
  bool looks = false;    ///< after each call, at its blocks: by transport_dbg

 private:
  void run() {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    std::vector<unsigned char> data;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      delay += core::to_sc_time(step.think);
      data.assign(std::size_t{step.blocks} * 512 + step.excess_bytes, static_cast<unsigned char>(step.write ? i + 1 : 0));
      tlm::tlm_generic_payload payload;
      auto* extension = new CommandExtension;  // the payload deletes it
      extension->fua = step.fua;
      extension->flush = step.flush;
      extension->high_priority = step.high_priority;
      extension->cls = step.cls;
      extension->duration = step.duration;
      if (step.patience > 0) extension->deadline = core::now_ps() + core::to_ps(delay) + step.patience;
      if (step.retries > 0) extension->recovery_limit = step.retries;
      payload.set_command(step.flush ? tlm::TLM_IGNORE_COMMAND : step.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      payload.set_address(step.block * 512);
      payload.set_data_length(step.blocks * 512 + step.excess_bytes);
      payload.set_streaming_width(step.blocks * 512 + step.excess_bytes);
      payload.set_data_ptr(data.data());
      payload.set_extension(extension);
      disk_init_socket->b_transport(payload, delay);
      const CommandTiming& t = extension->timing;
      if (looks && !step.flush) {
        payload.set_read();
        disk_init_socket->transport_dbg(payload);
      }
      std::uint64_t sum = 0;
      for (const unsigned char byte : data) sum = sum * 31 + byte;
      outcomes.emplace_back(extension->status, t.issued, t.accepted, t.started, t.completed, t.queue, t.overhead, t.seek,
                            t.rotation, t.transfer, t.bus, sum);
      EXPECT_EQ(t.completed, core::now_ps() + core::to_ps(delay));
      if (forgets) delay = sc_core::SC_ZERO_TIME;
      if (core::to_ps(delay) > quantum_) {
        wait(delay);
        ++waits;
        delay = sc_core::SC_ZERO_TIME;
      }
    }
    wait(delay);
  }

  const std::vector<Step>& steps_;
  Picoseconds quantum_;
};

std::vector<Step> random_steps(std::uint64_t blocks, std::uint32_t count, std::uint64_t seed) {
  core::RandomStream random(seed, "loosely_timed");
  std::vector<Step> steps;
  std::uint64_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Step step;
    step.blocks = 1 + static_cast<std::uint32_t>(random.below(16));
    if (random.below(2) == 0) next = random.below(blocks - 16);  // otherwise it continues the command before
    step.block = next = std::min(next, blocks - 16);
    next += step.blocks;
    step.write = random.below(3) == 0;
    step.fua = random.below(4) == 0;
    // None, less than a turn, and long enough for what a drive does without a host.
    step.think = random.below(3) == 0 ? 0 : static_cast<Picoseconds>(random.below(random.below(4) == 0 ? 80 * kMs : 3 * kMs));
    steps.push_back(step);
  }
  return steps;
}

/// The same with all that a command can have.
std::vector<Step> mixed_steps(std::uint64_t blocks, std::uint32_t count, std::uint64_t seed) {
  core::RandomStream random(seed, "mixed");
  std::vector<Step> steps = random_steps(blocks, count, seed);
  for (Step& step : steps) {
    step.cls = static_cast<RequestClass>(random.below(3));
    if (random.below(2) == 0) step.patience = static_cast<Picoseconds>(random.below(40 * kMs)) + 1;
    step.high_priority = random.below(4) == 0;
    if (random.below(8) == 0) step.blocks = 1 + static_cast<std::uint32_t>(random.below(200));
    step.blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(step.blocks, blocks - step.block));
    step.duration = static_cast<std::uint8_t>(random.below(3));
    if (random.below(4) == 0) step.retries = static_cast<Picoseconds>(random.below(60 * kMs));
    if (random.below(20) == 0) step.excess_bytes = 1;
    if (random.below(20) == 0) step.block = blocks + random.below(2'000'000);
    if (random.below(10) != 0) continue;
    step.flush = true;
    step.blocks = 0;
    step.block = 0;
    step.excess_bytes = 0;
  }
  return steps;
}

struct LtCase {
  const char* name;
  const char* policy;
  DriveProfile profile;
  bool fault = true;
  bool eager = false;
};

DriveProfile with_tokens(DriveProfile profile) {
  profile.token_rate_bytes_per_s = 200'000;
  profile.token_depth_bytes = 16'384;
  return profile;
}

/// The arrival of the head varies.
DriveProfile with_spread(DriveProfile profile) {
  profile.arrival_spread_us = {{1, 200}};
  return profile;
}

/// The electronics rest and the spindle stops in the longer pauses.
DriveProfile with_rests(DriveProfile profile) {
  profile.power.spindle_w = 6;
  profile.power.electronics_w = 2;
  profile.power.idle_a_s = 0.005;
  profile.power.standby_s = 0.03;
  profile.spin_up_s = 0.01;
  return profile;
}

DriveProfile with_two_actuators(DriveProfile profile) {
  profile.geometry.actuators = 2;
  return profile;
}

/// All that a probe is told, in one number. Times never decrease.
class Watcher : public drive::ProbeIf {
 public:
  void entered(const drive::ActuatorReport& r) override {
    add(r.time, static_cast<std::uint64_t>(r.state) + 16ull * r.cylinder);
  }
  void staged(const drive::StageReport& r) override { add(r.time, static_cast<std::uint64_t>(r.stage) + 100ull * r.tag); }
  void occupied(Picoseconds time, std::uint32_t commands) override { add(time, commands); }
  std::uint64_t digest = 0;
  std::uint64_t reports = 0;

 private:
  void add(Picoseconds time, std::uint64_t what) {
    EXPECT_GE(time, last_);
    last_ = time;
    ++reports;
    for (const std::uint64_t word : {static_cast<std::uint64_t>(time), what}) digest = (digest ^ word) * 0x100000001b3;
  }
  Picoseconds last_ = 0;
};

class LooselyTimed : public ::testing::TestWithParam<int> {};

std::vector<LtCase> cases() {
  return {{"plain", "FCFS", toy_profile()},
          {"buffer", "SPTF", cached_toy_profile(WriteBack::Off)},
          {"cached_writes", "SPTF", cached_toy_profile(WriteBack::Interleaved)},
          {"tokens", "SPTF", with_tokens(cached_toy_profile(WriteBack::Append))},
          {"atlas", "SPTF", buffered_atlas_profile()},
          {"spread", "SPTF", with_spread(cached_toy_profile(WriteBack::Append))},
          {"rests", "SPTF", with_rests(cached_toy_profile(WriteBack::Append))},
          {"two_actuators", "SPTF", with_two_actuators(toy_profile()), false},
          {"eager", "SATF-EW", toy_profile(), false, true}};
}

TEST_P(LooselyTimed, HasTheTimesAndBytesOfTheDriveThatWaits) {
  const LtCase c = cases()[static_cast<std::size_t>(GetParam())];
  SCOPED_TRACE(c.name);
  const auto make = [&](const char* name, bool ahead) {
    drive::DriveConfig config;
    config.profile = c.profile;
    config.loosely_timed = ahead;
    config.eager.enabled = c.eager;
    media::Fault fault;
    fault.first = 1'000;
    fault.blocks = 3;
    if (c.fault) config.faults = {fault};
    return std::make_unique<drive::Drive>(name, config,
                                          system::engine_factory(engine_options(c.policy, "firmware", c.profile)));
  };
  const auto waiting = make("waiting", false);
  const auto each = make("each", true);
  const auto some = make("some", true);
  const auto all = make("all", true);
  const std::vector<Step> steps = random_steps(std::min(kToyBlocks, waiting->capacity_sectors()), scaled(1'500), 7);
  Watcher watched_waiting;
  Watcher watched_ahead;
  waiting->add_probe(watched_waiting);
  some->add_probe(watched_ahead);  // the others have none
  Caller a("a", *waiting, steps, 0);
  Caller b("b", *each, steps, 0);
  Caller d("d", *some, steps, 20 * kMs);
  Caller e("e", *all, steps, core::kPicosecondsPerSecond * 100'000);
  sc_core::sc_start();
  ASSERT_EQ(a.outcomes.size(), steps.size());
  EXPECT_EQ(b.outcomes, a.outcomes);
  EXPECT_EQ(d.outcomes, a.outcomes);
  EXPECT_EQ(e.outcomes, a.outcomes);
  EXPECT_EQ(e.waits, 0u);
  EXPECT_LT(d.waits, b.waits);
  EXPECT_GT(watched_waiting.reports, steps.size());
  EXPECT_EQ(watched_ahead.reports, watched_waiting.reports);
  EXPECT_EQ(watched_ahead.digest, watched_waiting.digest);
  for (const drive::Drive* drive : {each.get(), some.get(), all.get()}) {
    EXPECT_EQ(drive->busy(core::now_ps()), waiting->busy(core::now_ps()));
    EXPECT_EQ(drive->host_port().completed(), waiting->host_port().completed());
    EXPECT_EQ(drive->host_port().counters(RequestClass::Discrete).failed,
              waiting->host_port().counters(RequestClass::Discrete).failed);
    EXPECT_EQ(drive->cache_statistics().read_hits, waiting->cache_statistics().read_hits);
    EXPECT_EQ(drive->kept_bytes(), waiting->kept_bytes())
        << "what is left in the buffer is written when the initiator is silent";
    if (drive->energy() != nullptr) {
      EXPECT_EQ(drive->energy()->times(core::now_ps()), waiting->energy()->times(core::now_ps()));
      EXPECT_GT(waiting->energy()->times(core::now_ps())[drive::index_of(drive::PowerState::Standby)], 0);
    }
  }
}

TEST_P(LooselyTimed, HasTheTimesOfTheDriveThatWaitsWithMixedCommands) {
  const LtCase c = cases()[static_cast<std::size_t>(GetParam())];
  SCOPED_TRACE(c.name);
  drive::DriveConfig config;
  config.profile = c.profile;
  config.eager.enabled = c.eager;
  if (!c.eager && c.profile.geometry.actuators == 1) {
    config.profile.limits.supported = true;
    for (auto* table : {&config.profile.limits.reads, &config.profile.limits.writes}) {
      table->resize(2);
      (*table)[0].active_ms = 12;
      (*table)[0].active_policy = profile::LimitAction::Abort;
      (*table)[1].guideline_ms = 9;
      (*table)[1].guideline_policy = profile::LimitAction::Abort;
    }
  }
  if (c.fault) {
    media::Fault fault;
    fault.kind = media::FaultKind::Permanent;
    fault.blocks = 40;
    for (fault.first = 500; fault.first < kToyBlocks; fault.first += 400) config.faults.push_back(fault);
    fault.kind = media::FaultKind::SilentBit;
    fault.at = core::kPicosecondsPerSecond;
    for (fault.first = 700; fault.first < kToyBlocks; fault.first += 400) config.faults.push_back(fault);
  }
  const system::EngineOptions options = engine_options(c.policy, "firmware", c.profile);
  drive::Drive waiting("waiting", config, system::engine_factory(options));
  config.loosely_timed = true;
  drive::Drive ahead("ahead", config, system::engine_factory(options));
  const std::vector<Step> steps = mixed_steps(std::min(kToyBlocks, waiting.capacity_sectors()), scaled(1'000), 13);
  Caller a("a", waiting, steps, 0);
  Caller b("b", ahead, steps, 30 * kMs);
  a.looks = b.looks = true;
  sc_core::sc_start();
  ASSERT_EQ(a.outcomes.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(b.outcomes[i], a.outcomes[i]) << "command " << i;
  std::set<CommandStatus> seen;
  for (const Outcome& outcome : a.outcomes) seen.insert(std::get<0>(outcome));
  EXPECT_EQ(seen.count(CommandStatus::Good), 1u);
  EXPECT_EQ(seen.count(CommandStatus::LimitDuring), config.profile.limits.supported ? 1u : 0u);
  EXPECT_EQ(seen.count(CommandStatus::Unreadable), c.fault ? 1u : 0u);
  EXPECT_EQ(ahead.media_errors().silent_reads, waiting.media_errors().silent_reads);
  EXPECT_EQ(waiting.media_errors().silent_reads > 0, c.fault);
}

INSTANTIATE_TEST_SUITE_P(Cases, LooselyTimed, ::testing::Range(0, 9));

drive::Drive make_ahead(const profile::DriveProfile& profile, const char* policy, const char* engine = "firmware") {
  drive::DriveConfig config;
  config.profile = profile;
  config.loosely_timed = true;
  return drive::Drive("disk", config, system::engine_factory(engine_options(policy, engine, profile)));
}

/// Calls that ignore the delay begin one after the other, each at the end of the one before.
TEST(LooselyTimedDrive, HasOneCommandAtATime) {
  std::vector<Step> steps = random_steps(kToyBlocks, 200, 11);
  for (Step& step : steps) step.think = 0;
  drive::DriveConfig config;
  config.profile = cached_toy_profile(WriteBack::Append);
  drive::Drive waiting("waiting", config, system::engine_factory(engine_options("SPTF", "firmware", config.profile)));
  config.loosely_timed = true;
  drive::Drive ahead("ahead", config, system::engine_factory(engine_options("SPTF", "firmware", config.profile)));
  Caller closed("closed", waiting, steps, 0);
  Caller careless("careless", ahead, steps, core::kPicosecondsPerSecond * 100'000);
  careless.forgets = true;
  sc_core::sc_start();
  ASSERT_EQ(closed.outcomes.size(), steps.size());
  EXPECT_EQ(careless.outcomes, closed.outcomes);
}

TEST(LooselyTimedDrive, RefusesWhatActsAtTheTimeOfTheKernel) {
  drive::Drive disk = make_ahead(toy_profile(), "FCFS");
  drive::PowerSupply supply({});
  EXPECT_THROW(disk.connect(supply), std::invalid_argument);
  media::Fault stuck;
  stuck.kind = media::FaultKind::Stuck;
  EXPECT_THROW(disk.add_fault(stuck), std::invalid_argument) << "no host can abort the command within its call";
}

TEST(LooselyTimedDrive, RefusesASecondInitiator) {
  drive::Drive disk = make_ahead(toy_profile(), "FCFS");
  const std::vector<Step> steps;
  Caller first("first", disk, steps, 0);
  Caller second("second", disk, steps, 0);
  EXPECT_ANY_THROW(sc_core::sc_start());
}

/// What is done to a drive from outside happens at the time that it has reached.
TEST(LooselyTimedDrive, FailsWhereItHasGot) {
  drive::Drive disk = make_ahead(cached_toy_profile(WriteBack::Append), "SPTF");
  const std::vector<Step> steps = random_steps(kToyBlocks, 100, 3);
  Caller caller("caller", disk, steps, 100 * kMs);
  run_until(1 * kMs);
  disk.set_alive(false);
  run_until(5 * core::kPicosecondsPerSecond);
  ASSERT_EQ(caller.outcomes.size(), steps.size());
  EXPECT_EQ(std::get<0>(caller.outcomes.front()), CommandStatus::Good);
  EXPECT_EQ(std::get<0>(caller.outcomes.back()), CommandStatus::DriveFailed);
  for (std::size_t i = 1; i < steps.size(); ++i)
    EXPECT_GE(std::get<4>(caller.outcomes[i]), std::get<4>(caller.outcomes[i - 1]));
}

TEST(LooselyTimedDrive, RefusesAnEngineThatWaitsForTheKernel) {
  drive::Drive disk = make_ahead(toy_profile(), "SPTF", "model");
  const std::vector<Step> steps = random_steps(kToyBlocks, 2, 3);
  Caller caller("caller", disk, steps, 0);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  EXPECT_ANY_THROW(sc_core::sc_start());
}

TEST(LooselyTimedDrive, RefusesPhases) {
  drive::Drive disk = make_ahead(toy_profile(), "FCFS");
  AtHost host("host", disk);
  host.submit(false, 0, 8, 1);
  EXPECT_ANY_THROW(sc_core::sc_start());
}

TEST(LooselyTimedDrive, FailureDuringARunAhead) {
  drive::DriveConfig config;
  config.profile = cached_toy_profile(WriteBack::Append);
  config.loosely_timed = true;
  config.fails_at = 200 * kMs;
  drive::Drive disk("disk", config, system::engine_factory(engine_options("SPTF", "firmware", config.profile)));
  config.loosely_timed = false;
  drive::Drive waiting("waiting", config, system::engine_factory(engine_options("SPTF", "firmware", config.profile)));
  const std::vector<Step> steps = random_steps(kToyBlocks, 100, 3);
  Caller caller("caller", disk, steps, core::kPicosecondsPerSecond * 100);
  Caller other("other", waiting, steps, 0);
  sc_core::sc_start();
  EXPECT_EQ(caller.outcomes, other.outcomes);
  EXPECT_EQ(std::get<0>(caller.outcomes.back()), CommandStatus::DriveFailed);
  EXPECT_EQ(std::get<0>(caller.outcomes.front()), CommandStatus::Good);
}

}  // namespace
}  // namespace platter::testing
