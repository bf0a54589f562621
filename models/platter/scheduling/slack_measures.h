// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// What slack stealing (`OPS:SLACK(c|w)`) derives from the load: how far continuous commands are put off, and how fast the others age.
/// docs/reference/policies.md has the rule. The same in firmware, in picoseconds, and for the accelerator, in ticks.
class SlackMeasures {
 public:
  /// Fractions are whole numbers of 1/kOne, so that no decision depends on rounding.
  static constexpr std::int64_t kOne = 1024;
  static constexpr std::int64_t kLongestWait = 3;  ///< in mean waits; longer ones count as this

  explicit SlackMeasures(const PolicyParameters& parameters)
      : delay_(fraction(parameters.delay)), ageing_(fraction(parameters.weight)) {}

  /// A command outside the sweep has been served.
  void served() { ++served_; }
  /// A round begins while so many commands outside the sweep wait.
  void round_begins(std::int64_t waiting) {
    waiting_ += (kOne * kOne * waiting - waiting_) / kRounds;
    rate_ += (kOne * kOne * served_ - rate_) / kRounds;
    served_ = 0;
    backlog_ = waiting_ / (rate_ / kOne + 1);
  }

  /// What is added to a continuous command's score, `left` before the earliest deadline with a sweep that takes `sweep`; 0 once the
  /// slack is used up. All in one unit of time, of which a turn of the spindle is `turn`.
  std::int64_t put_off(std::int64_t turn, std::int64_t left, std::int64_t sweep) const {
    const std::int64_t spare = left - sweep - turn;
    if (spare <= 0) return 0;
    const std::int64_t share = std::max<std::int64_t>(spare / (left / kOne + 1) - kReserve, 0);
    return turn * damped(delay_, kDelayBacklog) / kOne * share / (kOne - kReserve);
  }
  /// What is taken off the score of another command that has waited the mean time, in the unit of `turn`.
  std::int64_t ageing(std::int64_t turn) const { return turn * damped(ageing_, kAgeingBacklog) / kOne; }

 private:
  static constexpr std::int64_t kReserve = 102;        ///< share of the time left that counts as no slack: 0.1
  static constexpr std::int64_t kDelayBacklog = 46;    ///< backlog, in rounds, at which the delay falls to a quarter: 0.045
  static constexpr std::int64_t kAgeingBacklog = 154;  ///< the same for ageing: 0.15
  static constexpr std::int64_t kRounds = 32;          ///< over which the running means are taken

  static std::int64_t fraction(Weight weight) { return weight.millionths * kOne / Weight::kOne; }
  /// The value divided by (1 + backlog / scale)^2.
  std::int64_t damped(std::int64_t value, std::int64_t scale) const {
    const std::int64_t divisor = kOne + backlog_ * kOne / scale;
    return value * kOne / divisor * kOne / divisor;
  }

  std::int64_t delay_;        ///< in turns
  std::int64_t ageing_;       ///< in turns
  std::int64_t served_ = 0;   ///< commands outside the sweep served since the round began
  std::int64_t waiting_ = 0;  ///< running mean of those that wait when a round begins, in 1/kOne^2
  std::int64_t rate_ = 0;     ///< running mean of those served in a round, in 1/kOne^2
  std::int64_t backlog_ = 0;  ///< quotient of these means
};

}  // namespace platter::scheduling
