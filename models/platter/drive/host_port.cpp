// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/host_port.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::CommandExtension;
using core::CommandStatus;
using core::now_ps;
using core::to_sc_time;

namespace {

tlm::tlm_response_status response_status(CommandStatus status) {
  switch (status) {
    case CommandStatus::Good: return tlm::TLM_OK_RESPONSE;
    case CommandStatus::BadCommand: return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case CommandStatus::BadAddress: return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case CommandStatus::BadLength: return tlm::TLM_BURST_ERROR_RESPONSE;
    case CommandStatus::BadByteEnable: return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    case CommandStatus::BadBurst: return tlm::TLM_BURST_ERROR_RESPONSE;
    case CommandStatus::BadTag:
    case CommandStatus::QueueFull: return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

HostPort::HostPort(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, CommandQueue& queue,
                   Controller& controller, ReadWriteChannel& channel, Media* media, const mechanics::DriveProfile& profile,
                   std::uint64_t capacity_bytes)
    : sc_module(name),
      host_tgt_socket("host_tgt_socket"),
      planner_(planner),
      queue_(queue),
      controller_(controller),
      channel_(channel),
      media_(media),
      capacity_bytes_(capacity_bytes),
      reject_when_full_(profile.reject_when_full),
      task_attributes_(profile.task_attributes),
      finished_(queue.depth()),
      delayed_(this, &HostPort::delayed_phase) {
  completions_.reserve(queue.depth());
  controller.bind_completion_sink(*this);
  host_tgt_socket.register_b_transport(this, &HostPort::b_transport);
  host_tgt_socket.register_nb_transport_fw(this, &HostPort::nb_transport_fw);
  host_tgt_socket.register_transport_dbg(this, &HostPort::transport_dbg);
  SC_METHOD(complete);
  sensitive << completion_event_;
  dont_initialize();
}

CommandStatus HostPort::check(const tlm::tlm_generic_payload& payload, const CommandExtension* extension) const {
  if (extension != nullptr && extension->tag != CommandExtension::kAnyTag && !queue_.tag_free(extension->tag))
    return CommandStatus::BadTag;
  if (extension != nullptr && extension->attribute != core::TaskAttribute::Simple && !task_attributes_)
    return CommandStatus::BadCommand;
  if (extension != nullptr && extension->flush)
    return payload.is_read() || payload.is_write() ? CommandStatus::BadCommand : CommandStatus::Good;
  if (!payload.is_read() && !payload.is_write()) return CommandStatus::BadCommand;
  const std::uint64_t sector = planner_.geometry().sector_bytes();
  const std::uint64_t length = payload.get_data_length();
  if (length == 0 || length % sector != 0) return CommandStatus::BadLength;
  if (payload.get_address() % sector != 0 || payload.get_address() >= capacity_bytes_ ||
      length > capacity_bytes_ - payload.get_address())
    return CommandStatus::BadAddress;
  if (payload.get_byte_enable_ptr() != nullptr) return CommandStatus::BadByteEnable;
  if (payload.get_streaming_width() < length) return CommandStatus::BadBurst;
  return CommandStatus::Good;
}

Slot& HostPort::accept(tlm::tlm_generic_payload& payload, const CommandExtension* extension, Picoseconds asked) {
  const Picoseconds now = now_ps();
  Slot& slot = queue_.allocate(extension != nullptr ? extension->tag : CommandExtension::kAnyTag, now);
  slot.payload = &payload;
  slot.timing.accepted = now;
  slot.timing.issued = asked;
  if (extension != nullptr) {
    if (extension->issued >= 0) slot.timing.issued = extension->issued;
    slot.command.cls = extension->cls;
    slot.command.deadline = extension->deadline;
    slot.command.stream = extension->stream;
    slot.flush = extension->flush;
    slot.fua = extension->fua;
    slot.ordered = extension->attribute == core::TaskAttribute::Ordered;
    slot.head_of_queue = extension->attribute == core::TaskAttribute::HeadOfQueue;
  }
  if (!slot.flush) {
    const std::uint64_t sector = planner_.geometry().sector_bytes();
    slot.write = payload.is_write();
    slot.host_first = payload.get_address() / sector;
    slot.host_blocks = static_cast<std::uint32_t>(payload.get_data_length() / sector);
    if (controller_.translation() == nullptr) {
      slot.command.extent = planner_.resolve(core::Lba(slot.host_first), slot.host_blocks, slot.write);
    } else {  // where it is, the map says when its turn comes
      slot.command.extent.blocks = slot.host_blocks;
      slot.command.extent.write = slot.write;
    }
    controller_.arrived(slot);
  }
  queue_.find_blockers(slot);
  if (observer_ != nullptr) observer_->occupancy_changed(queue_.occupancy());
  return slot;
}

void HostPort::refuse(tlm::tlm_generic_payload& payload, CommandExtension* extension, CommandStatus status,
                      Picoseconds asked) {
  ++rejected_;
  payload.set_response_status(response_status(status));
  if (extension != nullptr) {
    extension->status = status;
    extension->timing = {};
    extension->timing.issued = extension->issued >= 0 ? extension->issued : asked;
    extension->timing.accepted = now_ps();
    finalize_refused(payload);
  }
  const std::string text =
      fmt::format("{} of {} bytes at byte {}: {} ({} of {} tags in use, capacity {} bytes)",
                  payload.is_write() ? "write" : payload.is_read() ? "read" : "command", payload.get_data_length(),
                  payload.get_address(), core::to_string(status), queue_.occupancy(), queue_.depth(),
                  capacity_bytes_);
  SC_REPORT_INFO("/platter/host_port/refused", text.c_str());
}

// --- nb_transport --------------------------------------------------------------------------------------------------

tlm::tlm_sync_enum HostPort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    delayed_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  if ((phase == tlm::BEGIN_REQ && waiting_request_ != nullptr) || (phase == tlm::END_RESP && !response_busy_)) {
    SC_REPORT_ERROR("/platter/host_port/phase", phase == tlm::BEGIN_REQ
                                                    ? "BEGIN_REQ although the previous request phase has not ended"
                                                    : "END_RESP although no response phase runs");
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_REQ) {
    if (payload.has_mm()) payload.acquire();
    if (!begin_request(payload, now_ps())) return tlm::TLM_ACCEPTED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP) {
    end_response(payload);
    return tlm::TLM_COMPLETED;
  }
  SC_REPORT_ERROR("/platter/host_port/phase", "nb_transport_fw takes BEGIN_REQ and END_RESP only");
  return tlm::TLM_ACCEPTED;
}

void HostPort::delayed_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  tlm::tlm_phase back = phase;
  if (nb_transport_fw(payload, back, delay) == tlm::TLM_UPDATED)
    host_tgt_socket->nb_transport_bw(payload, back, delay);
}

bool HostPort::begin_request(tlm::tlm_generic_payload& payload, Picoseconds asked) {
  auto* extension = payload.get_extension<CommandExtension>();
  CommandStatus status = check(payload, extension);
  if (status == CommandStatus::Good && queue_.full()) {
    if (!reject_when_full_) {
      waiting_request_ = &payload;
      waiting_since_ = asked;
      return false;
    }
    status = CommandStatus::QueueFull;
  }
  if (status != CommandStatus::Good) {
    refuse(payload, extension, status, asked);
    responses_.push_back({&payload, -1});
    completion_event_.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  Slot& slot = accept(payload, extension, asked);
  if (slot.blockers == 0) controller_.ready(slot);
  return true;
}

void HostPort::end_response(tlm::tlm_generic_payload& payload) {
  response_busy_ = false;
  if (payload.has_mm()) payload.release();
  if (!responses_.empty()) completion_event_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::complete_at(Slot& slot, Picoseconds when) {
  auto at = completions_.end();
  while (at != completions_.begin() && (at - 1)->when <= when) --at;
  completions_.insert(at, {when, slot.command.tag});
  completion_event_.notify(to_sc_time(completions_.back().when - now_ps()));
}

void HostPort::complete() {
  const Picoseconds now = now_ps();
  while (!completions_.empty() && completions_.back().when <= now) {
    const Tag tag = completions_.back().tag;
    completions_.pop_back();
    Slot& slot = queue_.slot(tag);
    if (slot.blocking_call) {
      finalize(slot);  // here, in the order of completion: the kernel wakes the callers in an order of its own
      finished_[tag.value].notify(sc_core::SC_ZERO_TIME);
    } else {
      responses_.push_back({slot.payload, tag.value});
    }
  }
  send_responses();
  if (!completions_.empty()) completion_event_.notify(to_sc_time(completions_.back().when - now));
}

void HostPort::finalize(Slot& slot) {
  ++completed_;
  core::CommandTiming& timing = slot.timing;
  timing.completed = now_ps();
  timing.bus += timing.response() - timing.parts();  // the host kept the response channel busy
  slot.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (auto* extension = slot.payload->get_extension<CommandExtension>()) {
    extension->status = CommandStatus::Good;
    extension->timing = timing;
  }
}

void HostPort::finalize_refused(tlm::tlm_generic_payload& payload) {
  if (auto* extension = payload.get_extension<CommandExtension>()) {
    extension->timing.completed = now_ps();
    extension->timing.queue = extension->timing.response();
  }
}

void HostPort::free_slot(Slot& slot) {
  queue_.release(slot, now_ps());
  if (observer_ != nullptr) observer_->occupancy_changed(queue_.occupancy());
}

void HostPort::serve_waiting() {
  if (waiting_request_ != nullptr && !queue_.full()) {
    tlm::tlm_generic_payload& payload = *waiting_request_;
    waiting_request_ = nullptr;
    begin_request(payload, waiting_since_);
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    host_tgt_socket->nb_transport_bw(payload, phase, delay);
  }
  if (!queue_.full()) slot_freed_.notify(sc_core::SC_ZERO_TIME);
}

void HostPort::send_responses() {
  while (!responses_.empty() && !response_busy_) {
    const Response response = responses_.front();
    responses_.pop_front();
    // The tag is free with its status on the way: the host may use it again at once.
    if (response.tag >= 0) {
      Slot& slot = queue_.slot(Tag(static_cast<std::uint16_t>(response.tag)));
      finalize(slot);
      free_slot(slot);
    } else {
      finalize_refused(*response.payload);
    }
    response_busy_ = true;
    tlm::tlm_generic_payload& payload = *response.payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = host_tgt_socket->nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
      if (delay != sc_core::SC_ZERO_TIME)
        delayed_.notify(payload, tlm::END_RESP, delay);
      else
        end_response(payload);
    }
    serve_waiting();
  }
}

// --- b_transport, transport_dbg ------------------------------------------------------------------------------------

void HostPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  auto* extension = payload.get_extension<CommandExtension>();
  const Picoseconds called = now_ps();
  CommandStatus status = check(payload, extension);
  if (status == CommandStatus::Good && queue_.full() && reject_when_full_) status = CommandStatus::QueueFull;
  while (status == CommandStatus::Good && queue_.full()) {
    wait(slot_freed_);
    status = check(payload, extension);
  }
  if (status != CommandStatus::Good) {
    refuse(payload, extension, status, called);
    return;
  }
  Slot& slot = accept(payload, extension, called);
  slot.blocking_call = true;
  if (slot.blockers == 0) controller_.ready(slot);
  wait(finished_[slot.command.tag.value]);
  free_slot(slot);
  serve_waiting();
}

unsigned int HostPort::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t capacity = capacity_bytes_;
  if (media_ == nullptr || payload.get_data_ptr() == nullptr || payload.get_address() >= capacity) return 0;
  const auto length = static_cast<unsigned int>(
      std::min<std::uint64_t>(payload.get_data_length(), capacity - payload.get_address()));
  if (!payload.is_read() && !payload.is_write()) return 0;
  if (BlockTranslation* translation = controller_.translation()) {
    if (payload.is_read())
      translation->peek(payload.get_address(), payload.get_data_ptr(), length);
    else
      translation->poke(payload.get_address(), payload.get_data_ptr(), length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return length;
  }
  if (payload.is_read())
    media_->read(payload.get_address(), payload.get_data_ptr(), length);
  else
    media_->write(payload.get_address(), payload.get_data_ptr(), length);
  // What a cached write has left in the buffer counts, as it does for a read.
  const std::uint32_t sector = planner_.geometry().sector_bytes();
  const std::uint64_t address = payload.get_address();
  if (const buffer::SegmentBuffer* segments = controller_.segments(); segments != nullptr && segments->any_dirty()) {
    const std::uint64_t first = address / sector;
    const std::uint64_t end = (address + length + sector - 1) / sector;
    segments->for_each_dirty(core::Lba(first), static_cast<std::uint32_t>(end - first), [&](core::Lba from, core::Lba to) {
      if (payload.is_read())
        channel_.overlay_buffered(address, payload.get_data_ptr(), length, from, to);
      else
        channel_.replace_buffered(address, payload.get_data_ptr(), length, from, to);
    });
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return length;
}

}  // namespace platter::drive
