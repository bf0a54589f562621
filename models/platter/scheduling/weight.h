// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "platter/core/types.h"

namespace platter::scheduling {

using core::Picoseconds;

/// A time over a weight, in picoseconds. The least weight makes a million seconds of one, so 64 bits would last for 9 s of disk time.
__extension__ using WeightedTime = __int128;

/// The weight of a wait against positioning time, or of a class against others: an exact decimal, so that no decision depends on rounding.
struct Weight {
  static constexpr std::int64_t kOne = 1'000'000;
  static constexpr unsigned kMax = 100;

  std::int64_t millionths = 0;

  /// The weighted time, rounded down; for waits of up to a day.
  Picoseconds of(Picoseconds wait) const { return wait / kOne * millionths + wait % kOne * millionths / kOne; }
  /// A time divided by the weight, rounded down. Precondition: the weight is not 0.
  WeightedTime over(Picoseconds time) const {
    return static_cast<WeightedTime>(time / millionths) * kOne + time % millionths * kOne / millionths;
  }
};

/// By class.
using ClassWeights = std::array<Weight, core::kRequestClasses>;

}  // namespace platter::scheduling
