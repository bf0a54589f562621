// SPDX-License-Identifier: Apache-2.0
//
// This is the only file besides rtl_pins.cpp that includes the Verilated class. It does not include SystemC, because
// Verilator's headers and SystemC's headers are incompatible in a --cc model. PLATTER_VSCHED lets the tests build this file
// with the RTL that has a seeded fault.
#include "platter/accelerator/rtl_core.h"

#include <verilated.h>
#include <verilated_fst_c.h>

#ifndef PLATTER_VSCHED
#define PLATTER_VSCHED Vsched
#define PLATTER_VSCHED_HEADER "Vsched.h"
#endif
#include PLATTER_VSCHED_HEADER

#include <fmt/format.h>

#include "platter/core/error.h"

namespace platter::accelerator {

using core::Picoseconds;

namespace {

constexpr std::uint32_t kMostCycles = 64;      // bound on the cycles of an access
constexpr std::uint32_t kMostWork = 1u << 16;  // bound on work; the longest is the best order of twelve commands

}  // namespace

struct RtlCore::Design {
  Design(Picoseconds clock_period, Tracing tracing, const std::string& name)
      : context(tracing != nullptr ? std::move(tracing) : std::make_shared<VerilatedContext>()),
        half_period(clock_period / 2),
        period(clock_period) {
    enter();
    context->threads(1);  // the design needs no pool of threads
    context->fatalOnError(false);
    context->errorLimit(1);
    top = std::make_unique<PLATTER_VSCHED>(context.get(), name.c_str());
    reset();
  }
  ~Design() {
    enter();
    top->final();
    top.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  /// Failed assertions and removed scopes are recorded in the thread's current context, which may be another core's.
  void enter() { Verilated::threadContextp(context.get()); }

  void reset() {
    enter();
    top->clk_i = 0;
    top->s_axil_awvalid_i = 0;
    top->s_axil_wvalid_i = 0;
    top->s_axil_arvalid_i = 0;
    top->s_axil_bready_i = 1;
    top->s_axil_rready_i = 1;
    top->s_axil_wstrb_i = 0xF;
    top->rst_ni = 0;
    top->eval();
    cycle();
    cycle();
    top->rst_ni = 1;
  }

  /// First half of a cycle: inputs settle, outputs can be read.
  void settle() {
    top->clk_i = 0;
    top->eval();
    if (sampler != nullptr && sampler->wants(time)) sampler->sample(time);
  }
  /// Second half: the rising edge.
  void clock() {
    top->clk_i = 1;
    top->eval();
    if (sampler != nullptr && sampler->wants(time + half_period)) sampler->sample(time + half_period);
    time += period;
  }
  void cycle() {
    settle();
    clock();
  }

  void write(const BusRequest& request, BusResponse& response) {
    top->s_axil_awvalid_i = 1;
    top->s_axil_wvalid_i = 1;
    top->s_axil_awaddr_i = static_cast<std::uint16_t>(request.address);
    top->s_axil_wdata_i = request.data;
    const bool irq_before = top->irq_o;
    while ((top->s_axil_awvalid_i || top->s_axil_wvalid_i) && response.cycles < kMostCycles) {
      settle();
      const bool address_taken = top->s_axil_awready_o, data_taken = top->s_axil_wready_o;
      clock();
      if (address_taken) top->s_axil_awvalid_i = 0;
      if (data_taken) top->s_axil_wvalid_i = 0;
      ++response.cycles;
    }
    top->s_axil_awvalid_i = 0;
    top->s_axil_wvalid_i = 0;
    // BUSY and the interrupt are registers: after the clock edge they have the values of the cycle that begins.
    const bool works = top->busy_o;
    const auto note = [&](std::uint32_t cycle) {
      if (!works) return;
      if (response.busy_cycles == 0 && !top->busy_o) response.busy_cycles = cycle;
      if (response.irq_cycles == 0 && !irq_before && top->irq_o) response.irq_cycles = cycle;
    };
    note(response.cycles);
    bool answered = false;
    while (!answered && response.cycles < kMostCycles) {
      settle();
      answered = top->s_axil_bvalid_o;
      response.ok = top->s_axil_bresp_o == 0;
      clock();
      note(++response.cycles);
    }
    std::uint32_t cycle = response.cycles;
    while (works && response.busy_cycles == 0 && cycle < kMostWork) {
      this->cycle();
      note(++cycle);
    }
    if (works && response.busy_cycles == 0)
      throw core::SimulationError(fmt::format("work that a write to 0x{:03x} started in the RTL did not end within {} cycles",
                                              request.address, kMostWork));
  }

  void read(const BusRequest& request, BusResponse& response) {
    top->s_axil_arvalid_i = 1;
    top->s_axil_araddr_i = static_cast<std::uint16_t>(request.address);
    bool accepted = false;
    while (!accepted && response.cycles < kMostCycles) {
      settle();
      accepted = top->s_axil_arready_o;
      clock();
      ++response.cycles;
    }
    top->s_axil_arvalid_i = 0;
    bool answered = false;
    while (!answered && response.cycles < kMostCycles) {
      settle();
      answered = top->s_axil_rvalid_o;
      response.ok = top->s_axil_rresp_o == 0;
      response.data = top->s_axil_rdata_o;
      clock();
      ++response.cycles;
    }
    if (!response.ok) response.data = 0;
  }

  std::shared_ptr<VerilatedContext> context;  // outlives the design
  std::unique_ptr<PLATTER_VSCHED> top;
  WaveSamplerIf* sampler = nullptr;
  Picoseconds time = 0;
  Picoseconds half_period;
  Picoseconds period;
};

AcceleratorParameters RtlCore::built_parameters() {
  AcceleratorParameters parameters;  // sched_top's defaults; the driver checks PARAMS
  parameters.order_m = PLATTER_SCHED_ORDER_M;
  return parameters;
}

RtlCore::Tracing RtlCore::traced() {
  auto context = std::make_shared<VerilatedContext>();
  context->traceEverOn(true);
  return context;
}

RtlCore::RtlCore(Picoseconds clock_period, Tracing tracing, const std::string& name)
    : design_(std::make_unique<Design>(clock_period, std::move(tracing), name)) {}

RtlCore::~RtlCore() = default;

void RtlCore::reset() { design_->reset(); }

void RtlCore::declare(VerilatedFstC& file) { design_->top->trace(&file, 99); }

void RtlCore::set_sampler(WaveSamplerIf* sampler) { design_->sampler = sampler; }

BusResponse RtlCore::access(const BusRequest& request) {
  Design& d = *design_;
  d.enter();
  d.time = request.start;
  BusResponse response;
  if (request.write)
    d.write(request, response);
  else
    d.read(request, response);
  response.irq = d.top->irq_o;
  if (d.context->gotError())
    throw core::SimulationError(fmt::format("an assertion of the RTL failed at {} ps, see the message above", d.time));
  if (response.cycles >= kMostCycles)
    throw core::SimulationError(
        fmt::format("the RTL did not answer an access to 0x{:03x} within {} cycles", request.address, kMostCycles));
  return response;
}

}  // namespace platter::accelerator
