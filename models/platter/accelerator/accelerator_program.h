// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "platter/scheduling/fixed_point.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The accelerator's registers as a program sees them; every access takes its time on the bus.
class RegisterPortIf {
 public:
  virtual ~RegisterPortIf() = default;
  virtual void write(std::uint32_t address, std::uint32_t data) = 0;
  virtual std::uint32_t read(std::uint32_t address) = 0;
  /// Writes only what the register does not hold already.
  virtual void set(std::uint32_t address, std::uint32_t data) = 0;
};

/// What a decision is made for.
struct DecisionContext {
  core::Picoseconds instant = 0;  ///< when its access begins
  const mechanics::HeadState& head;
};

/// How the accelerator is used for one policy: what is entered with a command, and which operations make a decision of what it
/// says. The engine keeps the rest: the table, head and time, the sweep's direction, the interrupt.
///
/// A decision is `begin`, the operation that it returns, `ended`, and so on until there is a decision. It may be begun
/// anew before it has ended, and be made and not used: what counts is `served`.
class AcceleratorProgram {
 public:
  struct Step {
    std::optional<scheduling::Decision> decision;  ///< nothing: `operation` comes next
    std::uint32_t operation = kDecide;
  };
  /// Codes of OP.
  static constexpr std::uint32_t kDecide = 0;
  static constexpr std::uint32_t kCluster = 1;

  virtual ~AcceleratorProgram() = default;
  AcceleratorProgram() = default;
  AcceleratorProgram(const AcceleratorProgram&) = delete;
  AcceleratorProgram& operator=(const AcceleratorProgram&) = delete;

  /// Does the guard hold for this policy?
  virtual bool guarded() const = 0;
  /// Bits of CTRL, but for SWEEP_DOWN and IRQ_EN.
  virtual std::uint32_t control() const = 0;
  /// Stages what the policy wants of a command beyond what is common to all; the engine inserts it.
  virtual void stage(RegisterPortIf& /*port*/, const scheduling::Command& /*command*/) {}
  /// It has been picked and leaves the accelerator.
  virtual void served(const scheduling::Command& /*command*/) {}

  virtual std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) = 0;
  virtual Step ended(RegisterPortIf& port) = 0;

  /// Most accesses from the end of the first operation to the decision, and the most cycles that the operations beyond one
  /// DECIDE take among so many entries.
  virtual std::uint32_t accesses() const { return 1; }
  virtual std::uint32_t further_cycles(std::uint32_t /*entries*/) const { return 0; }
  /// Most accesses of `stage` and of `begin`.
  virtual std::uint32_t stage_accesses() const { return 0; }
  virtual std::uint32_t begin_accesses() const { return 0; }
};

/// SPTF and ASPTF(w): one DECIDE.
class SptfProgram : public AcceleratorProgram {
 public:
  SptfProgram(scheduling::GuardMode guard, scheduling::Weight weight, const scheduling::TickScale& scale)
      : guard_(guard), weight_(weight), scale_(scale) {}

  bool guarded() const override { return guard_ != scheduling::GuardMode::None; }
  std::uint32_t control() const override;
  void stage(RegisterPortIf& port, const scheduling::Command& command) override;
  std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) override;
  Step ended(RegisterPortIf& port) override;
  std::uint32_t stage_accesses() const override { return aged() ? 1 : 0; }
  std::uint32_t begin_accesses() const override { return aged() ? 1 : 0; }

 private:
  bool aged() const { return weight_.millionths > 0; }

  scheduling::GuardMode guard_;
  scheduling::Weight weight_;
  scheduling::TickScale scale_;
};

/// What RESULT says.
scheduling::Decision decision_of(std::uint32_t result);

/// The program for a policy that the accelerator carries.
std::unique_ptr<AcceleratorProgram> make_program(const scheduling::PolicySpec& policy, const scheduling::TickScale& scale);

}  // namespace platter::accelerator
