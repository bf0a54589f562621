// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "platter/core/types.h"
#include "platter/scheduling/weight.h"

namespace platter::scheduling {

using core::RequestClass;

/// Disk time by class in intervals of fixed length, the first from time 0 on: Cello's coarse grain (Shenoy and Vin 1998). In an interval a
/// class may use its budget: the interval's length times the class's weight over the sum of all weights. An access belongs as a whole to
/// the interval in which it is decided. It is within the budget if the class's budget was not used up at that time. The time that classes
/// get beyond their budgets, left over by other classes, is *reassigned*.
class ClassBudgets {
 public:
  /// Precondition: interval > 0, and some weight is not 0.
  ClassBudgets(Picoseconds interval, const ClassWeights& weights) : interval_(interval), weights_(weights) {
    std::int64_t sum = 0;
    for (const Weight& weight : weights) sum += weight.millionths;
    for (std::size_t c = 0; c < core::kRequestClasses; ++c) {
      const std::int64_t part = weights[c].millionths;
      accounts_[c].budget = interval / sum * part + interval % sum * part / sum;
    }
  }

  /// Begins a new interval if `now` is not in the current one.
  void begin(Picoseconds now) {
    if (number_ == now / interval_) return;
    number_ = now / interval_;
    for (Account& account : accounts_) account.weighted = account.used = account.reassigned = 0;
  }
  /// True if the class is within its budget.
  bool covers(RequestClass cls) const { return of(cls).used < of(cls).budget; }
  /// True if the class will be within its budget at `now` (not before the last `begin`), if nothing is charged until then.
  bool covers(RequestClass cls, Picoseconds now) const { return (current(now) ? of(cls).used : 0) < of(cls).budget; }
  /// For classes beyond their budgets: true if `a` has received less than `b` in proportion to the weights. A class without weight comes
  /// after those with a weight.
  bool before(RequestClass a, RequestClass b) const {
    const bool free_a = weight(a) == 0;
    const bool free_b = weight(b) == 0;
    return free_a != free_b ? free_b : of(a).weighted < of(b).weighted;
  }
  void charge(RequestClass cls, Picoseconds time) {
    Account& account = accounts_[core::index_of(cls)];
    if (covers(cls)) {
      account.used += time;
    } else {
      account.reassigned += time;
      account.weighted += weight(cls) != 0 ? weights_[core::index_of(cls)].over(time) : time;
    }
    account.total += time;
  }

  Picoseconds interval() const { return interval_; }
  Picoseconds budget(RequestClass cls) const { return of(cls).budget; }
  /// In the interval of `now`, within the budget and beyond it.
  Picoseconds used(RequestClass cls, Picoseconds now) const { return current(now) ? of(cls).used : 0; }
  Picoseconds reassigned(RequestClass cls, Picoseconds now) const { return current(now) ? of(cls).reassigned : 0; }
  /// Since the beginning.
  Picoseconds total(RequestClass cls) const { return of(cls).total; }

  /// The slack that the last decision left: the time until the waiting continuous commands must start, if all their deadlines are to be
  /// met; kNoDeadline: none of them has a deadline.
  Picoseconds slack = core::kNoDeadline;
  /// Estimated time that these commands take, from the start of the first one's transfer; the slack is computed from it.
  Picoseconds sweep = 0;

 private:
  struct Account {
    Picoseconds budget = 0;
    Picoseconds used = 0;
    Picoseconds reassigned = 0;
    WeightedTime weighted = 0;  ///< `reassigned` over the weight
    Picoseconds total = 0;
  };

  const Account& of(RequestClass cls) const { return accounts_[core::index_of(cls)]; }
  std::int64_t weight(RequestClass cls) const { return weights_[core::index_of(cls)].millionths; }
  bool current(Picoseconds now) const { return number_ == now / interval_; }

  Picoseconds interval_;
  ClassWeights weights_;
  std::array<Account, core::kRequestClasses> accounts_{};
  std::int64_t number_ = 0;
};

}  // namespace platter::scheduling
