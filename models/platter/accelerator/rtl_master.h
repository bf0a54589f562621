// SPDX-License-Identifier: Apache-2.0
//
// The bus master at the pins of a Verilated class. The program includes this file for the design that it has built in, and rtl_shim.cpp for a
// shared object. It does not include SystemC, because Verilator's headers and SystemC's headers are incompatible in a --cc model.
#pragma once

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include <memory>
#include <string>
#include <utility>

#include "platter/accelerator/rtl_design.h"

/// What eval() does for an edge of a copy for speed, without its search for further events: the first phase notices the edge and switches
/// the clock gates, the second notices the edges behind them, the third clocks the registers and computes the logic. No gate is behind
/// another one, and no logic makes a clock, so that nothing is left to do. Verilator's headers do not declare these phases.
// NOLINTBEGIN(bugprone-macro-parentheses): Top is a type
#define PLATTER_FAST_PHASES(Top) PLATTER_FAST_PHASES_OF(Top)
#define PLATTER_FAST_PHASES_OF(Top)                         \
  bool Top##___024root___eval_phase__act(Top##___024root*); \
  bool Top##___024root___eval_phase__nba(Top##___024root*); \
  inline void platter_evaluate(Top& top) {                  \
    Top##___024root* const root = top.rootp;                \
    Top##___024root___eval_phase__act(root);                \
    Top##___024root___eval_phase__act(root);                \
    Top##___024root___eval_phase__nba(root);                \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace platter::accelerator {

/// The pins of the copy Waves: a cycle takes an evaluation for each half of the clock.
template <typename Top>
class WavePins {
 public:
  WavePins(VerilatedContext& context, core::Picoseconds clock_period, const std::string& name)
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
  Top top_;
  WaveSamplerIf* sampler_ = nullptr;
  core::Picoseconds time_ = 0;
  core::Picoseconds half_period_;
  core::Picoseconds period_;
};

/// The pins of a copy for speed (rtl/simulation/sched_offer.sv): both edges of its clock count. PLATTER_FAST_PHASES must stand before.
template <typename Top, bool kAssertions>
class FastPins {
 public:
  FastPins(VerilatedContext& context, core::Picoseconds, const std::string& name) : top_(&context, name.c_str()) {
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
    platter_evaluate(top_);
  }

  /// A cycle of which nothing is looked at. Without assertions its edge comes with the next offer, which is taken at the same edge.
  void rest() {
    if constexpr (!kAssertions) {
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
    platter_evaluate(top_);
  }

  Top top_;
  bool resting_ = false;
};

/// The bus master at the pins of a copy.
template <typename Pins>
class RtlMaster final : public RtlDesign {
 public:
  RtlMaster(VerilatedContext& context, core::Picoseconds clock_period, const std::string& name) : context_(context) {
    enter();
    pins_ = std::make_unique<Pins>(context, clock_period, name);
    pins_->reset();
  }
  ~RtlMaster() override {
    enter();
    pins_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  void reset() override {
    enter();
    pins_->reset();
  }
  void declare(VerilatedFstC& file) override { pins_->declare(file); }
  void set_sampler(WaveSamplerIf* sampler) override { pins_->set_sampler(sampler); }

  bool access(const BusRequest& request, BusResponse& response) override {
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
    response.irq = pins.irq();
    return !works || response.busy_cycles != 0;
  }

 private:
  /// Failed assertions and removed scopes are recorded in the thread's current context, which may be another core's.
  void enter() { Verilated::threadContextp(&context_); }

  VerilatedContext& context_;
  std::unique_ptr<Pins> pins_;
};

}  // namespace platter::accelerator
