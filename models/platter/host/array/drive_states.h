// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/sc_time.h"
#include "platter/host/array/stale_units.h"
#include "platter/host/array/stripe_map.h"

namespace platter::host::array {

/// Which drives are in use, and which of their units are what was written last.
class DriveStates {
 public:
  DriveStates(std::uint32_t drives, std::uint64_t physical_units) : drives_(drives) {
    for (State& state : drives_) state.stale = StaleUnits(physical_units);
  }

  bool alive(std::uint32_t drive) const { return drives_[drive].alive; }
  std::uint64_t deaths(std::uint32_t drive) const { return drives_[drive].deaths; }
  const StaleUnits& stale_units(std::uint32_t drive) const { return drives_[drive].stale; }
  core::Picoseconds fresh_since(std::uint32_t drive) const {
    return drives_[drive].stale.count() > 0 ? core::kNoDeadline : drives_[drive].fresh_since;
  }
  /// The order's number at its last death: what has a lower one came before.
  std::uint64_t died_order(std::uint32_t drive) const { return drives_[drive].died_order; }

  bool stale(const UnitPlace& place) const { return drives_[place.drive].stale.test(place.physical); }
  bool usable(const UnitPlace& place) const { return alive(place.drive) && !stale(place); }
  void set_stale(const UnitPlace& place) { drives_[place.drive].stale.set(place.physical); }
  void clear_stale(const UnitPlace& place) {
    State& state = drives_[place.drive];
    if (!state.stale.test(place.physical)) return;
    state.stale.clear(place.physical);
    if (state.stale.count() == 0) state.fresh_since = core::now_ps();
  }

  /// False if it was dead before.
  bool die(std::uint32_t drive, std::uint64_t order) {
    State& state = drives_[drive];
    if (!state.alive) return false;
    state.alive = false;
    state.died_order = order;
    ++state.deaths;
    lose_unflushed(state);
    return true;
  }
  void put_to_use(std::uint32_t drive) { drives_[drive].alive = true; }

  /// A drive has answered a write without FUA: its bytes are perhaps in its buffer only. `lives`: it has not died since it got the write.
  void answered_write(std::uint32_t drive, std::uint32_t bytes, bool lives) {
    (lives ? drives_[drive].unflushed_bytes : lost_unflushed_bytes_) += bytes;
  }
  void flushed(std::uint32_t drive) { drives_[drive].unflushed_bytes = 0; }
  /// The drive's own count of its deaths, of which the array may not have heard.
  void note_deaths(std::uint32_t drive, std::uint32_t deaths) {
    State& state = drives_[drive];
    if (deaths == state.drive_deaths) return;
    state.drive_deaths = deaths;
    lose_unflushed(state);
  }
  std::uint32_t noted_deaths(std::uint32_t drive) const { return drives_[drive].drive_deaths; }
  /// Answered bytes that drives have lost since this was last asked for.
  std::uint64_t take_lost_bytes() {
    const std::uint64_t lost = lost_unflushed_bytes_;
    lost_unflushed_bytes_ = 0;
    return lost;
  }

 private:
  struct State {
    bool alive = true;
    std::uint64_t died_order = 0;
    StaleUnits stale;
    core::Picoseconds fresh_since = 0;
    std::uint64_t deaths = 0;
    std::uint32_t drive_deaths = 0;     ///< by the drive's own count, when its flush or its return was last seen
    std::uint64_t unflushed_bytes = 0;  ///< answered since its last flush, not by way of FUA: perhaps in its buffer only
  };

  void lose_unflushed(State& state) {
    lost_unflushed_bytes_ += state.unflushed_bytes;
    state.unflushed_bytes = 0;
  }

  std::vector<State> drives_;
  std::uint64_t lost_unflushed_bytes_ = 0;  ///< with a drive that died; no flush has said so yet
};

}  // namespace platter::host::array
