// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platter/command/command.h"
#include "platter/profile/drive_profile.h"

/// Zones that are written in order, as ZBC (INCITS 536) and ZAC (INCITS 537) define them.
namespace platter::zones {

using command::CommandStatus;
using command::ZoneAction;
using profile::ZoneModel;

/// The values are those of ZBC and ZAC.
enum class ZoneType : std::uint8_t {
  Conventional = 1,         ///< written anywhere; it has no write pointer
  SequentialRequired = 2,   ///< of a host-managed drive
  SequentialPreferred = 3,  ///< of a host-aware drive
};

/// The values are those of ZBC and ZAC.
enum class ZoneCondition : std::uint8_t {
  NoPointer = 0x0,     ///< of a conventional zone
  Empty = 0x1,         ///< nothing is written
  ImplicitOpen = 0x2,  ///< opened by a write; the drive closes it when it needs another one
  ExplicitOpen = 0x3,  ///< opened by a command of the host, which alone closes it
  Closed = 0x4,        ///< written in part
  ReadOnly = 0xD,      ///< it cannot be written any more
  Full = 0xE,          ///< all of it is written, or it was finished
  Offline = 0xF,       ///< it can neither be read nor written any more
};

/// Which zones a report has; the values are those of ZBC and ZAC.
enum class ReportOption : std::uint8_t {
  All = 0x00,
  Empty = 0x01,
  ImplicitOpen = 0x02,
  ExplicitOpen = 0x03,
  Closed = 0x04,
  Full = 0x05,
  ReadOnly = 0x06,
  Offline = 0x07,
  ResetRecommended = 0x10,  ///< no zone of this model
  NonSequential = 0x11,     ///< a host-aware zone that was written out of order
  NoPointer = 0x3F,
};

/// Sizes and limits, in the host's blocks.
struct ZoneOptions {
  ZoneModel model = ZoneModel::Managed;  ///< not None
  std::uint64_t blocks = 0;              ///< of the drive
  std::uint64_t zone_blocks = 0;         ///< of a zone; the last one may have fewer
  std::uint32_t conventional = 0;        ///< number of conventional zones, the first ones
  std::uint32_t max_open = 128;          ///< see ZonesProfile
  bool unrestricted_reads = true;        ///< see ZonesProfile
  std::uint32_t physical_blocks = 1;     ///< blocks of a physical sector
};

/// The key of `profile.zones` that cannot be, and what is wrong with it; an empty text if nothing is. `blocks`: of the drive.
std::pair<const char*, std::string> objection(const profile::DriveProfile& profile, std::uint64_t blocks);
/// Precondition: the profile has zones, and there is no objection.
ZoneOptions options_of(const profile::DriveProfile& profile, std::uint64_t blocks);

/// A zone as a report has it, in blocks.
struct ZoneDescriptor {
  static constexpr std::uint64_t kNoPointer = ~std::uint64_t{0};  ///< the zone has no valid write pointer

  ZoneType type = ZoneType::Conventional;
  ZoneCondition condition = ZoneCondition::NoPointer;
  bool reset_recommended = false;
  bool non_sequential = false;  ///< it was written out of order
  std::uint64_t start = 0;
  std::uint64_t blocks = 0;
  std::uint64_t write_pointer = kNoPointer;
};

/// A report, without its form in bytes, which ATA and SCSI give it.
struct ZoneReport {
  static constexpr std::size_t kHeaderBytes = 64;      ///< before the descriptors, in both forms
  static constexpr std::size_t kDescriptorBytes = 64;  ///< of each, in both forms

  std::uint32_t listed = 0;           ///< descriptors that the list length counts; there may be fewer in `zones`
  std::uint8_t same = 0;              ///< the field SAME
  std::uint64_t last_block = 0;       ///< of the drive
  std::vector<ZoneDescriptor> zones;  ///< those that fit
};

/// Neighbouring blocks.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t blocks = 0;
};

/// What a zone management command has changed.
struct ZoneChange {
  std::uint32_t zones = 0;            ///< that have another condition or write pointer
  std::vector<BlockRange> dropped{};  ///< blocks whose data is gone, of a reset
};

/// Counts since the construction.
struct ZoneCounts {
  std::uint64_t opens = 0;            ///< commands that were accepted, as the next ones
  std::uint64_t closes = 0;           ///< CLOSE
  std::uint64_t finishes = 0;         ///< FINISH
  std::uint64_t resets = 0;           ///< RESET WRITE POINTER
  std::uint64_t zones_finished = 0;   ///< zones that FINISH has made full
  std::uint64_t zones_reset = 0;      ///< zones that RESET has made empty
  std::uint64_t zones_filled = 0;     ///< zones that a write has made full
  std::uint64_t implicit_opens = 0;   ///< zones that a write has opened
  std::uint64_t implicit_closes = 0;  ///< zones that the drive has closed to open another one
  std::uint64_t out_of_order = 0;     ///< writes of a host-aware zone that did not begin at its write pointer
  std::uint64_t refused_reads = 0;    ///< reads that the rules of zones refuse
  std::uint64_t refused_writes = 0;   ///< the same of writes
  std::uint64_t refused_actions = 0;  ///< the same of zone management commands
  std::uint64_t retracted = 0;        ///< write pointers that went back, because a write was lost or aborted

