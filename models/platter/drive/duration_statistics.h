// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platter/command/duration.h"
#include "platter/params/statistic.h"

namespace platter::drive {

/// Counters of the commands that have named one descriptor.
struct DurationCounters {
  std::uint64_t commands = 0;          ///< accepted
  std::uint64_t inactive_missed = 0;   ///< their first access had not begun when this limit passed
  std::uint64_t active_missed = 0;     ///< the drive had not completed its work on them when this limit passed
  std::uint64_t guideline_missed = 0;  ///< they were not complete when this limit passed
  std::uint64_t in_recovery = 0;       ///< of the active and guideline misses, those with error recovery
  std::uint64_t aborted = 0;           ///< ended with an error because of a limit
  std::uint64_t unavailable = 0;       ///< ended without data because of a limit

  DurationCounters& operator+=(const DurationCounters& other) {
    commands += other.commands;
    inactive_missed += other.inactive_missed;
    active_missed += other.active_missed;
    guideline_missed += other.guideline_missed;
    in_recovery += other.in_recovery;
    aborted += other.aborted;
    unavailable += other.unavailable;
    return *this;
  }
};

/// The counters of a drive: of reads and of writes, by the descriptor's number. Number 0 has the commands that expire at their deadline.
struct DurationStatistics {
  std::array<std::array<DurationCounters, command::DurationTable::kDescriptors + 1>, 2> of{};

  DurationStatistics& operator+=(const DurationStatistics& other) {
    for (std::size_t way = 0; way < 2; ++way)
      for (std::size_t i = 0; i < of[way].size(); ++i) of[way][i] += other.of[way][i];
    return *this;
  }
  /// A command has had a limit.
  bool any() const {
    for (const auto& way : of)
      for (const DurationCounters& one : way)
        if (one.commands > 0) return true;
    return false;
  }
  /// Those with commands, by name.
  std::vector<std::pair<std::string, DurationCounters>> by_name() const {
    std::vector<std::pair<std::string, DurationCounters>> found;
    for (std::size_t way = 0; way < 2; ++way)
      for (std::size_t i = 0; i < of[way].size(); ++i)
        if (of[way][i].commands > 0) found.emplace_back((way == 0 ? "read_" : "write_") + std::to_string(i), of[way][i]);
    return found;
  }
};

/// Statistics of one descriptor.
inline const params::Statistics<DurationCounters>& duration_rows() {
  using D = DurationCounters;
  static const auto rows =
      params::Statistics<D>()
          .value("commands", "", "commands with this descriptor", "count", [](const D& d) { return d.commands; }, {"commands"})
          .value("inactive_missed", "", "of them, those whose first access had not begun when this limit passed", "count",
                 [](const D& d) { return d.inactive_missed; }, {"inactive"})
          .value("active_missed", "", "of them, those whose work took longer than this limit", "count",
                 [](const D& d) { return d.active_missed; }, {"active"})
          .value("guideline_missed", "", "of them, those that were not complete when this limit passed", "count",
                 [](const D& d) { return d.guideline_missed; }, {"guideline"})
          .value("in_recovery", "", "of the misses of the active limit and the guideline, those with error recovery", "count",
                 [](const D& d) { return d.in_recovery; })
          .value("aborted", "", "commands that a limit has ended with an error", "count", [](const D& d) { return d.aborted; },
                 {"aborted"})
          .value("unavailable", "", "commands that a limit has ended without data", "count",
                 [](const D& d) { return d.unavailable; }, {"unavailable"});
  return rows;
}

}  // namespace platter::drive
