// SPDX-License-Identifier: Apache-2.0
//
// Files of a drive: damaged disk files (`serve --disk`), and images (`serve --image`). They are refused, or read as they are.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "platter/core/error.h"
#include "platter/mapping/eager/eager_mapping.h"
#include "platter/media/disk_file.h"
#include "platter/media/media.h"
#include "platter/system/image_file.h"
#include "served_drive.h"

namespace platter::fuzz {
namespace {

namespace fs = std::filesystem;

/// Something that is no file with bytes. Returns false if it left the path alone.
bool replace(Random& random, const fs::path& file) {
  switch (below(random, 40)) {
    case 0: fs::create_directory(file); break;
    case 1: mkfifo(file.c_str(), 0600); break;
    case 2: fs::create_symlink(file.filename(), file); break;
    case 3: fs::create_symlink("/dev/null", file); break;
    case 4: break;  // absent
    default: return false;
  }
  return true;
}

class Disk : public Protocol {
 public:
  explicit Disk(fs::path work) : work_(std::move(work)), planner_(profile_) {
    plain_.drive = "fuzz";
    plain_.sectors = testing::kToyBlocks;
    plain_.sector_bytes = 512;
    plain_.torn_together = 8;
    eager_ = plain_;
    eager_.block_bytes = 4096;
    eager_.headers = eager_.sectors;
    eager_.seed = 1;
    zoned_ = plain_;
    zoned_.zones = 64;
    zoned_profile_.zones.model = profile::ZoneModel::Managed;
    zoned_profile_.zones.zone_mib = 0.125;
    zoned_profile_.zones.conventional = 4;
    eager_options_.enabled = true;
    eager_options_.block_bytes = eager_.block_bytes;
  }

  void begin() override {
    file_ = work_ / ("disk-" + std::to_string(getpid()));
    for (const Kind kind : {Kind::Plain, Kind::Eager, Kind::Zoned}) {
      const bool eager = kind == Kind::Eager;
      fs::remove_all(file_);
      {
        media::DiskFile disk(file_, identity(kind));
        media::Media media(512, true, 8, &disk);
        const Bytes data(4096, 0x5A);
        media.write(512 * 40, data.data(), data.size());
        media.tear(512 * 100);
        if (eager) eager::EagerMapping(planner_, eager_options_, 1, true, &disk);
        const media::DiskHeader header{7, 3, 1};
        if (eager) disk.put_headers(16, std::vector<media::DiskHeader>(8, header).data(), 8);
        if (kind == Kind::Zoned) drive::ZoneKeeper::save(zones::Zones(zone_options()), disk);
      }
      std::ifstream in(file_, std::ios::binary);
      in.seekg(static_cast<std::streamoff>(kTrailer));
      trailers_[static_cast<std::size_t>(kind)].assign(std::istreambuf_iterator<char>(in), {});
    }
  }

  void input(Random& random) override {
    const Kind kind = one_in(random, 4) ? Kind::Eager : one_in(random, 3) ? Kind::Zoned : Kind::Plain;
    fs::remove_all(file_);
    if (!replace(random, file_)) damage(random, kind);
    try {
      media::DiskFile disk(file_, identity(kind));
      use(random, disk);
      if (kind == Kind::Eager) use_map(disk);
      if (kind == Kind::Zoned) use_zones(random, disk);
    } catch (const core::InputError& error) {
      expect(std::string(error.what()).find(file_.string()) != std::string::npos,
             std::string("a message without the file: ") + error.what());
    }
  }

  void check(Random& random) override {
    fs::remove_all(file_);
    if (!one_in(random, 50)) return;                             // a new file is synchronised, which takes long
    for (int i = 0; i < 2; ++i) media::DiskFile(file_, plain_);  // created, and opened again
    fs::remove(file_);
  }

 private:
  static constexpr std::uint64_t kTrailer = testing::kToyBlocks * 512;
  static constexpr std::uint64_t kZoneRecords = 4096 + 4096;  // in the trailer: behind the identity and the bits of the sectors

  enum class Kind : std::uint8_t { Plain, Eager, Zoned };
  const media::DiskIdentity& identity(Kind kind) const {
    return kind == Kind::Eager ? eager_ : kind == Kind::Zoned ? zoned_ : plain_;
  }
  zones::ZoneOptions zone_options() const { return zones::options_of(zoned_profile_, testing::kToyBlocks); }

