// SPDX-License-Identifier: Apache-2.0
#include "platter/core/random.h"

#include <cmath>
#include <limits>

namespace platter::core {

namespace {

std::uint64_t mix(std::uint64_t x) {  // finaliser of SplitMix64
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::uint64_t stream_seed(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = mix(seed);
  for (const char c : name) hash = mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact: 0.5 <= m < 1
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 atanh z, |z| < 0.1716
  const double z = (m - 1) / (m + 1);
  const double z2 = z * z;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * z2 + 1.0 / k;
  return 2 * z * sum + exponent * 0.69314718055994531;
}

double portable_exp(double x) {
  constexpr double kLimit = 700;
  if (x > kLimit) return std::numeric_limits<double>::infinity();
  if (x < -kLimit) return 0;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  // ln 2 in two parts: the first has few enough bits that k times it is exact.
  const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;  // |r| < 0.347
  double sum = 1;
  for (int i = 15; i >= 1; --i) sum = 1 + sum * r / i;
  return std::ldexp(sum, static_cast<int>(k));
}

double normal_tail(double z) {
  constexpr double kOverRoot2Pi = 0.39894228040143268;
  // From 0 to z: density(z) * (z + z^3/3 + z^5/(3*5) + ...).
  double term = z;
  double sum = z;
  for (int k = 3; k < 200; k += 2) {
    term *= z * z / k;
    sum += term;
  }
  return 0.5 - kOverRoot2Pi * portable_exp(-z * z / 2) * sum;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : engine_(stream_seed(seed, name)) {}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t x = bits();
    if (x >= unfair) return x % bound;
  }
}

double RandomStream::uniform() { return (static_cast<double>(bits() >> 11) + 1.0) * 0x1p-53; }

double RandomStream::exponential() { return -portable_log(uniform()); }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    const double scale = std::sqrt(-2 * portable_log(s) / s);
    spare_normal_ = v * scale;
    has_spare_ = true;
    return u * scale;
  }
}

double RandomStream::gamma(double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (portable_log(uniform()) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v;
  }
}

}  // namespace platter::core
