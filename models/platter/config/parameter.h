// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platter/config/mixed_server_scenario.h"
#include "platter/config/qos_scenario.h"
#include "platter/config/scenario.h"
#include "platter/config/server_scenario.h"

namespace platter::config {

/// The field of an object that a parameter sets and shows.
using Field = std::variant<bool*, std::int64_t*, std::uint32_t*, double*, std::string*, FileName*,
                           std::vector<FileName>*, std::vector<std::uint32_t>*,
                           std::vector<double>*, std::vector<std::pair<std::uint32_t, double>>*,
                           std::vector<std::pair<std::uint32_t, std::uint32_t>>*, mechanics::Mapping*,
                           mechanics::SpareUnit*, mechanics::SeekModel*, mechanics::ReadAhead*, mechanics::WriteBack*,
                           scheduling::SweepStart*, scheduling::AfterSweep*, scheduling::ClusterContents*,
                           scheduling::ClusterFrom*, scheduling::ClusterRound*, scheduling::Postponed*,
                           scheduling::CelloElevator*>;

/// One configuration key. The tables of these rows feed the loader, `config dump`, the reference page and the
/// JSON Schema.
template <typename Object>
struct Parameter {
  using Access = std::function<Field(Object&)>;

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Parameter(std::string_view key_, std::string_view unit_, std::string_view description_, Access field_,
            bool required_ = false, double minimum_ = -kInfinity, double maximum_ = kInfinity,
            std::vector<std::string_view> choices_ = {})
      : key(key_),
        unit(unit_),
        description(description_),
        field(std::move(field_)),
        required(required_),
        minimum(minimum_),
        maximum(maximum_),
        choices(std::move(choices_)) {}

  std::string_view key;  ///< dotted path
  std::string_view unit;
  std::string_view description;
  Access field;
  bool required;
  double minimum;
  double maximum;
  std::vector<std::string_view> choices;  ///< empty: any text; an enumeration's names in the order of its values
};

/// Keys of a scenario, those of its drive left out.
const std::vector<Parameter<Scenario>>& scenario_parameters();
/// Keys of a media server, those of its drive left out.
const std::vector<Parameter<ServerScenario>>& server_parameters();
/// Keys of a scenario of AutoQoS, those of its drive and its streams left out.
const std::vector<Parameter<QosScenario>>& qos_parameters();
/// Keys of one `[[stream]]`.
const std::vector<Parameter<QosStream>>& qos_stream_parameters();
/// Keys of a server of text and video, those of its drive left out.
const std::vector<Parameter<MixedServerScenario>>& mixed_server_parameters();
/// Keys of a drive profile, the zones left out; in a scenario they stand below `drive`.
const std::vector<Parameter<mechanics::DriveProfile>>& drive_parameters();
/// Keys of one `[[geometry.zone]]`.
const std::vector<Parameter<mechanics::ZoneProfile>>& zone_parameters();

}  // namespace platter::config
