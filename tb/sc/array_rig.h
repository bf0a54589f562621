// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the array's tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platter/host/array/array.h"
#include "testing.h"

namespace platter::testing {

using host::array::Array;
using host::array::ArrayClientIf;
using host::array::ArrayConfig;
using host::array::ArrayRequest;
using host::array::StripeArea;
using host::array::StripeMap;
using host::array::UnitPlace;

inline StripeArea area_of(std::uint64_t units, std::uint64_t unit_bytes, bool mirrored = false) {
  StripeArea area;
  area.bytes = units * unit_bytes;
  area.unit_bytes = unit_bytes;
  area.mirrored = mirrored;
  return area;
}

/// Toy drives and the array that uses them.
struct ArrayRig {
  explicit ArrayRig(ArrayConfig config, const profile::DriveProfile& profile = toy_profile(),
                    const std::string& policy = "FCFS", const std::string& name = "array", bool registers = true) {
    config.drive_bytes = kToyBlocks * 512;
    for (std::uint32_t i = 0; i < config.drives; ++i)
      drives.push_back(
          make_drive((name + "_disk" + std::to_string(i)).c_str(), policy, "firmware", profile, config.holds_data));
    array = std::make_unique<Array>(name.c_str(), config);
    for (std::uint32_t i = 0; i < config.drives; ++i) {
      array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
      if (registers) array->register_init_sockets[i].bind(drives[i]->register_tgt_socket);
    }
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::unique_ptr<Array> array;
};

}  // namespace platter::testing
