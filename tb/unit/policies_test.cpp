// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/policies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "drives.h"

namespace platter::scheduling {
namespace {

using core::Cylinder;
using core::Head;
using core::Lba;

/// A random set of commands that stay where they are.
class Queue {
 public:
  explicit Queue(const AccessPlanner& planner) : planner_(planner) { commands_.reserve(256); }

  const Command& add(std::uint64_t first, std::uint32_t blocks = 1, bool write = false,
                     RequestClass cls = RequestClass::Discrete, Picoseconds deadline = kNoDeadline) {
    Command command;
    command.tag = Tag(static_cast<std::uint16_t>(commands_.size()));
    command.sequence = commands_.size();
    command.cls = cls;
    command.deadline = deadline;
    command.extent = planner_.resolve(Lba(first), blocks, write);
    commands_.push_back(command);
    return commands_.back();
  }
  Command& operator[](std::size_t tag) { return commands_[tag]; }
  std::vector<Command>& all() { return commands_; }

 private:
  const AccessPlanner& planner_;
  std::vector<Command> commands_;
};

std::unique_ptr<SchedulerIf> make(std::string_view name, const AccessPlanner& planner) {
  return find_policy(name)->create({planner, 256, 10'000'000});
}

/// Every policy of the table that writes in place, with some parameters.
std::vector<PolicySpec> every_policy(const char* requests = "6") {
  std::vector<PolicySpec> specs;
  for (const PolicyInfo& row : policy_table()) {
    if (row.places) continue;  // eager_policies_test
    std::string notation(row.name);
    if (!row.parameters.empty()) {
      std::string values;
      for (const char letter : row.parameters)
        values += letter == 'w' || letter == 'R' || letter == 'c' ? "0.01"
                  : letter == 'M'                                 ? requests
                  : letter == '|'                                 ? "|"
                                                                  : "20";
      notation.replace(notation.find("(" + std::string(row.parameters) + ")") + 1, row.parameters.size(), values);
    }
    EXPECT_EQ(policy_objection(notation), "");
    specs.push_back(*find_policy(notation));
    EXPECT_EQ(specs.back().name(), notation);
    EXPECT_EQ(specs.back().row, &row);
  }
  return specs;
}

/// Serves all commands; cylinders of the accesses in order, "-c" for a move to cylinder c.
std::string service_order(SchedulerIf& scheduler, Queue& queue, HeadState head) {
  std::string order;
  for (int step = 0; step < 1000; ++step) {
    const Decision decision = scheduler.pick(head, 0);
    if (decision.kind == Decision::Kind::Idle) return order;
    if (!order.empty()) order += " ";
    if (decision.kind == Decision::Kind::Move) {
      order += "-" + std::to_string(decision.cylinder.value);
      head.cylinder = decision.cylinder;
    } else {
      order += std::to_string(queue[decision.tag.value].extent.cylinder.value);
      head = AccessPlanner::end_of(queue[decision.tag.value].extent);
      scheduler.remove(decision.tag);
    }
  }
  return order + " and no end";
}

HeadState at(std::uint32_t cylinder) { return {Cylinder(cylinder), Head(0), false}; }

TEST(Policies, EveryPolicyOfTheTableIdlesServesAndEmpties) {
  const AccessPlanner planner(testing::line_drive(100));
  std::set<std::string_view> names;
  for (const PolicySpec& policy : every_policy()) {
    SCOPED_TRACE(policy.name());
    EXPECT_TRUE(names.insert(policy.row->name).second);
    EXPECT_FALSE(policy.row->description.empty());
    const auto scheduler = policy.create({planner, 256, 10'000'000});
    EXPECT_TRUE(scheduler->empty());
    EXPECT_EQ(scheduler->work(at(50)).candidates, 0u);
    EXPECT_EQ(scheduler->work(at(50)).order_steps, 0u);
    EXPECT_EQ(scheduler->pick(at(50), 0).kind, Decision::Kind::Idle);
    Queue queue(planner);
    scheduler->insert(queue.add(70));
    scheduler->insert(queue.add(60, 1, false, RequestClass::Continuous, core::kPicosecondsPerSecond));
    scheduler->insert(queue.add(80, 1, true, RequestClass::Background));
    EXPECT_FALSE(scheduler->empty());
    EXPECT_EQ(scheduler->work(at(50)).candidates, policy.name() == "FCFS" || policy.name().rfind("TPS", 0) == 0 ? 1u
                                                  : policy.name().find("SLACK") != std::string::npos            ? 3u + 9u
                                                                                                                : 3u);
    const Decision decision = scheduler->pick(at(50), 0);
    EXPECT_EQ(decision.kind, Decision::Kind::Serve);
    EXPECT_EQ(scheduler->pick(at(50), 0).tag, decision.tag);  // a pick removes nothing
    for (const std::uint16_t tag : std::vector<std::uint16_t>{1, 0, 2}) scheduler->remove(Tag(tag));
    EXPECT_TRUE(scheduler->empty());
    EXPECT_EQ(scheduler->pick(at(50), 0).kind, Decision::Kind::Idle);
    scheduler->insert(queue.add(55));
    EXPECT_EQ(scheduler->pick(at(50), 2 * core::kPicosecondsPerSecond).tag, Tag(3));  // the round is over
  }
}

TEST(Policies, NamesAreFoundWithBlanksAndInNoOtherForm) {
  ASSERT_TRUE(find_policy(" SPTF ( next-C ) "));
  EXPECT_EQ(find_policy(" SPTF ( next-C ) ")->name(), "SPTF(next-C)");
  EXPECT_FALSE(find_policy("sptf"));
  EXPECT_FALSE(find_policy("SPTF(next-C"));
  EXPECT_FALSE(find_policy(""));
}

TEST(Policies, TheTableSaysWhichProgramCarriesThemOnTheAccelerator) {
  struct Row {
    const char* policy;
    Accelerated program;
    GuardMode guard;
  };
  for (const Row& row : {Row{"SPTF", Accelerated::Sptf, GuardMode::Pooled},
                         {"SPTF(next-C)", Accelerated::Sptf, GuardMode::NextContinuous},
                         {"SPTF(unguarded)", Accelerated::Sptf, GuardMode::None},
                         {"ASPTF(0.01)", Accelerated::Sptf, GuardMode::Pooled},
                         {"LOOK", Accelerated::Elevator, GuardMode::None},
                         {"SCAN", Accelerated::No, GuardMode::None},
                         {"TPS:SCAN/(SCAN/CI-OPT(6))", Accelerated::No, GuardMode::None},
                         {"OPS:SCAN/CI-SPTF", Accelerated::Intervals, GuardMode::Pooled},
                         {"OPS:SCAN/CI-OPT(6)", Accelerated::Intervals, GuardMode::Pooled},
                         {"OPS:SCAN/CLUST-REQ(6)", Accelerated::Clusters, GuardMode::Pooled},
                         {"OPS:SCAN/CLUST-CYL(6|1000)", Accelerated::Clusters, GuardMode::Pooled}}) {
    EXPECT_EQ(find_policy(row.policy)->row->accelerated, row.program) << row.policy;
    EXPECT_EQ(find_policy(row.policy)->row->guard, row.guard) << row.policy;
  }
  EXPECT_EQ(to_string(Accelerated::Clusters), "clusters");
}

TEST(Policies, ParametersArePartOfTheName) {
  const auto spec = [](const char* notation) {
    EXPECT_EQ(policy_objection(notation), "");
    return *find_policy(notation);
  };
  EXPECT_EQ(spec("ASPTF(0)").parameters.weight.millionths, 0);
  EXPECT_EQ(spec("ASPTF(0.01)").parameters.weight.millionths, 10'000);
  EXPECT_EQ(spec("ASPTF(12.345678)").parameters.weight.millionths, 12'345'678);
  EXPECT_EQ(spec("ASPTF(100)").parameters.weight.millionths, 100'000'000);
  EXPECT_EQ(spec("ASPTF( 00.500 )").name(), "ASPTF(0.5)");
  EXPECT_EQ(spec("ASPTF(3.0)").name(), "ASPTF(3)");
  EXPECT_EQ(spec("OPS:SCAN/CI-SPTF").parameters.requests, 0u);
  EXPECT_EQ(spec("OPS: SCAN / CI-OPT (12)").parameters.requests, 12u);
  EXPECT_EQ(spec("OPS:SCAN/CLUST-REQ(1)").parameters.requests, 1u);
  EXPECT_EQ(spec("OPS:SCAN/CLUST-CYL( 06 | 1000 )").name(), "OPS:SCAN/CLUST-CYL(6|1000)");
  EXPECT_EQ(spec("OPS:SCAN/CLUST-CYL(6|1000)").parameters.cylinders, 1000u);
  EXPECT_EQ(spec("OPS:SCAN/CLUST-CYL(6|1000)").row->name, "OPS:SCAN/CLUST-CYL(M|T)");
  EXPECT_EQ(spec("TPS: SCAN / (SCAN / CI-OPT(06))").name(), "TPS:SCAN/(SCAN/CI-OPT(6))");
  EXPECT_EQ(spec("TPS:SCAN/(SCAN/CI-OPT(12))").parameters.requests, 12u);
  EXPECT_EQ(spec("V(0.250)").name(), "V(0.25)");
  EXPECT_EQ(spec("GSS(5)").parameters.groups, 5u);
  EXPECT_EQ(spec("OPS:SLACK(4.0|0.50)").name(), "OPS:SLACK(4|0.5)");
  EXPECT_EQ(spec("OPS:SLACK(4|0.5)").parameters.delay.millionths, 4'000'000);
  EXPECT_EQ(spec("OPS:SLACK(4|0.5)").parameters.weight.millionths, 500'000);
}

TEST(Policies, BadParametersAreToldWhatWasExpected) {
  for (const char* notation : {"ASPTF", "ASPTF()", "ASPTF(w)", "ASPTF(-1)", "ASPTF(.5)", "ASPTF(1.)", "ASPTF(0.0000001)",
                               "ASPTF(100.000001)", "ASPTF(1e2)", "ASPTF(0.01", "ASPTF(0.01))", "ASPTF(9999999999)"}) {
    EXPECT_FALSE(find_policy(notation)) << notation;
    EXPECT_EQ(policy_objection(notation), "policy \"" + std::string(notation) +
                                              "\": expected ASPTF(w), w a decimal from 0 to 100 with at most six "
                                              "places");
  }
  for (const char* notation : {"OPS:SCAN/CI-OPT", "OPS:SCAN/CI-OPT()", "OPS:SCAN/CI-OPT(0)", "OPS:SCAN/CI-OPT(13)",
                               "OPS:SCAN/CI-OPT(6|7)", "OPS:SCAN/CI-OPT(M)", "OPS:SCAN/CI-OPT(99999999999999999999)"}) {
    EXPECT_FALSE(find_policy(notation)) << notation;
    EXPECT_EQ(policy_objection(notation),
              "policy \"" + std::string(notation) + "\": expected OPS:SCAN/CI-OPT(M), M from 1 to 12");
  }
  for (const char* notation :
       {"OPS:SCAN/CLUST-CYL(6)", "OPS:SCAN/CLUST-CYL(6|)", "OPS:SCAN/CLUST-CYL(|1000)", "OPS:SCAN/CLUST-CYL(6|0)",
        "OPS:SCAN/CLUST-CYL(13|1000)", "OPS:SCAN/CLUST-CYL(6|2097153)", "OPS:SCAN/CLUST-CYL(6|1000|1)"}) {
    EXPECT_FALSE(find_policy(notation)) << notation;
    EXPECT_EQ(policy_objection(notation), "policy \"" + std::string(notation) +
                                              "\": expected OPS:SCAN/CLUST-CYL(M|T), M from 1 to 12, "
                                              "T from 1 to 2097152 cylinders");
  }
  for (const char* notation : {"V", "V()", "V(1.000001)", "V(-0.1)"})
    EXPECT_EQ(policy_objection(notation),
              "policy \"" + std::string(notation) + "\": expected V(R), R a decimal from 0 to 1 with at most six places");
  EXPECT_EQ(policy_objection("GSS(0)"), "policy \"GSS(0)\": expected GSS(g), g from 1 to 10000 groups");
  for (const char* notation : {"TPS:SCAN/(SCAN/CI-OPT(6)", "TPS:SCAN/(SCAN/CI-OPT(13))", "TPS:SCAN/(SCAN/CI-OPT())"})
    EXPECT_EQ(policy_objection(notation),
              "policy \"" + std::string(notation) + "\": expected TPS:SCAN/(SCAN/CI-OPT(M)), M from 1 to 12");
  EXPECT_EQ(policy_objection("SPTT"),
            "there is no policy \"SPTT\" (did you mean SPTF?); `platter list policies` shows them all");
  EXPECT_EQ(policy_objection("OPS:SCAN/CI-OTP(6)"),
            "there is no policy \"OPS:SCAN/CI-OTP(6)\" (did you mean OPS:SCAN/CI-OPT(M)?); `platter list policies` "
            "shows them all");
  EXPECT_NE(policy_objection("OPS:SCAN/CI-SPTF(6)"), "");
}

// The textbook queue: arm at 53 of 200 cylinders, moving up.
struct Textbook {
  const char* policy;
  const char* order;
};
class TextbookQueue : public ::testing::TestWithParam<Textbook> {};

TEST_P(TextbookQueue, IsServedInTheKnownOrder) {
  const AccessPlanner planner(testing::line_drive(200));
  const auto scheduler = make(GetParam().policy, planner);
  Queue queue(planner);
  for (const unsigned cylinder : {98u, 183u, 37u, 122u, 14u, 124u, 65u, 67u}) scheduler->insert(queue.add(cylinder));
  EXPECT_EQ(service_order(*scheduler, queue, at(53)), GetParam().order);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, TextbookQueue,
    ::testing::Values(Textbook{"FCFS", "98 183 37 122 14 124 65 67"}, Textbook{"SSTF", "65 67 37 14 98 122 124 183"},
                      Textbook{"V(0)", "65 67 37 14 98 122 124 183"},
                      Textbook{"V(0.004)", "65 67 37 14 98 122 124 183"},  // 30 + 0.8 < 31
                      Textbook{"V(0.006)", "65 67 98 122 124 183 37 14"}, Textbook{"V(1)", "65 67 98 122 124 183 37 14"},
                      Textbook{"SCAN", "65 67 98 122 124 183 -199 37 14"}, Textbook{"LOOK", "65 67 98 122 124 183 37 14"},
                      Textbook{"C-LOOK", "65 67 98 122 124 183 14 37"}));

TEST(Policies, ScanTurnsAtTheEdgesOnly) {
  const AccessPlanner planner(testing::line_drive(100));
  const auto scheduler = make("SCAN", planner);
  Queue queue(planner);
  scheduler->insert(queue.add(40));
  EXPECT_EQ(service_order(*scheduler, queue, at(50)), "-99 40");  // up to the edge first
  scheduler->insert(queue.add(30));
  scheduler->insert(queue.add(60));
  EXPECT_EQ(service_order(*scheduler, queue, at(40)), "30 -0 60");  // downward now
  scheduler->insert(queue.add(99));
  scheduler->insert(queue.add(98));
  EXPECT_EQ(service_order(*scheduler, queue, at(60)), "98 99");
  scheduler->insert(queue.add(5));
  EXPECT_EQ(service_order(*scheduler, queue, at(99)), "5");  // stands at the edge already
}

TEST(Policies, ElevatorsTakeNewRequestsAheadAndLeaveThoseBehind) {
  const AccessPlanner planner(testing::line_drive(100));
  for (const auto& [name, order] : {std::pair("LOOK", "70 55 20"), {"SCAN", "70 -99 55 20"}, {"C-LOOK", "70 20 55"}}) {
    const auto scheduler = make(name, planner);
    Queue queue(planner);
    scheduler->insert(queue.add(60));
    scheduler->insert(queue.add(20));
    EXPECT_EQ(scheduler->pick(at(50), 0).tag, Tag(0));
    scheduler->remove(Tag(0));
    scheduler->insert(queue.add(70));
    scheduler->insert(queue.add(55));  // just passed
    EXPECT_EQ(service_order(*scheduler, queue, at(60)), order) << name;
  }
}

/// Cylinders of a static batch in the order of an elevator, by sorting.
std::string sorted_order(std::string_view policy, std::vector<std::uint32_t> cylinders, std::uint32_t from,
                         std::uint32_t edge) {
  std::sort(cylinders.begin(), cylinders.end());
  const auto split = std::lower_bound(cylinders.begin(), cylinders.end(), from);
  std::vector<std::string> order;
  for (auto i = split; i != cylinders.end(); ++i) order.push_back(std::to_string(*i));
  const bool at_edge = (split == cylinders.end() ? from : cylinders.back()) == edge;
  if (policy == "SCAN" && split != cylinders.begin() && !at_edge) order.push_back("-" + std::to_string(edge));
  std::vector<std::string> behind;
  for (auto i = cylinders.begin(); i != split; ++i) behind.push_back(std::to_string(*i));
  if (policy != "C-LOOK") std::reverse(behind.begin(), behind.end());
  order.insert(order.end(), behind.begin(), behind.end());
  std::string text;
  for (const std::string& word : order) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(Policies, ElevatorsServeRandomBatchesInSortedOrder) {
  const AccessPlanner planner(testing::line_drive(40));
  std::mt19937 random(21);
  for (int batch = 0; batch < 500; ++batch)
    for (const char* name : {"SCAN", "LOOK", "C-LOOK"}) {
      const auto scheduler = make(name, planner);
      Queue queue(planner);
      std::vector<std::uint32_t> cylinders(1 + random() % 20);
      for (std::uint32_t& cylinder : cylinders) {
        cylinder = static_cast<std::uint32_t>(random() % 40);
        queue.add(cylinder);
      }
      for (const Command& command : queue.all()) scheduler->insert(command);
      const auto from = static_cast<std::uint32_t>(random() % 40);
      ASSERT_EQ(service_order(*scheduler, queue, at(from)), sorted_order(name, cylinders, from, 39)) << name;
    }
}

TEST(Policies, RequestsOnOneCylinderGoByAgeThenTag) {
  const AccessPlanner planner(testing::line_drive(10));
  for (const PolicySpec& policy : every_policy("1")) {  // longer exact orders have a tie rule of their own
    SCOPED_TRACE(policy.name());
    const auto scheduler = policy.create({planner, 256, 10'000'000});
    Queue queue(planner);
    for (const std::uint64_t sequence : {7u, 3u, 9u, 3u, 1u}) {
      queue.add(5);
      queue.all().back().sequence = sequence;
    }
    for (const std::size_t tag : {3u, 0u, 4u, 2u, 1u}) scheduler->insert(queue[tag]);
    for (const unsigned expected : {4u, 1u, 3u, 0u, 2u}) {
      const Decision decision = scheduler->pick(at(5), 1'234'567);
      ASSERT_EQ(decision.kind, Decision::Kind::Serve);
      ASSERT_EQ(decision.tag.value, expected);
      scheduler->remove(decision.tag);
    }
  }
}

/// A random batch on the small drive, entered in random order, with more commands that are taken out again.
class RandomBatches : public ::testing::TestWithParam<const char*> {
 protected:
  template <typename Cost>
  void expect_least(const Cost& cost) {
    const AccessPlanner planner(testing::small_drive(profile::Mapping::Serpentine));
    const std::uint64_t blocks = planner.geometry().block_count();
    std::mt19937_64 random(22);
    for (int batch = 0; batch < 1000; ++batch) {
      const auto scheduler = make(GetParam(), planner);
      Queue queue(planner);
      const std::size_t count = 1 + random() % 24;
      for (std::size_t i = 0; i < count; ++i) {
        const auto length = static_cast<std::uint32_t>(1 + random() % 12);
        // Some share their place with another one: ties.
        const std::uint64_t first =
            i > 0 && random() % 4 == 0 ? queue[random() % i].extent.first.value : random() % (blocks - 24);
        queue.add(first, length, random() % 3 == 0, static_cast<RequestClass>(random() % 3));
        queue[i].sequence = random() % 16;
        if (random() % 2 == 0) queue[i].data_ready = static_cast<Picoseconds>(random() % 30'000'000'000);
      }
      std::vector<std::size_t> order(count);
      for (std::size_t i = 0; i < count; ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t tag : order) scheduler->insert(queue[tag]);
      std::set<std::size_t> present(order.begin(), order.end());
      for (std::size_t i = 0; i < count / 3; ++i) {
        scheduler->remove(Tag(static_cast<std::uint16_t>(order[i])));
        present.erase(order[i]);
      }
      const HeadState head{Cylinder(static_cast<std::uint32_t>(random() % 20)), Head(static_cast<std::uint32_t>(random() % 3)),
                           random() % 2 == 0};
      const auto now = static_cast<Picoseconds>(random() % 20'000'000'000);
      const Decision decision = scheduler->pick(head, now);
      ASSERT_EQ(decision.kind, Decision::Kind::Serve);
      ASSERT_FALSE(decision.forced);
      ASSERT_EQ(present.count(decision.tag.value), 1u);
      const Command& picked = queue[decision.tag.value];
      for (const std::size_t tag : present) {
        if (tag == decision.tag.value) continue;
        const Command& other = queue[tag];
        const auto a = cost(planner, picked, head, now);
        const auto b = cost(planner, other, head, now);
        ASSERT_LE(a, b);
        const bool picked_is_older =
            picked.sequence != other.sequence ? picked.sequence < other.sequence : picked.tag < other.tag;
        ASSERT_TRUE(a < b || picked_is_older);
      }
    }
  }
};

class FcfsBatches : public RandomBatches {};
TEST_P(FcfsBatches, PickTheOldest) {
  expect_least([](const AccessPlanner&, const Command& c, const HeadState&, Picoseconds) { return c.sequence; });
}
INSTANTIATE_TEST_SUITE_P(Policies, FcfsBatches, ::testing::Values("FCFS"));

class SstfBatches : public RandomBatches {};
TEST_P(SstfBatches, PickTheNearestCylinder) {
  expect_least([](const AccessPlanner&, const Command& c, const HeadState& head, Picoseconds) {
    return std::abs(static_cast<std::int64_t>(c.extent.cylinder.value) - static_cast<std::int64_t>(head.cylinder.value));
  });
}
INSTANTIATE_TEST_SUITE_P(Policies, SstfBatches, ::testing::Values("SSTF"));

class SptfBatches : public RandomBatches {};
TEST_P(SptfBatches, PickTheShortestPositioningTime) {
  expect_least([](const AccessPlanner& planner, const Command& c, const HeadState& head, Picoseconds now) {
    return planner.estimate(head, c.extent, now, c.data_ready).positioning();
  });
}
INSTANTIATE_TEST_SUITE_P(Policies, SptfBatches, ::testing::Values("SPTF", "SPTF(next-C)", "SPTF(unguarded)"));

TEST(Policies, OnlyUnguardedSptfIgnoresDeadlines) {
  const AccessPlanner planner(testing::small_drive());
  Queue queue(planner);
  const Command& overdue = queue.add(400, 50, false, RequestClass::Continuous, 1);
  const Command& near = queue.add(12, 50);
  const HeadState head{near.extent.cylinder, near.extent.head, false};
  Picoseconds now = 5'000'000'000;  // a moment at which the discrete command is the nearer one
  while (planner.estimate(head, near.extent, now).positioning() > planner.estimate(head, overdue.extent, now).positioning())
    now += 500'000'000;
  for (const char* name : {"SPTF(unguarded)", "SPTF", "SPTF(next-C)"}) {
    const auto scheduler = make(name, planner);
    scheduler->insert(overdue);
    scheduler->insert(near);
    const Decision decision = scheduler->pick(head, now);
    const bool guarded = std::string_view(name) != "SPTF(unguarded)";
    EXPECT_EQ(decision.tag, guarded ? overdue.tag : near.tag) << name;
    EXPECT_EQ(decision.forced, guarded) << name;
  }
}

}  // namespace
}  // namespace platter::scheduling