  void damage(Random& random, Kind kind) const {
    Bytes trailer = trailers_[static_cast<std::size_t>(kind)];
    const bool eager = kind == Kind::Eager;
    const auto put = [&](std::uint64_t at, std::uint64_t first, std::uint32_t second, std::uint32_t third) {
      std::memcpy(&trailer[at], &first, 8);
      std::memcpy(&trailer[at + 8], &second, 4);
      std::memcpy(&trailer[at + 12], &third, 4);
    };
    const auto hostile32 = [&] { return static_cast<std::uint32_t>(hostile(random)); };
    if (kind == Kind::Zoned && one_in(random, 2)) {  // records that are often possible
      for (std::uint64_t n = 1 + below(random, 3); n > 0; --n) {
        const std::uint64_t written = one_in(random, 8) ? hostile(random) : one_in(random, 2) ? 0 : below(random, 258);
        const auto condition = one_in(random, 8) ? hostile32() : static_cast<std::uint32_t>(below(random, 17));
        put(kZoneRecords + 16 * below(random, zoned_.zones), written, condition, one_in(random, 8) ? hostile32() : 0);
      }
    }
    if (!eager && one_in(random, 2)) {  // the first spares
      const std::uint64_t spares = trailer.size() - std::uint64_t{16} * (plain_.sectors / plain_.torn_together);
      for (std::uint64_t n = below(random, 4), i = 0; i < n; ++i)
        put(spares + 16 * i, one_in(random, 8) ? hostile(random) : below(random, 2050),
            one_in(random, 3)   ? ~0u
            : one_in(random, 4) ? hostile32()
                                : static_cast<std::uint32_t>(below(random, 260)),
            one_in(random, 4) ? hostile32() : static_cast<std::uint32_t>(below(random, 66)));
    }
    for (std::uint64_t n = below(random, 6); n > 0; --n) {  // most often in what says something
      const std::uint64_t at = one_in(random, 2) ? below(random, 140) : below(random, trailer.size());
      trailer[at] = static_cast<std::uint8_t>(one_in(random, 2) ? random() : trailer[at] ^ 1u << below(random, 8));
    }
    for (std::uint64_t n = eager ? below(random, 20) : 0; n > 0; --n) {  // headers
      const std::uint64_t at = trailer.size() - 16 * (1 + below(random, eager_.headers));
      const std::array<std::uint64_t, 2> header = {hostile(random), hostile(random)};
      std::memcpy(&trailer[at], header.data(), 16);
    }
    if (!one_in(random, 3)) {  // with a digest that fits
      std::uint64_t hash = 0xCBF29CE484222325u;
      for (std::size_t i = 0; i < 128; ++i) hash = (hash ^ trailer[i]) * 0x100000001B3u;
      std::memcpy(&trailer[128], &hash, sizeof hash);
    }
    const int fd = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const ssize_t written = pwrite(fd, trailer.data(), trailer.size(), static_cast<off_t>(kTrailer));
    off_t size = static_cast<off_t>(kTrailer + trailer.size());
    if (one_in(random, 8))
      size = static_cast<off_t>(one_in(random, 2) ? below(random, 2 * kTrailer)
                                                  : static_cast<std::uint64_t>(size) + below(random, 9000));
    const bool sized = ftruncate(fd, size) == 0;
    close(fd);
    expect(written > 0 && sized, "the input cannot be written");
  }

  void use(Random& random, media::DiskFile& disk) const {
    disk.for_each_unreadable(
        [this](std::uint64_t sector) { expect(sector < plain_.sectors, "a sector past the end is unreadable"); });
    disk.for_each_header(
        [this](std::uint64_t index, const media::DiskHeader&) { expect(index < eager_.headers, "a header past the end"); });
    media::Media media(512, true, 8, &disk);
    const std::uint64_t at = below(random, plain_.sectors - 8) * 512;
    const Bytes data(4096, static_cast<std::uint8_t>(random()));
    media.write(at, data.data(), data.size());
    Bytes read(data.size());
    media.read(at, read.data(), read.size());
    expect(read == data && !media.unreadable(at, read.size()), "a write of a disk is not read");
    media.copy();
    const media::Faults faults(512, 8, &disk);
    for (const media::DiskSpare& spare : faults.spare_places()) drive::Recovery::objection(planner_.geometry(), spare);
  }
  void use_zones(Random& random, media::DiskFile& disk) const {
    media::Media media(512, true, 8, &disk);
    zones::Zones zones(zone_options());
    drive::ZoneKeeper::load(zones, media);
    expect(zones.open() == 0, "a zone is open at the start");
    for (std::uint32_t zone = 0; zone < zones.count(); ++zone) {
      const zones::ZoneDescriptor z = zones.descriptor(zone);
      if (z.write_pointer == zones::ZoneDescriptor::kNoPointer) continue;
      expect(z.write_pointer >= z.start && z.write_pointer < z.start + z.blocks, "a write pointer outside of its zone");
      expect(zones.write(z.write_pointer, 1) == command::CommandStatus::Good, "a write at the pointer is refused");
      if (!one_in(random, 16)) continue;
      Bytes behind(512);
      media.read(z.write_pointer * 512, behind.data(), behind.size());
      expect(behind == Bytes(512), "data behind the write pointer");
    }
  }
  void use_map(media::DiskFile& disk) const {
    try {
      const eager::EagerMapping mapping(planner_, eager_options_, 1, true, &disk);
      for (std::uint32_t block = 0; block < mapping.map().blocks(); ++block)
        expect(mapping.map().block_at(mapping.map().place_of(eager::Block(block))).value == block, "two blocks at one place");
    } catch (const Wrong&) {
      throw;
    } catch (const std::runtime_error&) {  // a block has no copy
    }
  }

