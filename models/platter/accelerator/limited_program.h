// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platter/accelerator/accelerator_program.h"
#include "platter/scheduling/limit_window.h"

namespace platter::accelerator {

/// LSPTF(w): SPTF or ASPTF(w) for commands with duration limits. The firmware withholds a limited command until its time comes. Then its entry
/// has a limit (E_LIMIT): it competes, and DECIDE picks it first when it would be late behind another command, or is late already. The entry
/// of a command with priority is always picked first.
///
/// A guideline may put its command first only as far as the account of its cost allows. Its entry has the kind of limit that GRACE switches.
/// While such entries are there, a decision takes two DECIDEs: one without them first, and one with them first. The difference of the keys is
/// what the guideline costs.
class LimitedProgram : public SptfProgram {
 public:
  explicit LimitedProgram(const ProgramContext& context);

  LimitUse limit_of(const scheduling::Command& command, core::Picoseconds grace) const override;
  bool arrived(ProgramHostIf& host, const scheduling::Command& command) override;
  void served(ProgramHostIf& host, const scheduling::Command& command) override;
  void withdrawn(ProgramHostIf& host, const scheduling::Command& command) override;
  void asked(ProgramHostIf& host, core::Picoseconds when) override;
  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  Effort most_effort(std::uint32_t entries) const override;
  Effort effort(std::uint32_t entries) const override;
  std::uint32_t begin_accesses() const override { return SptfProgram::begin_accesses() + 1; }  // GRACE
  std::uint32_t most_withheld() const override { return tags_; }

 private:
  /// Enters the commands whose time has come; all of them if the accelerator has no other.
  void admit(ProgramHostIf& host, core::Picoseconds now);
  void left(const scheduling::Command& command);

  scheduling::TickScale ticks_;
  std::uint32_t tags_;
  core::Picoseconds later_;    ///< by which the limit of a guideline's entry is put later
  std::uint32_t later_ticks_;  ///< the same, for GRACE
  scheduling::LimitWindow window_;
  scheduling::CostAccount account_;
  std::vector<const scheduling::Command*> held_;  ///< withheld
  std::size_t entered_ = 0;
  std::size_t guidelines_ = 0;  ///< of those entered
  core::Picoseconds instant_ = 0;
  // The decision in progress.
  bool tells_first_ = false;  ///< this DECIDE picks the guidelines' commands first
  scheduling::Decision without_;
  std::int64_t key_without_ = 0;
  core::Picoseconds cost_ = 0;  ///< of the decision, to the account
};

}  // namespace platter::accelerator
