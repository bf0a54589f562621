// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "platter/core/sc_time.h"
#include "platter/host/array/stale_units.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

/// Tracks which drives are in use, and which of their units hold the data written last.
class DriveStates {
 public:
  DriveStates(std::uint32_t drives, std::uint64_t physical_units) : drives_(drives) {
    for (State& state : drives_) state.stale = state.doubtful = StaleUnits(physical_units);
  }

  bool alive(std::uint32_t drive) const { return drives_[drive].alive; }
  std::uint64_t failures(std::uint32_t drive) const { return drives_[drive].failures; }
  const StaleUnits& stale_units(std::uint32_t drive) const { return drives_[drive].stale; }
  core::Picoseconds fresh_since(std::uint32_t drive) const {
    return drives_[drive].stale.count() > 0 ? core::kNoDeadline : drives_[drive].fresh_since;
  }
  /// The order number at the drive's last failure: fragments with a lower number arrived before it.
  std::uint64_t failed_order(std::uint32_t drive) const { return drives_[drive].failed_order; }

  bool stale(const UnitPlace& place) const { return drives_[place.drive].stale.test(place.physical); }
  bool usable(const UnitPlace& place) const { return alive(place.drive) && !stale(place); }
  void set_stale(const UnitPlace& place) { drives_[place.drive].stale.set(place.physical); }
  void clear_stale(const UnitPlace& place) {
    State& state = drives_[place.drive];
    if (!state.stale.test(place.physical)) return;
    state.stale.clear(place.physical);
    if (state.stale.count() == 0) state.fresh_since = core::now_ps();
  }

  /// Bytes of a drive that a rebuild could not copy because their source cannot be read: [begin, end), whole sectors.
  void lose(std::uint32_t drive, std::uint64_t begin, std::uint64_t end) {
    auto& lost = drives_[drive].lost;
    clear_lost(drive, begin, end);
    lost[begin] = end;
  }
  /// They have been written.
  void clear_lost(std::uint32_t drive, std::uint64_t begin, std::uint64_t end) {
    auto& lost = drives_[drive].lost;
    if (lost.empty()) return;
    auto at = lost.upper_bound(begin);
    if (at != lost.begin()) --at;
    while (at != lost.end() && at->first < end) {
      const auto [from, to] = *at;
      if (to <= begin) {
        ++at;
        continue;
      }
      at = lost.erase(at);
      if (from < begin) lost[from] = begin;
      if (to > end) lost[end] = to;
    }
  }
  /// The first lost byte of [begin, end); `end` if there is none.
  std::uint64_t first_lost(std::uint32_t drive, std::uint64_t begin, std::uint64_t end) const {
    const auto& lost = drives_[drive].lost;
    const auto at = lost.upper_bound(begin);
    if (at != lost.begin() && std::prev(at)->second > begin) return begin;
    return at != lost.end() ? std::min(at->first, end) : end;
  }
  bool lost(std::uint32_t drive, std::uint64_t begin, std::uint64_t end) const { return first_lost(drive, begin, end) < end; }

  /// Units whose last write has failed on both copies while neither drive is alive: the copies may differ.
  const StaleUnits& doubtful_units(std::uint32_t drive) const { return drives_[drive].doubtful; }
  bool doubtful(const UnitPlace& place) const { return drives_[place.drive].doubtful.test(place.physical); }
  void set_doubtful(const UnitPlace& place) { drives_[place.drive].doubtful.set(place.physical); }
  void clear_doubtful(const UnitPlace& place) { drives_[place.drive].doubtful.clear(place.physical); }

  /// Returns false if the drive had already failed.
  bool fail(std::uint32_t drive, std::uint64_t order) {
    State& state = drives_[drive];
    if (!state.alive) return false;
    state.alive = false;
    state.failed_order = order;
    ++state.failures;
    lose_unflushed(state);
    return true;
  }
  void put_to_use(std::uint32_t drive) { drives_[drive].alive = true; }

  /// A drive that has not failed since it received it has completed a write without FUA, whose bytes may be only in its buffer.
  void answered_write(std::uint32_t drive, std::uint32_t bytes) { drives_[drive].unflushed_bytes += bytes; }
  void flushed(std::uint32_t drive) { drives_[drive].unflushed_bytes = 0; }
  /// Compares the drive's failure count with the last one seen: the array may have missed a failure.
  void note_failures(std::uint32_t drive, std::uint32_t failures) {
    State& state = drives_[drive];
    if (failures == state.drive_failures) return;
    state.drive_failures = failures;
    lose_unflushed(state);
  }
  std::uint32_t noted_failures(std::uint32_t drive) const { return drives_[drive].drive_failures; }
  /// Bytes of completed writes that drives have lost since the last call.
  std::uint64_t take_lost_bytes() {
    const std::uint64_t lost = lost_unflushed_bytes_;
    lost_unflushed_bytes_ = 0;
    return lost;
  }

 private:
  struct State {
    bool alive = true;
    std::uint64_t failed_order = 0;
    StaleUnits stale;
    StaleUnits doubtful;
    std::map<std::uint64_t, std::uint64_t> lost;  ///< begin and end of bytes
    core::Picoseconds fresh_since = 0;
    std::uint64_t failures = 0;
    std::uint32_t drive_failures = 0;   ///< failure count that the drive reported at its last flush or revival
    std::uint64_t unflushed_bytes = 0;  ///< written without FUA since its last flush: may be only in its buffer
  };

  void lose_unflushed(State& state) {
    lost_unflushed_bytes_ += state.unflushed_bytes;
    state.unflushed_bytes = 0;
  }

  std::vector<State> drives_;
  std::uint64_t lost_unflushed_bytes_ = 0;  ///< lost with a failed drive, and not yet reported by a flush
};

}  // namespace platter::host::array
