// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "platter/core/timed_call.h"
#include "platter/drive/drive.h"
#include "platter/drive/energy_statistics.h"
#include "platter/drive/power_supply.h"
#include "platter/host/array/array.h"
#include "platter/host/array/statistics.h"
#include "platter/host/ew_array/ew_array.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// The drive, or the array of drives, below a scenario's host.
class Disks {
 public:
  enum class Layer {
    Joined,  ///< the drives of an array are below it
    Apart,   ///< the drives of an array only: each is bound alone
  };
  /// For a load on a drive or an array. Throws core::InputError if scenario and drives do not fit together.
  /// `files`: of each drive, those that have their sectors in one (drive::DriveConfig::disk_file); empty: none has.
  Disks(const Scenario& scenario, const drive::DriveConfig& config, const engine::EngineFactory& engine,
        Layer layer = Layer::Joined, const std::vector<std::unique_ptr<media::DiskFile>>& files = {});
  /// The drives of a striped array with the areas and tags of `layer`; `engine_of` gives the engine of each drive. Throws
  /// std::invalid_argument for a configuration that makes no array.
  Disks(const Scenario& scenario, const drive::DriveConfig& config,
        const std::function<engine::EngineFactory(std::uint32_t)>& engine_of, host::array::ArrayConfig layer);

  const std::vector<std::unique_ptr<drive::Drive>>& drives() const { return drives_; }
  /// The only one, or the first.
  drive::Drive& first() const { return *drives_.front(); }
  /// The striped array above them; null without one.
  host::array::Array* striped() const { return striped_.get(); }
  /// Whether arrivals of the drives have a spread.
  bool spread() const { return drives_.front()->planner().arrival_spread().any(); }
  std::uint64_t capacity_bytes() const;
  /// The power of all drives, which the scenario may cut (`power_cut.*`).
  drive::PowerSupply& supply() { return supply_; }

  template <typename Socket>
  void bind(Socket& initiator) {
    if (striped_)
      initiator.bind(striped_->host_tgt_socket);
    else if (ew_)
      initiator.bind(ew_->host_tgt_socket);
    else
      initiator.bind(first().host_tgt_socket);
  }

  /// `busy`: time that each drive has spent in accesses so far. `utilisation`: the share of `measured` that each has spent in accesses
  /// since `before`.
  std::vector<core::Picoseconds> busy() const;
  std::vector<double> utilisation(const std::vector<core::Picoseconds>& before, core::Picoseconds measured) const;

  /// Time that each drive has spent in each power state so far; empty for a profile without power.
  std::vector<drive::PowerTimes> power_times() const;
  /// The energy of the measured time since `before`; nothing for a profile without power.
  std::optional<drive::EnergyStatistics> energy(const std::vector<drive::PowerTimes>& before, core::Picoseconds measured,
                                                std::uint64_t completions) const;

  /// The result of the array so far; `utilisation` has one value for each drive. Nothing without an array.
  std::optional<host::array::ArrayResult> array_result(std::vector<double> utilisation) const;

 private:
  void make_drives(const Scenario& scenario, drive::DriveConfig config, std::uint32_t count,
                   const std::function<engine::EngineFactory(std::uint32_t)>& engine_of,
                   const std::vector<std::unique_ptr<media::DiskFile>>& files = {});
  void make_ew(const Scenario& scenario);
  void fail_apart(const Scenario& scenario);
  void call_at(double seconds, std::function<void()> call);
  void make_striped(const Scenario& scenario, host::array::ArrayConfig layer);

  drive::PowerSupply supply_;  // first: the drives point to it
  std::vector<std::unique_ptr<drive::Drive>> drives_;
  std::unique_ptr<host::EwArray> ew_;
  std::unique_ptr<host::array::Array> striped_;
  std::vector<std::unique_ptr<core::TimedCall>> events_;  ///< failure and revival of a drive
};

}  // namespace platter::system
