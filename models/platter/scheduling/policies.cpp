// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/policies.h"

#include <algorithm>
#include <string>

namespace platter::scheduling {

const std::vector<PolicyInfo>& policy_table() {
  static const std::vector<PolicyInfo> table = {
      {"FCFS", "first come, first served", create_fcfs, std::nullopt},
      {"SSTF", "shortest seek time first: the nearest cylinder", create_sstf, std::nullopt},
      {"SCAN", "elevator that runs to the edge of the disk before it turns", create_scan, std::nullopt},
      {"LOOK", "elevator that turns at the last request", create_look, std::nullopt},
      {"C-LOOK", "sweeps upward only, then flies back to the lowest request", create_c_look, std::nullopt},
      {"SPTF", "shortest positioning time first; discrete and all remaining continuous requests compete under the "
               "deadline guard",
       create_sptf, GuardMode::Pooled},
      {"SPTF(next-C)", "the same, but only the next continuous request of the sweep competes", create_sptf_next_c,
       GuardMode::NextContinuous},
      {"SPTF(unguarded)", "the same without the guard: deadlines are ignored", create_sptf_unguarded, GuardMode::None},
  };
  return table;
}

const PolicyInfo* find_policy(std::string_view name) {
  std::string wanted(name);
  wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
  for (const PolicyInfo& row : policy_table())
    if (row.name == wanted) return &row;
  return nullptr;
}

}  // namespace platter::scheduling
