// SPDX-License-Identifier: Apache-2.0
#include "platter/media/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platter/media/media.h"

namespace platter::media {

// --- a fault ----------------------------------------------------------------------------------------------------------

FaultObjection objection(const Fault& fault, std::uint64_t capacity_blocks, std::uint32_t surfaces, std::uint32_t sector_bytes,
                         std::uint32_t actuators) {
  const FaultKindInfo& info = info_of(fault.kind);
  if (actuators > 1 && reallocates(fault.kind))
    return {"kind",
            fmt::format("found {}, expected no fault after which sectors are reallocated: the drive has several actuators",
                        info.name)};
  const auto needs = [&info](std::string_view key) { return fmt::format("is missing: the kind {} needs {}", info.name, key); };
  if (info.place == FaultPlace::Blocks && fault.any_block()) return {"block", needs("a block")};
  if ((info.place == FaultPlace::Surface || info.place == FaultPlace::Drive) && !fault.any_block())
    return {"block", fmt::format("found {}, expected none: the kind {} has no blocks", fault.first, info.name)};
  if (fault.blocks == 0) return {"blocks", "found 0, expected at least 1"};
  if (!fault.any_block() && (fault.first >= capacity_blocks || fault.blocks > capacity_blocks - fault.first))
    return {"block", fmt::format("found {} with {} block{}, expected an end within the {} blocks of the drive", fault.first,
                                 fault.blocks, fault.blocks == 1 ? "" : "s", capacity_blocks)};
  if (info.place == FaultPlace::Surface && fault.surface >= surfaces)
    return {"surface", fmt::format("found {}, expected 0 to {}", fault.surface, surfaces - 1)};
  if (fault.kind == FaultKind::Retries && fault.tries == 0) return {"tries", needs("the number of a retry, from 1")};
  if ((fault.kind == FaultKind::Slow || fault.kind == FaultKind::OffTrack) && fault.turns == 0)
    return {"turns", needs("a number of turns, from 1")};
  if (fault.tries > Fault::kMaxTries)
    return {"tries", fmt::format("found {}, expected 0 to {}", fault.tries, Fault::kMaxTries)};
  if (fault.turns > Fault::kMaxTurns)
    return {"turns", fmt::format("found {}, expected 0 to {}", fault.turns, Fault::kMaxTurns)};
  if (fault.kind == FaultKind::Late && fault.delay <= 0) return {"delay_ms", needs("a time above 0")};
  if (fault.kind == FaultKind::SilentMisdirected && fault.other_block == Fault::kAnyBlock)
    return {"other_block", needs("another block, which is written instead")};
  if (fault.kind == FaultKind::SilentMisdirected && fault.other_block >= capacity_blocks)
    return {"other_block",
            fmt::format("found {}, expected less than the {} blocks of the drive", fault.other_block, capacity_blocks)};
  if (fault.kind == FaultKind::SilentMisdirected && fault.overlaps(fault.other_block, fault.other_block + 1))
    return {"other_block", fmt::format("found {}, expected a block outside of the fault", fault.other_block)};
  if (fault.kind == FaultKind::SilentBit && fault.bit >= sector_bytes * 8)
    return {"bit", fmt::format("found {}, expected less than the {} bits of a block", fault.bit, sector_bytes * 8)};
  if ((fault.kind == FaultKind::LinkDrop || fault.kind == FaultKind::Reset) && fault.at_access > 0)
    return {"at_access", fmt::format("found {}, expected 0: the kind {} has no blocks", fault.at_access, info.name)};
  return {};
}

bool contradict(const Fault& a, const Fault& b) {
  const bool same = a.kind == b.kind && a.kind == FaultKind::WriteFault;
  if (!(same || (decides_reads(a.kind) && decides_reads(b.kind)))) return false;
  return a.overlaps(b.first, b.end()) && a.at == b.at && a.at_command == b.at_command && a.at_access == b.at_access;
}

// --- counters ---------------------------------------------------------------------------------------------------------

const std::array<std::uint64_t MediaErrors::*, MediaErrors::kCounters>& MediaErrors::all() {
  using E = MediaErrors;
  static constexpr std::array<std::uint64_t E::*, kCounters> counters = {
      &E::retried,          &E::retry_turns,  &E::recovered,       &E::uncorrectable, &E::write_errors,
      &E::lost_destages,    &E::pending,      &E::reallocated,     &E::reallocations, &E::detours,
      &E::read_ahead_stops, &E::timeouts,     &E::resets,          &E::link_drops,    &E::late,
      &E::silent_writes,    &E::silent_reads, &E::scrubbed_blocks, &E::scrub_errors,  &E::wait_blocks};
  return counters;
}

MediaErrors& MediaErrors::operator+=(const MediaErrors& other) {
  for (std::uint64_t MediaErrors::* const counter : all()) this->*counter += other.*counter;
  return *this;
}

std::array<std::uint64_t, MediaErrors::kCounters> MediaErrors::values() const {
  std::array<std::uint64_t, kCounters> values{};
  for (std::size_t i = 0; i < kCounters; ++i) values[i] = this->*all()[i];
  return values;
}

// --- without power ----------------------------------------------------------------------------------------------------

void Defects::save(DiskFile& file) const {
  for (const std::uint64_t sector : pending) file.set_pending(sector, true);
  for (std::size_t i = 0; i < spares.size(); ++i) file.put_spare(i, spares[i]);
  const auto values = errors.values();
  file.put_counters(values.data(), values.size());
}

void Faults::set_defects(const Defects& defects) {
  pending_ = {defects.pending.begin(), defects.pending.end()};
  places_ = defects.spares;
  spares_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) spares_[places_[i].sector] = i;
  errors_ = defects.errors;
  errors_.pending = pending_.size();
  errors_.reallocated = spares_.size();
  renew();
}

