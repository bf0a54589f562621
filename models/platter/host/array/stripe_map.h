// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace platter::host::array {

/// A part of an array's address space with its own map. Areas follow each other in the array. On the drives, an area begins
/// after the last byte that an earlier area has on any of its drives, or at a given address.
struct StripeArea {
  std::uint64_t bytes = 0;            ///< size for the host, a multiple of the unit; must be set
  std::uint64_t unit_bytes = 65'536;  ///< of the stripe unit, a multiple of the sector
  std::uint32_t first_drive = 0;      ///< number of its first drive
  std::uint32_t drives = 0;           ///< number of its drives; 0: all from `first_drive` on
  bool mirrored = false;              ///< each unit has a backup on another drive of the area
  bool cached = false;                ///< its reads go through the array's block cache
  std::int64_t at = -1;  ///< address on its drives at which it begins, a multiple of the sector; -1: after earlier areas
  /// Number of rows of an area with `units` units over `drives` drives.
  static std::uint64_t rows_of(std::uint64_t units, std::uint32_t drives) { return (units + drives - 1) / drives; }
};

/// Most bytes of a unit of a mirrored area, because a rebuild holds a whole unit in memory.
inline constexpr std::uint64_t kMaxMirroredUnitBytes = std::uint64_t{64} << 20;

/// Location of a unit's copy.
struct UnitPlace {
  std::uint32_t drive = 0;     ///< number of the drive
  std::uint64_t address = 0;   ///< bytes on the drive
  std::uint64_t physical = 0;  ///< the drive's units are numbered from 0, area by area, primary copies first
};

/// The logical unit of which a drive's physical unit is a copy.
struct UnitCopy {
  std::uint64_t unit = 0;  ///< number of the unit, over all areas
  std::uint32_t copy = 0;  ///< 0: the primary one; 1: the backup
};

/// Striping: unit u of an area over n drives is row u / n of drive u mod n. The backup of row r of drive p is row r of the
/// backups on drive (p + 1 + r mod (n - 1)) mod n. This is the rotated list of Anastasiadis et al. (section 3.1): the n - 1
/// other drives share the load of a failed drive. Units are numbered over all areas.
class StripeMap {
 public:
  /// Throws std::invalid_argument, with the area's number, for areas that do not fit the drives.
  StripeMap(std::uint32_t drives, std::uint64_t drive_bytes, std::uint32_t sector_bytes, std::vector<StripeArea> areas);

  /// An area, and where it lies.
  struct Area : StripeArea {
    std::uint64_t begin = 0;                             ///< address of its first byte in the array
    std::uint64_t first_unit = 0;                        ///< number of its first unit
    std::uint64_t rows = 0;                              ///< units of one copy on each drive
    std::uint64_t drive_begin = 0;                       ///< address of its first row on each drive
    std::uint64_t first_physical = 0;                    ///< number of its first physical unit on each drive
    std::uint64_t end() const { return begin + bytes; }  ///< address after its last byte
    std::uint64_t drive_end() const { return drive_begin + rows * copies() * unit_bytes; }  ///< the same on each drive
    std::uint32_t copies() const { return mirrored ? 2 : 1; }                               ///< of each unit
  };

  std::uint64_t capacity_bytes() const { return areas_.back().end(); }  ///< of all areas
  /// Number of units of all areas.
  std::uint64_t units() const { return areas_.back().first_unit + areas_.back().bytes / areas_.back().unit_bytes; }
  /// Physical units of each drive.
  std::uint64_t physical_units() const { return physical_units_; }
  const std::vector<Area>& areas() const { return areas_; }  ///< in the order of their addresses

  /// The area of an address. Precondition: `address` is below the capacity.
  const Area& area_at(std::uint64_t address) const;
  /// The area of a unit. Precondition: `unit` is below units().
  const Area& area_of_unit(std::uint64_t unit) const;
  /// The unit of an address of the area.
  std::uint64_t unit_at(const Area& area, std::uint64_t address) const {
    return area.first_unit + (address - area.begin) / area.unit_bytes;
  }
  /// The address of a unit of the area.
  std::uint64_t address_of(const Area& area, std::uint64_t unit) const {
    return area.begin + (unit - area.first_unit) * area.unit_bytes;
  }
  /// Where a copy of a unit is. Copy 0 is the primary one.
  UnitPlace place(const Area& area, std::uint64_t unit, std::uint32_t copy) const;
  /// The inverse of `place`; returns false if the drive has no unit of that number.
  bool unit_of(std::uint32_t drive, std::uint64_t physical, UnitCopy& found) const;

 private:
  std::vector<Area> areas_;
  std::uint64_t physical_units_ = 0;
};

}  // namespace platter::host::array
