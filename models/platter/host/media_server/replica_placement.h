// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace platter::host::media_server {

/// Chooses the disks of one stored stream's backup copy (section 3). The unit of replication is the data of one round; a
/// declustered unit has several blocks.
class ReplicaPlacementIf {
 public:
  virtual ~ReplicaPlacementIf() = default;
  /// Begins the next round's data, whose primary copy is on `disk`.
  virtual void begin_unit(std::uint32_t disk) = 0;
  /// The disk of the unit's next block; never the primary copy's.
  virtual std::uint32_t next() = 0;
};

struct ReplicaPlacementInfo {
  std::string_view name;
  std::string_view description;
  /// Creates the placement of the stream `stream`, over at least two disks; returns null for "none".
  std::function<std::unique_ptr<ReplicaPlacementIf>(std::uint32_t disks, std::uint64_t seed, std::string_view stream)> create;
};

/// All placements.
const std::vector<ReplicaPlacementInfo>& replica_placement_table();
/// Returns nullptr if no placement has that name.
const ReplicaPlacementInfo* find_replica_placement(std::string_view name);

}  // namespace platter::host::media_server
