// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "platter/scheduling/guarded_scheduler.h"
#include "platter/scheduling/slack_measures.h"

namespace platter::scheduling {

namespace {

constexpr std::int64_t kOne = SlackMeasures::kOne;
constexpr std::int64_t kAhead = 225;  ///< share of the cheapest next positioning time: 0.22
constexpr std::size_t kFew = 8;       ///< candidates whose next command is considered
constexpr std::size_t kNext = 32;     ///< candidates for that next command

/// Slack stealing. The continuous commands have the whole round, so the others go first as long as the time that the sweep leaves over
/// allows it. The busier the drive, the more the policy returns to one mixed order. docs/reference/policies.md has the rule.
class SlackScheduler : public GuardedScheduler {
 public:
  explicit SlackScheduler(const SchedulerContext& context)
      : GuardedScheduler(context), turn_(context.planner.rotation().period()), measures_(context.parameters) {
    candidates_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (!in_sweep(command)) return;
    if (sweep_.empty()) measures_.round_begins(static_cast<std::int64_t>(commands().size()) - 1);
    sweep_.insert(command);
  }

  void remove(Tag tag) override {
    FlatScheduler::remove(tag);
    if (!sweep_.contains(tag)) measures_.served();
    sweep_.remove(tag);
  }

  void withdraw(Tag tag) override {
    FlatScheduler::remove(tag);
    sweep_.remove(tag);
  }

  DecisionWork work(const HeadState& /*head*/) override {
    const std::size_t n = commands().size();
    return {n + std::min(n, kFew) * std::min(n, kNext), 0};
  }

  Decision pick(const HeadState& head, Picoseconds now) override {
    if (!sweep_.empty()) sweep_.prepare(head);
    weigh(head, now);
    if (!candidates_.empty()) return Decision::serve(best_of_few().tag);
    return sweep_.empty() ? Decision{} : next_of_sweep(head, now);
  }

 private:
  struct Candidate {
    const Command* command;
    Picoseconds score;
  };

  Picoseconds put_off(const HeadState& head, Picoseconds now) const {
    return sweep_.empty() ? 0 : measures_.put_off(turn_, sweep_.slack(now, head.bus_free), sweep_.sweep());
  }

  Picoseconds mean_wait(Picoseconds now) const {
    Picoseconds sum = 0;
    std::int64_t count = 0;
    for (const Command* command : commands()) {
      if (sweep_.contains(command->tag)) continue;
      sum += (now - command->arrival) / kOne;
      ++count;
    }
    return count > 0 ? sum / count * kOne : 0;
  }

  /// Collects the commands that the guard allows, each with its score; the lowest is the best.
  void weigh(const HeadState& head, Picoseconds now) {
    candidates_.clear();
    const Picoseconds later = put_off(head, now);
    const Picoseconds unit = mean_wait(now) / kOne + 1;
    const Picoseconds ageing = measures_.ageing(turn_);
    for (const Command* command : commands()) {
      const AccessTime access = estimate(*command, head, now);
      if (!sweep_.empty() && !sweep_.allows(*command, planner_.guarded(access), now, head.bus_free)) continue;
      Picoseconds score = access.positioning();
      if (sweep_.contains(command->tag)) {
        score += later;
      } else {
        const std::int64_t wait = std::min((now - command->arrival) / unit, SlackMeasures::kLongestWait * kOne);
        score -= ageing * wait / kOne * wait / kOne;
      }
      candidates_.push_back({command, score});
    }
  }

  /// Among the few commands with the lowest scores, the one that also leaves the arm well placed.
  const Command& best_of_few() {
    const std::size_t few = std::min(candidates_.size(), kFew);
    const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(candidates_.size(), kNext));
    std::partial_sort(candidates_.begin(), end, candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.score != b.score ? a.score < b.score : older(*a.command, *b.command);
    });
    if (candidates_.size() == 1) return *candidates_.front().command;
    const Command* best = nullptr;
    Picoseconds best_score = 0;
    for (std::size_t i = 0; i < few; ++i) {
      Picoseconds next = core::kNoDeadline;
      for (auto other = candidates_.begin(); other != end; ++other)
        if (other->command != candidates_[i].command)
          next = std::min(next, planner_.onward(candidates_[i].command->extent, other->command->extent, 0));
      const Picoseconds score = candidates_[i].score + next / kOne * kAhead;
      if (best != nullptr && score >= best_score) continue;
      best = candidates_[i].command;
      best_score = score;
    }
    return *best;
  }

  Picoseconds turn_;
  SlackMeasures measures_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::unique_ptr<SchedulerIf> create_slack(const SchedulerContext& context) { return std::make_unique<SlackScheduler>(context); }

}  // namespace platter::scheduling
