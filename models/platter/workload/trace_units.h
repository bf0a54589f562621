// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "platter/core/types.h"

namespace platter::workload {

/// Picoseconds since the origin of a trace's time stamps, which may be the year 1601. Negative: before the origin.
__extension__ using TraceTime = __int128;
/// Earlier than any time of a trace.
inline constexpr TraceTime kBeforeAll = -(TraceTime{1} << 126);

struct TimeUnit {
  std::string_view name;
  std::string_view plural;  ///< for messages
  std::int64_t ps;          ///< a power of ten
};

inline constexpr std::array<TimeUnit, 6> kTimeUnits{{{"s", "seconds", core::kPicosecondsPerSecond},
                                                     {"ms", "milliseconds", core::kPicosecondsPerMillisecond},
                                                     {"us", "microseconds", core::kPicosecondsPerMicrosecond},
                                                     {"100ns", "units of 100 ns", 100 * core::kPicosecondsPerNanosecond},
                                                     {"ns", "nanoseconds", core::kPicosecondsPerNanosecond},
                                                     {"ps", "picoseconds", 1}}};
inline constexpr const TimeUnit& kSeconds = kTimeUnits[0];
inline constexpr const TimeUnit& kMilliseconds = kTimeUnits[1];
inline constexpr const TimeUnit& kMicroseconds = kTimeUnits[2];
inline constexpr const TimeUnit& kFiletime = kTimeUnits[3];  ///< Windows' FILETIME
inline constexpr const TimeUnit& kNanoseconds = kTimeUnits[4];

/// nullptr if there is no such unit.
constexpr const TimeUnit* find_time_unit(std::string_view name) {
  for (const TimeUnit& unit : kTimeUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

/// Sectors of the formats that count in them.
inline constexpr std::uint64_t kTraceSectorBytes = 512;

/// What the numbers of a trace count.
struct TraceUnits {
  TimeUnit time;                    ///< of time stamps, and of recorded response times
  std::uint64_t address_bytes = 1;  ///< of addresses
  std::uint64_t size_bytes = 1;     ///< of sizes
};

}  // namespace platter::workload
