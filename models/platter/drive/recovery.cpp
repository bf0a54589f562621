// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::drive {

using media::FaultKind;

namespace {

/// The ladders of the Cheetah 15K.5 (product manual, p. 44), in turns of 3.99 ms.
constexpr std::array kReadTurns = {13.0, 15.0, 51.0, 55.0, 63.436, 70.013, 78.013, 99.028, 116.07, 124.07, 133.07, 321.55};
constexpr std::array kWriteTurns = {6.0, 9.0, 14.0, 17.0, 30.023, 37.023};

template <std::size_t N>
std::vector<Picoseconds> ladder(const std::vector<double>& steps_ms, const std::array<double, N>& turns, Picoseconds period) {
  std::vector<Picoseconds> ladder;
  ladder.reserve(std::max(steps_ms.size(), N));
  for (const double step : steps_ms) ladder.push_back(core::to_picoseconds(step, core::kPicosecondsPerMillisecond));
  if (ladder.empty())
    for (const double turn : turns) ladder.push_back(static_cast<Picoseconds>(turn * static_cast<double>(period)));
  return ladder;
}

Picoseconds milliseconds(double time) { return core::to_picoseconds(time, core::kPicosecondsPerMillisecond); }

/// Cylinders behind a sector's own in which a spare is looked for.
constexpr std::uint32_t kSpareCylinders = 16;

}  // namespace

Recovery::Recovery(const mechanics::AccessPlanner& planner, const profile::RecoveryProfile& profile, const media::Media& media,
                   media::Faults& faults, HazardQueue& queue, const buffer::SegmentBuffer* segments, bool placing)
    : planner_(planner),
      media_(media),
      faults_(faults),
      queue_(queue),
      segments_(segments),
      placing_(placing),
      ladder_{ladder(profile.read_ms, kReadTurns, planner.rotation().period()),
              ladder(profile.write_ms, kWriteTurns, planner.rotation().period())},
      profile_limit_(profile.limit_ms > 0 ? milliseconds(profile.limit_ms) : core::kNoDeadline),
      limit_{0, 0},
      spares_(profile.spares) {
  find_spares();
}

// --- what an access meets -----------------------------------------------------------------------------------------------

bool Recovery::covered(const QueueEntry& entry, std::uint64_t block) {
  if (entry.internal()) return false;
  const std::uint64_t host = host_block(entry, block);
  if (segments_ != nullptr && segments_->dirty(core::Lba(host), 1)) return true;
  const std::vector<QueueEntry*>& writes = queue_.buffered_writes(entry);
  return std::any_of(writes.begin(), writes.end(),
                     [host](const QueueEntry* write) { return write->first() <= host && host < write->end(); });
}

void Recovery::add_each(std::uint64_t first, std::uint64_t end, Trouble trouble) {
  const std::uint64_t whole = faults_.together();
  for (trouble.block = first; trouble.block < end; trouble.block = (trouble.block / whole + 1) * whole)
    if (!faults_.spare_of(trouble.block)) troubles_.push_back(trouble);
}

bool Recovery::add_first(const QueueEntry& entry, std::uint64_t first, std::uint64_t end, Trouble trouble) {
  for (trouble.block = first; trouble.block < end; ++trouble.block) {
    if (faults_.spare_of(trouble.block) || covered(entry, trouble.block)) continue;
    troubles_.push_back(trouble);
    return true;
  }
  return false;
}

void Recovery::add_surfaces(const QueueEntry& entry, Picoseconds now) {
  const mechanics::Extent& extent = entry.command.extent;
  const std::uint64_t first = extent.first.value;
  for (std::uint32_t done = 0; done < extent.blocks;) {
    const mechanics::TrackRun run = planner_.geometry().track_run(core::Lba(first + done), extent.blocks - done);
    if (const std::uint64_t fault = faults_.failed_head(run.head.value, now); fault != 0) {
      const std::uint64_t from = first + done;
      if (extent.write)
        add_each(from, from + run.blocks, {0, Step::Write, 0, fault});
      else if (add_first(entry, from, from + run.blocks, {0, Step::Retry, 0, fault}))
        return;
    }
    done += run.blocks;
  }
}

