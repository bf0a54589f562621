// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/host_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandExtension;
using command::CommandStatus;
using command::CommandTiming;
using core::now_ps;

HostPort::HostPort(const sc_core::sc_module_name& name, HazardQueue& queue, Controller& controller, Power& power,
                   const Admission::Rules& rules, core::LocalTime* local)
    : sc_module(name),
      port_("host_tgt_socket", *this, "/platter/host_port/phase"),
      host_tgt_socket(port_.socket),
      queue_(queue),
      controller_(controller),
      admission_(rules, queue, power, [this] { serve_waiting(); }),
      completion_(core::Rank::Response, [this] { complete(); }),
      local_(local),
      finished_(queue.depth()) {
  completions_.reserve(queue.depth());
  controller.bind_completion_sink(*this);
  power.bind_sink(*this);
}

void HostPort::end_of_elaboration() {
  if (local_ != nullptr && host_tgt_socket.size() > 1)
    SC_REPORT_ERROR("/platter/host_port/loosely_timed",
                    fmt::format("{} initiators, expected one: the drive is loosely timed", host_tgt_socket.size()).c_str());
}

QueueEntry& HostPort::accept(tlm::tlm_generic_payload& payload, Picoseconds since, int host) {
  const Picoseconds now = now_ps();
  const command::Command asked = command::command_of(payload);
  QueueEntry& entry = queue_.allocate(asked, now);
  entry.payload = &payload;
  entry.host = host;
  entry.result.timing.accepted = now;
  entry.result.timing.issued = asked.issued >= 0 ? std::min(asked.issued, since) : since;
  tell_occupancy();
  entry.tell_stage();
  queue_.find_blockers(entry);
  controller_.receive(entry);
  return entry;
}

void HostPort::refuse(tlm::tlm_generic_payload& payload, CommandExtension* extension, CommandStatus status, Picoseconds asked) {
  if (status != CommandStatus::Aborted) ++account_.rejected;
  ++account_.classes[static_cast<std::size_t>(class_of(extension))].failed;
  command::Result result;
  result.status = status;
  const Picoseconds issued = extension != nullptr && extension->issued >= 0 ? std::min(extension->issued, asked) : asked;
  result.timing = CommandTiming::waited(issued, now_ps(), now_ps());
  command::set_result(payload, result);
  if (status == CommandStatus::DriveFailed || status == CommandStatus::Aborted) return;  // a host may retry many times
  const std::string text = fmt::format("{} of {} bytes at byte {}: {} ({} of {} tags in use, capacity {} bytes)",
                                       payload.is_write()  ? "write"
                                       : payload.is_read() ? "read"
                                                           : "command",
                                       payload.get_data_length(), payload.get_address(), command::to_string(status),
                                       queue_.occupancy(), queue_.depth(), admission_.capacity_bytes());
  SC_REPORT_INFO("/platter/host_port/refused", text.c_str());
}

// --- callbacks of the port ------------------------------------------------------------------------------------------

bool HostPort::begin(int host, tlm::tlm_generic_payload& payload) {
  if (local_ != nullptr)
    SC_REPORT_ERROR("/platter/host_port/loosely_timed", "nb_transport, expected b_transport: the drive is loosely timed");
  Request request = admission_.request(payload);
  request.host = host;
  if (present(request)) return true;
  const auto index = static_cast<std::size_t>(host);
  if (index >= held_.by_host.size()) held_.by_host.resize(static_cast<std::size_t>(host_tgt_socket.size()));
  held_.by_host[index] = request;
  held_.line.push_back(&held_.by_host[index]);
  return false;
}

void HostPort::answer(tlm::tlm_generic_payload& payload, QueueEntry* entry) {
  if (entry == nullptr) {
    finalize_refused(payload);
    return;
  }
  // The tag is free as soon as the response is sent: the host may reuse it at once.
  finalize(*entry);
  free_entry(*entry);
}

