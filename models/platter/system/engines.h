// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "platter/accelerator/arrival_margins.h"
#include "platter/accelerator/lockstep_core.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/profile/drive_profile.h"
#include "platter/system/engine_table.h"

namespace platter::system {

/// The kind of scheduling engine that a drive gets, and its construction parameters.
struct EngineOptions {
  EngineOptions() = default;
  /// Takes the firmware's decision cost from the drive's profile.
  explicit EngineOptions(const profile::DriveProfile& profile)
      : firmware_base_cycles(profile.firmware_base_cycles),
        firmware_candidate_cycles(profile.firmware_candidate_cycles),
        firmware_order_cycles(profile.firmware_order_cycles) {}

  EngineChoice engine = *find_engine("firmware");  ///< find_engine() makes one
  std::uint64_t seed = 1;                          ///< of the windows of a sampled lock-step
  std::optional<scheduling::PolicySpec> policy;    ///< scheduling::find_policy() makes one; must be set
  scheduling::Interpretations interpretations;     ///< of the policy
  scheduling::ArrivalParameters arrivals;          ///< of the policy
  accelerator::AcceleratorOptions accelerator;     ///< of engines with the accelerator
  accelerator::GivenMargins margins;               ///< of the accelerator's: those that do not follow from the drive's spread
  std::uint32_t firmware_base_cycles = 120;        ///< of a decision
  std::uint32_t firmware_candidate_cycles = 60;    ///< and for each command that it examines
  std::uint32_t firmware_order_cycles = 12;        ///< and for each step of an exact order
  accelerator::RtlCore::Tracing tracing;           ///< set if the RTL is written to a wave file
  /// With lock-step: called with the first difference, before it is thrown.
  std::function<void(const accelerator::LockstepCore&, const std::string& report, const std::string& drive)> on_mismatch;
  /// With the engine model: told of every access to the accelerator's registers.
  std::function<void(const accelerator::BusRequest&, const accelerator::BusResponse&)> on_access;
};

/// Why this engine cannot run this policy, with these interpretations and this accelerator, at this queue depth; empty if it can.
Objection engine_objection(const EngineChoice& engine, const scheduling::PolicySpec& policy, std::uint32_t queue_depth,
                           const scheduling::Interpretations& interpretations = {},
                           const accelerator::AcceleratorOptions& accelerator = {});

/// The same for an accelerator with these parameters.
Objection accelerator_objection(const accelerator::AcceleratorParameters& parameters, const scheduling::PolicySpec& policy,
                                std::uint32_t queue_depth);

/// Why this engine cannot serve a drive with these mechanics; empty if it can.
Objection drive_objection(const EngineChoice& engine, const mechanics::AccessPlanner& planner);

/// A factory for a drive. Precondition: there is no objection.
engine::EngineFactory engine_factory(const EngineOptions& options);

/// The RTL of a drive's engine; null if the engine has none.
accelerator::RtlCore* rtl_of(engine::EngineIf& engine);

}  // namespace platter::system
