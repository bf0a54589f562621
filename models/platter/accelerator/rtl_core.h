// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"

class VerilatedFstC;

namespace platter::accelerator {

/// Writes a sample of every traced signal; the RTL calls it after each clock edge.
class WaveSamplerIf {
 public:
  virtual ~WaveSamplerIf() = default;
  virtual bool wants(core::Picoseconds time) const = 0;
  virtual void sample(core::Picoseconds time) = 0;
};

/// The Verilated design behind the same port: every access is driven pin by pin, and the clock runs only while there is
/// work. Between accesses nothing of it changes, so gating the clock is invisible.
class RtlCore : public BusCoreIf {
 public:
  /// Parameters that the design was Verilated with: sched_top's defaults but for what rtl/CMakeLists.txt sets.
  static AcceleratorParameters built_parameters();

  explicit RtlCore(core::Picoseconds clock_period, bool traced = false);
  ~RtlCore() override;

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  /// Declares the design's signals in `file`, before it is opened; for a core built with `traced`.
  void declare(VerilatedFstC& file);
  void set_sampler(WaveSamplerIf* sampler);

 private:
  struct Design;
  std::unique_ptr<Design> design_;
};

}  // namespace platter::accelerator
