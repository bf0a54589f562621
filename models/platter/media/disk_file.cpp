// SPDX-License-Identifier: Apache-2.0
#include "platter/media/disk_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "platter/core/error.h"

namespace platter::media {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kVersionWithoutDefects = 1;
constexpr std::array<char, 8> kMagic = {'P', 'L', 'A', 'T', 'D', 'I', 'S', 'K'};
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kZoneBytes = 16;
constexpr std::size_t kSpareBytes = 16;

// Offsets in the trailer's first page; numbers are little-endian.
constexpr std::size_t kAtVersion = 8;
constexpr std::size_t kAtSectorBytes = 12;
constexpr std::size_t kAtSectors = 16;
constexpr std::size_t kAtTornTogether = 24;
constexpr std::size_t kAtNumber = 28;
constexpr std::size_t kAtLayout = 32;
constexpr std::size_t kAtBlockBytes = 40;
constexpr std::size_t kAtZones = 44;
constexpr std::size_t kAtHeaders = 48;
constexpr std::size_t kAtSeed = 56;
constexpr std::size_t kAtDrive = 64;
constexpr std::size_t kDriveBytes = 64;
constexpr std::size_t kAtCheck = 128;
constexpr std::size_t kChecked = kAtCheck;

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

template <typename Number>
void put(std::uint8_t* at, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) at[i] = static_cast<std::uint8_t>(std::uint64_t{number} >> (8 * i));
}
template <typename Number>
Number get(const std::uint8_t* at) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) number |= std::uint64_t{at[i]} << (8 * i);
  return static_cast<Number>(number);
}

/// FNV-1a.
std::uint64_t digest(const std::uint8_t* data, std::size_t length) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i < length; ++i) hash = (hash ^ data[i]) * 0x100000001B3u;
  return hash;
}

std::vector<std::uint8_t> trailer_of(const DiskIdentity& identity) {
  std::vector<std::uint8_t> page(kPage);
  std::memcpy(page.data(), kMagic.data(), kMagic.size());
  put(page.data() + kAtVersion, kVersion);
  put(page.data() + kAtSectorBytes, identity.sector_bytes);
  put(page.data() + kAtSectors, identity.sectors);
  put(page.data() + kAtTornTogether, identity.torn_together);
  put(page.data() + kAtNumber, identity.number);
  put(page.data() + kAtLayout, identity.layout);
  put(page.data() + kAtBlockBytes, identity.block_bytes);
  put(page.data() + kAtZones, identity.zones);
  put(page.data() + kAtHeaders, identity.headers);
  put(page.data() + kAtSeed, identity.seed);
  std::memcpy(page.data() + kAtDrive, identity.drive.data(), std::min(identity.drive.size(), kDriveBytes - 1));
  put(page.data() + kAtCheck, digest(page.data(), kChecked));
  return page;
}

}  // namespace

DiskFile::DiskFile(std::filesystem::path file, const DiskIdentity& identity)
    : file_(std::move(file)),
      identity_(identity),
      data_bytes_(identity.sectors * identity.sector_bytes),
      trailer_(whole_pages(data_bytes_)),
      bits_(trailer_ + kPage),
      headers_(bits_ + whole_pages((identity.sectors + 7) / 8)),
      zones_(headers_ + whole_pages(identity.headers * kHeaderBytes)),
      counters_(zones_ + whole_pages(identity.zones * kZoneBytes)),
      physical_((identity.sectors + identity.torn_together - 1) / identity.torn_together),
      pending_(counters_ + kPage),
      spares_(pending_ + whole_pages((physical_ + 7) / 8)),
      size_(spares_ + whole_pages(physical_ * kSpareBytes)) {
  const std::vector<std::uint8_t> trailer = trailer_of(identity);
  try {
    std::error_code ignored;
    if (!std::filesystem::exists(file_, ignored)) create(trailer);
    open_locked();
    if (check(trailer) == kVersionWithoutDefects) add_defects(trailer);
  } catch (...) {
    if (fd_ >= 0) close(fd_);
    throw;
  }
}

DiskFile::~DiskFile() { close(fd_); }