void Recovery::find_troubles(const QueueEntry& entry, Picoseconds now) {
  const mechanics::Extent& extent = entry.command.extent;
  const std::uint64_t first = extent.first.value;
  const std::uint64_t end = first + extent.blocks;
  const std::uint64_t whole = faults_.together();
  troubles_.clear();
  if (faults_.on()) {
    met_.clear();
    faults_.access(first, extent.blocks, now);
    faults_.meets(first, extent.blocks, extent.write, now, met_);
    for (const media::Faults::Met& met : met_) {
      const media::Faults::Live& live = faults_.live()[met.index];
      const std::uint64_t behind = std::min(end, live.fault.end());
      switch (met.kind) {
        case FaultKind::Slow:
        case FaultKind::OffTrack: troubles_.push_back({met.block, Step::Turns, met.turns, live.id}); break;
        case FaultKind::Unreadable: add_first(entry, met.block, behind, {0, Step::Retry, 0, live.id}); break;
        case FaultKind::Retries: add_first(entry, met.block, behind, {0, Step::Retry, met.tries, live.id}); break;
        case FaultKind::WriteFault: add_each(met.block, behind, {0, Step::Write, 0, live.id}); break;
        case FaultKind::Permanent:
          if (!extent.write) add_first(entry, met.block, behind, {0, Step::Retry, 0, live.id});
          for (std::uint64_t block = met.block; extent.write && block < behind; block = (block / whole + 1) * whole)
            if (faults_.is_pending(block)) add_each(block, block + 1, {0, Step::Write, 0, live.id});
          break;
        default: break;
      }
    }
    if (faults_.failed_surfaces(now) != 0) add_surfaces(entry, now);
    for (auto spare = faults_.spares().lower_bound(first / whole);
         spare != faults_.spares().end() && spare->first * whole < end; ++spare)
      troubles_.push_back({std::max(first, spare->first * whole), Step::Detour, static_cast<std::uint32_t>(spare->second), 0});
  }
  if (!extent.write && !media_.all_readable()) {
    const std::uint64_t bytes = media_.sector_bytes();
    auto torn = media_.unreadable(first * bytes, extent.blocks * bytes);
    while (torn && covered(entry, *torn / bytes)) torn = media_.unreadable(*torn + bytes, (end - 1) * bytes - *torn);
    if (torn) troubles_.push_back({*torn / bytes, Step::Retry, 0, 0});
  }
  std::stable_sort(troubles_.begin(), troubles_.end(), [](const Trouble& a, const Trouble& b) { return a.block < b.block; });
}

// --- the ladder ---------------------------------------------------------------------------------------------------------

Picoseconds Recovery::passed(const mechanics::Extent& extent, const mechanics::AccessTime& time, std::uint64_t block) const {
  const auto blocks = static_cast<std::uint32_t>(block - extent.first.value + 1);
  const Picoseconds in_order = planner_.resolve(extent.first, blocks, extent.write).media;
  if (time.early == 0) return in_order;
  const Picoseconds skipped = planner_.rotation().period() - time.early;  // sectors that pass at the end (zero latency)
  return in_order > skipped ? in_order - skipped : time.early + in_order;
}

mechanics::HeadState Recovery::place_of(std::uint64_t block) const {
  const mechanics::TrackRun run = planner_.geometry().track_run(core::Lba(block), 1);
  return {run.cylinder, run.head, false, 0};
}

Picoseconds Recovery::detour(const mechanics::Extent& extent, const Spare& spare, std::uint64_t block, std::uint64_t next,
                             Picoseconds end) {
  const mechanics::Rotation& rotation = planner_.rotation();
  const mechanics::HeadState from = place_of(block);
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  planner_.move(from.cylinder, from.head, spare.cylinder, spare.head, extent.write, seek, settle);
  Picoseconds at = end + seek + settle;
  at += rotation.wait(rotation.phase(at), spare.start_phase) + spare.duration;
  outcome_.moves = next == kNone;
  if (next == kNone) {
    outcome_.end = {spare.cylinder, spare.head, false, 0};
    return at - end;
  }
  const mechanics::TrackRun run = planner_.geometry().track_run(core::Lba(next), 1);
  planner_.move(spare.cylinder, spare.head, run.cylinder, run.head, extent.write, seek, settle);
  at += seek + settle;
  // The access goes on where it would have gone on without the detour, whole turns later.
  return whole_turns(at - end);
}

