// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "platter/buffer/segment_buffer.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/mapping/mapping_if.h"
#include "platter/scheduling/command.h"

namespace platter::drive {

using core::Picoseconds;
using core::Tag;
using scheduling::Command;
using scheduling::HeadState;

/// Where a command is in its life; `allowed` says what may follow what.
enum class Stage : std::uint8_t {
  Free,      ///< no command
  Received,  ///< the drive has taken it
  Blocked,   ///< waits for older commands to reach the media
  Held,      ///< waits until the buffer has written blocks to the media: a flush, or a command over those blocks
  Queued,    ///< waits to be served: in the engine, for an entry of it, or at the head of the queue
  Leaving,   ///< taken back, but the engine is at work and still looks at it
  Access,    ///< the actuator is at it
  Done,      ///< nothing is left to be done on the media; its answer is on the way
  Answered,  ///< the answer is given, or waits only for the host to take it
};
inline constexpr std::size_t kStages = 9;
inline constexpr std::array<const char*, kStages> kStageNames = {"free",    "received", "blocked", "held",    "queued",
                                                                 "leaving", "access",   "done",    "answered"};

/// The table of a command's life. A command that takes several accesses goes from each back to the queue; a command of
/// the drive's own has no answer; every command that a loss of power finds in the drive is done.
constexpr bool allowed(Stage from, Stage to) {
  constexpr auto set = [](auto... stages) { return static_cast<std::uint16_t>(((1u << static_cast<unsigned>(stages)) | ...)); };
  constexpr std::array<std::uint16_t, kStages> next = {
      set(Stage::Received),                                          // Free
      set(Stage::Blocked, Stage::Held, Stage::Queued, Stage::Done),  // Received
      set(Stage::Held, Stage::Queued, Stage::Done),                  // Blocked
      set(Stage::Held, Stage::Queued, Stage::Done),                  // Held
      set(Stage::Leaving, Stage::Access, Stage::Done),               // Queued
      set(Stage::Done),                                              // Leaving
      set(Stage::Queued, Stage::Done),                               // Access
      set(Stage::Answered, Stage::Free),                             // Done
      set(Stage::Free),                                              // Answered
  };
  return (std::uint32_t{next[static_cast<std::size_t>(from)]} >> static_cast<unsigned>(to) & 1u) != 0;
}

/// One command in the drive: an entry of the queue, or an access that the drive makes itself.
struct Slot {
  static constexpr int kBlockingCall = -1;

  Tag tag{0};  ///< the host's; `command.tag` is the scheduling engine's, which is another where that one is taken
  Stage stage = Stage::Free;
  int host = kBlockingCall;    ///< whose command it is; kBlockingCall: a thread waits for it in b_transport
  std::uint32_t accesses = 0;  ///< to the media, begun so far
  std::uint32_t blockers = 0;  ///< older commands that must reach the media first
  std::uint32_t buffered = 0;  ///< first blocks of a read that the buffer holds; the command's extent is the rest
  buffer::Hit hit;             ///< where they are
  Picoseconds data_end = -1;   ///< of a write: when all of its data is in the buffer; -1: it has not been asked for
  command::Command asked;  ///< what the host wants; an access of a write may be a read, where its mapping places more at a time
  scheduling::Command command;  ///< the access, as the scheduling engine sees it
  command::Result result;
  tlm::tlm_generic_payload* payload = nullptr;
  mapping::Walk walk;  ///< the host's blocks, and the access at hand

  /// Reports a fatal error where the table does not allow it.
  void enter(Stage next) {
    if (!allowed(stage, next)) report_stage(next);
    stage = next;
  }
  bool used() const { return stage != Stage::Free; }
  /// It is where no other command can hinder it any more.
  bool on_media() const { return stage >= Stage::Done; }
  /// Its write data has crossed the bus, or is on the way.
  bool received() const { return data_end >= 0; }
  /// The drive's, not the host's.
  bool own() const { return payload == nullptr; }
  bool blocking_call() const { return host == kBlockingCall; }

  /// The host's blocks [first, end), whatever part of them the buffer holds.
  std::uint64_t first() const { return walk.first; }
  std::uint64_t end() const { return walk.end(); }
  bool ordered() const { return asked.attribute == command::TaskAttribute::Ordered; }
  bool head_of_queue() const { return asked.attribute == command::TaskAttribute::HeadOfQueue; }

 private:
  [[noreturn]] void report_stage(Stage next) const;
};

}  // namespace platter::drive
