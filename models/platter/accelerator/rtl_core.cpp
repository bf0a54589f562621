// SPDX-License-Identifier: Apache-2.0
//
// This is the only file besides rtl_pins.cpp that includes the Verilated class. It does not include SystemC, because
// Verilator's headers and SystemC's headers are incompatible in a --cc model. PLATTER_VSCHED lets the tests build this file
// with the RTL that has a seeded fault, of which there are no copies for speed (PLATTER_FAST_RTL).
#include "platter/accelerator/rtl_core.h"

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#ifndef PLATTER_VSCHED
#define PLATTER_VSCHED Vsched
#define PLATTER_VSCHED_HEADER "Vsched.h"
#endif
#include PLATTER_VSCHED_HEADER
#ifdef PLATTER_FAST_RTL
#include <Vsched_checked.h>
#include <Vsched_fast.h>

// Two phases of the generated eval(), which Verilator's headers do not declare.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are Verilator's
bool Vsched_checked___024root___eval_phase__act(Vsched_checked___024root* root);
bool Vsched_checked___024root___eval_phase__nba(Vsched_checked___024root* root);
bool Vsched_fast___024root___eval_phase__act(Vsched_fast___024root* root);
bool Vsched_fast___024root___eval_phase__nba(Vsched_fast___024root* root);
// NOLINTEND(bugprone-reserved-identifier)
#endif

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

#include "platter/core/error.h"

namespace platter::accelerator {

using core::Picoseconds;

namespace {

constexpr std::uint32_t kMaxCycles = 64;      // bound on the cycles of an access
constexpr std::uint32_t kMaxWork = 1u << 16;  // bound on work; the longest is the best order of twelve commands

}  // namespace

/// A design and what does not depend on its copy.
class RtlCore::Design {
 public:
  explicit Design(Tracing tracing)
      : is_traced(tracing != nullptr), context(tracing != nullptr ? std::move(tracing) : std::make_shared<VerilatedContext>()) {
    enter();
    context->threads(1);  // the design needs no pool of threads
    context->fatalOnError(false);
    context->errorLimit(1);
  }
  virtual ~Design() { Verilated::threadContextp(Verilated::defaultContextp()); }

  virtual void access(const BusRequest& request, BusResponse& response) = 0;
  virtual void reset() = 0;
  virtual void declare(VerilatedFstC& file) = 0;
  virtual void set_sampler(WaveSamplerIf* sampler) = 0;

  /// Failed assertions and removed scopes are recorded in the thread's current context, which may be another core's.
  void enter() { Verilated::threadContextp(context.get()); }

  bool is_traced;
  std::shared_ptr<VerilatedContext> context;  // outlives the design
};

namespace {

/// The pins of the copy Waves: a cycle takes an evaluation for each half of the clock.
class WavePins {
 public:
  WavePins(VerilatedContext& context, Picoseconds clock_period, const std::string& name)
      : top_(&context, name.c_str()), half_period_(clock_period / 2), period_(clock_period) {}
  ~WavePins() { top_.final(); }

  void reset() {
    top_.clk_i = 0;
    top_.scan_en_i = 0;
    top_.s_axil_awvalid_i = 0;
    top_.s_axil_wvalid_i = 0;
    top_.s_axil_arvalid_i = 0;
    top_.s_axil_bready_i = 1;
    top_.s_axil_rready_i = 1;
    top_.s_axil_wstrb_i = 0xF;
    top_.rst_ni = 0;
    top_.eval();
    cycle();
    cycle();
    top_.rst_ni = 1;
  }

  void offer(const BusRequest& request) {
    time_ = request.start;
    top_.s_axil_awvalid_i = request.write;
    top_.s_axil_wvalid_i = request.write;
    top_.s_axil_arvalid_i = !request.write;
    (request.write ? top_.s_axil_awaddr_i : top_.s_axil_araddr_i) = static_cast<std::uint16_t>(request.address);
    if (request.write) top_.s_axil_wdata_i = request.data;
  }

