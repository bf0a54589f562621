// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platter/command/command.h"
#include "platter/front/scsi/sense.h"

namespace platter::scsi {

/// @cond of the implementation
struct Operation;
/// @endcond
struct Task;

/// An initiator port, as a target knows it. Its name is that of its TransportID (SPC-4, 7.6.4), by which reservations last longer than a session.
struct Nexus {
  std::string name;
};

/// Receives the end of its tasks.
class TaskOwnerIf {
 public:
  virtual ~TaskOwnerIf() = default;
  /// Called once for each task that was begun. A task that was aborted has no status.
  virtual void ended(Task& task) = 0;
};

/// A command with its data, from its CDB to its status.
struct Task {
  static constexpr std::size_t kCdbBytes = 16;

  // Set by the owner.
  TaskOwnerIf* owner = nullptr;
  const Nexus* nexus = nullptr;
  std::array<std::uint8_t, kCdbBytes> cdb{};
  command::TaskAttribute attribute = command::TaskAttribute::Simple;
  /// Of a command that sends data: what the host gave; of one that receives data: what the host gets.
  std::vector<std::uint8_t> data;
  std::uint32_t limit = 0;  ///< most bytes of data that the host takes

  // Set by the target.
  Status status = Status::Good;
  SenseData sense;
  std::uint64_t wanted = 0;  ///< bytes that the command would transfer, whatever the host gives or takes
  bool descriptors = false;  ///< the format of the sense data
  bool aborted = false;      ///< it ends without a status

  /// @cond of the implementation

  /// How far the unit has come with the task. Only the unit and its operations use it.
  struct Course {
    enum class Place : std::uint8_t { Unit, Backlog, Drive };

    const Operation* operation = nullptr;
    std::uint64_t order = 0;            ///< of the beginning of the tasks
    std::uint64_t first = 0;            ///< logical block of the command
    std::uint64_t blocks = 0;           ///< of the command
    std::uint64_t done = 0;             ///< blocks of the accesses that have ended
    command::Command access;            ///< the present access
    std::uint8_t* bytes = nullptr;      ///< its data; null: none
    std::vector<std::uint8_t> scratch;  ///< data that the host neither gives nor gets
    std::uint32_t step = 0;             ///< accesses that have ended
    std::uint32_t tag = 0;              ///< in the drive
    Place place = Place::Unit;
    bool locked = false;          ///< no access of another task comes between its own
    bool several = false;         ///< it may need more than one access
    bool stops = false;           ///< the unit stops, or goes to standby, at its end
    bool writes_through = false;  ///< the drive caches no writes meanwhile, whatever the mode page says
    bool recovered = false;       ///< an access needed retries
  };
  Course course;
  /// @endcond
};

}  // namespace platter::scsi
