// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/slack_program.h"

#include <algorithm>

#include "platter/accelerator/registers.h"

namespace platter::accelerator {

using core::Picoseconds;
using scheduling::SlackMeasures;

namespace {

/// AGE_NOW and E_AGE count in 2^-kUnitW turns.
constexpr unsigned kUnitW = 4;
/// In firmware the score falls with the square of the wait, up to three mean waits; in the lanes with a straight line through the origin, the
/// least squares' one.
constexpr std::int64_t kSlopeNumerator = 9;
constexpr std::int64_t kSlopeDenominator = 4;
/// Shares of the accesses ahead, in 1/256: 0.3, and each 0.7 of the one before.
constexpr std::uint32_t kShares = 77 | 54 << 8 | 38 << 16 | 26 << 24;

}  // namespace

SlackProgram::SlackProgram(const ProgramContext& context)
    : measures_(context.policy.parameters),
      scale_(context.scale),
      ahead_(context.ahead_accesses > 0
                 ? (context.ahead_candidates << reg::kAheadMostLsb) | (context.ahead_accesses << reg::kAheadDepthLsb)
                 : 0) {}

std::uint32_t SlackProgram::control() const {
  return (1u << reg::kCtrlGuardEnLsb) | (1u << reg::kCtrlDeferCLsb) | (1u << reg::kCtrlRestCostLsb);
}

std::uint32_t SlackProgram::units(Picoseconds time) const {
  return static_cast<std::uint32_t>(scale_.floor(time) >> (scale_.format().angle_w - kUnitW)) & scale_.format().sum_max();
}

void SlackProgram::stage(RegisterPortIf& port, const scheduling::Command& command) {
  port.set(reg::kEAge, units(command.arrival));
}

bool SlackProgram::arrived(ProgramHostIf& /*host*/, const scheduling::Command& command) {
  if (scheduling::in_sweep(command)) {
    if (continuous_ == 0) measures_.round_begins(others_);
    ++continuous_;
    sums_known_ = false;
  } else {
    ++others_;
    arrivals_ += static_cast<std::uint64_t>(command.arrival);
  }
  return true;
}

void SlackProgram::leaves(const scheduling::Command& command) {
  if (scheduling::in_sweep(command)) {
    --continuous_;
    sums_known_ = false;
  } else {
    --others_;
    arrivals_ -= static_cast<std::uint64_t>(command.arrival);
  }
}

void SlackProgram::served(ProgramHostIf& /*host*/, const scheduling::Command& command) {
  leaves(command);
  if (!scheduling::in_sweep(command)) measures_.served();
}

void SlackProgram::withdrawn(ProgramHostIf& /*host*/, const scheduling::Command& command) { leaves(command); }

void SlackProgram::set_ages(RegisterPortIf& port, Picoseconds instant) {
  const auto most = [](std::int64_t value, unsigned width) {
    return static_cast<std::uint32_t>(std::min(value, (std::int64_t{1} << width) - 1));
  };
  const auto waits =
      static_cast<Picoseconds>(static_cast<std::uint64_t>(instant) * static_cast<std::uint64_t>(others_) - arrivals_);
  const Picoseconds wait = others_ > 0 ? std::max<Picoseconds>(waits / others_, 0) : 0;
  const std::int64_t mean = std::max<std::int64_t>(scale_.floor(wait) >> (scale_.format().angle_w - kUnitW), 1);
  const std::int64_t ageing = measures_.ageing(scale_.format().turn()) * kSlopeNumerator / kSlopeDenominator;
  port.set(reg::kAgeNow, units(instant));
  port.set(reg::kAgeCap, most(SlackMeasures::kLongestWait * mean, reg::kAgeCapUnitsWidth));
  // A weight of 0 would mean no cap.
  port.set(reg::kAgeScale, std::max(most((ageing << reg::kAgeScaleWeightFraction) / mean, reg::kAgeScaleWeightWidth), 1u));
}

std::int64_t SlackProgram::put_off() const {
  const unsigned sum_w = scale_.format().sum_w();
  const std::uint32_t left = (due_ - head_time_) & scale_.format().sum_max();
  const std::int64_t range = std::int64_t{1} << sum_w;
  const std::int64_t signed_left = left >= range / 2 ? left - range : left;
  return std::min<std::int64_t>(measures_.put_off(scale_.format().turn(), signed_left, sweep_), scale_.format().time_max() / 2);
}

void SlackProgram::set_pick(RegisterPortIf& port, std::int64_t put_off) {
  port.set(reg::kDefer, static_cast<std::uint32_t>(put_off));
  port.set(reg::kAhead, ahead_);
}

std::uint32_t SlackProgram::begin(RegisterPortIf& port, const DecisionContext& context) {
  set_ages(port, context.instant);
  if (ahead_ != 0) port.set(reg::kAheadShare, kShares);
  head_time_ = scale_.time_of_day(std::max(context.instant, context.head.bus_free));
  reads_sums_ = continuous_ > 0 && !sums_known_;
  if (reads_sums_)
    port.set(reg::kAhead, 0);
  else
    set_pick(port, continuous_ > 0 ? put_off() : 0);
  return kDecide;
}

AcceleratorProgram::Step SlackProgram::ended(RegisterPortIf& port) {
  if (!reads_sums_) return {decision_of(port.read(reg::kResult)), kDecide};
  reads_sums_ = false;
  sums_known_ = true;
  sweep_ = port.read(reg::kSweep);
  due_ = port.read(reg::kDue);
  set_pick(port, put_off());
  return {std::nullopt, kDecide};
}

Effort SlackProgram::most_effort(std::uint32_t entries) const {
  Effort effort;
  effort.decides = 2;
  effort.accesses = 5;  // SWEEP, DUE, DEFER, AHEAD; RESULT
  effort.candidates = std::min((ahead_ >> reg::kAheadMostLsb) & ((1u << reg::kAheadMostWidth) - 1), entries);
  effort.ahead = ahead_ >> reg::kAheadDepthLsb;
  return effort;
}

Effort SlackProgram::effort(std::uint32_t entries) const {
  Effort effort = most_effort(entries);
  if (continuous_ > 0 && !sums_known_) return effort;
  effort.decides = 1;
  effort.accesses = 1;
  return effort;
}

}  // namespace platter::accelerator
