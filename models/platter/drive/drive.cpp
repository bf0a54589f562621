// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/drive.h"

#include <stdexcept>
#include <string>

#include "platter/core/sc_time.h"

namespace platter::drive {

namespace {

std::uint32_t checked_depth(std::uint32_t depth) {
  if (depth == 0 || depth > mechanics::kMostTags)
    throw std::invalid_argument("queue depth must be 1 to " + std::to_string(mechanics::kMostTags));
  return depth;
}

std::unique_ptr<BlockTranslation> make_translation(const DriveConfig& config, const mechanics::AccessPlanner& planner,
                                                   Media* media) {
  if (!config.eager.enabled) return nullptr;
  const std::string objection = eager::objection(config.profile);
  if (!objection.empty()) throw std::invalid_argument(objection);
  return std::make_unique<BlockTranslation>(planner, config.eager, config.seed, media);
}

}  // namespace

Drive::Drive(const sc_core::sc_module_name& name, const DriveConfig& config, const EngineFactory& create_engine)
    : sc_module(name),
      planner_(config.profile),
      media_(config.holds_data ? std::make_unique<Media>("media") : nullptr),
      translation_(make_translation(config, planner_, media_.get())),
      engine_(create_engine({planner_, checked_depth(config.profile.queue_depth),
                             core::to_picoseconds(1.0 / config.profile.controller_clock_mhz,
                                                  core::kPicosecondsPerMicrosecond),
                             translation_ ? &translation_->search() : nullptr, config.eager.bind_reads})),
      queue_("queue", config.profile.queue_depth, translation_ ? translation_->block_sectors() : 1),
      actuator_("actuator", planner_),
      spindle_("spindle", planner_.rotation()),
      controller_(planner_, config.profile, queue_, media_.get(), translation_.get(), actuator_, *engine_),
      power_("power", controller_, config.dies_at),
      host_port_("host_port", queue_, controller_, power_,
                 {capacity_sectors() * planner_.geometry().sector_bytes(), planner_.geometry().sector_bytes(),
                  config.profile.reject_when_full, config.profile.task_attributes, config.profile.token_rate_bytes_per_s,
                  config.profile.token_depth_bytes}),
      registers_("registers", host_port_, power_, queue_, actuator_, *engine_),
      host_tgt_socket(host_port_.host_tgt_socket),
      register_tgt_socket(registers_.register_tgt_socket) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the SystemC time resolution must be 1 ps");
}

Drive::~Drive() = default;

void Drive::set_observer(DriveObserverIf* observer) {
  actuator_.set_observer(observer);
  host_port_.set_observer(observer);
}

}  // namespace platter::drive
