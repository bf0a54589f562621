// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "platter/buffer/segment_buffer.h"
#include "platter/command/tlm/command_extension.h"
#include "platter/eager/block_layout.h"
#include "platter/scheduling/command.h"

namespace platter::drive {

using core::Picoseconds;
using core::Tag;

/// Where a command is in its life; `allowed` says what may follow what.
enum class Stage : std::uint8_t {
  Free,      ///< no command
  Received,  ///< the drive has taken it
  Blocked,   ///< waits for older commands to reach the media
  Held,      ///< waits until the buffer has written blocks to the media: a flush, or a command over those blocks
  Queued,    ///< waits to be served: in the engine, for an entry of it, or at the head of the queue
  Access,    ///< the actuator is at it
  Done,      ///< nothing is left to be done on the media; its answer is on the way
  Answered,  ///< the answer is given, or waits only for the host to take it
};
inline constexpr std::size_t kStages = 8;
inline constexpr std::array<const char*, kStages> kStageNames = {"free", "received", "blocked", "held", "queued", "access", "done", "answered"};

/// The table of a command's life. An eagerly written command goes from its access back to the queue, once for each of its parts; a command of
/// the drive's own has no answer; every command that a loss of power finds in the drive is done.
constexpr bool allowed(Stage from, Stage to) {
  constexpr auto set = [](auto... stages) { return static_cast<std::uint8_t>(((1u << static_cast<unsigned>(stages)) | ...)); };
  constexpr std::array<std::uint8_t, kStages> next = {
      set(Stage::Received),                                            // Free
      set(Stage::Blocked, Stage::Held, Stage::Queued, Stage::Done),    // Received
      set(Stage::Held, Stage::Queued, Stage::Done),                    // Blocked
      set(Stage::Held, Stage::Queued, Stage::Done),                    // Held
      set(Stage::Access, Stage::Done),                                 // Queued
      set(Stage::Queued, Stage::Done),                                 // Access
      set(Stage::Answered, Stage::Free),                               // Done
      set(Stage::Free),                                                // Answered
  };
  return (next[static_cast<std::size_t>(from)] >> static_cast<unsigned>(to) & 1u) != 0;
}

/// Under eager writing: what the access at hand has of one block.
struct Part {
  std::uint32_t done = 0;     ///< sectors of the command before it
  std::uint32_t sectors = 0;  ///< of it
  std::uint32_t within = 0;   ///< its first sector, of the block's
  bool fetching = false;      ///< the block is read before a part of it is written
  eager::Block block;
  eager::Place place;         ///< of a write that has been decided on
};

/// One command in the drive: an entry of the queue, or an access that the drive makes itself.
struct Slot {
  static constexpr int kBlockingCall = -1;

  Tag tag{0};                   ///< the host's; `command.tag` is the scheduling engine's, which is another where that one is taken
  Stage stage = Stage::Free;
  int host = kBlockingCall;     ///< whose command it is; kBlockingCall: a thread waits for it in b_transport
  std::uint32_t accesses = 0;   ///< to the media, begun so far
  std::uint32_t blockers = 0;   ///< older commands that must reach the media first
  std::uint32_t buffered = 0;   ///< first blocks of a read that the buffer holds; the command's extent is the rest
  buffer::Hit hit;              ///< where they are
  Picoseconds data_end = -1;    ///< of a write: when all of its data is in the buffer; -1: it has not been asked for
  command::Command asked;       ///< what the host wants; an access of an eager write may be a read
  scheduling::Command command;  ///< the access, as the scheduling engine sees it
  command::Result result;
  tlm::tlm_generic_payload* payload = nullptr;
  Part part;
  std::uint64_t host_first = 0;  ///< the host's blocks
  std::uint32_t host_blocks = 0;

  /// Reports a fatal error where the table does not allow it.
  void enter(Stage next) {
    if (!allowed(stage, next)) [[unlikely]] report_stage(next);
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
  std::uint64_t first() const { return host_first; }
  std::uint64_t end() const { return host_first + host_blocks; }
  bool ordered() const { return asked.attribute == command::TaskAttribute::Ordered; }
  bool head_of_queue() const { return asked.attribute == command::TaskAttribute::HeadOfQueue; }

 private:
  [[noreturn]] void report_stage(Stage next) const;
};

}  // namespace platter::drive