  fs::path work_;
  fs::path file_;
  profile::DriveProfile profile_ = testing::toy_profile();
  mechanics::AccessPlanner planner_;
  media::DiskIdentity plain_;
  media::DiskIdentity eager_;
  media::DiskIdentity zoned_;
  profile::DriveProfile zoned_profile_ = testing::toy_profile();
  eager::EagerOptions eager_options_;
  std::array<Bytes, 3> trailers_;  ///< by kind
};

class Image : public Protocol {
 public:
  explicit Image(fs::path work) : work_(std::move(work)) {}

  void begin() override { file_ = work_ / ("image-" + std::to_string(getpid())); }

  void input(Random& random) override {
    fs::remove_all(file_);
    const auto sector = pick<std::uint32_t>(random, {512, 512, 520, 528, 4096, 1000});
    const std::uint64_t capacity = sector * (1 + below(random, one_in(random, 2) ? 16 : one_in(random, 20) ? 6000 : 600));
    if (replace(random, file_)) {
      try {
        system::load_image(file_, capacity, sector, -1,
                           [](std::uint64_t, std::uint8_t*, std::size_t) { throw Wrong("bytes of no file"); });
        throw Wrong("no file is an image");
      } catch (const core::InputError&) {
      }
      return;
    }
    // Runs of bytes between holes.
    std::uint64_t size = one_in(random, 3) ? capacity + below(random, 3) - 1 : below(random, capacity + capacity / 8);
    const int fd = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    Bytes expected(capacity);
    for (std::uint64_t n = below(random, 4); n > 0; --n) {
      const std::uint64_t at = below(random, size + 1);
      const Bytes data(std::min(size - at, 1 + below(random, one_in(random, 4) ? 2'000'000 : 9000)),
                       static_cast<std::uint8_t>(random()));
      expect(pwrite(fd, data.data(), data.size(), static_cast<off_t>(at)) == static_cast<ssize_t>(data.size()),
             "the input cannot be written");
      for (std::size_t i = 0; i < data.size() && at + i < capacity; ++i) expected[at + i] = data[i];
    }
    expect(ftruncate(fd, static_cast<off_t>(size)) == 0, "the input cannot be written");
    close(fd);
    Bytes loaded(capacity);
    try {
      system::load_image(file_, capacity, sector, -1, [&](std::uint64_t at, std::uint8_t* data, std::size_t bytes) {
        expect(at % sector == 0 && bytes % sector == 0 && at + bytes <= capacity,
               "an image is not written by whole sectors of the drive");
        std::copy_n(data, bytes, loaded.begin() + static_cast<std::ptrdiff_t>(at));
      });
      expect(size <= capacity, "an image larger than the drive is taken");
      expect(loaded == expected, "the drive does not have the bytes of the image");
    } catch (const core::InputError& error) {
      expect(size > capacity, std::string("a good image is refused: ") + error.what());
    }
  }

  void check(Random& /*random*/) override { fs::remove_all(file_); }

 private:
  fs::path work_;
  fs::path file_;
};

}  // namespace

std::unique_ptr<Protocol> make_disk(const fs::path& work) { return std::make_unique<Disk>(work); }
std::unique_ptr<Protocol> make_image(const fs::path& work) { return std::make_unique<Image>(work); }

}  // namespace platter::fuzz
