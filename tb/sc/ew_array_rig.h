// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "byte_load.h"
#include "platter/host/ew_array/ew_array.h"

namespace platter::testing {

/// Eager toy drives and the array that uses them, with two copies of each block.
struct EwArrayRig {
  explicit EwArrayRig(const host::EwArrayOptions& options) {
    for (std::uint32_t i = 0; i < options.drives; ++i) {
      profile::DriveProfile profile = toy_profile();
      profile.queue_depth = 8;
      drives.push_back(make_eager(("disk" + std::to_string(i)).c_str(), "SATF-EW", profile, 2, true, i + 1));
    }
    array = std::make_unique<host::EwArray>("array", options, drives[0]->capacity_sectors() * 512);
    for (std::uint32_t i = 0; i < options.drives; ++i) array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::unique_ptr<host::EwArray> array;
};

inline host::EwArrayOptions three_drives(host::WriteAnswer answer) {
  host::EwArrayOptions options;
  options.drives = 3;
  options.copies = 2;
  options.answer = answer;
  return options;
}

}  // namespace platter::testing
