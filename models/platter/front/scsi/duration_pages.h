// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/command/duration.h"
#include "platter/drive/duration_statistics.h"

namespace platter::scsi {

/// @cond of the implementation

/// The command duration limit T2A and T2B mode pages (SPC-6, 7.5.10 and 7.5.11), of reads and of writes. A T2A page has the share of the
/// throughput that guidelines may cost besides.
namespace duration_page {
inline constexpr std::uint8_t kT2A = 0x07;  ///< subpage of the control mode page
inline constexpr std::uint8_t kT2B = 0x08;

/// The page with these descriptors.
std::vector<std::uint8_t> make(const command::DurationTable& table, bool write);
/// Which bits a host may change.
std::vector<std::uint8_t> changeable(bool write);
/// The position of the first byte that the standard does not allow; 0: there is none.
std::size_t objection(const std::vector<std::uint8_t>& page, bool write);
/// Reads the descriptors of a page without objection into `table`.
void read(const std::vector<std::uint8_t>& page, bool write, command::DurationTable& table);
}  // namespace duration_page

/// The parameters of the command duration limits statistics log page (SPC-6, 7.3.8; page 19h, subpage 21h).
std::vector<std::uint8_t> duration_log(const drive::DurationStatistics& statistics);

/// @endcond

}  // namespace platter::scsi
