// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/candidates_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::Command;
using scheduling::Decision;
using scheduling::HeadState;

namespace {

std::string text_of_answer(bool idle, std::uint32_t tag) { return idle ? "idle" : fmt::format("tag {}", tag); }

std::string text_of_decision(const Decision& decision) {
  switch (decision.kind) {
    case Decision::Kind::Idle:
      return decision.until == core::kNoDeadline ? "idle" : fmt::format("idle until {} ps", decision.until);
    case Decision::Kind::Serve: return fmt::format("tag {}", decision.tag.value);
    case Decision::Kind::Move: return fmt::format("a movement to cylinder {} without a command", decision.cylinder.value);
    case Decision::Kind::Write:
    case Decision::Kind::Again: break;
  }
  return "a decision that is no command";
}

}  // namespace

CandidatesEngine::CandidatesEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                                   std::uint32_t queue_depth, Options options, std::unique_ptr<OwnRtl> rtl)
    : sc_module(name),
      planner_(planner),
      options_(std::move(options)),
      rtl_(std::move(rtl)),
      commands_(queue_depth, nullptr),
      request_(core::Rank::Request, [this] {
        if (!is_prepared_ || is_ready_) return;
        ask();
        sink_->preparation_changed();
      }) {
  if (options_.reference) reference_ = options_.reference();
}

// --- commands ------------------------------------------------------------------------------------------------------

void CandidatesEngine::insert(const Command& command) {
  commands_[command.tag.value] = &command;
  ++count_;
  if (reference_) reference_->insert(command);
  update(CandidateUpdate::Kind::Enter, command);
  ask_again();
}

bool CandidatesEngine::withdraw(const Command& command) {
  update(CandidateUpdate::Kind::Withdraw, command);
  commands_[command.tag.value] = nullptr;
  --count_;
  if (reference_) reference_->withdraw(command.tag);
  ask_again();
  return true;
}

void CandidatesEngine::moved(const Command&) {
  SC_REPORT_FATAL("/platter/own_engine/moved", "an engine of your own does not serve a mapping that moves blocks");
}

void CandidatesEngine::update(CandidateUpdate::Kind kind, const Command& command) {
  const Picoseconds now = core::now_ps();
  changed_ = now;
  CandidateUpdate update;
  update.kind = kind;
  update.tag = static_cast<std::uint16_t>(command.tag.value);
  if (kind == CandidateUpdate::Kind::Enter) {
    const mechanics::Extent& extent = command.extent;
    update.cls = static_cast<std::uint8_t>(command.cls);
    update.write = extent.write;
    update.head = static_cast<std::uint8_t>(extent.head.value);
    update.order = static_cast<std::uint32_t>(command.sequence);
    update.cylinder = extent.cylinder.value;
    update.angle = extent.start_angle;
    update.length = extent.blocks;
    update.deadline = static_cast<std::uint64_t>(command.deadline);
  }
  const Picoseconds start = std::max(now, free_);
  try {
    const std::uint32_t cycles = rtl_->update(update, start);
    free_ = start + rtl_->clock_period() * cycles;
    statistics_.access_cycles += cycles;
  } catch (const OwnRtlFault& fault) {
    fail(fault.what());
  }
}

void CandidatesEngine::ask_again() {
  is_ready_ = false;
  if (is_prepared_ && when_ > core::now_ps()) request_.now();
}

void CandidatesEngine::reset() {
  rtl_->reset();
  if (options_.reference) reference_ = options_.reference();
  std::fill(commands_.begin(), commands_.end(), nullptr);
  count_ = 0;
  free_ = changed_ = 0;
  is_prepared_ = is_ready_ = false;
  request_.cancel();
}

// --- decisions -----------------------------------------------------------------------------------------------------

void CandidatesEngine::prepare(const HeadState& at, Picoseconds when) {
  if (is_for(at, when)) return;
  is_prepared_ = true;
  is_ready_ = false;
  head_ = at;
  when_ = when;
  changed_ = core::now_ps();
  request_.cancel();
  if (count_ > 0) ask();
}

