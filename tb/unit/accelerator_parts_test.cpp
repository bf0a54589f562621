// SPDX-License-Identifier: Apache-2.0
//
// Parts of the accelerator's firmware, and the contract's formulas.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <stdexcept>

#include "accelerator_bus.h"
#include "drives.h"
#include "platter/accelerator/arrival_margins.h"
#include "platter/accelerator/decision_course.h"
#include "platter/accelerator/table_mirror.h"

namespace platter::testing {
namespace {

using accelerator::AcceleratorParameters;
using accelerator::ArrivalMargins;
using accelerator::DecisionCourse;
using accelerator::GivenMargins;
using accelerator::TableMirror;
using scheduling::Command;
using Event = DecisionCourse::Event;
using Stage = DecisionCourse::Stage;
namespace reg = accelerator::reg;

DecisionCourse after(std::initializer_list<Event> events) {
  DecisionCourse course;
  for (const Event event : events) course.on(event);
  return course;
}

TEST(DecisionCourse, PreparedInTimeItIsReadyWhenTheActuatorAsks) {
  DecisionCourse course;
  EXPECT_FALSE(course.prepared());
  course.prepare({}, 1000, 10);
  EXPECT_TRUE(course.is_for({}, 1000));
  EXPECT_FALSE(course.is_for({}, 1001));
  EXPECT_EQ(course.asked, 10);
  course.on(Event::Start);
  EXPECT_TRUE(course.running());
  course.on(Event::Complete);
  EXPECT_TRUE(course.ready());
  course.on(Event::Await);
  EXPECT_TRUE(course.ready());
  course.on(Event::Deliver);
  EXPECT_FALSE(course.prepared());
}

TEST(DecisionCourse, ACommandThatArrivesTakesAReadyDecisionBack) {
  EXPECT_EQ(after({Event::Prepare, Event::Start, Event::Complete, Event::Change}).stage(), Stage::Prepared);
  EXPECT_EQ(after({Event::Prepare, Event::Start, Event::Change}).stage(), Stage::Running);
}

TEST(DecisionCourse, AnOutdatedOperationIsDiscarded) {
  DecisionCourse course = after({Event::Prepare, Event::Start, Event::Prepare});
  EXPECT_TRUE(course.outdated());
  EXPECT_THROW(course.on(Event::Complete), std::logic_error);
  course.on(Event::Discard);
  EXPECT_EQ(course.stage(), Stage::Prepared);
  course = after({Event::Prepare, Event::Start, Event::Await, Event::Outdate});
  EXPECT_TRUE(course.outdated() && course.waiting());
  course.on(Event::Discard);
  EXPECT_EQ(course.stage(), Stage::Asked);
}

// A stage stands for five flags. Here each of them is kept for itself, as the events change it.
TEST(DecisionCourse, RandomEventsKeepTheStagesConsistent) {
  constexpr unsigned kEvents = static_cast<unsigned>(Event::Deliver) + 1;
  constexpr std::size_t kStages = static_cast<std::size_t>(Stage::AwaitedOutdated) + 1;
  std::mt19937 random(5);
  std::array<int, kStages> seen{};
  for (int run = 0; run < 2000; ++run) {
    DecisionCourse course;
    bool prepared = false, waits = false, runs = false, outdated = false, ready = false;
    for (int step = 0; step < 30; ++step) {
      const auto event = static_cast<Event>(random() % kEvents);
      const Stage before = course.stage();
      try {
        course.on(event);
      } catch (const std::logic_error&) {
        EXPECT_EQ(course.stage(), before);
        continue;
      }
      if (event == Event::Prepare) prepared = true;
      if (event == Event::Deliver) prepared = false;
      if ((event == Event::Prepare && runs) || event == Event::Outdate) outdated = true;
      if (event == Event::Start) runs = true;
      if (event == Event::Discard || event == Event::Complete) runs = outdated = false;
      if (event == Event::Await && before != Stage::Ready) waits = true;
      if (event == Event::Complete || event == Event::Deliver) waits = false;
      if (event == Event::Complete) ready = true;
      if (event == Event::Prepare || event == Event::Change || event == Event::Deliver) ready = false;
      EXPECT_EQ(course.prepared(), prepared);
      EXPECT_EQ(course.running(), runs);
      EXPECT_EQ(course.waiting(), waits);
      EXPECT_EQ(course.outdated(), outdated);
      EXPECT_EQ(course.ready(), ready);
      EXPECT_LE(course.ready() + course.running(), 1);
      ++seen[static_cast<std::size_t>(course.stage())];
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

// What the firmware expects of a DECIDE is what it takes, for any work in the table.
TEST(TableMirror, PredictsTheCyclesOfEveryDecision) {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (const std::uint32_t lanes : {1u, 4u, 8u}) {
    AcceleratorParameters parameters;
    parameters.lanes = lanes;
    AcceleratorBus bus(parameters);
    TableMirror table(parameters.entries);
    std::vector<Command> commands(parameters.entries);
    bool guarded = false;
    int stale = 0;
    for (int step = 0; step < 20'000; ++step) {
      const std::uint32_t tag = below(parameters.entries);
      Command& command = commands[tag];
      switch (below(8)) {
        case 0:
        case 1:
        case 2: {
          if (table.commands()[tag] != nullptr) break;
          command.tag = core::Tag(static_cast<std::uint16_t>(tag));
          command.cls = below(3) == 0 ? core::RequestClass::Continuous : core::RequestClass::Discrete;
          command.deadline = command.cls == core::RequestClass::Continuous ? 1 : core::kNoDeadline;
          command.extent.cylinder = core::Cylinder(below(50));
          bus.put(reg::kEPos, command.extent.cylinder.value | static_cast<std::uint32_t>(command.cls) << reg::kEPosClassLsb);
          const std::uint32_t beyond = table.beyond(command.extent.cylinder);
          EXPECT_EQ(bus.put(reg::kInsert, tag), reg::cycles::insert(beyond));
          table.enter(command, command.cls == core::RequestClass::Continuous, false, 0);
          break;
        }
        case 3:
        case 4: {
          if (table.commands()[tag] == nullptr) break;
          EXPECT_EQ(bus.put(below(2) == 0 ? reg::kRemove : reg::kServe, tag), reg::cycles::remove(table.entries()));
          table.leave(command, command.cls == core::RequestClass::Continuous, false);
          break;
        }
        case 5:
          guarded = below(2) == 0;
          bus.put(reg::kCtrl, guarded ? 1u << reg::kCtrlGuardEnLsb : 0);
          table.sums_no_longer_hold();
          break;
        default: {
          const std::uint32_t expected = table.decide_cycles(parameters.built(), guarded, false);
          EXPECT_EQ(bus.put(reg::kOp, 0), expected);
          stale += expected > reg::cycles::decide_pass(parameters.built());
          if (guarded) table.decided();
        }
      }
    }
    EXPECT_GT(stale, 500);
  }
}

TEST(TableMirror, TheSweepStartsAtTheNearerExtremeAndKeepsItsDirection) {
  TableMirror table(4);
  std::array<Command, 3> commands;
  for (std::uint16_t tag = 0; tag < 3; ++tag) {
    commands[tag].tag = core::Tag(tag);
    commands[tag].cls = core::RequestClass::Continuous;
    commands[tag].deadline = 1;
    commands[tag].extent.cylinder = core::Cylinder(100u * (tag + 1u));
    table.enter(commands[tag], true, false, 0);
  }
  EXPECT_TRUE(table.downward(core::Cylinder(280)));
  EXPECT_FALSE(table.downward(core::Cylinder(110)));
  table.settle_direction();
  EXPECT_FALSE(table.downward(core::Cylinder(280)));
}

// The description's widths are those that the firmware's arithmetic uses.
TEST(Contract, WidthsAreThoseOfTheFixedPointFormat) {
  for (unsigned angle_w = 12; angle_w <= 20; ++angle_w) {
    for (unsigned cyl_w = 8; cyl_w <= 18; ++cyl_w) {
      for (unsigned seg_m = 2; seg_m <= 5; ++seg_m) {
        AcceleratorParameters parameters;
        parameters.format = {angle_w, cyl_w, seg_m, 10};
        const reg::Parameters built = parameters.built();
        const scheduling::FixedPointFormat& format = parameters.format;
        EXPECT_EQ(built.time_w(), format.time_w());
        EXPECT_EQ(built.sum_w(), format.sum_w());
        EXPECT_EQ(built.place_w(), format.place_w());
        EXPECT_EQ(built.base_w(), format.base_w());
        EXPECT_EQ(built.delta_w(), format.delta_w());
      }
    }
  }
}

TEST(ArrivalMargins, FollowFromTheSpreadUnlessGiven) {
  using scheduling::ArrivalCost;
  profile::DriveProfile profile = small_drive();
  const scheduling::FixedPointFormat format;
  const ArrivalMargins asked{7, 9, 0.25};
  const auto margins = [&](ArrivalCost cost, const GivenMargins& given) {
    const mechanics::AccessPlanner planner(profile);
    return margins_for(planner, format, cost, 1.5, asked, given);
  };
  EXPECT_EQ(margins(ArrivalCost::Expected, {}).margin_ticks, 7u);  // no spread
  EXPECT_EQ(margins(ArrivalCost::Expected, {}).risk_ticks, 9u);
  EXPECT_EQ(margins(ArrivalCost::Expected, {}).risk_probability, 0.25);

  profile.arrival_spread_us = {{0, 50}, {2, 100}, {19, 200}};  // 100 us over an eighth of the cylinders
  const auto ticks = [&](double us) { return static_cast<std::uint32_t>(us / 6000 * format.turn()); };
  for (const ArrivalCost cost : {ArrivalCost::Mean, ArrivalCost::Margin, ArrivalCost::Expected}) {
    const ArrivalMargins of = margins(cost, {});
    const std::uint32_t margin = cost == ArrivalCost::Mean ? 0 : ticks(cost == ArrivalCost::Margin ? 150 : 75);
    EXPECT_NEAR(of.margin_ticks, margin, 1);
    // The guard's quantile of the largest deviation, whatever the cost is.
    EXPECT_GE(of.margin_ticks + of.risk_ticks, ticks(3.99 * 200));
    EXPECT_LE(of.margin_ticks + of.risk_ticks, ticks(4 * 200) + 2);
    if (cost == ArrivalCost::Expected)
      EXPECT_GT(of.risk_probability, 0);
    else
      EXPECT_EQ(of.risk_probability, 0);
    const ArrivalMargins given = margins(cost, {true, true, true});
    EXPECT_EQ(given.margin_ticks, 7u);
    EXPECT_EQ(given.risk_ticks, 9u);
    EXPECT_EQ(given.risk_probability, 0.25);
  }
}

}  // namespace
}  // namespace platter::testing
