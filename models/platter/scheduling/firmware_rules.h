// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "platter/scheduling/command_set.h"
#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// The rules of a drive's firmware over a policy, each within the deadline guard of that policy:
///
/// - Age: a command that has waited for the limit goes first, the oldest of several.
/// - Stream first: commands that continue a sequential stream go before all others, until the oldest other one reaches the age limit. Then
///   the others that wait have their turn, while the stream is held back. The policy does not see the stream during that batch.
///
/// Continuous commands with a deadline belong to the policy's sweep alone: they have no age here, and are in no stream.
class FirmwareRulesScheduler : public SchedulerIf {
 public:
  /// Precondition: `rules.age_limit` is above 0.
  FirmwareRulesScheduler(std::unique_ptr<SchedulerIf> policy, const FirmwareRules& rules, std::size_t capacity);

  void insert(const Command& command) override;
  void remove(Tag tag) override;
  void withdraw(Tag tag) override;
  void moved(Tag tag) override { policy_->moved(tag); }
  bool empty() const override { return policy_->empty() && held_.empty(); }
  void begin_round() override { policy_->begin_round(); }
  Decision pick(const HeadState& head, Picoseconds now) override;
  DecisionWork work(const HeadState& head) override;
  bool keeps_deadlines() const override { return policy_->keeps_deadlines(); }
  bool leaves_time(const Command& command, const HeadState& head, Picoseconds now) override {
    return policy_->leaves_time(command, head, now);
  }
  bool has_time(const HeadState& head, Picoseconds effective) override { return policy_->has_time(head, effective); }
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override { return policy_->next_of_sweep(head, now); }
  const ClassBudgets* class_budgets() const override { return policy_->class_budgets(); }
  const GapStatistics* gaps() const override { return policy_->gaps(); }

 private:
  /// Where commands of one direction may go on sequentially.
  struct Front {
    std::uint64_t end = 0;
    bool write = false;
    bool known = false;
  };

  static std::uint64_t end_of(const Command& command) { return command.extent.first.value + command.extent.blocks; }
  bool continues(const Front& front, const Command& command) const {
    return front.known && command.extent.write == front.write && command.extent.first.value >= front.end &&
           command.extent.first.value - front.end <= rules_.stream_reach;
  }
  /// The command that goes before the policy's choice; null if there is none.
  const Command* first(Picoseconds now);
  /// Collects in `chain_` the commands that continue the stream, one behind the other.
  void find_chain();
  /// The command has been served, or read along with the stream.
  void passed(const Command& command);
  void left(Tag tag);
  void begin_batch();
  void end_batch();

  std::unique_ptr<SchedulerIf> policy_;
  FirmwareRules rules_;
  std::vector<const Command*> commands_;  ///< all, by tag
  CommandSet aged_;                       ///< those with an age, which the policy holds
  CommandSet held_;                       ///< of the stream, during a batch
  Front stream_;
  std::vector<const Command*> chain_;
  Front held_front_;            ///< behind the held ones
  std::array<Front, 16> ends_;  ///< of the last commands served
  std::size_t next_end_ = 0;
  std::uint64_t batch_last_ = 0;  ///< `sequence` of the youngest command of the batch
  bool batch_ = false;
  bool batch_due_ = false;  ///< begins when the decision made has been carried out
};

}  // namespace platter::scheduling
