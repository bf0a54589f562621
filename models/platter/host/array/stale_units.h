// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace platter::host::array {

/// A set of a drive's physical units; allocates memory only when it is not empty.
class StaleUnits {
 public:
  explicit StaleUnits(std::uint64_t units = 0) : units_(units) {}

  std::uint64_t count() const { return count_; }
  bool test(std::uint64_t unit) const { return count_ != 0 && (words_[unit / 64] >> (unit % 64) & 1) != 0; }
  void set(std::uint64_t unit) {
    if (words_.empty()) words_.assign((units_ + 63) / 64, 0);
    if (!test_word(unit)) ++count_;
    words_[unit / 64] |= std::uint64_t{1} << (unit % 64);
  }
  void clear(std::uint64_t unit) {
    if (!test(unit)) return;
    words_[unit / 64] &= ~(std::uint64_t{1} << (unit % 64));
    if (--count_ == 0) words_ = {};
  }
  /// The first member from `unit` on; the number of units if there is none.
  std::uint64_t next(std::uint64_t unit) const {
    if (count_ == 0) return units_;
    for (; unit < units_; ++unit) {
      const std::uint64_t word = words_[unit / 64] >> (unit % 64);
      if (word != 0) {
        while (!test_word(unit)) ++unit;
        return unit;
      }
      unit |= 63;
    }
    return units_;
  }

 private:
  bool test_word(std::uint64_t unit) const { return (words_[unit / 64] >> (unit % 64) & 1) != 0; }

  std::uint64_t units_;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace platter::host::array
