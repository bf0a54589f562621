// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/places.h"

#include <algorithm>
#include <cmath>

namespace platter::workload {

namespace {

std::uint64_t mixed(std::uint64_t x) {  // finaliser of MurmurHash3
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDu;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53u;
  return x ^ (x >> 33);
}

}  // namespace

Permutation::Permutation(std::uint64_t size, core::RandomStream& random) : size_(size) {
  unsigned bits = 2;
  while (bits < 64 && (size - 1) >> bits != 0) ++bits;
  low_bits_ = bits / 2;
  low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
  high_mask_ = (std::uint64_t{1} << (bits - low_bits_)) - 1;
  for (std::uint64_t& key : keys_) key = random.bits();
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  std::uint64_t high = index >> low_bits_;
  std::uint64_t low = index & low_mask_;
  do {
    for (std::size_t i = 0; i < kRounds; i += 2) {
      high ^= mixed(low ^ keys_[i]) & high_mask_;
      low ^= mixed(high ^ keys_[i + 1]) & low_mask_;
    }
  } while ((high << low_bits_ | low) >= size_);
  return high << low_bits_ | low;
}

ZipfLaw::ZipfLaw(std::uint64_t size, double theta) : size_(static_cast<double>(size)), theta_(theta) {
  constexpr double kClose = 1e-6;
  is_logarithmic_ = std::abs(theta - 1) < kClose;
  begin_ = integral(1.5) - 1;
  end_ = integral(size_ + 0.5);
  sure_ = 2 - inverse(integral(2.5) - density(2));
}

double ZipfLaw::density(double x) const { return core::portable_exp(-theta_ * core::portable_log(x)); }

double ZipfLaw::integral(double x) const {
  const double log = core::portable_log(x);
  return is_logarithmic_ ? log : core::portable_exp((1 - theta_) * log) / (1 - theta_);
}

double ZipfLaw::inverse(double value) const {
  if (is_logarithmic_) return core::portable_exp(value);
  const double power = (1 - theta_) * value;
  return power > 0 ? core::portable_exp(core::portable_log(power) / (1 - theta_)) : size_;
}

std::uint64_t ZipfLaw::rank(core::RandomStream& random) const {
  for (;;) {
    const double value = end_ + random.uniform() * (begin_ - end_);
    const double x = inverse(value);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, size_);
    if (k - x <= sure_ || value >= integral(k + 0.5) - density(k)) return static_cast<std::uint64_t>(k);
  }
}

}  // namespace platter::workload