void CandidatesEngine::ask() {
  question_.cylinder = head_.cylinder.value;
  question_.head = static_cast<std::uint8_t>(head_.head.value);
  question_.write = head_.last_was_write;
  question_.angle = planner_.rotation().angle_at(when_);
  question_.time = static_cast<std::uint64_t>(when_);
  const Picoseconds start = std::max(core::now_ps(), free_);
  try {
    const std::uint32_t cycles = rtl_->decide(question_, start, answer_);
    free_ = answered_ = start + rtl_->clock_period() * cycles;
    statistics_.cycles += cycles;
    is_ready_ = true;
  } catch (const OwnRtlFault& fault) {
    fail(fault.what());
  }
}

void CandidatesEngine::decide(const HeadState& head, Picoseconds now) {
  if (!is_for(head, now)) {
    is_prepared_ = true;
    is_ready_ = false;
    head_ = head;
    when_ = now;
    changed_ = now;
  }
  request_.cancel();
  if (!is_ready_) ask();
  is_prepared_ = is_ready_ = false;
  if (has_failed_) return;
  Decision decision = answer_.idle ? Decision{} : Decision::serve(core::Tag{answer_.tag});
  if (reference_) decision = compared(decision);
  if (has_failed_) return;
  const Picoseconds effective = std::max(now, answered_);
  ++statistics_.decisions;
  statistics_.forced += decision.forced ? 1 : 0;
  statistics_.latency += answered_ - changed_;
  if (decision.kind == Decision::Kind::Serve) {
    const Command& served = *commands_[decision.tag.value];
    if (reference_) reference_->remove(decision.tag);
    update(CandidateUpdate::Kind::Serve, served);
    commands_[decision.tag.value] = nullptr;
    --count_;
  }
  sink_->decided(decision, effective);
}

Decision CandidatesEngine::compared(const Decision& found) {
  Decision expected;
  do {
    reference_->work(head_);
    expected = reference_->pick(head_, when_);
  } while (expected.kind == Decision::Kind::Again);
  ++statistics_.compared;
  ++statistics_.operations_compared;
  if (expected.kind == found.kind && expected.until == found.until &&
      (found.kind != Decision::Kind::Serve || expected.tag == found.tag))
    return expected;
  ++statistics_.mismatches;
  fail(fmt::format("it differs from policy {} at decision {}: the engine answers {}, the policy {}", options_.policy,
                   statistics_.compared, text_of_decision(found), text_of_decision(expected)));
  return expected;
}

void CandidatesEngine::fail(const std::string& what) {
  if (has_failed_) return;
  has_failed_ = true;
  const std::string headline =
      fmt::format("engine {}: at {:.9f} s {}", options_.notation, static_cast<double>(core::now_ps()) * 1e-12, what);
  if (options_.on_fault) options_.on_fault(*rtl_, headline + "\n" + state());
  SC_REPORT_ERROR("/platter/own_engine", headline.c_str());
}

std::string CandidatesEngine::state() const {
  const PortPins pins = rtl_->pins();
  std::string text = fmt::format(
      "last question: cylinder {} head {} angle 0x{:08x} time {} ps, after {}\n"
      "last answer: {}\n"
      "pins: update_ready_o {} decide_ready_o {} answer_valid_o {} ({})\n"
      "{} commands in the table:\n",
      question_.cylinder, question_.head, question_.angle, question_.time, question_.write ? "a write" : "a read",
      text_of_answer(answer_.idle, answer_.tag), pins.update_ready, pins.decide_ready, pins.answer_valid,
      text_of_answer(pins.answer.idle, pins.answer.tag), count_);
  std::vector<const Command*> held;
  for (const Command* command : commands_)
    if (command != nullptr) held.push_back(command);
  std::sort(held.begin(), held.end(), [](const Command* a, const Command* b) { return scheduling::older(*a, *b); });
  for (const Command* command : held)
    text += fmt::format("  tag {} order {} cylinder {} head {} angle 0x{:08x} length {} class {} deadline {} {}\n",
                        command->tag.value, static_cast<std::uint32_t>(command->sequence), command->extent.cylinder.value,
                        command->extent.head.value, command->extent.start_angle, command->extent.blocks,
                        core::to_string(command->cls),
                        command->deadline == core::kNoDeadline ? "none" : fmt::format("{} ps", command->deadline),
                        command->extent.write ? "write" : "read");
  return text;
}

}  // namespace platter::accelerator
