// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platter/core/types.h"
#include "platter/params/statistic.h"

namespace platter::drive {

/// Arrivals of the head on a drive whose arrivals have a spread.
struct ArrivalCounts {
  std::uint64_t accesses = 0;  ///< to the media
  std::uint64_t missed = 0;    ///< accesses whose head arrived behind the first sector
  std::uint64_t missed_turns = 0;
  std::uint64_t gained_turns = 0;  ///< of accesses whose head was in time for an earlier turn than at the mean arrival

  void add(std::int32_t turns) {
    ++accesses;
    if (turns > 0) {
      ++missed;
      missed_turns += static_cast<std::uint64_t>(turns);
    } else {
      gained_turns += static_cast<std::uint64_t>(-turns);
    }
  }
  ArrivalCounts& operator+=(const ArrivalCounts& other) {
    accesses += other.accesses;
    missed += other.missed;
    missed_turns += other.missed_turns;
    gained_turns += other.gained_turns;
    return *this;
  }
};

/// The same by class and kind. Blocks that the drive writes from its buffer are writes of class background.
struct ArrivalStatistics {
  std::array<std::array<ArrivalCounts, 2>, core::kRequestClasses> of{};  ///< by class, then reads and writes

  ArrivalStatistics& operator+=(const ArrivalStatistics& other) {
    for (std::size_t cls = 0; cls < of.size(); ++cls)
      for (std::size_t kind = 0; kind < 2; ++kind) of[cls][kind] += other.of[cls][kind];
    return *this;
  }
  /// Those that have any access.
  std::vector<std::pair<std::string_view, std::array<ArrivalCounts, 2>>> classes() const {
    std::vector<std::pair<std::string_view, std::array<ArrivalCounts, 2>>> some;
    for (std::size_t cls = 0; cls < of.size(); ++cls)
      if (of[cls][0].accesses + of[cls][1].accesses > 0)
        some.push_back({core::to_string(static_cast<core::RequestClass>(cls)), of[cls]});
    return some;
  }
};

inline const params::Statistics<ArrivalCounts>& arrival_count_rows() {
  using A = ArrivalCounts;
  static const auto rows =
      params::Statistics<A>()
          .value("accesses", "", "accesses to the media", "count", [](const A& a) { return a.accesses; }, {"accesses"})
          .value("missed", "", "accesses whose head arrived behind their first sector", "count",
                 [](const A& a) { return a.missed; }, {"missed"})
          .value("missed_share", "", "share of the `accesses` that missed; null without accesses", "mean",
                 [](const A& a) { return params::mean(static_cast<double>(a.missed), a.accesses); }, {"share", 4})
          .value("missed_turns", "", "additional turns that these accesses waited", "sum",
                 [](const A& a) { return a.missed_turns; })
          .value("gained_turns", "", "turns by which accesses waited less, because the head was in time for an earlier turn",
                 "sum", [](const A& a) { return a.gained_turns; }, {"gained turns"});
  return rows;
}

inline const params::Statistics<ArrivalStatistics>& arrival_rows() {
  using Kinds = std::array<ArrivalCounts, 2>;
  static const auto kinds = params::Statistics<Kinds>()
                                .group("reads", "reads", arrival_count_rows(),
                                       [](const Kinds& k) -> const ArrivalCounts& { return k[0]; }, {"accesses, reads"})
                                .group("writes", "writes", arrival_count_rows(),
                                       [](const Kinds& k) -> const ArrivalCounts& { return k[1]; }, {"accesses, writes"});
  static const auto rows = params::Statistics<ArrivalStatistics>().by_name(
      "classes", "a class; blocks that a drive writes from its buffer are of class background; without accesses it is left out",
      kinds, [](const ArrivalStatistics& s) { return s.classes(); });
  return rows;
}

}  // namespace platter::drive
