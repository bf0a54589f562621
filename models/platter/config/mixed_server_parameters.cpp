// SPDX-License-Identifier: Apache-2.0
#include "platter/config/parameter.h"

namespace platter::config {

const std::vector<Parameter<MixedServerScenario>>& mixed_server_parameters() {
  using S = MixedServerScenario;
  constexpr double kInfinity = Parameter<S>::kInfinity;
  const auto at = [](auto member) { return [member](S& s) -> Field { return &(s.*member); }; };
  static const std::vector<Parameter<S>> table = {
      {"format", "", "version of the file format", at(&S::format), true, 1, 1, {}},
      {"server.architecture", "", "text and video on disks of their own, or both on all", at(&S::architecture), false, -kInfinity, kInfinity,
       {"partitioned", "integrated"}},
      {"server.text_disks", "", "disks of the partitioned server's text part", at(&S::text_disks), false, 1, 128},
      {"server.video_disks", "", "disks of its video part; the integrated server has as many as both", at(&S::video_disks), false, 1, 128},
      {"server.text_policy", "", "partitioned: policy of the text disks", at(&S::text_policy)},
      {"server.video_policy", "", "partitioned: policy of the video disks", at(&S::video_policy)},
      {"server.policy", "", "integrated: policy of all disks", at(&S::policy)},
      {"scheduling.budget_interval_s", "s", "CELLO: interval for which each class has its budget of disk time",
       [](S& s) -> Field { return &s.readings.budget_interval_s; }, false, 1e-3, 1e4},
      {"scheduling.cello_elevator", "", "CELLO: elevator of the text", [](S& s) -> Field { return &s.readings.cello_elevator; }, false, -kInfinity,
       kInfinity, {"look", "scan", "c-look"}},
      {"text.clients", "", "text clients", at(&S::text_clients), false, 0, 1e6},
      {"text.arrivals", "", "requests of each client at random, or the whole load by a multiplicative cascade", at(&S::arrivals), false,
       -kInfinity, kInfinity, {"poisson", "bursty"}},
      {"text.interval_s", "s", "poisson: mean time between two requests of a client", at(&S::interval_s), false, 1e-6, 1e6},
      {"text.load_bytes_per_s", "bytes/s", "bursty: mean load", at(&S::load_bytes_per_s), false, 1, 1e12},
      {"text.peak_to_mean", "", "bursty: largest rate of an interval of the cascade, over the mean", at(&S::peak_to_mean), false, 1, 1e6},
      {"text.burst_scaling", "", "bursty: a load above the trace's by its time stamps, so that bursts are shorter, or by its intensity", at(&S::burst_scaling),
       false, -kInfinity, kInfinity, {"time-stamps", "intensity"}},
      {"text.trace_bytes_per_s", "bytes/s", "time-stamps: load of the trace as it was recorded, in intervals of 1 s", at(&S::trace_bytes_per_s), false, 1,
       1e12},
      {"text.mean_bytes", "bytes", "mean size of a request", at(&S::mean_bytes), false, 1, 1e9},
      {"text.deviation_bytes", "bytes", "standard deviation of the size", at(&S::deviation_bytes), false, 0, 1e9},
      {"text.unit_bytes", "bytes", "stripe unit of text, in whole sectors; a request reads whole ones", at(&S::text_unit_bytes), false, 512, 1 << 24},
      {"text.set_bytes", "bytes", "all text, in whole units, contiguous from the outer edge of the disks", at(&S::set_bytes), false, 512, 1e15},
      {"text.cache_bytes", "bytes", "least-recently-used buffer cache of text units; 0: none", at(&S::cache_bytes), false, 0, 1e15},
      {"video.clients", "", "video clients", at(&S::video_clients), false, 0, 1e6},
      {"video.unit_bytes", "bytes", "stripe unit of video, in whole sectors; fetched whole", at(&S::video_unit_bytes), false, 512, 1 << 24},
      {"video.file_s", "s", "length of a stored file", at(&S::file_s), false, 1, 1e6},
      {"video.tables", "", "frame-size tables, one for each stored file, next to the text", at(&S::tables)},
      {"video.bits_per_s", "bit/s", "mean rate to which each table's frames are scaled; empty: as they are", at(&S::bits_per_s)},
      {"sim.seed", "", "seed of all clients", at(&S::seed), false, 0, 9.2e18},
      {"sim.warmup_s", "s", "simulated time before counting starts", at(&S::warmup_s), false, 0, 1e6},
      {"sim.measure_s", "s", "simulated time that is counted", at(&S::measure_s), false, 1, 1e6},
  };
  return table;
}

}  // namespace platter::config
