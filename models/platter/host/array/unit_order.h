// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/pool.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/fragment.h"

namespace platter::host::array {

/// The fragments in progress, in order of arrival. Fragments over the same bytes are carried out in this order: a fragment is ready when no older one
/// blocks it. Reads do not wait for reads. A continuous request does not wait for a rebuild, nor does a fragment that blocks it.
class UnitOrder {
 public:
  UnitOrder() : units_(1024, nullptr) {}

  /// The order number of the next fragment, or of another object in the order, such as a flush.
  std::uint64_t next() const { return next_; }
  std::uint64_t take_number() { return next_++; }

  /// Makes an empty fragment that is not yet in the order.
  Fragment& make();
  /// Makes an empty fragment that will never be in the order.
  Fragment& make_apart();
  void give_back(Fragment& fragment) { fragments_.give_back(fragment); }

  /// Enters the fragment into the order. `held`: it also waits for a call of `release`.
  void enter(Fragment& fragment, bool held);
  /// The fragment is done: fragments that wait only for it become ready.
  void leave(Fragment& fragment);
  void release(Fragment& fragment) {
    if (--fragment.blockers == 0) ready_.push_back(&fragment);
  }

  void again(Fragment& fragment) { ready_.push_back(&fragment); }
  bool any_ready() const { return !ready_.empty(); }
  Fragment& take_ready();

  /// Number of writes and rebuilds in progress; number of rebuilds among them.
  std::uint64_t writers() const { return writers_; }
  std::uint64_t rebuilds() const { return rebuilds_; }
  /// True if an older rebuild of the write's unit is in progress.
  bool behind_rebuild(const Fragment& write) const;
  /// The write, which has overtaken a rebuild of its unit, waits for it after all. Returns false if there is none.
  bool wait_for_rebuild(Fragment& write);
  /// The copies of the unit that rebuilds are writing, one bit each.
  std::uint32_t rebuilt_copies(std::uint64_t unit) const;
  /// The unit's bytes have been changed outside the order, by transport_dbg.
  void spoil(std::uint64_t unit);
  template <typename Test>
  bool any(Test test) const {
    for (const Fragment* f : units_)
      for (; f != nullptr; f = f->older)
        if (test(*f)) return true;
    return false;
  }
  template <typename Action>
  void each(Action action) {
    for (Fragment* f : units_)
      for (; f != nullptr; f = f->older) action(*f);
  }
  template <typename Action>
  void each_of(std::uint64_t unit, Action action) const {
    for (Fragment* f = units_[bucket_of(unit)]; f != nullptr; f = f->older)
      if (f->unit == unit) action(*f);
  }

 private:
  static bool conflict(const Fragment& older, const Fragment& younger);
  std::size_t bucket_of(std::uint64_t unit) const {
    return static_cast<std::size_t>(unit * 0x9E37'79B9'7F4A'7C15ull >> 44) & (units_.size() - 1);
  }
  void chain(Fragment& fragment);
  void grow();
  /// Lets a fragment that blocks a continuous request overtake rebuilds.
  void put_ahead(Fragment& fragment);

  core::Pool<Fragment> fragments_;
  std::vector<Fragment*> units_;  ///< hash buckets by unit; each chain begins with the youngest
  std::uint64_t next_ = 0;
  std::uint64_t writers_ = 0;  ///< if 0, no read has to wait
  std::uint64_t rebuilds_ = 0;
  core::RingBuffer<Fragment*> ready_;
};

}  // namespace platter::host::array