/// The file appears under its name when it is complete.
void DiskFile::create(const std::vector<std::uint8_t>& trailer) {
  const std::string made = fmt::format("{}.{}.new", file_.string(), getpid());
  const auto fail = [&](const char* what) {
    const std::string why = std::strerror(errno);
    unlink(made.c_str());
    throw core::InputError(file_, 0, 0, fmt::format("{}: {}", what, why));
  };
  const int fd = open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) fail("cannot be created");
  const bool written =
      ftruncate(fd, static_cast<off_t>(size_)) == 0 &&
      pwrite(fd, trailer.data(), trailer.size(), static_cast<off_t>(trailer_)) == static_cast<ssize_t>(trailer.size()) &&
      fsync(fd) == 0;
  const int error = errno;
  close(fd);
  errno = error;
  if (!written) fail("cannot be created");
  // Unlike rename() this leaves a file alone that another process has created meanwhile.
  if (link(made.c_str(), file_.c_str()) != 0 && errno != EEXIST) fail("cannot be created");
  unlink(made.c_str());
}

void DiskFile::open_locked() {
  fd_ = open(file_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) throw core::InputError(file_, 0, 0, std::strerror(errno));
  struct stat kind{};
  if (fstat(fd_, &kind) != 0) throw core::InputError(file_, 0, 0, std::strerror(errno));
  if (!S_ISREG(kind.st_mode)) throw core::InputError(file_, 0, 0, "expected a regular file");
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
    throw core::InputError(file_, 0, 0,
                           errno == EWOULDBLOCK ? "another device or process uses this disk" : std::strerror(errno));
}

void DiskFile::add_defects(const std::vector<std::uint8_t>& trailer) {
  // In this order: a file of version 1 may have either size.
  if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) throw core::InputError(file_, 0, 0, std::strerror(errno));
  write_at(trailer_, trailer.data(), trailer.size());
}

