// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/replica_placement.h"

#include <numeric>
#include <string>

#include "platter/core/random.h"

namespace platter::host::media_server {

namespace {

/// Round robin over the other disks, separately for each primary disk: from the disk after it on, or in ascending order.
class RoundRobinPlacement : public ReplicaPlacementIf {
 public:
  RoundRobinPlacement(std::uint32_t disks, bool rotated) : placed_(disks, 0), rotated_(rotated) {}

  void begin_unit(std::uint32_t disk) override { primary_ = disk; }
  std::uint32_t next() override {
    const auto disks = static_cast<std::uint32_t>(placed_.size());
    const auto step = static_cast<std::uint32_t>(placed_[primary_]++ % (disks - 1));
    if (rotated_) return (primary_ + 1 + step) % disks;
    return step < primary_ ? step : step + 1;
  }

 private:
  std::vector<std::uint64_t> placed_;  ///< blocks so far, by primary disk
  bool rotated_;
  std::uint32_t primary_ = 0;
};

/// Uniform over the other disks. Within a unit, no disk is used twice before all have been used.
class RandomPlacement : public ReplicaPlacementIf {
 public:
  RandomPlacement(std::uint32_t disks, std::uint64_t seed, std::string_view stream)
      : disks_(disks), random_(seed, "replicas." + std::string(stream)) {}

  void begin_unit(std::uint32_t disk) override {
    primary_ = disk;
    left_.clear();
  }
  std::uint32_t next() override {
    if (left_.empty()) {
      left_.resize(disks_);
      std::iota(left_.begin(), left_.end(), 0u);
      left_.erase(left_.begin() + primary_);
    }
    const std::size_t chosen = random_.below(left_.size());
    const std::uint32_t disk = left_[chosen];
    left_[chosen] = left_.back();
    left_.pop_back();
    return disk;
  }

 private:
  std::uint32_t disks_;
  core::RandomStream random_;
  std::uint32_t primary_ = 0;
  std::vector<std::uint32_t> left_;  ///< disks that the unit has not used
};

}  // namespace

const std::vector<ReplicaPlacementInfo>& replica_placement_table() {
  static const std::vector<ReplicaPlacementInfo> table = {
      {"none", "no backup copy", [](std::uint32_t, std::uint64_t, std::string_view) { return nullptr; }},
      {"deterministic", "round robin over the other disks, from the next one on (section 3.1)",
       [](std::uint32_t disks, std::uint64_t, std::string_view) { return std::make_unique<RoundRobinPlacement>(disks, true); }},
      {"ascending", "round robin over the other disks in ascending order, the other interpretation of section 3.1",
       [](std::uint32_t disks, std::uint64_t, std::string_view) {
         return std::make_unique<RoundRobinPlacement>(disks, false);
       }},
      {"random", "any other disk, evenly (section 3.2)",
       [](std::uint32_t disks, std::uint64_t seed, std::string_view stream) {
         return std::make_unique<RandomPlacement>(disks, seed, stream);
       }},
  };
  return table;
}

const ReplicaPlacementInfo* find_replica_placement(std::string_view name) {
  for (const ReplicaPlacementInfo& row : replica_placement_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace platter::host::media_server
