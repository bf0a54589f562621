// SPDX-License-Identifier: Apache-2.0
#include "platter/media/disk_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "platter/core/error.h"
#include "platter/media/faults.h"
#include "platter/media/media.h"

namespace platter::media {
namespace {

namespace fs = std::filesystem;

DiskIdentity small() {
  DiskIdentity identity;
  identity.drive = "small";
  identity.layout = 77;
  identity.sectors = 1000;  // the trailer begins at byte 512,000
  identity.sector_bytes = 512;
  identity.torn_together = 8;
  return identity;
}

class DiskFiles : public ::testing::Test {
 protected:
  DiskFiles() : file_(fs::path(::testing::TempDir()) / ("platter-disk-" + std::to_string(getpid()))) { fs::remove(file_); }
  ~DiskFiles() override { fs::remove(file_); }

  /// What is wrong with the file for this drive; "" if nothing is.
  std::string objection(const DiskIdentity& identity) const {
    try {
      const DiskFile disk(file_, identity);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path file_;
};

TEST_F(DiskFiles, AreMadeSparseAndKeepWhatIsWritten) {
  std::vector<std::uint8_t> data(1536, 0xA5);
  {
    DiskFile disk(file_, small());
    struct stat kind{};
    ASSERT_EQ(stat(file_.c_str(), &kind), 0);
    EXPECT_EQ(kind.st_size, 512'000 + 2 * 4096 + 3 * 4096) << "with the counters, the pending sectors and the spares";
    EXPECT_LT(kind.st_blocks * 512, 64 * 1024);
    Media media(512, true, 8, &disk);
    media.write(512 * 10, data.data(), data.size());
    media.tear(512 * 20);  // its physical sector: 16 to 23
    media.tear(512 * 999);
    media.write(512 * 18, data.data(), 512);
  }
  // The drive's bytes are at the front of the file, as in a raw image.
  std::ifstream raw(file_, std::ios::binary);
  raw.seekg(512 * 10);
  std::vector<char> bytes(data.size());
  raw.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(std::memcmp(bytes.data(), data.data(), data.size()), 0);

  DiskFile disk(file_, small());
  const Media media(512, true, 8, &disk);
  std::vector<std::uint8_t> read(512 * 16);
  media.read(512 * 9, read.data(), read.size());
  EXPECT_EQ(read[511], 0);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), read.begin() + 512));
  std::set<std::uint64_t> bad;
  for (std::uint64_t sector = 0; sector < 1000; ++sector)
    if (media.unreadable(sector * 512, 512)) bad.insert(sector);
  EXPECT_EQ(bad, (std::set<std::uint64_t>{16, 17, 19, 20, 21, 22, 23, 992, 993, 994, 995, 996, 997, 998, 999}));
  // A copy is in memory, with the same contents.
  const Media copy = media.copy();
  EXPECT_EQ(copy.file(), nullptr);
  EXPECT_EQ(copy.unreadable(0, 512 * 1000), std::uint64_t{512 * 16});
  std::vector<std::uint8_t> again(read.size());
  copy.read(512 * 9, again.data(), again.size());
  EXPECT_EQ(again, read);
}

TEST_F(DiskFiles, HaveNoUnreadableSectorPastTheEnd) {
  ASSERT_EQ(objection(small()), "");
  {
    std::fstream raw(file_, std::ios::binary | std::ios::in | std::ios::out);
    raw.seekp(512'000 + 4096 + 124);  // the bits of sectors 992 to 1007
    raw.write("\x80\xFF", 2);
  }
  DiskFile disk(file_, small());
  std::vector<std::uint64_t> bad;
  disk.for_each_unreadable([&bad](std::uint64_t sector) { bad.push_back(sector); });
  EXPECT_EQ(bad, (std::vector<std::uint64_t>{999}));
}

TEST_F(DiskFiles, AreLocked) {
  const DiskFile disk(file_, small());
  EXPECT_NE(objection(small()).find("another device or process uses this disk"), std::string::npos);
}

TEST_F(DiskFiles, OfAnotherDriveOrCutShortAreRefused) {
  ASSERT_EQ(objection(small()), "");
  const auto other = [&](const std::function<void(DiskIdentity&)>& change, const char* told) {
    DiskIdentity identity = small();
    change(identity);
    EXPECT_NE(objection(identity).find(told), std::string::npos) << objection(identity);
  };
  other([](DiskIdentity& i) { i.drive = "large"; }, "found \"small\", expected \"large\"");
  other([](DiskIdentity& i) { i.layout = 78; }, "digest of the geometry");
  other([](DiskIdentity& i) { i.torn_together = 1; }, "found sectors of a physical sector 8, expected 1");
  other([](DiskIdentity& i) { i.number = 1; }, "number of the drive in its array");
  other([](DiskIdentity& i) { i.sectors = 5000; }, "cut short, or of another drive");
  other([](DiskIdentity& i) { i.sectors = 100; }, "no disk of");
  other(
      [](DiskIdentity& i) {
        i.headers = i.sectors;
        i.block_bytes = 4096;
      },
      "eager block size");
  EXPECT_EQ(objection(small()), "");
  fs::resize_file(file_, fs::file_size(file_) - 1);
  EXPECT_NE(objection(small()).find("it is cut short"), std::string::npos) << objection(small());
  fs::resize_file(file_, 100'000);
  EXPECT_NE(objection(small()).find("cut short"), std::string::npos) << objection(small());
}

TEST_F(DiskFiles, ADamagedTrailerIsRefused) {
  ASSERT_EQ(objection(small()), "");
  std::fstream raw(file_, std::ios::binary | std::ios::in | std::ios::out);
  raw.seekp(512'000 + 66);
  raw.put('?');
  raw.close();
  EXPECT_NE(objection(small()).find("the trailer is damaged"), std::string::npos);
}

TEST_F(DiskFiles, KeepHeaders) {
  DiskIdentity identity = small();
  identity.block_bytes = 4096;
  identity.headers = identity.sectors;
  {
    DiskFile disk(file_, identity);
    const std::vector<DiskHeader> headers = {{5, 3, 1}, {5, 3, 1}, {0, ~0u, 2}};
    disk.put_headers(997, headers.data(), headers.size());
    disk.put_headers(0, headers.data(), 1);
  }
  const DiskFile disk(file_, identity);
  std::map<std::uint64_t, std::uint32_t> found;
  disk.for_each_header([&](std::uint64_t index, const DiskHeader& header) {
    found[index] = header.state;
    if (header.state == 1) {
      EXPECT_EQ(header.sequence, 5u);
      EXPECT_EQ(header.block, 3u);
    }
  });
  EXPECT_EQ(found, (std::map<std::uint64_t, std::uint32_t>{{0, 1}, {997, 1}, {998, 1}, {999, 2}}));
}

TEST_F(DiskFiles, KeepTheDefectsOfADrive) {
  {
    DiskFile disk(file_, small());
    Faults faults(512, 8, &disk);
    EXPECT_FALSE(faults.on());
    faults.found(8 * 3 + 1);
    faults.found(999);
    faults.found(500);
    faults.written(496, 8, 0);
    faults.reallocate(8 * 7, 12, 34);
    faults.reallocate(999, 5, 6);
    faults.errors().uncorrectable = 3;
    faults.errors().scrub_errors = 4;
    faults.keep_counters();
  }
  const auto check = [&](const Defects& defects) {
    EXPECT_EQ(defects.pending, (std::vector<std::uint64_t>{3}));
    ASSERT_EQ(defects.spares.size(), 2u);
    EXPECT_EQ(defects.spares[0].sector, 7u);
    EXPECT_EQ(defects.spares[0].track, 12u);
    EXPECT_EQ(defects.spares[0].place, 34u);
    EXPECT_EQ(defects.spares[1].sector, 124u);
    EXPECT_EQ(defects.errors.uncorrectable, 3u);
    EXPECT_EQ(defects.errors.scrub_errors, 4u);
    EXPECT_EQ(defects.errors.pending, 1u);
    EXPECT_EQ(defects.errors.reallocated, 2u);
  };
  Defects defects;
  {
    DiskFile disk(file_, small());
    const Faults faults(512, 8, &disk);
    EXPECT_TRUE(faults.on());
    EXPECT_EQ(faults.spare_of(8 * 7), 0u);
    defects = faults.defects();
    check(defects);
  }
  fs::remove(file_);
  DiskFile disk(file_, small());
  defects.save(disk);
  check(Faults(512, 8, &disk).defects());
}

TEST_F(DiskFiles, WithAnImpossibleSpareAreRefused) {
  const auto message = [&](const std::vector<DiskSpare>& spares) -> std::string {
    fs::remove(file_);
    DiskFile disk(file_, small());
    for (std::size_t i = 0; i < spares.size(); ++i) disk.put_spare(i, spares[i]);
    try {
      disk.spares();
    } catch (const core::InputError& error) {
      EXPECT_EQ(error.file(), file_.string());
      return std::string(error.what()).substr(file_.string().size());
    }
    return "";
  };
  EXPECT_EQ(message({{124, 0, 0}}), "");
  EXPECT_EQ(message({{3, 0, 0}, {125, 0, 0}}), ": spare 1: found physical sector 125, expected at most 124");
  EXPECT_EQ(message({{3, 0, 0}, {3, 0, 1}}), ": spare 1: found physical sector 3, which has a spare already");
}

/// Makes the file one of version 1: without a part for the defects.
void make_old(const fs::path& file, bool with_size_of_new) {
  std::fstream raw(file, std::ios::binary | std::ios::in | std::ios::out);
  std::vector<char> page(128);
  raw.seekg(512'000);
  raw.read(page.data(), 128);
  page[8] = 1;
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char byte : page) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3u;
  for (std::size_t i = 0; i < 8; ++i) page.push_back(static_cast<char>(hash >> (8 * i)));
  raw.seekp(512'000);
  raw.write(page.data(), 136);
  raw.close();
  if (!with_size_of_new) fs::resize_file(file, 512'000 + 2 * 4096);
}

TEST_F(DiskFiles, OfTheOlderVersionAreReadAndGetAPartForTheDefects) {
  for (const bool interrupted : {false, true}) {
    {
      DiskFile disk(file_, small());
      disk.set_unreadable(17, true);
    }
    make_old(file_, interrupted);
    for (int i = 0; i < 2; ++i) {
      DiskFile disk(file_, small());
      EXPECT_TRUE(disk.spares().empty());
      std::vector<std::uint64_t> bad;
      disk.for_each_unreadable([&bad](std::uint64_t sector) { bad.push_back(sector); });
      EXPECT_EQ(bad, (std::vector<std::uint64_t>{17}));
      EXPECT_EQ(fs::file_size(file_), 512'000u + 5 * 4096);
    }
  }
  make_old(file_, false);
  fs::resize_file(file_, 512'000 + 4096 + 4095);
  EXPECT_NE(objection(small()).find("it is cut short"), std::string::npos) << objection(small());
}

}  // namespace
}  // namespace platter::media
