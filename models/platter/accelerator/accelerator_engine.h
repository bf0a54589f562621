// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "platter/accelerator/accelerator_program.h"
#include "platter/accelerator/accelerator_target.h"
#include "platter/accelerator/decision_course.h"
#include "platter/accelerator/drive_loader.h"
#include "platter/accelerator/register_port.h"
#include "platter/accelerator/table_mirror.h"
#include "platter/core/timed_call.h"
#include "platter/engine/engine_if.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The controller's firmware for the scheduling accelerator. It enters commands as they arrive, serves the picked ones, and
/// requests the next decision for the end of the current access, again whenever a command has arrived. A program
/// (AcceleratorProgram) defines how the policy uses the accelerator. The engine does not depend on the core behind the bus.
///
/// Its parts: DriveLoader writes the drive in the accelerator's units, RegisterPort makes the accesses, TableMirror follows what
/// the table holds, DecisionCourse says how far the present decision has come.
class AcceleratorEngine : public sc_core::sc_module, public engine::EngineIf, private ProgramHostIf {
 public:
  SC_HAS_PROCESS(AcceleratorEngine);

  struct Options {
    scheduling::PolicySpec policy = *scheduling::find_policy("SPTF");  ///< must be a policy that the accelerator supports
    scheduling::Interpretations interpretations = {};  ///< of clusters; of the others only the defaults are supported
    ArrivalMargins margins;
    std::uint32_t ahead_candidates = 8;  ///< of a policy that looks ahead: candidates for which it does ...
    std::uint32_t ahead_accesses = 4;    ///< ... and how many accesses ahead
    core::Picoseconds clock_period = 5'000;
  };

  AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint32_t queue_depth,
                    const AcceleratorParameters& parameters, const Options& options, std::unique_ptr<BusCoreIf> core);

  void bind_sink(engine::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const scheduling::Command& command) override;
  bool withdraw(const scheduling::Command& command) override;
  bool withdraws_at_once(const scheduling::Command& command) const override;
  void moved(const scheduling::Command& command) override;
  bool empty() const override { return count_ == 0; }
  void prepare(const scheduling::HeadState& at, core::Picoseconds when) override;
  void decide(const scheduling::HeadState& head, core::Picoseconds now) override;
  void reset() override;
  core::Picoseconds prepared_from() const override { return course_.ready() ? course_.answered : core::kNoDeadline; }
  core::Picoseconds compared_part(const mechanics::AccessTime& access) const override {
    return loader_.parameters().has(kZeroLatency) ? access.positioning() : access.to_first();
  }
  core::Picoseconds guard_bound() const override { return program_->guarded() ? decision_bound() : core::kNoDeadline; }
  engine::EngineStatistics statistics() const override;

  const scheduling::SeekTable& seek_table() const { return loader_.seek_table(); }
  /// Longest time from the end of an access to the start of the next.
  core::Picoseconds decision_bound() const;
  BusCoreIf& core() { return device_.target.core(); }

 private:
  /// Ticks by which the guard's estimate may be too short because of rounding. Contributions: the hop to the candidate, the two
  /// hops beside the sweep, the sweep (where the errors of its hops and transfers cancel except at the ends), and HEAD_TIME.
  static constexpr std::uint32_t kGuardSafetyTicks = 9;

  /// The accelerator and its interrupt.
  struct Device {
    Device(std::unique_ptr<BusCoreIf> core, core::Picoseconds clock_period);
    sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> irq;
    AcceleratorTarget target;
  };

  /// What happened to commands while an operation ran.
  struct Changes {
    std::vector<const scheduling::Command*> arrived;
    std::vector<const scheduling::Command*> withdrawn;
    bool none() const { return arrived.empty() && withdrawn.empty(); }
  };

  void start_of_simulation() override;
  void load_drive();
  void take(core::Tag tag);
  void take_back(const scheduling::Command& command);
  void apply_changes();
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
  bool in_sweep(const scheduling::Command& command) const { return program_->guarded() && scheduling::in_sweep(command); }
  /// Is the accelerator told of this command's deadline, which belongs to no sweep, or of its priority?
  bool limited(const scheduling::Command& command) const;
  void warn_of_ignored_deadline(const scheduling::Command& command);

  // The program's accesses.
  void write(std::uint32_t address, std::uint32_t data) override { port_.write(address, data); }
  std::uint32_t read(std::uint32_t address) override { return port_.read(address); }
  void set(std::uint32_t address, std::uint32_t data) override;
  void withhold(const scheduling::Command& command) override;
  void recall(const scheduling::Command& command) override;

  Options options_;
  DriveLoader loader_;
  RegisterPort port_;
  TableMirror table_;
  DecisionCourse course_;
  Changes changes_;
  std::unique_ptr<AcceleratorProgram> program_;
  engine::DecisionSinkIf* sink_ = nullptr;
  std::uint32_t count_ = 0;      ///< commands in the engine: in the table, withheld, or to be entered
  core::Picoseconds bound_ = 0;  ///< of a decision
  std::uint32_t delay_ = 0;      ///< the same as the guard needs it in DELAY
  bool told_ = false;            ///< has warned that deadlines are ignored
  engine::EngineStatistics statistics_;
  core::TimedCall request_;
  Device device_;
};

}  // namespace platter::accelerator
