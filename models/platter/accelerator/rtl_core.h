// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"

class VerilatedContext;
class VerilatedFstC;

namespace platter::accelerator {

/// Writes a sample of every traced signal. The RTL core calls it in each half of a clock cycle.
class WaveSamplerIf {
 public:
  virtual ~WaveSamplerIf() = default;
  virtual bool wants(core::Picoseconds time) const = 0;  ///< is this time to be written?
  virtual void sample(core::Picoseconds time) = 0;       ///< writes the values of this time, which `wants` has confirmed
};

/// The Verilated RTL of the accelerator (the "design") behind the bus port of BusCoreIf. Every access drives the pins, and the clock
/// runs only while there is work. Stopping the clock has no visible effect, because the design's state does not change between
/// accesses. No output of the design depends on an input of the same cycle, so what is read before a cycle is what the pins show in
/// it. A program usually needs only traced(), and passes the RtlCore of a drive (system::rtl_of()) to observe::WaveFile::add().
class RtlCore : public BusCoreIf {
 public:
  /// Is the design part of this build? Where it is not (PLATTER_BUILD_RTL=OFF), the constructor throws.
  static bool is_built();

  /// Parameters that the design was Verilated with: the defaults of sched_top, except those that rtl/CMakeLists.txt sets.
  static AcceleratorParameters built_parameters();

  /// State shared by designs that write the same wave file; null for a design without waves.
  using Tracing = std::shared_ptr<VerilatedContext>;
  /// A new one. Give the same object to all engines whose RTL is written to one wave file.
  static Tracing traced();

  /// The Verilated copy of the design. All give the same responses and count the same cycles.
  enum class Copy {
    Waves,    ///< can write waves, has the assertions
    Checked,  ///< one evaluation a cycle, has the assertions
    Fast,     ///< one evaluation a cycle, no assertions
  };

  /// `tracing`: null for a design without waves; otherwise the copy is Waves. `name`: of its scope in the wave file. When an
  /// assertion of a design fails, all designs that share its tracing report it.
  explicit RtlCore(core::Picoseconds clock_period, Tracing tracing = nullptr, const std::string& name = "sched",
                   Copy copy = Copy::Checked);
  ~RtlCore() override;

  /// @cond of BusCoreIf
  BusResponse access(const BusRequest& request) override;
  void reset() override;
  RtlCore* rtl() override { return this; }
  /// @endcond

  /// Declares the signals of all designs with the same tracing in `file`, before it is opened. Repeated calls have no effect. Throws
  /// std::invalid_argument if the core was constructed without tracing.
  void declare(VerilatedFstC& file);
  /// Called in each half of a clock cycle from now on; null: no longer.
  void set_sampler(WaveSamplerIf* sampler);

 private:
  class Design;
  template <typename Pins>
  class Master;
  static std::unique_ptr<Design> new_design(core::Picoseconds clock_period, Tracing tracing, const std::string& name,
                                            Copy copy);

  std::unique_ptr<Design> design_;
};

}  // namespace platter::accelerator