  ZoneCounts& operator+=(const ZoneCounts& other);
};

/// The zones of a drive: their conditions and write pointers, and which commands they permit. Has no time and no data.
///
/// All functions that return a status return Good, or why the command is refused; a refused command changes nothing.
class Zones {
 public:
  explicit Zones(const ZoneOptions& options);

  const ZoneOptions& options() const { return options_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(zones_.size()); }
  /// Zones that are open now.
  std::uint32_t open() const { return implicit_open_ + explicit_open_; }
  const ZoneCounts& counts() const { return counts_; }
  /// The zone of a block. Precondition: it is one of the drive's.
  std::uint32_t zone_of(std::uint64_t block) const { return static_cast<std::uint32_t>(block / options_.zone_blocks); }
  ZoneDescriptor descriptor(std::uint32_t zone) const;

  // --- commands of the host; precondition: reads and writes lie within the drive ---

  /// May these blocks be read?
  CommandStatus read(std::uint64_t first, std::uint32_t blocks);
  /// May these blocks be written? The write pointer then advances.
  CommandStatus write(std::uint64_t first, std::uint32_t blocks);
  /// Carries out a zone management command. `first`: start of the zone, unless it is for `all` zones.
  CommandStatus manage(ZoneAction action, std::uint64_t first, bool all, ZoneChange& change);
  /// The zones from that of `start` on, of those that `option` selects. `partial`: the list length counts only those that fit.
  CommandStatus report(std::uint64_t start, std::uint8_t option, bool partial, std::size_t fitting, ZoneReport& report) const;

  // --- what befalls the drive ---

  /// From `block` on, its zone has lost what was written: the write pointer goes back to it. Returns false, without effect, if the pointer is
  /// not behind it, or if the zone has no pointer that can go back.
  bool retract(std::uint64_t block);
  /// The drive has lost its power, or its firmware restarts: open zones are closed, or empty if nothing is written.
  void close_all();
  /// Makes a zone read-only or offline. Precondition: `condition` is one of these.
  void wear_out(std::uint32_t zone, ZoneCondition condition);

  // --- the durable state ---

  /// What a zone keeps when the power fails.
  struct Durable {
    std::uint64_t written = 0;  ///< blocks from the zone's start to its write pointer
    ZoneCondition condition = ZoneCondition::Empty;
    bool non_sequential = false;
  };
  /// `lost`: the first block of the zone that would be lost; at or behind the zone's end: none.
  Durable durable(std::uint32_t zone, std::uint64_t lost) const;
  /// What makes such a state impossible for a zone, of the form "found ..., expected ..."; an empty text if nothing does.
  std::string objection(std::uint32_t zone, const Durable& state) const;
  /// Precondition: the zone is as at the construction, and there is no objection to the state.
  void restore(std::uint32_t zone, const Durable& state);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Zone {
    std::uint64_t pointer = 0;  ///< blocks from the zone's start; of a full zone all of them
    // Of an implicitly open zone, its neighbours in the order of the last writes:
    std::uint32_t older = kNone;
    std::uint32_t newer = kNone;
    ZoneCondition condition = ZoneCondition::Empty;
    bool non_sequential = false;
  };
  static_assert(sizeof(Zone) <= 32);

  static bool open(const Zone& zone) {
    return zone.condition == ZoneCondition::ImplicitOpen || zone.condition == ZoneCondition::ExplicitOpen;
  }
  bool conventional(std::uint32_t zone) const { return zone < options_.conventional; }
  bool managed() const { return options_.model == ZoneModel::Managed; }
  std::uint64_t start_of(std::uint32_t zone) const { return zone * options_.zone_blocks; }
  std::uint64_t size_of(std::uint32_t zone) const {
    return zone + 1 == count() ? options_.blocks - start_of(zone) : options_.zone_blocks;
  }
  bool selected(const Zone& zone, ReportOption option) const;
  CommandStatus may_read(std::uint64_t first, std::uint32_t blocks) const;
  CommandStatus may_write(std::uint64_t first, std::uint32_t blocks) const;
  CommandStatus manage_one(ZoneAction action, std::uint64_t first, ZoneChange& change);
  CommandStatus manage_all(ZoneAction action, ZoneChange& change);
  /// True if `more` zones can be open explicitly besides those that are.
  bool room_for(std::uint32_t more) const;
  /// Closes the least recently written implicitly open zones until one more zone can be open.
  void make_room();
  /// Takes the zone out of the account of open ones; its condition is then the caller's.
  void leave_open(std::uint32_t zone);
  void enter_implicit(std::uint32_t zone);
  void enter_explicit(std::uint32_t zone);
  /// Makes the most recently written one of the implicitly open zones.
  void use(std::uint32_t zone);
  void link(std::uint32_t zone);
  void unlink(std::uint32_t zone);
  void close(std::uint32_t zone);
  void finish(std::uint32_t zone);
  void reset(std::uint32_t zone, ZoneChange& change);

  ZoneOptions options_;
  std::vector<Zone> zones_;
  std::uint32_t implicit_open_ = 0;
  std::uint32_t explicit_open_ = 0;
  std::uint32_t oldest_ = kNone;  ///< of the implicitly open zones
  std::uint32_t newest_ = kNone;
  ZoneCounts counts_;
};

}  // namespace platter::zones
