// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platter/drive/energy_account.h"
#include "platter/params/statistic.h"

namespace platter::drive {

/// The energy of one or more drives of the same profile in a measured time.
struct EnergyStatistics {
  PowerTable watts{};
  double measured_s = 0;
  std::uint64_t completions = 0;
  std::vector<PowerTimes> drives;  ///< time of each drive in each state

  /// Of all drives.
  double seconds(PowerState state) const;
  double joules(PowerState state) const { return seconds(state) * watts[index_of(state)]; }
  double joules() const;
  /// What the drives would have taken in the state idle.
  double idle_joules() const { return watts[index_of(PowerState::Idle)] * measured_s * static_cast<double>(drives.size()); }
  /// Mean power of each drive; empty without measured time.
  std::vector<double> mean_watts() const;
};

const params::Statistics<EnergyStatistics>& energy_rows();

/// `after - before`, of each state.
PowerTimes difference(const PowerTimes& after, const PowerTimes& before);

}  // namespace platter::drive
