// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "platter/accelerator/reference_core.h"
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

/// What a program may ask of the engine: accesses, and commands kept out of the accelerator for a while.
class ProgramHostIf : public RegisterPortIf {
 public:
  /// Takes the command out of the accelerator; it stays in the engine's custody.
  virtual void withhold(const scheduling::Command& command) = 0;
  /// Enters a command that was withheld.
  virtual void recall(const scheduling::Command& command) = 0;
};

/// What a decision is made for.
struct DecisionContext {
  core::Picoseconds instant = 0;  ///< when its access begins
  const mechanics::HeadState& head;
  bool sweep_down = false;        ///< the sweep of the continuous commands runs towards lower cylinders
  core::Picoseconds longest = 0;  ///< that a decision takes
};

/// The most that a decision takes of the accelerator.
struct Effort {
  std::uint32_t decides = 1;  ///< operations of each kind
  std::uint32_t clusters = 0;
  std::uint32_t ordered = 0;   ///< commands of the one exact order that it makes; 0: none
  std::uint32_t accesses = 1;  ///< between the end of its first operation and the decision, without OP and CLEAR
};

/// How the accelerator is used for one policy: what is entered with a command, and which operations make a decision of what it
/// says. The engine keeps the rest: the table, head and time, the sweep's direction, the interrupt.
///
/// A decision is `asked`, where it has not been prepared, `begin`, the operation that it returns, `ended`, and so on until there is a decision. It may be begun
/// anew before it has ended, and be made and not used: what it has planned counts only when it is `served`. None of `arrived`, `served` and
/// `withdrawn` comes while an operation runs.
class AcceleratorProgram {
 public:
  struct Step {
    std::optional<scheduling::Decision> decision;  ///< nothing: `operation` comes next
    std::uint32_t operation = kDecide;
  };
  /// Codes of OP.
  static constexpr std::uint32_t kDecide = 0;
  static constexpr std::uint32_t kCluster = 1;
  /// In the place of one: `refused` is called, and the decision begun anew.
  static constexpr std::uint32_t kAnew = ~0u;

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
  /// It has come. Does it enter the accelerator now? If not, it is withheld.
  virtual bool arrived(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) { return true; }
  /// It has been picked by the last decision and has left the accelerator.
  virtual void served(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) {}
  /// It has been taken back, without having been picked, and has left the accelerator: it will not be served.
  virtual void withdrawn(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) {}
  /// The last step was `kAnew`: what it has refused counts, whatever the decision will be.
  virtual void refused(ProgramHostIf& /*host*/) {}
  /// A decision is about to begin for which the arm waits since `when`.
  virtual void asked(ProgramHostIf& /*host*/, core::Picoseconds /*when*/) {}

  virtual std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) = 0;
  virtual Step ended(RegisterPortIf& port) = 0;

  /// The most that any decision takes among so many entries, and that the one takes that would be begun now.
  virtual Effort most_effort(std::uint32_t /*entries*/) const { return {}; }
  virtual Effort effort(std::uint32_t entries) const { return most_effort(entries); }
  /// Most accesses of `stage` and of `begin`.
  virtual std::uint32_t stage_accesses() const { return 0; }
  virtual std::uint32_t begin_accesses() const { return 0; }
  /// Most commands that are withheld at a time when a decision is served.
  virtual std::uint32_t most_withheld() const { return 0; }
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

/// What a program is made for.
struct ProgramContext {
  const scheduling::PolicySpec& policy;
  const AcceleratorParameters& parameters;
  const scheduling::TickScale& scale;
  std::uint32_t cylinders;    ///< of the drive
  std::uint32_t queue_depth;  ///< tags
  scheduling::Readings readings = {};
};

/// The program for a policy that the accelerator carries.
std::unique_ptr<AcceleratorProgram> make_program(const ProgramContext& context);

}  // namespace platter::accelerator
