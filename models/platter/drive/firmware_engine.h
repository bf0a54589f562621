// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "platter/drive/engine_if.h"

namespace platter::drive {

/// Decision time of a policy in the controller's firmware.
struct FirmwareCost {
  Picoseconds clock_period = 5'000;
  std::uint32_t base_cycles = 120;
  std::uint32_t candidate_cycles = 60;
  std::uint32_t order_cycles = 12;  ///< a step of an exact order

  std::uint64_t cycles(const scheduling::DecisionWork& work) const {
    return base_cycles + std::uint64_t{candidate_cycles} * work.candidates + order_cycles * work.order_steps;
  }
};

/// The policy in exact arithmetic on the controller's processor: a decision takes cycles by a cost model.
class FirmwareEngine : public sc_core::sc_module, public EngineIf {
 public:
  FirmwareEngine(const sc_core::sc_module_name& name, std::unique_ptr<scheduling::SchedulerIf> scheduler,
                 const FirmwareCost& cost)
      : sc_module(name), scheduler_(std::move(scheduler)), cost_(cost) {}

  void bind_sink(DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const Command& command) override { scheduler_->insert(command); }
  bool empty() const override { return scheduler_->empty(); }
  EngineStatistics statistics() const override { return statistics_; }

  void decide(const HeadState& head, Picoseconds now) override {
    const std::uint64_t cycles = cost_.cycles(scheduler_->work(head));
    const Picoseconds effective = now + static_cast<Picoseconds>(cycles) * cost_.clock_period;
    const Decision decision = scheduler_->pick(head, effective);
    if (decision.kind == Decision::Kind::Serve) scheduler_->remove(decision.tag);
    ++statistics_.decisions;
    statistics_.cycles += cycles;
    statistics_.forced += decision.forced ? 1 : 0;
    statistics_.latency += effective - now;
    sink_->decided(decision, effective);
  }

 private:
  std::unique_ptr<scheduling::SchedulerIf> scheduler_;
  FirmwareCost cost_;
  DecisionSinkIf* sink_ = nullptr;
  EngineStatistics statistics_;
};

}  // namespace platter::drive
