// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/limited_program.h"

#include <algorithm>

#include "platter/accelerator/registers.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::Command;

namespace {

/// The limit of a guideline's entry is put later by so many turns, a quarter of the time by which limits may lie ahead.
constexpr Picoseconds kLaterTurns = 512;

}  // namespace

LimitedProgram::LimitedProgram(const ProgramContext& context)
    : SptfProgram(scheduling::GuardMode::Pooled, context.policy.parameters.weight, context.scale),
      ticks_(context.scale),
      tags_(context.queue_depth),
      later_(context.scale.period() * kLaterTurns),
      later_ticks_(context.scale.sum(later_)),
      account_(context.longest_hop) {
  held_.reserve(context.queue_depth);
}

AcceleratorProgram::LimitUse LimitedProgram::limit_of(const Command& command, Picoseconds grace) const {
  if (command.high_priority) return {reg::kEPosLimitFirst, LimitUse::kPast};
  if (!scheduling::has_own_deadline(command)) return {};
  return command.guideline ? LimitUse{reg::kEPosLimitKeep, later_ - grace} : LimitUse{reg::kEPosLimitFirst, -grace};
}

bool LimitedProgram::arrived(ProgramHostIf& /*host*/, const Command& command) {
  if (command.guideline) account_.set_share(command.guideline_cost_permille);
  if (scheduling::LimitWindow::holds_back(command) && entered_ > 0 &&
      !window_.reached(command, entered_ + held_.size() + 1, command.arrival)) {
    held_.push_back(&command);
    return false;
  }
  ++entered_;
  guidelines_ += command.guideline ? 1 : 0;
  return true;
}

void LimitedProgram::left(const Command& command) {
  --entered_;
  guidelines_ -= command.guideline ? 1 : 0;
}

void LimitedProgram::served(ProgramHostIf& host, const Command& command) {
  left(command);
  window_.served(instant_, entered_ + held_.size());
  account_.charge(cost_);
  admit(host, instant_);
}

void LimitedProgram::withdrawn(ProgramHostIf& host, const Command& command) {
  const auto at = std::find(held_.begin(), held_.end(), &command);
  if (at != held_.end()) {
    held_.erase(at);
  } else {
    left(command);
    admit(host, instant_);
  }
  window_.withdrawn(entered_ + held_.size());
}

void LimitedProgram::asked(ProgramHostIf& host, Picoseconds when) { admit(host, when); }

void LimitedProgram::admit(ProgramHostIf& host, Picoseconds now) {
  if (held_.empty()) return;
  const bool all = entered_ == 0;
  const std::size_t waiting = entered_ + held_.size();
  auto kept = held_.begin();
  for (const Command* const command : held_) {
    if (!all && !window_.reached(*command, waiting, now)) {
      *kept++ = command;
      continue;
    }
    ++entered_;
    guidelines_ += command->guideline ? 1 : 0;
    host.recall(*command);
  }
  held_.erase(kept, held_.end());
}

std::uint32_t LimitedProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  const std::uint32_t code = SptfProgram::begin(port, context);
  instant_ = context.instant;
  account_.passed(instant_);
  tells_first_ = false;
  cost_ = 0;
  if (guidelines_ > 0) port.set(reg::kGrace, 0);
  return code;
}

AcceleratorProgram::Step LimitedProgram::ended(RegisterPortIf& port) {
  const scheduling::Decision decision = decision_of(port.read(reg::kResult));
  if (guidelines_ == 0 || decision.forced) return {decision, kDecide};
  const auto key = static_cast<std::int64_t>(static_cast<std::int32_t>(port.read(reg::kResultKey)));
  if (!tells_first_) {
    tells_first_ = true;
    without_ = decision;
    key_without_ = key;
    port.set(reg::kGrace, later_ticks_);
    return {std::nullopt, kDecide};
  }
  const auto extra = static_cast<Picoseconds>(static_cast<double>(std::max<std::int64_t>(key - key_without_, 0)) *
                                              ticks_.picoseconds_per_tick());
  if (decision.tag == without_.tag || !account_.allows(extra)) return {without_, kDecide};
  cost_ = extra;
  return {decision, kDecide};
}

Effort LimitedProgram::most_effort(std::uint32_t /*entries*/) const {
  Effort effort;
  effort.decides = 2;
  effort.accesses = 5;  // RESULT and RESULT_KEY twice, GRACE
  return effort;
}

Effort LimitedProgram::effort(std::uint32_t entries) const { return guidelines_ > 0 ? most_effort(entries) : Effort{}; }

}  // namespace platter::accelerator
