// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace platter::core {

/// One user's own stream of random numbers. The engine is std::mt19937_64, whose output the C++ standard fixes. The distributions are
/// implemented here, because the standard does not fix theirs. They use IEEE-754 basic operations and a logarithm built from them (no
/// library function whose last bit may differ), so one seed gives the same numbers on every machine.
class RandomStream {
 public:
  /// `name` distinguishes the streams of one run: adding a user does not change the numbers of the others.
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits() { return engine_(); }
  /// Uniform in 0 … bound - 1, without bias; bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in (0, 1].
  double uniform();
  /// Mean 1.
  double exponential();
  /// Mean 0, deviation 1 (polar method).
  double normal();
  /// Shape >= 1, scale 1 (Marsaglia and Tsang 2000).
  double gamma(double shape);

 private:
  std::mt19937_64 engine_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

/// Natural logarithm of x > 0 from basic operations only; relative error below 1e-15.
double portable_log(double x);
/// e^x from basic operations only; relative error below 2e-15 for |x| <= 700, beyond it 0 or infinity.
double portable_exp(double x);

/// Probability that a standard normal value exceeds z, for |z| <= 6, from basic operations only; absolute error below 1e-15.
double normal_tail(double z);

}  // namespace platter::core