Faults::Faults(std::uint32_t sector_bytes, std::uint32_t together, DiskFile* file)
    : sector_bytes_(sector_bytes), together_(together), file_(file) {
  if (file == nullptr) return;
  Defects defects;
  file->for_each_pending([&](std::uint64_t sector) { defects.pending.push_back(sector); });
  defects.spares = file->spares();
  const std::vector<std::uint64_t> kept = file->counters(kept_.size());
  std::copy(kept.begin(), kept.end(), kept_.begin());
  for (std::size_t i = 0; i < kept_.size(); ++i) defects.errors.*MediaErrors::all()[i] = kept_[i];
  set_defects(defects);
}

void Faults::put_counters() {
  const std::array<std::uint64_t, MediaErrors::kCounters> values = errors_.values();
  if (values == kept_) return;
  file_->put_counters(values.data(), values.size());
  kept_ = values;
}

void Faults::set_pending(std::uint64_t sector, bool pending) {
  if (file_ != nullptr) file_->set_pending(sector, pending);
}

// --- the set ----------------------------------------------------------------------------------------------------------

void Faults::add(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    Live live;
    live.id = next_id_++;
    live.commands_before = commands_;
    live.fault = fault;
    if (!fault.any_block() && fault.kind <= FaultKind::WriteFault) {  // a physical sector is bad as a whole
      const std::uint64_t end = (fault.end() + together_ - 1) / together_ * together_;
      live.fault.first = fault.first / together_ * together_;
      live.fault.blocks = end - live.fault.first;
    }
    live_.push_back(live);
  }
  renew();
}

bool Faults::clear(std::uint64_t id) {
  const auto first = std::remove_if(live_.begin(), live_.end(), [id](const Live& live) { return live.id == id; });
  const bool found = first != live_.end();
  live_.erase(first, live_.end());
  renew();
  return found;
}

void Faults::clear_all() {
  live_.clear();
  renew();
}

void Faults::renew() {
  by_block_.clear();
  everywhere_.clear();
  by_command_.clear();
  longest_ = silent_ = 0;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const Fault& fault = live_[i].fault;
    if (media::silent(fault.kind)) ++silent_;
    if (fault.at_command > 0) by_command_.push_back(i);
    if (fault.any_block()) {
      everywhere_.push_back(i);
      continue;
    }
    by_block_.push_back(i);
    longest_ = std::max(longest_, fault.blocks);
  }
  std::stable_sort(by_block_.begin(), by_block_.end(),
                   [this](std::size_t a, std::size_t b) { return live_[a].fault.first < live_[b].fault.first; });
  on_ = !live_.empty() || !pending_.empty() || !spares_.empty() || !wrong_.empty();
}

