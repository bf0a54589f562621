// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platter/drive/drive.h"
#include "platter/system/engines.h"
#include "platter/system/run.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// Throws core::ConfigError where the scenario's engine cannot carry one of the policies of its drives.
void check_engine(const Scenario& scenario);

/// For people: the policy of the scenario's drives, or those of its kinds of drives.
std::string policy_text(const Scenario& scenario);

/// The engine of a scenario's drives, with one of its policies. A lock-step mismatch leaves its report and waves as the options say. The scenario
/// outlives it.
system::EngineOptions engine_options(const Scenario& scenario, const std::string& policy, const RunOptions& options);

/// The scenario's drive, timing only.
drive::DriveConfig drive_config(const Scenario& scenario);

}  // namespace platter::system
