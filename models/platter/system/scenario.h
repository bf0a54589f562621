// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "platter/accelerator/parameters.h"
#include "platter/drive/fault_parameters.h"
#include "platter/host/array/parameters.h"
#include "platter/host/autoqos/parameters.h"
#include "platter/host/media_server/parameters.h"
#include "platter/host/mixed_server/parameters.h"
#include "platter/mapping/eager/options.h"
#include "platter/observe/parameters.h"
#include "platter/params/grammar.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"
#include "platter/scheduling/interpretations.h"
#include "platter/system/packaged_configs.h"
#include "platter/workload/parameters.h"
#include "platter/workload/run_parameters.h"

namespace platter::system {

/// The kind of host that uses the drives.
enum class HostKind {
  Drive,        ///< a load, and one drive
  Array,        ///< a load, and several drives below one host
  MediaServer,  ///< Anastasiadis et al.
  MixedServer,  ///< Shenoy et al.
  AutoQos,      ///< Wu et al.
};
/// The names, in the order of the values.
const std::vector<std::string_view>& host_kinds();
std::string_view to_string(HostKind kind);

/// A run, as its file describes it: the parameters of all modules. Only those that a host of this kind uses have an effect.
struct Scenario : params::Source {
  /// With the defaults of a host of this kind.
  explicit Scenario(HostKind host_kind = HostKind::Drive);

  std::int64_t format = 1;
  HostKind kind;
  std::string engine = "firmware";
  std::string policy = "SPTF";
  scheduling::Interpretations interpretations;
  accelerator::AcceleratorOptions accelerator;
  workload::RunParameters run;
  std::string drive_name;  ///< the drive's profile, as the file names it
  profile::DriveProfile drive;

  // Of a drive and of an array:
  eager::EagerOptions eager;
  workload::ContinuousWorkload continuous;
  workload::DiscreteWorkload discrete;
  observe::WaveParameters waves;
  drive::FaultParameters fault;  ///< also of a mixed server
  host::array::ArrayParameters array;
  host::array::RedundancyParameters redundancy;  ///< of an array and of a mixed server

  host::media_server::MediaServerParameters media_server;
  host::mixed_server::MixedServerParameters mixed_server;
  host::autoqos::AutoQosParameters autoqos;

  bool is_array() const { return kind == HostKind::Array; }
};

/// All keys that a scenario of its kind may have, bound to it.
params::Grammar grammar(Scenario& scenario);

/// Reads a scenario (params::Document). `drive` may also be the name of a shipped profile. Throws core::ConfigError with every problem found:
/// unknown keys (with the nearest valid name), wrong types, values out of range, missing files, keys that do not go together.
Scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The effective configuration: every key with its value.
nlohmann::json configuration(const Scenario& scenario);
/// The same as TOML, each key with its unit and meaning.
std::string to_toml(const Scenario& scenario);

/// JSON Schemas (draft 2020-12) of a scenario and of a drive profile, and the reference page of all keys.
nlohmann::json scenario_schema();
nlohmann::json drive_schema();
std::string reference_page();

}  // namespace platter::system
