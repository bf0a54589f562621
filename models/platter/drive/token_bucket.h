// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "platter/core/ring_buffer.h"
#include "platter/core/types.h"

namespace platter::drive {

using core::Picoseconds;

/// The token-bucket filter before a drive's queue (Wu, Banachowski and Brandt, AutoQoS), with a first-in, first-out line of the
/// commands that wait for tokens. One token stands for 4 KB; a command takes one token for each 4 KB or part of it. Tokens arrive
/// at a constant rate. The bucket begins full and holds at most its depth. A command larger than the depth passes when the bucket
/// is full and leaves a debt, so that the rate also limits such commands.
///
/// The arithmetic is exact: the level is kept in units of 1e-12 bytes, of which `rate` arrive in a picosecond. Only the instant
/// of a release is rounded, up to the next picosecond; the tokens that arrive during this rounding stay in the bucket.
class TokenBucket {
 public:
  using Ticket = std::uint64_t;
  static constexpr std::uint32_t kTokenBytes = 4096;
  static constexpr std::uint32_t kDefaultDepth = 512 * 1024;

  /// Rate in bytes per second (0: off); depth in bytes, rounded down to whole tokens, at least one. Takes effect at `now`, also
  /// for waiting commands. A bucket that was off begins full; a bucket that becomes deeper is not filled.
  void set(std::uint32_t rate, std::uint32_t depth, Picoseconds now) {
    const bool was_on = on();
    advance(now);
    rate_ = rate;
    depth_ = std::max(depth / kTokenBytes, 1u) * kTokenBytes;
    const Level full = units(depth_);
    level_ = was_on ? std::min(level_, full) : full;
  }

  bool on() const { return rate_ > 0; }
  std::uint32_t rate() const { return rate_; }
  std::uint32_t depth() const { return depth_; }
  /// Whole bytes in the bucket, rounded down; negative while in debt; equal to the depth while the bucket is off.
  std::int64_t bytes(Picoseconds now) const {
    const Level level = level_at(now);
    return static_cast<std::int64_t>(level >= 0 ? level / kUnits : -((-level + kUnits - 1) / kUnits));
  }

  /// A command of `bytes` bytes joins the end of the line.
  Ticket enter(std::uint32_t bytes) {
    line_.push_back((bytes + std::uint64_t{kTokenBytes} - 1) / kTokenBytes * kTokenBytes);
    return first_ + line_.size() - 1;
  }
  bool first(Ticket ticket) const { return ticket == first_; }
  bool empty() const { return line_.empty(); }
  std::size_t waiting() const { return line_.size() - gone_; }
  /// When the first command in the line may pass, `now` or later; kNoDeadline if the line is empty.
  Picoseconds passes_at(Picoseconds now) const {
    if (line_.empty()) return core::kNoDeadline;
    if (!on()) return now;
    const Level missing = units(std::min<std::uint64_t>(line_.front(), depth_)) - level_at(now);
    if (missing <= 0) return now;
    const Level wait = (missing + rate_ - 1) / rate_;
    return wait < core::kNoDeadline - now ? now + static_cast<Picoseconds>(wait) : core::kNoDeadline;
  }
  /// The first command leaves the line. It takes its tokens if the queue has accepted it (`taken`).
  void leave(bool taken, Picoseconds now) {
    if (taken && on()) {
      // Tokens that have arrived since the exact instant of the release belong to the next command, even if the bucket was full at that instant.
      const Level level = level_ + Level{rate_} * (now - since_);
      level_ = (level - units(depth_) < rate_ ? level : units(depth_)) - units(line_.front());
      since_ = now;
    }
    step();
  }
  /// A command leaves the line from any place in it, and takes no tokens. No effect after clear().
  void withdraw(Ticket ticket) {
    if (ticket < first_) return;
    if (ticket == first_) return step();
    line_[ticket - first_] = kGone;
    ++gone_;
  }
  /// Empties the line; no tokens are taken.
  void clear() {
    while (!line_.empty()) step();
  }

 private:
  __extension__ using Level = __int128;
  static constexpr Level kUnits = core::kPicosecondsPerSecond;

  static constexpr std::uint64_t kGone = ~std::uint64_t{0};

  /// The second one in the line becomes the first.
  void step() {
    line_.pop_front();
    for (++first_; !line_.empty() && line_.front() == kGone; ++first_, --gone_) line_.pop_front();
  }
  static Level units(std::uint64_t bytes) { return kUnits * bytes; }
  Level level_at(Picoseconds now) const { return std::min(level_ + Level{rate_} * (now - since_), units(depth_)); }
  void advance(Picoseconds now) {
    level_ = level_at(now);
    since_ = now;
  }

  std::uint32_t rate_ = 0;
  std::uint32_t depth_ = kDefaultDepth;
  Level level_ = units(kDefaultDepth);
  Picoseconds since_ = 0;
  core::RingBuffer<std::uint64_t> line_;  ///< bytes of tokens that each command needs, or kGone
  std::size_t gone_ = 0;                  ///< how many have been withdrawn, and are in it
  Ticket first_ = 0;
};

}  // namespace platter::drive
