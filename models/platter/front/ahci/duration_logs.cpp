// SPDX-License-Identifier: Apache-2.0
#include "platter/front/ahci/duration_logs.h"

#include <algorithm>
#include <cstddef>

namespace platter::ahci {

using command::DurationDescriptor;
using command::DurationLimit;
using command::DurationTable;
using command::LimitKind;
using command::LimitPolicy;
using core::Picoseconds;

namespace {

constexpr std::size_t kLogBytes = 512;
constexpr std::size_t kReadsAt = 64;  ///< where the descriptors begin
constexpr std::size_t kWritesAt = 288;
constexpr std::size_t kDescriptorBytes = 32;

/// Where the limits of a descriptor are, in microseconds, and the lowest bit of their policies.
struct LimitField {
  DurationLimit DurationDescriptor::* limit;
  LimitKind kind;
  std::size_t at;
  unsigned policy;
};
constexpr std::array<LimitField, 3> kLimitFields = {{{&DurationDescriptor::active, LimitKind::Active, 4, 4},
                                                     {&DurationDescriptor::inactive, LimitKind::Inactive, 8, 8},
                                                     {&DurationDescriptor::guideline, LimitKind::Guideline, 16, 0}}};

void store(Page& page, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) page[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}
std::uint32_t load(const Page& page, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | page[at + i];
  return value;
}

std::size_t at_of(std::size_t way, std::size_t number) { return (way == 0 ? kReadsAt : kWritesAt) + kDescriptorBytes * number; }

}  // namespace

Page success_sense_log(const SuccessSense& successes) {
  Page page(2 * kLogBytes);
  store(page, 0, std::uint64_t{kLogSuccessSense} << 16 | 1, 8);
  store(page, 8, successes.valid, 4);
  for (std::size_t tag = 0; tag < successes.of.size(); ++tag) {
    if ((successes.valid >> tag & 1) == 0) continue;
    const std::size_t at = 32 + 24 * tag;
    page[at] = successes.of[tag].key;
    page[at + 1] = successes.of[tag].code;
    page[at + 2] = successes.of[tag].qualifier;
  }
  return page;
}

Page duration_log(const DurationTable& table) {
  Page page(kLogBytes);
  const auto* const code =
      std::upper_bound(command::kGuidelineCosts.begin(), command::kGuidelineCosts.end(), table.cost_permille);
  page[0] = static_cast<std::uint8_t>(code - command::kGuidelineCosts.begin() - 1);
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
      const DurationDescriptor& d = table.descriptors[way][i];
      std::uint32_t policies = 0;
      for (const LimitField& field : kLimitFields) {
        const DurationLimit& limit = d.*field.limit;
        const Picoseconds us = (limit.time + core::kPicosecondsPerMicrosecond - 1) / core::kPicosecondsPerMicrosecond;
        store(page, at_of(way, i) + field.at, static_cast<std::uint64_t>(std::min<Picoseconds>(us, 0xFFFF'FFFF)), 4);
        // Of ATA, abort-recovery is reserved. A profile may have it, and its effect is that of abort.
        const LimitPolicy policy = limit.policy == LimitPolicy::AbortRecovery ? LimitPolicy::Abort : limit.policy;
        policies |= static_cast<std::uint32_t>(policy) << field.policy;
      }
      store(page, at_of(way, i), policies, 4);
    }
  return page;
}

bool read_duration_log(const Page& page, DurationTable& table) {
  DurationTable read;
  const std::size_t code = page[0] & 0x0F;
  if (code >= command::kGuidelineCosts.size()) return false;
  read.cost_permille = command::kGuidelineCosts[code];
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t i = 0; i < DurationTable::kDescriptors; ++i) {
      DurationDescriptor& d = read.descriptors[way][i];
      const std::uint32_t policies = load(page, at_of(way, i));
      for (const LimitField& field : kLimitFields) {
        const auto policy = static_cast<LimitPolicy>(policies >> field.policy & 0x0F);
        if (policy == LimitPolicy::AbortRecovery || !command::permitted(field.kind, policy)) return false;
        d.*field.limit = {Picoseconds{load(page, at_of(way, i) + field.at)} * core::kPicosecondsPerMicrosecond, policy};
      }
    }
  table = read;
  return true;
}

Page duration_statistics(const drive::DurationStatistics& statistics) {
  constexpr std::uint64_t kSupported = 3ull << 62;  // supported and valid
  Page page(kLogBytes);
  store(page, 0, std::uint64_t{9} << 16 | 1, 8);
  std::size_t at = 8;
  for (std::size_t way = 0; way < 2; ++way)
    for (std::size_t number = 1; number <= DurationTable::kDescriptors; ++number) {
      const drive::DurationCounters& c = statistics.of[way][number];
      for (const std::uint64_t value : {c.inactive_missed + c.active_missed + c.guideline_missed, c.aborted + c.unavailable}) {
        store(page, at, kSupported | value, 8);
        at += 8;
      }
    }
  return page;
}

}  // namespace platter::ahci
