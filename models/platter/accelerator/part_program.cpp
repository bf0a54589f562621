// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/part_program.h"

#include <algorithm>

namespace platter::accelerator {

using core::Tag;
using scheduling::Command;
using scheduling::Decision;

PartProgram::PartProgram(const ProgramContext& context)
    : until_(context.interpretations.postponed),
      clusters_(context),
      most_(context.policy.parameters.requests),
      guard_(context.policy.row->guard),
      known_(context.queue_depth),
      scale_(context.scale) {
  part_.reserve(most_);
  planned_.reserve(most_);
  sweep_.reserve(context.queue_depth);
  withheld_.reserve(context.queue_depth);
  refused_.reserve(context.queue_depth);
  mask_.resize(clusters_.mask_words());
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
  // With an empty mask the decision is forced and returns the sweep's first command.
  clusters_.mask(port, nullptr);
  return serve_mask();
}

PartProgram::Step PartProgram::serve_collected(RegisterPortIf& port) {
  asked_ = Asked::Collected;
  if (!sweep_.empty()) clusters_.mask_of(port, mask_);
  return {std::nullopt, kDecide};
}

PartProgram::Step PartProgram::nearest(RegisterPortIf& port) {
  asked_ = Asked::Nearest;
  clusters_.set_mask(port, mask_);
  return {std::nullopt, kDecide};
}

PartProgram::Step PartProgram::checked(RegisterPortIf& port) {
  const Decision decision = decision_of(port.read(reg::kResult));
  if (decision.kind == Decision::Kind::Idle) return {any_withheld(true) ? until_.wait() : decision, kDecide};
  if (asked_ == Asked::Nearest) {  // the guard has refused all commands nearer than the one found
    if (decision.tag == found_.tag) return {found_, kDecide};
    refused_.push_back(decision.tag);
    mask_[decision.tag.value / 32] &= ~(1u << decision.tag.value % 32);
    return nearest(port);
  }
  if (asked_ == Asked::Collected && !sweep_.empty()) {
    if (!decision.forced) {
      found_ = decision;
      port.set(reg::kCtrl, port.read(reg::kCtrl) & ~(1u << reg::kCtrlGuardEnLsb));
      return nearest(port);
    }
    for (std::size_t word = 0; word < mask_.size(); ++word)
      for (std::uint32_t bits = mask_[word]; bits != 0; bits &= bits - 1)
        refused_.emplace_back(static_cast<std::uint16_t>(32 * word + static_cast<std::uint32_t>(__builtin_ctz(bits))));
  }
  if (asked_ == Asked::Time) {
    port.set(reg::kHeadTime, scale_.time_of_day(instant_));
    if (!decision.forced) return {std::nullopt, kAnew};
  } else {
    if (!decision.forced || asked_ == Asked::First) return {decision, kDecide};
    if (asked_ == Asked::Part) {
      if (planned_[next_] == decision.tag) return {decision, kDecide};
      if (!scheduling::in_sweep(command(planned_[next_])) && ++next_ < planned_.size()) return serve_part(port);
      if (next_ == planned_.size() && goes_on()) {
        asked_ = Asked::Time;
        clusters_.mask(port, &decision.tag);
        port.set(reg::kHeadTime, scale_.time_of_day(instant_ + longest_));
        return {std::nullopt, kDecide};
      }
    }
  }
  asked_ = Asked::First;
  clusters_.mask(port, &decision.tag);
  return {std::nullopt, kDecide};
}

void PartProgram::add_checks(Effort& effort, std::uint32_t commands, bool any_refused) const {
  // Without a sweep no command is refused; with one, the guard may refuse all of them and the sweep's first command.
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
  if (!sweep_.empty() || !until_.last_served()) {
    for (std::size_t i = 0; i < postponed; ++i) withhold(host, *known_[part_[i].value], true);
    for (const Tag refused : refused_) withhold(host, *known_[refused.value], true);
  }
  part_.erase(part_.begin(), part_.begin() + static_cast<std::ptrdiff_t>(postponed));
  const bool whole = part_.empty() && !planned_.empty();
  if (!of_part) part_.clear();
  gone(host, command, of_part, whole);
  return_postponed(host, instant_);
}

void PartProgram::withdrawn(ProgramHostIf& host, const Command& command) {
  known_[command.tag.value] = nullptr;
  if (const auto c = std::find(sweep_.begin(), sweep_.end(), &command); c != sweep_.end()) sweep_.erase(c);
  const auto at = std::find_if(withheld_.begin(), withheld_.end(), [&](const Withheld& w) { return w.command == &command; });
  if (at != withheld_.end()) {
    withheld_.erase(at);
    return;
  }
  given_up(host);
}

void PartProgram::refused(ProgramHostIf& host) {
  for (const Tag tag : planned_) withhold(host, *known_[tag.value], true);
  part_.clear();
  gone_on(host);
}

void PartProgram::asked(ProgramHostIf& host, core::Picoseconds when) {
  // If other commands are present, the postponed ones return when the next of those is served.
  const auto present =
      static_cast<std::size_t>(std::count_if(known_.begin(), known_.end(), [](const Command* c) { return c != nullptr; }));
  if (present == withheld_.size()) return_postponed(host, when);
}

void PartProgram::return_postponed(ProgramHostIf& host, core::Picoseconds when) {
  if (sweep_.empty() && until_.over(when) && any_withheld(true)) recall(host, true);
}

bool PartProgram::any_withheld(bool postponed) const {
  return std::any_of(withheld_.begin(), withheld_.end(), [postponed](const Withheld& w) { return w.postponed == postponed; });
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
