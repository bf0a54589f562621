// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/cache_manager.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using buffer::Hit;

namespace {

/// Maximum number of internal accesses (destages) in the drive at once.
std::uint32_t own_accesses(const profile::CacheProfile& cache) {
  switch (cache.write_back) {
    case profile::WriteBack::Off: return 0;
    case profile::WriteBack::Append: return 1;
    case profile::WriteBack::Interleaved: return std::min(cache.write_segments, cache.segments);
  }
  return 0;
}

}  // namespace

CacheManager::CacheManager(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HostBus& bus,
                           Picoseconds preparation)
    : planner_(planner),
      bus_(bus),
      preparation_(preparation),
      buffer_(planner, profile.cache),
      destages_(drive::own_accesses(profile.cache)),
      switches_{buffer_.write_back(), buffer_.reads_ahead()} {}

void CacheManager::clear() {
  const Picoseconds now = core::now_ps();
  read_ahead_ends(now, buffer_.read_ahead_until(now));
  for (Destage& destage : destages_) destage.entry = QueueEntry{};
  buffer_.clear();
  previous_end_ = core::Lba(~std::uint64_t{0});
  reading_ = nullptr;
}

// --- energy ----------------------------------------------------------------------------------------------------------

std::optional<OpenReadAheadIf::Interval> CacheManager::open_read_ahead(Picoseconds now) {
  if (read_ahead_since_ == core::kNoDeadline) return std::nullopt;
  return Interval{read_ahead_since_, buffer_.read_ahead_until(now)};
}

void CacheManager::read_ahead_ends(Picoseconds now, Picoseconds end) {
  if (read_ahead_since_ == core::kNoDeadline) return;
  const Picoseconds since = read_ahead_since_;
  read_ahead_entered();
  energy_->read_ahead(now, since, end);
}

template <typename Change>
void CacheManager::change_segments(Change change) {
  if (read_ahead_since_ == core::kNoDeadline) {
    change();
    return;
  }
  const Picoseconds now = core::now_ps();
  const Picoseconds until = buffer_.read_ahead_until(now);
  change();
  if (!buffer_.streams()) read_ahead_ends(now, until < now ? until : std::max(now, buffer_.held_until()));
}

// --- reads -----------------------------------------------------------------------------------------------------------

std::optional<Picoseconds> CacheManager::serve(QueueEntry& entry, Picoseconds now, bool last_was_write) {
  const mechanics::Extent& extent = entry.command.extent;
  const bool decided = entry.stage == Stage::Queued;  // its overhead runs from its arrival
  if (decided) {
    buffer_.resume(extent.first);
    read_ahead_goes_on(now);
  }
  const Hit hit = buffer_.find(extent.first, extent.blocks, now);
  if (hit.kind == Hit::Kind::Miss || (hit.kind == Hit::Kind::Partial && decided))
    return std::nullopt;  // a queued read keeps its whole extent
  const Picoseconds begin =
      (decided ? std::max(now, entry.command.overhead_end) : now + planner_.read_hit_overhead(last_was_write)) + preparation_;
  entry.hit = hit;
  if (hit.kind == Hit::Kind::Partial) {
    ++statistics_.partial_hits;
    buffer_.use(hit, extent.first, hit.blocks);
    bus_.send_buffered(hit.blocks, begin);
    entry.buffered = hit.blocks;
    entry.command.extent =
        planner_.resolve(core::Lba(extent.first.value + hit.blocks), extent.blocks - hit.blocks, false, true);
    return std::nullopt;
  }
  ++statistics_.read_hits;
  const Picoseconds start = buffer_.bus_start(hit, extent.first, extent.blocks, planner_.bus_block_time(false), begin);
  buffer_.use(hit, extent.first, extent.blocks);
  entry.result.timing.started = now;
  entry.result.timing.queue = now - entry.result.timing.issued;
  entry.result.timing.overhead = begin - preparation_ - now;
  return bus_.send_buffered(extent.blocks, start);
}

bool CacheManager::may_read_ahead(const QueueEntry& served, Picoseconds now) {
  return switches_.read_ahead && buffer_.read_ahead_on_hit() &&
         buffer_.reads_ahead(served.command.extent.first, previous_end_) && !buffer_.reading_ahead(now) &&
         buffer_.end_of(served.hit.segment).value < planner_.geometry().actuator_end(served.actuator) && !buffer_.any_dirty();
}

