// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <tlm>

#include "platter/command/command.h"

namespace platter::command {

/// The TLM response for a status. A status tells more than a TLM response.
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
    case CommandStatus::DriveFailed:
    case CommandStatus::NoCopy:
    case CommandStatus::Aborted:
    case CommandStatus::Unreadable:
    case CommandStatus::WriteFault:
    case CommandStatus::BadZone:
    case CommandStatus::UnalignedWrite:
    case CommandStatus::WriteBoundary:
    case CommandStatus::ReadInvalid:
    case CommandStatus::ReadBoundary:
    case CommandStatus::NoOpenZone:
    case CommandStatus::ZoneReadOnly:
    case CommandStatus::ZoneOffline:
    case CommandStatus::LimitBefore:
    case CommandStatus::LimitDuring:
    case CommandStatus::LimitInRecovery:
    case CommandStatus::Unavailable: return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

/// What a command carries beyond a generic payload: attributes to the drive, and the result back to the host. A payload without it is a
/// discrete command without a deadline.
///
/// The drive reads the attributes from BEGIN_REQ to END_REQ, so they stay as they are until then. It writes the result before BEGIN_RESP (or before
/// b_transport returns). The extension belongs to the host and stays attached until then. The payload's destructor deletes an extension that is still
/// attached: an extension that is not on the heap must be detached before (`clear_extension`).
class CommandExtension : public tlm::tlm_extension<CommandExtension>, public Attributes, public Result {
 public:
  bool flush = false;  ///< FLUSH CACHE; the payload's command is TLM_IGNORE_COMMAND
  /// A zone management command; the payload's command is TLM_IGNORE_COMMAND, and its address that of the zone's first byte.
  ZoneAction zone_action = ZoneAction::None;
  bool all_zones = false;  ///< of a zone management command; the address counts for nothing

  /// For tlm_generic_payload::deep_copy_from.
  tlm::tlm_extension_base* clone() const override { return new CommandExtension(*this); }
  /// For tlm_generic_payload::update_extensions_from.
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const CommandExtension&>(other); }
};

/// For targets: reads the command out of a payload and its extension, without any check.
inline Command command_of(const tlm::tlm_generic_payload& payload) {
  Command command;
  const auto* extension = payload.get_extension<CommandExtension>();
  if (extension != nullptr) {
    static_cast<Attributes&>(command) = *extension;
    if (extension->flush) {
      command.operation = Operation::Flush;
      return command;
    }
    if (__builtin_expect(extension->zone_action != ZoneAction::None, 0)) {
      command.operation = Operation::Zone;
      command.zone_action = extension->zone_action;
      command.all_zones = extension->all_zones;
      command.address = extension->all_zones ? 0 : payload.get_address();
      return command;
    }
  }
  command.operation = payload.is_write() ? Operation::Write : Operation::Read;
  command.address = payload.get_address();
  command.length = payload.get_data_length();
  return command;
}

/// For hosts: fills `payload` and `extension` for this command, with its bytes at `data` (null: timing only). Precondition: `extension` is
/// attached to `payload` (`payload.set_extension(&extension)`); throws std::invalid_argument otherwise. Byte enables and the result of an
/// earlier command stay as they are.
inline void set_command(tlm::tlm_generic_payload& payload, CommandExtension& extension, const Command& command,
                        std::uint8_t* data = nullptr) {
  if (payload.get_extension<CommandExtension>() != &extension)
    throw std::invalid_argument("set_command: the extension is not attached to the payload");
  static_cast<Attributes&>(extension) = command;
  extension.flush = command.flush();
  extension.zone_action = command.zone_action;
  extension.all_zones = command.all_zones;
  payload.set_command(!command.moves_data() ? tlm::TLM_IGNORE_COMMAND
                      : command.write()     ? tlm::TLM_WRITE_COMMAND
                                            : tlm::TLM_READ_COMMAND);
  payload.set_address(command.address);
  payload.set_data_ptr(data);
  payload.set_data_length(command.length);
  payload.set_streaming_width(command.length);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

/// For targets: writes the result into the payload's response status and, if there is one, its extension.
inline void set_result(tlm::tlm_generic_payload& payload, const Result& result) {
  payload.set_response_status(response_status(result.status));
  if (auto* extension = payload.get_extension<CommandExtension>()) static_cast<Result&>(*extension) = result;
}

}  // namespace platter::command
