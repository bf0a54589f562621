// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include "platter/scheduling/flat_scheduler.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

namespace {

constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

/// The order of commands, and the rule among equals.
struct Ranking {
  /// Smaller is sooner; kLast for a command without a deadline.
  std::int64_t (*rank)(const Command& command, const PolicyParameters& parameters);
  bool elevator;  ///< equals by an elevator that turns at the last of them, otherwise by age
};

/// The schedulers of continuous requests that the related work of Balafoutis et al. (section 1.1.3) names: every command has
/// a rank, and those of the lowest rank are served first. There is no guard: a deadline is met if the load allows it.
class RankedScheduler : public FlatScheduler {
 public:
  RankedScheduler(const SchedulerContext& context, const Ranking& ranking)
      : FlatScheduler(context.capacity), ranking_(ranking), parameters_(context.parameters) {}

  bool knows_deadlines() const override { return true; }
  /// Continuous commands with a deadline go before all others.
  bool leaves_time(const Command& command, const HeadState& /*head*/, Picoseconds /*now*/) override {
    return in_sweep(command) ||
           std::none_of(commands().begin(), commands().end(), [](const Command* other) { return in_sweep(*other); });
  }

  Decision pick(const HeadState& head, Picoseconds /*now*/) override {
    if (commands().empty()) return {};
    std::int64_t lowest = kLast;
    for (const Command* command : commands()) lowest = std::min(lowest, ranking_.rank(*command, parameters_));
    if (const Command* next = first_of(lowest, head.cylinder)) return Decision::serve(next->tag);
    upward_ = !upward_;
    return Decision::serve(first_of(lowest, head.cylinder)->tag);
  }

 private:
  /// The oldest command with this rank, or the nearest in the elevator's direction.
  const Command* first_of(std::int64_t rank, core::Cylinder from) const {
    const Command* best = nullptr;
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      if (ranking_.rank(*command, parameters_) != rank) continue;
      if (!ranking_.elevator) return command;
      const core::Cylinder at = command->extent.cylinder;
      if (upward_ ? at < from : at > from) continue;
      if (best == nullptr || distance(at, from) < distance(best->extent.cylinder, from)) best = command;
    }
    return best;
  }

  Ranking ranking_;
  PolicyParameters parameters_;
  bool upward_ = true;
};

std::int64_t by_deadline(const Command& command, const PolicyParameters& /*parameters*/) {
  return in_sweep(command) ? command.deadline : kLast;
}
std::int64_t by_group(const Command& command, const PolicyParameters& parameters) {
  return in_sweep(command) ? std::int64_t{command.stream % parameters.groups} : kLast;
}

/// Round robin (Shenoy, Goyal and Vin, section 1.2): the classes that have commands take turns, one command each. Within the continuous
/// class streams are served in ascending order; within the others age decides.
class RoundRobinScheduler : public FlatScheduler {
 public:
  explicit RoundRobinScheduler(const SchedulerContext& context) : FlatScheduler(context.capacity) {}

  Decision pick(const HeadState& /*head*/, Picoseconds /*now*/) override {
    if (commands().empty()) return {};
    std::array<const Command*, core::kRequestClasses> next{};
    for (const Command* command : commands()) {  // in order of age: the first of equals stays
      const Command*& first = next[class_of(*command)];
      if (first == nullptr || (command->cls == RequestClass::Continuous && command->stream < first->stream)) first = command;
    }
    std::size_t turn = served_;
    do turn = (turn + 1) % next.size();
    while (next[turn] == nullptr);
    picked_ = next[turn]->tag;
    picked_class_ = turn;
    return Decision::serve(picked_);
  }

  void remove(Tag tag) override {
    if (tag == picked_) served_ = picked_class_;  // a decision that is made again uses no turn
    FlatScheduler::remove(tag);
  }
  void withdraw(Tag tag) override { FlatScheduler::remove(tag); }

 private:
  static std::size_t class_of(const Command& command) { return core::index_of(command.cls); }

  std::size_t served_ = core::kRequestClasses - 1;  ///< the class that had the last turn
  Tag picked_{};
  std::size_t picked_class_ = 0;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_edf(const SchedulerContext& context) {
  return std::make_unique<RankedScheduler>(context, Ranking{by_deadline, false});
}
std::unique_ptr<SchedulerIf> create_scan_edf(const SchedulerContext& context) {
  return std::make_unique<RankedScheduler>(context, Ranking{by_deadline, true});
}
std::unique_ptr<SchedulerIf> create_round_robin(const SchedulerContext& context) {
  return std::make_unique<RoundRobinScheduler>(context);
}
std::unique_ptr<SchedulerIf> create_group_sweep(const SchedulerContext& context) {
  return std::make_unique<RankedScheduler>(context, Ranking{by_group, true});
}

}  // namespace platter::scheduling
