// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platter/config/mixed_server_scenario.h"
#include "platter/config/qos_scenario.h"
#include "platter/config/scenario.h"
#include "platter/config/server_scenario.h"

namespace platter::config {

/// Where the shipped drive profiles and scenarios are: $PLATTER_CONFIG_DIR, or where the project was built or installed.
std::filesystem::path config_directory();

/// Reads a scenario. A section may stand inline or be the name of a file, relative to the file that names it; a section with a
/// key `file` starts from that file and overrides it. `drive` may also be the name of a shipped profile.
/// `overrides` are "key=value", value in TOML (a bare word is a text).
/// Throws core::ConfigError with every problem found: unknown keys (with the nearest valid name), wrong types, values
/// out of range, missing files.
Scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Reads a media server, or a scenario of AutoQoS, by the same rules.
ServerScenario load_server(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
QosScenario load_qos(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// Reads a server of text and video, by the same rules.
MixedServerScenario load_mixed_server(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Reads a drive profile: a file, or the name of a shipped one.
mechanics::DriveProfile load_drive(const std::string& name);

/// A shipped drive profile: its short name and the drive's.
struct ShippedDrive {
  std::string name;
  std::filesystem::path path;
};
std::vector<ShippedDrive> shipped_drives();

/// The effective configuration: every key with its value.
nlohmann::json effective_configuration(const Scenario& scenario);
nlohmann::json effective_configuration(const ServerScenario& scenario);
nlohmann::json effective_configuration(const QosScenario& scenario);
nlohmann::json effective_configuration(const MixedServerScenario& scenario);
nlohmann::json drive_configuration(const mechanics::DriveProfile& profile);
/// The same as TOML, each key with its unit and meaning.
std::string dump_scenario(const Scenario& scenario);
std::string dump_scenario(const ServerScenario& scenario);
std::string dump_scenario(const QosScenario& scenario);
std::string dump_scenario(const MixedServerScenario& scenario);
/// A drive profile as TOML, each key with its unit and meaning; `load_drive` reads it.
std::string dump_drive(const mechanics::DriveProfile& profile);

/// JSON Schemas (draft 2020-12) of a scenario, a media server, a scenario of AutoQoS and a drive profile, and the reference page, all from the tables.
nlohmann::json scenario_schema();
nlohmann::json server_schema();
nlohmann::json qos_schema();
nlohmann::json mixed_server_schema();
nlohmann::json drive_schema();
std::string reference_page();

}  // namespace platter::config
