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
#include "platter/engine/engine_if.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The controller's firmware for the scheduling accelerator: it enters commands as they come, serves what is picked, and has the
/// next decision made for the end of the access under way, anew when a command has come. A program says what the policy wants
/// of the accelerator. It knows nothing of what stands behind the bus.
class AcceleratorEngine : public sc_core::sc_module, public engine::EngineIf, private ProgramHostIf {
 public:
  SC_HAS_PROCESS(AcceleratorEngine);

  struct Options {
    scheduling::PolicySpec policy = *scheduling::find_policy("SPTF");  ///< one that the accelerator carries
    scheduling::Readings readings = {};  ///< those of clusters; of the others the accelerator knows the defaults only
    std::uint32_t margin_ticks = 0;      ///< beyond the least margin that rounding needs
    std::uint32_t risk_ticks = 0;        ///< a wait of less than this beyond the margin may miss ...
    double risk_probability = 0.5;       ///< ... so probably
    core::Picoseconds clock_period = 5'000;
  };

  AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint32_t queue_depth,
                    const AcceleratorParameters& parameters, const Options& options, std::unique_ptr<BusCoreIf> core);

  tlm_utils::simple_initiator_socket<AcceleratorEngine> bus_init_socket;
  sc_core::sc_in<bool> irq_i;

  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override;
  bool withdraw(const scheduling::Command& command) override;
  void moved(const scheduling::Command& command) override;
  bool empty() const override { return count_ == 0; }
  void prepare(const scheduling::HeadState& at, core::Picoseconds when) override;
  void decide(const scheduling::HeadState& head, core::Picoseconds now) override;
  void reset() override;
  core::Picoseconds prepared_from() const override { return ready_ ? answered_ : core::kNoDeadline; }
  engine::EngineStatistics statistics() const override;

  const scheduling::SeekTable& seek_table() const { return seek_table_; }
  /// Longest time from the end of an access to the start of the next.
  core::Picoseconds decision_bound() const;

 private:
  /// Ticks by which what the guard reckons with may be too short through rounding: the way to the candidate, the two hops
  /// beside the sweep, the sweep (where the errors of its hops and transfers cancel but for the ends), HEAD_TIME.
  static constexpr std::uint32_t kGuardSafetyTicks = 9;
  /// Least margin: arrival and sector start are each rounded down by less than a tick.
  static constexpr std::uint32_t kLeastMarginTicks = 2;
  /// Excess of the seek table that needs no mention.
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
  /// Has what an operation has picked been withdrawn meanwhile?
  bool withdrawn(const scheduling::Decision& decision) const;
  void request();
  void start();
  /// After an operation whose result does not count.
  void start_anew();
  void operate(std::uint32_t code);
  void interrupt();
  void deliver(core::Picoseconds now);
  std::unique_ptr<AcceleratorProgram> new_program() const;
  std::uint32_t direction();
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
  std::unique_ptr<AcceleratorProgram> program_;
  engine::DecisionSinkIf* sink_ = nullptr;

  tlm::tlm_generic_payload payload_;
  std::uint32_t word_ = 0;
  core::Picoseconds port_time_ = 0;  ///< when the bus port is free again
  core::Picoseconds work_end_ = 0;   ///< when the accelerator has done what it was given, other than an operation
  std::vector<std::uint32_t> shadow_;
  std::vector<bool> shadow_valid_;

  // The commands in the accelerator, by tag, and what it knows of the sums.
  std::vector<const scheduling::Command*> commands_;
  std::vector<const scheduling::Command*> pending_;    ///< came while an operation ran
  std::vector<const scheduling::Command*> withdrawn_;  ///< were taken back while it ran
  std::uint32_t count_ = 0;                            ///< with those, and with those that the program withholds
  std::uint32_t entries_ = 0;                          ///< in the table
  std::uint32_t continuous_ = 0;
  core::Picoseconds bound_ = 0;  ///< of a decision
  std::uint32_t delay_ = 0;      ///< DELAY as the guard needs it
  bool sums_stale_ = true;
  bool debts_stale_ = true;
  bool direction_known_ = false;  ///< a decision has been made in this sweep
  bool downward_ = false;

  // The decision under way.
  bool prepared_ = false;  ///< state and instant for it are known
  scheduling::HeadState at_;
  core::Picoseconds when_ = 0;
  core::Picoseconds instant_ = 0;  ///< for which the operation decides: `when_`, or later where it begins late
  core::Picoseconds asked_ = 0;
  core::Picoseconds inserted_ = -1;  ///< when the last command came
  core::Picoseconds started_ = 0;    ///< of the operation that runs
  core::Picoseconds answered_ = 0;
  bool running_ = false;
  bool again_ = false;  ///< what runs is for another state or instant
  bool ready_ = false;
  bool waiting_ = false;  ///< the arm is free
  bool told_ = false;     ///< that discrete deadlines are not kept
  scheduling::Decision decision_;
  engine::EngineStatistics statistics_;

  sc_core::sc_event request_event_;
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> irq_;

 public:
  AcceleratorTarget target;
};

}  // namespace platter::accelerator