bool HostPort::present(Request& request) {
  return decide(request, queue_.full() || std::any_of(held_.line.begin(), held_.line.end(),
                                                      [](const Request* waits) { return waits->for_tag; }));
}

bool HostPort::decide(Request& request, bool full) {
  const std::optional<CommandStatus> status = admission_.admit(request, full);
  if (!status) return false;
  request.decided = true;
  tlm::tlm_generic_payload& payload = *request.payload;
  if (*status == CommandStatus::Good) {
    request.entry = &accept(payload, request.since, request.host);
    return true;
  }
  refuse(payload, payload.get_extension<CommandExtension>(), *status, request.since);
  if (request.host == QueueEntry::kBlockingCall) return true;
  port_.respond(request.host, payload, nullptr);
  completion_.now();
  return true;
}

void HostPort::complete_at(QueueEntry& entry, Picoseconds when) {
  auto at = completions_.end();
  while (at != completions_.begin() && (at - 1)->when <= when) --at;
  completions_.insert(at, {when, entry.tag});
  completion_.at(completions_.back().when);
}

void HostPort::complete() {
  const Picoseconds now = now_ps();
  while (!completions_.empty() && completions_.back().when <= now) {
    const Tag tag = completions_.back().tag;
    completions_.pop_back();
    QueueEntry& entry = queue_.entry(tag);
    entry.enter(Stage::Answered);
    if (entry.blocking_call()) {
      finalize(entry);  // here, in the order of completion, because the kernel wakes the callers in an unspecified order
      answered_ = true;
      if (local_ == nullptr) finished_[tag.value]->notify(sc_core::SC_ZERO_TIME);
    } else {
      port_.respond(entry.host, *entry.payload, &entry);
    }
  }
  port_.send_responses();
  if (refuses_) {
    refuses_ = false;
    serve_waiting();
  }
  if (!completions_.empty()) completion_.at(completions_.back().when);
}

void HostPort::finalize(QueueEntry& entry) {
  CommandTiming& timing = entry.result.timing;
  timing.completed = now_ps();
  if (__builtin_expect(controller_.scrubber().on(), 0)) controller_.scrubber().activity(timing.completed);
  PortCounters& counters = account_.classes[static_cast<std::size_t>(entry.command.cls)];
  const bool ended = entry.result.status == CommandStatus::Good || entry.result.status == CommandStatus::Unreadable ||
                     entry.result.status == CommandStatus::WriteFault;
  if (ended) timing.bus += timing.response() - timing.parts();  // the host kept the response channel busy
  if (entry.result.status == CommandStatus::Good) {
    ++account_.completed;
    if (entry.payload->is_read()) {
      ++counters.reads;
      counters.read_bytes += entry.payload->get_data_length();
    } else if (entry.payload->is_write()) {
      ++counters.writes;
      counters.written_bytes += entry.payload->get_data_length();
    }
    if (timing.completed > entry.asked.deadline) ++counters.late;
    if (supply_ != nullptr) supply_->ended(entry.asked);
  } else {
    ++counters.failed;
  }
  if (!ended) timing = CommandTiming::waited(timing.issued, timing.accepted, timing.completed);
  command::set_result(*entry.payload, entry.result);
}

void HostPort::finalize_refused(tlm::tlm_generic_payload& payload) {
  if (auto* extension = payload.get_extension<CommandExtension>())
    extension->timing = CommandTiming::waited(extension->timing.issued, extension->timing.accepted, now_ps());
}

void HostPort::free_entry(QueueEntry& entry) {
  queue_.release(entry, now_ps());
  tell_occupancy();
}

void HostPort::tell_occupancy() const {
  if (probes_ != nullptr) probes_->tell([this](ProbeIf& probe) { probe.occupied(now_ps(), queue_.occupancy()); });
}

