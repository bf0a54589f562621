// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/host/array/drive_states.h"
#include "platter/host/array/rebuilder.h"
#include "platter/host/array/stripe_map.h"
#include "platter/host/array/unit_order.h"

namespace platter::host::array {

/// The copies that the writes in progress reach and miss, and the marks that follow from them.
///
/// A copy is marked stale when a write is sent without it. The mark is provisional until a write that misses the copy has ended
/// well. If no such write does, the copy lacks nothing and the mark is removed. docs/reference/array.md has the proof of the rules.
class WriteCopies {
 public:
  enum class Outcome : std::uint8_t {
    Good,    ///< a drive that has not failed since holds the write
    Again,   ///< no drive has it, but one can take it
    Failed,  ///< no drive that is alive has it
  };

  WriteCopies(const StripeMap& map, DriveStates& states, UnitOrder& order, Rebuilder& rebuilder)
      : map_(map), states_(states), order_(order), rebuilder_(rebuilder) {}

  /// Copies to which the write may go, one bit each: those on drives that are alive which no rebuild is writing, and stale ones only if the
  /// write covers the unit.
  std::uint32_t writable(const Fragment& write) const;
  /// The write goes to these copies.
  void sent(Fragment& write, std::uint32_t copies);
  /// A drive has written a copy. `failed`: the drive has failed since it received the write.
  static void written(Fragment& write, std::uint32_t copy, bool failed);
  /// All drives have answered.
  Outcome settle(Fragment& write);

  /// Marks a copy for good: it lacks data that is on the media of another drive, or that may be read from there.
  void set_missing(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy);
  /// Call this after DriveStates::fail, before the drive's commands return.
  void drive_failed(std::uint32_t drive);
  /// An empty drive takes the place of one that has failed.
  void drive_replaced(std::uint32_t drive);
  /// The drive is alive from now on.
  void put_to_use(std::uint32_t drive);

  /// True if the copy is stale for good: not only until the writes in progress have ended.
  bool lacks_data(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy) const;

 private:
  UnitPlace place(const Fragment& write, std::uint32_t copy) const { return map_.place(*write.area, write.unit, copy); }
  /// True if the write can still end well as it was sent.
  bool reaches_a_drive(const Fragment& write) const;
  void release(Fragment& write);
  void set_doubtful(const Fragment& write);

  const StripeMap& map_;
  DriveStates& states_;
  UnitOrder& order_;
  Rebuilder& rebuilder_;
};

}  // namespace platter::host::array
