// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace platter::host::array {

/// The double buffer of one stream. It holds the data ahead of the stream's last read in two consecutive halves. The stream consumes one half while
/// the other is fetched. When a read first touches the half fetched last, the other half has been consumed and takes the data that follows. So a
/// stream whose reads are not larger than a half finds each half fetched, at the latest, since the read before.
///
/// This class keeps positions and bytes; its user does the fetching and waiting. Addresses are in bytes. `order` is the sequence
/// number of requests: a half has the number of its fetch, and only requests with a later number find it.
class StreamBuffer {
 public:
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  enum class Found : std::uint8_t {
    No,       ///< the range is not completely in the buffer
    Awaited,  ///< the whole range is in the buffer, but a part is still being fetched
    Filled,
  };

  /// The stream reads [begin, end). Returns whether this continues its last read; otherwise the buffer is emptied.
  bool read(std::uint64_t begin, std::uint64_t end) {
    sequential_ = begin == position_;
    position_ = end;
    if (!sequential_) invalidate(0, kNowhere);
    return sequential_;
  }
  /// Where the next half must begin; kNowhere: nothing needs to be fetched, or no half is free.
  std::uint64_t wanted() const {
    if (!sequential_ || halves_[1 - latest_].fetching) return kNowhere;
    const Half& latest = halves_[latest_];
    if (!latest.valid || latest.end < position_) return position_;
    return latest.begin < position_ ? latest.end : kNowhere;
  }
  /// Starts the fetch of the next half, with sequence number `order`; returns the half's index. Precondition: `begin` is `wanted()`.
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
  /// Memory for the bytes of a half; the user makes it as large as the fetch. It never shrinks.
  std::vector<std::uint8_t>& bytes(std::uint32_t half) { return halves_[half].bytes; }
  bool fetching() const { return halves_[0].fetching || halves_[1].fetching; }
  /// The half's fetch has ended. The half serves reads if the fetch was good and the range has not been written meanwhile.
  void fetched(std::uint32_t half, bool good) {
    halves_[half].fetching = false;
    halves_[half].filled = halves_[half].valid;
    if (!good) drop(half);
  }

  /// Looks for [begin, end) for a read with sequence number `order`. `half`: the first half that is still being fetched.
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
  /// Copies [begin, end) to `to`. Precondition: the range is filled.
  void copy(std::uint64_t begin, std::uint64_t end, std::uint8_t* to) const {
    while (begin < end) {
      const Half& half = halves_[half_at(begin)];
      const std::uint64_t length = std::min(end, half.end) - begin;
      to = std::copy_n(half.bytes.data() + (begin - half.begin), length, to);
      begin += length;
    }
  }
  /// Invalidates halves that contain a byte of [begin, end).
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
    bool fetching = false;  ///< its fetch is in progress, even if the half is no longer valid
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
