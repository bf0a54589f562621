// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "platter/buffer/segment_buffer.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/core/probes.h"
#include "platter/mapping/mapping_if.h"
#include "platter/scheduling/command.h"

namespace platter::drive {

using core::Picoseconds;
using core::Tag;
using scheduling::Command;
using scheduling::HeadState;

/// State of a command in the drive; `allowed` is the table of transitions.
enum class Stage : std::uint8_t {
  Free,      ///< no command
  Received,  ///< accepted by the drive
  Blocked,   ///< waits until older commands have reached the media
  Held,      ///< waits for writes of the buffer to the media (also a flush or zone command); or it changes zones, or is stuck
  Queued,    ///< waits to be served: in the engine, for an entry in the engine, or as a head-of-queue command
  Leaving,   ///< aborted or withdrawn, but the engine is still working and reads it
  Access,    ///< an actuator serves it
  Done,      ///< no work is left on the media; the response is pending
  Answered,  ///< the response has been sent, or waits only for the host to accept it
};
inline constexpr std::size_t kStages = 9;  ///< how many there are
/// Their names in waves.
inline constexpr std::array<const char*, kStages> kStageNames = {"free",    "received", "blocked", "held",    "queued",
                                                                 "leaving", "access",   "done",    "answered"};

/// The table of transitions between stages. A command that takes several accesses returns to the queue after each. An internal
/// command has no response. After a loss of power every command in the drive is Done.
constexpr bool allowed(Stage from, Stage to) {
  constexpr auto set = [](auto... stages) { return static_cast<std::uint16_t>(((1u << static_cast<unsigned>(stages)) | ...)); };
  constexpr std::array<std::uint16_t, kStages> next = {
      set(Stage::Received),                                          // Free
      set(Stage::Blocked, Stage::Held, Stage::Queued, Stage::Done),  // Received
      set(Stage::Held, Stage::Queued, Stage::Done),                  // Blocked
      set(Stage::Held, Stage::Queued, Stage::Done),                  // Held
      set(Stage::Leaving, Stage::Access, Stage::Done),               // Queued
      set(Stage::Queued, Stage::Done),                               // Leaving
      set(Stage::Queued, Stage::Done),                               // Access
      set(Stage::Answered, Stage::Free),                             // Done
      set(Stage::Free),                                              // Answered
  };
  return (std::uint32_t{next[static_cast<std::size_t>(from)]} >> static_cast<unsigned>(to) & 1u) != 0;
}

class ProbeIf;
/// Those of a drive.
using Probes = core::Probes<ProbeIf>;

/// One command in the drive: a queue entry with a tag, or an internal access.
struct QueueEntry {
  static constexpr int kBlockingCall = -1;  ///< see `host`

  Tag tag{0};  ///< the host's tag; `command.tag` is the engine's, which differs if the engine's entry of that number is taken
  Stage stage = Stage::Free;   ///< how far the command is
  std::uint8_t actuator = 0;   ///< that serves it now
  int host = kBlockingCall;    ///< number of the issuing host; kBlockingCall: a thread waits for it in b_transport
  std::uint32_t accesses = 0;  ///< accesses to the media begun so far
  std::uint32_t blockers = 0;  ///< older commands that must reach the media first
  std::uint32_t buffered = 0;  ///< leading blocks of a read that come from the buffer; `command.extent` covers the rest
  bool stuck = false;          ///< a fault keeps it from being answered: it stays Held until it is aborted
  bool arrived = false;        ///< the faults have been told of it
  bool behind_gap = false;     ///< a write whose zone has lost an older one: it ends with Aborted, without its data
  bool returns = false;        ///< it leaves the engine only to enter it again with another limit
  /// Its status if it ends before its first access.
  command::CommandStatus leaves_as = command::CommandStatus::Aborted;
  bool over_dirty = true;     ///< the buffer may hold older data of its blocks that is not yet on the media
  buffer::Hit hit;            ///< where the buffer holds them
  Picoseconds data_end = -1;  ///< of a write: when all of its data is in the buffer; -1: the transfer has not been requested
  command::Command asked;  ///< the host's request; under eager writing, an access of a write may be a read (read-modify-write)
  scheduling::Command command;                  ///< the current access, as the scheduling engine sees it
  command::Result result;                       ///< of the command so far
  tlm::tlm_generic_payload* payload = nullptr;  ///< the host's; null: an internal command
  mapping::Walk walk;                           ///< the host's blocks, and the progress of the command through its accesses
  const Probes* probes = nullptr;               ///< told of each stage; null: nobody

  /// Changes the stage. Reports a fatal error if the table does not allow the transition.
  void enter(Stage next) {
    if (!allowed(stage, next)) report_violation(next);
    stage = next;
    tell_stage();
  }
  /// Tells the probes, if there are any, the stage.
  void tell_stage() const {
    if (probes != nullptr && !probes->empty()) report();
  }
  /// Is there a command?
  bool used() const { return stage != Stage::Free; }
  /// True once no other command has to wait for it.
  bool on_media() const { return stage >= Stage::Done; }
  /// True if its write data has crossed the bus or has been scheduled to.
  bool received() const { return data_end >= 0; }
  /// True for an internal command, which no host has issued.
  bool internal() const { return payload == nullptr; }
  /// Its time is limited (DurationKeeper).
  bool timed() const { return asked.limited() && asked.moves_data(); }
  /// A thread waits for it in b_transport.
  bool blocking_call() const { return host == kBlockingCall; }

  /// It has a part on another actuator, before or behind the current access.
  bool spans() const { return walk.sectors != walk.blocks && !internal(); }
  /// The first of the host's blocks, also if the buffer holds it.
  std::uint64_t first() const { return walk.first; }
  std::uint64_t end() const { return walk.end(); }  ///< the block after the last of the host's blocks
  bool ordered() const { return asked.attribute == command::TaskAttribute::Ordered; }            ///< task attribute
  bool head_of_queue() const { return asked.attribute == command::TaskAttribute::HeadOfQueue; }  ///< task attribute

 private:
  [[noreturn]] void report_violation(Stage next) const;
  void report() const;
};

}  // namespace platter::drive
