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
    eager_options_.enabled = true;
    eager_options_.block_bytes = eager_.block_bytes;
  }

  void begin() override {
    file_ = work_ / ("disk-" + std::to_string(getpid()));
    for (const bool eager : {false, true}) {
      fs::remove_all(file_);
      {
        media::DiskFile disk(file_, eager ? eager_ : plain_);
        media::Media media(512, true, 8, &disk);
        const Bytes data(4096, 0x5A);
        media.write(512 * 40, data.data(), data.size());
        media.tear(512 * 100);
        if (eager) eager::EagerMapping(planner_, eager_options_, 1, true, &disk);
        const media::DiskHeader header{7, 3, 1};
        if (eager) disk.put_headers(16, std::vector<media::DiskHeader>(8, header).data(), 8);
      }
      std::ifstream in(file_, std::ios::binary);
      in.seekg(static_cast<std::streamoff>(kTrailer));
      (eager ? eager_trailer_ : plain_trailer_).assign(std::istreambuf_iterator<char>(in), {});
    }
  }

  void input(Random& random) override {
    const bool eager = one_in(random, 4);
    fs::remove_all(file_);
    if (!replace(random, file_)) damage(random, eager);
    try {
      media::DiskFile disk(file_, eager ? eager_ : plain_);
      use(random, disk);
      if (eager) use_map(disk);
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

  void damage(Random& random, bool eager) const {
    Bytes trailer = eager ? eager_trailer_ : plain_trailer_;
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
  eager::EagerOptions eager_options_;
  Bytes plain_trailer_;
  Bytes eager_trailer_;
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
