// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"
#include "platter/scheduling/policies.h"
#include "platter/workload/run_parameters.h"

namespace platter::host::mixed_server {

/// A server of text and video over simulated disks; rounds last 1 s.
struct MixedServerParameters {
  std::string architecture = "integrated";
  std::int64_t text_disks = 8;
  std::int64_t video_disks = 8;
  std::uint32_t disks() const { return static_cast<std::uint32_t>(text_disks + video_disks); }
  bool integrated() const { return architecture == "integrated"; }

  scheduling::PolicySpec text_policy = *scheduling::find_policy("LOOK");
  scheduling::PolicySpec video_policy = *scheduling::find_policy("SCAN-EDF");
  std::int64_t text_clients = 0;
  std::string arrivals = "poisson";
  double interval_s = 1;
  double load_bytes_per_s = 1e6;
  double peak_to_mean = 12.51;
  std::string burst_scaling = "time-stamps";
  double trace_bytes_per_s = 85'924;

  /// Bursty: approximate length of an interval of the cascade.
  double burst_interval_s() const { return burst_scaling == "time-stamps" ? trace_bytes_per_s / load_bytes_per_s : 1; }

  std::int64_t mean_bytes = 32'768;
  std::int64_t deviation_bytes = 8'192;
  std::int64_t text_unit_bytes = 8'192;
  std::int64_t set_bytes = 2'147'483'648;
  std::int64_t cache_bytes = 67'108'864;
  std::int64_t video_clients = 0;
  std::int64_t video_unit_bytes = 65'536;
  double file_s = 300;
  std::vector<params::FileName> tables;
  std::vector<double> bits_per_s;
  std::string rounds = "common";
  std::string areas = "adjacent";
};

/// Keys of a server of text and video, except those of its drive and of every host.
const params::Table<MixedServerParameters>& mixed_server_parameters();
/// `copies`: number of copies of each unit.
void check(const MixedServerParameters& server, std::uint32_t copies, const profile::DriveProfile& drive,
           const workload::RunParameters& run, params::Findings& findings);

}  // namespace platter::host::mixed_server
