// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/host_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandExtension;
using command::CommandStatus;
using core::now_ps;
using core::to_sc_time;

namespace {

core::RequestClass class_of(const CommandExtension* extension) {
  return extension != nullptr && core::valid(extension->cls) ? extension->cls : core::RequestClass::Discrete;
}

}  // namespace

HostPort::HostPort(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, CommandQueue& queue,
                   Controller& controller, ReadWriteChannel& channel, Media* media, const mechanics::DriveProfile& profile,
                   std::uint64_t capacity_bytes)
    : sc_module(name),
      port_("host_tgt_socket", *this, "/platter/host_port/phase"),
      host_tgt_socket(port_.socket),
      planner_(planner),
      queue_(queue),
      controller_(controller),
      channel_(channel),
      media_(media),
      capacity_bytes_(capacity_bytes),
      reject_when_full_(profile.reject_when_full),
      task_attributes_(profile.task_attributes),
      finished_(queue.depth()) {
  completions_.reserve(queue.depth());
  controller.bind_completion_sink(*this);
  bucket_.set(profile.token_rate_bytes_per_s, profile.token_depth_bytes, 0);
  SC_METHOD(complete);
  sensitive << completion_event_;
  dont_initialize();
  SC_METHOD(serve_waiting);
  sensitive << release_event_;
  dont_initialize();
}

