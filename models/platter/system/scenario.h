// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "platter/accelerator/parameters.h"
#include "platter/drive/failure_parameters.h"
#include "platter/drive/power_cut_parameters.h"
#include "platter/host/array/parameters.h"
#include "platter/mapping/eager/options.h"
#include "platter/media/fault_parameters.h"
#include "platter/observe/parameters.h"
#include "platter/params/grammar.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"
#include "platter/scheduling/interpretations.h"
#include "platter/system/engine_table.h"
#include "platter/system/hosts.h"
#include "platter/system/packaged_configs.h"
#include "platter/workload/job_parameters.h"
#include "platter/workload/parameters.h"
#include "platter/workload/run_parameters.h"
#include "platter/workload/zone_parameters.h"

namespace platter::system {

/// A run, as its file describes it: the parameters of all modules. Only those that a host of this kind uses have an effect.
struct Scenario : params::Source {
  /// With the defaults of a host of this kind.
  explicit Scenario(const HostInfo& of = host_table().front()) : host(&of) { of.set_defaults(*this); }

  std::int64_t format = 1;
  const HostInfo* host;
  EngineChoice engine = *find_engine("firmware");
  scheduling::PolicySpec policy = *scheduling::find_policy("SPTF");
  scheduling::Interpretations interpretations;
  scheduling::ArrivalParameters arrivals;
  accelerator::AcceleratorOptions accelerator;
  workload::RunParameters run;
  std::string drive_name;  ///< the drive's profile, as the file names it
  profile::DriveProfile drive;

  // Of several hosts:
  eager::EagerOptions eager;
  workload::ContinuousWorkload continuous;
  workload::DiscreteWorkload discrete;
  std::vector<workload::JobParameters> jobs;
  workload::ZoneLoadParameters zone_load;
  observe::WaveParameters waves;
  drive::FailureParameters failure;
  drive::PowerCutParameters power_cut;
  std::vector<media::FaultParameters> faults;
  media::FaultProcess fault_process;
  host::array::ArrayParameters array;
  host::array::RedundancyParameters redundancy;

  /// The drives may have media faults, or drives that answer late or never.
  bool plans_faults() const { return !faults.empty() || fault_process.on(); }
  /// The faults of each drive. Throws core::ConfigError for one that its drive cannot have.
  media::FaultPlan fault_plan(const mechanics::Geometry& geometry) const;

  std::any own;  ///< parameters that only this host has
  /// These parameters. Precondition: they have this type.
  template <typename Parameters>
  Parameters& of_host() {
    return std::any_cast<Parameters&>(own);
  }
  template <typename Parameters>
  const Parameters& of_host() const {
    return std::any_cast<const Parameters&>(own);
  }
};

/// All keys that a scenario of its kind may have, bound to it.
params::Grammar grammar(Scenario& scenario);

/// Reads a scenario (params::Document). `drive` may also be the name of a shipped profile. Throws core::ConfigError with every problem found:
/// unknown keys (with the nearest valid name), wrong types, values out of range, missing files, keys that do not go together.
Scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// The same of a text; `name` stands for the file in messages. Files that it names are relative to the working directory.
Scenario read_scenario(const std::string& text, const std::string& name);

/// The effective configuration: every key with its value.
nlohmann::json configuration(const Scenario& scenario);
/// The same as TOML, each key with its unit and meaning.
std::string to_toml(const Scenario& scenario);

/// JSON Schemas (draft 2020-12) of a scenario and of a drive profile, and the reference page of all keys.
nlohmann::json scenario_schema();
nlohmann::json drive_schema();
std::string reference_page();

}  // namespace platter::system
