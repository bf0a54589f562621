// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/write_copies.h"

#include <utility>

#include "platter/core/seeded_bug.h"

namespace platter::host::array {

using command::CommandStatus;
using Kind = Fragment::Kind;

namespace {

constexpr std::uint8_t bit(std::uint32_t copy) { return static_cast<std::uint8_t>(1u << copy); }

}  // namespace

std::uint32_t WriteCopies::writable(const Fragment& write) const {
  std::uint32_t copies = 0;
  for (std::uint32_t copy = 0; copy < write.area->copies(); ++copy) {
    const UnitPlace at = place(write, copy);
    if (states_.alive(at.drive) && (!states_.stale(at) || write.whole())) copies |= bit(copy);
  }
  return copies & ~order_.rebuilt_copies(write.unit);
}

void WriteCopies::sent(Fragment& write, std::uint32_t copies) {
  write.attempted = true;
  write.to = static_cast<std::uint8_t>(copies);
  for (std::uint32_t copy = 0; copy < write.area->copies(); ++copy) {
    if (((copies | write.kept) & bit(copy)) != 0) continue;
    const UnitPlace at = place(write, copy);
    if (states_.stale(at)) continue;
    states_.set_stale(at);
    write.marked |= bit(copy);
  }
}

void WriteCopies::written(Fragment& write, std::uint32_t copy, bool failed) {
  (failed ? write.kept : write.written) |= bit(copy);
}

bool WriteCopies::reaches_a_drive(const Fragment& write) const {
  for (std::uint32_t copy = 0; copy < write.area->copies(); ++copy)
    if ((write.to & bit(copy)) != 0 && states_.alive(place(write, copy).drive)) return true;
  return false;
}

/// The write, as it was sent, reaches no drive. Its marks pass to other writes that miss the same copy, or are removed.
void WriteCopies::release(Fragment& write) {
  write.to = 0;
  const std::uint8_t marked = std::exchange(write.marked, std::uint8_t{0});
  for (std::uint32_t copy = 0; marked >> copy != 0; ++copy) {
    if ((marked & bit(copy)) == 0) continue;
    Fragment* heir = nullptr;
    order_.each_of(write.unit, [&](Fragment& other) {
      if (other.kind == Kind::Write && ((other.to | other.kept) & bit(copy)) == 0 && reaches_a_drive(other)) heir = &other;
    });
    if (heir != nullptr)
      heir->marked |= bit(copy);
    else
      states_.clear_stale(place(write, copy));
  }
}

void WriteCopies::set_missing(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy) {
  const UnitPlace at = map_.place(area, unit, copy);
  states_.set_stale(at);
  order_.each_of(unit, [copy](Fragment& other) { other.marked &= static_cast<std::uint8_t>(~bit(copy)); });
  if (states_.alive(at.drive)) rebuilder_.has_stale(at.drive);
}

/// A write has failed on all copies, so each may have the old bytes or the new ones. Of the copies that are not stale, one is kept.
void WriteCopies::set_doubtful(const Fragment& write) {
  if (!write.area->mirrored || !write.attempted || core::seeded("doubt_forgotten")) return;
  const std::array<UnitPlace, 2> at = {place(write, 0), place(write, 1)};
  if (states_.stale(at[0]) || states_.stale(at[1])) return;
  if (states_.alive(at[0].drive))
    set_missing(*write.area, write.unit, 1);
  else if (states_.alive(at[1].drive))
    set_missing(*write.area, write.unit, 0);
  else
    for (const UnitPlace& each : at) states_.set_doubtful(each);  // the first drive that is used again decides
}

WriteCopies::Outcome WriteCopies::settle(Fragment& write) {
  std::uint32_t good = write.written;
  const std::uint32_t copies = write.area->copies();
  if (!write.whole())  // a copy that has become stale meanwhile lacks another part of the unit
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      if (states_.stale(place(write, copy))) good &= ~std::uint32_t{bit(copy)};
  if (good != 0) {
    for (std::uint32_t copy = 0; copy < copies; ++copy)
      if (((good | write.kept) & bit(copy)) == 0)
        set_missing(*write.area, write.unit, copy);
      else if (write.whole())
        states_.clear_stale(place(write, copy));
    write.marked = 0;
    return Outcome::Good;
  }
  release(write);
  write.written = 0;
  if (write.refused == CommandStatus::Good && (writable(write) != 0 || order_.behind_rebuild(write))) return Outcome::Again;
  set_doubtful(write);
  return Outcome::Failed;
}

void WriteCopies::drive_failed(std::uint32_t drive) {
  order_.each([&](Fragment& write) {
    if (write.kind != Kind::Write || write.written == 0) return;
    for (std::uint32_t copy = 0; copy < write.area->copies(); ++copy) {
      if ((write.written & bit(copy)) == 0 || place(write, copy).drive != drive) continue;
      write.written &= static_cast<std::uint8_t>(~bit(copy));
      write.kept |= bit(copy);
    }
  });
  order_.each([&](Fragment& write) {
    if (write.kind == Kind::Write && write.marked != 0 && !reaches_a_drive(write)) release(write);
  });
}

void WriteCopies::drive_replaced(std::uint32_t drive) {
  UnitCopy copy;
  for (std::uint64_t physical = 0; physical < map_.physical_units(); ++physical) {
    if (!map_.unit_of(drive, physical, copy)) continue;
    const UnitPlace at{drive, 0, physical};
    if (states_.doubtful(at)) {
      states_.clear_doubtful(at);
      states_.clear_doubtful(map_.place(map_.area_of_unit(copy.unit), copy.unit, 1 - copy.copy));
    }
    states_.set_stale(at);
  }
  order_.each([&](Fragment& write) {
    if (write.kind != Kind::Write) return;
    for (std::uint32_t c = 0; c < write.area->copies(); ++c) {
      if (place(write, c).drive != drive) continue;
      write.kept &= static_cast<std::uint8_t>(~bit(c));
      write.marked &= static_cast<std::uint8_t>(~bit(c));
    }
  });
}

void WriteCopies::put_to_use(std::uint32_t drive) {
  states_.put_to_use(drive);
  const StaleUnits& doubtful = states_.doubtful_units(drive);
  for (std::uint64_t physical = doubtful.next(0); physical < map_.physical_units(); physical = doubtful.next(physical + 1)) {
    UnitCopy copy;
    map_.unit_of(drive, physical, copy);
    const UnitPlace other = map_.place(map_.area_of_unit(copy.unit), copy.unit, 1 - copy.copy);
    states_.clear_doubtful({drive, 0, physical});
    states_.clear_doubtful(other);
    states_.set_stale(other);
  }
}

bool WriteCopies::lacks_data(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy) const {
  if (!states_.stale(map_.place(area, unit, copy))) return false;
  bool provisional = false;
  order_.each_of(unit, [&](const Fragment& f) { provisional = provisional || (f.marked & bit(copy)) != 0; });
  return !provisional;
}

}  // namespace platter::host::array