CommandStatus HostPort::check(const tlm::tlm_generic_payload& payload, const CommandExtension* extension) const {
  if (extension != nullptr && !extension->in_range()) return CommandStatus::BadCommand;
  if (extension != nullptr && extension->tag != CommandExtension::kAnyTag && !queue_.tag_free(extension->tag))
    return CommandStatus::BadTag;
  if (extension != nullptr && extension->attribute != command::TaskAttribute::Simple && !task_attributes_)
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

Slot& HostPort::accept(tlm::tlm_generic_payload& payload, Picoseconds since) {
  const Picoseconds now = now_ps();
  const command::Command asked = command::command_of(payload);
  Slot& slot = queue_.allocate(asked.tag, now);
  slot.payload = &payload;
  slot.asked = asked;
  slot.command.take(asked);
  slot.result.timing.accepted = now;
  slot.result.timing.issued = asked.issued >= 0 ? std::min(asked.issued, since) : since;
  if (!asked.flush()) {
    const std::uint64_t sector = planner_.geometry().sector_bytes();
    slot.host_first = asked.address / sector;
    slot.host_blocks = static_cast<std::uint32_t>(asked.length / sector);
    if (controller_.translation() == nullptr) {
      slot.command.extent = planner_.resolve(core::Lba(slot.host_first), slot.host_blocks, asked.write());
    } else {  // where it is, the map says when its turn comes
      slot.command.extent.blocks = slot.host_blocks;
      slot.command.extent.write = asked.write();
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
  ++counters_[static_cast<std::size_t>(class_of(extension))].failed;
  payload.set_response_status(command::response_status(status));
  if (extension != nullptr) {
    extension->status = status;
    extension->timing = {};
    extension->timing.issued = extension->issued >= 0 ? std::min(extension->issued, asked) : asked;
    extension->timing.accepted = now_ps();
    finalize_refused(payload);
  }
  if (status == CommandStatus::DriveDead) return;  // however often a host tries that does not know it
  const std::string text =
      fmt::format("{} of {} bytes at byte {}: {} ({} of {} tags in use, capacity {} bytes)",
                  payload.is_write() ? "write" : payload.is_read() ? "read" : "command", payload.get_data_length(),
                  payload.get_address(), command::to_string(status), queue_.occupancy(), queue_.depth(),
                  capacity_bytes_);
  SC_REPORT_INFO("/platter/host_port/refused", text.c_str());
}

// --- the port's owner ------------------------------------------------------------------------------------------------

bool HostPort::begin(int host, tlm::tlm_generic_payload& payload) {
  Request request{&payload, now_ps(), life_, false, 0};
  if (begin_request(host, request)) return true;
  const auto index = static_cast<std::size_t>(host);
  if (index >= waiting_.size()) waiting_.resize(static_cast<std::size_t>(host_tgt_socket.size()));
  waiting_[index] = request;
  waiting_hosts_.push_back(host);
  return false;
}

void HostPort::answer(tlm::tlm_generic_payload& payload, Slot* slot) {
  if (slot == nullptr) {
    finalize_refused(payload);
    return;
  }
  // The tag is free with its status on the way: the host may use it again at once.
  finalize(*slot);
  free_slot(*slot);
}

std::optional<CommandStatus> HostPort::admit(Request& request) {
  if (!alive_ || request.life != life_) return CommandStatus::DriveDead;
  const tlm::tlm_generic_payload& payload = *request.payload;
  const auto* extension = payload.get_extension<CommandExtension>();
  CommandStatus status = request.in_line ? CommandStatus::Good : check(payload, extension);
  if (status != CommandStatus::Good) return status;
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
    status = check(payload, extension);  // its tag may have been taken meanwhile
  }
  if (status == CommandStatus::Good && queue_.full()) {
    if (!reject_when_full_) return std::nullopt;
    status = CommandStatus::QueueFull;
  }
  if (request.in_line) {
    bucket_.leave(status == CommandStatus::Good, now_ps());
    schedule_release();
  }
  return status;
}

void HostPort::schedule_release() {
  release_event_.cancel();
  const Picoseconds at = bucket_.passes_at(now_ps());
  if (at != core::kNoDeadline) release_event_.notify(to_sc_time(at - now_ps()));
}

void HostPort::set_token_bucket(std::uint32_t rate, std::uint32_t depth) {
  bucket_.set(rate, depth, now_ps());
  schedule_release();
}

bool HostPort::begin_request(int host, Request& request) {
  const std::optional<CommandStatus> status = admit(request);
  if (!status) return false;
  tlm::tlm_generic_payload& payload = *request.payload;
  auto* extension = payload.get_extension<CommandExtension>();
  if (*status != CommandStatus::Good) {
    refuse(payload, extension, *status, request.since);
    port_.respond(host, payload, nullptr);
    completion_event_.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  Slot& slot = accept(payload, request.since);
  slot.host = host;
  if (slot.blockers == 0) controller_.ready(slot);
  return true;
}

void HostPort::complete_at(Slot& slot, Picoseconds when) {
  auto at = completions_.end();
  while (at != completions_.begin() && (at - 1)->when <= when) --at;
  completions_.insert(at, {when, slot.tag});
  completion_event_.notify(to_sc_time(completions_.back().when - now_ps()));
}

void HostPort::complete() {
  const Picoseconds now = now_ps();
  while (!completions_.empty() && completions_.back().when <= now) {
    const Tag tag = completions_.back().tag;
    completions_.pop_back();
    Slot& slot = queue_.slot(tag);
    slot.answered = true;
    if (slot.blocking_call) {
      finalize(slot);  // here, in the order of completion: the kernel wakes the callers in an order of its own
      finished_[tag.value].notify(sc_core::SC_ZERO_TIME);
    } else {
      port_.respond(slot.host, *slot.payload, &slot);
    }
  }
  port_.send_responses();
  if (failing_) {
    failing_ = false;
    serve_waiting();
    slot_freed_.notify(sc_core::SC_ZERO_TIME);
  }
  if (!completions_.empty()) completion_event_.notify(to_sc_time(completions_.back().when - now));
}

void HostPort::finalize(Slot& slot) {
  command::CommandTiming& timing = slot.result.timing;
  timing.completed = now_ps();
  PortCounters& counters = counters_[static_cast<std::size_t>(slot.command.cls)];
  if (slot.result.status == CommandStatus::Good) {
    ++completed_;
    timing.bus += timing.response() - timing.parts();  // the host kept the response channel busy
    if (slot.payload->is_read()) {
      ++counters.reads;
      counters.read_bytes += slot.payload->get_data_length();
    } else if (slot.payload->is_write()) {
      ++counters.writes;
      counters.written_bytes += slot.payload->get_data_length();
    }
    if (timing.completed > slot.command.deadline) ++counters.late;
  } else {
    ++counters.failed;
    command::CommandTiming failed;
    failed.issued = timing.issued;
    failed.accepted = timing.accepted;
    failed.completed = timing.completed;
    failed.queue = failed.response();
    timing = failed;
  }
  command::set_result(*slot.payload, slot.result);
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
  for (std::size_t i = 0; i < waiting_hosts_.size();) {
    const int id = waiting_hosts_[i];
    if (!begin_request(id, waiting_[static_cast<std::size_t>(id)])) {
      ++i;
      continue;
    }
    waiting_hosts_.erase(waiting_hosts_.begin() + static_cast<std::ptrdiff_t>(i));
    port_.end_request(id);
    i = 0;  // the one behind it in the line for tokens may be another's
  }
  if (!queue_.full()) slot_freed_.notify(sc_core::SC_ZERO_TIME);
}

// --- death -----------------------------------------------------------------------------------------------------------

void HostPort::set_alive(bool alive) {
  if (alive == alive_) return;
  alive_ = alive;
  if (alive) return;
  failing_ = true;
  ++life_;
  controller_.halt();
  bucket_.clear();
  release_event_.cancel();
  completions_.clear();
  const Picoseconds now = now_ps();
  queue_.abandon([&](Slot& slot) {
    if (slot.answered && slot.blocking_call) return;  // its caller knows, it has only not been woken
    slot.result.status = CommandStatus::DriveDead;
    if (!slot.answered) completions_.push_back({now, slot.tag});
  });
  std::reverse(completions_.begin(), completions_.end());
  // A delta later: the host that has done it need not reckon with answers within its call.
  completion_event_.notify(sc_core::SC_ZERO_TIME);
}

// --- calls -----------------------------------------------------------------------------------------------------------

void HostPort::call(tlm::tlm_generic_payload& payload) {
  auto* extension = payload.get_extension<CommandExtension>();
  Request request{&payload, now_ps(), life_, false, 0};
  std::optional<CommandStatus> status = admit(request);
  while (!status) {
    wait(slot_freed_);
    status = admit(request);
  }
  if (*status != CommandStatus::Good) {
    refuse(payload, extension, *status, request.since);
    return;
  }
  Slot& slot = accept(payload, request.since);
  slot.blocking_call = true;
  if (slot.blockers == 0) controller_.ready(slot);
  wait(finished_[slot.tag.value]);
  free_slot(slot);
  serve_waiting();
}

unsigned int HostPort::look(tlm::tlm_generic_payload& payload) {
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
