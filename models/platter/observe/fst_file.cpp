// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/fst_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace platter::observe {

namespace {

// Types of blocks, and positions in the header, which is the first block. Numbers are big-endian.
constexpr unsigned char kHeader = 0;
constexpr unsigned char kChanges = 1;
constexpr unsigned char kChangesAliased = 5;
constexpr unsigned char kChangesAliased2 = 8;
constexpr std::uint64_t kHeaderBytes = 329;
constexpr long kEndTimeAt = 17;
constexpr std::uint64_t kChangeBlocksAt = 65;
constexpr long kDateAt = 202;
constexpr std::size_t kDateBytes = 119;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

class Reader {
 public:
  explicit Reader(std::FILE* file) : file_(file) {}

  std::uint64_t number(std::uint64_t at) {
    std::array<unsigned char, 8> bytes{};
    get(at, bytes.data(), bytes.size());
    std::uint64_t value = 0;
    for (const unsigned char byte : bytes) value = value << 8 | byte;
    return value;
  }
  unsigned char byte(std::uint64_t at) {
    unsigned char value = 0;
    get(at, &value, 1);
    return value;
  }
  bool good() const { return good_; }

 private:
  void get(std::uint64_t at, unsigned char* to, std::size_t bytes) {
    good_ = good_ && at < kLargest && fseeko(file_, static_cast<off_t>(at), SEEK_SET) == 0 &&
            std::fread(to, 1, bytes, file_) == bytes;
  }

  std::FILE* file_;
  bool good_ = true;
};

}  // namespace

std::string complete_fst(const std::filesystem::path& file, std::uint64_t times, std::uint64_t last) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "r+b"), &std::fclose);
  if (!stream || fseeko(stream.get(), 0, SEEK_END) != 0) return std::generic_category().message(errno);
  const auto size = static_cast<std::uint64_t>(ftello(stream.get()));
  Reader reader(stream.get());
  if (size == 0 || reader.byte(0) != kHeader || reader.number(1) != kHeaderBytes || reader.number(kEndTimeAt) > last)
    return kNotWhole;
  std::uint64_t found = 0;
  std::uint64_t blocks = 0;
  std::uint64_t at = 0;
  while (at < size && reader.good()) {
    const unsigned char type = reader.byte(at);
    const std::uint64_t length = reader.number(at + 1);  // counted after the type
    if (length < 8 || length > size - at - 1) return kNotWhole;
    at += 1 + length;
    if (type != kChanges && type != kChangesAliased && type != kChangesAliased2) continue;
    found += reader.number(at - 8);  // time stamps of the block
    ++blocks;
  }
  // A block may begin with the last time stamp of the previous one; a time at which nothing changes has no time stamp.
  if (!reader.good() || blocks != reader.number(kChangeBlocksAt) || found > times + blocks) return kNotWhole;
  const std::array<char, kDateBytes> date{};
  if (std::fseek(stream.get(), kDateAt, SEEK_SET) != 0 ||
      std::fwrite(date.data(), 1, date.size(), stream.get()) != date.size() || std::fflush(stream.get()) != 0)
    return kNotWhole;
  return {};
}

}  // namespace platter::observe
