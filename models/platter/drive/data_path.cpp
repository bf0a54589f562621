// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/data_path.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "platter/core/seeded_bug.h"

#include "platter/core/sc_time.h"

namespace platter::drive {

using mapping::WriteTarget;

namespace {

/// True if the payload has all bytes of the target.
bool covers(const tlm::tlm_generic_payload& payload, const WriteTarget& target) {
  return payload.get_address() <= target.address &&
         target.address + target.bytes <= payload.get_address() + payload.get_data_length();
}

}  // namespace

template <typename Visit>
void DataPath::for_each_buffered(std::uint64_t address, std::uint64_t length, Visit visit) const {
  const std::uint64_t first = address / sector_bytes_;
  const std::uint64_t end = (address + length + sector_bytes_ - 1) / sector_bytes_;
  for (const buffer::SegmentBuffer* segments : segments_) {
    if (!segments->any_dirty()) continue;
    segments->for_each_dirty(core::Lba(first), static_cast<std::uint32_t>(end - first), [&](core::Lba from, core::Lba to) {
      const std::uint64_t begin = std::max(address, bytes(from.value));
      visit(begin, std::min(address + length, bytes(to.value)), begin - address);
    });
  }
}

void DataPath::overlay_buffered(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const {
  for_each_buffered(address, length, [&](std::uint64_t from, std::uint64_t to, std::uint64_t offset) {
    buffered_.read(from, data + offset, to - from);
  });
}

void DataPath::peek(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const {
  mapping_.locate(address, length, [&](std::uint64_t at, std::uint64_t done, std::uint64_t take) {
    media_.read(at, data + done, take);
    if (faults_.silent()) faults_.spoil(at, data + done, take, core::now_ps());
  });
}

void DataPath::store(const Durable& on, std::uint64_t media_offset, const std::uint8_t* data, std::uint64_t length) {
  if (on.faults.silent())
    on.faults.store(on.media, media_offset, data, length, core::now_ps());
  else if (data != nullptr)
    on.media.write(media_offset, data, length);
  else
    on.media.written(media_offset, length);
}

void DataPath::count_silent(const QueueEntry& entry) const {
  mapping_.locate(
      bytes(entry.first() + entry.walk.done), bytes(entry.walk.sectors),
      [&](std::uint64_t at, std::uint64_t, std::uint64_t take) { faults_.count_silent_read(at, take, core::now_ps()); });
}

// --- reads -----------------------------------------------------------------------------------------------------------

std::optional<std::uint64_t> DataPath::unreadable(const QueueEntry& entry, const std::vector<QueueEntry*>& writes) const {
  const std::uint64_t first = entry.first() + entry.walk.done;
  const std::uint64_t end = first + entry.walk.sectors;
  for (std::uint64_t block = first; block < end; ++block) {
    bool bad = false;
    mapping_.locate(bytes(block), sector_bytes_, [&](std::uint64_t at, std::uint64_t, std::uint64_t length) {
      bad = media_.unreadable(at, length).has_value();
    });
    if (!bad || std::any_of(segments_.begin(), segments_.end(),
                            [block](const buffer::SegmentBuffer* of) { return of->dirty(core::Lba(block), 1); }))
      continue;
    if (std::none_of(writes.begin(), writes.end(),
                     [block](const QueueEntry* write) { return write->first() <= block && block < write->end(); }))
      return block;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> DataPath::read(const QueueEntry& entry, const std::vector<QueueEntry*>& writes) const {
  const std::uint64_t first = entry.first() + entry.walk.done;
  std::optional<std::uint64_t> bad;
  if (entry.result.status == command::CommandStatus::Unreadable && entry.result.first_bad >= first)
    bad = entry.result.first_bad;
  else if (!media_.all_readable())
    bad = unreadable(entry, writes);
  if (std::uint8_t* data = entry.payload->get_data_ptr(); media_.keeps_bytes() && data != nullptr) {
    data += bytes(entry.walk.done);
    const std::uint64_t length = bytes(bad ? *bad - first : entry.walk.sectors);
    peek(bytes(first), data, length);
    overlay_buffered(bytes(first), data, length);
    for (const QueueEntry* write : writes) overlay(entry, *write);
  }
  if (faults_.silent()) count_silent(entry);  // a fault that now ends has changed the data
  return bad;
}

void DataPath::overlay(const QueueEntry& read, const QueueEntry& write) const {
  std::uint8_t* to = read.payload->get_data_ptr();
  const std::uint8_t* from = write.payload->get_data_ptr();
  if (from == nullptr) return;
  const std::uint64_t first = std::max(read.payload->get_address(), write.payload->get_address());
  const std::uint64_t end = std::min(read.payload->get_address() + read.payload->get_data_length(),
                                     write.payload->get_address() + write.payload->get_data_length());
  std::memcpy(to + (first - read.payload->get_address()), from + (first - write.payload->get_address()), end - first);
}

// --- writes ----------------------------------------------------------------------------------------------------------

WriteTarget DataPath::target(const QueueEntry& entry) const {
  if (!entry.internal()) return mapping_.target(entry.walk);
  const mechanics::Extent& extent = entry.command.extent;
  const std::uint64_t beside = core::seeded("destage_misdirected") && extent.first.value % 16 == 8 ? extent.blocks : 0;
  return {bytes(extent.first.value + beside), bytes(extent.first.value), bytes(extent.blocks)};
}

void DataPath::content(const QueueEntry& entry, const WriteTarget& target, std::vector<std::uint8_t>& data) const {
  data.resize(target.bytes);
  if (entry.internal()) {
    buffered_.read(target.address, data.data(), data.size());
    return;
  }
  const std::uint64_t address = entry.payload->get_address();
  const std::uint64_t begin = std::max(target.address, address);
  const std::uint64_t end = std::min(target.address + target.bytes, address + entry.payload->get_data_length());
  const std::uint8_t* from = entry.payload->get_data_ptr();
  // A write without data leaves the bytes as they are.
  if (from == nullptr || end - begin < target.bytes) peek(target.address, data.data(), data.size());
  if (from != nullptr) std::memcpy(data.data() + (begin - target.address), from + (begin - address), end - begin);
}

void DataPath::write_target(const QueueEntry& entry, const WriteTarget& to) {
  const std::uint8_t* data = nullptr;
  if (media_.keeps_bytes() && !entry.internal() && entry.payload->get_data_ptr() != nullptr && covers(*entry.payload, to)) {
    data = entry.payload->get_data_ptr() + (to.address - entry.payload->get_address());
  } else if (media_.keeps_bytes()) {
    content(entry, to, content_);
    data = content_.data();
  }
  store({media_, faults_}, to.media_offset, data, to.bytes);
}

std::vector<std::uint8_t> DataPath::present(const QueueEntry& entry) const {
  std::vector<std::uint8_t> data;
  if (!media_.keeps_bytes() || entry.payload->get_data_ptr() != nullptr) return data;
  data.resize(entry.payload->get_data_length());
  peek(entry.payload->get_address(), data.data(), data.size());
  overlay_buffered(entry.payload->get_address(), data.data(), data.size());
  return data;
}

void DataPath::buffer(const QueueEntry& entry, const std::vector<std::uint8_t>& present) {
  if (!media_.keeps_bytes()) return;
  const std::uint8_t* data = entry.payload->get_data_ptr();
  if (data == nullptr) data = present.data();
  buffered_.write(entry.payload->get_address(), data, entry.payload->get_data_length());
  // The file has at any moment what a loss of power would leave, so it gets what the drive would save.
  if (media_.file() != nullptr && power_loss_.cache == profile::LostCache::Saved)
    media_.write(entry.payload->get_address(), data, entry.payload->get_data_length());
}

// --- without time ----------------------------------------------------------------------------------------------------

bool DataPath::look(const tlm::tlm_generic_payload& payload, std::uint64_t length) {
  std::uint8_t* data = payload.get_data_ptr();
  if (!media_.keeps_bytes() || data == nullptr || (!payload.is_read() && !payload.is_write())) return false;
  const std::uint64_t address = payload.get_address();
  if (payload.is_read()) {
    peek(address, data, length);
    overlay_buffered(address, data, length);  // as for a read
    return true;
  }
  mapping_.locate(address, length,
                  [&](std::uint64_t at, std::uint64_t done, std::uint64_t take) { media_.write(at, data + done, take); });
  for_each_buffered(address, length, [&](std::uint64_t from, std::uint64_t to, std::uint64_t offset) {
    buffered_.write(from, data + offset, to - from);
  });
  return true;
}

// --- loss of power ---------------------------------------------------------------------------------------------------

DurableImage DataPath::image(const std::vector<WriteUnderWay>& writing) const {
  DurableImage image{media_.copy(), {}, {}, {}};
  media::Faults faults = faults_.copy();
  image.map = apply_loss({image.media, faults}, writing);
  image.defects = faults.defects();
  return image;
}

void DataPath::lose_power(const std::vector<WriteUnderWay>& writing) { lost_map_ = apply_loss({media_, faults_}, writing); }

void DataPath::recover() {
  if (mapping_.placing() != nullptr && media_.keeps_bytes()) mapping_.placing()->mount(lost_map_);
}

void DataPath::put(const Durable& on, const WriteTarget& to, const std::uint8_t* data, WrittenBlocks::Run run) const {
  if (run.from == run.end) return;
  const std::uint64_t at = to.media_offset + bytes(run.from);
  store(on, at, on.media.keeps_bytes() ? data + bytes(run.from) : nullptr, bytes(run.end - run.from));
  on.faults.written(at / sector_bytes_, run.end - run.from, core::now_ps());
}

mapping::MapImage DataPath::apply_loss(const Durable& on, const std::vector<WriteUnderWay>& writing) const {
  mapping::MapImage map;
  if (writing.empty() && mapping_.placing() != nullptr) map = mapping_.placing()->image(nullptr, 0);
  for (const WriteUnderWay& write : writing) map = apply_write(on, *write.entry, write.so_far);
  save_buffered(on);
  return map;
}

mapping::MapImage DataPath::apply_write(const Durable& on, const QueueEntry& writing, WrittenBlocks so_far) const {
  if (power_loss_.cache == profile::LostCache::Saved && so_far.torn != WrittenBlocks::kNone) {
    // Its power lasts until the end of the sector.
    ++(so_far.torn == so_far.first.end ? so_far.first : so_far.second).end;
    so_far.torn = WrittenBlocks::kNone;
  }
  const WriteTarget to = target(writing);
  std::vector<std::uint8_t> data;
  media::Media& media = on.media;
  if (media.keeps_bytes()) content(writing, to, data);
  for (const WrittenBlocks::Run& run : {so_far.first, so_far.second}) put(on, to, data.data(), run);
  if (so_far.torn != WrittenBlocks::kNone) {
    const std::uint64_t from = bytes(so_far.torn);
    if (power_loss_.torn_sector == profile::TornSector::Unreadable && !core::seeded("torn_readable")) {
      media.tear(to.media_offset + from);
    } else if (media.keeps_bytes()) {
      const auto front = static_cast<std::size_t>(so_far.torn_share * static_cast<double>(sector_bytes_));
      media.scribble(to.media_offset + from, data.data() + from, front);
      if (core::seeded("neighbour_zeroed")) {
        const std::vector<std::uint8_t> zeros(sector_bytes_);
        media.scribble((to.media_offset + from) ^ sector_bytes_, zeros.data(), zeros.size());
      }
    }
  }
  if (mapping_.placing() == nullptr) return {};
  return mapping_.placing()->image(writing.internal() ? nullptr : &writing.walk, so_far.first.end);
}

void DataPath::save_buffered(const Durable& on) const {
  if (power_loss_.cache != profile::LostCache::Saved) return;
  std::vector<std::uint8_t> data;
  const auto save = [&](core::Lba first, core::Lba end) {
    const auto blocks = static_cast<std::uint32_t>(end.value - first.value);
    data.resize(on.media.keeps_bytes() ? bytes(blocks) : 0);
    buffered_.read(bytes(first.value), data.data(), data.size());
    if (!core::seeded("saved_in_part") || first.value % 2 == 0)
      put(on, {bytes(first.value), bytes(first.value), bytes(blocks)}, data.data(), {0, blocks});
  };
  for (const buffer::SegmentBuffer* segments : segments_) segments->for_each_dirty(save);
}

void DataPath::mount(const DurableImage& image) {
  buffered_.clear();
  if (mapping_.placing() != nullptr) mapping_.placing()->mount(image.map);
  if (media_.file() != nullptr) throw std::invalid_argument("a drive whose sectors are in a file starts from that file only");
  media_ = image.media.copy();
  faults_.set_defects(image.defects);
}

}  // namespace platter::drive
