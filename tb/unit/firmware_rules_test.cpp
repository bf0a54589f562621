// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "platter/scheduling/class_budgets.h"
#include "policy_rig.h"

namespace platter::scheduling {
namespace {

using testing::kSectors;
using testing::Rig;

constexpr Picoseconds kUs = core::kPicosecondsPerMicrosecond;

FirmwareRules aged(Picoseconds limit) { return {limit, false, 0}; }
FirmwareRules streams(Picoseconds limit, std::uint32_t reach = 0) { return {limit, true, reach}; }

TEST(FirmwareRules, TheOldestCommandBeyondTheLimitGoesFirst) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("SPTF(unguarded)", 0, {}, rules);
    rig.add('z', 90).add('a', 0, 1).add('b', 0, 3).add('c', 0, 5).add('d', 0, 20).add('e', 0, 18);
    return rig.serve();
  };
  EXPECT_EQ(order({}), "abcedz");
  EXPECT_EQ(order(aged(1'000 * kUs)), "abcezd");  // after e 1.9 ms have passed, and all are beyond the limit
  EXPECT_EQ(order(aged(1'000'000 * kUs)), "abcedz");
  EXPECT_EQ(order(aged(1)), "azbcde");
}

TEST(FirmwareRules, TheGuardKeepsTheSweepsTime) {
  Rig rig("SPTF", 0, {}, aged(1));
  rig.now = 1'000 * kUs;
  rig.add('z', 99).add('A', 0, 30, 3'200 * kUs);
  rig.now = 1'200 * kUs;
  EXPECT_EQ(rig.serve().back(), 'z');
}

TEST(FirmwareRules, AStreamGoesFirst) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("FCFS", 0, {}, rules);
    rig.add('p', 10, 0).add('q', 10, 1).add('a', 50).add('b', 50, 9).add('r', 10, 2).add('s', 10, 3).add('t', 10, 4);
    return rig.serve();
  };
  EXPECT_EQ(order({}), "pqabrst");
  EXPECT_EQ(order(streams(1'000'000 * kUs)), "pqrstab");
  EXPECT_EQ(order(streams(6'250 * kUs)), "pqrabst");
}

TEST(FirmwareRules, ABatchOfTheOthersHoldsTheStreamBack) {
  const auto order = [](const FirmwareRules& rules) {
    Rig rig("SPTF(unguarded)", 0, {}, rules);
    rig.add('a', 50);
    rig.now = 20'000 * kUs;
    rig.add('p', 10, 0).add('q', 10, 1).add('b', 99, 30).add('r', 10, 2).add('s', 10, 3).add('t', 10, 4);
    return rig.serve();
  };
  EXPECT_EQ(order(aged(24'250 * kUs)), "pqrastb");
  EXPECT_EQ(order(streams(24'250 * kUs)), "pqrabst");
}

TEST(FirmwareRules, AStreamMayLeaveOutWhatTheBufferHas) {
  const auto order = [](std::uint32_t reach) {
    Rig rig("FCFS", 0, {}, streams(1'000'000 * kUs, reach));
    rig.add('p', 10, 0).add('q', 10, 1).add('a', 50).add('r', 10, 9).add('b', 50, 9);
    return rig.serve();
  };
  EXPECT_EQ(order(6), "pqarb");
  EXPECT_EQ(order(7), "pqrab");
}

TEST(FirmwareRules, ThePolicyOrdersTheStream) {
  const auto order = [](const FirmwareRules& rules, bool other) {
    Rig rig("FCFS", 0, {}, rules);
    rig.add('p', 10, 0).add('q', 10, 1).add('t', 10, 4);
    if (other) rig.add('a', 50);
    rig.add('s', 10, 3).add('r', 10, 2);
    return rig.serve();
  };
  const FirmwareRules rules = streams(1'000'000 * kUs, 3);
  EXPECT_EQ(order(rules, false), order({}, false));
  EXPECT_EQ(order({}, true), "pqtasr");
  EXPECT_EQ(order(rules, true), "pqtrsa") << "r and s, which the policy has left out, are still of the stream";
}

TEST(FirmwareRules, AStreamBeginsWithWhatThePolicyHasLeftOut) {
  Rig rig("FCFS", 0, {}, streams(1'000'000 * kUs, 3));
  rig.add('p', 10, 0).add('r', 10, 2).add('a', 50).add('q', 10, 1).add('s', 10, 3);
  EXPECT_EQ(rig.serve(), "prqsa");
}

TEST(FirmwareRules, AContinuousCommandHasAnAgeWhereThePolicyKnowsNoDeadline) {
  const auto order = [](const char* policy) {
    Rig rig(policy, 0, {}, aged(1'000 * kUs));
    rig.add('z', 40).add('C', 90).add('a', 0, 1).add('b', 0, 3).add('c', 0, 20).add('d', 0, 40);
    return rig.serve();
  };
  EXPECT_EQ(order("SPTF(unguarded)"), "abczCd");
  EXPECT_EQ(order("LOOK"), "abczCd");
}

TEST(FirmwareRules, NoRuleGoesBeforeAContinuousCommandThatThePolicyServesFirst) {
  for (const char* policy : {"EDF", "SCAN-EDF", "GSS(2)", "TPS:SCAN/SCAN", "TPS:SCAN/(SCAN/CI-OPT(6))"}) {
    SCOPED_TRACE(policy);
    Rig rig(policy, 0, {}, streams(10'000 * kUs));
    rig.add('z', 90).add('p', 10, 0).add('q', 10, 1);
    rig.now = 9'000 * kUs;
    rig.serve(1);
    rig.add('A', 50, 0).add('B', 60).add('r', 10, 2);
    rig.now += 20'000 * kUs;
    const std::string order = rig.serve(2);
    EXPECT_TRUE(order == "AB" || order == "BA") << order;
    EXPECT_EQ(rig.serve().size(), 3u);
  }
}

TEST(FirmwareRules, AStreamLeavesADeadlineOutsideTheSweepItsTime) {
  for (const bool deadline : {false, true}) {
    Rig rig("SPTF", 0, {}, streams(1'000'000 * kUs, 60));
    rig.add('p', 10, 0).add('q', 10, 1);
    EXPECT_EQ(rig.serve(), "pq");
    rig.add('x', 9, static_cast<std::uint32_t>(rig.now / (100 * kUs) + 15) % kSectors);
    rig.add_extent('r', rig.planner.resolve(core::Lba(10 * kSectors + 50), 300, false));
    scheduling::Command command;
    command.extent = rig.planner.resolve(core::Lba(std::uint64_t{50} * kSectors), 1, false);
    if (deadline) command.deadline = rig.now + 20'000 * kUs;
    rig.add_command('d', command);
    const std::string order = rig.serve();
    if (deadline)
      EXPECT_EQ(order, "x!dr");
    else
      EXPECT_EQ(order.front(), 'r') << order;
  }
}

// --- accounts of service ---------------------------------------------------------------------------------------------

void add_background(Rig& rig, char name, std::uint32_t cylinder) {
  scheduling::Command command;
  command.cls = RequestClass::Background;
  command.extent = rig.planner.resolve(core::Lba(std::uint64_t{cylinder} * kSectors), 1, false);
  rig.add_command(name, command);
}

TEST(FirmwareRules, AFairQueueChargesWhatARulePutsFirst) {
  Rig rig("SFQ(1|1|1)", 10, {}, aged(100'000 * kUs));
  add_background(rig, 'w', 10);
  add_background(rig, 'x', 90);
  add_background(rig, 'y', 12);
  EXPECT_EQ(rig.serve(1), "w");
  rig.now = 100'000 * kUs;
  rig.add('a', 10, 1).add('b', 10, 3).add('c', 10, 5);
  EXPECT_EQ(rig.serve(2), "xy");
  add_background(rig, 'z', 10);
  rig.add('C', 10, 7);
  EXPECT_EQ(rig.serve(), "aCbcz") << "the class of x and y has had its share; that of C begins where that of a, b and c stands";
}

TEST(FirmwareRules, ARunToTheEdgeThatARuleReplacesIsNotCharged) {
  Interpretations interpretations;
  interpretations.cello_elevator = CelloElevator::Scan;
  Rig rig("CELLO(1|1|1)", 50, interpretations, aged(100'000 * kUs));
  add_background(rig, 'z', 99);
  rig.now = 100'000 * kUs;
  rig.add('a', 40);
  EXPECT_EQ(rig.serve(), "za") << "for a alone the arm would have run to the edge";
  Picoseconds charged = 0;
  for (const RequestClass cls : {RequestClass::Continuous, RequestClass::Discrete, RequestClass::Background})
    charged += rig.scheduler->class_budgets()->total(cls);
  EXPECT_EQ(charged, rig.busy);
}

// --- destages --------------------------------------------------------------------------------------------------------

TEST(FirmwareRules, DestagesHaveNoAgeUntilHostsWaitForThem) {
  const auto order = [](const AwaitedDestages& since) {
    Rig rig("SPTF(unguarded)", 0, {}, aged(1));
    scheduling::Command destage;
    destage.destage = true;
    destage.extent = rig.planner.resolve(core::Lba(std::uint64_t{90} * kSectors), 1, true);
    rig.add_command('z', destage);
    rig.add('a', 0, 1);
    destage.extent = rig.planner.resolve(core::Lba(3), 1, true);
    rig.add_command('y', destage);
    rig.add('b', 0, 5).add('c', 0, 7);
    rig.scheduler->awaited(since);
    return rig.serve();
  };
  EXPECT_EQ(order({}), "abcyz");
  EXPECT_EQ(order({0, kNoDeadline}), "aybzc") << "the policy chooses which destage";
  EXPECT_EQ(order({kNoDeadline, 0}), "azbyc") << "the oldest";
  EXPECT_EQ(order({1'000'000 * kUs, kNoDeadline}), "abcyz");
}

TEST(FirmwareRules, DestagesAreInNoStream) {
  Rig rig("FCFS", 0, {}, streams(1'000'000 * kUs));
  scheduling::Command destage;
  destage.destage = true;
  const auto add = [&](char name, std::uint32_t sector) {
    destage.extent = rig.planner.resolve(core::Lba(10 * kSectors + sector), 1, true);
    rig.add_command(name, destage);
  };
  add('p', 0);
  add('q', 1);
  rig.add('a', 50);
  add('r', 2);
  EXPECT_EQ(rig.serve(), "pqar");
}

// --- for observers ---------------------------------------------------------------------------------------------------

TEST(FirmwareRules, ADecisionSaysWhichRuleHasMadeIt) {
  Rig rig("SPTF(unguarded)", 0, {}, streams(25'000 * kUs, 30));
  rig.add('a', 50);
  rig.now = 20'000 * kUs;
  rig.add('p', 10, 0).add('q', 10, 1).add('b', 99, 30);
  EXPECT_EQ(rig.serve(2), "pq");
  rig.add('x', 11, 13).add('r', 10, 20).add('t', 10, 40);
  std::string order;
  std::string rules;
  std::string holds_t;
  for (int i = 0; i < 5; ++i) {
    const Decision decision = testing::settled(*rig.scheduler, rig.head, rig.now);
    order += rig.names[decision.tag.value];
    rules += to_string(decision.rule)[0];
    holds_t += rig.scheduler->held_back(core::Tag(static_cast<std::uint16_t>(rig.names.find('t')))) ? '1' : '0';
    rig.now += rig.planner.commit(rig.head, rig.commands[decision.tag.value].extent, rig.now).total();
    rig.scheduler->remove(decision.tag);
  }
  EXPECT_EQ(order, "raxbt");
  EXPECT_EQ(rules, "sappp");
  EXPECT_EQ(holds_t, "00110");
}

TEST(FirmwareRules, ADecisionThatIsNotCarriedOutBeginsNoBatch) {
  Rig rig("SPTF", 0, {}, streams(25'000 * kUs));
  rig.add('a', 50);
  rig.now = 20'000 * kUs;
  rig.add('p', 10, 0).add('q', 10, 1);
  EXPECT_EQ(rig.serve(2), "pq");
  rig.add('r', 10, 2).add('A', 99);
  rig.now = 30'000 * kUs;
  EXPECT_EQ(rig.names[testing::settled(*rig.scheduler, rig.head, rig.now).tag.value], 'a');
  const Decision sweep = rig.scheduler->next_of_sweep(rig.head, rig.now);
  EXPECT_EQ(rig.names[sweep.tag.value], 'A');
  rig.scheduler->remove(sweep.tag);
  EXPECT_EQ(rig.names[testing::settled(*rig.scheduler, rig.head, rig.now).tag.value], 'a');
  EXPECT_FALSE(rig.scheduler->held_back(rig.commands[rig.names.find('r')].tag));
}

// --- loads -----------------------------------------------------------------------------------------------------------

TEST(FirmwareRules, ALongStreamInTheQueue) {
  constexpr std::uint32_t kCommands = 4096;
  const AccessPlanner planner(testing::ruler());
  SchedulerContext context{planner, kCommands + 1, 0};
  context.rules = streams(1'000'000'000 * kUs);
  const auto scheduler = find_policy("FCFS")->create(context);
  std::vector<scheduling::Command> commands(kCommands + 1);
  for (std::uint32_t i = 0; i <= kCommands; ++i) {
    commands[i].tag = core::Tag(static_cast<std::uint16_t>(i));
    commands[i].sequence = i;
    commands[i].extent = planner.resolve(core::Lba(i == 2 ? 5900 : i < 2 ? i : i - 1), 1, false);
    scheduler->insert(commands[i]);
  }
  HeadState head;
  Picoseconds now = 0;
  for (std::uint32_t i = 0; i <= kCommands; ++i) {
    scheduler->work(head);
    const Decision decision = scheduler->pick(head, now);
    ASSERT_EQ(decision.tag.value, i == kCommands ? 2 : i < 2 ? i : i + 1);
    now += planner.commit(head, commands[decision.tag.value].extent, now).total();
    scheduler->remove(decision.tag);
  }
  EXPECT_TRUE(scheduler->empty());
}

/// Every policy of the table that writes in place.
std::vector<std::string> every_policy() {
  std::vector<std::string> notations;
  for (const PolicyInfo& row : policy_table()) {
    if (row.places) continue;
    std::string notation(row.name);
    if (!row.parameters.empty()) {
      std::string values;
      for (const char letter : row.parameters)
        values += letter == '|'   ? "|"
                  : letter == 'M' ? "6"
                  : letter == 'T' ? "20"
                  : letter == 'g' ? "2"
                  : letter == 'w' ? "0.01"
                                  : "1";
      notation.replace(notation.find("(" + std::string(row.parameters) + ")") + 1, row.parameters.size(), values);
    }
    notations.push_back(notation);
  }
  return notations;
}

struct LoadCase {
  Picoseconds limit;
  bool stream_first;
  bool destages;
};

/// A sequential stream, random commands, the continuous commands of rounds of a second, withdrawals, and perhaps destages, without a simulation.
class Load {
 public:
  static constexpr std::uint32_t kHosts = 16;
  static constexpr std::uint32_t kDestages = 12;
  static constexpr std::uint32_t kStreams = 3;
  static constexpr Picoseconds kLongest = 24'000 * kUs;  ///< an access: 10.8 ms of seek, two turns, three sectors, one cylinder
  static constexpr Picoseconds kRound = core::kPicosecondsPerSecond;

  Load(const std::string& policy, const LoadCase& load, std::uint32_t seed)
      : load_(load), planner_(testing::ruler()), random_(seed) {
    SchedulerContext context{planner_, kTags, 0};
    context.rules = {load.limit, load.stream_first, 4};
    scheduler_ = find_policy(policy)->create(context);
    // While a command waits beyond the limit, the older ones go first, in turn with destages. Where the policy knows the deadlines of the
    // continuous commands, two rounds of them may go before, and one access and a sweep may not fit before the end of a round.
    const Picoseconds accesses = (load.destages ? 2 : 1) * (kHosts + 2 * kStreams) + 1;
    bound_ = load.limit + (accesses + (scheduler_->knows_deadlines() ? 3 * kStreams + 1 : 0)) * kLongest;
  }

  void run(Picoseconds end) {
    while (now_ < end && !::testing::Test::HasFatalFailure()) {
      arrive();
      wait_for_destages();
      if (random_() % 20 == 0) withdraw();
      step();
    }
    draining_ = true;
    scheduler_->awaited({});
    while (!scheduler_->empty() && !::testing::Test::HasFatalFailure()) {
      ASSERT_LT(now_, end + kRound * 10);
      step();
    }
    EXPECT_EQ(there_, 0u);
  }

  /// `sequence` of the commands served, in that order.
  const std::vector<std::uint64_t>& order() const { return order_; }
  /// The time of all accesses of each class.
  const std::array<Picoseconds, core::kRequestClasses>& served() const { return served_; }
  const ClassBudgets* class_budgets() const { return scheduler_->class_budgets(); }

  int late = 0;             ///< continuous commands after their deadlines
  Picoseconds longest = 0;  ///< wait, of commands that are not served by their deadlines
  bool knows_deadlines() const { return scheduler_->knows_deadlines(); }
  Picoseconds bound() const { return bound_; }

 private:
  static constexpr std::size_t kTags = 64;

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void insert(const scheduling::Command& attributes) {
    std::size_t tag = 0;
    while (used_[tag]) ++tag;
    scheduling::Command& command = commands_[tag] = attributes;
    command.tag = core::Tag(static_cast<std::uint16_t>(tag));
    command.sequence = sequence_++;
    command.arrival = now_;
    used_[tag] = true;
    ++there_;
    scheduler_->insert(command);
  }

  void arrive() {
    for (; next_round_ <= now_; next_round_ += kRound)
      for (std::uint32_t stream = 0; stream < kStreams; ++stream) {
        scheduling::Command command;
        command.cls = RequestClass::Continuous;
        command.stream = stream;
        command.deadline = next_round_ + kRound;
        command.extent = planner_.resolve(core::Lba(below(90 * kSectors)), 3, false);
        insert(command);
      }
    for (; hosts_ < kHosts; ++hosts_) {
      const bool stream = below(2) == 0;
      const std::uint32_t first = stream ? next_ : below(90 * kSectors);
      if (stream) next_ = (next_ + 3 + below(3)) % (90 * kSectors);
      scheduling::Command command;
      command.extent = planner_.resolve(core::Lba(first), 3, !stream && below(3) == 0);
      insert(command);
    }
    for (; load_.destages && destages_ < kDestages; ++destages_) {
      scheduling::Command command;
      command.destage = true;
      command.cls = RequestClass::Background;
      command.extent = planner_.resolve(core::Lba(below(90 * kSectors)), 3, true);
      insert(command);
    }
  }

  /// Now and then a host waits for destages: those that were there then, or as many, are served in time.
  void wait_for_destages() {
    if (!load_.destages || now_ < change_at_) return;
    if (awaiting_) {
      EXPECT_GE(destaged_, kDestages);
      if (certain_) {
        for (std::size_t tag = 0; tag < kTags; ++tag)
          EXPECT_FALSE(used_[tag] && commands_[tag].destage && commands_[tag].arrival <= awaited_since_);
      }
      scheduler_->awaited({});
      change_at_ = now_ + Picoseconds{below(500)} * 1'000 * kUs;
    } else {
      certain_ = !certain_;
      destaged_ = 0;
      awaited_since_ = now_;
      scheduler_->awaited(certain_ ? AwaitedDestages{kNoDeadline, now_} : AwaitedDestages{now_, kNoDeadline});
      change_at_ = now_ + load_.limit + (2 * kDestages + 3 * kStreams + 2) * kLongest;
    }
    awaiting_ = !awaiting_;
  }

  void withdraw() {
    std::size_t tag = below(kTags);
    while (!used_[tag]) tag = (tag + 1) % kTags;
    if (commands_[tag].destage || in_sweep(commands_[tag])) return;
    scheduler_->withdraw(commands_[tag].tag);
    gone(tag);
    --hosts_;
  }

  void gone(std::size_t tag) {
    used_[tag] = false;
    --there_;
  }

  void step() {
    const Decision decision = testing::settled(*scheduler_, head_, now_);
    if (decision.kind == Decision::Kind::Move) {
      now_ += 1'000 * kUs;
      head_.cylinder = decision.cylinder;
      return;
    }
    if (decision.kind == Decision::Kind::Idle) {
      ASSERT_NE(std::min(decision.until, next_round_), kNoDeadline);
      now_ = std::max(now_ + 1, std::min(decision.until, draining_ ? kNoDeadline : next_round_));
      return;
    }
    ASSERT_EQ(decision.kind, Decision::Kind::Serve);
    const std::size_t tag = decision.tag.value;
    ASSERT_TRUE(used_[tag]);
    const scheduling::Command& command = commands_[tag];
    const bool sweeps = scheduler_->knows_deadlines() && in_sweep(command);
    if (!command.destage && !sweeps) longest = std::max(longest, now_ - command.arrival);
    const Picoseconds taken = planner_.commit(head_, command.extent, now_).total();
    ASSERT_LE(taken, kLongest);
    now_ += taken;
    order_.push_back(command.sequence);
    served_[core::index_of(command.cls)] += taken;
    late += in_sweep(command) && now_ > command.deadline ? 1 : 0;
    destages_ -= command.destage ? 1u : 0u;
    destaged_ += command.destage ? 1u : 0u;
    hosts_ -= command.destage || in_sweep(command) ? 0u : 1u;
    scheduler_->remove(decision.tag);
    gone(tag);
  }

  LoadCase load_;
  AccessPlanner planner_;
  std::unique_ptr<SchedulerIf> scheduler_;
  std::mt19937 random_;
  std::vector<scheduling::Command> commands_ = std::vector<scheduling::Command>(kTags);
  std::vector<bool> used_ = std::vector<bool>(kTags, false);
  std::vector<std::uint64_t> order_;
  std::array<Picoseconds, core::kRequestClasses> served_{};
  HeadState head_;
  Picoseconds now_ = 0;
  Picoseconds bound_ = 0;
  Picoseconds next_round_ = 0;
  Picoseconds change_at_ = 0;
  Picoseconds awaited_since_ = 0;
  bool awaiting_ = false;
  bool certain_ = false;
  bool draining_ = false;
  std::uint32_t hosts_ = 0;
  std::uint32_t destages_ = 0;
  std::uint32_t destaged_ = 0;
  std::uint32_t next_ = 0;
  std::size_t there_ = 0;
  std::uint64_t sequence_ = 0;
};

/// Under every policy that writes in place: each command leaves once, none waits longer than the limit and the stated bound, and no deadline
/// that the policy knows is missed.
TEST(FirmwareRules, NobodyWaitsMuchLongerThanTheLimit) {
  for (const std::string& policy : every_policy())
    for (const Picoseconds limit : {30'000 * kUs, 400'000 * kUs})
      for (const bool stream_first : {false, true})
        for (const bool destages : {false, true}) {
          SCOPED_TRACE(policy + ", " + std::to_string(limit / (1'000 * kUs)) + " ms" + (stream_first ? ", stream first" : "") +
                       (destages ? ", destages" : ""));
          Load load(policy, {limit, stream_first, destages}, 7);
          load.run(40 * core::kPicosecondsPerSecond);
          EXPECT_LE(load.longest, load.bound());
          if (load.knows_deadlines()) {
            EXPECT_EQ(load.late, 0);
          }
        }
}

TEST(FirmwareRules, ALimitThatNothingReachesIsAsNone) {
  for (const std::string& policy : every_policy()) {
    SCOPED_TRACE(policy);
    Load plain(policy, {0, false, false}, 11);
    Load ruled(policy, {3'600 * core::kPicosecondsPerSecond, false, false}, 11);
    plain.run(20 * core::kPicosecondsPerSecond);
    ruled.run(20 * core::kPicosecondsPerSecond);
    EXPECT_EQ(plain.order(), ruled.order());
    EXPECT_EQ(plain.longest, ruled.longest);
  }
}

TEST(FirmwareRules, EachAccessIsChargedToItsClass) {
  for (const Picoseconds limit : {Picoseconds{0}, 30'000 * kUs, 400'000 * kUs})
    for (const bool stream_first : {false, true}) {
      SCOPED_TRACE(std::to_string(limit / (1'000 * kUs)) + " ms" + (stream_first ? ", stream first" : ""));
      Load load("CELLO(1|2|1)", {limit, stream_first, limit > 0}, 13);
      load.run(20 * core::kPicosecondsPerSecond);
      ASSERT_NE(load.class_budgets(), nullptr);
      for (const RequestClass cls : {RequestClass::Continuous, RequestClass::Discrete, RequestClass::Background}) {
        if (cls != RequestClass::Background || limit > 0) {
          EXPECT_GT(load.served()[core::index_of(cls)], 0);
        }
        EXPECT_EQ(load.class_budgets()->total(cls), load.served()[core::index_of(cls)]);
      }
    }
}

}  // namespace
}  // namespace platter::scheduling
