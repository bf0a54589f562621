// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/table_mirror.h"

#include <algorithm>

#include "platter/scheduling/policies.h"

namespace platter::accelerator {

using scheduling::Command;

namespace {

std::uint32_t distance(core::Cylinder a, core::Cylinder b) { return a > b ? a.value - b.value : b.value - a.value; }

}  // namespace

void TableMirror::enter(const Command& command, bool in_sweep, bool limited, core::Picoseconds now) {
  commands_[command.tag.value] = &command;
  staged_[command.tag.value] = in_sweep || limited ? now : core::kNoDeadline;
  ++entries_;
  if (limited) ++limited_;
  debts_stale_ = true;
  if (in_sweep) {
    ++continuous_;
    sums_stale_ = true;
  }
}

void TableMirror::leave(const Command& command, bool in_sweep, bool limited) {
  commands_[command.tag.value] = nullptr;
  --entries_;
  if (limited) --limited_;
  if (!in_sweep) return;
  sums_stale_ = true;
  --continuous_;
  direction_settled_ = direction_settled_ && continuous_ > 0;
}

void TableMirror::clear() { *this = TableMirror(tags()); }

const Command* TableMirror::staged_before(core::Picoseconds now, core::Picoseconds age) {
  if (now < look_again_) return nullptr;
  const Command* oldest = nullptr;
  core::Picoseconds first = now;
  for (const Command* command : commands_)
    if (command != nullptr && staged_[command->tag.value] < first) {
      oldest = command;
      first = staged_[command->tag.value];
    }
  look_again_ = first + age;
  return look_again_ <= now ? oldest : nullptr;
}

std::uint32_t TableMirror::beyond(core::Cylinder cylinder) const {
  std::uint32_t beyond = 0;
  std::uint32_t left = entries_;  // most tags are free, and the lowest are taken first
  for (auto at = commands_.begin(); left > 0; ++at) {
    if (*at == nullptr) continue;
    --left;
    if ((*at)->extent.cylinder > cylinder) ++beyond;
  }
  return beyond;
}

bool TableMirror::downward(core::Cylinder head) {
  if (continuous_ > 0 && !direction_settled_) {
    core::Cylinder low(~0u);
    core::Cylinder high(0);
    for (const Command* command : commands_) {
      if (command == nullptr || !scheduling::in_sweep(*command)) continue;
      low = std::min(low, command->extent.cylinder);
      high = std::max(high, command->extent.cylinder);
    }
    downward_ = distance(low, head) > distance(high, head);
  }
  return downward_;
}

std::uint32_t TableMirror::decide_cycles(const reg::Parameters& built, bool guarded, bool sums_stale) const {
  std::uint32_t cycles = reg::cycles::decide_pass(built);
  sums_stale = sums_stale || sums_stale_;
  if (!guarded || !(sums_stale || (debts_stale_ && continuous_ > 0))) return cycles;
  cycles += reg::cycles::stale();
  if (sums_stale) cycles += reg::cycles::sums(entries_, continuous_);
  if (continuous_ > 0) cycles += reg::cycles::debts(built);
  return cycles;
}

void TableMirror::decided() {
  if (sums_stale_) debts_stale_ = true;
  if (continuous_ > 0) debts_stale_ = false;
  sums_stale_ = false;
}

}  // namespace platter::accelerator
