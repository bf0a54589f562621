// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/host/array/array.h"
#include "platter/host/array/statistics.h"
#include "platter/host/ew_array/ew_array.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// What a scenario's host has before it: a drive, or an array of them.
class Disks {
 public:
  /// Throws core::InputError where scenario and drives do not fit.
  Disks(const Scenario& scenario, drive::DriveConfig config, const engine::EngineFactory& engine);

  const std::vector<std::unique_ptr<drive::Drive>>& drives() const { return drives_; }
  /// The only one, or the first.
  drive::Drive& first() const { return *drives_.front(); }
  std::uint64_t capacity_bytes() const;

  template <typename Socket>
  void bind(Socket& initiator) {
    if (striped_)
      initiator.bind(striped_->host_tgt_socket);
    else if (ew_)
      initiator.bind(ew_->host_tgt_socket);
    else
      initiator.bind(first().host_tgt_socket);
  }

  /// What the array has done so far; `utilisation` is of each drive. Nothing without one.
  std::optional<host::array::ArrayResult> array_result(std::vector<double> utilisation) const;

 private:
  void make_ew(const Scenario& scenario);
  void make_striped(const Scenario& scenario);

  std::vector<std::unique_ptr<drive::Drive>> drives_;
  std::unique_ptr<host::EwArray> ew_;
  std::unique_ptr<host::array::Array> striped_;
};

}  // namespace platter::system
