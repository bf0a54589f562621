// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/media/disk_file.h"
#include "platter/system/scenario.h"

namespace platter::system {

/// What the disk file of a scenario's drive belongs to; `number`: of the drive in its array, from 0.
media::DiskIdentity disk_identity(const Scenario& scenario, std::uint32_t number);

/// Writes what the media of a drive would hold if its power failed now to a new disk file. Returns its sectors that cannot be read. Throws
/// std::invalid_argument where the file exists or cannot be written, and for a drive with eager writing.
std::vector<std::uint64_t> save_power_image(const Scenario& scenario, const drive::Drive& drive, std::uint32_t number,
                                            const std::filesystem::path& path);

}  // namespace platter::system
