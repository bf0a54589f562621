// SPDX-License-Identifier: Apache-2.0
//
// Besides rtl_pins.cpp, this is the only file of the program that includes the Verilated class. PLATTER_VSCHED lets the tests build it with the
// RTL that has a seeded fault, of which there are no copies for speed (PLATTER_FAST_RTL).
#include "platter/accelerator/rtl_core.h"

#ifndef PLATTER_VSCHED
#define PLATTER_VSCHED Vplatter_sched
#define PLATTER_VSCHED_HEADER "Vplatter_sched.h"
#endif
#include "platter/accelerator/rtl_master.h"
#include PLATTER_VSCHED_HEADER
#ifdef PLATTER_FAST_RTL
#include <Vplatter_sched_checked.h>
#include <Vplatter_sched_fast.h>

PLATTER_FAST_PHASES(Vplatter_sched_checked)
PLATTER_FAST_PHASES(Vplatter_sched_fast)
#endif

#include <fmt/format.h>

#include <stdexcept>

#include "platter/accelerator/rtl_library.h"
#include "platter/core/error.h"

namespace platter::accelerator {

using core::Picoseconds;

namespace {

RtlCore::Tracing prepared(RtlCore::Tracing context) {
  if (context == nullptr) context = std::make_shared<VerilatedContext>();
  Verilated::threadContextp(context.get());
  context->threads(1);  // the design needs no pool of threads
  context->fatalOnError(false);
  context->errorLimit(1);
  return context;
}

/// The design that is part of the program.
std::unique_ptr<RtlDesign> built_in(VerilatedContext& context, Picoseconds clock_period, const std::string& name,
                                    [[maybe_unused]] RtlCopy copy) {
#ifdef PLATTER_FAST_RTL
  if (copy == RtlCopy::Checked)
    return std::make_unique<RtlMaster<FastPins<Vplatter_sched_checked, true>>>(context, clock_period, name);
  if (copy == RtlCopy::Fast)
    return std::make_unique<RtlMaster<FastPins<Vplatter_sched_fast, false>>>(context, clock_period, name);
#endif
  return std::make_unique<RtlMaster<WavePins<PLATTER_VSCHED>>>(context, clock_period, name);
}

}  // namespace

bool RtlCore::is_built() { return true; }

RtlCore::Tracing RtlCore::traced() {
  auto context = std::make_shared<VerilatedContext>();
  context->traceEverOn(true);
  return context;
}

RtlCore::RtlCore(Picoseconds clock_period, Tracing tracing, const std::string& name, Copy copy,
                 const AcceleratorParameters& parameters)
    : is_traced_(tracing != nullptr) {
  if (is_traced_) copy = Copy::Waves;
  context_ = prepared(std::move(tracing));
  design_ = parameters == built_parameters() ? built_in(*context_, clock_period, name, copy)
                                             : RtlLibrary::instance().design(parameters, copy, *context_, clock_period, name);
}

RtlCore::~RtlCore() = default;

void RtlCore::reset() { design_->reset(); }

void RtlCore::declare(VerilatedFstC& file) {
  if (!is_traced_) throw std::invalid_argument("the RTL has no waves: it was made without tracing");
  design_->declare(file);
}

void RtlCore::set_sampler(WaveSamplerIf* sampler) { design_->set_sampler(sampler); }

BusResponse RtlCore::access(const BusRequest& request) {
  BusResponse response;
  const bool ended = design_->access(request, response);
  if (!ended)
    throw core::SimulationError(fmt::format("work that a write to 0x{:03x} started in the RTL did not end within {} cycles",
                                            request.address, RtlDesign::kMaxWork));
  if (context_->gotError())
    throw core::SimulationError(
        fmt::format("an assertion of the RTL failed in an access at {} ps, see the message above", request.start));
  if (response.cycles >= RtlDesign::kMaxCycles)
    throw core::SimulationError(
        fmt::format("the RTL did not answer an access to 0x{:03x} within {} cycles", request.address, RtlDesign::kMaxCycles));
  return response;
}

}  // namespace platter::accelerator
