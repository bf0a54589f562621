// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/block_translation.h"

#include <algorithm>
#include <cstring>

#include "platter/eager/ageing.h"

namespace platter::drive {

BlockTranslation::BlockTranslation(const mechanics::AccessPlanner& planner, const eager::EagerOptions& options,
                                   std::uint64_t seed, Media* media)
    : planner_(planner),
      sector_bytes_(planner.geometry().sector_bytes()),
      layout_(planner, options.block_bytes),
      map_(layout_, options.dilution),
      search_(planner, map_, options.way_cylinders),
      media_(media) {
  map_.place_at_random(seed);
  eager::age(map_, planner, options.ageing_turnovers, seed);
  if (media_ == nullptr) return;
  headers_.emplace(layout_);
  headers_->format(map_);
  block_.resize(options.block_bytes);
}

// --- parts -----------------------------------------------------------------------------------------------------------

void BlockTranslation::set_part(Slot& slot, std::uint32_t done) {
  const std::uint64_t first = slot.first() + done;
  const auto within = static_cast<std::uint32_t>(first % block_sectors());
  Part& part = slot.part;
  part.done = done;
  part.block = eager::Block(static_cast<std::uint32_t>(first / block_sectors()));
  part.within = within;
  part.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_sectors() - within, slot.end() - first));
  const core::Lba at = layout_.first_sector(map_.place_of(part.block));
  part.fetching = slot.asked.write() && part.sectors < block_sectors();
  if (part.fetching) {
    ++statistics_.read_first;
    slot.command.extent = planner_.resolve(at, block_sectors(), false);
  } else if (slot.asked.write()) {
    slot.command.extent = {};  // the policy says where
    slot.command.extent.blocks = block_sectors();
    slot.command.extent.write = true;
  } else {
    slot.command.extent = planner_.resolve(core::Lba(at.value + within), part.sectors, false);
  }
}

bool BlockTranslation::advance(Slot& slot) {
  if (slot.part.fetching) {
    slot.part.fetching = false;
    slot.command.extent = {};
    slot.command.extent.blocks = block_sectors();
    slot.command.extent.write = true;
    return true;
  }
  if (last(slot)) return false;
  set_part(slot, slot.part.done + slot.part.sectors);
  return true;
}

void BlockTranslation::aim(Slot& slot, eager::Place place, bool hidden) {
  slot.part.place = place;
  slot.command.extent = planner_.resolve(layout_.first_sector(place), block_sectors(), true);
  ++statistics_.writes;
  if (hidden) ++statistics_.hidden;
}

void BlockTranslation::commit(const Slot& slot, HazardQueue& queue) {
  const Part& part = slot.part;
  if (media_ != nullptr) {
    merge(slot, block_);
    media_->write(bytes(layout_.first_sector(part.place).value), block_.data(), block_.size());
    headers_->write(part.place, {part.block, next_sequence_++});
  }
  map_.move(part.block, part.place);
  for (Slot& other : queue.slots())
    if (other.stage == Stage::Queued && !other.asked.write() && other.part.block == part.block)
      other.command.extent = planner_.resolve(
          core::Lba(layout_.first_sector(part.place).value + other.part.within), other.part.sectors, false);
}

// --- bytes -----------------------------------------------------------------------------------------------------------

template <typename Visit>
void BlockTranslation::for_each_piece(std::uint64_t address, std::uint64_t length, Visit visit) const {
  const std::uint64_t block_bytes = bytes(block_sectors());
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t within = (address + done) % block_bytes;
    const std::uint64_t take = std::min(block_bytes - within, length - done);
    const eager::Block block(static_cast<std::uint32_t>((address + done) / block_bytes));
    visit(bytes(layout_.first_sector(map_.place_of(block)).value) + within, done, take);
    done += take;
  }
}

void BlockTranslation::merge(const Slot& slot, std::vector<std::uint8_t>& block) const {
  const Part& part = slot.part;
  const std::uint8_t* data = slot.payload->get_data_ptr();
  // A write without data leaves the bytes as they are.
  if (part.sectors < block_sectors() || data == nullptr)
    media_->read(bytes(layout_.first_sector(map_.place_of(part.block)).value), block.data(), block.size());
  if (data != nullptr) std::memcpy(block.data() + bytes(part.within), data + bytes(part.done), bytes(part.sectors));
}

void BlockTranslation::read_bytes(const Slot& slot) const {
  std::uint8_t* data = slot.payload->get_data_ptr();
  if (media_ == nullptr || data == nullptr) return;
  const Part& part = slot.part;
  media_->read(bytes(slot.command.extent.first.value), data + bytes(part.done), bytes(part.sectors));
}

void BlockTranslation::peek(std::uint64_t address, std::uint8_t* data, std::uint64_t length) const {
  for_each_piece(address, length, [&](std::uint64_t at, std::uint64_t done, std::uint64_t take) {
    media_->read(at, data + done, take);
  });
}

void BlockTranslation::poke(std::uint64_t address, const std::uint8_t* data, std::uint64_t length) {
  for_each_piece(address, length, [&](std::uint64_t at, std::uint64_t done, std::uint64_t take) {
    media_->write(at, data + done, take);
  });
}

// --- power loss ------------------------------------------------------------------------------------------------------

MediaImage BlockTranslation::image(const Slot* writing, std::uint32_t sectors) const {
  MediaImage image{media_->bytes().copy(), *headers_};
  if (writing == nullptr) return image;
  const Part& part = writing->part;
  std::vector<std::uint8_t> block(block_.size());
  merge(*writing, block);
  image.bytes.write(bytes(layout_.first_sector(part.place).value), block.data(), bytes(sectors));
  image.headers.tear(part.place, sectors, {part.block, next_sequence_});
  return image;
}

void BlockTranslation::mount(const MediaImage& image) {
  next_sequence_ = image.headers.recover(map_);
  headers_ = image.headers;
  media_->bytes() = image.bytes.copy();
}

}  // namespace platter::drive
