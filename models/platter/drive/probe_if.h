// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/command/command.h"
#include "platter/core/types.h"
#include "platter/drive/controller_state.h"
#include "platter/drive/queue_entry.h"
#include "platter/scheduling/scheduler_if.h"

namespace platter::drive {

/// An actuator has changed its state.
struct ActuatorReport {
  core::Picoseconds time;  ///< of the change
  std::uint32_t actuator;  ///< its number
  ControllerState state;   ///< what it does from now on
  std::uint32_t cylinder;  ///< position of the arm, also during a seek
  std::uint32_t head;      ///< the head in use
  int tag;                 ///< of the access in progress, in the engine (see AccessReport); -1: none
};

/// An access has been decided on.
///
/// A tag in AccessReport and ActuatorReport is the number of the command in the engine; an internal command (a cached write) has one,
/// too. A tag in StageReport is that of the drive's queue, which the host may have chosen. The two numbers of one command differ if its
/// number was taken in the engine when it came. A head-of-queue command is not in the engine: its tag in all reports is that of the
/// drive's queue, and a command in the engine may have the same number.
struct AccessReport {
  core::Picoseconds time;         ///< of the decision
  core::Picoseconds begin;        ///< of the access: `time`, or later if the decision takes effect later
  std::uint32_t actuator;         ///< its number
  std::uint32_t tag;              ///< of the command, in the engine
  core::RequestClass cls;         ///< of the command
  core::Picoseconds deadline;     ///< core::kNoDeadline: none
  bool write;                     ///< the access is a write
  core::Lba first;                ///< first block on the media
  std::uint32_t blocks;           ///< length
  command::CommandTiming timing;  ///< of the command so far, this access included
};

/// A command of a host is in another stage, or has just been received.
struct StageReport {
  core::Picoseconds time;    ///< of the change
  std::uint32_t tag;         ///< of the command, in the drive's queue (see AccessReport)
  Stage stage;               ///< the new one
  command::Command command;  ///< as the host asked
};

/// Data crosses the host bus. Blocks that come from the media one by one are reported as if they crossed the bus together at the end:
/// `begin` is then `end` less their bus time.
struct BusReport {
  core::Picoseconds begin;  ///< of the transfer
  core::Picoseconds end;    ///< of the transfer
  bool write;               ///< from the host
  std::uint32_t blocks;     ///< length
};

/// Observes a drive without affecting it. The drive calls from its own processes and from calls of its hosts. A callback must not wait,
/// must not change the drive (abort, set_alive, registers, transports), and must not add or remove probes. References and pointers are
/// valid during the call only. A drive without a probe uses one timed call for each access; with a probe, one for each phase of each
/// access, at the same times.
class ProbeIf {
 public:
  virtual ~ProbeIf() = default;
  /// An actuator is in another state.
  virtual void entered(const ActuatorReport& /*report*/) {}
  /// An access has been decided on.
  virtual void started(const AccessReport& /*report*/) {}
  /// A command is in another stage.
  virtual void staged(const StageReport& /*report*/) {}
  /// The number of commands in the queue has changed.
  virtual void occupied(core::Picoseconds /*time*/, std::uint32_t /*commands*/) {}
  /// Told as soon as both times are known, which may lie ahead.
  virtual void carried(const BusReport& /*report*/) {}
  /// While the arm is busy: when the next decision will be ready; kNoDeadline: not known.
  virtual void prepared(core::Picoseconds /*time*/, std::uint32_t /*actuator*/, core::Picoseconds /*from*/) {}
};

/// A decision is known. The pointers are valid during the call.
struct DecisionReport {
  core::Picoseconds asked;               ///< when the actuator was free and the decision was requested
  core::Picoseconds effective;           ///< when the decision is known and acted on
  std::uint32_t actuator;                ///< its number
  mechanics::HeadState head;             ///< at `asked`
  const scheduling::Decision& decision;  ///< what the engine answered
  /// The command that is served; null: the arm moves only, or nothing is done. A head-of-queue command is chosen without the engine: it
  /// is not in `engine`, and `decision.tag` has no meaning.
  const QueueEntry* chosen;
  const std::vector<const QueueEntry*>&
      engine;  ///< the commands in the engine before the decision, by their tag there; null: free entry
};

/// Observes the decisions of a drive, each when it is made and before it is carried out. The rules of ProbeIf apply.
class DecisionProbeIf {
 public:
  virtual ~DecisionProbeIf() = default;
  /// Called once for each decision.
  virtual void decided(const DecisionReport& report) = 0;
};

/// Those of a drive.
using DecisionProbes = core::Probes<DecisionProbeIf>;

}  // namespace platter::drive
