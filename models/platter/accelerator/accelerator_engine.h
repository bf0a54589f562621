// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "platter/accelerator/accelerator_target.h"
#include "platter/accelerator/reference_core.h"
#include "platter/drive/engine_if.h"
#include "platter/scheduling/continuous_sweep.h"
#include "platter/scheduling/policies.h"

namespace platter::accelerator {

/// The controller's firmware for the scheduling accelerator: it programs the registers, enters commands as they come, keeps the
/// continuous sweep's sums, starts a decision and takes its result at the interrupt. It knows nothing of
/// what stands behind the bus.
class AcceleratorEngine : public sc_core::sc_module, public drive::EngineIf {
 public:
  SC_HAS_PROCESS(AcceleratorEngine);

  struct Options {
    scheduling::GuardMode guard = scheduling::GuardMode::Pooled;
    std::uint32_t margin_ticks = 0;  ///< beyond the least margin that rounding needs
    core::Picoseconds clock_period = 5'000;
  };

  AcceleratorEngine(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                    std::uint32_t queue_depth, const AcceleratorParameters& parameters, const Options& options,
                    std::unique_ptr<BusCoreIf> core);

  tlm_utils::simple_initiator_socket<AcceleratorEngine> bus_init_socket;
  sc_core::sc_in<bool> irq_i;

  void bind_sink(drive::DecisionSinkIf& sink) override { sink_ = &sink; }
  void insert(const drive::Command& command) override;
  bool empty() const override { return count_ == 0; }
  void prepare(const drive::HeadState& /*at*/, core::Picoseconds /*when*/) override {}
  void decide(const drive::HeadState& head, core::Picoseconds now) override;
  core::Picoseconds prepared_from() const override { return core::kNoDeadline; }
  drive::EngineStatistics statistics() const override;

  const scheduling::SeekTable& seek_table() const { return seek_table_; }

 private:
  /// Ticks by which the two hops of the guard and the sweep's sums may be too short through rounding.
  static constexpr std::uint32_t kGuardSafetyTicks = 8;
  /// Least margin: arrival and sector start are each rounded down by less than a tick.
  static constexpr std::uint32_t kLeastMarginTicks = 2;
  /// Excess of the seek table that needs no mention.
  static constexpr std::uint32_t kSeekLiftTicks = 8;

  void start_of_simulation() override;
  void enter(const drive::Command& command);
  void sync_sweep(const drive::HeadState& head);
  void interrupt();
  void write(std::uint32_t address, std::uint32_t data);
  std::uint32_t read(std::uint32_t address);
  /// Writes only what the register does not hold already.
  void set(std::uint32_t address, std::uint32_t data);
  std::uint32_t position(core::Cylinder cylinder, core::Head head) const;
  core::Picoseconds decision_bound() const;

  const mechanics::AccessPlanner& planner_;
  AcceleratorParameters parameters_;
  Options options_;
  scheduling::TickScale scale_;
  scheduling::SeekTable seek_table_;
  std::vector<const drive::Command*> commands_;  ///< by tag, as the table holds them
  scheduling::ContinuousSweep sweep_;
  drive::DecisionSinkIf* sink_ = nullptr;

  tlm::tlm_generic_payload payload_;
  std::uint32_t word_ = 0;
  core::Picoseconds port_time_ = 0;  ///< when the bus port is free again
  std::vector<std::uint32_t> shadow_;
  std::vector<bool> shadow_valid_;
  std::vector<std::uint32_t> credits_;  ///< by tag, as the table holds them
  std::vector<const drive::Command*> pending_;  ///< came while a decision ran
  std::size_t count_ = 0;
  bool deciding_ = false;
  core::Picoseconds asked_ = 0;
  core::Picoseconds started_ = 0;
  drive::EngineStatistics statistics_;

  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> irq_;

 public:
  AcceleratorTarget target;
};

}  // namespace platter::accelerator
