// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "platter/core/random.h"
#include "platter/host/array/block_cache.h"

namespace platter::host::mixed_server {

/// The server's least-recently-used buffer cache of text units, without their bytes. At first it is filled as a long series of uniform
/// requests would fill it.
class UnitCache {
 public:
  /// `units` is the number of units of all text.
  UnitCache(std::uint64_t units, std::uint64_t cache_bytes, std::uint32_t unit_bytes, std::uint64_t seed)
      : blocks_(static_cast<std::uint32_t>(std::min(units, cache_bytes / unit_bytes)), unit_bytes) {
    core::RandomStream random(seed, "mixed_server.text.cache");
    if (blocks_.capacity() == units) {
      for (std::uint64_t unit = 0; unit < units; ++unit) touch(unit);
    }
    while (blocks_.size() < blocks_.capacity()) touch(random.below(units));
  }

  /// Returns whether the unit was in the cache. Afterwards it is, as the most recently used one.
  bool use(std::uint64_t unit) {
    const bool hit = touch(unit);
    ++uses_;
    if (hit) ++hits_;
    return hit;
  }
  /// Takes a unit out that could not be read.
  void erase(std::uint64_t unit) { blocks_.erase(unit); }

  std::uint64_t uses() const { return uses_; }
  std::uint64_t hits() const { return hits_; }

 private:
  bool touch(std::uint64_t unit) {
    const bool hit = blocks_.read(unit, 0, nullptr, 0);
    if (!hit) blocks_.insert(unit, nullptr);
    return hit;
  }

  array::BlockCache blocks_;
  std::uint64_t uses_ = 0;
  std::uint64_t hits_ = 0;
};

}  // namespace platter::host::mixed_server
