// SPDX-License-Identifier: Apache-2.0
//
// The accelerator's programs: the order in which they serve, compared with the same policies in firmware that takes no time.
#include <algorithm>
#include <numeric>
#include <random>

#include "mixed_load.h"

namespace platter::testing {
namespace {

constexpr Picoseconds seconds(std::uint32_t s) { return Picoseconds{s} * core::kPicosecondsPerSecond; }

std::string name_of(const ::testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }), name.end());
  return name;
}

profile::DriveProfile free_of_charge(profile::DriveProfile profile) {
  profile.firmware_base_cycles = profile.firmware_candidate_cycles = profile.firmware_order_cycles = 0;
  return profile;
}

// --- small queues ----------------------------------------------------------------------------------------------------

/// The toy drive, except that a seek over d cylinders takes d + 9 sectors and the command overhead three and a half sectors:
/// rounding never decides whether the arm is in time for a sector.
profile::DriveProfile ruler_profile(std::uint32_t depth) {
  profile::DriveProfile profile = free_of_charge(toy_profile());
  profile.seek.points_us = {{1, 1000.0}, {2, 1100.0}, {127, 13'600.0}};
  profile.overhead.read_miss_us = {350, 350};
  profile.queue_depth = depth;
  return profile;
}

struct Given {
  char name;  ///< a capital letter: continuous
  std::uint32_t cylinder;
  std::uint32_t sector = 0;
  Picoseconds at = 0;
  Picoseconds deadline = seconds(100);
  std::uint32_t blocks = 1;
};

/// A drive that receives a few requests while its arm is busy with another one on the first cylinder.
class SmallQueue : private drive::ProbeIf {
 public:
  SmallQueue(const std::string& policy, const std::string& engine, std::vector<Given> given, std::uint32_t depth = 32,
             const scheduling::Interpretations& interpretations = {})
      : given_(std::move(given)),
        disk_(make_drive(unique("disk").c_str(), policy, engine, ruler_profile(depth), true, interpretations)),
        host_(unique("host").c_str()),
        script_(unique("script").c_str(), [this](Script&) { submit(); }) {
    host_.disk_init_socket.bind(disk_->host_tgt_socket);
    disk_->add_probe(*this);
    std::stable_sort(given_.begin(), given_.end(), [](const Given& a, const Given& b) { return a.at < b.at; });
  }

  /// The requests in the order of service.
  const std::string& served() const { return served_; }
  std::uint64_t forced() const { return disk_->engine().statistics().forced; }
  std::uint64_t mismatches() const { return disk_->engine().statistics().mismatches; }

 private:
  static std::string unique(const char* what) {
    static int number = 0;
    return what + std::to_string(number++);
  }

  void submit() {
    host_.submit(false, 0, 1);
    for (const Given& g : given_) {
      if (g.at > core::now_ps()) sc_core::wait(core::to_sc_time(g.at - core::now_ps()));
      Transaction& t = host_.make();
      t.set(false, g.cylinder * kToyCylinder + g.sector, g.blocks);
      if (g.name >= 'A' && g.name <= 'Z') {
        t.extension.cls = RequestClass::Continuous;
        t.extension.deadline = g.deadline;
      }
      host_.submit(t);
    }
  }

  void started(const drive::AccessReport& report) override {
    for (const Given& g : given_)
      if (g.cylinder * kToyCylinder + g.sector == report.first.value) served_ += g.name;
  }

  std::vector<Given> given_;
  std::unique_ptr<drive::Drive> disk_;
  AtHost host_;
  Script script_;
  std::string served_;
};

struct Worked {
  const char* policy;
  const char* order;

  friend std::ostream& operator<<(std::ostream& out, const Worked& w) { return out << w.policy << ": " << w.order; }
};
class WorkedQueue : public ::testing::TestWithParam<Worked> {};

TEST_P(WorkedQueue, IsServedInTheOrderWorkedByHand) {
  // Upward from cylinder 0; c comes at 9 ms, when a has been begun (the first access waits for its sector until 6.4).
  const std::vector<Given> given = {{'d', 90, 7}, {'B', 60, 9}, {'b', 20, 11},
                                    {'a', 10, 5}, {'e', 70, 3}, {'c', 5, 1, 9 * kMs}};
  SmallQueue queue(GetParam().policy, "lockstep", given);
  run_until(seconds(1));
  EXPECT_EQ(queue.served(), GetParam().order);
  EXPECT_EQ(queue.mismatches(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Policies, WorkedQueue,
                         ::testing::Values(Worked{"LOOK", "abBedc"}, Worked{"OPS:SCAN/CLUST-REQ(1)", "abBedc"},
                                           Worked{"OPS:SCAN/CI-OPT(1)", "abcBed"}));

/// Up to 20 requests, each on a different cylinder; up to `most_continuous` - 1 of them are continuous.
std::vector<Given> random_queue(std::mt19937_64& random, std::size_t most_continuous) {
  std::vector<std::uint32_t> cylinders(127);
  std::iota(cylinders.begin(), cylinders.end(), 1u);
  std::shuffle(cylinders.begin(), cylinders.end(), random);
  std::vector<Given> given;
  const std::size_t count = 1 + random() % 20;
  const std::size_t continuous = random() % most_continuous;
  for (std::size_t k = 0; k < count; ++k) {
    Given g{static_cast<char>((k < continuous ? 'A' : 'a') + k), cylinders[k], static_cast<std::uint32_t>(random() % 128)};
    // Most of them arrive at once; the others, also continuous ones, arrive when clusters and lists are half served.
    if (random() % 4 == 0) g.at = static_cast<Picoseconds>(random() % 80'000) * kUs;
    given.push_back(g);
  }
  return given;
}

/// The same queues on two drives each: firmware that takes no time, and an accelerated engine.
struct Pairs {
  void add(const std::string& policy, const std::string& engine, const std::vector<Given>& given,
           const scheduling::Interpretations& interpretations = {}) {
    firmware.push_back(std::make_unique<SmallQueue>(policy, "firmware", given, 32, interpretations));
    accelerated.push_back(std::make_unique<SmallQueue>(policy, engine, given, 32, interpretations));
  }
  /// Counts pairs that serve in different orders.
  std::size_t unequal() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < firmware.size(); ++i) count += firmware[i]->served() != accelerated[i]->served();
    return count;
  }
  /// Counts queues that firmware serves in another order than under the first of `interpretations` interpretations.
  std::size_t different(std::size_t interpretations) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < firmware.size(); ++i)
      count += firmware[i]->served() != firmware[i / interpretations * interpretations]->served();
    return count;
  }
  /// Checks that accelerated drives serve all requests that firmware serves, without a mismatch.
  void expect_complete() const {
    for (std::size_t i = 0; i < firmware.size(); ++i) {
      EXPECT_FALSE(firmware[i]->served().empty());
      EXPECT_EQ(sorted(*accelerated[i]), sorted(*firmware[i])) << "pair " << i;
      EXPECT_EQ(accelerated[i]->mismatches(), 0u) << "pair " << i;
    }
  }
  static std::string sorted(const SmallQueue& queue) {
    std::string names = queue.served();
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::unique_ptr<SmallQueue>> firmware;
  std::vector<std::unique_ptr<SmallQueue>> accelerated;
};

class Programs : public ::testing::TestWithParam<const char*> {};

TEST_P(Programs, ServeSmallQueuesAsTheFirmwareDoes) {
  std::mt19937_64 random(61);
  Pairs pairs;
  for (std::uint32_t i = 0; i < 60; ++i) pairs.add(GetParam(), i % 4 == 0 ? "lockstep" : "model", random_queue(random, 4));
  run_until(seconds(3));
  pairs.expect_complete();
  for (std::size_t i = 0; i < pairs.firmware.size(); ++i)
    EXPECT_EQ(pairs.accelerated[i]->served(), pairs.firmware[i]->served()) << "queue " << i;
}

TEST_P(Programs, OneCylinderAndAQueueOfOneAreServedToTheEnd) {
  std::vector<Given> given;
  for (std::uint32_t i = 0; i < 20; ++i) given.push_back({static_cast<char>('a' + i), 50, 6 * i});
  given.push_back({'Z', 50, 127});
  SmallQueue many(GetParam(), "lockstep", given);
  SmallQueue firmware(GetParam(), "firmware", given);
  SmallQueue one(GetParam(), "lockstep", given, 1);
  run_until(seconds(3));
  EXPECT_EQ(one.served(), "abcdefghijklmnopqrstZ");
  std::string all = many.served();
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, "Zabcdefghijklmnopqrst");
  EXPECT_EQ(many.mismatches() + one.mismatches(), 0u);
  if (std::string(GetParam()).find("CI-") != std::string::npos) {
    EXPECT_EQ(many.served().back(), 'Z') << "both ends belong to the interval";
    EXPECT_EQ(firmware.served().back(), 'Z');
  }
}

TEST_P(Programs, ALongRequestGivesWayToTheSweepAndComesBack) {
  // l takes 36 ms, and A is due in 40.
  const std::vector<Given> given = {
      {'l', 40, 0, 0, seconds(100), 5 * 64}, {'A', 90, 11, 0, 40 * kMs}, {'s', 60, 20}, {'m', 30, 9, 5 * kMs}};
  SmallQueue model(GetParam(), "lockstep", given);
  // Without a deadline that can be met the sweep is forced; all others are served afterwards.
  std::vector<Given> hopeless = given;
  hopeless[1].deadline = 1 * kMs;
  SmallQueue forced(GetParam(), "lockstep", hopeless);
  run_until(seconds(2));
  EXPECT_EQ(model.mismatches() + forced.mismatches(), 0u);
  ASSERT_EQ(model.served().size(), 4u) << model.served();
  ASSERT_EQ(forced.served().size(), 4u) << forced.served();
  if (!keeps_deadlines(GetParam())) return;
  EXPECT_LT(model.served().find('A'), model.served().find('l')) << model.served();
  EXPECT_EQ(model.forced(), 0u);
  EXPECT_EQ(forced.served().front(), 'A');
  EXPECT_EQ(forced.forced(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Policies, Programs,
                         ::testing::Values("LOOK", "OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(2)", "OPS:SCAN/CI-OPT(5)",
                                           "OPS:SCAN/CI-OPT(12)", "OPS:SCAN/CLUST-REQ(2)", "OPS:SCAN/CLUST-REQ(6)",
                                           "OPS:SCAN/CLUST-REQ(12)", "OPS:SCAN/CLUST-CYL(4|20)"),
                         name_of);

TEST(OrdererOfTheBuild, MustBeLargeEnoughForThePolicy) {
  const auto objection = [](std::uint32_t order_m, const char* policy) {
    accelerator::AcceleratorParameters parameters;
    parameters.order_m = order_m;
    return system::accelerator_objection(parameters, *scheduling::find_policy(policy), 32).message();
  };
  EXPECT_EQ(objection(6, "OPS:SCAN/CI-OPT(6)"), "");
  EXPECT_EQ(objection(0, "OPS:SCAN/CI-SPTF"), "");
  EXPECT_EQ(objection(0, "LOOK"), "");
  EXPECT_EQ(objection(6, "OPS:SCAN/CLUST-REQ( 7 )"),
            "accelerator.order_m: found 6, expected at least 7: policy OPS:SCAN/CLUST-REQ(7) makes exact orders of 7 requests");
  EXPECT_EQ(system::engine_objection(*system::find_engine("lockstep"), *scheduling::find_policy("OPS:SCAN/CLUST-CYL(12|1)"), 32)
                .message(),
            "");
}

// --- where clusters begin --------------------------------------------------------------------------------------------

struct ClusterInterpretation {
  scheduling::ClusterFrom from;
  scheduling::ClusterRound round;

  scheduling::Interpretations interpretations() const {
    scheduling::Interpretations interpretations;
    interpretations.cluster_from = from;
    interpretations.cluster_round = round;
    return interpretations;
  }
};

constexpr ClusterInterpretation kClusterInterpretations[] = {
    {scheduling::ClusterFrom::Front, scheduling::ClusterRound::Restart},
    {scheduling::ClusterFrom::Front, scheduling::ClusterRound::Continue},
    {scheduling::ClusterFrom::Arm, scheduling::ClusterRound::Restart},
    {scheduling::ClusterFrom::Arm, scheduling::ClusterRound::Continue}};

class ClusterInterpretations : public ::testing::TestWithParam<const char*> {};

TEST_P(ClusterInterpretations, EachIsServedAsInFirmware) {
  std::mt19937_64 random(64);
  constexpr std::size_t kQueues = 24;
  Pairs pairs;
  for (std::size_t i = 0; i < kQueues; ++i) {
    std::vector<Given> given = random_queue(random, 6);
    // In half of them rounds are so short that clusters are interrupted.
    for (Given& g : given)
      if (i % 2 == 0 && g.name <= 'Z') g.deadline = g.at + static_cast<Picoseconds>(40 + random() % 120) * kMs;
    for (const ClusterInterpretation& interpretation : kClusterInterpretations)
      pairs.add(GetParam(), "lockstep", given, interpretation.interpretations());
  }
  run_until(seconds(3));
  pairs.expect_complete();
  for (std::size_t i = 0; i < pairs.firmware.size(); ++i)
    EXPECT_EQ(pairs.accelerated[i]->served(), pairs.firmware[i]->served()) << "queue " << i / 4 << ", interpretation " << i % 4;
  EXPECT_GT(pairs.different(std::size(kClusterInterpretations)), kQueues / 4) << "the interpretations matter";
}

TEST_P(ClusterInterpretations, EachKeepsAllRoundsTheFirmwaresMeansAndTheRtlInStep) {
  const Picoseconds end = seconds(scaled(100));
  std::vector<std::unique_ptr<MixedRig>> rigs;
  const auto make = [&](const char* engine, const MixedLoad& load, const ClusterInterpretation& interpretation) {
    const std::string name = "rig" + std::to_string(rigs.size());
    rigs.push_back(
        std::make_unique<MixedRig>(name,
                                   make_drive((name + "_disk").c_str(), GetParam(), engine, free_of_charge(atlas_profile()),
                                              false, interpretation.interpretations()),
                                   load, end));
  };
  for (const ClusterInterpretation& interpretation : kClusterInterpretations) {
    make("firmware", MixedLoad{}, interpretation);
    make("lockstep", MixedLoad{}, interpretation);
    make("lockstep", tight_load(), interpretation);
  }
  run_until(end);
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    rigs[i]->close();
    EXPECT_EQ(rigs[i]->statistics.hiccups(), 0u) << i;
    EXPECT_EQ(rigs[i]->disk->engine().statistics().mismatches, 0u) << i;
    if (i % 3 != 1) continue;
    for (const RequestClass cls : {RequestClass::Continuous, RequestClass::Discrete})
      EXPECT_NEAR(rigs[i]->mean_ms(cls) / rigs[i - 1]->mean_ms(cls), 1, kScale == 1 ? 0.02 : 0.05) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ClusterInterpretations,
                         ::testing::Values("OPS:SCAN/CLUST-REQ(2)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(4|20)"),
                         name_of);

// --- what the guard refuses ------------------------------------------------------------------------------------------

constexpr scheduling::Postponed kPostponed[] = {scheduling::Postponed::Round, scheduling::Postponed::LastContinuous};

class PostponedInterpretations : public ::testing::TestWithParam<const char*> {};

TEST_P(PostponedInterpretations, AreServedAsInFirmware) {
  std::mt19937_64 random(65);
  constexpr std::size_t kQueues = 80;
  Pairs pairs;
  for (std::size_t i = 0; i < kQueues; ++i) {
    std::vector<Given> given = random_queue(random, 6);
    // Rounds with too little time, and requests of up to 72 ms.
    const Picoseconds deadline = static_cast<Picoseconds>(30 + random() % 170) * kMs;
    for (Given& g : given) {
      if (g.name <= 'Z') g.deadline = g.at + deadline;
      if (g.name >= 'a' && random() % 2 == 0 && g.cylinder < 120) g.blocks = static_cast<std::uint32_t>(1 + random() % 640);
    }
    for (const scheduling::Postponed interpretation : kPostponed) {
      scheduling::Interpretations interpretations;
      interpretations.postponed = interpretation;
      pairs.add(GetParam(), i % 4 == 0 ? "lockstep" : "model", given, interpretations);
    }
  }
  run_until(seconds(3));
  pairs.expect_complete();
  // The accelerator's guard reserves its longest decision time for each hop, this firmware's guard nothing: a few requests pass only one of them.
  EXPECT_LE(pairs.unequal(), pairs.accelerated.size() / 32);
  EXPECT_GT(pairs.different(std::size(kPostponed)), 0u) << "the interpretations matter";
}

INSTANTIATE_TEST_SUITE_P(Policies, PostponedInterpretations,
                         ::testing::Values("OPS:SCAN/CI-SPTF", "OPS:SCAN/CI-OPT(1)", "OPS:SCAN/CI-OPT(2)", "OPS:SCAN/CI-OPT(5)",
                                           "OPS:SCAN/CLUST-REQ(2)", "OPS:SCAN/CLUST-REQ(6)", "OPS:SCAN/CLUST-CYL(4|20)"),
                         name_of);

TEST(OtherInterpretations, AreForFirmwareOnly) {
  scheduling::Interpretations interpretations = kClusterInterpretations[3].interpretations();
  interpretations.postponed = scheduling::Postponed::LastContinuous;
  const scheduling::PolicySpec policy = *scheduling::find_policy("OPS:SCAN/CLUST-REQ(6)");
  EXPECT_EQ(system::engine_objection(*system::find_engine("lockstep"), policy, 32, interpretations).message(), "");
  interpretations.clusters = scheduling::ClusterContents::Discrete;
  EXPECT_NE(
      system::engine_objection(*system::find_engine("lockstep"), policy, 32, interpretations).message().find("engine firmware"),
      std::string::npos);
  EXPECT_EQ(system::engine_objection(*system::find_engine("firmware"), policy, 32, interpretations).message(), "");
  scheduling::Interpretations each_part;
  each_part.phase_list = scheduling::PhaseList::Part;
  EXPECT_NE(system::engine_objection(*system::find_engine("model"), policy, 32, each_part).message().find("engine firmware"),
            std::string::npos);
}

// --- mixed loads -----------------------------------------------------------------------------------------------------

class MixedPrograms : public ::testing::TestWithParam<const char*> {};

TEST_P(MixedPrograms, KeepAllRoundsAndTheFirmwaresMeans) {
  const Picoseconds end = seconds(scaled(200));
  const auto make = [&](const std::string& name, const char* engine) {
    return std::make_unique<MixedRig>(
        name, make_drive((name + "_disk").c_str(), GetParam(), engine, free_of_charge(atlas_profile()), false), MixedLoad{},
        end);
  };
  const auto firmware = make("firmware", "firmware");
  const auto model = make("model", "model");
  run_until(end);
  for (MixedRig* rig : {firmware.get(), model.get()}) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u);
    EXPECT_EQ(rig->statistics.of(RequestClass::Continuous).completed, scaled(200) * 25u);
    EXPECT_LT(rig->statistics.of(RequestClass::Discrete).outstanding, 20u);
  }
  for (const RequestClass cls : {RequestClass::Continuous, RequestClass::Discrete}) {
    const double ratio = model->mean_ms(cls) / firmware->mean_ms(cls);
    EXPECT_NEAR(ratio, 1, kScale == 1 ? 0.01 : 0.05) << core::to_string(cls);
    RecordProperty(std::string(core::to_string(cls)), std::to_string(ratio));
  }
}

TEST_P(MixedPrograms, AreTheSameInModelAndRtl) {
  // Half of the decisions with a guard that rarely refuses, half with one that refuses all the time.
  const Picoseconds end = seconds(scaled(200));
  MixedRig easy("easy", GetParam(), "lockstep", MixedLoad{}, end);
  MixedRig tight("tight", GetParam(), "lockstep", tight_load(), end / 2);
  run_until(end);
  std::uint64_t decisions = 0;
  for (MixedRig* rig : {&easy, &tight}) {
    rig->close();
    const engine::EngineStatistics e = rig->disk->engine().statistics();
    EXPECT_EQ(e.mismatches, 0u);
    EXPECT_GE(e.operations_compared, e.decisions);
    decisions += e.decisions;
    if (keeps_deadlines(GetParam())) {
      EXPECT_EQ(rig->statistics.hiccups(), 0u);
    }
  }
  EXPECT_GE(decisions, scaled(10'000));
}

INSTANTIATE_TEST_SUITE_P(Policies, MixedPrograms,
                         ::testing::Values("LOOK", "SPTF", "SPTF(next-C)", "SPTF(unguarded)", "ASPTF(0.01)", "OPS:SCAN/CI-SPTF",
                                           "OPS:SCAN/CI-OPT(6)", "OPS:SCAN/CI-OPT(12)", "OPS:SCAN/CLUST-REQ(6)",
                                           "OPS:SCAN/CLUST-REQ(12)", "OPS:SCAN/CLUST-CYL(6|1000)", "OPS:SLACK(3.4|0.46)"),
                         name_of);

// --- optional parts --------------------------------------------------------------------------------------------------

std::unique_ptr<MixedRig> rig_with(const std::string& name, const char* engine, std::int64_t features, const MixedLoad& load,
                                   Picoseconds end, bool zero_latency = false) {
  drive::DriveConfig config;
  config.profile = free_of_charge(atlas_profile());
  config.profile.zero_latency_read = config.profile.zero_latency_write = zero_latency;
  config.holds_data = false;
  system::EngineOptions options = engine_options("SPTF", engine, config.profile);
  options.accelerator.features = features;
  return std::make_unique<MixedRig>(
      name, std::make_unique<drive::Drive>((name + "_disk").c_str(), config, system::engine_factory(options)), load, end);
}

TEST(ZeroLatency, TheAcceleratorKnowsWhatTheFirmwareKnows) {
  const Picoseconds end = seconds(scaled(200));
  const auto firmware = rig_with("firmware", "firmware", 0, {}, end, true);
  const auto without = rig_with("without", "model", accelerator::kAllFeatures - accelerator::kZeroLatency, {}, end, true);
  const auto with = rig_with("with", "model", accelerator::kZeroLatency, {}, end, true);
  const auto rtl = rig_with("rtl", "lockstep", accelerator::kAllFeatures, {}, end, true);
  run_until(end);
  for (MixedRig* rig : {firmware.get(), without.get(), with.get(), rtl.get()}) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u);
  }
  const double exact = firmware->mean_ms(RequestClass::Discrete);
  EXPECT_NEAR(with->mean_ms(RequestClass::Discrete) / exact, 1, kScale == 1 ? 0.02 : 0.1);
  EXPECT_NEAR(rtl->mean_ms(RequestClass::Discrete) / exact, 1, kScale == 1 ? 0.02 : 0.1);
  EXPECT_GT(without->mean_ms(RequestClass::Discrete) / exact, 1.05);
  EXPECT_EQ(rtl->disk->engine().statistics().mismatches, 0u);
}

TEST(Limits, KeepDeadlinesOfDiscreteRequestsAndOfTheSweep) {
  const Picoseconds end = seconds(scaled(200));
  MixedLoad load;
  load.rate_per_s = 40;
  load.deadline = 250 * kMs;
  const auto ignored = rig_with("ignored", "model", 0, load, end);
  const auto kept = rig_with("kept", "lockstep", accelerator::kAllFeatures, load, end);
  const auto handler = sc_core::sc_report_handler::get_handler();  // the one without limits warns
  sc_core::sc_report_handler::set_handler([](const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
    EXPECT_STREQ(report.get_msg_type(), "/platter/accelerator/deadline");
  });
  run_until(end);
  sc_core::sc_report_handler::set_handler(handler);
  for (MixedRig* rig : {ignored.get(), kept.get()}) {
    rig->close();
    EXPECT_EQ(rig->statistics.hiccups(), 0u);
  }
  const std::uint64_t late = ignored->statistics.of(RequestClass::Discrete).late;
  ASSERT_GT(late, scaled(100));
  EXPECT_LT(kept->statistics.of(RequestClass::Discrete).late, late / 4);
  EXPECT_EQ(kept->disk->engine().statistics().mismatches, 0u);
}

}  // namespace
}  // namespace platter::testing
