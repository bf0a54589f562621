// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/energy_statistics.h"

#include <array>
#include <string_view>

namespace platter::drive {

namespace {

double joules_of(const PowerTimes& times, const PowerTable& watts) {
  double joules = 0;
  for (std::size_t i = 0; i < kPowerStates; ++i) joules += core::to_milliseconds(times[i]) * 1e-3 * watts[i];
  return joules;
}

constexpr std::array<std::string_view, kPowerStates> kMeanings = {
    "the drive has failed",
    "the spindle is stopped",
    "the spindle gains speed",
    "the spindle turns slowly (Idle_C)",
    "the heads are unloaded (Idle_B)",
    "the heads are loaded again",
    "reduced electronics (Idle_A)",
    "no access runs",
    "overhead of a command, before the arm moves",
    "the arm gains or loses speed",
    "the arm moves on without current",
    "the heads settle on the track, or a write waits for its data",
    "wait for the sector",
    "transfer from the media, with all switches of track and cylinder",
    "transfer to the media, with all switches of track and cylinder",
    "read-ahead, with its waits and movements"};

/// A row for each state.
template <typename Value>
params::Statistics<EnergyStatistics> state_rows(std::string_view unit, std::string_view reduction, Value value) {
  params::Statistics<EnergyStatistics> rows;
  for (std::size_t i = 0; i < kPowerStates; ++i)
    rows.value(kPowerStateNames[i], unit, kMeanings[i], reduction,
               [i, value](const EnergyStatistics& e) { return value(e, static_cast<PowerState>(i)); });
  return rows;
}

}  // namespace

double EnergyStatistics::seconds(PowerState state) const {
  Picoseconds sum = 0;
  for (const PowerTimes& times : drives) sum += times[index_of(state)];
  return core::to_milliseconds(sum) * 1e-3;
}

double EnergyStatistics::joules() const {
  double joules = 0;
  for (const PowerTimes& times : drives) joules += joules_of(times, watts);
  return joules;
}

std::vector<double> EnergyStatistics::mean_watts() const {
  std::vector<double> means;
  if (measured_s <= 0) return means;
  for (const PowerTimes& times : drives) means.push_back(joules_of(times, watts) / measured_s);
  return means;
}

PowerTimes difference(const PowerTimes& after, const PowerTimes& before) {
  PowerTimes times{};
  for (std::size_t i = 0; i < kPowerStates; ++i) times[i] = after[i] - before[i];
  return times;
}

const params::Statistics<EnergyStatistics>& energy_rows() {
  using E = EnergyStatistics;
  static const auto joules = state_rows("J", "sum", [](const E& e, PowerState state) { return e.joules(state); });
  static const auto seconds = state_rows("s", "sum", [](const E& e, PowerState state) { return e.seconds(state); });
  static const auto watts = state_rows("W", "", [](const E& e, PowerState state) { return e.watts[index_of(state)]; });
  static const auto rows =
      params::Statistics<E>()
          .value("j", "J", "energy in the measured time; for several drives the sum", "sum",
                 [](const E& e) { return e.joules(); }, {"energy", 1})
          .value("mean_w", "W", "`j` per second of the measured time", "time-weighted mean",
                 [](const E& e) { return e.measured_s > 0 ? std::optional<double>(e.joules() / e.measured_s) : std::nullopt; },
                 {"mean power", 3})
          .value("drives_w", "W", "mean power of each drive", "time-weighted mean", [](const E& e) { return e.mean_watts(); })
          .value("per_request_j", "J", "`j` per request that completed in the measured time; null without one", "mean",
                 [](const E& e) { return params::mean(e.joules(), e.completions); }, {"energy per request", 4})
          .value("per_request_above_idle_j", "J",
                 "the same, less what the drives would have taken in the state `idle` all the time", "mean",
                 [](const E& e) { return params::mean(e.joules() - e.idle_joules(), e.completions); },
                 {"above idle, per request", 4})
          .section("joules", "energy in each state; the sum is `j`", joules)
          .section("seconds", "time in each state; the sum is the measured time of all drives", seconds)
          .section("watts", "power of a drive in each state, from its profile: `joules` divided by `seconds`", watts);
  return rows;
}

}  // namespace platter::drive
