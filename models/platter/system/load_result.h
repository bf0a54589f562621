// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/drive/arrival_statistics.h"
#include "platter/drive/duration_statistics.h"
#include "platter/drive/scheduler_statistics.h"
#include "platter/front/serving/statistics.h"
#include "platter/mapping/eager/statistics.h"
#include "platter/mapping/zones/statistics.h"
#include "platter/media/faults.h"
#include "platter/observe/statistics.h"
#include "platter/params/statistic.h"
#include "platter/system/disks.h"
#include "platter/workload/generators.h"
#include "platter/workload/zone_load.h"

namespace platter::system {

/// The drives' accounts at the begin of the measured time.
struct DisksAt {
  explicit DisksAt(const Disks& disks);

  core::Picoseconds time;
  std::vector<core::Picoseconds> busy;       ///< of each drive
  std::vector<core::Picoseconds> actuators;  ///< the same of each actuator, summed over the drives
  double occupancy = 0;                      ///< of the queues, summed
  std::vector<drive::PowerTimes> power;      ///< of each drive, if its profile has power
};

/// The actuators of drives with several; by their number, over all drives.
struct ActuatorResult {
  std::vector<double> utilisation;      ///< empty without measured time
  std::vector<std::uint64_t> accesses;  ///< of the whole run
};

/// What a run has read of its trace, and what it has not.
struct TraceResult {
  /// After the run.
  static TraceResult of(workload::TraceProducer& trace);

  std::uint64_t requests = 0;
  std::uint64_t left_out = 0;
  std::uint64_t out_of_order = 0;
  workload::TraceRest rest;
};

/// The result of a load, or of clients, on one drive or on several. Over several drives `utilisation` and `queue_depth` are means, `scheduler`,
/// `arrivals` and `eager` sums.
struct LoadResult {
  const observe::Statistics* requests = nullptr;
  double measured_s = 0;
  // Without measured time, no value.
  std::optional<double> utilisation;
  std::optional<double> queue_depth;
  drive::SchedulerStatistics scheduler;
  std::optional<drive::EnergyStatistics> energy;
  std::optional<drive::ArrivalStatistics> arrivals;  ///< if they have a spread
  std::optional<eager::EagerResult> eager;
  std::optional<zones::ZoneResult> zones;
  drive::DurationStatistics durations;
  std::optional<host::array::ArrayResult> array;
  std::optional<ActuatorResult> actuators;   ///< if a drive has several
  std::optional<media::MediaErrors> errors;  ///< if the scenario plans faults, or there were any
  std::optional<serving::ServingResult> serving;
  std::optional<TraceResult> trace;
  std::optional<workload::ZoneLoadCounts> zone_load;  ///< in the measured time

  /// Requests that completed in the measured time.
  std::uint64_t completions() const;
  /// The result of the time from `begin` to now.
  void measure(const Scenario& scenario, const observe::Statistics& statistics, const Disks& disks, const DisksAt& begin);
};

const params::Statistics<LoadResult>& load_rows();

}  // namespace platter::system
