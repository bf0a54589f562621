// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/rebuilder.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::host::array {

using core::now_ps;

namespace {

/// Delay before another rebuild after one has failed.
constexpr Picoseconds kRetry = core::kPicosecondsPerMillisecond;
/// Longest time between two units of a rate-limited rebuild, in microseconds: twelve days.
constexpr std::uint64_t kLongestPause = 1'000'000'000'000;

}  // namespace

Rebuilder::Rebuilder(const ArrayConfig& config, const StripeMap& map, DriveStates& states, DriveLinks& links, UnitOrder& order,
                     Planner& planner, core::TimedCall& again)
    : config_(config),
      map_(map),
      states_(states),
      links_(links),
      order_(order),
      planner_(planner),
      again_(again),
      drives_(config.drives) {
  active_.reserve(config.rebuild.outstanding);
}

void Rebuilder::drive_revived() {
  for (Drive& drive : drives_) drive.blocked = false;
  wanted_ = true;
}

void Rebuilder::has_stale(std::uint32_t drive) {
  drives_[drive].blocked = false;
  wanted_ = true;
}

bool Rebuilder::under_way(std::uint64_t unit) const {
  return std::any_of(active_.begin(), active_.end(), [unit](const Rebuild* r) { return r->unit == unit; });
}

void Rebuilder::begin() {
  wanted_ = false;
  while (active_.size() < config_.rebuild.outstanding) {
    const Picoseconds now = now_ps();
    if (now < from_) {
      again_.at(from_);
      return;
    }
    bool begun = begin_repair();
    for (std::uint32_t i = 0; i < config_.drives && !begun; ++i) {
      const std::uint32_t drive = (turn_ + i) % config_.drives;
      begun = begin_one(drive);
      if (begun) turn_ = drive + 1;
    }
    if (!begun) return;
  }
}

bool Rebuilder::begin_one(std::uint32_t drive) {
  Drive& port = drives_[drive];
  const StaleUnits& stale = states_.stale_units(drive);
  if (!states_.alive(drive) || stale.count() == 0 || port.blocked) return false;
  bool waiting = false;
  std::uint64_t at = stale.next(port.cursor);
  if (at >= map_.physical_units()) at = stale.next(0);
  const std::uint64_t first = at;
  for (bool wrapped = false; !wrapped || at < first;) {
    UnitCopy copy;
    map_.unit_of(drive, at, copy);
    const StripeMap::Area& area = map_.area_of_unit(copy.unit);
    if (under_way(copy.unit)) {
      waiting = true;
    } else if (area.mirrored && states_.usable(map_.place(area, copy.unit, 1 - copy.copy))) {
      port.cursor = at + 1;
      begin_unit(copy, drive, area, false);
      return true;
    }
    at = stale.next(area.mirrored ? at + 1 : area.first_physical + area.rows);
    if (at < map_.physical_units()) continue;
    if (wrapped) break;
    wrapped = true;
    at = stale.next(0);
  }
  port.blocked = !waiting;
  return false;
}

void Rebuilder::repair(const StripeMap::Area& area, std::uint64_t unit, std::uint32_t copy) {
  if (!area.mirrored || under_way(unit)) return;
  for (const UnitCopy& waiting : repairs_)
    if (waiting.unit == unit && waiting.copy == copy) return;
  UnitCopy wanted;
  wanted.unit = unit;
  wanted.copy = copy;
  repairs_.push_back(wanted);
  wanted_ = true;
}

bool Rebuilder::begin_repair() {
  for (std::size_t i = 0; i < repairs_.size(); ++i) {
    const UnitCopy copy = repairs_[i];
    if (under_way(copy.unit)) continue;
    repairs_.erase(repairs_.begin() + static_cast<std::ptrdiff_t>(i));
    const StripeMap::Area& area = map_.area_of_unit(copy.unit);
    begin_unit(copy, map_.place(area, copy.unit, copy.copy).drive, area, true);
    return true;
  }
  return false;
}

