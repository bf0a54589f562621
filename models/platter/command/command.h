// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "platter/command/duration.h"
#include "platter/core/types.h"

namespace platter::command {

using core::Picoseconds;

/// Why a command was refused or failed.
enum class CommandStatus : std::uint8_t {
  Good,  ///< no error
  /// Neither read, write, flush nor zone management; a flush or zone command whose payload is not TLM_IGNORE_COMMAND; a zone command to a
  /// drive without zones; or an attribute (class, task attribute, deadline, number of the duration descriptor) out of range or not supported.
  BadCommand,
  BadAddress,     ///< past the end, or not at a sector boundary
  BadLength,      ///< 0, or not a whole number of sectors
  BadByteEnable,  ///< byte enables are not supported
  BadBurst,       ///< streaming width below the length
  BadTag,         ///< the host's tag is out of range, or in use by any command of any host
  QueueFull,      ///< no free tag, and the queue rejects instead of waiting
  DriveFailed,    ///< the drive had failed before the command arrived, or failed while it held the command
  NoCopy,         ///< of an array: no working drive holds the data
  /// Withdrawn before its first access, ended by a restart of the firmware, or a write behind an aborted one of its zone. After a restart the
  /// media may have its data, or a part of it.
  Aborted,
  Unreadable,  ///< at least one of its sectors cannot be read
  WriteFault,  ///< at least one of its sectors could not be written, and could not be reallocated
  // Of a drive with zones:
  BadZone,         ///< not the start of a zone, a zone without a write pointer, or a write to a full zone
  UnalignedWrite,  ///< it does not begin at the write pointer, or its length is no whole number of physical sectors
  WriteBoundary,   ///< a write across the end of its zone
  ReadInvalid,     ///< a read of sectors that were not written, on a drive that restricts reads
  ReadBoundary,    ///< a read across zones of different types, or, on a drive that restricts reads, across zones
  NoOpenZone,      ///< it needs an open zone more than the drive has
  ZoneReadOnly,    ///< the zone cannot be written any more
  ZoneOffline,     ///< the zone can neither be read nor written any more
  // Of a command with a duration limit:
  LimitBefore,      ///< the limit has passed before the first access
  LimitDuring,      ///< the limit has passed while the drive worked on it
  LimitInRecovery,  ///< the limit has passed while the drive recovered blocks
  Unavailable,      ///< the limit has passed, and the command has no data: a good end for SCSI and ATA
};

/// A few words of plain text, without a comma, because logs are tables of values that commas separate.
constexpr std::string_view to_string(CommandStatus status) {
  switch (status) {
    case CommandStatus::Good: return "good";
    case CommandStatus::BadCommand: return "bad command";
    case CommandStatus::BadAddress: return "address outside the drive or not at a sector boundary";
    case CommandStatus::BadLength: return "length is no whole number of sectors";
    case CommandStatus::BadByteEnable: return "byte enables are not supported";
    case CommandStatus::BadBurst: return "streaming width below the length";
    case CommandStatus::BadTag: return "tag out of range or in use";
    case CommandStatus::QueueFull: return "queue full";
    case CommandStatus::DriveFailed: return "the drive has failed";
    case CommandStatus::NoCopy: return "no working drive holds it";
    case CommandStatus::Aborted: return "aborted";
    case CommandStatus::Unreadable: return "a sector cannot be read";
    case CommandStatus::WriteFault: return "a sector cannot be written";
    case CommandStatus::BadZone: return "no zone starts there or it has no write pointer or is full";
    case CommandStatus::UnalignedWrite: return "not at the write pointer of the zone or no whole physical sectors";
    case CommandStatus::WriteBoundary: return "a write across the end of its zone";
    case CommandStatus::ReadInvalid: return "a read of sectors that were not written";
    case CommandStatus::ReadBoundary: return "a read across the end of its zone or of the zones of its type";
    case CommandStatus::NoOpenZone: return "too many open zones";
    case CommandStatus::ZoneReadOnly: return "the zone is read-only";
    case CommandStatus::ZoneOffline: return "the zone is offline";
    case CommandStatus::LimitBefore: return "its duration limit has passed before its access";
    case CommandStatus::LimitDuring: return "its duration limit has passed during its access";
    case CommandStatus::LimitInRecovery: return "its duration limit has passed in error recovery";
    case CommandStatus::Unavailable: return "its duration limit has passed and it has no data";
  }
  return "?";
}

/// SCSI sense data (SPC-6, 4.4.7), as a SCSI or ATA host receives it. All zero: no sense.
struct Sense {
  std::uint8_t key = 0;        ///< sense key
  std::uint8_t code = 0;       ///< additional sense code
  std::uint8_t qualifier = 0;  ///< of that

