// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "platter/core/types.h"

namespace platter::media {

using core::Picoseconds;

/// What goes wrong. The order is that of `kFaultKinds`.
enum class FaultKind : std::uint8_t {
  Unreadable,         ///< cannot be read until it is written
  Permanent,          ///< cannot be read, also after a write, until it is reallocated
  Retries,            ///< can be read at retry number `tries`
  Slow,               ///< takes `turns` more turns at each access
  WriteFault,         ///< cannot be written until it is reallocated
  OffTrack,           ///< as Slow, for all blocks of the drive
  Surface,            ///< a head has failed: all blocks of its surface are unreadable
  SilentBit,          ///< one bit is wrong
  SilentStale,        ///< a write does not reach the media, which keeps the old data
  SilentMisdirected,  ///< a write goes to another block
  Stuck,              ///< a command is never answered
  Late,               ///< answers come `delay` later
  LinkDrop,           ///< the link to the host is lost and comes back
  Reset,              ///< the firmware restarts
};
inline constexpr std::size_t kFaultKindCount = 14;  ///< how many there are

/// Where a fault of a kind is.
enum class FaultPlace : std::uint8_t {
  Blocks,    ///< blocks of the media
  Surface,   ///< a surface
  Commands,  ///< commands that touch given blocks, or any command
  Drive,     ///< the drive
};

/// What is known of a kind.
struct FaultKindInfo {
  std::string_view name;     ///< as a fault plan has it
  std::string_view meaning;  ///< a line of plain text
  FaultPlace place;          ///< where such a fault is
};

/// By FaultKind.
inline constexpr std::array<FaultKindInfo, kFaultKindCount> kFaultKinds = {{
    {"unreadable", "the blocks cannot be read until they are written", FaultPlace::Blocks},
    {"permanent", "the blocks cannot be read, and a write does not help, until they are reallocated", FaultPlace::Blocks},
    {"retries", "the blocks can be read at retry number `tries`", FaultPlace::Blocks},
    {"slow", "an access to the blocks takes `turns` more turns", FaultPlace::Blocks},
    {"write_fault", "the blocks cannot be written until they are reallocated", FaultPlace::Blocks},
    {"off_track", "every access of the drive takes `turns` more turns", FaultPlace::Drive},
    {"surface", "a head has failed: the blocks of its surface cannot be read", FaultPlace::Surface},
    {"silent_bit", "silent: one bit of the block is wrong until it is written", FaultPlace::Blocks},
    {"silent_stale", "silent: a write does not reach the media, which keep the old data", FaultPlace::Blocks},
    {"silent_misdirected", "silent: a write goes to the block `other_block` instead", FaultPlace::Blocks},
    {"stuck", "a command is never answered", FaultPlace::Commands},
    {"late", "all answers of the drive come `delay_ms` later", FaultPlace::Drive},
    {"link_drop", "the link to the host is lost and comes back at once", FaultPlace::Drive},
    {"reset", "the firmware restarts: its commands are aborted, its buffer is lost, it is ready `delay_ms` later",
     FaultPlace::Drive},
}};

/// What is known of this kind.
constexpr const FaultKindInfo& info_of(FaultKind kind) { return kFaultKinds[static_cast<std::size_t>(kind)]; }

/// The drive reports nothing of such a fault, because it does not notice it.
constexpr bool silent(FaultKind kind) { return kind >= FaultKind::SilentBit && kind <= FaultKind::SilentMisdirected; }
/// A write can put a sector with such a fault on a spare. With Permanent only a write after a failed read of the sector does so.
constexpr bool reallocates(FaultKind kind) {
  return kind == FaultKind::Permanent || kind == FaultKind::WriteFault || kind == FaultKind::Surface;
}
/// It decides for given blocks whether, and when, they can be read.
constexpr bool decides_reads(FaultKind kind) { return kind <= FaultKind::Slow; }

/// A fault: what, where, and from when on. Blocks are those of the media; without eager writing they are the host's. A fault of the first five
/// kinds covers whole physical sectors.
struct Fault {
  static constexpr std::uint64_t kAnyBlock = ~std::uint64_t{0};  ///< of `first`: no particular block

  FaultKind kind = FaultKind::Unreadable;  ///< what goes wrong
  std::uint64_t first = kAnyBlock;         ///< first block; kAnyBlock: any, of a kind that needs no blocks
  std::uint64_t blocks = 1;                ///< number of blocks
  std::uint32_t surface = 0;               ///< of Surface
  // It begins with the latest of these. (A fault plan has only one of them.)
  Picoseconds at = 0;            ///< absolute simulated time, ps
  std::uint64_t at_command = 0;  ///< with this command of the drive after the fault was added, from 1; 0: not by a command
  std::uint64_t at_access = 0;   ///< with this access to its blocks after the fault was added, from 1; 0: not by an access
  // It ends when one of these is over.
  Picoseconds lasts = 0;    ///< ps after its begin; 0: no end
  std::uint64_t count = 0;  ///< number of times that it takes effect; 0: no end
  // What the kinds need besides.
  static constexpr std::uint32_t kMaxTries = 1000;       ///< largest number of a retry
  static constexpr std::uint32_t kMaxTurns = 1'000'000;  ///< largest number of further turns

  std::uint32_t tries = 0;                ///< Retries: number of the retry, from 1 to kMaxTries
  std::uint32_t turns = 0;                ///< Slow, OffTrack: further turns of an access, from 1 to kMaxTurns
  Picoseconds delay = 0;                  ///< Late: of each answer, ps; Reset: until the drive is ready, ps
  std::uint64_t other_block = kAnyBlock;  ///< SilentMisdirected: the block that is written instead; kAnyBlock: not given
  /// SilentBit: number of the bit, below 8 times the bytes of a block. Bit b is bit b mod 8 of byte b / 8, where 0 is the lowest bit.
  std::uint32_t bit = 0;

  bool any_block() const { return first == kAnyBlock; }  ///< it has no particular blocks
  std::uint64_t end() const { return first + blocks; }   ///< the block behind its last one
  /// It concerns one of the blocks [from, to).
  bool overlaps(std::uint64_t from, std::uint64_t to) const { return any_block() || (first < to && from < end()); }
};

/// What is wrong with a fault on a drive.
struct FaultObjection {
  std::string key;                             ///< which of its fields, by the key of a fault plan
  std::string text;                            ///< what was found and what was expected; empty: nothing is wrong
  bool empty() const { return text.empty(); }  ///< nothing is wrong
};
/// What is wrong with a fault on a drive of this size: blocks of the media, data surfaces, bytes of a sector, actuators.
FaultObjection objection(const Fault& fault, std::uint64_t capacity_blocks, std::uint32_t surfaces, std::uint32_t sector_bytes,
                         std::uint32_t actuators = 1);

/// Two faults of one drive contradict each other: both decide how a block is read or written, from the same begin on.
bool contradict(const Fault& a, const Fault& b);

}  // namespace platter::media
