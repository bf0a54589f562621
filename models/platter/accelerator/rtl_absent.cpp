// SPDX-License-Identifier: Apache-2.0
//
// RtlCore, RtlPins, RtlLibrary and OwnRtl of a build without RTL (PLATTER_BUILD_RTL=OFF). None can be constructed, so their other functions are never called.
#include "platter/accelerator/own_rtl.h"
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
void RtlCore::declare(RtlWaves&) {}
void RtlCore::set_sampler(WaveSamplerIf*) {}

void RtlLibrary::set_package(std::filesystem::path) {}

std::filesystem::path RtlLibrary::sources_folder() { refuse(); }

std::string OwnRtl::build(const std::string&) { refuse(); }
std::vector<std::string> OwnRtl::lint(const std::string&) { refuse(); }
std::filesystem::path OwnRtl::template_folder() { refuse(); }
OwnRtl::OwnRtl(const std::string&, core::Picoseconds, RtlCore::Tracing, const std::string&) { refuse(); }
OwnRtl::~OwnRtl() = default;
void OwnRtl::reset() {}
std::uint32_t OwnRtl::update(const CandidateUpdate&, core::Picoseconds) { return 0; }
std::uint32_t OwnRtl::decide(const CandidateQuestion&, core::Picoseconds, CandidateAnswer&) { return 0; }
void OwnRtl::declare(RtlWaves&) {}
core::Picoseconds OwnRtl::begin_of_last(std::size_t) const { return 0; }
void OwnRtl::replay(OwnRtl&) const {}

struct RtlPins::Design {};

RtlPins::RtlPins() { refuse(); }
RtlPins::~RtlPins() = default;
RtlPins::Outputs RtlPins::evaluate(const Inputs&) { return {}; }

}  // namespace platter::accelerator
