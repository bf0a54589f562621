// SPDX-License-Identifier: Apache-2.0
//
// Laws by which a job chooses its places.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platter/core/random.h"

namespace platter::workload {

/// A random permutation of 0 … size - 1 that takes no memory: a Feistel network over the next power of two, walked until the value is in range.
class Permutation {
 public:
  /// `size` > 0; the keys are drawn from `random`.
  Permutation(std::uint64_t size, core::RandomStream& random);

  std::uint64_t operator()(std::uint64_t index) const;
  std::uint64_t size() const { return size_; }

 private:
  static constexpr std::size_t kRounds = 8;

  std::uint64_t size_;
  unsigned low_bits_ = 1;
  std::uint64_t low_mask_ = 1;
  std::uint64_t high_mask_ = 1;
  std::array<std::uint64_t, kRounds> keys_{};
};

/// Ranks by Zipf's law: rank k of 1 … size with a probability proportional to k^-theta (rejection-inversion, Hörmann and Derflinger 1996).
class ZipfLaw {
 public:
  ZipfLaw(std::uint64_t size, double theta);

  std::uint64_t rank(core::RandomStream& random) const;

 private:
  /// The integral of x^-theta, up to a constant, and its inverse.
  double integral(double x) const;
  double inverse(double value) const;
  double density(double x) const;

  double size_;
  double theta_;
  bool is_logarithmic_;  ///< theta is 1
  double begin_;
  double end_;
  double sure_;  ///< a rank this close to its continuous value needs no test
};

}  // namespace platter::workload
