// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platter/drive/duration_statistics.h"
#include "platter/front/scsi/unit_identity.h"

namespace platter::scsi {

/// @cond of the implementation

/// What a drive has counted, for the log pages.
struct UnitCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t recovered = 0;      ///< accesses that retries have saved
  std::uint64_t retried = 0;        ///< accesses that needed retries
  std::uint64_t uncorrectable = 0;  ///< commands that ended with an unreadable block
  std::uint64_t write_errors = 0;   ///< commands whose data could not be written
  std::uint64_t pending = 0;        ///< sectors that could not be read, and have not been written since
  std::uint64_t resets = 0;         ///< restarts of the firmware and losses of the link
  std::uint64_t scrubbed_blocks = 0;
  std::uint64_t starts = 0;  ///< of the spindle
  std::uint64_t power_on_minutes = 0;
  const drive::DurationStatistics* durations = nullptr;  ///< null: not asked for, or the unit has no duration limits
};

/// The log page of duration limits.
inline constexpr std::uint8_t kDurationLog = 0x19;
inline constexpr std::uint8_t kDurationSublog = 0x21;

using Bytes = std::vector<std::uint8_t>;

/// Standard INQUIRY data (SPC-4, 6.5.2).
Bytes standard_inquiry(const UnitIdentity& identity);
/// A vital product data page (SPC-4, 7.8; SBC-3, 6.6); nothing: there is no such page.
std::optional<Bytes> vital_product_data(const UnitIdentity& identity, std::uint8_t code);
/// A log page (SPC-4, 7.3); nothing: there is no such page. `parameter`: the first one that is wanted.
std::optional<Bytes> log_page(const UnitCounters& counters, std::uint8_t code, std::uint8_t subcode, std::uint16_t parameter);
/// READ CAPACITY (10) and (16) data (SBC-3, 5.15, 5.16).
Bytes capacity_10(const UnitIdentity& identity);
Bytes capacity_16(const UnitIdentity& identity);
/// INQUIRY data of a logical unit that is not there.
Bytes no_unit_inquiry();

/// @endcond

}  // namespace platter::scsi
