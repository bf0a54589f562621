// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace platter::media {

/// What a disk file belongs to. DiskFile compares all of it with the file. Drive refuses a file whose `sectors`, `sector_bytes`, `torn_together`,
/// `block_bytes`, `headers` or `zones` are not its own; it does not check the others.
///
/// A program fills it before it constructs the drive: from its DriveConfig, and from the geometry (`AccessPlanner(profile).geometry()`).
struct DiskIdentity {
  std::string drive;  ///< DriveProfile::name; at most 63 bytes count
  /// A number of the program's choice. Two drives with different geometries, or different settings of their zones, must have different numbers.
  /// `platter serve` has a digest of these values here, so it refuses the file of a program that has another number.
  std::uint64_t layout = 0;
  std::uint64_t sectors = 0;        ///< of the media: Geometry::block_count()
  std::uint32_t sector_bytes = 0;   ///< of each: Geometry::sector_bytes()
  std::uint32_t torn_together = 1;  ///< sectors of a physical sector: Geometry::blocks_per_physical_sector()
  std::uint32_t number = 0;         ///< of the drive in its array, from 0
  // Of a mapping that keeps a header with each sector (eager writing):
  std::uint32_t block_bytes = 0;  ///< EagerOptions::block_bytes; 0: there are no headers
  std::uint64_t headers = 0;      ///< number of headers: as many as sectors; 0 without eager writing
  std::uint64_t seed = 0;         ///< of the first placement: DriveConfig::seed; 0 without eager writing
  /// Number of all zones of a drive with zones: `sectors` / sectors of a zone, rounded up. 0: it has none.
  std::uint32_t zones = 0;
};

/// What the mapping keeps with a sector.
struct DiskHeader {
  std::uint64_t sequence = 0;  ///< number of the write
  std::uint32_t block = 0;     ///< the host's block
  std::uint32_t state = 0;     ///< 0: as at the first placement; 1: `block` and `sequence`; 2: unreadable
};

/// What a zone keeps.
struct DiskZone {
  std::uint64_t written = 0;    ///< sectors from its start to its write pointer
  std::uint32_t condition = 0;  ///< as ZBC numbers it; 0: as at the construction
  std::uint32_t flags = 0;      ///< 1: it was written out of order
};

/// A sector of the tracks' spares that has taken the place of a physical sector.
struct DiskSpare {
  std::uint64_t sector = 0;  ///< physical sector, by number
  std::uint32_t track = 0;   ///< where its spare is
  std::uint32_t place = 0;   ///< on that track
};

/// The durable state of a drive in a file: the bytes of its sectors from the file's start on, and behind them a trailer with the drive's identity,
/// a bit for each sector that cannot be read, the mapping's headers, the state of the zones, and what the drive knows of its defects.
/// docs/reference/power_loss.md describes the format.
///
/// Every change is written with pwrite() when it becomes durable, so the file is complete whenever the process ends, also by SIGKILL. A write is in
/// the order bytes, then bits or headers. While the object lives it holds a lock (flock) on the file.
class DiskFile {
 public:
  /// Opens the file, or creates it if it is absent: sparse, all zeros. Throws core::InputError for a file that cannot be opened, that another
  /// process uses, that is cut short, or that belongs to another drive.
  DiskFile(std::filesystem::path file, const DiskIdentity& identity);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  /// The path.
  const std::filesystem::path& file() const { return file_; }
  /// As the constructor got it.
  const DiskIdentity& identity() const { return identity_; }

  // Each throws core::SimulationError if the file cannot be read or written. Precondition: what it reads or writes is of the drive.
  /// Reads bytes of the sectors.
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const;
  /// Writes bytes of the sectors.
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t length);
  /// Writes the bit of a sector.
  void set_unreadable(std::uint64_t sector, bool unreadable);
  /// Calls `visit` with every sector that cannot be read.
  void for_each_unreadable(const std::function<void(std::uint64_t sector)>& visit) const;
  /// Writes `count` headers from `index` on.
  void put_headers(std::uint64_t index, const DiskHeader* headers, std::size_t count);
  /// Calls `visit` with every header that was ever put.
  void for_each_header(const std::function<void(std::uint64_t index, const DiskHeader& header)>& visit) const;
  /// Writes the records of `count` zones from `index` on.
  void put_zones(std::uint64_t index, const DiskZone* zones, std::size_t count);
  /// Calls `visit` with every record whose condition is not 0.
  void for_each_zone(const std::function<void(std::uint64_t index, const DiskZone& zone)>& visit) const;
  /// These bytes of the sectors are zero from now on.
  void discard(std::uint64_t offset, std::uint64_t length);
  /// Writes the first `count` counters of errors. Allocates no memory. Precondition: `count` is at most 512.
  void put_counters(const std::uint64_t* counters, std::size_t count);
  /// The first `count` of them; 0 what was never put.
  std::vector<std::uint64_t> counters(std::size_t count) const;
  /// Writes the bit of a physical sector: it could not be read, and has not been written since.
  void set_pending(std::uint64_t physical, bool pending);
  /// Calls `visit` with every such physical sector.
  void for_each_pending(const std::function<void(std::uint64_t physical)>& visit) const;
  /// Writes the spare with this number. Precondition: `number` is less than the number of physical sectors.
  void put_spare(std::uint64_t number, const DiskSpare& spare);
  /// The spares, by their numbers. Throws core::InputError if one replaces a physical sector that the drive does not have, or that has one already.
  std::vector<DiskSpare> spares() const;
  /// Calls `visit` with every range of bytes that may have a byte that is not zero.
  void for_each_data(const std::function<void(std::uint64_t offset, std::uint64_t length)>& visit) const;
  /// Returns when the disk of the machine has everything.
  void sync();

 private:
  void create(const std::vector<std::uint8_t>& trailer);
  void open_locked();
  /// Returns the version of the format.
  std::uint32_t check(const std::vector<std::uint8_t>& trailer) const;
  /// Makes a file of version 1 one of the present version.
  void add_defects(const std::vector<std::uint8_t>& trailer);
  void set_bit(std::uint64_t bits, std::uint64_t number, bool value);
  void for_each_bit(std::uint64_t bits, std::uint64_t count, const std::function<void(std::uint64_t number)>& visit) const;
  void write_at(std::uint64_t at, const void* data, std::size_t length);
  void read_at(std::uint64_t at, void* data, std::size_t length) const;
  /// Calls `visit` with the ranges of [from, to) that are no holes.
  void for_each_extent(std::uint64_t from, std::uint64_t to,
                       const std::function<void(std::uint64_t at, std::uint64_t length)>& visit) const;

  std::filesystem::path file_;
  DiskIdentity identity_;
  std::uint64_t data_bytes_;
  std::uint64_t trailer_;
  std::uint64_t bits_;
  std::uint64_t headers_;
  std::uint64_t zones_;
  std::uint64_t counters_;
  std::uint64_t physical_;  ///< number of physical sectors
  std::uint64_t pending_;
  std::uint64_t spares_;
  std::uint64_t size_;
  int fd_ = -1;
};

}  // namespace platter::media
