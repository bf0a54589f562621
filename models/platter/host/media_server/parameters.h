// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/params/row.h"
#include "platter/params/source.h"
#include "platter/profile/drive_profile.h"
#include "platter/workload/run_parameters.h"

namespace platter::host::media_server {

/// A media server over several disks of one kind; rounds last 1 s.
struct MediaServerParameters {
  std::int64_t disks = 8;
  std::int64_t block_bytes = 16'384;
  std::int64_t stride_bytes = 2'097'152;
  std::int64_t rate_bytes_per_s = 0;
  std::string placement = "none";
  std::int64_t decluster_bytes = 0;
  std::string reservation = "primary";
  bool simulated = true;
  std::string content = "mixed";
  std::int64_t rounds = 1800;
  std::int64_t scene_rounds = 1;
  double correlation = 0;
  bool fill_disks = true;
  double load = 0.8;
  std::int64_t failed_disk = -1;
  double failure_s = 0;
};

/// Keys of a media server, except those of its drive and of every host.
const params::Table<MediaServerParameters>& media_server_parameters();
void check(const MediaServerParameters& server, const profile::DriveProfile& drive, const workload::RunParameters& run,
           params::Findings& findings);

}  // namespace platter::host::media_server