bool Faults::active(const Live& live, Picoseconds now) const {
  const Fault& fault = live.fault;
  if (fault.count > 0 && live.used >= fault.count) return false;
  if (now < fault.at || commands_ - live.commands_before < fault.at_command || live.accesses < fault.at_access) return false;
  if (fault.lasts == 0) return true;
  if (fault.at_command == 0 && fault.at_access == 0) return now - fault.at < fault.lasts;
  return live.begun < 0 || now - live.begun < fault.lasts;  // begun < 0: it begins now
}

template <typename Use>
void Faults::for_each(std::uint64_t first, std::uint64_t end, Use use) const {
  const std::uint64_t least = first >= longest_ ? first - longest_ + 1 : 0;
  auto at = std::lower_bound(by_block_.begin(), by_block_.end(), least,
                             [this](std::size_t index, std::uint64_t block) { return live_[index].fault.first < block; });
  for (; at != by_block_.end() && live_[*at].fault.first < end; ++at)
    if (live_[*at].fault.end() > first) use(*at);
}

template <typename Of>
void Faults::carve(std::uint64_t first, std::uint64_t end, Of of) {
  found_.clear();
  for_each(first, end, [&](std::size_t index) {
    if (of(live_[index])) found_.push_back(index);
  });
  if (found_.empty()) return;
  for (const std::size_t i : found_) {
    Fault& fault = live_[i].fault;
    const std::uint64_t fault_end = fault.end();
    if (fault_end > end) {
      if (fault.first < first) {
        Live rest = live_[i];
        rest.fault.first = end;
        rest.fault.blocks = fault_end - end;
        live_.push_back(rest);  // `fault` is not valid behind this
      } else {
        fault.first = end;
        fault.blocks = fault_end - end;
        continue;
      }
    }
    Fault& front = live_[i].fault;
    front.blocks = first > front.first ? first - front.first : 0;
  }
  live_.erase(std::remove_if(live_.begin(), live_.end(), [](const Live& live) { return live.fault.blocks == 0; }), live_.end());
  renew();
}

// --- commands ---------------------------------------------------------------------------------------------------------

Faults::Effect Faults::command(std::uint64_t first, std::uint64_t blocks, Picoseconds now, Picoseconds& delay, bool may_stick) {
  ++commands_;
  for (const std::size_t index : by_command_)
    if (live_[index].begun < 0 && active(live_[index], now)) live_[index].begun = now;
  if (!may_stick) return take_event(now, delay);
  Live* stuck = nullptr;
  const auto look = [&](std::size_t index) {
    Live& live = live_[index];
    if (stuck == nullptr && live.fault.kind == FaultKind::Stuck && active(live, now)) stuck = &live;
  };
  for (const std::size_t index : everywhere_) look(index);
  for_each(first, first + blocks, look);
  if (stuck == nullptr) return take_event(now, delay);
  ++stuck->used;
  return Effect::Stuck;
}

Picoseconds Faults::next_event() const {
  Picoseconds next = core::kNoDeadline;
  for (const std::size_t index : everywhere_) {
    const Live& live = live_[index];
    if ((live.fault.kind == FaultKind::LinkDrop || live.fault.kind == FaultKind::Reset) &&
        commands_ - live.commands_before >= live.fault.at_command)
      next = std::min(next, live.fault.at);
  }
  return next;
}

Faults::Effect Faults::take_event(Picoseconds now, Picoseconds& delay) {
  for (const std::size_t index : everywhere_) {
    const FaultKind kind = live_[index].fault.kind;
    if ((kind != FaultKind::LinkDrop && kind != FaultKind::Reset) || !active(live_[index], now)) continue;
    delay = live_[index].fault.delay;
    ++(kind == FaultKind::Reset ? errors_.resets : errors_.link_drops);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));  // it happens once
    renew();
    return kind == FaultKind::Reset ? Effect::Reset : Effect::LinkDrop;
  }
  return Effect::None;
}