std::uint32_t DiskFile::check(const std::vector<std::uint8_t>& trailer) const {
  const auto refuse = [this](const std::string& text) { throw core::InputError(file_, 0, 0, text); };
  struct stat kind{};
  if (fstat(fd_, &kind) != 0) refuse(std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(kind.st_size);
  std::vector<std::uint8_t> found(kPage);
  const bool there = size >= trailer_ + kPage;
  if (there) read_at(trailer_, found.data(), found.size());
  if (!there || std::memcmp(found.data(), kMagic.data(), kMagic.size()) != 0)
    refuse(size < size_ ? fmt::format("found {} bytes and no trailer, expected the {} bytes of a disk of this drive: it is cut "
                                      "short, or of another drive",
                                      size, size_)
                        : "found no trailer of a disk at the end of the drive's bytes: it is no disk of `platter serve "
                          "--disk`, or of another drive");
  if (get<std::uint64_t>(found.data() + kAtCheck) != digest(found.data(), kChecked)) refuse("the trailer is damaged");
  const auto version = get<std::uint32_t>(found.data() + kAtVersion);
  if (version != kVersion && version != kVersionWithoutDefects)
    refuse(fmt::format("found version {} of the format, expected {}", version, kVersion));
  const auto same = [&](const char* what, std::size_t at, auto expected) {
    const auto has = get<decltype(expected)>(found.data() + at);
    if (has != expected) refuse(fmt::format("the disk of another drive: found {} {}, expected {}", what, has, expected));
  };
  const std::string name(reinterpret_cast<const char*>(found.data() + kAtDrive), kDriveBytes);
  const std::string expected(reinterpret_cast<const char*>(trailer.data() + kAtDrive), kDriveBytes);
  if (name != expected)
    refuse(fmt::format("the disk of another drive: found \"{}\", expected \"{}\"", name.c_str(), expected.c_str()));
  same("sector size", kAtSectorBytes, identity_.sector_bytes);
  same("number of sectors", kAtSectors, identity_.sectors);
  same("sectors of a physical sector", kAtTornTogether, identity_.torn_together);
  same("number of the drive in its array", kAtNumber, identity_.number);
  same("digest of the geometry", kAtLayout, identity_.layout);
  same("eager block size", kAtBlockBytes, identity_.block_bytes);
  same("number of zones", kAtZones, identity_.zones);
  same("number of headers", kAtHeaders, identity_.headers);
  same("seed of the first placement", kAtSeed, identity_.seed);
  if (size != size_ && !(version == kVersionWithoutDefects && size == counters_))
    refuse(fmt::format("found {} bytes, expected {}: it is cut short", size, size_));
  return version;
}

// --- bytes -------------------------------------------------------------------------------------------------------------

void DiskFile::write_at(std::uint64_t at, const void* data, std::size_t length) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (length > 0) {
    const ssize_t n = pwrite(fd_, from, length, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw core::SimulationError(fmt::format("{}: {}", file_.string(), std::strerror(errno)));
    from += n;
    at += static_cast<std::uint64_t>(n);
    length -= static_cast<std::size_t>(n);
  }
}

void DiskFile::read_at(std::uint64_t at, void* data, std::size_t length) const {
  auto* to = static_cast<std::uint8_t*>(data);
  while (length > 0) {
    const ssize_t n = pread(fd_, to, length, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw core::SimulationError(
          fmt::format("{}: {}", file_.string(), n == 0 ? "the file has become shorter" : std::strerror(errno)));
    to += n;
    at += static_cast<std::uint64_t>(n);
    length -= static_cast<std::size_t>(n);
  }
}

void DiskFile::read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const { read_at(offset, data, length); }

void DiskFile::write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) { write_at(offset, data, length); }

void DiskFile::for_each_extent(std::uint64_t from, std::uint64_t to,
                               const std::function<void(std::uint64_t at, std::uint64_t length)>& visit) const {
  for (std::uint64_t at = from; at < to;) {
    const off_t data = lseek(fd_, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;
    if (data < 0) {  // a file system that does not know
      visit(at, to - at);
      return;
    }
    at = static_cast<std::uint64_t>(data);
    if (at >= to) return;
    const off_t hole = lseek(fd_, data, SEEK_HOLE);
    const std::uint64_t end = std::min(hole < 0 ? to : static_cast<std::uint64_t>(hole), to);
    visit(at, end - at);
    at = end;
  }
}

void DiskFile::for_each_data(const std::function<void(std::uint64_t offset, std::uint64_t length)>& visit) const {
  for_each_extent(0, data_bytes_, visit);
}

void DiskFile::sync() {
  if (fsync(fd_) != 0) throw core::SimulationError(fmt::format("{}: {}", file_.string(), std::strerror(errno)));
}

// --- trailer -----------------------------------------------------------------------------------------------------------

void DiskFile::set_bit(std::uint64_t bits, std::uint64_t number, bool value) {
  const std::uint64_t at = bits + number / 8;
  std::uint8_t byte = 0;
  read_at(at, &byte, 1);
  const auto bit = static_cast<std::uint8_t>(1u << (number % 8));
  byte = static_cast<std::uint8_t>(value ? byte | bit : byte & ~bit);
  write_at(at, &byte, 1);
}

void DiskFile::set_unreadable(std::uint64_t sector, bool unreadable) { set_bit(bits_, sector, unreadable); }

void DiskFile::set_pending(std::uint64_t physical, bool pending) { set_bit(pending_, physical, pending); }

void DiskFile::for_each_unreadable(const std::function<void(std::uint64_t sector)>& visit) const {
  for_each_bit(bits_, identity_.sectors, visit);
}

void DiskFile::for_each_pending(const std::function<void(std::uint64_t physical)>& visit) const {
  for_each_bit(pending_, physical_, visit);
}

void DiskFile::for_each_bit(std::uint64_t first, std::uint64_t count,
                            const std::function<void(std::uint64_t number)>& visit) const {
  for_each_extent(first, first + (count + 7) / 8, [&](std::uint64_t at, std::uint64_t length) {
    std::vector<std::uint8_t> bits(kPage);
    for (const std::uint64_t end = at + length; at < end; at += bits.size()) {
      bits.resize(std::min<std::uint64_t>(kPage, end - at));
      read_at(at, bits.data(), bits.size());
      for (std::size_t i = 0; i < bits.size(); ++i)
        for (unsigned bit = 0; bits[i] >> bit != 0; ++bit)
          if (const std::uint64_t number = (at - first + i) * 8 + bit; (bits[i] >> bit & 1) != 0 && number < count)
            visit(number);
    }
  });
}

void DiskFile::discard(std::uint64_t offset, std::uint64_t length) {
  if (length == 0) return;
  if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length)) == 0)
    return;
  const std::vector<std::uint8_t> zeros(std::size_t{1} << 20);  // a file system without holes
  for_each_extent(offset, offset + length, [&](std::uint64_t at, std::uint64_t rest) {
    for (const std::uint64_t end = at + rest; at < end; at += zeros.size())
      write_at(at, zeros.data(), std::min<std::uint64_t>(zeros.size(), end - at));
  });
}

