// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/engine/engine_if.h"
#include "platter/scheduling/gap_statistics.h"

namespace platter::engine {

/// Decision time of a policy in the controller's firmware. DriveProfile has the values of a drive.
struct FirmwareCost {
  Picoseconds clock_period = 5'000;     ///< of the controller, in picoseconds: EngineContext::clock_period
  std::uint32_t base_cycles = 120;      ///< of each decision
  std::uint32_t candidate_cycles = 60;  ///< of each command that the decision examines
  std::uint32_t order_cycles = 12;      ///< of each step of an exact order

  /// Clock cycles of a decision that takes this work.
  std::uint64_t cycles(const scheduling::DecisionWork& work) const {
    return base_cycles + std::uint64_t{candidate_cycles} * work.candidates + order_cycles * work.order_steps + work.cycles;
  }
  /// So many cycles in picoseconds.
  Picoseconds time(std::uint64_t cycles) const { return static_cast<Picoseconds>(cycles) * clock_period; }
  /// The longest that the actuator waits, from the end of an access to the start of the next, when the guard has no time for more.
  Picoseconds longest_wait() const { return time(cycles(scheduling::SchedulerIf::kShortest)); }
};

/// The policy in exact arithmetic on the controller's processor. A decision takes cycles by a cost model. The engine prepares a decision while the
/// actuator is busy and starts again when a command arrives: the decision is ready one decision time after the last arrival. The policy itself runs
/// only once, when the drive requests the decision. A command that arrives after that, before the decision is known, takes no part in it.
///
/// The duration of a decision is known when it begins. If the deadline guard has no time for it, the decision considers only the sweep's
/// next command. No hop of the sweep therefore waits longer than for such a decision (`longest_wait`), however many commands there are.
class FirmwareEngine : public sc_core::sc_module, public EngineIf {
 public:
  /// Makes the policy: once in the constructor, and again when the drive fails.
  using SchedulerFactory = std::function<std::unique_ptr<scheduling::SchedulerIf>()>;

  /// To be called by an EngineFactory, with EngineContext::module as the name. The policies live as long as the engine at most.
  FirmwareEngine(const sc_core::sc_module_name& name, SchedulerFactory create, const FirmwareCost& cost)
      : sc_module(name), create_(std::move(create)), scheduler_(create_()), cost_(cost) {}

  void bind_sink(DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const Command& command) override {
    began_ = std::max(began_, core::now_ps());
    ++count_;
    scheduler_->insert(command);
  }
  bool withdraw(const Command& command) override {
    began_ = std::max(began_, core::now_ps());
    --count_;
    scheduler_->withdraw(command.tag);
    return true;
  }
  void moved(const Command& command) override { scheduler_->moved(command.tag); }
  bool awaited(const scheduling::AwaitedDestages& since) override { return scheduler_->awaited(since); }
  bool held_back(core::Tag tag) const override { return scheduler_->held_back(tag); }
  Picoseconds guard_bound() const override { return scheduler_->keeps_deadlines() ? cost_.longest_wait() : core::kNoDeadline; }
  bool empty() const override { return scheduler_->empty(); }
  EngineStatistics statistics() const override { return statistics_; }
  const scheduling::ClassBudgets* class_budgets() const override { return scheduler_->class_budgets(); }
  const scheduling::GapStatistics* gaps() const override {
    if (scheduler_->gaps() == nullptr) return nullptr;
    gaps_ = earlier_gaps_;
    return &(gaps_ += *scheduler_->gaps());
  }

  void prepare(const HeadState& at, Picoseconds when) override {
    if (prepared_ && when == when_ && at == at_) return;
    prepared_ = true;
    at_ = at;
    when_ = when;
    began_ = std::max(began_, core::now_ps());
  }

  void decide(const HeadState& head, Picoseconds now) override {
    if (!prepared_ || now != when_ || !(head == at_)) began_ = now;
    prepared_ = false;
    std::uint64_t cycles = 0;
    const auto known = [&] { return std::max(now, began_ + time(cycles)); };
    Decision decision;
    do {
      const std::uint64_t spent = cycles;
      cycles += cost_.cycles(scheduler_->work(head));
      const bool hurried = known() > now && !scheduler_->has_time(head, known());
      // After `Again`, the sweep's next command has already been examined.
      if (hurried) cycles = spent > 0 ? spent : cost_.cycles(scheduling::SchedulerIf::kShortest);
      decision = hurried ? scheduler_->next_of_sweep(head, known()) : scheduler_->pick(head, known());
    } while (decision.kind == Decision::Kind::Again);
    const Picoseconds effective = known();
    began_ = effective;
    if (decision.kind == Decision::Kind::Serve || decision.kind == Decision::Kind::Write) {
      scheduler_->remove(decision.tag);
      --count_;
    }
    ++statistics_.decisions;
    statistics_.cycles += cycles;
    statistics_.forced += decision.forced ? 1 : 0;
    statistics_.latency += time(cycles);
    sink_->decided(decision, effective);
  }

  void reset() override {
    if (gaps() != nullptr) earlier_gaps_ = gaps_;
    scheduler_ = create_();
    count_ = 0;
    prepared_ = false;
    began_ = 0;
  }

  Picoseconds prepared_from() const override {
    if (!prepared_ || count_ == 0) return core::kNoDeadline;
    return began_ + time(cost_.cycles({count_, 0, 0}));  // an estimate: `work` knows the real cost, but may be called only once
  }

 private:
  Picoseconds time(std::uint64_t cycles) const { return cost_.time(cycles); }

  SchedulerFactory create_;
  std::unique_ptr<scheduling::SchedulerIf> scheduler_;
  FirmwareCost cost_;
  DecisionSinkIf* sink_ = nullptr;
  std::size_t count_ = 0;
  bool prepared_ = false;
  HeadState at_;
  Picoseconds when_ = 0;
  Picoseconds began_ = 0;  ///< start of the current decision, not before the last one's end
  EngineStatistics statistics_;
  scheduling::GapStatistics earlier_gaps_;  ///< of the policies before the present one
  mutable scheduling::GapStatistics gaps_;  ///< the sum that `gaps` gives
};

}  // namespace platter::engine
