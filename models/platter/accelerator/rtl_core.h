// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/rtl_design.h"

namespace platter::accelerator {

/// The Verilated RTL of the accelerator (the "design") behind the bus port of BusCoreIf. Every access drives the pins, and the clock
/// runs only while there is work. Stopping the clock has no visible effect, because the design's state does not change between
/// accesses. No output of the design depends on an input of the same cycle, so what is read before a cycle is what the pins show in
/// it. A program usually needs only traced(), and passes the RtlCore of a drive (system::rtl_of()) to observe::WaveFile::add().
class RtlCore : public BusCoreIf, public TracedDesignIf {
 public:
  /// Is the design part of this build? Where it is not (PLATTER_BUILD_RTL=OFF), the constructor throws.
  static bool is_built();

  /// Parameters of the design that is part of the program: the defaults of sched_top, except those that rtl/CMakeLists.txt sets.
  static AcceleratorParameters built_parameters();

  /// State shared by designs that write the same wave file; null for a design without waves.
  using Tracing = std::shared_ptr<RtlContext>;
  /// A new one. Give the same object to all engines whose RTL is written to one wave file.
  static Tracing traced();

  using Copy = RtlCopy;  ///< Waves: with waves and assertions; Checked: with assertions; Fast: with neither

  /// `tracing`: null for a design without waves; otherwise Waves takes the place of `copy`. `name`: of its scope in the wave file. When an
  /// assertion of a design fails, all designs that share its tracing report it. For parameters other than built_parameters() the design
  /// is a shared object (RtlLibrary), which the first use compiles. Throws core::SimulationError where that is not possible.
  explicit RtlCore(core::Picoseconds clock_period, Tracing tracing = nullptr, const std::string& name = "sched",
                   Copy copy = Copy::Checked, const AcceleratorParameters& parameters = built_parameters());
  ~RtlCore() override;

  /// @cond of BusCoreIf
  BusResponse access(const BusRequest& request) override;
  void reset() override;
  RtlCore* rtl() override { return this; }
  /// @endcond

  /// Declares the signals of all designs with the same tracing in `file`, before it is opened. Repeated calls have no effect. Throws
  /// std::invalid_argument if the core was constructed without tracing.
  void declare(RtlWaves& file) override;
  /// Called in each half of a clock cycle from now on; null: no longer.
  void set_sampler(WaveSamplerIf* sampler) override;

 private:
  Tracing context_;  // outlives the design
  bool is_traced_;
  std::unique_ptr<RtlDesign> design_;
};

}  // namespace platter::accelerator