Picoseconds Faults::late(Picoseconds now) {
  Picoseconds delay = 0;
  for (const std::size_t index : everywhere_) {
    Live& live = live_[index];
    if (live.fault.kind != FaultKind::Late || !active(live, now)) continue;
    ++live.used;
    delay += live.fault.delay;
  }
  if (delay > 0) ++errors_.late;
  return delay;
}

// --- accesses ---------------------------------------------------------------------------------------------------------

void Faults::access(std::uint64_t first, std::uint64_t blocks, Picoseconds now) {
  const auto count = [&](std::size_t index) {
    Live& live = live_[index];
    ++live.accesses;
    if (live.begun < 0 && active(live, now)) live.begun = now;
  };
  for (const std::size_t index : everywhere_) count(index);
  for_each(first, first + blocks, count);
}

void Faults::meets(std::uint64_t first, std::uint64_t blocks, bool write, Picoseconds now, std::vector<Met>& met) const {
  const std::size_t begin = met.size();
  const auto take = [&](std::size_t index, std::uint64_t block) {
    const Fault& fault = live_[index].fault;
    met.push_back({block, fault.kind, fault.tries, fault.turns, index});
  };
  for (const std::size_t index : everywhere_)
    if (live_[index].fault.kind == FaultKind::OffTrack && active(live_[index], now)) take(index, first);
  for_each(first, first + blocks, [&](std::size_t index) {
    const Live& live = live_[index];
    if (!active(live, now)) return;
    const std::uint64_t block = std::max(first, live.fault.first);
    switch (live.fault.kind) {
      case FaultKind::Unreadable:
      case FaultKind::Retries:
        if (!write) take(index, block);
        break;
      case FaultKind::Permanent:
        // A write is checked where the drive knows that a block could not be read.
        if (!write || any_pending(block, std::min(first + blocks, live.fault.end()))) take(index, block);
        break;
      case FaultKind::Slow: take(index, block); break;
      case FaultKind::WriteFault:
        if (write) take(index, block);
        break;
      default: break;
    }
  });
  std::stable_sort(met.begin() + static_cast<std::ptrdiff_t>(begin), met.end(),
                   [](const Met& a, const Met& b) { return a.block < b.block; });
}

std::uint64_t Faults::failed_surfaces(Picoseconds now) const {
  std::uint64_t surfaces = 0;
  for (const std::size_t index : everywhere_)
    if (live_[index].fault.kind == FaultKind::Surface && active(live_[index], now))
      surfaces |= std::uint64_t{1} << live_[index].fault.surface;
  return surfaces;
}

std::uint64_t Faults::failed_head(std::uint32_t surface, Picoseconds now) const {
  for (const std::size_t index : everywhere_)
    if (const Live& live = live_[index];
        live.fault.kind == FaultKind::Surface && live.fault.surface == surface && active(live, now))
      return live.id;
  return 0;
}

std::uint64_t Faults::next_bad(std::uint64_t first, std::uint64_t end, Picoseconds now) const {
  std::uint64_t next = end;
  for_each(first, end, [&](std::size_t index) {
    const Live& live = live_[index];
    if (decides_reads(live.fault.kind) && active(live, now)) next = std::min(next, std::max(first, live.fault.first));
  });
  const auto pending = pending_.lower_bound(first / together_);
  if (pending != pending_.end()) next = std::min(next, std::max(first, *pending * together_));
  const auto spare = spares_.lower_bound(first / together_);  // the read-ahead does not follow a block to its spare
  if (spare != spares_.end()) next = std::min(next, std::max(first, spare->first * together_));
  return next;
}

bool Faults::found(std::uint64_t block) {
  const bool fresh = pending_.insert(block / together_).second;
  if (fresh) set_pending(block / together_, true);
  errors_.pending = pending_.size();
  on_ = true;
  return fresh;
}

