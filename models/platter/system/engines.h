// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "platter/accelerator/arrival_margins.h"
#include "platter/accelerator/lockstep_core.h"
#include "platter/accelerator/own_rtl.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/profile/drive_profile.h"
#include "platter/system/engine_table.h"

namespace platter::system {

/// The scheduling engine that a drive gets: its kind, its policy, and its settings.
struct EngineOptions {
  /// The firmware's decision cost has the defaults below, whatever the drive's profile says.
  EngineOptions() = default;
  /// Takes the firmware's decision cost and rules from the drive's profile. Prefer this constructor.
  explicit EngineOptions(const profile::DriveProfile& profile)
      : firmware_base_cycles(profile.firmware_base_cycles),
        firmware_candidate_cycles(profile.firmware_candidate_cycles),
        firmware_order_cycles(profile.firmware_order_cycles),
        rules(scheduling::FirmwareRules::of(profile)) {}

  /// find_engine() makes one from "firmware", "model", "rtl", "lockstep", "lockstep:sample=K", "lockstep:sample=K/N", "own:DIR" or
  /// "lockstep:own:DIR".
  EngineChoice engine = *find_engine("firmware");
  std::uint64_t seed = 1;  ///< of the random places of the windows in which a sampled lock-step compares
  /// Must be set. scheduling::find_policy() makes one; for a policy of your own see scheduling::PolicyInfo.
  std::optional<scheduling::PolicySpec> policy;
  scheduling::Interpretations interpretations;  ///< of what the paper of the policy leaves open
  scheduling::ArrivalParameters arrivals;       ///< margin for the spread of the head's arrivals, for SPTF(margin)
  accelerator::AcceleratorOptions accelerator;  ///< of engines with the accelerator
  /// Which of accelerator.margin_ticks, risk_ticks and risk_probability the caller has set. On a drive with an arrival spread the others
  /// are computed from the spread. A drive without one uses all three as they are.
  accelerator::GivenMargins margins;
  std::uint32_t firmware_base_cycles = 120;      ///< engine firmware: clock cycles of the controller for each decision
  std::uint32_t firmware_candidate_cycles = 60;  ///< in addition for each command that the decision examines
  std::uint32_t firmware_order_cycles = 12;      ///< in addition for each step of an exact order
  scheduling::FirmwareRules rules;               ///< what the firmware puts before the policy; other engines take none
  /// Engines with RTL: for waves of the RTL set it to accelerator::RtlCore::traced(), and give the RTL (`traced_design_of`) to
  /// observe::WaveFile::add(). Null: no waves, and a faster simulation.
  accelerator::RtlCore::Tracing tracing;
  /// Engine lockstep: called with the first difference, before the simulation reports it as an SC_ERROR of type "/platter/accelerator". By
  /// default that error leaves sc_start() as an sc_report.
  std::function<void(const accelerator::LockstepCore&, const std::string& report, const std::string& drive)> on_mismatch;
  /// Engines own and lockstep:own: the same for a fault of the RTL and for the first difference, of type "/platter/own_engine".
  std::function<void(const accelerator::OwnRtl&, const std::string& report, const std::string& drive)> on_own_fault;
  /// Engine model: told of every access to the accelerator's registers.
  std::function<void(const accelerator::BusRequest&, const accelerator::BusResponse&)> on_access;
};

/// Why this engine cannot run this policy, with these interpretations and this accelerator, at this queue depth; empty if it can. Also
/// says which of the accelerator's options is outside its range.
Objection engine_objection(const EngineChoice& engine, const scheduling::PolicySpec& policy, std::uint32_t queue_depth,
                           const scheduling::Interpretations& interpretations = {},
                           const accelerator::AcceleratorOptions& accelerator = {});

/// Why an accelerator with these parameters cannot run this policy at this queue depth; empty if it can.
Objection accelerator_objection(const accelerator::AcceleratorParameters& parameters, const scheduling::PolicySpec& policy,
                                std::uint32_t queue_depth);

/// Why this engine, with this accelerator, cannot serve a drive with these mechanics; empty if it can.
Objection drive_objection(const EngineChoice& engine, const mechanics::AccessPlanner& planner,
                          const accelerator::AcceleratorOptions& accelerator = {});

/// Why these rules of a drive's firmware cannot hold with this engine; empty if they can. `places`: the drive writes eagerly.
Objection rules_objection(const EngineChoice& engine, const scheduling::FirmwareRules& rules, bool places);

/// Makes a factory, which copies `options` and may make the engines of several drives. Throws std::invalid_argument if the options have
/// no engine or no policy. The factory throws std::invalid_argument, out of the drive's constructor, with what engine_objection(),
/// drive_objection() or rules_objection() says, or if only one of drive and policy writes eagerly.
engine::EngineFactory engine_factory(const EngineOptions& options);

/// The RTL of a drive's engine (`system::rtl_of(drive.engine())`); null if the engine has none. It belongs to the engine.
accelerator::RtlCore* rtl_of(engine::EngineIf& engine);

/// The Verilated design of a drive's engine, the accelerator's or a user's own, for observe::WaveFile::add(); null if the engine has none.
accelerator::TracedDesignIf* traced_design_of(engine::EngineIf& engine);

}  // namespace platter::system
