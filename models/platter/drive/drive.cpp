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
      actuator_("actuator"),
      spindle_("spindle", planner_.rotation()),
      channel_("channel", planner_, media_.get()),
      controller_("controller", planner_, config.profile, queue_, actuator_, channel_, *engine_,
                  translation_.get()),
      host_port_("host_port", planner_, queue_, controller_, channel_, media_.get(), config.profile,
                 capacity_sectors() * planner_.geometry().sector_bytes()),
      registers_("registers", host_port_, queue_, controller_, *engine_),
      host_tgt_socket(host_port_.host_tgt_socket),
      register_tgt_socket(registers_.register_tgt_socket) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the SystemC time resolution must be 1 ps");
  if (config.dies_at == core::kNoDeadline) return;
  SC_METHOD(die);
  sensitive << death_;
  dont_initialize();
  death_.notify(core::to_sc_time(config.dies_at));
}

Drive::~Drive() = default;

void Drive::set_observer(DriveObserverIf* observer) {
  controller_.set_observer(observer);
  host_port_.set_observer(observer);
}

}  // namespace platter::drive