void Faults::written(std::uint64_t first, std::uint64_t blocks, Picoseconds now) {
  const std::uint64_t end = first + blocks;
  carve(first, end, [this, now](const Live& live) {
    return (live.fault.kind == FaultKind::Unreadable || live.fault.kind == FaultKind::SilentBit) && active(live, now);
  });
  if (pending_.empty()) return;
  // A physical sector of which a part is written stays pending: its other blocks cannot be read.
  for (auto sector = pending_.lower_bound((first + together_ - 1) / together_);
       sector != pending_.end() && *sector < end / together_;) {
    set_pending(*sector, false);
    sector = pending_.erase(sector);
  }
  errors_.pending = pending_.size();
  on_ = !live_.empty() || !pending_.empty() || !spares_.empty() || !wrong_.empty();
}

void Faults::reallocate(std::uint64_t block, std::uint32_t track, std::uint32_t place) {
  const std::uint64_t sector = block / together_;
  spares_[sector] = places_.size();
  places_.push_back({sector, track, place});
  if (file_ != nullptr) file_->put_spare(places_.size() - 1, places_.back());
  if (pending_.erase(sector) > 0) set_pending(sector, false);
  errors_.pending = pending_.size();
  errors_.reallocated = spares_.size();
  carve(sector * together_, (sector + 1) * together_,
        [](const Live& live) { return live.fault.kind <= FaultKind::WriteFault || live.fault.kind == FaultKind::SilentBit; });
  on_ = true;
}

std::optional<std::uint64_t> Faults::spare_of(std::uint64_t block) const {
  const auto found = spares_.find(block / together_);
  return found == spares_.end() ? std::nullopt : std::optional(found->second);
}

// --- silent faults ----------------------------------------------------------------------------------------------------

Faults::Live* Faults::silent_write(std::uint64_t block, Picoseconds now) {
  Live* found = nullptr;
  for_each(block, block + 1, [&](std::size_t index) {
    Live& live = live_[index];
    const FaultKind kind = live.fault.kind;
    if ((kind == FaultKind::SilentStale || kind == FaultKind::SilentMisdirected) && active(live, now)) found = &live;
  });
  return found;
}

void Faults::store(Media& media, std::uint64_t offset, const std::uint8_t* data, std::uint64_t bytes, Picoseconds now) {
  const auto put = [&](std::uint64_t to, std::uint64_t at) {
    if (data != nullptr)
      media.write(to * sector_bytes_, data + at, sector_bytes_);
    else
      media.written(to * sector_bytes_, sector_bytes_);
  };
  for (std::uint64_t at = 0; at < bytes; at += sector_bytes_) {
    const std::uint64_t block = (offset + at) / sector_bytes_;
    Live* const live = silent_write(block, now);
    if (live == nullptr) {
      put(block, at);
      wrong_.erase(block);
      continue;
    }
    ++live->used;
    ++errors_.silent_writes;
    wrong_.insert(block);
    if (live->fault.kind == FaultKind::SilentStale) continue;
    put(live->fault.other_block, at);
    wrong_.insert(live->fault.other_block);
  }
}

void Faults::spoil(std::uint64_t offset, std::uint8_t* data, std::uint64_t bytes, Picoseconds now) {
  for_each(offset / sector_bytes_, (offset + bytes + sector_bytes_ - 1) / sector_bytes_, [&](std::size_t index) {
    const Live& live = live_[index];
    if (live.fault.kind != FaultKind::SilentBit || !active(live, now)) return;
    for (std::uint64_t block = live.fault.first; block < live.fault.end(); ++block) {
      const std::uint64_t at = block * sector_bytes_ + live.fault.bit / 8;
      if (at >= offset && at < offset + bytes)
        data[at - offset] = static_cast<std::uint8_t>(data[at - offset] ^ 1u << live.fault.bit % 8);
    }
  });
}

void Faults::count_silent_read(std::uint64_t offset, std::uint64_t bytes, Picoseconds now) {
  const std::uint64_t first = offset / sector_bytes_;
  const std::uint64_t end = (offset + bytes + sector_bytes_ - 1) / sector_bytes_;
  const auto wrong = wrong_.lower_bound(first);
  bool any = wrong != wrong_.end() && *wrong < end;
  for_each(first, end, [&](std::size_t index) {
    Live& live = live_[index];
    if (live.fault.kind != FaultKind::SilentBit || !active(live, now)) return;
    any = true;
    ++live.used;
  });
  if (any) ++errors_.silent_reads;
}

}  // namespace platter::media
