// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/stripe_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace platter::host::array {

namespace {

bool shares_bytes(const StripeMap::Area& a, const StripeMap::Area& b) {
  return a.first_drive < b.first_drive + b.drives && b.first_drive < a.first_drive + a.drives &&
         a.drive_begin < b.drive_end() && b.drive_begin < a.drive_end();
}

}  // namespace

StripeMap::StripeMap(std::uint32_t drives, std::uint64_t drive_bytes, std::uint32_t sector_bytes,
                     std::vector<StripeArea> areas) {
  if (drives == 0 || areas.empty() || sector_bytes == 0)
    throw std::invalid_argument("an array needs a drive, an area and a sector size");
  std::uint64_t begin = 0;
  std::uint64_t first_unit = 0;
  std::vector<std::uint64_t> used(drives, 0);  // bytes of each drive
  for (std::size_t i = 0; i < areas.size(); ++i) {
    Area area;
    static_cast<StripeArea&>(area) = areas[i];
    const auto refuse = [i](const std::string& why) { throw std::invalid_argument(fmt::format("area {}: {}", i, why)); };
    if (area.first_drive >= drives) refuse(fmt::format("first drive {} of {}", area.first_drive, drives));
    if (area.drives == 0) area.drives = drives - area.first_drive;
    if (area.drives > drives - area.first_drive)
      refuse(fmt::format("drives {} to {} of {}", area.first_drive, area.first_drive + area.drives - 1, drives));
    if (area.unit_bytes == 0 || area.unit_bytes % sector_bytes != 0)
      refuse(fmt::format("a unit of {} bytes is no whole number of sectors of {}", area.unit_bytes, sector_bytes));
    if (area.unit_bytes > drive_bytes / area.copies())
      refuse(fmt::format("a unit of {} bytes, expected at most {}, so that a drive of {} bytes holds {}", area.unit_bytes,
                         drive_bytes / area.copies(), drive_bytes, area.mirrored ? "two" : "one"));
    if (area.bytes == 0 || area.bytes % area.unit_bytes != 0)
      refuse(fmt::format("{} bytes are no whole number of units of {}", area.bytes, area.unit_bytes));
    if (area.mirrored && area.drives < 2) refuse("a mirrored area needs two drives");
    if (area.mirrored && area.unit_bytes > kMaxMirroredUnitBytes)
      refuse(fmt::format("a unit of {} bytes, expected at most {} in a mirrored area", area.unit_bytes, kMaxMirroredUnitBytes));
    area.begin = begin;
    area.first_unit = first_unit;
    const std::uint64_t units = area.bytes / area.unit_bytes;
    area.rows = StripeArea::rows_of(units, area.drives);
    const auto first = used.begin() + area.first_drive;
    const auto last = first + area.drives;
    area.drive_begin = area.at < 0 ? *std::max_element(first, last) : static_cast<std::uint64_t>(area.at);
    if (area.drive_begin % sector_bytes != 0 || area.drive_begin > drive_bytes)
      refuse(fmt::format("it cannot begin at byte {} of a drive of {} with sectors of {}", area.drive_begin, drive_bytes,
                         sector_bytes));
    area.first_physical = physical_units_;
    begin += area.bytes;
    first_unit += units;
    physical_units_ += area.rows * area.copies();
    const std::uint64_t left = drive_bytes - area.drive_begin;
    if (area.rows > left / area.unit_bytes / area.copies())
      refuse(fmt::format("{} rows of {} bytes, {} copies, do not fit into the {} bytes that are left of a drive", area.rows,
                         area.unit_bytes, area.copies(), left));
    for (std::size_t j = 0; j < areas_.size(); ++j)
      if (shares_bytes(area, areas_[j])) refuse(fmt::format("it overlaps area {} on a drive", j));
    for (auto end = first; end != last; ++end) *end = std::max(*end, area.drive_end());
    areas_.push_back(area);
  }
}

const StripeMap::Area& StripeMap::area_at(std::uint64_t address) const {
  auto area = areas_.begin();
  while (address >= area->end()) ++area;
  return *area;
}

const StripeMap::Area& StripeMap::area_of_unit(std::uint64_t unit) const {
  auto area = areas_.end() - 1;
  while (unit < area->first_unit) --area;
  return *area;
}

UnitPlace StripeMap::place(const Area& area, std::uint64_t unit, std::uint32_t copy) const {
  const std::uint64_t index = unit - area.first_unit;
  const std::uint64_t row = index / area.drives;
  std::uint64_t drive = index % area.drives;
  if (copy != 0) drive = (drive + 1 + row % (area.drives - 1)) % area.drives;
  const std::uint64_t row_of_copy = copy * area.rows + row;
  return {area.first_drive + static_cast<std::uint32_t>(drive), area.drive_begin + row_of_copy * area.unit_bytes,
          area.first_physical + row_of_copy};
}

bool StripeMap::unit_of(std::uint32_t drive, std::uint64_t physical, UnitCopy& found) const {
  auto area = areas_.end() - 1;
  while (physical < area->first_physical) --area;
  if (drive < area->first_drive || drive >= area->first_drive + area->drives) return false;
  const std::uint64_t within = physical - area->first_physical;
  found.copy = static_cast<std::uint32_t>(within / area->rows);
  const std::uint64_t row = within % area->rows;
  std::uint64_t primary = drive - area->first_drive;
  if (found.copy != 0) primary = (primary + 2 * std::uint64_t{area->drives} - 1 - row % (area->drives - 1)) % area->drives;
  const std::uint64_t index = row * area->drives + primary;
  found.unit = area->first_unit + index;
  return found.copy < area->copies() && index < area->bytes / area->unit_bytes;
}

}  // namespace platter::host::array
