// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/accelerator_target.h"
#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"
#include "platter/core/timed_call.h"
#include "platter/engine/engine_if.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The controller's firmware for the scheduling accelerator. It enters commands as they arrive, serves the picked ones, and
/// requests the next decision for the end of the current access, again whenever a command has arrived. A program
/// (AcceleratorProgram) defines how the policy uses the accelerator. The engine does not depend on the core behind the bus.
class AcceleratorEngine : public sc_core::sc_module, public engine::EngineIf, private ProgramHostIf {
 public:
  SC_HAS_PROCESS(AcceleratorEngine);

  struct Options {
    scheduling::PolicySpec policy = *scheduling::find_policy("SPTF");  ///< must be a policy that the accelerator supports
    scheduling::Interpretations interpretations = {};  ///< of clusters; of the others only the defaults are supported
    std::uint32_t margin_ticks = 0;                    ///< in addition to the least margin, which covers rounding
    std::uint32_t risk_ticks = 0;        ///< a rotational wait of less than this beyond the margin may miss the sector ...
    double risk_probability = 0.5;       ///< ... with this probability
    std::uint32_t ahead_candidates = 8;  ///< of a policy that looks ahead: candidates for which it does ...
    std::uint32_t ahead_accesses = 4;    ///< ... and how many accesses ahead
    core::Picoseconds clock_period = 5'000;
  };

  AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint32_t queue_depth,
                    const AcceleratorParameters& parameters, const Options& options, std::unique_ptr<BusCoreIf> core);

  tlm_utils::simple_initiator_socket<AcceleratorEngine> bus_init_socket;
  sc_core::sc_in<bool> irq_i;

  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override;
  bool withdraw(const scheduling::Command& command) override;
  bool withdraws_at_once(const scheduling::Command& command) const override;
  void moved(const scheduling::Command& command) override;
  bool empty() const override { return count_ == 0; }
  void prepare(const scheduling::HeadState& at, core::Picoseconds when) override;
  void decide(const scheduling::HeadState& head, core::Picoseconds now) override;
  void reset() override;
  core::Picoseconds prepared_from() const override { return ready_ ? answered_ : core::kNoDeadline; }
  core::Picoseconds compared_part(const mechanics::AccessTime& access) const override {
    return parameters_.has(kZeroLatency) ? access.positioning() : access.to_first();
  }
  core::Picoseconds guard_bound() const override { return program_->guarded() ? decision_bound() : core::kNoDeadline; }
  engine::EngineStatistics statistics() const override;

  const scheduling::SeekTable& seek_table() const { return seek_table_; }
  /// Longest time from the end of an access to the start of the next.
  core::Picoseconds decision_bound() const;

 private:
  /// Ticks by which the guard's estimate may be too short because of rounding. Contributions: the hop to the candidate, the two
  /// hops beside the sweep, the sweep (where the errors of its hops and transfers cancel except at the ends), and HEAD_TIME.
  static constexpr std::uint32_t kGuardSafetyTicks = 9;
  /// Least margin: arrival and sector start are each rounded down by less than a tick.
  static constexpr std::uint32_t kLeastMarginTicks = 2;
  /// Largest excess of the seek table over the drive's seek curve that causes no warning.
  static constexpr std::uint32_t kSeekLiftTicks = 8;

  void start_of_simulation() override;
  void switch_on();
  void check_identity();
  void load_seek_table();
  void enter(const scheduling::Command& command);
  void load(const scheduling::Command& command);
  void enter_pending();
  void take(core::Tag tag);
  void take_back(const scheduling::Command& command);
  /// Has the command that an operation has picked been withdrawn meanwhile?
  bool withdrawn(const scheduling::Decision& decision) const;
  void request();
  void start();
  /// Starts the decision again after an operation whose result is discarded.
  void start_anew();
  void operate(std::uint32_t code);
  void interrupt();
  void deliver(core::Picoseconds now);
  std::unique_ptr<AcceleratorProgram> new_program() const;
  std::uint32_t direction();
  /// Is the accelerator told of this command's deadline, which belongs to no sweep?
  bool limits(const scheduling::Command& command) const;
  core::Picoseconds farthest_deadline() const;
  /// Longest time until the first sector of a command, if another one is served before it.
  core::Picoseconds grace() const;
  std::uint32_t insert_accesses() const;
  std::uint32_t pass_cycles() const { return parameters_.entries / parameters_.lanes + reg::kDecisionLatency; }
  std::uint32_t decide_cycles(bool sums_stale) const;
  std::uint32_t further_cycles(const Effort& effort, std::uint32_t entries) const;
  std::uint32_t position(core::Cylinder cylinder, core::Head head, bool write) const;
  core::Picoseconds time(std::uint32_t cycles) const { return options_.clock_period * core::Picoseconds{cycles}; }

  void write(std::uint32_t address, std::uint32_t data) override;
  std::uint32_t read(std::uint32_t address) override;
  void set(std::uint32_t address, std::uint32_t data) override;
  void withhold(const scheduling::Command& command) override;
  void recall(const scheduling::Command& command) override { load(command); }
  void access(std::uint32_t address);

  const mechanics::AccessPlanner& planner_;
  AcceleratorParameters parameters_;
  Options options_;
  scheduling::TickScale scale_;
  scheduling::SeekTable seek_table_;
  core::Picoseconds longest_hop_;
  std::unique_ptr<AcceleratorProgram> program_;
  engine::DecisionSinkIf* sink_ = nullptr;

  tlm::tlm_generic_payload payload_;
  std::uint32_t word_ = 0;
  core::Picoseconds port_time_ = 0;  ///< when the bus port becomes free
  core::Picoseconds work_end_ = 0;   ///< end of the accelerator's current work, operations excepted
  std::vector<std::uint32_t> shadow_;
  std::vector<bool> shadow_valid_;

  // The commands in the accelerator, by tag, and whether its sums and debts are stale.
  std::vector<const scheduling::Command*> commands_;
  std::vector<const scheduling::Command*> pending_;    ///< arrived while an operation ran
  std::vector<const scheduling::Command*> withdrawn_;  ///< were withdrawn while an operation ran
  std::uint32_t count_ = 0;                            ///< commands in the engine, including these and the withheld ones
  std::uint32_t entries_ = 0;                          ///< in the table
  std::uint32_t continuous_ = 0;
  std::uint32_t limited_ = 0;    ///< of them, those with a deadline of their own
  bool rests_ = false;           ///< the accelerator is told of accesses that begin in the middle of their sectors
  core::Picoseconds bound_ = 0;  ///< of a decision
  std::uint32_t delay_ = 0;      ///< value of DELAY that the guard needs
  bool sums_stale_ = true;
  bool debts_stale_ = true;
  bool direction_known_ = false;  ///< `downward_` is set for this sweep
  bool downward_ = false;

  // The decision in progress.
  bool prepared_ = false;  ///< state and instant for it are known
  scheduling::HeadState at_;
  core::Picoseconds when_ = 0;
  core::Picoseconds instant_ = 0;  ///< start of the access decided on: `when_`, or later if the operation begins late
  core::Picoseconds asked_ = 0;
  core::Picoseconds inserted_ = -1;  ///< arrival of the last command
  core::Picoseconds started_ = 0;    ///< of the operation in progress
  core::Picoseconds answered_ = 0;
  bool running_ = false;
  bool again_ = false;  ///< the operation in progress is for an outdated state or instant
  bool ready_ = false;
  bool waiting_ = false;  ///< the actuator is free and waits for the decision
  bool told_ = false;     ///< has warned that discrete deadlines are ignored
  scheduling::Decision decision_;
  engine::EngineStatistics statistics_;

  core::TimedCall request_;
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> irq_;

 public:
  AcceleratorTarget target;
};

}  // namespace platter::accelerator
