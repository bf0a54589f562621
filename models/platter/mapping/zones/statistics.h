// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/mapping/zones/zones.h"
#include "platter/params/statistic.h"

namespace platter::zones {

/// What befell the zones of one or more drives in a whole run, warm-up included.
struct ZoneResult {
  ZoneCounts counts;
  std::uint64_t open = 0;  ///< at the end

  void add(const Zones& zones) {
    counts += zones.counts();
    open += zones.open();
  }
};

inline const params::Statistics<ZoneResult>& zone_rows() {
  using Z = ZoneResult;
  static const auto rows =
      params::Statistics<Z>()
          .value("opens", "", "OPEN commands that were accepted", "count", [](const Z& z) { return z.counts.opens; })
          .value("closes", "", "CLOSE commands that were accepted", "count", [](const Z& z) { return z.counts.closes; })
          .value("finishes", "", "FINISH commands that were accepted", "count", [](const Z& z) { return z.counts.finishes; })
          .value("resets", "", "RESET commands that were accepted", "count", [](const Z& z) { return z.counts.resets; },
                 {"resets"})
          .value("zones_filled", "", "zones that a write has made full", "count",
                 [](const Z& z) { return z.counts.zones_filled; }, {"zones filled"})
          .value("zones_finished", "", "zones that FINISH has made full", "count",
                 [](const Z& z) { return z.counts.zones_finished; })
          .value("zones_reset", "", "zones that RESET has made empty", "count", [](const Z& z) { return z.counts.zones_reset; })
          .value("implicit_opens", "", "zones that a write has opened", "count",
                 [](const Z& z) { return z.counts.implicit_opens; })
          .value("implicit_closes", "", "zones that the drive has closed to open another one", "count",
                 [](const Z& z) { return z.counts.implicit_closes; }, {"implicit closes"})
          .value("open", "", "zones that are open, at the end", "count", [](const Z& z) { return z.open; })
          .value("out_of_order", "", "host-aware: writes that did not begin at the write pointer", "count",
                 [](const Z& z) { return z.counts.out_of_order; })
          .value("refused_reads", "", "reads that the rules of zones refuse", "count",
                 [](const Z& z) { return z.counts.refused_reads; })
          .value("refused_writes", "", "the same of writes", "count", [](const Z& z) { return z.counts.refused_writes; },
                 {"refused writes"})
          .value("refused_actions", "", "the same of zone management commands", "count",
                 [](const Z& z) { return z.counts.refused_actions; })
          .value("retracted", "", "write pointers that went back, because a write was lost or aborted", "count",
                 [](const Z& z) { return z.counts.retracted; });
  return rows;
}

}  // namespace platter::zones
