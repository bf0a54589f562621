// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/front/serving/control_server.h"

namespace platter::system {

/// What the commands of a served simulation act on.
struct ControlTarget {
  const std::vector<std::unique_ptr<drive::Drive>>& drives;
  drive::PowerSupply& supply;  ///< the power of all drives
  std::function<void()> stop;  ///< ends the run as SIGTERM does
  /// Adds a mark to every log of writes.
  std::function<void(const std::string& text)> mark;
  /// Writes what a loss of power now would leave of a drive to a new disk file. Returns the sectors that cannot be read there. Throws
  /// std::invalid_argument if that cannot be done.
  std::function<std::vector<std::uint64_t>(std::size_t drive, const std::string& file)> save_power_image;
};

/// The commands of `platter serve --control`; docs/reference/serving.md has their arguments and answers. The target must outlive them.
std::vector<serving::ControlCommand> control_commands(ControlTarget& target);

}  // namespace platter::system
