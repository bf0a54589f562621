// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/params/grammar.h"
#include "platter/params/source.h"
#include "platter/params/statistic.h"
#include "platter/scheduling/policies.h"

namespace platter::system {

class RunIf;
struct RunOptions;
struct Scenario;

/// Keys that belong together, with their heading on the reference page.
struct Section {
  std::string_view title;
  std::string_view text;                     ///< on the page, after the hosts that have the keys
  void (*add)(Scenario&, params::Grammar&);  ///< adds the keys, bound to the scenario
};

/// One row of the table of hosts: how a kind of host, which uses the drives, is described, checked, simulated and reported. `make` and
/// `rows` are never null. A host with nothing to do in another function has null there.
struct HostInfo {
  std::string_view name;
  std::string_view description;
  bool several_drives = false;
  bool keeps_logs = false;     ///< can write a log of its requests, timelines and waves
  bool logs_writes = false;    ///< can write a log of its writes
  bool takes_clients = false;  ///< clients outside of the simulation can take its place
  /// The keys of its scenarios, besides those of every scenario.
  std::vector<const Section*> sections;
  void (*set_defaults)(Scenario&) = nullptr;
  /// Finds keys whose values do not fit together.
  void (*check)(const Scenario&, params::Findings&) = nullptr;
  /// Checks what loading a scenario cannot check, and what `make` also refuses. Throws core::ConfigError.
  void (*check_run)(const Scenario&) = nullptr;
  /// The policies of its drives; null: the scenario's policy.
  std::vector<scheduling::PolicySpec> (*policies)(const Scenario&) = nullptr;
  std::unique_ptr<RunIf> (*make)(const Scenario&, const RunOptions&) = nullptr;
  const params::StatisticTable& (*rows)() = nullptr;  ///< of its statistics
};

/// All hosts; feeds the keys of a scenario, the factory, `platter list hosts`, schemas and reference pages. The first is the default.
const std::vector<HostInfo>& host_table();

/// The names of the hosts that have this property, for a message.
std::string hosts_that(bool HostInfo::* property);

// The rows. Rows in the same file share code.
HostInfo drive_host();
HostInfo array_host();
HostInfo media_server_host();
HostInfo mixed_server_host();
HostInfo autoqos_host();

// Sections that hosts in several files have.
const Section& failure_section();
const Section& redundancy_section();

}  // namespace platter::system
