// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/accelerator/bus_access.h"

class platter_VerilatedContext;
class platter_VerilatedFstC;

namespace platter::accelerator {

/// VerilatedContext of the Verilator run-time in Platter, whose names are its own: a program may also contain the run-time of another Verilator.
using RtlContext = ::platter_VerilatedContext;
/// Its VerilatedFstC.
using RtlWaves = ::platter_VerilatedFstC;

/// Writes a sample of every traced signal. The RTL core calls it in each half of a clock cycle.
class WaveSamplerIf {
 public:
  virtual ~WaveSamplerIf() = default;
  virtual bool wants(core::Picoseconds time) const = 0;  ///< is this time to be written?
  virtual void sample(core::Picoseconds time) = 0;       ///< writes the values of this time, which `wants` has confirmed
};

/// What a wave file needs of a Verilated design.
class TracedDesignIf {
 public:
  virtual ~TracedDesignIf() = default;
  /// Declares the signals in `file`, before it is opened.
  virtual void declare(RtlWaves& file) = 0;
  /// Called in each half of a clock cycle from now on; null: no longer.
  virtual void set_sampler(WaveSamplerIf* sampler) = 0;
};

/// The Verilated copy of the design. All give the same responses and count the same cycles.
enum class RtlCopy {
  Waves,    ///< can write waves, has the assertions
  Checked,  ///< one evaluation a cycle, has the assertions
  Fast,     ///< one evaluation a cycle, no assertions
};

/// A Verilated design with the bus master at its pins. It is part of the program, or of a shared object that is compiled for its size
/// (rtl_shim.cpp). Such an object has only this file and those that it includes in common with the program, so it depends on no library.
class RtlDesign : public TracedDesignIf {
 public:
  RtlDesign() = default;
  RtlDesign(const RtlDesign&) = delete;
  RtlDesign& operator=(const RtlDesign&) = delete;
  ~RtlDesign() override = default;

  static constexpr std::uint32_t kMaxCycles = 64;      ///< bound on the cycles of an access
  static constexpr std::uint32_t kMaxWork = 1u << 20;  ///< bound on work; the longest is a look-ahead of 256 candidates

  /// False if the work that the access has started does not end.
  virtual bool access(const BusRequest& request, BusResponse& response) = 0;
  virtual void reset() = 0;
};

/// Version of what program and shared object have in common; to be increased with every change of it.
inline constexpr unsigned kRtlInterface = 3;

/// The functions of a shared object: the version of its interface, and a design in a context that outlives it.
using RtlInterfaceFunction = unsigned();
using RtlDesignFunction = RtlDesign*(RtlContext* context, core::Picoseconds clock_period, const char* name);
inline constexpr const char* kRtlInterfaceSymbol = "platter_rtl_interface";
inline constexpr const char* kRtlDesignSymbol = "platter_rtl_design";

}  // namespace platter::accelerator
