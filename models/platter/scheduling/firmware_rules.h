// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "platter/scheduling/age_list.h"
#include "platter/scheduling/policies.h"
#include "platter/scheduling/wrapped_scheduler.h"

namespace platter::scheduling {

/// Waiting commands by direction and place. Look-ups are binary searches, and nothing is allocated.
class PlaceList {
 public:
  explicit PlaceList(std::size_t capacity) { commands_.reserve(capacity); }

  void insert(const Command& command) {
    commands_.insert(std::upper_bound(commands_.begin(), commands_.end(), &command, before), &command);
  }
  /// Does nothing if the command is not there.
  void remove(const Command& command) {
    const auto at = std::lower_bound(commands_.begin(), commands_.end(), &command, before);
    if (at != commands_.end() && *at == &command) commands_.erase(at);
  }
  /// The first command in this direction that begins at `block` or behind it; the rest of that direction follows.
  auto from(bool write, std::uint64_t block) const {
    return std::partition_point(commands_.begin(), commands_.end(), [&](const Command* command) {
      return command->extent.write != write ? !command->extent.write : command->extent.first.value < block;
    });
  }
  auto end() const { return commands_.end(); }

 private:
  /// Reads first.
  static bool before(const Command* a, const Command* b) {
    if (a->extent.write != b->extent.write) return b->extent.write;
    return a->extent.first != b->extent.first ? a->extent.first < b->extent.first : older(*a, *b);
  }

  std::vector<const Command*> commands_;
};

/// The rules of a drive's firmware over a policy. They are about the commands for which a host waits:
///
/// - Age: a command that has waited for the limit goes first, the oldest of several.
/// - Stream first: commands that continue a sequential stream go before all others, until one of those others reaches the limit. Then the
///   others that wait have their turn, while the stream is held back. The policy does not see the stream during that batch.
///
/// Destages have no age and are in no stream, unless commands of hosts have waited for destages until the limit (AwaitedDestages). Then
/// destages and aged commands take turns. A rule goes before the deadlines that the policy knows only where the policy leaves them their
/// time (SchedulerIf::leaves_time): its continuous commands with a deadline have no age, and its commands with a deadline are in no stream.
class FirmwareRulesScheduler : public WrappedScheduler {
 public:
  /// Precondition: `rules.age_limit` is above 0.
  FirmwareRulesScheduler(std::unique_ptr<SchedulerIf> policy, const FirmwareRules& rules, std::size_t capacity);

  void insert(const Command& command) override;
  void remove(Tag tag) override;
  void withdraw(Tag tag) override;
  bool empty() const override { return policy_->empty() && held_.empty(); }
  Decision pick(const HeadState& head, Picoseconds now) override;
  DecisionWork work(const HeadState& head) override;
  Decision next_of_sweep(const HeadState& head, Picoseconds now) override;
  bool awaited(const AwaitedDestages& since) override {
    awaited_ = since;
    policy_->awaited(since);
    return true;
  }
  bool held_back(Tag tag) const override { return (picked_in_batch_ && held_back_[tag.value]) || policy_->held_back(tag); }

 private:
  /// The sequential stream: its waiting commands are those of its direction that begin between `low` and `rules_.stream_reach` blocks
  /// behind `end`. The policy may serve them in another order than that of their places.
  struct Stream {
    std::uint64_t low = 0;  ///< where its first waiting command begins; `end` if none waits
    std::uint64_t end = 0;  ///< of its last command, served or waiting
    bool write = false;
    bool known = false;
  };
  /// The end of a command that was served.
  struct End {
    std::uint64_t block = 0;
    bool write = false;
    bool known = false;
  };

  static std::uint64_t end_of(const Command& command) { return command.extent.first.value + command.extent.blocks; }
  bool knows_deadline_of(const Command& command) const { return knows_deadlines_ && command.deadline != kNoDeadline; }
  /// A host waits for the command, and it is not the policy alone that serves it in time.
  bool ages(const Command& command) const { return !command.destage && !(knows_deadlines_ && in_sweep(command)); }
  bool may_stream(const Command& command) const {
    return rules_.stream_first && !command.destage && !knows_deadline_of(command);
  }
  bool in_stream(const Command& command) const {
    return stream_.known && may_stream(command) && command.extent.write == stream_.write &&
           command.extent.first.value >= stream_.low && command.extent.first.value <= stream_.end + rules_.stream_reach;
  }
  bool continues(const End& end, const Command& command) const {
    return end.known && command.extent.write == end.write && command.extent.first.value >= end.block &&
           command.extent.first.value - end.block <= rules_.stream_reach;
  }
  /// The stream's end has changed: the waiting commands from `block` on that continue it belong to it.
  void extend_stream(std::uint64_t block);
  /// A command of the stream has left.
  void raise_low();
  /// The stream's first waiting command; null if none waits.
  const Command* first_of_stream() const;

  /// The command that the age limit puts first; null if there is none.
  const Command* due(const Decision& decision, Picoseconds now) const;
  const Command* due_destage(const Decision& decision, Picoseconds now) const;
  /// The command of the stream that goes before the policy's choice; null if there is none.
  const Command* ahead(const Decision& decision) const;
  /// The policy waits: until when, at the latest.
  Picoseconds next_due(Picoseconds now) const;

  /// A command that may be in a stream has been served, or read along with the stream.
  void passed(const Command& command);
  void left(const Command& command);
  void begin_batch();
  void end_batch();
  void end_batch_if_served();

  FirmwareRules rules_;
  bool knows_deadlines_;
  std::vector<const Command*> commands_;  ///< all, by tag
  AgeList aged_;                          ///< those with an age, which the policy holds
  AgeList held_;                          ///< of the stream, during a batch
  AgeList destages_;
  AwaitedDestages awaited_;
  bool destages_turn_ = false;  ///< the command served last was no destage
  PlaceList places_;            ///< of the commands that may be in a stream
  Stream stream_;
  std::array<End, 16> ends_;  ///< of the last commands that were in no stream
  std::size_t next_end_ = 0;
  std::uint64_t batch_last_ = 0;  ///< `sequence` of the youngest command of the batch
  bool batch_ = false;
  bool batch_due_ = false;  ///< begins when the decision made has been carried out
  bool picked_in_batch_ = false;
  std::vector<bool> held_back_;  ///< by tag: during the present batch, or the last one
};

}  // namespace platter::scheduling
