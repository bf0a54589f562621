// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "platter/scheduling/guarded_scheduler.h"

namespace platter::scheduling {

namespace {

/// Fractions are whole numbers of 1/kOne, so that no decision depends on rounding.
constexpr std::int64_t kOne = 1024;
constexpr std::int64_t kReserve = 102;        ///< share of the time left that counts as no slack: 0.1
constexpr std::int64_t kLongestWait = 3;      ///< in mean waits; longer ones count as this
constexpr std::int64_t kDelayBacklog = 46;    ///< backlog, in rounds, at which the delay falls to a quarter: 0.045
constexpr std::int64_t kAgeingBacklog = 154;  ///< the same for ageing: 0.15
constexpr std::int64_t kAhead = 225;          ///< share of the cheapest next positioning time: 0.22
constexpr std::size_t kFew = 8;               ///< candidates whose next command is considered
constexpr std::size_t kNext = 32;             ///< candidates for that next command
constexpr std::int64_t kRounds = 32;          ///< over which the running means are taken

/// Slack stealing. The continuous commands have the whole round, so the others go first as long as the time that the sweep leaves over
/// allows it. The busier the drive, the more the policy returns to one mixed order. docs/reference/policies.md has the rule.
class SlackScheduler : public GuardedScheduler {
 public:
  explicit SlackScheduler(const SchedulerContext& context)
      : GuardedScheduler(context),
        turn_(context.planner.rotation().period()),
        delay_(fraction(context.parameters.delay)),
        ageing_(fraction(context.parameters.weight)) {
    candidates_.reserve(context.capacity);
  }

  void insert(const Command& command) override {
    FlatScheduler::insert(command);
    if (!in_sweep(command)) return;
    if (sweep_.empty()) weigh_round(static_cast<std::int64_t>(commands().size()) - 1);
    sweep_.insert(command);
  }

  void remove(Tag tag) override {
    FlatScheduler::remove(tag);
    if (!sweep_.contains(tag)) ++served_;
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

  static std::int64_t fraction(Weight weight) { return weight.millionths * kOne / Weight::kOne; }

  /// Updates the measures of the discrete load when a round begins.
  void weigh_round(std::int64_t waiting) {
    waiting_ += (kOne * kOne * waiting - waiting_) / kRounds;
    rate_ += (kOne * kOne * served_ - rate_) / kRounds;
    served_ = 0;
    backlog_ = waiting_ / (rate_ / kOne + 1);
  }
  /// The value divided by (1 + backlog / scale)^2.
  std::int64_t damped(std::int64_t value, std::int64_t scale) const {
    const std::int64_t divisor = kOne + backlog_ * kOne / scale;
    return value * kOne / divisor * kOne / divisor;
  }

  /// The delay that is added to a continuous command's score; 0 once the slack is used up.
  Picoseconds delay(const HeadState& head, Picoseconds now) const {
    if (sweep_.empty()) return 0;
    const Picoseconds left = sweep_.slack(now, head.bus_free);
    const Picoseconds spare = left - sweep_.sweep() - turn_;
    if (spare <= 0) return 0;
    const std::int64_t share = std::max<std::int64_t>(spare / (left / kOne + 1) - kReserve, 0);
    return turn_ * damped(delay_, kDelayBacklog) / kOne * share / (kOne - kReserve);
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
    const Picoseconds put_off = delay(head, now);
    const Picoseconds unit = mean_wait(now) / kOne + 1;
    const Picoseconds ageing = turn_ * damped(ageing_, kAgeingBacklog) / kOne;
    for (const Command* command : commands()) {
      const AccessTime access = estimate(*command, head, now);
      if (!sweep_.empty() && !sweep_.allows(*command, access.to_first(), now, head.bus_free)) continue;
      Picoseconds score = access.positioning();
      if (sweep_.contains(command->tag)) {
        score += put_off;
      } else {
        const std::int64_t wait = std::min((now - command->arrival) / unit, kLongestWait * kOne);
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
  std::int64_t delay_;   ///< in turns
  std::int64_t ageing_;  ///< in turns
  std::vector<Candidate> candidates_;
  std::int64_t served_ = 0;   ///< commands outside the sweep served since the round began
  std::int64_t waiting_ = 0;  ///< running mean of those that wait when a round begins, in 1/kOne^2
  std::int64_t rate_ = 0;     ///< running mean of those served in a round, in 1/kOne^2
  std::int64_t backlog_ = 0;  ///< quotient of these means
};

}  // namespace

std::unique_ptr<SchedulerIf> create_slack(const SchedulerContext& context) { return std::make_unique<SlackScheduler>(context); }

}  // namespace platter::scheduling
