// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "platter/command/duration.h"
#include "platter/params/grammar.h"
#include "platter/profile/drive_profile.h"

namespace platter::profile {

/// Keys of a drive profile without the zones and nodes; in a scenario they are below `drive`.
const params::Table<DriveProfile>& drive_parameters();
/// Keys of one `[[geometry.zone]]`.
const params::Table<ZoneProfile>& zone_parameters();
/// Keys of one `[[geometry.node]]`.
const params::Table<PatternNode>& node_parameters();
/// Keys of one `[[duration_limits.read]]` or `[[duration_limits.write]]`.
const params::Table<DurationProfile>& duration_parameters();

/// The descriptors in the units of the model.
command::DurationTable duration_table(const LimitsProfile& limits);

/// The key that a drive with several actuators cannot have, and why; an empty text if there is none.
std::pair<const char*, std::string> actuators_objection(const DriveProfile& drive);
/// The key of a power that contradicts another one, and what is wrong with it; an empty text if nothing is.
std::pair<const char*, std::string> power_objection(const PowerProfile& power);
/// The same of the recovery's times.
std::pair<const char*, std::string> recovery_objection(const RecoveryProfile& recovery);
/// The same of the duration limits.
std::pair<std::string, std::string> limits_objection(const LimitsProfile& limits);

/// All keys of a profile, below a prefix, bound to it.
void add_to(params::Grammar& grammar, DriveProfile& profile, const std::string& prefix = {});

/// Every key with its value.
nlohmann::json configuration(const DriveProfile& profile);
/// The same as TOML, each key with its unit and meaning. The drive profile can be read from it again. Zones but the first have no keys at their defaults.
std::string to_toml(const DriveProfile& profile);

}  // namespace platter::profile
