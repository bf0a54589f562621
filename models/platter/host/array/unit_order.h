// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/pool.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/fragment.h"

namespace platter::host::array {

/// The fragments on their way, in the order in which they came. Those over the same bytes are carried out in this order: a fragment is ready when
/// none of them is before it. Reads do not wait for reads; a continuous request waits for no rebuild, and neither does what it waits for.
class UnitOrder {
 public:
  UnitOrder() : units_(1024, nullptr) {}

  /// The number of the next fragment, or of something else that takes part in the order.
  std::uint64_t next() const { return next_; }
  std::uint64_t take_number() { return next_++; }

  /// A fragment with nothing in it, and in no order yet.
  Fragment& make();
  /// The same that will be in none.
  Fragment& make_apart();
  void give_back(Fragment& fragment) { fragments_.give_back(fragment); }

  /// It takes its place. `held`: and waits for `release`, too.
  void enter(Fragment& fragment, bool held);
  /// It is done: what waits for it goes on.
  void leave(Fragment& fragment);
  void release(Fragment& fragment) {
    if (--fragment.blockers == 0) ready_.push_back(&fragment);
  }

  void again(Fragment& fragment) { ready_.push_back(&fragment); }
  bool any_ready() const { return !ready_.empty(); }
  Fragment& take_ready();

  /// Writes and rebuilds on their way; rebuilds among them.
  std::uint64_t writers() const { return writers_; }
  std::uint64_t rebuilds() const { return rebuilds_; }
  /// Is an older rebuild of the write's unit under way?
  bool behind_rebuild(const Fragment& write) const;
  /// The unit's bytes have changed behind the fragments.
  void spoil(std::uint64_t unit);
  template <typename Test>
  bool any(Test test) const {
    for (const Fragment* f : units_)
      for (; f != nullptr; f = f->older)
        if (test(*f)) return true;
    return false;
  }

 private:
  static bool conflict(const Fragment& older, const Fragment& younger);
  std::size_t bucket_of(std::uint64_t unit) const {
    return static_cast<std::size_t>(unit * 0x9E37'79B9'7F4A'7C15ull >> 44) & (units_.size() - 1);
  }
  void chain(Fragment& fragment);
  void grow();
  /// A continuous request waits for it: what it waits for may be no rebuild, as those wait for all others.
  void put_ahead(Fragment& fragment);

  core::Pool<Fragment> fragments_;
  std::vector<Fragment*> units_;  ///< by unit, in chains, the youngest first
  std::uint64_t next_ = 0;
  std::uint64_t writers_ = 0;  ///< reads alone wait for nothing
  std::uint64_t rebuilds_ = 0;
  core::RingBuffer<Fragment*> ready_;
};

}  // namespace platter::host::array
