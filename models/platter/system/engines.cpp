// SPDX-License-Identifier: Apache-2.0
#include "platter/system/engines.h"

#include <fmt/format.h>

#include <stdexcept>

#include "platter/accelerator/accelerator_engine.h"
#include "platter/accelerator/candidates_engine.h"

namespace platter::system {

Objection engine_objection(const EngineChoice& engine, const scheduling::PolicySpec& policy, std::uint32_t queue_depth,
                           const scheduling::Interpretations& interpretations,
                           const accelerator::AcceleratorOptions& accelerator) {
  if (engine.row->objection == nullptr) return {};
  return engine.row->objection(engine, {policy, queue_depth, interpretations, accelerator});
}

Objection drive_objection(const EngineChoice& engine, const mechanics::AccessPlanner& planner,
                          const accelerator::AcceleratorOptions& accelerator) {
  return engine.row->drive_objection != nullptr ? engine.row->drive_objection(engine, planner, accelerator) : Objection{};
}

Objection rules_objection(const EngineChoice& engine, const scheduling::FirmwareRules& rules, bool places) {
  if (rules.age_limit == 0) return {};
  const double seconds = core::to_milliseconds(rules.age_limit) * 1e-3;
  const char* key = "drive.controller.age_limit_s";
  if (places)
    return {key, fmt::format("found {:g}, expected 0 with eager writing, where the policy chooses the place of each write",
                             seconds)};
  if (!engine.row->is_firmware())
    return {key,
            fmt::format("found {:g}, expected 0 with engine {}: only the engine firmware has this", seconds, engine.notation)};
  return {};
}

engine::EngineFactory engine_factory(const EngineOptions& options) {
  if (options.engine.row == nullptr) throw std::invalid_argument("engine: none is set, expected one that find_engine() gives");
  if (!options.policy || options.policy->row == nullptr)
    throw std::invalid_argument("policy: none is set, expected one that find_policy() gives");
  return [options](const engine::EngineContext& context) {
    Objection of_engine =
        engine_objection(options.engine, *options.policy, context.queue_depth, options.interpretations, options.accelerator);
    if (of_engine.empty()) of_engine = drive_objection(options.engine, context.planner, options.accelerator);
    if (of_engine.empty()) of_engine = rules_objection(options.engine, options.rules, context.free_space != nullptr);
    std::string objection = of_engine.message();
    if (objection.empty()) objection = scheduling::placing_objection(*options.policy, context.free_space != nullptr);
    if (!objection.empty()) throw std::invalid_argument(objection);
    return options.engine.row->make(options, context);
  };
}

accelerator::RtlCore* rtl_of(engine::EngineIf& engine) {
  auto* accelerated = dynamic_cast<accelerator::AcceleratorEngine*>(&engine);
  return accelerated != nullptr ? accelerated->core().rtl() : nullptr;
}

accelerator::TracedDesignIf* traced_design_of(engine::EngineIf& engine) {
  if (auto* own = dynamic_cast<accelerator::CandidatesEngine*>(&engine)) return &own->rtl();
  return rtl_of(engine);
}

}  // namespace platter::system
