// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/scheduling/policies.h"

namespace platter::scheduling {

/// What a check of a policy's contract has done, and the first violation that it met.
struct PolicyCheck {
  std::uint64_t decisions = 0;  ///< of the policy
  std::uint64_t served = 0;     ///< commands
  std::uint64_t withdrawn = 0;  ///< commands
  std::uint64_t deadlines = 0;  ///< commands of sweeps that were served in time
  std::string violation;        ///< what it did, and what was expected; empty: none
};

/// Puts a policy that writes in place into random situations: commands arrive, are served and withdrawn, and every now and then none arrives until all
/// are served. It holds these promises of SchedulerIf against the policy: it serves only commands that it holds; it serves every command when no other
/// one arrives; the same calls get the same answers; and, if it says so, the commands of a sweep meet their deadlines. `moved` is not called, because
/// blocks move under eager writing only. `situations` is the least number of decisions. Two schedulers get the same calls. May throw what the policy
/// throws.
PolicyCheck check_policy(const PolicySpec& policy, const AccessPlanner& planner, std::uint64_t situations, std::uint64_t seed);

}  // namespace platter::scheduling