const Recovery::Outcome& Recovery::climb(QueueEntry& entry, mechanics::CommittedAccess& time, Picoseconds effective) {
  outcome_.any = outcome_.failed = outcome_.moves = false;
  find_troubles(entry, effective);
  if (troubles_.empty()) return outcome_;
  outcome_.time = 0;
  outcome_.turns = outcome_.attempts = outcome_.detours = 0;
  outcome_.reallocated.clear();
  const mechanics::Extent& extent = entry.command.extent;
  const bool write = extent.write;
  const Picoseconds period = planner_.rotation().period();
  const Picoseconds transfer_begin = effective + time.positioning();
  // Of the drive's own accesses only scrubbing has a limit, of its own: there is no host to tell of an error.
  Picoseconds limit = entry.asked.recovery_limit;
  if (!entry.internal()) limit = std::min({limit, profile_limit_, limit_[write] > 0 ? limit_[write] : core::kNoDeadline});
  command::CommandTiming& timing = entry.result.timing;
  // Retries spend it, in all accesses of the command; ways to spares do not.
  const auto left = [&] {
    const Picoseconds spent = period * Picoseconds{timing.retry_turns + outcome_.turns};
    return spent == 0 ? std::max(limit, period) : std::max<Picoseconds>(limit - spent, 0);
  };
  Picoseconds ended = time.media;
  const auto fail = [&](std::uint64_t block) {
    outcome_.failed = outcome_.moves = true;
    outcome_.bad = block;
    outcome_.end = place_of(block);
    // A write that began in the middle goes on to its first blocks, which are on the media when it ends.
    ended = write && time.early > 0 ? time.media : passed(extent, time, block);
  };
  for (const Trouble& trouble : troubles_) {
    const std::uint64_t whole = faults_.together();
    const auto& mended = outcome_.reallocated;  // a sector has one spare, whatever is wrong with it
    if (trouble.step == Step::Write && !mended.empty() && mended.back().first / whole == trouble.block / whole) continue;
    const Picoseconds passes = passed(extent, time, trouble.block);
    if (!outcome_.any) outcome_.begin = passes;
    outcome_.any = true;
    if (trouble.fault != 0) faults_.use_id(trouble.fault);  // at once: another actuator's access may begin meanwhile
    const std::uint64_t behind = (trouble.block / whole + 1) * whole;
    const std::uint64_t next = behind < extent.first.value + extent.blocks ? behind : kNone;
    const auto last = std::min<std::uint64_t>(behind, extent.first.value + extent.blocks) - 1;
    Picoseconds takes = 0;
    switch (trouble.step) {
      case Step::Turns:
      case Step::Retry: {
        const std::vector<Picoseconds>& steps = ladder_[0];
        if (trouble.step == Step::Turns)
          takes = period * Picoseconds{trouble.number};
        else if (trouble.number > 0 && trouble.number <= steps.size())
          takes = whole_turns(steps[trouble.number - 1]);
        if (takes == 0 || takes > left()) {
          takes = std::min(trouble.step == Step::Turns ? takes : std::max(steps.back(), period), left());
          fail(trouble.block);
        }
        outcome_.turns += begun_turns(takes);
        break;
      }
      case Step::Write: {
        // The reallocation comes on top of the limit.
        const Picoseconds climbs = whole_turns(std::min(ladder_[1].back(), left()));
        outcome_.turns += begun_turns(climbs);
        takes = climbs;
        ++outcome_.attempts;
        if (const auto spare = new_spare(trouble.block)) {
          takes += detour(extent, places_[*spare], trouble.block, next,
                          transfer_begin + outcome_.time + passed(extent, time, last) + climbs);
          outcome_.reallocated.emplace_back(trouble.block, *spare);
        } else {
          fail(trouble.block);
        }
        break;
      }
      case Step::Detour:
        takes = detour(extent, places_[trouble.number], trouble.block, next,
                       transfer_begin + outcome_.time + passed(extent, time, last));
        ++outcome_.detours;
        break;
    }
    outcome_.time += takes;
    if (outcome_.failed) break;
  }
  if (!outcome_.any) return outcome_;
  if (outcome_.failed) {
    time.media = time.transfer = time.bus_finish = ended;
  }
  time.media += outcome_.time;
  time.transfer += outcome_.time;
  time.bus_finish += outcome_.time;
  timing.recovery += outcome_.time;
  timing.retry_turns += outcome_.turns;
  timing.reallocated = timing.reallocated || !outcome_.reallocated.empty();
  return outcome_;
}

