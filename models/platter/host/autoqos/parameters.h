// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"

namespace platter::host::autoqos {

/// One test application.
struct StreamParameters {
  std::string name;
  std::string label = "best-effort";
  std::int64_t rate_bytes_per_s = 0;
  double enters_s = 0;
  double leaves_s = 0;  ///< 0: never
  std::vector<double> change_at_s;
  std::vector<double> change_to_bytes_per_s;
  std::string pace = "periodic";
  std::string access = "sequential";
};

/// AutoQoS above a drive, and streams of test applications.
struct AutoQosParameters {
  bool enabled = true;
  std::string classes = "labels";
  bool knows_opens = true;
  std::int64_t disk_bytes_per_s = 27'600'000;
  double inference_fraction = 0.20;
  std::int64_t inference_windows = 3;
  double window_s = 1;
  double tolerance = 0.10;
  double probe_fraction = 0.02;
  std::int64_t probe_windows = 4;
  std::int64_t most_probe_windows = 64;
  double overload_share = 0;
  std::int64_t recogniser_streams = 64;
  std::int64_t recogniser_periods = 16;
  double recogniser_jitter = 0.20;
  double recogniser_idle = 0.10;
  std::int64_t recogniser_sequence = 8;
  double recogniser_trial_s = 4;
  double recogniser_silence_s = 2;
  double recogniser_handover_s = 0.1;
  std::int64_t command_bytes = 262'144;
  std::int64_t commands_per_period = 1;
  std::int64_t late_periods = 4;
  double clock_jitter = 0.03;
  std::int64_t file_bytes = 256'000'000;
  std::string placement = "together";
  std::int64_t gap_bytes = 8'388'608;
  std::vector<StreamParameters> streams;
};

/// Keys of AutoQoS, except those of its drive, of its streams and of every host.
const params::Table<AutoQosParameters>& autoqos_parameters();
/// Keys of one `[[stream]]`.
const params::Table<StreamParameters>& stream_parameters();
void check(const AutoQosParameters& qos, const profile::DriveProfile& drive, params::Findings& findings);

}  // namespace platter::host::autoqos
