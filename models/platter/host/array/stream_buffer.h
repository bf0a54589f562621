// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace platter::host::array {

/// The double buffer of one stream: what lies ahead of its last read, in two halves that follow each other. The stream consumes one while the
/// other is fetched; when a read first touches the one fetched last, the other one's bytes have been consumed, and it takes what comes next. So
/// a stream whose reads are not larger than a half finds each of them fetched since the read before, at the latest.
///
/// Knows positions and bytes; others fetch, and wait. Addresses are in bytes. `order` numbers what has been asked for: of a half it is that of its
/// fetch, and only what was asked for later finds it.
class StreamBuffer {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  enum class Found : std::uint8_t {
    No,       ///< not all of it
    Awaited,  ///< all of it, but some is being fetched
    Filled,
  };

  /// The stream reads [begin, end). Says whether it goes on from where its last read ended; otherwise nothing is ahead of it any more.
  bool read(std::uint64_t begin, std::uint64_t end) {
    sequential_ = begin == position_;
    position_ = end;
    if (!sequential_) invalidate(0, kNowhere);
    return sequential_;
  }
  /// Where the next half is to begin; kNowhere: there is nothing to fetch, or no half for it.
  std::uint64_t wanted() const {
    if (!sequential_ || halves_[1 - latest_].fetching) return kNowhere;
    const Half& latest = halves_[latest_];
    if (!latest.valid || latest.end < position_) return position_;
    return latest.begin < position_ ? latest.end : kNowhere;
  }
  /// The next half is being fetched, by an order of that number. Precondition: it begins where it is wanted.
  std::uint32_t fetch(std::uint64_t begin, std::uint64_t end, std::uint64_t order) {
    latest_ = 1 - latest_;
    Half& half = halves_[latest_];
    half.begin = begin;
    half.end = end;
    half.order = order;
    half.valid = half.fetching = true;
    half.filled = false;
    return latest_;
  }
  /// Where the bytes of a half belong: room for those of its fetch. Grows, and stays.
  std::vector<std::uint8_t>& bytes(std::uint32_t half) { return halves_[half].bytes; }
  bool fetching() const { return halves_[0].fetching || halves_[1].fetching; }
  /// The half's fetch has ended. Where it was good, and nothing has been written there meanwhile, the half serves reads.
  void fetched(std::uint32_t half, bool good) {
    halves_[half].fetching = false;
    halves_[half].filled = halves_[half].valid;
    if (!good) drop(half);
  }

  /// Looks for [begin, end) on behalf of a read of that number. `half`: the first of those that are awaited.
  Found find(std::uint64_t begin, std::uint64_t end, std::uint64_t order, std::uint32_t& half) const {
    Found found = Found::Filled;
    while (begin < end) {
      const std::uint32_t at = half_at(begin);
      if (at > 1 || halves_[at].order >= order) return Found::No;
      if (!halves_[at].filled && found == Found::Filled) {
        found = Found::Awaited;
        half = at;
      }
      begin = halves_[at].end;
    }
    return found;
  }
  /// Precondition: [begin, end) is filled.
  void copy(std::uint64_t begin, std::uint64_t end, std::uint8_t* to) const {
    while (begin < end) {
      const Half& half = halves_[half_at(begin)];
      const std::uint64_t length = std::min(end, half.end) - begin;
      to = std::copy_n(half.bytes.data() + (begin - half.begin), length, to);
      begin += length;
    }
  }
  /// Halves with a byte of [begin, end) serve no read any more.
  void invalidate(std::uint64_t begin, std::uint64_t end) {
    for (std::uint32_t half = 0; half < 2; ++half)
      if (halves_[half].valid && halves_[half].begin < end && begin < halves_[half].end) drop(half);
  }

 private:
  struct Half {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t order = 0;
    bool valid = false;
    bool filled = false;
    bool fetching = false;  ///< its bytes are on their way, wanted or not
    std::vector<std::uint8_t> bytes;
  };

  std::uint32_t half_at(std::uint64_t address) const {
    std::uint32_t half = 0;
    while (half < 2 && !(halves_[half].valid && halves_[half].begin <= address && address < halves_[half].end)) ++half;
    return half;
  }
  void drop(std::uint32_t half) {
    halves_[half].valid = halves_[half].filled = false;
    if (half == latest_ && halves_[1 - half].valid) latest_ = 1 - half;
  }

  std::array<Half, 2> halves_;
  std::uint32_t latest_ = 0;           ///< the half that lies further ahead
  std::uint64_t position_ = kNowhere;  ///< where the last read ended
  bool sequential_ = false;
};

}  // namespace platter::host::array
