// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/mechanics/access_planner.h"

namespace platter::mechanics {

/// Least times of accesses that follow each other, for a bound of the time that any scheduler needs.
///
/// An access *ends* when the next one may begin. A zero-latency access may hold the bus after that; there its end is that of the media, so
/// that an earlier begin never means a later end. Each time holds for a next access that begins at once; a later begin ends no earlier.
class AccessCosts {
 public:
  /// The planner must outlive the object, and its arrivals must have no spread. `extents`: of all accesses, in any order.
  AccessCosts(const AccessPlanner& planner, const std::vector<Extent>& extents);

  /// From time 0, at which the head rests as in a new drive, to the end of `to`, in ps.
  Picoseconds first(const Extent& to) const { return least(HeadState{}, 0, to); }
  /// From the end of `from` to the end of `to`, in ps: the least over all places where `from` may end, and over the types of command that
  /// the drive may have completed last. `to` may equal `from`.
  Picoseconds onward(const Extent& from, const Extent& to) const;
  /// Time by which a command may complete before its access ends, in ps; 0 if it completes later.
  Picoseconds lead(const Extent& extent) const;

 private:
  /// The access may begin in the middle of its sectors.
  bool begins_anywhere(const Extent& extent) const { return planner_.least_wait_replaced(extent) > 0; }
  Picoseconds least(HeadState head, Picoseconds phase, const Extent& to) const;

  const AccessPlanner& planner_;
  std::vector<bool> last_was_write_;  ///< the types of command that the drive may have completed last
};

}  // namespace platter::mechanics
