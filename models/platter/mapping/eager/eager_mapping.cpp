// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/eager_mapping.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "platter/core/seeded_bug.h"
#include "platter/mapping/eager/ageing.h"

namespace platter::eager {

using mechanics::Extent;

EagerMapping::EagerMapping(const mechanics::AccessPlanner& planner, const EagerOptions& options, std::uint64_t seed,
                           bool keeps_headers, media::DiskFile* file)
    : MappingIf(this),
      planner_(planner),
      sector_bytes_(planner.geometry().sector_bytes()),
      layout_(planner, options.block_bytes),
      map_(layout_, options.dilution),
      search_(planner, map_, options.way_cylinders),
      file_(file) {
  map_.place_at_random(seed);
  age(map_, planner, options.ageing_turnovers, seed);
  if (!keeps_headers) return;
  headers_.emplace(layout_);
  headers_->format(map_);
  if (file_ == nullptr) return;
  bool any = false;
  file_->for_each_header([&](std::uint64_t index, const media::DiskHeader& header) {
    any = true;
    headers_->set(Place(static_cast<std::uint32_t>(index / granule())), static_cast<std::uint32_t>(index % granule()),
                  header.state == 1 ? SectorHeader{Block(header.block), header.sequence} : SectorHeader{});
  });
  if (any) next_sequence_ = headers_->recover(map_);
}

void EagerMapping::keep(Place place) const {
  if (file_ == nullptr) return;
  std::vector<media::DiskHeader> headers(granule());
  for (std::uint32_t i = 0; i < granule(); ++i) {
    const SectorHeader header = headers_->sector(place, i);
    const bool readable = header.block.value != BlockMap::kNoBlock.value;
    headers[i] = {header.sequence, header.block.value, readable ? 1u : 2u};
  }
  file_->put_headers(std::uint64_t{place.value} * granule(), headers.data(), headers.size());
}

// --- parts -----------------------------------------------------------------------------------------------------------

Extent EagerMapping::read_of(const Walk& walk) const {
  return planner_.resolve(Lba(layout_.first_sector(map_.place_of(block_of(walk))).value + walk.unit.within), walk.sectors,
                          false);
}

Extent EagerMapping::next(Walk& walk) {
  if (walk.unit.fetching) {
    walk.unit.fetching = false;
    return unplaced(granule(), true);
  }
  walk.done += walk.sectors;
  const std::uint64_t first = walk.first + walk.done;
  walk.unit.number = first / granule();
  walk.unit.within = static_cast<std::uint32_t>(first % granule());
  walk.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(granule() - walk.unit.within, walk.end() - first));
  walk.unit.fetching = walk.write && walk.sectors < granule();
  if (walk.unit.fetching) {
    ++statistics_.read_first;
    return planner_.resolve(layout_.first_sector(map_.place_of(block_of(walk))), granule(), false);
  }
  return walk.write ? unplaced(granule(), true) : read_of(walk);  // of a write, the policy says where
}

Extent EagerMapping::aim(Walk& walk, Place place, bool hidden) {
  walk.unit.place = place;
  ++statistics_.writes;
  if (hidden) ++statistics_.hidden;
  return planner_.resolve(layout_.first_sector(place), granule(), true);
}

mapping::WriteTarget EagerMapping::target(const Walk& walk) const {
  return {bytes(layout_.first_sector(walk.unit.place).value), bytes(walk.unit.number * granule()), bytes(granule())};
}

void EagerMapping::written(const Walk& walk) {
  if (headers_) {
    headers_->write(walk.unit.place, {block_of(walk), next_sequence_});
    if (!core::seeded("sequence_repeats")) ++next_sequence_;
    keep(walk.unit.place);
  }
  map_.move(block_of(walk), walk.unit.place);
}

bool EagerMapping::follow(const Walk& written, const Walk& waiting, Extent& extent) const {
  if (waiting.write || waiting.unit.number != written.unit.number) return false;
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
  if (!headers_) return {};
  BlockHeaders headers = *headers_;
  if (writing != nullptr && core::seeded("map_before_data"))
    headers.write(writing->unit.place, {block_of(*writing), next_sequence_});
  else if (writing != nullptr)
    headers.tear(writing->unit.place, sectors, {block_of(*writing), next_sequence_});
  return headers;
}

const BlockHeaders& EagerMapping::headers_in(const MapImage& image) {
  const auto* headers = std::any_cast<BlockHeaders>(&image);
  if (headers == nullptr) throw std::runtime_error("the image has no sector headers: the drive that it is of holds no data");
  return *headers;
}

void EagerMapping::mount(const MapImage& image) {
  const BlockHeaders& headers = headers_in(image);
  next_sequence_ = headers.recover(map_);
  headers_ = headers;
  headers.for_each_torn([this](Place place) { keep(place); });
}

}  // namespace platter::eager