const Recovery::Outcome& Recovery::ended(const QueueEntry& entry, Picoseconds now) {
  const mechanics::Extent& extent = entry.command.extent;
  const bool any = std::exchange(outcome_.any, false);
  if (!any) {
    outcome_.failed = false;
  } else {
    media::MediaErrors& errors = faults_.errors();
    if (outcome_.turns > 0) {
      ++errors.retried;
      errors.retry_turns += outcome_.turns;
      if (!outcome_.failed) ++errors.recovered;
    }
    errors.detours += outcome_.detours;
    errors.reallocations += outcome_.attempts;
    for (const auto& [block, spare] : outcome_.reallocated)
      faults_.reallocate(block, taken_[spare].first, taken_[spare].second);
    if (outcome_.failed && extent.write) {
      ++errors.write_errors;
    } else if (outcome_.failed) {
      ++errors.uncorrectable;
      outcome_.fresh = faults_.found(outcome_.bad);
    }
  }
  if (extent.write)
    faults_.written(extent.first.value, outcome_.failed ? outcome_.bad - extent.first.value : extent.blocks, now);
  return outcome_;
}

std::uint64_t Recovery::next_bad(std::uint64_t first, std::uint64_t end, Picoseconds now) const {
  std::uint64_t next = faults_.next_bad(first, end, now);
  const std::uint64_t bytes = media_.sector_bytes();
  if (const auto torn = media_.unreadable(first * bytes, (next - first) * bytes)) next = *torn / bytes;
  if (const std::uint64_t surfaces = faults_.failed_surfaces(now); surfaces != 0)
    for (std::uint64_t block = first; block < next;) {
      const mechanics::TrackRun run = planner_.geometry().track_run(
          core::Lba(block), static_cast<std::uint32_t>(std::min<std::uint64_t>(next - block, 1u << 20)));
      if ((surfaces >> run.head.value & 1) != 0) return block;
      block += run.blocks;
    }
  return next;
}

// --- spares -------------------------------------------------------------------------------------------------------------

std::optional<std::uint64_t> Recovery::new_spare(std::uint64_t block) {
  const std::uint64_t used = faults_.spares().size() + outcome_.reallocated.size();
  if (used >= spares_) return std::nullopt;
  // A power loss may have taken an access that had spares: its places are free again.
  places_.resize(std::min<std::size_t>(places_.size(), used));
  taken_.resize(places_.size());
  places_.push_back(find_spare(block));
  return used;
}

std::optional<mechanics::TrackRun> Recovery::track_at(const mechanics::Geometry& geometry, mechanics::PhysicalAddress place) {
  for (place.sector.value = 0; place.sector.value < 64; ++place.sector.value)
    if (const std::optional<core::Lba> there = geometry.to_logical(place)) return geometry.track_run(*there, 1);
  return std::nullopt;
}

Recovery::Spare Recovery::spare_on(const mechanics::TrackRun& track, const mechanics::PhysicalAddress& place) const {
  return {track.cylinder, track.head, planner_.rotation().phase_of(planner_.geometry().angle_of(place)),
          planner_.rotation().period() * Picoseconds{faults_.together()} / track.track_sectors};
}

