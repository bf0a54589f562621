// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/eager_mapping.h"

#include <algorithm>
#include <stdexcept>

#include "platter/mapping/eager/ageing.h"

namespace platter::eager {

using mechanics::Extent;

EagerMapping::EagerMapping(const mechanics::AccessPlanner& planner, const EagerOptions& options, std::uint64_t seed,
                           bool keeps_headers)
    : planner_(planner),
      sector_bytes_(planner.geometry().sector_bytes()),
      layout_(planner, options.block_bytes),
      map_(layout_, options.dilution),
      search_(planner, map_, options.way_cylinders) {
  map_.place_at_random(seed);
  age(map_, planner, options.ageing_turnovers, seed);
  if (!keeps_headers) return;
  headers_.emplace(layout_);
  headers_->format(map_);
}

// --- parts -----------------------------------------------------------------------------------------------------------

Extent EagerMapping::read_of(const Walk& walk) const {
  return planner_.resolve(Lba(layout_.first_sector(map_.place_of(walk.unit)).value + walk.within), walk.sectors, false);
}

Extent EagerMapping::part(Walk& walk, std::uint32_t done) {
  const std::uint64_t first = walk.first + done;
  walk.done = done;
  walk.unit = Block(static_cast<std::uint32_t>(first / granule()));
  walk.within = static_cast<std::uint32_t>(first % granule());
  walk.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(granule() - walk.within, walk.end() - first));
  walk.fetching = walk.write && walk.sectors < granule();
  if (walk.fetching) {
    ++statistics_.read_first;
    return planner_.resolve(layout_.first_sector(map_.place_of(walk.unit)), granule(), false);
  }
  return walk.write ? unplaced(granule(), true) : read_of(walk);  // of a write, the policy says where
}

bool EagerMapping::next(Walk& walk, Extent& extent) {
  if (walk.fetching) {
    walk.fetching = false;
    extent = unplaced(granule(), true);
    return true;
  }
  if (last(walk)) return false;
  extent = part(walk, walk.done + walk.sectors);
  return true;
}

Extent EagerMapping::aim(Walk& walk, Place place, bool hidden) {
  walk.place = place;
  ++statistics_.writes;
  if (hidden) ++statistics_.hidden;
  return planner_.resolve(layout_.first_sector(place), granule(), true);
}

mapping::WriteTarget EagerMapping::target(const Walk& walk) const {
  return {bytes(layout_.first_sector(walk.place).value), bytes(std::uint64_t{walk.unit.value} * granule()), bytes(granule())};
}

void EagerMapping::written(const Walk& walk) {
  if (headers_) headers_->write(walk.place, {walk.unit, next_sequence_++});
  map_.move(walk.unit, walk.place);
}

bool EagerMapping::follow(const Walk& written, const Walk& waiting, Extent& extent) const {
  if (waiting.write || waiting.unit != written.unit) return false;
  extent = read_of(waiting);
  return true;
}

void EagerMapping::locate(std::uint64_t address, std::uint64_t length, const VisitPiece& visit) const {
  const std::uint64_t block_bytes = bytes(granule());
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t within = (address + done) % block_bytes;
    const std::uint64_t take = std::min(block_bytes - within, length - done);
    const Block block(static_cast<std::uint32_t>((address + done) / block_bytes));
    visit(bytes(layout_.first_sector(map_.place_of(block)).value) + within, done, take);
    done += take;
  }
}

// --- power loss ------------------------------------------------------------------------------------------------------

MapImage EagerMapping::image(const Walk* writing, std::uint32_t sectors) const {
  MapImage image{headers_};
  if (writing != nullptr && image.headers) image.headers->tear(writing->place, sectors, {writing->unit, next_sequence_});
  return image;
}

void EagerMapping::mount(const MapImage& image) {
  if (!image.headers) throw std::runtime_error("the image has no sector headers: the drive that it is of holds no data");
  next_sequence_ = image.headers->recover(map_);
  headers_ = image.headers;
}

}  // namespace platter::eager
