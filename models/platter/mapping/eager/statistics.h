// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/mapping/eager/eager_mapping.h"
#include "platter/params/statistic.h"
#include "platter/scheduling/gap_statistics.h"

namespace platter::eager {

/// What eager writing did on one or more drives in a whole run, warm-up included.
struct EagerResult {
  EagerStatistics blocks;
  std::uint64_t free_blocks = 0;
  std::uint64_t tracks_examined = 0;
  scheduling::GapStatistics gaps;
};

inline const params::Statistics<scheduling::GapStatistics>& gap_rows() {
  using G = scheduling::GapStatistics;
  static const auto rows =
      params::Statistics<G>()
          .value("reads", "", "number of gaps", "count", [](const G& g) { return g.gaps; })
          .value("filled", "", "gaps that took at least one write", "count", [](const G& g) { return g.filled; })
          .value("mean_ms", "ms", "mean length of a gap", "mean",
                 [](const G& g) { return params::mean(core::to_milliseconds(g.total), g.gaps); })
          .value("bin_ms", "ms", "width of a bin of `sizes`", "", [](const G&) { return core::to_milliseconds(G::kBin); })
          .value("sizes", "", "gaps by length, in bins of `bin_ms`; the last bin holds all longer gaps", "count",
                 [](const G& g) { return g.sizes; })
          .value("writes", "", "gaps by the number of writes in them, from 0; the last count is for 8 and more", "count",
                 [](const G& g) { return g.writes; });
  return rows;
}

inline const params::Statistics<EagerResult>& eager_rows() {
  using E = EagerResult;
  static const auto rows =
      params::Statistics<E>()
          .value("writes", "", "blocks written to free places", "count", [](const E& e) { return e.blocks.writes; },
                 {"blocks written eagerly"})
          .value("hidden", "", "blocks written in the gap before a read without delaying that read", "count",
                 [](const E& e) { return e.blocks.hidden; }, {"of these, hidden in gaps"})
          .value("read_first", "", "writes of a part of a block, for which the block was read first", "count",
                 [](const E& e) { return e.blocks.read_first; })
          .value("free_blocks", "", "free blocks at the end of the run", "last", [](const E& e) { return e.free_blocks; })
          .value("tracks_examined", "", "tracks that were examined in the search for the next free block", "count",
                 [](const E& e) { return e.tracks_examined; })
          .group("gaps",
                 "gaps before the reads served since the drive was last switched on. A gap is the rotational wait that the "
                 "read would have if the arm went to it at once. It is measured at the first write put before the read or, "
                 "without one, at the read itself. A gap that was given up for another read also counts",
                 gap_rows(), [](const E& e) -> const scheduling::GapStatistics& { return e.gaps; });
  return rows;
}

}  // namespace platter::eager
