// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "platter/scheduling/scheduler_if.h"

namespace platter::scheduling {

/// How continuous commands with a deadline enter the SPTF policies.
enum class GuardMode : std::uint8_t {
  None,            ///< deadlines are ignored
  Pooled,          ///< all remaining continuous commands compete with all discrete ones
  NextContinuous,  ///< only the next continuous command of the sweep competes
};

/// What a policy is built with.
struct SchedulerContext {
  const AccessPlanner& planner;
  std::size_t capacity;       ///< tags of the queue
  Picoseconds decision_bound; ///< longest time from the end of an access to the start of the next
};

/// One row of the policy table.
struct PolicyInfo {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<SchedulerIf> (*create)(const SchedulerContext&);
  /// The scheduling accelerator carries the policy with this guard; nothing: firmware only.
  std::optional<GuardMode> accelerated;
};

/// All policies; feeds the factory, `platter list policies` and the suggestions of error messages.
const std::vector<PolicyInfo>& policy_table();

/// The row of that name, nullptr if there is none. Blanks in the name do not count.
const PolicyInfo* find_policy(std::string_view name);

/// Does the guard look after this command?
inline bool in_sweep(const Command& command) {
  return command.cls == RequestClass::Continuous && command.deadline != kNoDeadline;
}

std::unique_ptr<SchedulerIf> create_fcfs(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sstf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_scan(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_look(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_c_look(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf_next_c(const SchedulerContext& context);
std::unique_ptr<SchedulerIf> create_sptf_unguarded(const SchedulerContext& context);

}  // namespace platter::scheduling
