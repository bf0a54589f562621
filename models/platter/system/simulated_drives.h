// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platter/drive/drive.h"
#include "platter/system/engines.h"
#include "platter/system/run.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// Throws core::ConfigError if the scenario's engine cannot run one of the policies of its drives.
void check_engine(const Scenario& scenario);

/// Text for messages: the policy of the scenario's drives, or their policies.
std::string policy_text(const Scenario& scenario);

/// Options for the engine of a scenario's drives, with one of its policies. A lock-step mismatch leaves its report and waves as `options`
/// say. The scenario must outlive the engine.
system::EngineOptions engine_options(const Scenario& scenario, const scheduling::PolicySpec& policy, const RunOptions& options);

/// Configuration of the scenario's drive, timing only.
drive::DriveConfig drive_config(const Scenario& scenario);

}  // namespace platter::system
