// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platter/system/scenario.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"
#include "platter/workload/zone_load.h"

namespace platter::system {

/// The names of a scenario's jobs in their order, and behind them those of a load on zones.
std::vector<std::string> names_of_jobs(const Scenario& scenario);
/// Throws core::ConfigError if the region of a job, or a load on zones, does not fit the drives.
void check_regions(const Scenario& scenario, const workload::Target& target);

/// The host of a load on a drive or an array, with the producers of its scenario.
class LoadHost {
 public:
  /// The limits of the scenario, and the end of its requests.
  LoadHost(const Scenario& scenario, core::Picoseconds end);

  /// Makes the producers, for a drive or an array of this size. Throws core::ConfigError, as check_regions().
  void produce(const workload::Target& target);
  workload::Initiator& initiator() { return initiator_; }
  /// Null without a trace.
  workload::TraceProducer* trace() { return trace_; }
  /// Null without a load on zones.
  const workload::ZoneLoad* zones() const { return zones_; }

 private:
  const Scenario& s_;
  workload::Initiator initiator_{"host"};
  std::vector<std::unique_ptr<workload::ProducerIf>> producers_;
  workload::TraceProducer* trace_ = nullptr;  ///< one of them
  workload::ZoneLoad* zones_ = nullptr;       ///< one of them
};

}  // namespace platter::system
