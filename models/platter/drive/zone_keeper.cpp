// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/zone_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandStatus;
using zones::BlockRange;
using zones::ZoneCondition;
using zones::Zones;

namespace {

/// Blocks from the front of a write on that are on the media.
std::uint32_t front_of(const WrittenBlocks& written) {
  std::uint32_t front = 0;
  for (const WrittenBlocks::Run& run : {written.first, written.second, written.first})
    if (run.from <= front) front = std::max(front, run.end);
  return front;
}

media::DiskZone record_of(const Zones::Durable& state) {
  return {state.written, static_cast<std::uint32_t>(state.condition), state.non_sequential ? 1u : 0u};
}

}  // namespace

ZoneKeeper::ZoneKeeper(const profile::DriveProfile& profile, std::uint64_t blocks, media::Media& media,
                       const HazardQueue& queue)
    : zones_(zones::options_of(profile, blocks)),
      reset_(core::to_picoseconds(profile.zones.reset_ms, core::kPicosecondsPerMillisecond)),
      finish_(core::to_picoseconds(profile.zones.finish_ms, core::kPicosecondsPerMillisecond)),
      buffer_durable_(profile.power_loss.cache == profile::LostCache::Saved),
      sector_bytes_(media.sector_bytes()),
      media_(media),
      queue_(queue),
      changes_(queue.depth()),
      call_(core::Rank::Access, [this] { carry_out(*std::exchange(current_, nullptr)); }) {
  if (media_.file() != nullptr) load(zones_, media_);
}

// --- commands --------------------------------------------------------------------------------------------------------

CommandStatus ZoneKeeper::admit(const command::Command& command) {
  if (command.zone()) {
    if (!command.all_zones && command.address % sector_bytes_ != 0)
      return command.address / sector_bytes_ < zones_.options().blocks ? CommandStatus::BadZone : CommandStatus::BadAddress;
    admitted_ = {};
    return zones_.manage(command.zone_action, command.address / sector_bytes_, command.all_zones, admitted_);
  }
  if (command.flush()) return CommandStatus::Good;
  const std::uint64_t first = command.address / sector_bytes_;
  const auto blocks = static_cast<std::uint32_t>(command.length / sector_bytes_);
  return command.write() ? zones_.write(first, blocks) : zones_.read(first, blocks);
}

Picoseconds ZoneKeeper::begin(QueueEntry& entry, Picoseconds now) {
  const command::ZoneAction action = entry.asked.zone_action;
  const Picoseconds each = action == command::ZoneAction::Reset ? reset_ : action == command::ZoneAction::Finish ? finish_ : 0;
  const Picoseconds time = each * Picoseconds{changes_[entry.tag.value].zones};
  if (time == 0) {
    carry_out(entry);
    return 0;
  }
  current_ = &entry;
  call_.at(now + time);
  return time;
}

void ZoneKeeper::carry_out(QueueEntry& entry) {
  if (media_.file() != nullptr && changes_[entry.tag.value].zones > 0) {
    const bool all = entry.asked.all_zones;  // younger writes may already have advanced some pointers
    save(entry.asked.address / sector_bytes_, all ? zones_.options().blocks : 1, &entry);
  }
  for (const BlockRange& range : dropped(entry)) drop(media_, range.first, range.blocks);
  done_(entry);
}

bool ZoneKeeper::superseded(const QueueEntry& write) const {
  const std::uint32_t zone = zones_.zone_of(write.first());
  const std::vector<QueueEntry>& entries = queue_.entries();
  return std::any_of(entries.begin(), entries.end(), [&](const QueueEntry& other) {
    const command::ZoneAction action = other.asked.zone_action;
    return other.used() && !other.on_media() && other.asked.zone() && other.command.sequence > write.command.sequence &&
           (action == command::ZoneAction::Reset || action == command::ZoneAction::Finish) &&
           (other.asked.all_zones || zones_.zone_of(other.asked.address / sector_bytes_) == zone);
  });
}

BlockRange ZoneKeeper::aborted(const QueueEntry& entry) {
  const std::uint64_t first = entry.first();
  if (!zones_.retract(first)) return {first, 0};
  const zones::ZoneDescriptor zone = zones_.descriptor(zones_.zone_of(first));
  return {first, zone.start + zone.blocks - first};
}

void ZoneKeeper::wear_out(std::uint32_t zone, ZoneCondition condition) {
  zones_.wear_out(zone, condition);
  durable(zone * zones_.options().zone_blocks, 1, nullptr);
}

// --- losses ----------------------------------------------------------------------------------------------------------