void HostPort::serve_waiting() {
  for (std::size_t i = 0; i < held_.line.size();) {
    Request& request = *held_.line[i];
    if (!decide(request, queue_.full())) {
      ++i;
      continue;
    }
    held_.line.erase(held_.line.begin() + static_cast<std::ptrdiff_t>(i));
    if (request.host == QueueEntry::kBlockingCall)
      call_decided_.notify(sc_core::SC_ZERO_TIME);
    else
      port_.end_request(request.host);
    i = 0;  // the next command in the line for tokens may be before this one
  }
}

bool HostPort::abort(Tag tag) {
  if (tag.value >= queue_.depth()) return false;
  if (controller_.abort(queue_.entry(tag))) return true;
  if (queue_.entry(tag).used()) return false;
  if (std::none_of(held_.line.begin(), held_.line.end(), [tag](Request* request) { return request->withdraw(tag); }))
    return false;
  refuses_ = true;
  completion_.now();  // the host receives no response within its call
  return true;
}

void HostPort::abort_waiting() {
  for (Request* const request : held_.line) request->withdrawn = true;
  refuses_ = true;
  completion_.now();
  std::vector<QueueEntry*> all;
  for (QueueEntry& entry : queue_.entries())
    if (entry.used()) all.push_back(&entry);
  // Commands wait for older ones only, so the abort of the youngest lets none of them go on.
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->command.sequence > b->command.sequence; });
  for (QueueEntry* const entry : all) controller_.abort(*entry);
}

// --- power ----------------------------------------------------------------------------------------------------------

void HostPort::power_lost(CommandStatus status) {
  refuses_ = true;
  if (status == CommandStatus::DriveFailed) admission_.clear();  // those that wait will be refused
  completions_.clear();
  const Picoseconds now = now_ps();
  queue_.abandon([&](QueueEntry& entry) {
    const bool answered = entry.stage == Stage::Answered;
    if (answered && entry.blocking_call()) return;  // its result is set, and only the caller's thread has not yet resumed
    entry.result.status = status;
    if (!answered) completions_.push_back({now, entry.tag});
  });
  std::reverse(completions_.begin(), completions_.end());
  completion_.now();  // a host that causes the failure receives no responses within its call
}

// --- calls ----------------------------------------------------------------------------------------------------------

void HostPort::call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (local_ != nullptr) {
    call_ahead(payload, delay);
    return;
  }
  command::wait_for(delay);
  Request request = admission_.request(payload);
  if (!present(request)) held_.line.push_back(&request);
  while (!request.decided) wait(call_decided_);
  if (request.entry == nullptr) return;
  QueueEntry& entry = *request.entry;
  std::unique_ptr<sc_core::sc_event>& finished = finished_[entry.tag.value];
  if (!finished) finished = std::make_unique<sc_core::sc_event>();
  wait(*finished);
  free_entry(entry);
  serve_waiting();
}

void HostPort::call_ahead(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const core::LocalTime::Scope scope(local_, core::to_ps(delay));
  const auto step = [&scope] {
    if (!scope.step())
      SC_REPORT_FATAL(
          "/platter/host_port/loosely_timed",
          "the engine waits for a process of the kernel, expected one that answers without it, such as firmware: the drive is "
          "loosely timed");
  };
  Request request = admission_.request(payload);
  while (!decide(request, queue_.full())) step();
  if (request.entry != nullptr) {
    answered_ = false;
    while (!answered_) step();
    free_entry(*request.entry);
    serve_waiting();
  }
  delay = core::to_sc_time(scope.ahead());
}

unsigned int HostPort::look(tlm::tlm_generic_payload& payload) {
  const core::LocalTime::Scope scope(local_);
  if (payload.get_address() >= admission_.capacity_bytes()) return 0;
  const auto length = static_cast<unsigned int>(
      std::min<std::uint64_t>(payload.get_data_length(), admission_.capacity_bytes() - payload.get_address()));
  if (!controller_.data().look(payload, length)) return 0;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return length;
}

}  // namespace platter::drive
