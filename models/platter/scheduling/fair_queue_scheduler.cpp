// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

/// Start-time fair queueing between the classes (Goyal, Vin and Cheng 1997), in disk time; within a class, by age. The arm position has no
/// influence: the policy shows what a fair queue of a network does to a disk.
class FairQueueScheduler : public SchedulerIf {
 public:
  explicit FairQueueScheduler(const SchedulerContext& context)
      : planner_(context.planner),
        weights_(context.parameters.shares),
        flows_{Flow(context.capacity), Flow(context.capacity), Flow(context.capacity)} {}

  void insert(const Command& command) override {
    if (empty() && command.arrival >= busy_until_) virtual_time_ = std::max(virtual_time_, last_finish_);
    Flow& flow = flows_[core::index_of(command.cls)];
    if (flow.commands.empty()) flow.start = std::max(virtual_time_, flow.finish);
    flow.commands.insert(command);
  }

  void remove(Tag tag) override {
    for (std::size_t c = 0; c < flows_.size(); ++c) {
      Flow& flow = flows_[c];
      if (picked_ != nullptr && picked_->tag == tag && static_cast<std::size_t>(picked_->cls) == c) {
        if (own_choice_) virtual_time_ = std::max(virtual_time_, flow.start);
        const Weight weight = weights_[c];
        flow.finish = flow.start + (weight.millionths != 0 ? weight.over(picked_end_ - picked_at_) : 0);
        flow.start = flow.finish;  // start tag of the next waiting command
        last_finish_ = std::max(last_finish_, flow.finish);
        busy_until_ = picked_end_;
        picked_ = nullptr;
      }
      flow.commands.remove(tag);
    }
  }

  void withdraw(Tag tag) override {
    for (Flow& flow : flows_) flow.commands.remove(tag);
    if (picked_ != nullptr && picked_->tag == tag) picked_ = nullptr;
  }

  bool empty() const override {
    return std::all_of(flows_.begin(), flows_.end(), [](const Flow& flow) { return flow.commands.empty(); });
  }
  DecisionWork work(const HeadState& /*head*/) override {  // the oldest of each class
    return {static_cast<std::size_t>(
                std::count_if(flows_.begin(), flows_.end(), [](const Flow& flow) { return !flow.commands.empty(); })),
            0};
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    const Flow* best = nullptr;
    bool best_weighs = false;
    for (std::size_t c = 0; c < flows_.size(); ++c) {
      const Flow& flow = flows_[c];
      if (flow.commands.empty()) continue;
      const bool weighs = weights_[c].millionths != 0;
      // Among equal starts the class with the older command is first; a class without weight comes after those with a weight.
      const bool sooner =
          best == nullptr || (weighs != best_weighs       ? weighs
                              : flow.start != best->start ? flow.start < best->start
                                                          : older(flow.commands.oldest(), best->commands.oldest()));
      if (!sooner) continue;
      best = &flow;
      best_weighs = weighs;
    }
    if (best == nullptr) return {};
    choose(best->commands.oldest(), true, head, now);
    return Decision::serve(picked_->tag);
  }

  /// It takes the start tag of its class's oldest command. The virtual time stays, because commands with lower start tags may wait.
  void put_first(const Command& command, const HeadState& head, Picoseconds now, Rule /*rule*/) override {
    choose(command, false, head, now);
  }

 private:
  struct Flow {
    explicit Flow(std::size_t capacity) : commands(capacity) {}

    CommandSet commands;
    WeightedTime start = 0;   ///< start tag of its oldest command
    WeightedTime finish = 0;  ///< finish tag of the last command served
  };

  void choose(const Command& command, bool own_choice, const HeadState& head, Picoseconds now) {
    picked_ = &command;
    own_choice_ = own_choice;
    picked_at_ = now;
    picked_end_ = now + planner_.estimate(head, command.extent, now, command.data_ready, command.overhead_end).total();
  }

  const AccessPlanner& planner_;
  ClassWeights weights_;
  std::array<Flow, core::kRequestClasses> flows_;
  WeightedTime virtual_time_ = 0;  ///< start tag of the command in service, or of the last one of its own choice
  WeightedTime last_finish_ = 0;   ///< the greatest finish tag
  Picoseconds busy_until_ = 0;
  const Command* picked_ = nullptr;
  bool own_choice_ = true;  ///< no rule outside the policy has put it first
  Picoseconds picked_at_ = 0;
  Picoseconds picked_end_ = 0;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_fair_queue(const SchedulerContext& context) {
  return std::make_unique<FairQueueScheduler>(context);
}

}  // namespace platter::scheduling
