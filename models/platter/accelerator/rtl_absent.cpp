// SPDX-License-Identifier: Apache-2.0
//
// RtlCore, RtlPins and RtlLibrary of a build without RTL (PLATTER_BUILD_RTL=OFF). None can be constructed, so their other functions are never called.
#include "platter/accelerator/rtl_core.h"
#include "platter/accelerator/rtl_library.h"
#include "platter/accelerator/rtl_pins.h"
#include "platter/core/error.h"

namespace platter::accelerator {

namespace {

[[noreturn]] void refuse() {
  throw core::SimulationError("this build of Platter is without the accelerator's RTL (PLATTER_BUILD_RTL=OFF)");
}

}  // namespace

bool RtlCore::is_built() { return false; }
RtlCore::Tracing RtlCore::traced() { return nullptr; }
RtlCore::RtlCore(core::Picoseconds, Tracing, const std::string&, Copy, const AcceleratorParameters&) { refuse(); }
RtlCore::~RtlCore() = default;
BusResponse RtlCore::access(const BusRequest&) { return {}; }
void RtlCore::reset() {}
void RtlCore::declare(VerilatedFstC&) {}
void RtlCore::set_sampler(WaveSamplerIf*) {}

void RtlLibrary::set_package(std::filesystem::path) {}

struct RtlPins::Design {};

RtlPins::RtlPins() { refuse(); }
RtlPins::~RtlPins() = default;
RtlPins::Outputs RtlPins::evaluate(const Inputs&) { return {}; }

}  // namespace platter::accelerator
