// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "platter/accelerator/bus_core.h"
#include "platter/accelerator/reference_core.h"

class VerilatedContext;
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

  /// What designs have in common that go into one wave file.
  using Tracing = std::shared_ptr<VerilatedContext>;
  static Tracing traced();

  /// `tracing`: null for a design that goes into none; `name`: of its scope there. Where an assertion of a design has failed, the designs that share
  /// its tracing all say so.
  explicit RtlCore(core::Picoseconds clock_period, Tracing tracing = nullptr, const std::string& name = "sched");
  ~RtlCore() override;

  BusResponse access(const BusRequest& request) override;
  void reset() override;

  /// Declares the signals of all designs with the same tracing in `file`, before it is opened; said again it does nothing.
  void declare(VerilatedFstC& file);
  void set_sampler(WaveSamplerIf* sampler);

 private:
  struct Design;
  std::unique_ptr<Design> design_;
};

}  // namespace platter::accelerator
