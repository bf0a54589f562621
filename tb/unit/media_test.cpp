// SPDX-License-Identifier: Apache-2.0
#include "platter/media/media.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "../sanitized.h"

namespace platter::media {
namespace {

constexpr std::uint64_t kPage = 4096;

std::vector<std::uint8_t> filled(std::size_t bytes, std::uint8_t fill) { return std::vector<std::uint8_t>(bytes, fill); }

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(Media, ScatteredWritesTakeThePagesThatHoldThem) {
  Media media(512, true);
  const std::uint64_t before = resident_bytes();
  constexpr std::uint64_t kWrites = 8'192;  // 32 MiB, 1 MiB apart
  for (std::uint64_t i = 0; i < kWrites; ++i)
    media.write(i << 20, filled(kPage, static_cast<std::uint8_t>(i % 255 + 1)).data(), kPage);
  EXPECT_EQ(media.kept(), kWrites * kPage);
  if (!testing::kSanitized) {
    EXPECT_LT(static_cast<double>(resident_bytes() - before), 1.3 * static_cast<double>(kWrites * kPage));
  }
  std::vector<std::uint8_t> read(3 * kPage);
  media.read((7u << 20) - kPage, read.data(), read.size());
  EXPECT_TRUE(std::all_of(read.begin(), read.begin() + kPage, [](std::uint8_t b) { return b == 0; }));
  EXPECT_TRUE(std::all_of(read.begin() + kPage, read.begin() + 2 * kPage, [](std::uint8_t b) { return b == 8; }));
  EXPECT_TRUE(std::all_of(read.begin() + 2 * kPage, read.end(), [](std::uint8_t b) { return b == 0; }));
}

TEST(Media, ZerosTakeNoMemoryAndGiveItBack) {
  Media media(512, true);
  const auto zeros = filled(1 << 20, 0);
  for (std::uint64_t at = 0; at < (std::uint64_t{1} << 30); at += zeros.size()) media.write(at, zeros.data(), zeros.size());
  EXPECT_EQ(media.kept(), 0u);
  media.write(100 * kPage, filled(10 * kPage, 1).data(), 10 * kPage);
  EXPECT_EQ(media.kept(), 10 * kPage);
  media.write(100 * kPage, zeros.data(), 5 * kPage);
  EXPECT_EQ(media.kept(), 5 * kPage);
  // Sector by sector: the page goes with its last byte of data.
  for (std::uint64_t sector = 0; sector < 8; ++sector) {
    EXPECT_EQ(media.kept(), 5 * kPage);
    media.write(105 * kPage + sector * 512, zeros.data(), 512);
  }
  EXPECT_EQ(media.kept(), 4 * kPage);
}

TEST(Media, KeepsWhatWasWrittenAndNoPageOfZeros) {
  std::mt19937 random(3);
  constexpr std::size_t kBytes = 40 * kPage;
  std::vector<std::uint8_t> shadow(kBytes);
  Media media(520, true);
  for (int i = 0; i < 4'000; ++i) {
    const std::size_t length = 1 + random() % (random() % 4 == 0 ? 5 * kPage : 600);
    const std::size_t offset = random() % (kBytes - length);
    const auto data = filled(length, static_cast<std::uint8_t>(random() % 3));
    media.write(offset, data.data(), length);
    std::copy(data.begin(), data.end(), shadow.begin() + static_cast<std::ptrdiff_t>(offset));
    std::uint64_t pages = 0;
    for (std::size_t page = 0; page < kBytes; page += kPage)
      pages += std::any_of(shadow.begin() + static_cast<std::ptrdiff_t>(page),
                           shadow.begin() + static_cast<std::ptrdiff_t>(page + kPage), [](std::uint8_t b) { return b != 0; });
    ASSERT_EQ(media.kept(), pages * kPage);
  }
  std::vector<std::uint8_t> all(kBytes);
  const Media image = media.copy();
  media.write(0, filled(kBytes, 9).data(), kBytes);
  image.read(0, all.data(), kBytes);
  EXPECT_TRUE(all == shadow) << "a copy is of its own";
}

}  // namespace
}  // namespace platter::media
