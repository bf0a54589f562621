// SPDX-License-Identifier: Apache-2.0
#include "platter/front/scsi/duration_pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "platter/core/big_endian.h"

namespace platter::scsi {

using command::DurationDescriptor;
using command::DurationLimit;
using command::DurationTable;
using command::LimitKind;
using command::LimitPolicy;
using core::Picoseconds;
using core::big_endian::get;
using core::big_endian::put;

namespace {

constexpr std::size_t kPageHeader = 8;
constexpr std::size_t kDescriptorBytes = 32;
constexpr std::size_t kPageBytes = kPageHeader + kDescriptorBytes * DurationTable::kDescriptors;
constexpr std::size_t kCost = 7;  ///< its upper half: performance versus command duration guideline

/// Where the limits of a descriptor are, and their policies.
struct LimitField {
  DurationLimit DurationDescriptor::* limit;
  LimitKind kind;
  std::size_t time;
  std::size_t policy;
  unsigned shift;
};
constexpr std::array<LimitField, 3> kLimitFields = {{{&DurationDescriptor::inactive, LimitKind::Inactive, 2, 6, 4},
                                                     {&DurationDescriptor::active, LimitKind::Active, 4, 6, 0},
                                                     {&DurationDescriptor::guideline, LimitKind::Guideline, 10, 14, 0}}};

/// T2CDLUNITS, ascending.
struct TimeUnit {
  std::uint8_t code;
  Picoseconds time;
};
constexpr std::array<TimeUnit, 4> kTimeUnits = {{{0x6, core::kPicosecondsPerMicrosecond / 2},
                                                 {0x8, core::kPicosecondsPerMicrosecond},
                                                 {0xA, 10 * core::kPicosecondsPerMillisecond},
                                                 {0xE, 500 * core::kPicosecondsPerMillisecond}}};
const TimeUnit* unit_of(std::uint8_t code) {
  const auto* const found =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [code](const TimeUnit& u) { return u.code == code; });
  return found != kTimeUnits.end() ? found : nullptr;
}

std::size_t cost_code(std::uint32_t permille) {
  std::size_t code = 0;
  while (code + 1 < command::kGuidelineCosts.size() && command::kGuidelineCosts[code + 1] <= permille) ++code;
  return code;
}

std::uint8_t policy_of(const std::vector<std::uint8_t>& page, std::size_t at, const LimitField& field) {
  return static_cast<std::uint8_t>(page[at + field.policy] >> field.shift & 0x0F);
}

std::size_t at_of(std::size_t number) { return kPageHeader + kDescriptorBytes * number; }

}  // namespace

std::vector<std::uint8_t> duration_page::make(const DurationTable& table, bool write) {
  std::vector<std::uint8_t> page(kPageBytes);
  page[0] = 0x40 | 0x0A;  // a subpage of the control mode page
  page[1] = write ? kT2B : kT2A;
  put(&page[2], kPageBytes - 4, 2);
  if (!write) page[kCost] = static_cast<std::uint8_t>(cost_code(table.cost_permille) << 4);
  for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
    const DurationDescriptor& d = table.descriptors[write ? 1 : 0][i];
    if (!d.any()) continue;
    const Picoseconds longest = std::max({d.inactive.time, d.active.time, d.guideline.time});
    constexpr Picoseconds kMax = std::numeric_limits<std::uint16_t>::max();
    const TimeUnit* unit = kTimeUnits.begin() + 1;  // microseconds, if they reach
    while (unit + 1 != kTimeUnits.end() && longest > unit->time * kMax) ++unit;
    page[at_of(i)] = unit->code;
    for (const LimitField& field : kLimitFields) {
      const DurationLimit& limit = d.*field.limit;
      put(&page[at_of(i) + field.time], static_cast<std::uint64_t>(std::min((limit.time + unit->time - 1) / unit->time, kMax)),
          2);
      page[at_of(i) + field.policy] |= static_cast<std::uint8_t>(static_cast<unsigned>(limit.policy) << field.shift);
    }
  }
  return page;
}

std::vector<std::uint8_t> duration_page::changeable(bool write) {
  std::vector<std::uint8_t> page(kPageBytes);
  if (!write) page[kCost] = 0xF0;
  for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
    page[at_of(i)] = 0x0F;
    for (const LimitField& field : kLimitFields) {
      put(&page[at_of(i) + field.time], 0xFFFF, 2);
      page[at_of(i) + field.policy] |= static_cast<std::uint8_t>(0x0F << field.shift);
    }
  }
  return page;
}

std::size_t duration_page::objection(const std::vector<std::uint8_t>& page, bool write) {
  if (!write && page[kCost] >> 4 >= command::kGuidelineCosts.size()) return kCost;
  for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
    const std::size_t at = at_of(i);
    const auto code = static_cast<std::uint8_t>(page[at] & 0x0F);
    if (code != 0 && unit_of(code) == nullptr) return at;
    for (const LimitField& field : kLimitFields) {
      const auto time = get(&page[at + field.time], 2);
      if (time != 0 && code == 0) return at;  // a limit without a unit
      if (!command::permitted(field.kind, static_cast<LimitPolicy>(policy_of(page, at, field)))) return at + field.policy;
    }
  }
  return 0;
}

void duration_page::read(const std::vector<std::uint8_t>& page, bool write, DurationTable& table) {
  if (!write) table.cost_permille = command::kGuidelineCosts[page[kCost] >> 4];
  for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
    const TimeUnit* const unit = unit_of(page[at_of(i)] & 0x0F);
    DurationDescriptor& d = table.descriptors[write ? 1 : 0][i];
    d = {};
    if (unit == nullptr) continue;
    for (const LimitField& field : kLimitFields)
      d.*field.limit = {static_cast<Picoseconds>(get(&page[at_of(i) + field.time], 2)) * unit->time,
                        static_cast<LimitPolicy>(policy_of(page, at_of(i), field))};
  }
}

std::vector<std::uint8_t> duration_log(const drive::DurationStatistics& statistics) {
  constexpr std::size_t kParameter = 36;
  std::vector<std::uint8_t> page;
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t number = 1; number <= DurationTable::kDescriptors; ++number) {
      const drive::DurationCounters& c = statistics.of[way][number];
      const std::size_t at = page.size();
      page.resize(at + kParameter);
      put(&page[at], (way + 1) << 4 | number, 2);
      page[at + 2] = 0x03;  // a binary list
      page[at + 3] = kParameter - 4;
      const auto counter = [&](std::size_t place, std::uint64_t value) {
        put(&page[at + place], std::min<std::uint64_t>(value, 0xFFFF'FFFFu), 4);
      };
      counter(4, c.inactive_missed);
      counter(8, c.active_missed);
      counter(12, c.guideline_missed);
      counter(24, c.in_recovery);  // misses attributable to errors
    }
  return page;
}

}  // namespace platter::scsi
