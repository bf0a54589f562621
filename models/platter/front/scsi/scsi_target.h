// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "platter/front/scsi/logical_unit.h"

namespace platter::scsi {

/// Task management functions (SAM-5, 7).
enum class Management : std::uint8_t {
  AbortTask = 1,
  AbortTaskSet = 2,
  ClearAca = 3,
  ClearTaskSet = 4,
  UnitReset = 5,
  TargetWarmReset = 6,
  TargetColdReset = 7,
  TaskReassign = 8,
};

/// A SCSI target device (SAM-5) with one logical unit for each drive, numbered from 0 on.
///
/// It takes no time of its own, except that of the drives. Call its functions while the kernel does not run.
class ScsiTarget : public sc_core::sc_module {
 public:
  /// `units`: one logical unit each, at most 256. Throws std::invalid_argument for another number.
  ScsiTarget(const sc_core::sc_module_name& name, const std::vector<UnitIdentity>& units);

  /// Does a drive start of which an initiator port was told so? Then the port asks again, and needs time to pass.
  bool awaited() const {
    return std::any_of(units_.begin(), units_.end(), [](const auto& unit) { return unit->awaited(); });
  }
  std::size_t units() const { return units_.size(); }
  /// A logical unit, whose sockets are to be bound to its drive.
  LogicalUnit& unit(std::size_t number) { return *units_.at(number); }

  /// A new initiator port. It must exist until `detach`.
  void attach(const Nexus& nexus);
  /// The port has gone. All its tasks are aborted.
  void detach(const Nexus& nexus);

  /// Begins a task of an attached port. `lun`: its address (SAM-5, 4.7). The owner is told of its end, perhaps within this call.
  void begin(Task& task, std::uint64_t lun);
  /// Aborts a task that has begun and not ended. If an access of it has begun, it ends with that.
  void abort(Task& task, std::uint64_t lun);
  /// Carries out a function that concerns more than one task. Returns false if there is no such logical unit.
  bool manage(Management function, const Nexus& nexus, std::uint64_t lun);

  /// Tells a port that CLEAR TASK SET of another one has taken a command that had not been begun.
  void tell_cleared(const Nexus& nexus, std::uint64_t lun);

  /// True if both are addresses of one logical unit.
  bool same_unit(std::uint64_t lun, std::uint64_t other) const {
    return lun == other || (has(lun) && find(lun) == find(other));
  }
  /// True if there is such a logical unit.
  bool has(std::uint64_t lun) const { return find(lun) != nullptr; }

 private:
  LogicalUnit* find(std::uint64_t lun) const;

  std::vector<std::unique_ptr<LogicalUnit>> units_;
};

}  // namespace platter::scsi
