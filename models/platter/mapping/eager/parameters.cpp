// SPDX-License-Identifier: Apache-2.0
#include "platter/mapping/eager/parameters.h"

#include <fmt/format.h>

namespace platter::eager {

using params::at;
using params::Range;

const params::Table<EagerOptions>& eager_parameters() {
  using P = EagerOptions;
  static const params::Table<P> table = {
      {"eager.enabled", "", "eager writing: a write goes to a free block near the head", at(&P::enabled)},
      {"eager.dilution", "", "physical blocks for each logical block", at(&P::dilution), Range{1.001, 1000}},
      {"eager.block_bytes", "bytes",
       "size of a block, which is placed as a whole; a multiple of the sector, at least two sectors", at(&P::block_bytes),
       Range{1024, 1048576}},
      {"eager.way_cylinders", "", "cylinders between the arm and its target that are searched for a free block",
       at(&P::way_cylinders), Range{0, 1000}},
      {"eager.bind_reads", "", "the one seek direction of the search for free blocks also applies to the reads",
       at(&P::bind_reads)},
      {"eager.ageing_turnovers", "turnovers",
       "ageing of the free space before the run: how many times as many blocks, drawn at random, are written as the data have; "
       "0: free blocks at random",
       at(&P::ageing_turnovers), Range{0, 100}},
  };
  return table;
}

void check(const EagerOptions& options, const profile::DriveProfile& drive, params::Findings& findings) {
  if (!options.enabled) return;
  if (const std::string wrong = objection(drive); !wrong.empty()) findings.add("eager.enabled", wrong);
  const std::uint32_t sector = drive.geometry.sector_bytes;
  if (options.block_bytes % sector != 0 || options.block_bytes < 2 * sector)
    findings.add("eager.block_bytes",
                 fmt::format("found {}, expected a multiple of the sector's {} bytes, two sectors at least",
                             options.block_bytes, sector));
}

}  // namespace platter::eager
