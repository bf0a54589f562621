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
          .value("reads", "", "gaps", "count", [](const G& g) { return g.gaps; })
          .value("filled", "", "of them, with a write at least", "count", [](const G& g) { return g.filled; })
          .value("mean_ms", "ms", "", "mean", [](const G& g) { return params::mean(core::to_milliseconds(g.total), g.gaps); })
          .value("bin_ms", "ms", "width of a bin of `sizes`", "", [](const G&) { return core::to_milliseconds(G::kBin); })
          .value("sizes", "", "gaps by length; the last bin is open", "count", [](const G& g) { return g.sizes; })
          .value("writes", "", "gaps by the number of writes in them, from 0; the last count is of 8 and more", "count",
                 [](const G& g) { return g.writes; });
  return rows;
}

inline const params::Statistics<EagerResult>& eager_rows() {
  using E = EagerResult;
  static const auto rows =
      params::Statistics<E>()
          .value("writes", "", "blocks written to free places", "count", [](const E& e) { return e.blocks.writes; },
                 {"blocks written eagerly"})
          .value("hidden", "", "of them, in the gap before a read that came no later for it", "count",
                 [](const E& e) { return e.blocks.hidden; }, {"of them, hidden in gaps"})
          .value("read_first", "", "writes of a part of a block, which was read before", "count",
                 [](const E& e) { return e.blocks.read_first; })
          .value("free_blocks", "", "at the end", "last", [](const E& e) { return e.free_blocks; })
          .value("tracks_examined", "", "tracks on which the search for free blocks has looked for the next one", "count",
                 [](const E& e) { return e.tracks_examined; })
          .group("gaps",
                 "of the reads served: the rotational wait that each would have had, were the arm to go there at once, at the "
                 "first write put before it or, "
                 "without one, at the read itself. A gap that was given up for another read counts, too. Since the drive was "
                 "last switched on",
                 gap_rows(), [](const E& e) -> const scheduling::GapStatistics& { return e.gaps; });
  return rows;
}

}  // namespace platter::eager
