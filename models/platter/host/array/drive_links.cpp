// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/drive_links.h"

#include <algorithm>

#include "platter/core/sc_time.h"
#include "platter/core/seeded_bug.h"
#include "platter/drive/drive_registers.h"
#include "platter/host/array/request.h"

namespace platter::host::array {

using command::CommandStatus;
using Heard = command::InitiatorPort::Heard;
using core::RequestClass;

namespace {

/// Backlog of the commands of repairs, behind those of the classes.
constexpr std::size_t kRepairs = core::kRequestClasses;
constexpr std::array<std::size_t, core::kRequestClasses + 1> kPriority = {core::index_of(RequestClass::Continuous),
                                                                          core::index_of(RequestClass::Discrete),
                                                                          core::index_of(RequestClass::Background), kRepairs};
/// A command of a repair that has waited for this time goes first.
constexpr core::Picoseconds kMaxRepairWait = 100 * core::kPicosecondsPerMillisecond;
/// A drive that has had one for this time gets no others until it has answered.
constexpr core::Picoseconds kMaxRepairInDrive = 250 * core::kPicosecondsPerMillisecond;

bool is_repair(const LinkCommand& command) { return command.first->request->progress.role == ArrayRequest::Role::Repair; }

}  // namespace

DriveLinks::DriveLinks(const ArrayConfig& config, LinkSinkIf& sink)
    : disk_init_sockets("disk_init_sockets", config.drives),
      best_effort_init_sockets("best_effort_init_sockets", config.drives),
      register_init_sockets("register_init_sockets", config.drives),
      config_(config),
      sink_(sink),
      links_(config.drives) {
  opened_.reserve(config.drives);
  for (std::uint32_t i = 0; i < config.drives; ++i) {
    disk_init_sockets[i].register_nb_transport_bw(this, &DriveLinks::nb_transport_bw, static_cast<int>(i));
    best_effort_init_sockets[i].register_nb_transport_bw(this, &DriveLinks::nb_transport_bw, static_cast<int>(i));
  }
}

DriveLinks::~DriveLinks() {
  for (const auto& command : commands_.all()) command->payload.clear_extension<command::CommandExtension>();
}

std::size_t DriveLinks::queued(std::uint32_t drive) const {
  std::size_t commands = 0;
  for (const auto& backlog : links_[drive].backlog) commands += backlog.size();
  return commands;
}

LinkCommand& DriveLinks::begin(Fragment& fragment, std::uint32_t drive) {
  LinkCommand& command = commands_.take(this);
  command.first = command.last = &fragment;
  command.drive = drive;
  return command;
}

void DriveLinks::append(Fragment& fragment, std::uint32_t copy, std::uint32_t drive, std::uint64_t address) {
  Link& link = links_[drive];
  fragment.next[copy] = nullptr;
  ++fragment.on_way;
  if (LinkCommand* open = link.open) {
    if (open->first->request == fragment.request && open->copy == copy && open->address + open->length == address &&
        open->length + fragment.length <= config_.most_command_bytes) {
      if (open->last->address() + open->last->length != fragment.address()) open->scattered = true;
      open->last->next[copy] = &fragment;
      open->last = &fragment;
      open->length += fragment.length;
      return;
    }
    close(drive);
  } else {
    opened_.push_back(drive);
  }
  LinkCommand& command = begin(fragment, drive);
  command.copy = copy;
  command.address = address;
  command.length = fragment.piece_length();
  command.scattered = false;
  link.open = &command;
}

void DriveLinks::flush(Fragment& fragment, std::uint32_t drive) {
  LinkCommand& command = begin(fragment, drive);
  command.copy = 0;
  command.address = 0;
  command.length = 0;
  command.bounced = false;
  command.fua = false;
  enqueue(command, command::Operation::Flush, nullptr);
}

bool DriveLinks::close_all() {
  if (opened_.empty()) return false;
  for (std::size_t i = 0; i < opened_.size(); ++i) close(opened_[i]);
  opened_.clear();
  return true;
}

void DriveLinks::close(std::uint32_t drive) {
  LinkCommand& command = *links_[drive].open;
  links_[drive].open = nullptr;
  const bool write = command.first->writes();
  command.fua = command.first->request->fua || (write && command.first->area->mirrored && !core::seeded("copies_cached"));
  command.bounced = false;
  enqueue(command, command::read_or_write(write), place_data(command));
}

/// Returns the host's memory if the drive can use it directly, otherwise a bounce buffer.
std::uint8_t* DriveLinks::place_data(LinkCommand& command) {
  const ArrayRequest& request = *command.first->request;
  if (request.data == nullptr) return nullptr;
  const std::uint64_t begin = command.first->address();
  if (!command.scattered && begin >= request.address && begin + command.length <= request.address + request.length)
    return request.data + (begin - request.address);
  command.bounced = true;
  if (command.data.size() < command.length) command.data.resize(command.length);
  std::uint8_t* data = command.data.data();
  if (command.first->writes())
    for (const Fragment* f = command.first; f != nullptr; f = f->next[command.copy]) {
      std::copy_n(request.data + (f->address() - request.address), f->length, data);
      data += f->length;
    }
  return command.data.data();
}

void DriveLinks::enqueue(LinkCommand& command, command::Operation operation, std::uint8_t* data) {
  command::Command sent = *command.first->request;
  sent.operation = operation;
  sent.address = command.address;
  sent.length = command.length;
  sent.fua = command.fua;
  sent.issued = core::now_ps();
  command::set_command(command.payload, command, sent, data);
  links_[command.drive].backlog[is_repair(command) ? kRepairs : core::index_of(command.cls)].push_back(&command);
  to_send_ |= std::uint64_t{1} << command.drive;
}

bool DriveLinks::send_all() {
  if (to_send_ == 0) return false;
  for (std::uint32_t drive = 0; to_send_ >> drive != 0; ++drive)
    if ((to_send_ >> drive & 1) != 0) {
      to_send_ &= ~(std::uint64_t{1} << drive);
      send(drive);
    }
  return true;
}

LinkCommand* DriveLinks::take(Link& link, std::uint32_t drive, std::size_t backlog) {
  auto& commands = link.backlog[backlog];
  if (commands.empty()) return nullptr;
  LinkCommand* const next = commands.front();
  const std::size_t cls = core::index_of(next->cls);
  if (link.class_in_drive[cls] >= config_.class_tags[cls] || link.ways[way(drive, next->cls)].busy()) return nullptr;
  commands.pop_front();
  return next;
}

LinkCommand* DriveLinks::next_of(Link& link, std::uint32_t drive) {
  const auto& repairs = link.backlog[kRepairs];
  if (!repairs.empty() && core::now_ps() - repairs.front()->issued >= kMaxRepairWait)
    if (LinkCommand* const repair = take(link, drive, kRepairs)) return repair;
  if (!link.repairs.empty() && core::now_ps() - link.repairs.front()->sent_at >= kMaxRepairInDrive)
    return take(link, drive, core::index_of(RequestClass::Continuous));
  for (const std::size_t backlog : kPriority)
    if (LinkCommand* const next = take(link, drive, backlog)) return next;
  return nullptr;
}

void DriveLinks::send(std::uint32_t drive) {
  Link& link = links_[drive];
  while (link.in_service && link.in_drive < config_.tags) {
    LinkCommand* next = next_of(link, drive);
    if (next == nullptr) return;
    ++link.sent;
    ++link.in_drive;
    ++link.class_in_drive[core::index_of(next->cls)];
    next->sent_at = core::now_ps();
    if (is_repair(*next)) link.repairs.push_back(next);
    next->generation = link.generation;
    const Heard heard = way(drive, next->cls) == 0 ? link.ways[0].send(disk_init_sockets[drive], next->payload)
                                                   : link.ways[1].send(best_effort_init_sockets[drive], next->payload);
    if (heard == Heard::Answered) answered(*next);
  }
}

tlm::tlm_sync_enum DriveLinks::nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& /*delay*/) {
  const auto number = static_cast<std::uint32_t>(drive);
  LinkCommand& command = command_of(payload);
  const Heard heard = links_[number].ways[way(number, command.cls)].receive(payload, phase);
  if (heard == Heard::Nothing) return tlm::TLM_ACCEPTED;
  to_send_ |= std::uint64_t{1} << number;
  if (heard == Heard::Answered) answered(command);
  sink_.heard();
  return heard == Heard::Answered ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void DriveLinks::answered(LinkCommand& command) {
  Link& link = links_[command.drive];
  --link.in_drive;
  --link.class_in_drive[core::index_of(command.cls)];
  if (is_repair(command)) link.repairs.erase(std::find(link.repairs.begin(), link.repairs.end(), &command));
  sink_.answered(command);
  command.payload.release();
}

void DriveLinks::take_out(std::uint32_t drive) {
  Link& link = links_[drive];
  link.in_service = false;
  ++link.generation;
  const Picoseconds now = core::now_ps();
  for (auto& backlog : link.backlog)
    while (!backlog.empty()) {
      LinkCommand& command = *backlog.front();
      backlog.pop_front();
      command.status = CommandStatus::DriveFailed;
      command.timing = {};
      command.timing.accepted = now;
      command.generation = link.generation - 1;  // the generation that has ended
      sink_.answered(command);
      commands_.give_back(command);
    }
}

void DriveLinks::deliver(const LinkCommand& command, const Fragment& fragment, const std::uint8_t* bytes) {
  if (!command.bounced) return;
  const ArrayRequest& request = *fragment.request;
  const std::uint64_t begin = fragment.address();
  const std::uint64_t from = std::max(begin, request.address);
  const std::uint64_t to = std::min<std::uint64_t>(begin + fragment.length, request.address + request.length);
  std::copy_n(bytes + (from - begin), to - from, request.data + (from - request.address));
}

bool DriveLinks::access_register(std::uint32_t drive, tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
  if (!has_registers(drive)) return false;
  return drive::access_register(register_init_sockets[drive], command, offset, value) == tlm::TLM_OK_RESPONSE;
}

}  // namespace platter::host::array
