// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/admission.h"

#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandExtension;
using command::CommandStatus;
using core::now_ps;

CommandStatus Admission::check(const tlm::tlm_generic_payload& payload, const CommandExtension* extension) const {
  if (extension != nullptr && !extension->in_range()) return CommandStatus::BadCommand;
  if (extension != nullptr && extension->tag != CommandExtension::kAnyTag && !queue_.tag_free(extension->tag))
    return CommandStatus::BadTag;
  if (extension != nullptr && extension->attribute != command::TaskAttribute::Simple && !rules_.task_attributes)
    return CommandStatus::BadCommand;
  if (extension != nullptr && extension->flush)
    return payload.is_read() || payload.is_write() ? CommandStatus::BadCommand : CommandStatus::Good;
  const bool moves_data = payload.is_read() || payload.is_write();
  if (extension != nullptr && __builtin_expect(extension->zone_action != command::ZoneAction::None, 0))
    return zones_ == nullptr || moves_data ? CommandStatus::BadCommand : CommandStatus::Good;
  if (!moves_data) return CommandStatus::BadCommand;
  const std::uint64_t length = payload.get_data_length();
  if (length == 0 || length % rules_.sector_bytes != 0) return CommandStatus::BadLength;
  if (payload.get_address() % rules_.sector_bytes != 0 || payload.get_address() >= rules_.capacity_bytes ||
      length > rules_.capacity_bytes - payload.get_address())
    return CommandStatus::BadAddress;
  if (payload.get_byte_enable_ptr() != nullptr) return CommandStatus::BadByteEnable;
  if (payload.get_streaming_width() < length) return CommandStatus::BadBurst;
  return CommandStatus::Good;
}

std::optional<CommandStatus> Admission::admit(Request& request, bool full) {
  request.for_tag = false;
  if (!power_.alive() || request.generation != power_.failures()) return CommandStatus::DriveFailed;
  if (request.withdrawn) {
    if (request.in_line) bucket_.withdraw(request.ticket);
    schedule_release();
    return CommandStatus::Aborted;
  }
  const tlm::tlm_generic_payload& payload = *request.payload;
  const auto* extension = payload.get_extension<CommandExtension>();
  CommandStatus status = request.in_line ? CommandStatus::Good : check(payload, extension);
  if (status != CommandStatus::Good) return status;
  if (!power_.ready()) return std::nullopt;
  if (bucket_.on() && !request.in_line && class_of(extension) != core::RequestClass::Continuous) {
    request.in_line = true;
    request.ticket = bucket_.enter(extension != nullptr && extension->flush ? 0 : payload.get_data_length());
  }
  if (request.in_line) {
    if (!bucket_.first(request.ticket)) return std::nullopt;
    if (bucket_.passes_at(now_ps()) > now_ps()) {
      schedule_release();
      return std::nullopt;
    }
    status = check(payload, extension);  // another command may have taken its tag meanwhile
  }
  if (status == CommandStatus::Good && full) {
    request.for_tag = !rules_.reject_when_full;
    if (request.for_tag) return std::nullopt;
    status = CommandStatus::QueueFull;
  }
  if (zones_ != nullptr && status == CommandStatus::Good) status = zones_->admit(command::command_of(payload));
  if (request.in_line) {
    bucket_.leave(status == CommandStatus::Good, now_ps());
    schedule_release();
  }
  return status;
}

void Admission::schedule_release() {
  release_.cancel();
  const Picoseconds at = bucket_.passes_at(now_ps());
  if (at != core::kNoDeadline) release_.at(at);
}

void Admission::set_token_bucket(std::uint32_t rate, std::uint32_t depth) {
  bucket_.set(rate, depth, now_ps());
  schedule_release();
}

void Admission::clear() {
  bucket_.clear();
  release_.cancel();
}

}  // namespace platter::drive