Recovery::Spare Recovery::last_spare(std::uint64_t number) const {
  const std::uint64_t blocks = planner_.geometry().block_count();
  const std::uint64_t whole = std::min<std::uint64_t>(faults_.together(), blocks);
  const std::uint64_t last = blocks - whole * (1 + number % (blocks / whole));
  const mechanics::Extent extent = planner_.resolve(core::Lba(last / whole * whole), static_cast<std::uint32_t>(whole), false);
  return {extent.cylinder, extent.head, extent.start_phase, extent.media};
}

mechanics::PhysicalAddress Recovery::place_of(const mechanics::Geometry& geometry, const media::DiskSpare& spare) {
  mechanics::PhysicalAddress place;
  place.head.value = spare.track % geometry.surfaces();
  place.cylinder.value = spare.track / geometry.surfaces() - geometry.arm_at(core::Cylinder(0), place.head).value;
  place.sector.value = spare.place;
  return place;
}

std::string Recovery::objection(const mechanics::Geometry& geometry, const media::DiskSpare& spare) {
  if (spare.track == kLastTracks) return "";
  const mechanics::PhysicalAddress place = place_of(geometry, spare);
  const std::optional<mechanics::TrackRun> track = track_at(geometry, place);
  if (!track) return fmt::format("found track {}, expected one with blocks", spare.track);
  if (spare.place >= track->track_sectors)
    return fmt::format("found sector {}, expected at most {}", spare.place, track->track_sectors - 1);
  if (geometry.to_logical(place))
    return fmt::format("found sector {} of track {}, expected one without a block", spare.place, spare.track);
  return "";
}

void Recovery::find_spares() {
  const mechanics::Geometry& geometry = planner_.geometry();
  places_.clear();
  taken_.clear();
  for (const media::DiskSpare& known : faults_.spare_places()) {
    std::optional<Spare> spare;
    if (media_.file() != nullptr)
      if (const std::string why = objection(geometry, known); !why.empty())
        throw core::InputError(media_.file()->file().string(), 0, 0, fmt::format("spare {}: {}", places_.size(), why));
    if (known.track != kLastTracks) {
      const mechanics::PhysicalAddress place = place_of(geometry, known);
      if (const std::optional<mechanics::TrackRun> track = track_at(geometry, place)) spare = spare_on(*track, place);
    }
    places_.push_back(spare ? *spare : last_spare(places_.size()));
    taken_.emplace_back(known.track, known.place);
  }
}

Recovery::Spare Recovery::find_spare(std::uint64_t block) {
  const mechanics::Geometry& geometry = planner_.geometry();
  const std::uint32_t whole = faults_.together();
  const std::uint64_t surfaces = faults_.failed_surfaces(core::now_ps());
  const mechanics::PhysicalAddress near = geometry.to_physical(core::Lba(block));
  const auto taken = [this](std::uint32_t track, std::uint32_t sector) {
    return std::find(taken_.begin(), taken_.end(), std::pair(track, sector)) != taken_.end();
  };
  // The nearest sector that the layout leaves without a block: on the own track, the cylinder, the next cylinders.
  for (std::uint32_t i = 0; i < kSpareCylinders; ++i) {
    for (std::uint32_t j = 0; j < geometry.surfaces(); ++j) {
      mechanics::PhysicalAddress place = near;
      place.cylinder.value += i;
      place.head.value = (near.head.value + j) % geometry.surfaces();
      if ((surfaces >> place.head.value & 1) != 0) continue;
      const std::optional<mechanics::TrackRun> run = track_at(geometry, place);
      if (!run) continue;
      const std::uint32_t track = run->cylinder.value * geometry.surfaces() + run->head.value;
      for (std::uint32_t sector = run->track_sectors / whole * whole; sector >= whole; sector -= whole) {
        place.sector.value = sector - whole;
        if (geometry.to_logical(place) || taken(track, place.sector.value)) continue;
        taken_.emplace_back(track, place.sector.value);
        return spare_on(*run, place);
      }
    }
  }
  // A layout without spares near the sector: the last tracks of the drive, in times only.
  const Spare last = last_spare(taken_.size());
  taken_.emplace_back(kLastTracks, 0);
  return last;
}

}  // namespace platter::drive