void DiskFile::put_zones(std::uint64_t index, const DiskZone* zones, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * kZoneBytes);
  for (std::size_t i = 0; i < count; ++i) {
    put(bytes.data() + i * kZoneBytes, zones[i].written);
    put(bytes.data() + i * kZoneBytes + 8, zones[i].condition);
    put(bytes.data() + i * kZoneBytes + 12, zones[i].flags);
  }
  write_at(zones_ + index * kZoneBytes, bytes.data(), bytes.size());
}

void DiskFile::for_each_zone(const std::function<void(std::uint64_t index, const DiskZone& zone)>& visit) const {
  std::vector<std::uint8_t> bytes(identity_.zones * kZoneBytes);
  read_at(zones_, bytes.data(), bytes.size());
  for (std::size_t i = 0; i < identity_.zones; ++i) {
    const std::uint8_t* at = bytes.data() + i * kZoneBytes;
    const DiskZone zone{get<std::uint64_t>(at), get<std::uint32_t>(at + 8), get<std::uint32_t>(at + 12)};
    if (zone.condition != 0) visit(i, zone);
  }
}

void DiskFile::put_headers(std::uint64_t index, const DiskHeader* headers, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * kHeaderBytes);
  for (std::size_t i = 0; i < count; ++i) {
    put(bytes.data() + i * kHeaderBytes, headers[i].sequence);
    put(bytes.data() + i * kHeaderBytes + 8, headers[i].block);
    put(bytes.data() + i * kHeaderBytes + 12, headers[i].state);
  }
  write_at(headers_ + index * kHeaderBytes, bytes.data(), bytes.size());
}

void DiskFile::for_each_header(const std::function<void(std::uint64_t index, const DiskHeader& header)>& visit) const {
  for_each_extent(headers_, headers_ + identity_.headers * kHeaderBytes, [&](std::uint64_t at, std::uint64_t length) {
    std::vector<std::uint8_t> bytes;
    for (const std::uint64_t end = at + length; at < end; at += bytes.size()) {
      bytes.resize(std::min<std::uint64_t>(kPage, end - at));
      read_at(at, bytes.data(), bytes.size());
      for (std::size_t i = 0; i + kHeaderBytes <= bytes.size(); i += kHeaderBytes) {
        const DiskHeader header{get<std::uint64_t>(bytes.data() + i), get<std::uint32_t>(bytes.data() + i + 8),
                                get<std::uint32_t>(bytes.data() + i + 12)};
        if (header.state != 0) visit((at - headers_ + i) / kHeaderBytes, header);
      }
    }
  });
}

void DiskFile::put_counters(const std::uint64_t* counters, std::size_t count) {
  std::array<std::uint8_t, kPage> bytes{};
  for (std::size_t i = 0; i < count; ++i) put(bytes.data() + 8 * i, counters[i]);
  write_at(counters_, bytes.data(), 8 * count);
}

std::vector<std::uint64_t> DiskFile::counters(std::size_t count) const {
  std::vector<std::uint8_t> bytes(count * 8);
  read_at(counters_, bytes.data(), bytes.size());
  std::vector<std::uint64_t> counters(count);
  for (std::size_t i = 0; i < count; ++i) counters[i] = get<std::uint64_t>(bytes.data() + 8 * i);
  return counters;
}

void DiskFile::put_spare(std::uint64_t number, const DiskSpare& spare) {
  std::array<std::uint8_t, kSpareBytes> bytes{};
  put(bytes.data(), spare.sector + 1);  // 0: there is none
  put(bytes.data() + 8, spare.track);
  put(bytes.data() + 12, spare.place);
  write_at(spares_ + number * kSpareBytes, bytes.data(), bytes.size());
}

std::vector<DiskSpare> DiskFile::spares() const {
  std::vector<DiskSpare> spares;
  std::set<std::uint64_t> replaced;
  std::array<std::uint8_t, kSpareBytes> bytes{};
  for (std::uint64_t number = 0; number < physical_; ++number) {
    read_at(spares_ + number * kSpareBytes, bytes.data(), bytes.size());
    const auto sector = get<std::uint64_t>(bytes.data());
    if (sector == 0) break;
    const auto refuse = [&](const std::string& why) {
      throw core::InputError(file_, 0, 0, fmt::format("spare {}: found physical sector {}, {}", number, sector - 1, why));
    };
    if (sector > physical_) refuse(fmt::format("expected at most {}", physical_ - 1));
    if (!replaced.insert(sector).second) refuse("which has a spare already");
    spares.push_back({sector - 1, get<std::uint32_t>(bytes.data() + 8), get<std::uint32_t>(bytes.data() + 12)});
  }
  return spares;
}

}  // namespace platter::media
