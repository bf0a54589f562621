// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "platter/core/types.h"

namespace platter::core {

/// Why the drive refused or failed a command; goes with the TLM response status, which is coarser.
enum class CommandStatus : std::uint8_t {
  Good,
  BadCommand,     ///< neither read, write nor flush, or an attribute (class, task attribute, deadline) out of range
  BadAddress,     ///< past the end, or not at a sector boundary
  BadLength,      ///< no whole number of sectors
  BadByteEnable,  ///< byte enables are not supported
  BadBurst,       ///< streaming width below the length
  BadTag,         ///< the host's tag is out of range or in use
  QueueFull,      ///< no free tag, and the queue rejects instead of waiting
  DriveDead,      ///< the drive has died, before the command came or under it
  NoCopy,         ///< of an array: no drive that lives holds it
};

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
    case CommandStatus::DriveDead: return "the drive is dead";
    case CommandStatus::NoCopy: return "no drive that lives holds it";
  }
  return "?";
}

/// The TLM response for a status.
inline tlm::tlm_response_status response_status(CommandStatus status) {
  switch (status) {
    case CommandStatus::Good: return tlm::TLM_OK_RESPONSE;
    case CommandStatus::BadCommand: return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case CommandStatus::BadAddress: return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case CommandStatus::BadLength: return tlm::TLM_BURST_ERROR_RESPONSE;
    case CommandStatus::BadByteEnable: return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    case CommandStatus::BadBurst: return tlm::TLM_BURST_ERROR_RESPONSE;
    case CommandStatus::BadTag:
    case CommandStatus::QueueFull:
    case CommandStatus::DriveDead:
    case CommandStatus::NoCopy: return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

/// SCSI task attribute (SAM-5, 8.6). NCQ has none: all its commands are simple.
enum class TaskAttribute : std::uint8_t {
  Simple,
  Ordered,      ///< after every older command, before every younger one
  HeadOfQueue,  ///< before every command that has not begun
};

/// Where a command's time went. The parts sum to completed - issued.
struct CommandTiming {
  Picoseconds issued = 0;     ///< the host had the request
  Picoseconds accepted = 0;   ///< the queue took it (END_REQ)
  Picoseconds started = 0;    ///< its decision was made and its overhead began
  Picoseconds completed = 0;  ///< BEGIN_RESP
  Picoseconds queue = 0;      ///< started - issued
  Picoseconds overhead = 0;
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  Picoseconds rotation = 0;
  Picoseconds transfer = 0;
  Picoseconds bus = 0;  ///< host bus time that nothing else hid

  Picoseconds response() const { return completed - issued; }
  Picoseconds parts() const { return queue + overhead + seek + settle + rotation + transfer + bus; }
};

/// What a disk command carries beyond a generic payload: the fields of an ATA or SCSI command that scheduling looks
/// at, and on the way back where its time went. A payload without it is a discrete command without a deadline.
class CommandExtension : public tlm::tlm_extension<CommandExtension> {
 public:
  static constexpr int kAnyTag = -1;

  // From the host.
  RequestClass cls = RequestClass::Discrete;
  Picoseconds deadline = kNoDeadline;  ///< absolute; as ATA and SCSI Command Duration Limits carry it
  std::uint32_t stream = 0;
  int tag = kAnyTag;  ///< NCQ tag chosen by the host; kAnyTag: the drive chooses
  TaskAttribute attribute = TaskAttribute::Simple;  ///< others only where the drive takes them (`queue.task_attributes`)
  bool fua = false;   ///< force unit access: a write is complete when it is on the media, a read comes from there
  bool flush = false; ///< FLUSH CACHE; the payload's command is TLM_IGNORE_COMMAND
  Picoseconds issued = -1;  ///< when the host had the request; -1: at BEGIN_REQ

  // From the drive.
  CommandStatus status = CommandStatus::Good;
  CommandTiming timing;

  /// False if a field lies outside its range: no scheduler must see such a command.
  bool in_range() const {
    return valid(cls) && static_cast<int>(attribute) <= static_cast<int>(TaskAttribute::HeadOfQueue) && deadline >= 0;
  }

  tlm::tlm_extension_base* clone() const override { return new CommandExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const CommandExtension&>(other); }
};

}  // namespace platter::core
