// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/part_program.h"

#include <algorithm>

namespace platter::accelerator {

using core::Tag;
using scheduling::Command;
using scheduling::Decision;

PartProgram::PartProgram(const ProgramContext& context)
    : clusters_(context),
      most_(context.policy.parameters.requests),
      guard_(context.policy.row->guard),
      known_(context.queue_depth) {
  part_.reserve(most_);
  planned_.reserve(most_);
  sweep_.reserve(context.queue_depth);
  withheld_.reserve(context.queue_depth);
}

std::uint32_t PartProgram::control() const {
  return (static_cast<std::uint32_t>(guarded()) << reg::kCtrlGuardEnLsb) | (1u << reg::kCtrlMaskEnLsb);
}

// --- a decision ------------------------------------------------------------------------------------------------------

PartProgram::Step PartProgram::serve_part(RegisterPortIf& port) {
  if (next_ == planned_.size()) return serve_sweep(port);
  clusters_.mask(port, &planned_[next_]);
  asked_ = Asked::Part;
  return {std::nullopt, kDecide};
}

PartProgram::Step PartProgram::serve_sweep(RegisterPortIf& port) {
  // Nobody competes: the decision is forced, and says which one is the sweep's first.
  clusters_.mask(port, nullptr);
  return serve_mask();
}

PartProgram::Step PartProgram::checked(RegisterPortIf& port) {
  const Decision decision = decision_of(port.read(reg::kResult));
  if (!decision.forced || asked_ == Asked::First) return {decision, kDecide};
  if (asked_ == Asked::Part) {
    if (planned_[next_] == decision.tag) return {decision, kDecide};
    if (!scheduling::in_sweep(command(planned_[next_])) && ++next_ < planned_.size()) return serve_part(port);
  }
  asked_ = Asked::First;
  clusters_.mask(port, &decision.tag);
  return {std::nullopt, kDecide};
}

void PartProgram::add_checks(Effort& effort, std::uint32_t commands, bool any_refused) const {
  // Without a sweep nothing is refused; with one, all of them and the sweep's first one may be.
  effort.decides = any_refused ? commands + 2 : 1;
  effort.accesses += effort.decides + clusters_.mask_words() + 2 * (effort.decides - 1);
}

// --- commands --------------------------------------------------------------------------------------------------------

bool PartProgram::arrived(ProgramHostIf& host, const Command& command) {
  const bool enters = came(host, command);
  known_[command.tag.value] = &command;
  if (scheduling::in_sweep(command)) sweep_.push_back(&command);
  if (!enters) withheld_.push_back({&command, false});
  return enters;
}

void PartProgram::served(ProgramHostIf& host, const Command& command) {
  part_ = planned_;
  const std::size_t postponed = next_;
  const auto at = std::find(part_.begin() + static_cast<std::ptrdiff_t>(postponed), part_.end(), command.tag);
  const bool of_part = at != part_.end();
  if (of_part) part_.erase(at);
  if (const auto c = std::find(sweep_.begin(), sweep_.end(), &command); c != sweep_.end()) sweep_.erase(c);
  known_[command.tag.value] = nullptr;
  if (!sweep_.empty())
    for (std::size_t i = 0; i < postponed; ++i) withhold(host, *known_[part_[i].value], true);
  part_.erase(part_.begin(), part_.begin() + static_cast<std::ptrdiff_t>(postponed));
  const bool whole = part_.empty() && !planned_.empty();
  if (!of_part) part_.clear();
  gone(host, command, of_part, whole);
}

void PartProgram::withhold(ProgramHostIf& host, const Command& command, bool postponed) {
  host.withhold(command);
  withheld_.push_back({&command, postponed});
}

void PartProgram::recall(ProgramHostIf& host, bool postponed_too) {
  std::sort(withheld_.begin(), withheld_.end(),
            [](const Withheld& a, const Withheld& b) { return scheduling::older(*a.command, *b.command); });
  auto kept = withheld_.begin();
  for (const Withheld& w : withheld_) {
    if (w.postponed && !postponed_too)
      *kept++ = w;
    else
      host.recall(*w.command);
  }
  withheld_.erase(kept, withheld_.end());
}

}  // namespace platter::accelerator