  /// All three are equal.
  friend constexpr bool operator==(const Sense& a, const Sense& b) {
    return a.key == b.key && a.code == b.code && a.qualifier == b.qualifier;
  }
};

/// A full queue has no sense data: it is a status of its own, TASK SET FULL (SAM-6, 5.3).
constexpr Sense sense_of(CommandStatus status) {
  switch (status) {
    case CommandStatus::Good:
    case CommandStatus::QueueFull: return {};
    case CommandStatus::BadCommand: return {0x5, 0x20, 0x00};  // illegal request, invalid command operation code
    case CommandStatus::BadAddress: return {0x5, 0x21, 0x00};  // logical block address out of range
    case CommandStatus::BadLength:
    case CommandStatus::BadByteEnable:
    case CommandStatus::BadBurst: return {0x5, 0x24, 0x00};     // invalid field in CDB
    case CommandStatus::BadTag: return {0xB, 0x4D, 0x00};       // aborted command, tagged overlapped commands
    case CommandStatus::DriveFailed: return {0x4, 0x3E, 0x01};  // hardware error, logical unit failure
    case CommandStatus::NoCopy:
    case CommandStatus::Unreadable: return {0x3, 0x11, 0x00};       // medium error, unrecovered read error
    case CommandStatus::WriteFault: return {0x3, 0x0C, 0x02};       // medium error, write error, reallocation failed
    case CommandStatus::Aborted: return {0xB, 0x00, 0x00};          // aborted command
    case CommandStatus::BadZone: return {0x5, 0x24, 0x00};          // invalid field in CDB
    case CommandStatus::UnalignedWrite: return {0x5, 0x21, 0x04};   // unaligned write command
    case CommandStatus::WriteBoundary: return {0x5, 0x21, 0x05};    // write boundary violation
    case CommandStatus::ReadInvalid: return {0x5, 0x21, 0x06};      // attempt to read invalid data
    case CommandStatus::ReadBoundary: return {0x5, 0x21, 0x07};     // read boundary violation
    case CommandStatus::NoOpenZone: return {0x7, 0x55, 0x0E};       // data protect, insufficient zone resources
    case CommandStatus::ZoneReadOnly: return {0x7, 0x27, 0x08};     // data protect, zone is read only
    case CommandStatus::ZoneOffline: return {0x7, 0x2C, 0x0E};      // data protect, zone is offline
    case CommandStatus::LimitBefore: return {0xB, 0x2E, 0x01};      // aborted command, command timeout before processing
    case CommandStatus::LimitDuring: return {0xB, 0x2E, 0x02};      // the same during processing
    case CommandStatus::LimitInRecovery: return {0xB, 0x2E, 0x03};  // the same, due to error recovery
    case CommandStatus::Unavailable: return {0xF, 0x55, 0x0A};      // completed, data currently unavailable
  }
  return {};
}

/// True if a duration limit has ended the command.
constexpr bool ended_by_limit(CommandStatus status) {
  return status >= CommandStatus::LimitBefore && status <= CommandStatus::Unavailable;
}

/// What a command does.
enum class Operation : std::uint8_t {
  Read,   ///< data goes to the host
  Write,  ///< data comes from the host
  Flush,  ///< completes when every older write is on the media; younger commands wait for it
  Zone,   ///< a zone management command: it waits for every older command, and every younger one waits for it
};

/// What a zone management command does; the values are those of the action in ATA and SCSI.
enum class ZoneAction : std::uint8_t {
  None,    ///< it is another command
  Close,   ///< an open zone becomes closed, or empty if nothing was written
  Finish,  ///< the zone becomes full
  Open,    ///< the zone is open until the host closes it
  Reset,   ///< the zone becomes empty, and its data is gone
};

/// The operation of a command that moves data.
constexpr Operation read_or_write(bool write) { return write ? Operation::Write : Operation::Read; }

/// SCSI task attribute (SAM-5, 8.6). NCQ has none: all its commands are simple.
enum class TaskAttribute : std::uint8_t {
  Simple,       ///< no order
  Ordered,      ///< after every older command, before every younger one
  HeadOfQueue,  ///< before every command that has not begun
};

/// The attributes of a command besides operation and addresses. Some are fields of an ATA or SCSI command, the others exist in the model only.
struct Attributes {
  static constexpr int kAnyTag = -1;             ///< the drive chooses the tag
  static constexpr std::int64_t kNoNumber = -1;  ///< no request of a log

