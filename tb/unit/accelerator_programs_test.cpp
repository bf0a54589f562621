// SPDX-License-Identifier: Apache-2.0
//
// The programs of the accelerator's firmware: no decision makes more operations or accesses than its program declares, because the
// engine computes from these numbers when an access will begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "accelerator_bus.h"
#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/table_mirror.h"

namespace platter::testing {
namespace {

using accelerator::AcceleratorProgram;
using accelerator::Effort;
using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
namespace reg = accelerator::reg;

constexpr std::uint32_t kTags = 32;
constexpr std::uint32_t kCylinders = 1'000;
constexpr Picoseconds kTurn = 6 * core::kPicosecondsPerMillisecond;

/// Plays the engine for one program, without time: enters random commands, runs the decision's operations, and compares what the
/// program does with what it declares.
class ProgramBench : private accelerator::ProgramHostIf {
 public:
  explicit ProgramBench(const char* policy)
      : parameters_(parameters()),
        policy_(*scheduling::find_policy(policy)),
        scale_(parameters_.format, kTurn),
        bus_(parameters_),
        table_(kTags),
        commands_(kTags),
        program_(accelerator::make_program({policy_, parameters_, scale_, kCylinders, kTags, {}, 8, 4})) {}

  void arrive() {
    const auto free = std::find_if(commands_.begin(), commands_.end(), [](const auto& command) { return command == nullptr; });
    if (free == commands_.end()) return;
    auto command = std::make_unique<Command>();
    command->tag = core::Tag(static_cast<std::uint16_t>(free - commands_.begin()));
    command->sequence = ++sequence_;
    command->arrival = now_;
    command->extent.cylinder = core::Cylinder(below(kCylinders));
    if (below(4) == 0) {
      command->cls = core::RequestClass::Continuous;
      command->deadline = now_ + Picoseconds{below(200)} * core::kPicosecondsPerMillisecond;
    }
    *free = std::move(command);
    if (program_->arrived(*this, **free)) recall(**free);
  }

  void withdraw() {
    auto& command = commands_[below(kTags)];
    if (command == nullptr) return;
    if (table_.has(*command)) take_out(*command, reg::kRemove);
    program_->withdrawn(*this, *command);
    command.reset();
  }

  /// `used`: the command decided on is served; otherwise the decision has no effect.
  void decide(bool used) {
    now_ += Picoseconds{below(20)} * core::kPicosecondsPerMillisecond;
    head_.cylinder = core::Cylinder(below(kCylinders));
    reserve_ = below(2) == 0 ? below(20) << parameters_.format.angle_w : 0;  // turns that the guard lacks
    program_->asked(*this, now_);
    AcceleratorProgram::Step step = attempt();
    while (!step.decision && table_.entries() > 0) {
      program_->refused(*this);
      step = attempt();
    }
    if (!used || !step.decision || step.decision->kind != Decision::Kind::Serve) return;
    auto& command = commands_[step.decision->tag.value];
    ASSERT_NE(command, nullptr);
    take_out(*command, reg::kServe);
    table_.settle_direction();
    head_.cylinder = command->extent.cylinder;
    withheld_ = 0;
    program_->served(*this, *command);
    EXPECT_LE(withheld_, program_->most_withheld());
    command.reset();
    ++served;
  }

