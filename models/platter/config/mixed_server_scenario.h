// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/config/scenario.h"

namespace platter::config {

/// A server of text and video over simulated disks, as its file describes it; rounds last 1 s.
struct MixedServerScenario : Configuration {
  std::string architecture = "integrated";
  std::int64_t text_disks = 8;
  std::int64_t video_disks = 8;
  std::string text_policy = "LOOK";
  std::string video_policy = "SCAN-EDF";
  std::string policy = "CELLO(1|1|0)";
  scheduling::Readings readings;
  std::int64_t text_clients = 0;
  std::string arrivals = "poisson";
  double interval_s = 1;
  double load_bytes_per_s = 1e6;
  double peak_to_mean = 12.51;
  std::string burst_scaling = "time-stamps";
  double trace_bytes_per_s = 85'924;

  /// Bursty: about as long as an interval of the cascade.
  double burst_interval_s() const { return burst_scaling == "time-stamps" ? trace_bytes_per_s / load_bytes_per_s : 1; }

  std::int64_t mean_bytes = 32'768;
  std::int64_t deviation_bytes = 8'192;
  std::int64_t text_unit_bytes = 8'192;
  std::int64_t set_bytes = 2'147'483'648;
  std::int64_t cache_bytes = 67'108'864;
  std::int64_t video_clients = 0;
  std::int64_t video_unit_bytes = 65'536;
  double file_s = 300;
  std::vector<FileName> tables;
  std::vector<double> bits_per_s;
  std::int64_t seed = 1;
  double warmup_s = 10;
  double measure_s = 100;
};

}  // namespace platter::config
