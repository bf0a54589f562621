// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "platter/accelerator/cluster_port.h"
#include "platter/scheduling/postponed.h"

namespace platter::accelerator {

/// What the clustered policies share: a part in an exact order, of which each command is checked by a DECIDE when its turn
/// has come; the sweep's first command where none may go; the commands that are withheld. docs/reference/policies.md has the
/// rules.
///
/// What a decision plans lies in `planned_`, and becomes `part_` when it is served.
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
  /// The command has come, but nothing has been done yet. Does it enter the accelerator?
  virtual bool came(ProgramHostIf& host, const scheduling::Command& command) = 0;
  /// The plan of the decision counts now; `of_part`: the command was the next of its part; `whole`: nothing was left of the part, the
  /// postponed ones aside.
  virtual void gone(ProgramHostIf& host, const scheduling::Command& command, bool of_part, bool whole) = 0;
  /// The command has been taken back: what was planned with it no longer holds.
  virtual void given_up(ProgramHostIf& host) = 0;
  /// The guard has refused the whole part. Is there more to look at before the sweep goes on?
  virtual bool goes_on() const { return false; }
  /// It has, and there is time: the plan of the decision counts now.
  virtual void gone_on(ProgramHostIf& /*host*/) {}

  // --- a decision
  void plan(const DecisionContext& context) {
    planned_ = part_;
    next_ = 0;
    refused_.clear();
    instant_ = context.instant;
    longest_ = context.longest;
  }
  /// Serves the part that is planned, from its first command on.
  Step serve_part(RegisterPortIf& port);
  /// Goes on with the sweep's first command.
  Step serve_sweep(RegisterPortIf& port);
  /// A DECIDE of these has ended.
  Step checked(RegisterPortIf& port);
  /// A DECIDE among the commands of the mask.
  Step serve_mask() {
    asked_ = Asked::Mask;
    return {std::nullopt, kDecide};
  }
  /// The same among those that the last CLUSTER has collected; what the guard refuses of them is postponed.
  Step serve_collected(RegisterPortIf& port);

  /// DECIDEs of a part of so many commands, and their accesses.
  void add_checks(Effort& effort, std::uint32_t commands, bool any_refused) const;
  std::uint32_t queue_depth() const { return static_cast<std::uint32_t>(known_.size()); }

  // --- withheld commands
  void withhold(ProgramHostIf& host, const scheduling::Command& command, bool postponed);
  void recall(ProgramHostIf& host, bool postponed_too);
  bool any_withheld(bool postponed) const;

  const scheduling::Command& command(core::Tag tag) const { return *known_[tag.value]; }
  /// The commands of the sweep, as they came.
  const std::vector<const scheduling::Command*>& sweep() const { return sweep_; }

  scheduling::PostponedUntil until_;
  ClusterPort clusters_;
  std::uint32_t most_;           ///< commands of a part
  std::vector<core::Tag> part_;  ///< what is left of the present one, in its order
  std::vector<core::Tag> planned_;

 private:
  /// Of those collected that have not been refused.
  Step nearest(RegisterPortIf& port);
  /// Where their round is over at `when`, and there is no sweep.
  void return_postponed(ProgramHostIf& host, core::Picoseconds when);

  enum class Asked : std::uint8_t {
    Part,       ///< may the part's next one go?
    Mask,       ///< which one of the mask?
    Collected,  ///< the same, of those collected
    Nearest,    ///< which one of the mask, without the guard?
    Time,       ///< would the sweep's first one still pass after another decision?
    First,      ///< does the sweep's first one pass?
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
  std::size_t next_ = 0;            ///< of `planned_`; those before it are postponed
  std::vector<core::Tag> refused_;  ///< that are not of a part, in this decision
  std::vector<std::uint32_t> mask_;
  scheduling::Decision found_;     ///< the nearest of those collected that pass
  core::Picoseconds instant_ = 0;  ///< when this decision's access begins
  core::Picoseconds longest_ = 0;  ///< that a decision takes
  Asked asked_ = Asked::Mask;      ///< by the DECIDE under way
};

}  // namespace platter::accelerator