  const AcceleratorProgram& program() const { return *program_; }
  bool empty() const { return table_.entries() == 0; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  std::uint64_t served = 0;
  Effort most{0, 0, 0, 0, 0, 0};  ///< that any decision needed

 private:
  static accelerator::AcceleratorParameters parameters() {
    accelerator::AcceleratorParameters parameters;
    parameters.order_m = 12;
    return parameters;
  }

  /// From `begin` to a decision, or to kAnew.
  AcceleratorProgram::Step attempt() {
    const std::uint32_t entries = table_.entries();
    const Effort declared = program_->effort(entries);
    const bool down = table_.downward(head_.cylinder);
    put(reg::kCtrl, program_->control() | static_cast<std::uint32_t>(down) << reg::kCtrlSweepDownLsb);
    put(reg::kHeadPos, head_.cylinder.value);
    put(reg::kReserve, reserve_);
    accesses_ = 0;
    std::uint32_t code = program_->begin(*this, {now_, head_, down, kTurn});
    EXPECT_LE(accesses_, program_->begin_accesses());
    put(reg::kHeadTime, scale_.time_of_day(now_));
    Effort needed{0, 0, 0, 0, 0, 0};
    accesses_ = 0;
    AcceleratorProgram::Step step;
    while (true) {
      operate(code, needed);
      step = program_->ended(*this);
      put(reg::kClear, 1u << reg::kClearDoneLsb);
      code = step.operation;
      if (step.decision || code == AcceleratorProgram::kAnew) break;
    }
    needed.accesses = accesses_;
    expect_at_most(needed, declared);
    expect_at_most(declared, program_->most_effort(entries));
    most.decides = std::max(most.decides, needed.decides);
    most.clusters = std::max(most.clusters, needed.clusters);
    most.ordered = std::max(most.ordered, needed.ordered);
    most.ahead = std::max(most.ahead, needed.ahead);
    return step;
  }

  void operate(std::uint32_t code, Effort& needed) {
    if (code == AcceleratorProgram::kDecide) {
      ++needed.decides;
      needed.ahead = values_[reg::kAhead / 4] >> reg::kAheadDepthLsb;
      needed.candidates =
          needed.ahead > 0 ? std::min(values_[reg::kAhead / 4] & ((1u << reg::kAheadMostWidth) - 1), table_.entries()) : 0;
    } else {
      ++needed.clusters;
    }
    put(reg::kOp, code << reg::kOpCodeLsb);
    if (code != AcceleratorProgram::kCluster) return;
    for (std::uint32_t word = reg::kMask0; word <= reg::kMask7; word += 4) known_[word / 4] = false;
    const std::uint32_t count = bus_.get(reg::kClusterCount);
    if ((count >> reg::kClusterCountOrderedLsb & 1) != 0) needed.ordered = count & ((1u << reg::kClusterCountCountWidth) - 1);
  }

  static void expect_at_most(const Effort& one, const Effort& other) {
    EXPECT_LE(one.decides, other.decides);
    EXPECT_LE(one.clusters, other.clusters);
    EXPECT_LE(one.ordered, other.ordered);
    EXPECT_LE(one.candidates, other.candidates);
    EXPECT_LE(one.ahead, other.ahead);
    EXPECT_LE(one.accesses, other.accesses);
  }

  bool sweeps(const Command& command) const { return program_->guarded() && scheduling::in_sweep(command); }

  void take_out(const Command& command, std::uint32_t how) {
    bus_.put(how, command.tag.value);
    table_.leave(command, sweeps(command), false);
  }

  /// An access of the engine.
  void put(std::uint32_t address, std::uint32_t data) {
    bus_.put(address, data);
    values_[address / 4] = data;
    known_[address / 4] = true;
  }

  // The program's accesses, and what it asks of the engine.
  void write(std::uint32_t address, std::uint32_t data) override {
    ++accesses_;
    put(address, data);
  }
  std::uint32_t read(std::uint32_t address) override {
    ++accesses_;
    return bus_.get(address);
  }
  void set(std::uint32_t address, std::uint32_t data) override {
    if (!known_[address / 4] || values_[address / 4] != data) write(address, data);
  }
  void withhold(const Command& command) override {
    ++withheld_;
    bus_.put(reg::kRemove, command.tag.value);
    table_.leave(command, sweeps(command), false);
  }
  void recall(const Command& command) override {
    const core::RequestClass cls =
        command.cls == core::RequestClass::Continuous && !sweeps(command) ? core::RequestClass::Background : command.cls;
    put(reg::kEPos, command.extent.cylinder.value | static_cast<std::uint32_t>(cls) << reg::kEPosClassLsb);
    put(reg::kEEndPos, command.extent.cylinder.value);
    if (sweeps(command)) put(reg::kEDeadline, scale_.time_of_day(command.deadline));
    const std::uint32_t before = accesses_;
    program_->stage(*this, command);
    EXPECT_LE(accesses_ - before, program_->stage_accesses());
    accesses_ = before;
    bus_.put(reg::kInsert, command.tag.value);
    table_.enter(command, sweeps(command), false, 0);
  }

  accelerator::AcceleratorParameters parameters_;
  scheduling::PolicySpec policy_;
  scheduling::TickScale scale_;
  AcceleratorBus bus_;
  accelerator::TableMirror table_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::unique_ptr<AcceleratorProgram> program_;
  std::vector<std::uint32_t> values_ = std::vector<std::uint32_t>(1024);  ///< what each register holds
  std::vector<bool> known_ = std::vector<bool>(1024);
  std::mt19937 random_{7};
  mechanics::HeadState head_;
  Picoseconds now_ = core::kPicosecondsPerSecond;
  std::uint64_t sequence_ = 0;
  std::uint32_t reserve_ = 0;
  std::uint32_t accesses_ = 0;  ///< of the program
  std::uint32_t withheld_ = 0;
};

class ProgramEfforts : public ::testing::TestWithParam<const char*> {};

TEST_P(ProgramEfforts, NoDecisionNeedsMoreThanItsProgramDeclares) {
  ProgramBench bench(GetParam());
  for (int round = 0; round < 3'000 && !HasFailure(); ++round) {
    for (std::uint32_t commands = bench.below(5); commands > 0; --commands) bench.arrive();
    if (bench.below(8) == 0) bench.withdraw();
    if (!bench.empty()) bench.decide(bench.below(8) != 0);
  }
  EXPECT_GT(bench.served, 1'000u);
  const Effort declared = bench.program().most_effort(kTags);
  EXPECT_GE(bench.most.clusters + 2, declared.clusters) << "long decisions were among them";
  EXPECT_EQ(bench.most.ordered, declared.ordered);
  EXPECT_EQ(bench.most.ahead, declared.ahead);
}

INSTANTIATE_TEST_SUITE_P(Policies, ProgramEfforts,
                         ::testing::Values("LOOK", "SPTF", "SPTF(unguarded)", "ASPTF(0.01)", "OPS:SCAN/CI-SPTF",
                                           "OPS:SCAN/CI-OPT(2)", "OPS:SCAN/CI-OPT(12)", "OPS:SCAN/CLUST-REQ(2)",
                                           "OPS:SCAN/CLUST-REQ(12)", "OPS:SCAN/CLUST-CYL(4|20)", "OPS:SLACK(3.4|0.46)"),
                         [](const auto& test) {
                           std::string name = test.param;
                           name.erase(
                               std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }),
                               name.end());
                           return name;
                         });

}  // namespace
}  // namespace platter::testing
