// SPDX-License-Identifier: Apache-2.0
#include "platter/system/hosts.h"

#include "platter/system/scenario.h"

namespace platter::system {

const std::vector<HostInfo>& host_table() {
  static const std::vector<HostInfo> table = {drive_host(), array_host(), media_server_host(), mixed_server_host(),
                                              autoqos_host()};
  return table;
}

std::string hosts_that(bool HostInfo::* property) {
  std::vector<std::string_view> names;
  for (const HostInfo& row : host_table())
    if (row.*property) names.push_back(row.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  return text;
}

const Section& failure_section() {
  static const Section section{"Failure and waves", "", [](Scenario& s, params::Grammar& g) {
                                 g.add(drive::failure_parameters(), s.failure);
                                 g.add(drive::power_cut_parameters(), s.power_cut);
                                 g.add(observe::wave_parameters(), s.waves);
                               }};
  return section;
}

const Section& redundancy_section() {
  static const Section section{
      "Copies and rebuild", "The page [array](array.md) has the rules.",
      [](Scenario& s, params::Grammar& g) { g.add(host::array::redundancy_parameters(), s.redundancy); }};
  return section;
}

}  // namespace platter::system