  /// What has been taken is no longer offered afterwards.
  void cycle() {
    top_.clk_i = 0;
    top_.eval();
    if (sampler_ != nullptr && sampler_->wants(time_)) sampler_->sample(time_);
    const bool address_taken = top_.s_axil_awready_o, data_taken = top_.s_axil_wready_o, read_taken = top_.s_axil_arready_o;
    top_.clk_i = 1;
    top_.eval();
    if (sampler_ != nullptr && sampler_->wants(time_ + half_period_)) sampler_->sample(time_ + half_period_);
    time_ += period_;
    if (address_taken) top_.s_axil_awvalid_i = 0;
    if (data_taken) top_.s_axil_wvalid_i = 0;
    if (read_taken) top_.s_axil_arvalid_i = 0;
  }

  void rest() { cycle(); }

  bool offers() const { return top_.s_axil_awvalid_i || top_.s_axil_wvalid_i || top_.s_axil_arvalid_i; }
  bool written() const { return top_.s_axil_bvalid_o; }
  bool write_ok() const { return top_.s_axil_bresp_o == 0; }
  bool read() const { return top_.s_axil_rvalid_o; }
  bool read_ok() const { return top_.s_axil_rresp_o == 0; }
  std::uint32_t read_data() const { return top_.s_axil_rdata_o; }
  bool busy() const { return top_.busy_o; }
  bool irq() const { return top_.irq_o; }
  void declare([[maybe_unused]] VerilatedFstC& file) {
#if VM_TRACE_FST  // otherwise the design has no trace(), and there is no wave file
    top_.trace(&file, 99);
#endif
  }
  void set_sampler(WaveSamplerIf* sampler) { sampler_ = sampler; }

 private:
  PLATTER_VSCHED top_;
  WaveSamplerIf* sampler_ = nullptr;
  Picoseconds time_ = 0;
  Picoseconds half_period_;
  Picoseconds period_;
};

#ifdef PLATTER_FAST_RTL
/// What eval() does for an edge of a copy for speed, without its search for further events: the first phase notices the edge and switches
/// the clock gates, the second notices the edges behind them, the third clocks the registers and computes the logic. No gate is behind
/// another one, and no logic makes a clock, so that nothing is left to do.
void evaluate(Vsched_checked& top) {
  Vsched_checked___024root___eval_phase__act(top.rootp);
  Vsched_checked___024root___eval_phase__act(top.rootp);
  Vsched_checked___024root___eval_phase__nba(top.rootp);
}
void evaluate(Vsched_fast& top) {
  Vsched_fast___024root___eval_phase__act(top.rootp);
  Vsched_fast___024root___eval_phase__act(top.rootp);
  Vsched_fast___024root___eval_phase__nba(top.rootp);
}

/// The pins of a copy for speed (rtl/simulation/sched_offer.sv): both edges of its clock count.
template <typename Top>
class FastPins {
 public:
  FastPins(VerilatedContext& context, Picoseconds, const std::string& name) : top_(&context, name.c_str()) {
    top_.clk_i = 0;
    top_.offer_i = 0;
    top_.eval();
  }
  ~FastPins() { top_.final(); }

  void reset() {
    top_.rst_ni = 0;
    top_.write_i = top_.read_i = 0;
    offer();
    cycle();
    cycle();
    top_.rst_ni = 1;
  }

  void offer(const BusRequest& request) {
    top_.write_i = request.write;
    top_.read_i = !request.write;
    top_.addr_i = static_cast<std::uint16_t>(request.address);
    top_.data_i = request.data;
    offer();
  }

  void cycle() {
    top_.clk_i ^= 1;
    evaluate(top_);
  }

  /// A cycle of which nothing is looked at. Without assertions its edge comes with the next offer, which is taken at the same edge.
  void rest() {
    if constexpr (std::is_same_v<Top, Vsched_fast>) {
      resting_ = true;
    } else {
      cycle();
    }
  }

  bool offers() const { return top_.offers_o; }
  bool written() const { return top_.bvalid_o; }
  bool write_ok() const { return top_.bresp_o == 0; }
  bool read() const { return top_.rvalid_o; }
  bool read_ok() const { return top_.rresp_o == 0; }
  std::uint32_t read_data() const { return top_.rdata_o; }
  bool busy() const { return top_.busy_o; }
  bool irq() const { return top_.irq_o; }
  void declare(VerilatedFstC&) {}
  void set_sampler(WaveSamplerIf*) {}

 private:
  void offer() {
    top_.offer_i ^= 1;
    if (resting_) top_.clk_i ^= 1;
    resting_ = false;
    evaluate(top_);
  }

