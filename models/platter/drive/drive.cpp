// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/drive.h"

#include <stdexcept>
#include <string>

namespace platter::drive {

namespace {

std::uint32_t checked_depth(std::uint32_t depth) {
  if (depth == 0 || depth > mechanics::kMostTags)
    throw std::invalid_argument("queue depth must be 1 to " + std::to_string(mechanics::kMostTags));
  return depth;
}

}  // namespace

Drive::Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const EngineFactory& create_engine)
    : sc_module(name),
      planner_(config.profile),
      media_(config.holds_data ? std::make_unique<Media>("media") : nullptr),
      engine_(create_engine({planner_, checked_depth(config.profile.queue_depth),
                             core::to_picoseconds(1.0 / config.profile.controller_clock_mhz,
                                                  core::kPicosecondsPerMicrosecond)})),
      queue_("queue", config.profile.queue_depth),
      actuator_("actuator"),
      spindle_("spindle", planner_.rotation()),
      channel_("channel", planner_, media_.get()),
      controller_("controller", planner_, config.profile, queue_, actuator_, channel_, *engine_),
      host_port_("host_port", planner_, queue_, controller_, channel_, media_.get(), config.profile),
      host_tgt_socket(host_port_.host_tgt_socket) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the SystemC time resolution must be 1 ps");
}

Drive::~Drive() = default;

void Drive::set_observer(DriveObserverIf* observer) {
  controller_.set_observer(observer);
  host_port_.set_observer(observer);
}

}  // namespace platter::drive
