// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "platter/mapping/zones/zones.h"

namespace platter::zones {

/// Writes a report in the layout that ZBC (5.8.2) and ZAC (7.4) share: a header, and a descriptor for each zone. They differ in the order of the bytes
/// of a number only.
///
/// `to`: room for ZoneReport::kHeaderBytes, and for ZoneReport::kDescriptorBytes for each zone; all bytes are 0 before. `put(std::uint8_t* to,
/// std::uint64_t value, std::size_t bytes)` writes a number.
template <typename Put>
void write_report(const ZoneReport& report, std::uint8_t* to, const Put& put) {
  put(to, std::uint64_t{report.listed} * ZoneReport::kDescriptorBytes, std::size_t{4});
  to[4] = report.same;
  put(to + 8, report.last_block, std::size_t{8});
  to += ZoneReport::kHeaderBytes;
  for (const ZoneDescriptor& zone : report.zones) {
    to[0] = static_cast<std::uint8_t>(zone.type);
    to[1] = static_cast<std::uint8_t>(static_cast<unsigned>(zone.condition) << 4 | (zone.non_sequential ? 2u : 0u) |
                                      (zone.reset_recommended ? 1u : 0u));
    put(to + 8, zone.blocks, std::size_t{8});
    put(to + 16, zone.start, std::size_t{8});
    put(to + 24, zone.write_pointer, std::size_t{8});
    to += ZoneReport::kDescriptorBytes;
  }
}

}  // namespace platter::zones
