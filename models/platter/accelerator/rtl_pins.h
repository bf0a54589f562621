// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace platter::accelerator {

/// The pins of the Verilated design, for a simulation with its own clock. (`RtlCore` is the same design at the level of
/// accesses.) This class does not use SystemC; `AxilAccelerator` is the module around it.
class RtlPins {
 public:
  static constexpr unsigned kAddressBits = 12;

  struct Inputs {
    bool clk = false;
    bool rst_n = false;
    bool awvalid = false;
    std::uint32_t awaddr = 0;
    bool wvalid = false;
    std::uint32_t wdata = 0;
    std::uint32_t wstrb = 0;
    bool bready = false;
    bool arvalid = false;
    std::uint32_t araddr = 0;
    bool rready = false;
  };
  struct Outputs {
    bool awready = false;
    bool wready = false;
    bool bvalid = false;
    std::uint32_t bresp = 0;
    bool arready = false;
    bool rvalid = false;
    std::uint32_t rdata = 0;
    std::uint32_t rresp = 0;
    bool irq = false;
  };

  RtlPins();
  ~RtlPins();
  RtlPins(const RtlPins&) = delete;
  RtlPins& operator=(const RtlPins&) = delete;

  /// Applies the inputs and returns the outputs; a rising clk clocks the design. Throws if an assertion of the RTL fails.
  Outputs evaluate(const Inputs& inputs);

 private:
  struct Design;
  std::unique_ptr<Design> design_;
};

}  // namespace platter::accelerator
