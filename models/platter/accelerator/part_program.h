// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platter/accelerator/cluster_port.h"
#include "platter/scheduling/postponed.h"

namespace platter::accelerator {

/// Common part of the clustered policies. It serves a part in an exact order, of which a DECIDE checks each command when it is due. If the guard
/// refuses the part, it serves the sweep's first command. It also keeps the withheld commands. docs/reference/policies.md has the rules.
///
/// The plan of a decision is `planned_`; it becomes `part_` when the command decided on is served.
class PartProgram : public AcceleratorProgram {
 public:
  explicit PartProgram(const ProgramContext& context);

  bool guarded() const override { return guard_ != scheduling::GuardMode::None; }
  std::uint32_t control() const override;
  bool arrived(ProgramHostIf& host, const scheduling::Command& command) final;
  void served(ProgramHostIf& host, const scheduling::Command& command) final;
  void withdrawn(ProgramHostIf& host, const scheduling::Command& command) final;
  void refused(ProgramHostIf& host) final;
  void asked(ProgramHostIf& host, core::Picoseconds when) final;
  std::uint32_t begin_accesses() const override { return ClusterPort::kCollectAccesses + clusters_.mask_words(); }
  std::uint32_t most_withheld() const override { return most_; }

 protected:
  /// A command has arrived and has not yet been recorded. Returns true if it enters the accelerator.
  virtual bool came(ProgramHostIf& host, const scheduling::Command& command) = 0;
  /// A command has been served: commits the plan of the decision. `of_part`: the command was the next of its part. `whole`:
  /// nothing is left of the part, apart from postponed commands.
  virtual void gone(ProgramHostIf& host, const scheduling::Command& command, bool of_part, bool whole) = 0;
  /// The command has been withdrawn: a plan that contains it is no longer valid.
  virtual void given_up(ProgramHostIf& host) = 0;
  /// The guard has refused the whole part. Are there other commands to consider before the sweep continues?
  virtual bool goes_on() const { return false; }
  /// The guard has refused the whole part, and there is time to consider others: commits the plan of the decision.
  virtual void gone_on(ProgramHostIf& /*host*/) {}

  // --- a decision
  void plan(const DecisionContext& context) {
    planned_ = part_;
    next_ = 0;
    refused_.clear();
    instant_ = context.instant;
    longest_ = context.longest;
  }
  /// Serves the planned part, beginning with its first command.
  Step serve_part(RegisterPortIf& port);
  /// Continues with the sweep's first command.
  Step serve_sweep(RegisterPortIf& port);
  /// A DECIDE that these functions have started has ended.
  Step checked(RegisterPortIf& port);
  /// A DECIDE among the commands of the mask.
  Step serve_mask() {
    asked_ = Asked::Mask;
    return {std::nullopt, kDecide};
  }
  /// A DECIDE among the commands that the last CLUSTER has collected; those that the guard refuses are postponed.
  Step serve_collected(RegisterPortIf& port);

  /// Adds the DECIDE operations of a part of `commands` commands, and their accesses.
  void add_checks(Effort& effort, std::uint32_t commands, bool any_refused) const;
  std::uint32_t queue_depth() const { return static_cast<std::uint32_t>(known_.size()); }

  // --- withheld commands
  void withhold(ProgramHostIf& host, const scheduling::Command& command, bool postponed);
  void recall(ProgramHostIf& host, bool postponed_too);
  bool any_withheld(bool postponed) const;

  const scheduling::Command& command(core::Tag tag) const { return *known_[tag.value]; }
  /// The commands of the sweep, in order of arrival.
  const std::vector<const scheduling::Command*>& sweep() const { return sweep_; }

  scheduling::PostponedUntil until_;
  ClusterPort clusters_;
  std::uint32_t most_;           ///< most commands of a part
  std::vector<core::Tag> part_;  ///< the rest of the current part, in its order
  std::vector<core::Tag> planned_;

 private:
  /// A DECIDE without the guard among the collected commands that have not been refused.
  Step nearest(RegisterPortIf& port);
  /// Recalls the postponed commands if their round is over at `when` and there is no sweep.
  void return_postponed(ProgramHostIf& host, core::Picoseconds when);

  enum class Asked : std::uint8_t {
    Part,       ///< may the part's next command be served?
    Mask,       ///< which command of the mask is best?
    Collected,  ///< which of the collected commands is best?
    Nearest,    ///< which command of the mask is best without the guard?
    Time,       ///< would the sweep's first command still pass after another decision?
    First,      ///< does the sweep's first command pass?
  };
  struct Withheld {
    const scheduling::Command* command;
    bool postponed;
  };

  scheduling::GuardMode guard_;
  std::vector<const scheduling::Command*> known_;  ///< by tag
  std::vector<const scheduling::Command*> sweep_;
  std::vector<Withheld> withheld_;  ///< the oldest first
  scheduling::TickScale scale_;
  std::size_t next_ = 0;            ///< index in `planned_`; the commands before it are postponed
  std::vector<core::Tag> refused_;  ///< refused in this decision, without belonging to a part
  std::vector<std::uint32_t> mask_;
  scheduling::Decision found_;     ///< the nearest collected command that passes the guard
  core::Picoseconds instant_ = 0;  ///< when this decision's access begins
  core::Picoseconds longest_ = 0;  ///< longest time that a decision takes
  Asked asked_ = Asked::Mask;      ///< purpose of the DECIDE in progress
};

}  // namespace platter::accelerator
