// SPDX-License-Identifier: Apache-2.0
#include "platter/crash/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace platter::crash {

namespace {

/// splitmix64's mixing.
std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

void fill(std::uint64_t block, Version version, std::uint8_t* data, std::size_t block_bytes) {
  if (version == 0) {
    std::memset(data, 0, block_bytes);
    return;
  }
  std::uint64_t word = mixed_bits(block ^ std::uint64_t{version} << 40);
  for (std::size_t at = 0; at < block_bytes; at += sizeof word) {
    std::memcpy(data + at, &word, std::min(sizeof word, block_bytes - at));
    word = word * 6364136223846793005u + 1442695040888963407u;
  }
}

History::History(std::uint32_t block_bytes, const Promises& promises)
    : block_bytes_(block_bytes), promises_(promises), pattern_(block_bytes) {}

// --- the workload ------------------------------------------------------------------------------------------------------

Version History::issue(std::uint64_t first, std::uint32_t blocks, bool fua) {
  const Version version = next_++;
  open_[version] = {first, blocks, fua, false, false};
  for (std::uint64_t block = first; block < first + blocks; ++block) blocks_[block].later.push_back(version);
  return version;
}

void History::accepted(Version version) {
  if (const auto found = open_.find(version); found != open_.end()) found->second.accepted = true;
}

void History::answered(Version version, bool good) {
  const auto found = open_.find(version);
  if (found == open_.end() || !good) return;
  Write& write = found->second;
  write.accepted = write.answered = true;
  for (std::uint64_t block = write.first; block < write.first + write.blocks; ++block) {
    Version& newest = blocks_[block].answered;
    newest = std::max(newest, version);
  }
  if (write.fua || promises_.answered_is_durable) durable(version);
}

std::vector<Version> History::covered() const {
  std::vector<Version> covered;
  for (const auto& [version, write] : open_)
    if (write.accepted && version > cut_) covered.push_back(version);
  return covered;
}

void History::flushed(const std::vector<Version>& covered) {
  for (const Version version : covered) durable(version);
}

void History::durable(Version version) {
  const auto found = open_.find(version);
  if (found == open_.end()) return;
  const Write write = found->second;
  open_.erase(found);
  for (std::uint64_t block = write.first; block < write.first + write.blocks; ++block) settle(block, version);
}

/// The block has this version or a later one for good.
void History::settle(std::uint64_t block, Version version) {
  Block& of = blocks_[block];
  if (version < of.floor) return;
  of.floor = version;
  of.answered = std::max(of.answered, version);
  of.lost = false;
  of.mixed.reset();
  of.later.erase(of.later.begin(), std::upper_bound(of.later.begin(), of.later.end(), version));
}

std::vector<Version> History::oldest(std::uint64_t first, std::uint32_t blocks) const {
  std::vector<Version> oldest;
  oldest.reserve(blocks);
  for (std::uint64_t block = first; block < first + blocks; ++block) {
    const auto found = blocks_.find(block);
    oldest.push_back(found == blocks_.end() ? 0 : found->second.answered);
  }
  return oldest;
}

// --- checks ------------------------------------------------------------------------------------------------------------

bool History::has(std::uint64_t block, Version version, const std::uint8_t* data) {
  fill(block, version, pattern_.data(), block_bytes_);
  return std::memcmp(pattern_.data(), data, block_bytes_) == 0;
}

std::optional<std::string> History::read(std::uint64_t first, std::uint32_t blocks, const std::vector<Version>& oldest,
                                         const std::uint8_t* data) {
  for (std::uint32_t i = 0; i < blocks; ++i, data += block_bytes_) {
    const std::uint64_t block = first + i;
    Block& of = blocks_[block];
    if (of.mixed && of.mixed->length > 0 && of.answered <= of.floor) {
      const Mixed mixed = *of.mixed;
      std::vector<std::uint8_t> front(block_bytes_);
      fill(block, mixed.front, front.data(), block_bytes_);
      fill(block, mixed.rest, pattern_.data(), block_bytes_);
      std::memcpy(pattern_.data(), front.data(), mixed.length);
      if (std::memcmp(pattern_.data(), data, block_bytes_) == 0) continue;
    }
    std::optional<Version> version;
    if (of.floor >= oldest[i] && !of.lost && !of.mixed && has(block, of.floor, data)) version = of.floor;
    for (auto each = of.later.rbegin(); !version && each != of.later.rend() && *each >= oldest[i]; ++each)
      if (has(block, *each, data)) version = *each;
    if (version) {
      if (*version <= cut_) {  // what the loss of power has left
        old_ += static_cast<std::uint64_t>(std::count_if(of.later.begin(), of.later.end(), [&](Version each) {
          return each > *version && each <= cut_ && open_.count(each) > 0 && open_.at(each).answered;
        }));
        const std::vector<Version> later = of.later;
        settle(block, *version);
        of.later.erase(of.later.begin(), std::upper_bound(of.later.begin(), of.later.end(), cut_));
      }
      continue;
    }
    if (promises_.may_be_mixed && losses_ > 0 && may_be_torn(block)) {
      if (const auto mixed = mixture(block, of, data)) {
        count_torn(block);
        settle(block, std::max(mixed->rest, of.floor));
        of.later.erase(of.later.begin(), std::upper_bound(of.later.begin(), of.later.end(), cut_));
        of.mixed = mixed;
        continue;
      }
    }
    return fmt::format("block {} has {}, expected {}", block, found(block, data), expected(of, oldest[i]));
  }
  return std::nullopt;
}

std::optional<History::Mixed> History::mixture(std::uint64_t block, const Block& of, const std::uint8_t* data) {
  std::vector<Version> versions{of.floor};
  versions.insert(versions.end(), of.later.begin(), of.later.end());
  for (const Version front : versions) {
    if (front > cut_) continue;
    fill(block, front, pattern_.data(), block_bytes_);
    const auto same = static_cast<std::size_t>(std::mismatch(pattern_.begin(), pattern_.end(), data).first - pattern_.begin());
    if (same == 0) continue;
    for (const Version rest : versions) {
      if (rest >= front) continue;
      fill(block, rest, pattern_.data(), block_bytes_);
      // Neighbouring bytes of the two versions may be equal, so the border is not exactly known.
      if (std::equal(pattern_.begin() + static_cast<std::ptrdiff_t>(same), pattern_.end(), data + same))
        return Mixed{front, rest, same};
    }
  }
  return std::nullopt;
}

bool History::may_be_torn(std::uint64_t block) const {
  const std::uint64_t first = block / promises_.torn_together * promises_.torn_together;
  for (std::uint64_t each = first; each < first + promises_.torn_together; ++each) {
    const auto found = blocks_.find(each);
    if (found == blocks_.end()) continue;
    if (found->second.lost || found->second.mixed) return true;
    if (!found->second.later.empty() && found->second.later.front() <= cut_) return true;
  }
  return torn_sectors_.count(first / promises_.torn_together) > 0;
}

void History::count_torn(std::uint64_t block) {
  ++torn_;
  torn_sectors_[block / promises_.torn_together] = losses_;
}

std::optional<std::string> History::unreadable(std::uint64_t block) {
  Block& of = blocks_[block];
  if (of.lost) return std::nullopt;
  if (!promises_.may_be_unreadable || losses_ == 0)
    return fmt::format("block {} cannot be read, expected {}", block, expected(of, of.answered));
  if (!may_be_torn(block))
    return fmt::format("block {} cannot be read, and no write of its sector was in progress; expected {}", block,
                       expected(of, of.answered));
  count_torn(block);
  of.lost = true;
  of.mixed.reset();
  of.later.erase(of.later.begin(), std::upper_bound(of.later.begin(), of.later.end(), cut_));
  return std::nullopt;
}

std::optional<std::string> History::summed_up() const {
  std::map<std::uint32_t, std::uint32_t> by_loss;
  for (const auto& [sector, loss] : torn_sectors_) ++by_loss[loss];
  std::uint32_t sectors = static_cast<std::uint32_t>(torn_sectors_.size());
  if (sectors > losses_ * promises_.most_torn_sectors)
    return fmt::format("{} physical sectors are torn after {} loss{} of power, expected at most {} each", sectors, losses_,
                       losses_ == 1 ? "" : "es", promises_.most_torn_sectors);
  return std::nullopt;
}

// --- losses of power -----------------------------------------------------------------------------------------------------

void History::power_lost() {
  ++losses_;
  cut_ = next_ - 1;
  for (auto& [number, block] : blocks_) block.answered = block.floor;
}

std::vector<std::uint64_t> History::touched() const {
  std::vector<std::uint64_t> touched;
  touched.reserve(blocks_.size());
  for (const auto& [number, block] : blocks_) touched.push_back(number);
  std::sort(touched.begin(), touched.end());
  return touched;
}

// --- messages --------------------------------------------------------------------------------------------------------------

std::string History::expected(const Block& block, Version oldest) const {
  std::string text;
  const auto add = [&](Version version, const char* why) {
    text += fmt::format("{}version {} ({})", text.empty() ? "" : " or ", version, why);
  };
  if (block.lost) text = "nothing readable";
  if (block.mixed) text = fmt::format("the mixture of versions {} and {}", block.mixed->front, block.mixed->rest);
  if (block.floor >= oldest && !block.lost && !block.mixed)
    add(block.floor, block.floor == 0 ? "never written" : "known to be durable");
  for (const Version version : block.later) {
    if (version < oldest) continue;
    const auto write = open_.find(version);
    add(version, write == open_.end() ? "durable" : write->second.answered ? "answered" : "in progress");
  }
  return text;
}

std::string History::found(std::uint64_t block, const std::uint8_t* data) {
  for (Version version = 0; version < next_; ++version)
    if (has(block, version, data)) return fmt::format("version {}", version);
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  for (Version version = 1; version < next_; ++version)
    if (fill(block, version, pattern_.data(), block_bytes_), std::memcmp(pattern_.data(), data, sizeof word) == 0)
      return fmt::format("a mixture that begins with version {}", version);
  return fmt::format("bytes of no version of it (they begin with {:016x})", word);
}

}  // namespace platter::crash