void CacheManager::read_ahead(const QueueEntry& served, const ActuatorUnit& unit, Picoseconds now) {
  reading_ = &unit;
  const mechanics::HeadState& at = unit.state();
  buffer_.start_read_ahead(served.hit.segment, served.command.extent.first, served.command.extent.blocks, at,
                           now + planner_.command_overhead(false, at.last_was_write), true);
  read_ahead_goes_on(now + planner_.command_overhead(false, at.last_was_write));
}

void CacheManager::read_ended(const QueueEntry& entry, ActuatorUnit& unit, Picoseconds now, bool idle, std::uint64_t wanted) {
  const mechanics::Extent& extent = entry.command.extent;
  const AccessTimes& times = unit.times();
  const std::size_t segment = buffer_.read_done(extent.first, extent.blocks, buffer_.passing(extent, times.rotation),
                                                entry.buffered > 0 ? &entry.hit : nullptr);
  const core::Lba first(extent.first.value - entry.buffered);
  if (!switches_.read_ahead || !(wanted > 0 || (idle && buffer_.reads_ahead(first, previous_end_)))) return;
  reading_ = &unit;
  const std::uint32_t blocks = extent.blocks + entry.buffered;
  buffer_.start_read_ahead(segment, first, blocks, unit.state(), times.media_end, false, wanted);
  read_ahead_goes_on(times.media_end);
  if (wanted == 0 || buffer_.reading_ahead(now)) return;
  // The segment was full before the bus was ready for the next read.
  free_arm(unit, now);
  buffer_.start_read_ahead(segment, first, blocks, unit.state(), now, true, wanted);
  read_ahead_goes_on(now);
}

Picoseconds CacheManager::free_arm(ActuatorUnit& unit, Picoseconds now) {
  if (reading_ != nullptr && reading_ != &unit) return now;
  mechanics::HeadState place = unit.state();
  const Picoseconds until = read_ahead_since_ != core::kNoDeadline ? buffer_.read_ahead_until(now) : now;
  const Picoseconds free = buffer_.stop(now, place);
  read_ahead_ends(now, until < now ? until : free);
  if (place.cylinder != unit.state().cylinder || place.head != unit.state().head) unit.arm().follow(place);
  return free;
}

bool CacheManager::take(const QueueEntry& entry) {
  bool taken = false;
  change_segments([&] { taken = buffer_.accept_write(entry.command.extent.first, entry.command.extent.blocks); });
  if (taken) ++statistics_.cached_writes;
  return taken;
}

void CacheManager::invalidate(const mechanics::Extent& extent) {
  change_segments([&] { buffer_.invalidate(extent.first, extent.blocks); });
}

void CacheManager::invalidate(std::uint64_t first, std::uint64_t blocks) {
  constexpr std::uint32_t kMax = ~std::uint32_t{0};
  for (const std::uint64_t end = first + blocks; first < end; first += kMax)
    change_segments(
        [&] { buffer_.forget(core::Lba(first), static_cast<std::uint32_t>(std::min<std::uint64_t>(kMax, end - first))); });
}

QueueEntry* CacheManager::next_destage() {
  for (Destage& destage : destages_) {
    if (destage.entry.used()) continue;
    if (!buffer_.next_destage(destage.blocks)) return nullptr;
    destage.entry = QueueEntry{};
    destage.entry.enter(Stage::Received);
    destage.entry.command.cls = core::RequestClass::Background;
    destage.entry.command.destage = true;
    destage.entry.command.data_ready = destage.blocks.data_end;
    destage.entry.command.extent = planner_.resolve(destage.blocks.first, destage.blocks.blocks, true);
    return &destage.entry;
  }
  return nullptr;
}

void CacheManager::destaged(const QueueEntry& own) {
  const auto destage =
      std::find_if(destages_.begin(), destages_.end(), [&](const Destage& each) { return &each.entry == &own; });
  ++statistics_.destages;
  destage->entry.enter(Stage::Done);
  destage->entry.enter(Stage::Free);
  buffer_.destaged(destage->blocks);
}

}  // namespace platter::drive
