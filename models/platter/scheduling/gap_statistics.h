// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "platter/core/types.h"

namespace platter::scheduling {

/// The gaps before the reads that a placing policy has served, and the writes that were put into them. A gap is the rotational wait that
/// the read would have if the arm went there at once. It is measured at the first write into the gap, or at the read itself if no write was
/// put in. A gap that was given up for another read also counts.
struct GapStatistics {
  static constexpr core::Picoseconds kBin = 500 * core::kPicosecondsPerMicrosecond;

  std::uint64_t gaps = 0;
  std::uint64_t filled = 0;  ///< with at least one write
  core::Picoseconds total = 0;
  std::array<std::uint64_t, 16> sizes{};  ///< gaps by length in steps of `kBin`; the last one holds all longer ones
  std::array<std::uint64_t, 9> writes{};  ///< gaps by number of writes; the last one holds all larger numbers

  void add(core::Picoseconds gap, std::uint32_t taken) {
    ++gaps;
    filled += taken > 0 ? 1 : 0;
    total += gap;
    ++sizes[std::min<std::size_t>(static_cast<std::size_t>(gap / kBin), sizes.size() - 1)];
    ++writes[std::min<std::size_t>(taken, writes.size() - 1)];
  }
  GapStatistics& operator+=(const GapStatistics& other) {
    gaps += other.gaps;
    filled += other.filled;
    total += other.total;
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += other.sizes[i];
    for (std::size_t i = 0; i < writes.size(); ++i) writes[i] += other.writes[i];
    return *this;
  }
};

}  // namespace platter::scheduling
