// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platter/command/command.h"
#include "platter/drive/duration_statistics.h"

namespace platter::ahci {

/// @cond of the implementation

using Page = std::vector<std::uint8_t>;  ///< 512 bytes each

inline constexpr std::uint8_t kLogSuccessSense = 0x0F;
inline constexpr std::uint8_t kLogDurations = 0x18;

/// Sense data of queued commands that have ended well, for log 0Fh (ACS-6, 9.29).
struct SuccessSense {
  std::uint32_t valid = 0;  ///< tags with sense data, one bit each
  std::array<command::Sense, 32> of{};

  void set(std::uint8_t tag, const command::Sense& sense) {
    valid |= 1u << tag;
    of[tag] = sense;
  }
};
/// Log 0Fh, two pages of 512 bytes.
Page success_sense_log(const SuccessSense& successes);

/// Log 18h, the duration descriptors (ACS-6, 9.30), one page of 512 bytes.
Page duration_log(const command::DurationTable& table);
/// Reads such a page. Returns false if it has a value that the standard does not allow; `table` is then as it was.
bool read_duration_log(const Page& page, command::DurationTable& table);

/// Page 09h of log 04h: for each descriptor the counters that its selectors name (ACS-6, 9.5.10).
Page duration_statistics(const drive::DurationStatistics& statistics);

/// @endcond

}  // namespace platter::ahci