  core::RequestClass cls = core::RequestClass::Discrete;  ///< service class
  Picoseconds deadline = core::kNoDeadline;               ///< absolute simulated time, ps; kNoDeadline: none
  std::uint32_t stream = 0;                               ///< number of the stream of a continuous command
  int tag = kAnyTag;  ///< chosen by the host, below the queue's depth; kAnyTag: the lowest free one
  TaskAttribute attribute = TaskAttribute::Simple;  ///< others only if the drive accepts them (`queue.task_attributes`)
  bool fua = false;            ///< force unit access: a write is complete when it is on the media, a read comes from there
  bool high_priority = false;  ///< it is served before commands without priority, if the policy knows priorities
  /// It ends as if `deadline` were a guideline with the policy Abort; otherwise a command that is late goes on.
  bool expires = false;
  std::uint8_t duration = 0;  ///< number of its duration descriptor, 1 to DurationTable::kDescriptors; 0: no limit
  /// Absolute simulated time in ps at which the host got the request: the response time counts from here. A time after the command was
  /// sent counts as the time of sending; -1: the time of sending.
  Picoseconds issued = -1;
  std::int64_t number = kNoNumber;  ///< of the host's request, as the request log has it; for observers only
  /// Most time in ps that the command spends on the recovery of blocks that cannot be read or written; the drive's own limit holds
  /// besides. One turn is spent in any case.
  Picoseconds recovery_limit = core::kNoDeadline;
  /// The table in which `duration` is a number. It must outlive the command. Null: the table of the drive's profile.
  const DurationTable* durations = nullptr;

  /// Its time is limited.
  bool limited() const { return duration != 0 || expires; }
  /// False if a field is out of range. Such a command must not reach a scheduler.
  bool in_range() const {
    return core::valid(cls) && static_cast<int>(attribute) <= static_cast<int>(TaskAttribute::HeadOfQueue) && deadline >= 0 &&
           duration <= DurationTable::kDescriptors;
  }
};

/// One command, from the host's request to the drive's queue.
struct Command : Attributes {
  Operation operation = Operation::Read;      ///< what it does
  ZoneAction zone_action = ZoneAction::None;  ///< of a zone management command
  bool all_zones = false;                     ///< of a zone management command: all zones that the action applies to
  std::uint64_t address = 0;                  ///< bytes; of a flush 0, of a zone management command the start of the zone
  std::uint32_t length = 0;                   ///< bytes; of a flush and of a zone management command 0

  bool read() const { return operation == Operation::Read; }         ///< Is it a read?
  bool write() const { return operation == Operation::Write; }       ///< Is it a write?
  bool flush() const { return operation == Operation::Flush; }       ///< Is it a flush?
  bool zone() const { return operation == Operation::Zone; }         ///< Is it a zone management command?
  bool moves_data() const { return operation <= Operation::Write; }  ///< Is it a read or a write?
};

/// Where a command's time went, in ps; the first four are absolute simulated times. The parts `queue` to `bus` sum to completed - issued. A command
/// that ends with another status than Good, Unreadable and WriteFault has only the part `queue`, the whole response time, and its `started` is 0.
struct CommandTiming {
  Picoseconds issued = 0;     ///< the host got the request
  Picoseconds accepted = 0;   ///< the queue took it (END_REQ)
  Picoseconds started = 0;    ///< its decision was made and its overhead began
  Picoseconds completed = 0;  ///< BEGIN_RESP
  Picoseconds queue = 0;      ///< wait before `started`
  Picoseconds overhead = 0;   ///< the controller's overhead
  Picoseconds seek = 0;       ///< the arm moves
  Picoseconds settle = 0;     ///< the heads settle; negative where a write may begin during the seek (`seek` is not shortened)
  Picoseconds rotation = 0;   ///< the wait for the first sector
  Picoseconds transfer = 0;   ///< the sectors pass under the heads
  Picoseconds bus = 0;        ///< host bus time that overlaps no other part, and the wait for the host's earlier response phase
  // On a drive whose arrivals have a spread:
  std::uint32_t missed = 0;   ///< turns waited more, because the head arrived behind the first sector; parts of `rotation`
  std::uint32_t gained = 0;   ///< turns waited less, because the head was in time for an earlier turn
  Picoseconds missed_by = 0;  ///< time by which the head was late, of the last miss
  // On a drive with media faults:
  Picoseconds recovery = 0;       ///< retries, and ways to spare sectors and back; a part of `transfer`
  std::uint32_t retry_turns = 0;  ///< turns of the retries, begun ones included
  bool reallocated = false;       ///< it has put a sector on a spare

  /// Of a command that ends without having been served: all its time is queue time.
  static constexpr CommandTiming waited(Picoseconds issued, Picoseconds accepted, Picoseconds completed) {
    return {issued, accepted, 0, completed, completed - issued};
  }
  Picoseconds response() const { return completed - issued; }                                         ///< response time
  Picoseconds parts() const { return queue + overhead + seek + settle + rotation + transfer + bus; }  ///< sum of the parts
};

/// The outcome of a command.
struct Result {
  CommandStatus status = CommandStatus::Good;  ///< whether it succeeded
  CommandTiming timing;                        ///< where its time went
  /// With Unreadable and WriteFault: the number of the first such sector, counted from the start of the drive as the host sees it (byte
  /// address / sector size). A read has the data of the sectors before it.
  std::uint64_t first_bad = 0;

  Sense sense() const { return sense_of(status); }  ///< SCSI sense data of the status
};

}  // namespace platter::command
