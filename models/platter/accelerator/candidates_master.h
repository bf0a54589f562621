// SPDX-License-Identifier: Apache-2.0
//
// The master at the port `platter_candidates` of a Verilated engine. The adapter of an engine of a user's own includes this file, and nothing else of
// Platter. It does not include SystemC, because Verilator's headers and SystemC's headers are incompatible in a --cc model.
#pragma once

#include <verilated.h>
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#endif

#include <memory>

#include "platter/accelerator/candidates_design.h"

namespace platter::accelerator {

/// Drives the handshakes of an engine, one exchange at a time: never an update and a question together. `Pins` is the adapter's class, which sets and
/// reads the pins of the Verilated class. It has these members:
///
/// - `Pins(VerilatedContext&, const char* name)`, which makes the Verilated class with this name of its scope;
/// - `clock(bool high)` sets the clock and evaluates the model, which nothing else does;
/// - `reset(bool active)` sets the reset; `rest()` is called before it, and after each handshake: update, question and answer are not valid or ready;
/// - `depth()`: the constant `depth_o`;
/// - `offer(const CandidateUpdate&)` sets the pins of an update, and makes it valid;
/// - `ask(const CandidateQuestion&)` sets the pins of a question, and makes it valid;
/// - `take()` makes the simulator ready for the answer;
/// - `update_ready()`, `decide_ready()`: an update, or a question, is taken at the next edge of the clock;
/// - `answers()`: there is an answer, and `answer()` is it (CandidateAnswer);
/// - `trace(VerilatedFstC&)`, by the line `PLATTER_WAVES_OF(top)`.
template <typename Pins>
class CandidatesMaster final : public CandidatesDesign {
 public:
  CandidatesMaster(VerilatedContext& context, core::Picoseconds clock_period, const char* name)
      : context_(context), half_period_(clock_period / 2), period_(clock_period) {
    enter();
    pins_ = std::make_unique<Pins>(context, name);
    reset();
  }
  ~CandidatesMaster() override {
    enter();
    pins_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  std::uint32_t depth() const override { return pins_->depth(); }

  void reset() override {
    enter();
    WaveSamplerIf* const sampler = sampler_;
    sampler_ = nullptr;  // the cycles of a reset have no time
    pins_->rest();
    pins_->reset(true);
    pins_->clock(false);
    for (int cycle = 0; cycle < 2; ++cycle) {
      pins_->clock(true);
      pins_->clock(false);
    }
    pins_->reset(false);
    pins_->clock(false);
    sampler_ = sampler;
  }

  PortResult update(const CandidateUpdate& update, core::Picoseconds start) override {
    PortResult result = begin(start);
    pins_->offer(update);
    const bool taken = until(result, [this] { return pins_->update_ready(); });
    pins_->rest();
    low();
    if (!taken && result.fault == PortFault::None) result.fault = PortFault::UpdateNotTaken;
    if (result.fault == PortFault::None && pins_->answers()) result.fault = PortFault::EarlyAnswer;
    return result;
  }

  PortResult decide(const CandidateQuestion& question, core::Picoseconds start, CandidateAnswer& answer) override {
    PortResult result = begin(start);
    pins_->ask(question);
    const bool taken = until(result, [this] { return pins_->decide_ready(); });
    pins_->rest();
    if (!taken) {
      low();
      if (result.fault == PortFault::None) result.fault = PortFault::QuestionNotTaken;
      return result;
    }
    // The answer is looked at in one cycle and taken in the next, so that one that does not stay is noticed.
    bool answered = false;
    while (!answered && result.cycles < kMaxCycles) {
      low();
      answered = pins_->answers();
      answer = pins_->answer();
      high(result);
    }
    if (!answered) {
      low();
      result.fault = PortFault::NoAnswer;
      return result;
    }
    pins_->take();
    low();
    if (!pins_->answers() || !(pins_->answer() == answer)) result.fault = PortFault::ChangedAnswer;
    high(result);
    pins_->rest();
    low();
    if (result.fault == PortFault::None && pins_->answers()) result.fault = PortFault::SecondAnswer;
    return result;
  }

  PortPins pins() const override { return {pins_->update_ready(), pins_->decide_ready(), pins_->answers(), pins_->answer()}; }

  void declare([[maybe_unused]] VerilatedFstC& file) override {
#if VM_TRACE_FST  // otherwise there is no wave file
    pins_->trace(file);
#endif
  }
  void set_sampler(WaveSamplerIf* sampler) override { sampler_ = sampler; }

 private:
  /// Failed assertions and removed scopes are recorded in the thread's current context, which may be another design's.
  void enter() { Verilated::threadContextp(&context_); }

  PortResult begin(core::Picoseconds start) {
    enter();
    time_ = start;
    return {};
  }
  /// Cycles until `ready` is true, in which the handshake is made.
  template <typename Ready>
  bool until(PortResult& result, const Ready& ready) {
    bool taken = false;
    while (!taken && result.cycles < kMaxCycles) {
      low();
      if (pins_->answers()) result.fault = PortFault::EarlyAnswer;
      taken = ready();
      high(result);
    }
    return taken;
  }
  void low() {
    pins_->clock(false);
    if (sampler_ != nullptr && sampler_->wants(time_)) sampler_->sample(time_);
  }
  void high(PortResult& result) {
    pins_->clock(true);
    if (sampler_ != nullptr && sampler_->wants(time_ + half_period_)) sampler_->sample(time_ + half_period_);
    time_ += period_;
    ++result.cycles;
  }

  VerilatedContext& context_;
  std::unique_ptr<Pins> pins_;
  WaveSamplerIf* sampler_ = nullptr;
  core::Picoseconds time_ = 0;
  core::Picoseconds half_period_;
  core::Picoseconds period_;
};

}  // namespace platter::accelerator

/// In the adapter's class: the signals of its Verilated class, for waves.
#if VM_TRACE_FST
#define PLATTER_WAVES_OF(top) \
  void trace(VerilatedFstC& file) { (top).trace(&file, 99); }
#else
#define PLATTER_WAVES_OF(top)
#endif

#define PLATTER_EXPORT extern "C" __attribute__((visibility("default")))

/// The registration line of an adapter, outside of all namespaces: its class.
#define PLATTER_OWN_ENGINE(Pins)                                                                                \
  PLATTER_EXPORT unsigned platter_own_engine_interface() { return platter::accelerator::kCandidatesInterface; } \
  PLATTER_EXPORT platter::accelerator::CandidatesDesign* platter_own_engine(                                    \
      VerilatedContext* context, platter::core::Picoseconds clock_period, const char* name) {                   \
    return new platter::accelerator::CandidatesMaster<Pins>(*context, clock_period, name);                      \
  }
