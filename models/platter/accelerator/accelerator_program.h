// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "platter/accelerator/reference_core.h"
#include "platter/scheduling/fixed_point.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The accelerator's registers as a program accesses them; every access takes time on the bus.
class RegisterPortIf {
 public:
  virtual ~RegisterPortIf() = default;
  virtual void write(std::uint32_t address, std::uint32_t data) = 0;
  virtual std::uint32_t read(std::uint32_t address) = 0;
  /// Writes the register unless it already holds this value.
  virtual void set(std::uint32_t address, std::uint32_t data) = 0;
};

/// What a program may request of the engine: register accesses, and that commands be kept out of the accelerator for a while.
class ProgramHostIf : public RegisterPortIf {
 public:
  /// Removes the command from the accelerator; it stays in the engine.
  virtual void withhold(const scheduling::Command& command) = 0;
  /// Enters a command that was withheld.
  virtual void recall(const scheduling::Command& command) = 0;
};

/// The circumstances of a decision.
struct DecisionContext {
  core::Picoseconds instant = 0;  ///< when the access decided on begins
  const mechanics::HeadState& head;
  bool sweep_down = false;        ///< the sweep of the continuous commands runs towards lower cylinders
  core::Picoseconds longest = 0;  ///< longest time that a decision takes
};

/// Upper bound of the work of a decision. Set the fields by name. The defaults are one DECIDE whose result is read.
struct Effort {
  std::uint32_t decides = 1;     ///< DECIDE operations
  std::uint32_t clusters = 0;    ///< CLUSTER operations
  std::uint32_t ordered = 0;     ///< commands in its one exact order; 0: it makes none
  std::uint32_t candidates = 0;  ///< candidates for which its last DECIDE looks ahead
  std::uint32_t ahead = 0;       ///< accesses that it looks ahead for each candidate
  std::uint32_t accesses = 1;    ///< register accesses in all calls of `ended` together; OP and CLEAR are not counted
};

/// How one policy uses the accelerator: which values it stages with a command, and which operations make a decision. The engine
/// handles everything else: the table, head position and time, the sweep's direction, the interrupt.
///
/// The calls of a decision are: `asked`, unless it is prepared in advance; `begin`, which returns the first operation; then `ended` after each
/// operation, until it returns a decision. A decision may be begun again before it has ended, and may be made and then not used: the program commits
/// its plan only when `served` is called. `arrived`, `served` and `withdrawn` are never called while an operation runs.
class AcceleratorProgram {
 public:
  struct Step {
    std::optional<scheduling::Decision> decision;  ///< nothing: run `operation` next
    std::uint32_t operation = kDecide;
  };
  /// Codes of OP.
  static constexpr std::uint32_t kDecide = 0;
  static constexpr std::uint32_t kCluster = 1;
  /// Kind of limit of an entry that is picked first while it can keep its limit and less than GRACE is left.
  static constexpr std::uint32_t kKeep = 3;
  /// Instead of an operation: call `refused`, and begin the decision again.
  static constexpr std::uint32_t kAnew = ~0u;

  virtual ~AcceleratorProgram() = default;
  AcceleratorProgram() = default;
  AcceleratorProgram(const AcceleratorProgram&) = delete;
  AcceleratorProgram& operator=(const AcceleratorProgram&) = delete;

  /// Does this policy use the deadline guard?
  virtual bool guarded() const = 0;
  /// Bits of CTRL, except SWEEP_DOWN and IRQ_EN. Return the same value for every decision: a change makes the sums of the sweep
  /// stale, and the next DECIDE then takes more cycles.
  virtual std::uint32_t control() const = 0;
  /// How the entry of a command uses E_LIMIT.
  struct LimitUse {
    /// Instead of a time: the limit is in the past.
    static constexpr core::Picoseconds kPast = -core::kNoDeadline;
    std::uint32_t kind = 0;       ///< of E_POS.LIMIT; 0: it has no limit
    core::Picoseconds later = 0;  ///< the limit is put later by this
  };
  /// `grace`: longest time until the command's first sector comes, if another command is served before it.
  virtual LimitUse limit_of(const scheduling::Command& command, core::Picoseconds /*grace*/) const {
    return {scheduling::has_own_deadline(command) ? kKeep : 0, 0};
  }
  /// Stages what the policy needs of a command beyond what is common to all policies; the engine inserts it.
  virtual void stage(RegisterPortIf& /*port*/, const scheduling::Command& /*command*/) {}
  /// A command has arrived. Returns true if it enters the accelerator now; otherwise it is withheld.
  virtual bool arrived(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) { return true; }
  /// The last decision has picked the command, which has left the accelerator.
  virtual void served(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) {}
  /// A command that no decision has picked has been withdrawn and has left the accelerator.
  virtual void withdrawn(ProgramHostIf& /*host*/, const scheduling::Command& /*command*/) {}
  /// The last step was `kAnew`: its refusals are final, whatever the decision will be.
  virtual void refused(ProgramHostIf& /*host*/) {}
  /// A decision is about to begin for which the actuator has waited since `when`.
  virtual void asked(ProgramHostIf& /*host*/, core::Picoseconds /*when*/) {}

  virtual std::uint32_t begin(RegisterPortIf& port, const DecisionContext& context) = 0;
  virtual Step ended(RegisterPortIf& port) = 0;

  /// Upper bounds with `entries` entries: of any decision, and of a decision that begins now.
  virtual Effort most_effort(std::uint32_t /*entries*/) const { return {}; }
  virtual Effort effort(std::uint32_t entries) const { return most_effort(entries); }
  /// Most accesses of `stage` and of `begin`.
  virtual std::uint32_t stage_accesses() const { return 0; }
  virtual std::uint32_t begin_accesses() const { return 0; }
  /// Largest number of commands withheld when a decision is served.
  virtual std::uint32_t most_withheld() const { return 0; }
};

/// SPTF and ASPTF(w): one DECIDE. Also the base of LSPTF(w).
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

/// Decodes the value of register RESULT.
scheduling::Decision decision_of(std::uint32_t result);

/// Parameters of a program.
struct ProgramContext {
  const scheduling::PolicySpec& policy;
  const AcceleratorParameters& parameters;
  const scheduling::TickScale& scale;
  std::uint32_t cylinders;    ///< of the drive
  std::uint32_t queue_depth;  ///< tags
  scheduling::Interpretations interpretations = {};
  std::uint32_t ahead_candidates = 0;  ///< for which a program that looks ahead does so
  std::uint32_t ahead_accesses = 0;    ///< how many accesses ahead
  core::Picoseconds longest_hop = 0;   ///< from the end of any access to the begin of any other's transfer
};

/// Creates the program of a policy that the accelerator supports.
std::unique_ptr<AcceleratorProgram> make_program(const ProgramContext& context);

}  // namespace platter::accelerator
