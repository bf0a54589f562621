// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace platter::ahci {

/// Where the data of a command is in the host's memory: its table of physical regions (AHCI 1.3.1, 4.2.3.3), and how much of it has been moved.
class RegionList {
 public:
  static constexpr std::uint32_t kEntryBytes = 16;

  /// Takes the entries as they are in memory. Bit 0 of a byte count is taken as 1, bit 0 of an address as 0.
  void assign(const std::vector<std::uint8_t>& entries) {
    regions_.clear();
    at_ = 0;
    used_ = 0;
    interrupt_ = false;
    for (std::size_t at = 0; at + kEntryBytes <= entries.size(); at += kEntryBytes) {
      std::uint64_t address = 0;
      std::uint32_t last = 0;
      std::memcpy(&address, &entries[at], sizeof address);
      std::memcpy(&last, &entries[at + 12], sizeof last);
      regions_.push_back({address & ~std::uint64_t{1}, ((last & 0x3F'FFFF) | 1) + 1, (last >> 31) != 0});
    }
  }

  /// Calls `move(address, bytes, offset)` for the next `bytes`, region by region; `offset` counts from the first of them. Ends early where the
  /// list ends, or where `move` returns false. Returns the number of bytes moved.
  template <typename Move>
  std::uint32_t advance(std::uint32_t bytes, Move move) {
    std::uint32_t done = 0;
    while (done < bytes && at_ < regions_.size()) {
      const Region& region = regions_[at_];
      const std::uint32_t part = std::min(bytes - done, region.bytes - used_);
      if (!move(region.address + used_, part, done)) break;
      done += part;
      used_ += part;
      if (used_ < region.bytes) break;
      interrupt_ = interrupt_ || region.interrupt;
      used_ = 0;
      ++at_;
    }
    return done;
  }

  /// Returns whether a region that asks for an interrupt has been completed since the last call.
  bool take_interrupt() {
    const bool passed = interrupt_;
    interrupt_ = false;
    return passed;
  }

 private:
  struct Region {
    std::uint64_t address;
    std::uint32_t bytes;
    bool interrupt;
  };

  std::vector<Region> regions_;
  std::size_t at_ = 0;
  std::uint32_t used_ = 0;  ///< bytes of the current region
  bool interrupt_ = false;
};

}  // namespace platter::ahci