  Top top_;
  bool resting_ = false;
};
#endif

}  // namespace

/// The bus master at the pins of a copy.
template <typename Pins>
class RtlCore::Master : public Design {
 public:
  Master(Picoseconds clock_period, Tracing tracing, const std::string& name) : Design(std::move(tracing)) {
    pins_ = std::make_unique<Pins>(*context, clock_period, name);
    pins_->reset();
  }
  ~Master() override {
    enter();
    pins_.reset();
  }

  void reset() override {
    enter();
    pins_->reset();
  }
  void declare(VerilatedFstC& file) override { pins_->declare(file); }
  void set_sampler(WaveSamplerIf* sampler) override { pins_->set_sampler(sampler); }

  void access(const BusRequest& request, BusResponse& response) override {
    Pins& pins = *pins_;
    enter();
    const bool irq_before = pins.irq();
    pins.offer(request);
    while (pins.offers() && response.cycles < kMaxCycles) {
      pins.cycle();
      ++response.cycles;
    }
    // BUSY and the interrupt are registers: after the clock edge they have the values of the cycle that begins.
    const bool works = request.write && pins.busy();
    const auto note = [&](std::uint32_t cycle) {
      if (!works) return;
      if (response.busy_cycles == 0 && !pins.busy()) response.busy_cycles = cycle;
      if (response.irq_cycles == 0 && !irq_before && pins.irq()) response.irq_cycles = cycle;
    };
    note(response.cycles);
    bool answered = false;
    while (!answered && response.cycles < kMaxCycles) {
      answered = request.write ? pins.written() : pins.read();
      response.ok = request.write ? pins.write_ok() : pins.read_ok();
      if (!request.write) response.data = response.ok ? pins.read_data() : 0;
      if (answered && !works) {
        pins.rest();
        ++response.cycles;
        break;
      }
      pins.cycle();
      note(++response.cycles);
    }
    std::uint32_t cycle = response.cycles;
    while (works && response.busy_cycles == 0 && cycle < kMaxWork) {
      pins.cycle();
      note(++cycle);
    }
    if (works && response.busy_cycles == 0)
      throw core::SimulationError(fmt::format("work that a write to 0x{:03x} started in the RTL did not end within {} cycles",
                                              request.address, kMaxWork));
    response.irq = pins.irq();
  }

 private:
  std::unique_ptr<Pins> pins_;
};

std::unique_ptr<RtlCore::Design> RtlCore::new_design(Picoseconds clock_period, Tracing tracing, const std::string& name,
                                                     [[maybe_unused]] Copy copy) {
#ifdef PLATTER_FAST_RTL
  if (tracing == nullptr && copy == Copy::Checked)
    return std::make_unique<Master<FastPins<Vsched_checked>>>(clock_period, std::move(tracing), name);
  if (tracing == nullptr && copy == Copy::Fast)
    return std::make_unique<Master<FastPins<Vsched_fast>>>(clock_period, std::move(tracing), name);
#endif
  return std::make_unique<Master<WavePins>>(clock_period, std::move(tracing), name);
}

bool RtlCore::is_built() { return true; }

RtlCore::Tracing RtlCore::traced() {
  auto context = std::make_shared<VerilatedContext>();
  context->traceEverOn(true);
  return context;
}

RtlCore::RtlCore(Picoseconds clock_period, Tracing tracing, const std::string& name, Copy copy)
    : design_(new_design(clock_period, std::move(tracing), name, copy)) {}

RtlCore::~RtlCore() = default;

void RtlCore::reset() { design_->reset(); }

void RtlCore::declare(VerilatedFstC& file) {
  if (!design_->is_traced)
    throw std::invalid_argument("the RTL has no waves: its engine was made without EngineOptions::tracing");
  design_->declare(file);
}

void RtlCore::set_sampler(WaveSamplerIf* sampler) { design_->set_sampler(sampler); }

BusResponse RtlCore::access(const BusRequest& request) {
  BusResponse response;
  design_->access(request, response);
  if (design_->context->gotError())
    throw core::SimulationError(
        fmt::format("an assertion of the RTL failed in an access at {} ps, see the message above", request.start));
  if (response.cycles >= kMaxCycles)
    throw core::SimulationError(
        fmt::format("the RTL did not answer an access to 0x{:03x} within {} cycles", request.address, kMaxCycles));
  return response;
}

}  // namespace platter::accelerator
