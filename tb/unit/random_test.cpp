// SPDX-License-Identifier: Apache-2.0
#include "platter/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace platter::core {
namespace {

TEST(Random, PortableLogIsTheLogarithm) {
  std::mt19937_64 random(61);
  const auto relative_error = [](double x) {
    const long double exact = std::log(static_cast<long double>(x));
    return exact == 0 ? std::abs(portable_log(x)) : static_cast<double>(std::abs((portable_log(x) - exact) / exact));
  };
  for (int i = 0; i < 200'000; ++i) {
    const double mantissa = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
    ASSERT_LT(relative_error(std::ldexp(mantissa, static_cast<int>(random() % 2000) - 1000)), 1e-15);
    ASSERT_LT(relative_error(std::ldexp(mantissa, static_cast<int>(random() % 4) - 2)), 1e-15);
    ASSERT_LT(relative_error(1 + std::ldexp(mantissa - 1.5, -static_cast<int>(random() % 50))), 1e-15);  // around 1
  }
  for (const double x : {1.0, 0x1p-53, 0.70710678118654752, 0.70710678118654763, std::nextafter(1.0, 0.0),
                         std::nextafter(1.0, 2.0), std::numeric_limits<double>::max(), 0x1p-1074})
    EXPECT_LT(relative_error(x), 1e-15) << x;
}

TEST(Random, TheExponentialFunctionIsAccurate) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double x = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * (i % 2 == 0 ? 1400 : 2);
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LT(std::abs((portable_exp(x) - exact) / exact), 2e-15L) << x;
  }
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1000), 0);
  EXPECT_TRUE(std::isinf(portable_exp(1000)));
}

TEST(Random, FirstValuesOfAStreamAreFixed) {
  // mt19937_64 and the seeding are integers and the distributions basic operations: these hold on every machine.
  RandomStream bits(1, "golden");
  for (const std::uint64_t expected :
       std::vector<std::uint64_t>{0xA75D8174EF0047B8u, 0xE8CC2D45D71410AAu, 0x12EE6C13BFB6A44Cu, 0x9CB049A8814F28EAu})
    EXPECT_EQ(bits.bits(), expected);
  RandomStream below(1, "golden");
  for (const std::uint64_t expected : std::vector<std::uint64_t>{18744, 664746, 435276, 615530, 674185, 50155})
    EXPECT_EQ(below.below(1'000'000), expected);
  RandomStream uniform(1, "golden");
  for (const double expected : {0x1.4ebb02e9de009p-1, 0x1.d1985a8bae283p-1, 0x1.2ee6c13bfb6a8p-4})
    EXPECT_EQ(uniform.uniform(), expected);
  RandomStream exponential(1, "golden");
  for (const double expected : {0x1.b332e65e96708p-2, 0x1.85274d6aeffccp-4, 0x1.4d5ba1acfc844p+1})
    EXPECT_EQ(exponential.exponential(), expected);
  RandomStream normal(1, "golden");
  for (const double expected : {0x1.07a0575107e3cp-2, 0x1.5ee932f61a97bp-1, -0x1.605e3a6bc45fcp-1, 0x1.72bcbf5b23a12p-3})
    EXPECT_EQ(normal.normal(), expected);
  RandomStream gamma(1, "golden");
  for (const double expected : {0x1.0ba6f16e518eap+2, 0x1.491442aeca2fcp+2, 0x1.2332268fd4703p+1})
    EXPECT_EQ(gamma.gamma(4), expected);
}

TEST(Random, StreamsDifferBySeedAndName) {
  const auto first = [](std::uint64_t seed, const char* name) { return RandomStream(seed, name).bits(); };
  const std::vector<std::uint64_t> values = {first(1, "a"),  first(2, "a"), first(1, "b"), first(1, "ab"),
                                             first(1, "ba"), first(1, ""),  first(0, "")};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(values[i], values[j]) << i << " " << j;
  EXPECT_EQ(first(1, "a"), first(1, "a"));
}

TEST(Random, BelowIsUnbiasedOverItsRange) {
  RandomStream stream(2, "below");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stream.below(1), 0u);
  const int n = 300'000;
  std::vector<int> counts(7);
  for (int i = 0; i < n; ++i) {
    const std::uint64_t value = stream.below(7);
    ASSERT_LT(value, 7u);
    ++counts[value];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - n / 7.0) * (count - n / 7.0) / (n / 7.0);
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom, 0.1 %
  // With a bound of 3 * 2^62 a plain modulo would give the lower third twice as often.
  const std::uint64_t large = std::uint64_t{3} << 62;
  int low = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t value = stream.below(large);
    ASSERT_LT(value, large);
    low += value < large / 3;
  }
  EXPECT_NEAR(low, n / 3.0, 5 * std::sqrt(n * 2.0 / 9));
}

struct Moments {
  double mean = 0, variance = 0, third = 0;
  double least = std::numeric_limits<double>::infinity();
};

template <typename Draw>
Moments moments(Draw&& draw, int n) {
  std::vector<double> values;
  Moments m;
  for (int i = 0; i < n; ++i) {
    values.push_back(draw());
    m.mean += values.back() / n;
    m.least = std::min(m.least, values.back());
  }
  for (const double v : values) {
    m.variance += (v - m.mean) * (v - m.mean) / n;
    m.third += std::pow(v - m.mean, 3) / n;
  }
  return m;
}

constexpr int kDraws = 1'000'000;

TEST(Random, UniformIsAboveZeroAndUpToOne) {
  RandomStream stream(3, "uniform");
  double largest = 0;
  const Moments m = moments(
      [&] {
        const double u = stream.uniform();
        largest = std::max(largest, u);
        return u;
      },
      kDraws);
  EXPECT_GT(m.least, 0);
  EXPECT_LE(largest, 1);
  EXPECT_NEAR(m.mean, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(m.variance, 1.0 / 12, 5e-4);
}

TEST(Random, ExponentialHasItsMoments) {
  RandomStream stream(4, "exponential");
  const Moments m = moments([&] { return stream.exponential(); }, kDraws);
  EXPECT_GE(m.least, 0);
  EXPECT_NEAR(m.mean, 1, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(m.variance, 1, 5 * std::sqrt(8.0 / kDraws));
  EXPECT_NEAR(m.third, 2, 0.1);
}

TEST(Random, NormalHasItsMoments) {
  RandomStream stream(5, "normal");
  int within_one = 0;
  const Moments m = moments(
      [&] {
        const double x = stream.normal();
        within_one += std::abs(x) < 1;
        return x;
      },
      kDraws);
  EXPECT_NEAR(m.mean, 0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(m.variance, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(m.third, 0, 5 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(within_one, 0.682689 * kDraws, 5 * std::sqrt(0.2166 * kDraws));
}

TEST(Random, GammaHasItsMoments) {
  RandomStream stream(6, "gamma");
  const Moments m = moments([&] { return stream.gamma(4); }, kDraws);
  EXPECT_GT(m.least, 0);
  EXPECT_NEAR(m.mean, 4, 5 * std::sqrt(4.0 / kDraws));
  EXPECT_NEAR(m.variance, 4, 5 * std::sqrt(56.0 / kDraws));  // fourth central moment 72
  EXPECT_NEAR(m.third, 8, 0.4);
  const Moments one = moments([&] { return stream.gamma(1); }, kDraws);  // the exponential again
  EXPECT_NEAR(one.mean, 1, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(one.variance, 1, 5 * std::sqrt(8.0 / kDraws));
}

}  // namespace
}  // namespace platter::core
