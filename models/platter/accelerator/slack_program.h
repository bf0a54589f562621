// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platter/accelerator/accelerator_program.h"
#include "platter/scheduling/slack_measures.h"

namespace platter::accelerator {

/// OPS:SLACK(c|w): one DECIDE, which looks ahead. The firmware works out what is the same for all commands: how far the continuous ones are
/// put off (DEFER), and how fast the others age (AGE_SCALE). When the sweep has changed, a DECIDE before it brings SWEEP and DUE up to date.
class SlackProgram : public AcceleratorProgram {
 public:
  explicit SlackProgram(const ProgramContext& context);

  bool guarded() const override { return true; }
  std::uint32_t control() const override;
  void stage(RegisterPortIf& port, const scheduling::Command& command) override;
  bool arrived(ProgramHostIf& host, const scheduling::Command& command) override;
  void served(ProgramHostIf& host, const scheduling::Command& command) override;
  void withdrawn(ProgramHostIf& host, const scheduling::Command& command) override;
  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  Effort most_effort(std::uint32_t entries) const override;
  Effort effort(std::uint32_t entries) const override;
  std::uint32_t stage_accesses() const override { return 1; }
  std::uint32_t begin_accesses() const override { return 6; }  // AGE_NOW, AGE_CAP, AGE_SCALE, AHEAD_SHARE, DEFER, AHEAD

 private:
  void leaves(const scheduling::Command& command);
  void set_ages(RegisterPortIf& port, core::Picoseconds instant);
  std::uint32_t units(core::Picoseconds time) const;
  /// The DECIDE that picks; `put_off` in ticks.
  void set_pick(RegisterPortIf& port, std::int64_t put_off);
  std::int64_t put_off() const;

  scheduling::SlackMeasures measures_;
  scheduling::TickScale scale_;
  std::uint32_t ahead_;  ///< value of AHEAD when it looks ahead
  // The commands in the accelerator.
  std::int64_t continuous_ = 0;
  std::int64_t others_ = 0;
  std::uint64_t arrivals_ = 0;  ///< sum over the others, modulo 2^64
  // Sums of the sweep, as last read.
  bool sums_known_ = false;
  std::uint32_t sweep_ = 0;
  std::uint32_t due_ = 0;
  std::uint32_t head_time_ = 0;  ///< when the drive and its bus are free for the access decided on
  bool reads_sums_ = false;      ///< the operation in progress brings them up to date
};

}  // namespace platter::accelerator