void ZoneKeeper::settle(Zones& zones, media::Media& media, const Loss& loss) const {
  std::vector<std::uint64_t> lost;
  const std::uint32_t physical = zones.options().physical_blocks;
  const auto lose = [&](std::uint64_t first, std::uint64_t end, const QueueEntry* of) {
    if (of != nullptr && of == loss.writing && !of->behind_gap) first = (first + front_of(loss.so_far)) / physical * physical;
    add_lost(first, end, lost);
  };
  for (const QueueEntry& entry : queue_.entries()) {
    if (!entry.used() || entry.on_media()) continue;
    if (entry.asked.write()) lose(entry.first(), entry.end(), &entry);
    if (entry.asked.zone())  // it counts as carried out
      for (const BlockRange& range : dropped(entry)) drop(media, range.first, range.blocks);
  }
  if (segments_ != nullptr && !loss.buffer_saved) {
    const bool destage = loss.writing != nullptr && loss.writing->internal();
    segments_->for_each_dirty([&](core::Lba first, core::Lba end) {
      lose(first.value, end.value, destage && loss.writing->command.extent.first == first ? loss.writing : nullptr);
    });
  }
  for (const std::uint64_t block : lost) {
    if (block >= zones.options().blocks) continue;
    const zones::ZoneDescriptor zone = zones.descriptor(zones.zone_of(block));
    if (zone.type != zones::ZoneType::SequentialRequired) continue;
    zones.retract(block);
    drop(media, block, zone.start + zone.blocks - block);
  }
  zones.close_all();
}

void ZoneKeeper::lose(const Loss& loss) {
  settle(zones_, media_, loss);
  if (media_.file() != nullptr) save(zones_, *media_.file());
}

Zones ZoneKeeper::after(const Loss& loss, media::Media& media) const {
  Zones zones = zones_;
  settle(zones, media, loss);
  return zones;
}

// --- the disk file ---------------------------------------------------------------------------------------------------

std::vector<std::uint64_t> ZoneKeeper::would_lose(const QueueEntry* but) const {
  std::vector<std::uint64_t> lost;
  for (const QueueEntry& entry : queue_.entries())
    if (entry.used() && !entry.on_media() && &entry != but && entry.asked.write()) add_lost(entry.first(), entry.end(), lost);
  if (segments_ != nullptr && !buffer_durable_)
    segments_->for_each_dirty([&](core::Lba from, core::Lba end) { add_lost(from.value, end.value, lost); });
  return lost;
}

void ZoneKeeper::save(std::uint64_t first, std::uint64_t blocks, const QueueEntry* entry) {
  const std::vector<std::uint64_t> lost = would_lose(entry);
  const std::uint32_t begin = zones_.zone_of(first);
  const std::uint32_t end = zones_.zone_of(first + blocks - 1);
  std::vector<media::DiskZone> records;
  for (std::uint32_t zone = begin; zone <= end; ++zone) {
    std::uint64_t first_lost = ~std::uint64_t{0};
    for (const std::uint64_t block : lost)
      if (zones_.zone_of(block) == zone) first_lost = std::min(first_lost, block);
    records.push_back(record_of(zones_.durable(zone, first_lost)));
  }
  media_.file()->put_zones(begin, records.data(), records.size());
}

void ZoneKeeper::save(const Zones& zones, media::DiskFile& file) {
  std::vector<media::DiskZone> records;
  records.reserve(zones.count());
  for (std::uint32_t zone = 0; zone < zones.count(); ++zone)
    records.push_back(record_of(zones.durable(zone, ~std::uint64_t{0})));
  file.put_zones(0, records.data(), records.size());
}

void ZoneKeeper::load(Zones& zones, media::Media& media) {
  const media::DiskFile& file = *media.file();
  file.for_each_zone([&](std::uint64_t number, const media::DiskZone& record) {
    const auto zone = static_cast<std::uint32_t>(number);
    const auto refuse = [&](const std::string& why) {
      throw core::InputError(file.file().string(), 0, 0, fmt::format("zone {}: {}", number, why));
    };
    if (record.condition > static_cast<std::uint32_t>(ZoneCondition::Offline))
      refuse(fmt::format("found condition {:X}h, expected at most Fh", record.condition));
    if (record.flags > 1) refuse(fmt::format("found flags {:X}h, expected 0 or 1", record.flags));
    const Zones::Durable state{record.written, static_cast<ZoneCondition>(record.condition), record.flags == 1};
    if (const std::string objection = zones.objection(zone, state); !objection.empty()) refuse(objection);
    zones.restore(zone, state);
  });
  if (zones.options().model != zones::ZoneModel::Managed) return;
  // Writes may have reached the file before an older one of their zone.
  const std::uint64_t sector_bytes = media.sector_bytes();
  std::vector<BlockRange> behind;
  file.for_each_data([&](std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t end = (offset + length + sector_bytes - 1) / sector_bytes;
    for (std::uint32_t zone = zones.zone_of(offset / sector_bytes); zone < zones.count(); ++zone) {
      const zones::ZoneDescriptor each = zones.descriptor(zone);
      if (each.start >= end) break;
      if (each.write_pointer != zones::ZoneDescriptor::kNoPointer)
        behind.push_back({each.write_pointer, each.start + each.blocks - each.write_pointer});
    }
  });
  for (const BlockRange& range : behind) drop(media, range.first, range.blocks);
}

}  // namespace platter::drive