void Rebuilder::begin_unit(const UnitCopy& stale, std::uint32_t drive, const StripeMap::Area& area, bool repair) {
  Rebuild& op = pool_.take();
  op.drive = drive;
  op.unit = stale.unit;
  op.copy = stale.copy;
  op.generation = links_.generation(drive);
  op.address = map_.address_of(area, op.unit);
  op.length = static_cast<std::uint32_t>(area.unit_bytes);
  op.cls = core::RequestClass::Background;
  if (config_.holds_data) {
    op.bytes.resize(op.length);
    op.data = op.bytes.data();
  }
  op.progress.role = repair ? ArrayRequest::Role::Repair : ArrayRequest::Role::Rebuild;
  op.progress.since = now_ps();
  active_.push_back(&op);
  if (config_.rebuild.bytes_per_s > 0)
    from_ = std::max(now_ps(), from_) +
            static_cast<Picoseconds>(std::min(
                (area.unit_bytes * 1'000'000 + config_.rebuild.bytes_per_s - 1) / config_.rebuild.bytes_per_s, kLongestPause)) *
                core::kPicosecondsPerMicrosecond;
  planner_.add(op, area, op.address, op.length, Fragment::Kind::Rebuild);
}

void Rebuilder::dispatch(Fragment& fragment) {
  const auto& op = static_cast<const Rebuild&>(*fragment.request);
  const UnitPlace to = map_.place(*fragment.area, fragment.unit, op.copy);
  const UnitPlace from = map_.place(*fragment.area, fragment.unit, 1 - op.copy);
  // A drive that has failed may have been replaced, and then lacks what was written before.
  const bool wanted = !fragment.spoiled && states_.alive(to.drive) && links_.generation(to.drive) == op.generation &&
                      (op.repair() || states_.stale(to));
  if (wanted && fragment.writing) {
    fragment.to = static_cast<std::uint8_t>(1u << op.copy);
    links_.append(fragment, op.copy, to.drive, to.address + fragment.done);
  } else if (wanted && states_.usable(from)) {
    const std::uint64_t begin = from.address + fragment.done;
    const std::uint64_t end = begin + fragment.piece_length();
    if (const std::uint64_t lost = states_.first_lost(from.drive, begin, end); lost < end)
      pass(fragment, lost - from.address);
    else
      links_.append(fragment, 1 - op.copy, from.drive, begin);
  } else
    planner_.settle(fragment);
}

void Rebuilder::pass(Fragment& fragment, std::uint64_t bad) {
  const auto& op = static_cast<const Rebuild&>(*fragment.request);
  const std::uint32_t sector = config_.sector_bytes;
  if (bad > fragment.done) {  // first what lies before it
    fragment.stop = static_cast<std::uint32_t>(bad);
    order_.again(fragment);
    return;
  }
  if (!op.repair()) {
    const std::uint64_t begin = map_.place(*fragment.area, fragment.unit, op.copy).address + fragment.done;
    states_.lose(op.drive, begin, begin + sector);
    ++lost_sectors_;
  }
  fragment.done += sector;
  go_on(fragment);
}

void Rebuilder::go_on(Fragment& fragment) {
  const auto& op = static_cast<const Rebuild&>(*fragment.request);
  fragment.stop = 0;
  fragment.writing = false;
  if (fragment.done < op.length) {
    order_.again(fragment);
    return;
  }
  if (op.repair()) {
    ++repaired_;
  } else {
    states_.clear_stale(map_.place(*fragment.area, fragment.unit, op.copy));
    ++drives_[op.drive].units;
    drives_[op.drive].bytes += op.length;
  }
  planner_.settle(fragment);
}

void Rebuilder::answered(Fragment& fragment, const LinkCommand& command, bool good) {
  const auto& op = static_cast<const Rebuild&>(*fragment.request);
  fragment.to = 0;
  const bool counts = links_.generation(op.drive) == op.generation;
  if (!good || !counts || fragment.spoiled) {
    if (counts && !fragment.spoiled && !fragment.writing && command.status == command::CommandStatus::Unreadable &&
        links_.of_this_generation(command)) {
      pass(fragment, command.first_bad * config_.sector_bytes - (command.address - fragment.done));
      return;
    }
    if (!good || !counts) from_ = std::max(from_, now_ps() + kRetry);
    planner_.settle(fragment);
    return;
  }
  if (!fragment.writing) {
    fragment.writing = true;
    order_.again(fragment);
    return;
  }
  const std::uint64_t begin = map_.place(*fragment.area, fragment.unit, op.copy).address + fragment.done;
  states_.clear_lost(op.drive, begin, begin + fragment.piece_length());
  fragment.done += fragment.piece_length();
  go_on(fragment);
}

void Rebuilder::ended(ArrayRequest& request) {
  auto& op = static_cast<Rebuild&>(request);
  active_.erase(std::find(active_.begin(), active_.end(), &op));
  pool_.give_back(op);
  wanted_ = true;
}

}  // namespace platter::host::array
