// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

namespace platter::serving {

/// The memory that the connections of a server share for the data of requests: the received part of a write, the data that a read
/// will need, and data that has not been sent yet. Each connection also has a small part of its own.
///
/// A connection waits if there is not enough memory, and the server reads nothing from it meanwhile. The last part is as large as the
/// largest request. It is reserved for the connection that has waited longest, so a request that has begun can always be completed.
class Memory {
 public:
  static constexpr std::uint64_t kOwn = std::uint64_t{128} << 10;  ///< bytes of each connection, outside of the limit

  /// The memory of one connection.
  class Holder {
   public:
    explicit Holder(Memory& memory) : memory_(memory) {}
    ~Holder() {
      set(0);
      leave();
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    std::uint64_t held() const { return held_; }
    /// True if the last `take` has failed.
    bool blocked() const { return blocked_; }
    /// Takes `bytes` more. Returns false if there is not enough memory; the holder is then in the queue until `leave`.
    bool take(std::uint64_t bytes) {
      const std::uint64_t more = shared(held_ + bytes) - shared(held_);
      bool there = more == 0 || memory_.used_ + more <= memory_.limit_ - memory_.last_;
      if (!there) {
        if (!queued_) memory_.queue_.push_back(this);
        queued_ = true;
        there = memory_.queue_.front() == this && memory_.used_ + more <= memory_.limit_;
      }
      set_blocked(!there);
      if (there) set(held_ + bytes);
      return there;
    }
    /// Takes `bytes` more, even beyond the limit. This is for answers, whose data was given back before.
    void add(std::uint64_t bytes) { set(held_ + bytes); }
    void give_back(std::uint64_t bytes) { set(held_ - bytes); }
    /// The holder needs no more memory for now, so the next one in the queue may have the last part.
    void leave() {
      set_blocked(false);
      if (!queued_) return;
      queued_ = false;
      memory_.queue_.erase(std::find(memory_.queue_.begin(), memory_.queue_.end(), this));
    }

   private:
    static std::uint64_t shared(std::uint64_t held) { return held > kOwn ? held - kOwn : 0; }
    void set_blocked(bool blocked) {
      memory_.blocked_ += (blocked ? 1u : 0u) - (blocked_ ? 1u : 0u);
      blocked_ = blocked;
    }
    void set(std::uint64_t held) {
      memory_.use(shared(held) - shared(held_));
      held_ = held;
    }

    Memory& memory_;
    std::uint64_t held_ = 0;
    bool queued_ = false;
    bool blocked_ = false;
  };

  /// `limit`: total bytes. `largest`: bytes of the largest request; the last part has as many, but at most half of `limit`.
  Memory(std::uint64_t limit, std::uint64_t largest) : limit_(limit), last_(std::min(largest, limit / 2)) {}

  std::uint64_t limit() const { return limit_; }
  std::uint64_t used() const { return used_; }
  bool anybody_waits() const { return blocked_ > 0; }
  /// Adds `bytes` to the used bytes; a negative number modulo 2^64 subtracts. This is also for the data of a connection that has gone while
  /// a drive still needs it.
  void use(std::uint64_t bytes) { used_ += bytes; }

 private:
  std::uint64_t limit_;
  std::uint64_t last_;
  std::uint64_t used_ = 0;
  std::uint32_t blocked_ = 0;  ///< holders whose last `take` failed
  std::deque<Holder*> queue_;  ///< holders that were blocked, in order; the first may have the last part
};

}  // namespace platter::serving
