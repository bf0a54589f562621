// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platter/profile/drive_profile.h"
#include "platter/sheet/sheet.h"

namespace platter::cli {

/// What a drive does, by simulation: `seek_ms`, `sequential_mb_per_s`, `sequential_bytes` (of a read), `random` and `policy`. Each load runs in a
/// process of its own. The same numbers on every machine. Throws core::SimulationError.
nlohmann::json simulated_reach(const profile::DriveProfile& profile);

/// The reach as text for a screen.
std::string reach_text(const nlohmann::json& reach);

/// Where the reach contradicts the profile, and the sheet if there is one.
std::vector<std::string> reach_warnings(const profile::DriveProfile& profile, const nlohmann::json& reach,
                                        const sheet::Sheet* sheet);

}  // namespace platter::cli
