// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platter/config/scenario.h"

namespace platter::config {

/// A media server over several disks of one kind, as its file describes it; rounds last 1 s.
struct ServerScenario : Configuration {
  std::int64_t disks = 8;
  std::int64_t block_bytes = 16'384;
  std::int64_t stride_bytes = 2'097'152;
  std::int64_t rate_bytes_per_s = 0;
  std::string placement = "none";
  std::int64_t decluster_bytes = 0;
  std::string reservation = "primary";
  std::string content = "mixed";
  std::int64_t rounds = 1800;
  std::int64_t scene_rounds = 1;
  double correlation = 0;
  bool fill_disks = true;
  double load = 0.8;
  std::string policy = "C-LOOK";
  std::int64_t failed_disk = -1;
  double failure_s = 0;
  std::int64_t seed = 1;
  double warmup_s = 0;
  double measure_s = 6000;
};

}  // namespace platter::config
