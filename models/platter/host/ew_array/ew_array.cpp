// SPDX-License-Identifier: Apache-2.0
#include "platter/host/ew_array/ew_array.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::host {

using command::CommandExtension;
using command::CommandStatus;
using core::now_ps;
using Heard = command::InitiatorPort::Heard;

EwArray::EwArray(const sc_core::sc_module_name& name, const EwArrayOptions& options, std::uint64_t drive_bytes)
    : sc_module(name),
      port_("host_tgt_socket", *this, "/platter/ew_array/phase"),
      host_tgt_socket(port_.socket),
      disk_init_sockets("disk_init_sockets", options.drives),
      options_(options),
      drives_(options.drives) {
  if (options.drives == 0 || options.copies == 0 || options.copies > options.drives || options.block_bytes == 0 ||
      drive_bytes / options.block_bytes < options.copies)
    throw std::invalid_argument("an array needs a drive, and for each copy of a block a drive that holds it");
  capacity_bytes_ = drive_bytes / options.block_bytes / options.copies * options.drives * options.block_bytes;
  for (std::size_t i = 0; i < drives_.size(); ++i)
    disk_init_sockets[i].register_nb_transport_bw(this, &EwArray::nb_transport_bw, static_cast<int>(i));
  SC_METHOD(respond);
  sensitive << response_event_;
  dont_initialize();
}

EwArray::~EwArray() {
  for (const auto& command : commands_.all()) command->payload.clear_extension<CommandExtension>();
}

template <typename Visit>
void EwArray::for_each_block(std::uint64_t address, std::uint64_t length, Visit visit) const {
  for (std::uint64_t done = 0; done < length;) {
    const std::uint64_t within = (address + done) % options_.block_bytes;
    const std::uint64_t part = std::min(options_.block_bytes - within, length - done);
    visit((address + done) / options_.block_bytes, within, done, part);
    done += part;
  }
}

// --- from the host ---------------------------------------------------------------------------------------------------

CommandStatus EwArray::check(const tlm::tlm_generic_payload& payload) const {
  const auto* extension = payload.get_extension<CommandExtension>();
  if (extension != nullptr && !extension->in_range()) return CommandStatus::BadCommand;
  if (extension != nullptr && (extension->flush || extension->tag != CommandExtension::kAnyTag))
    return CommandStatus::BadCommand;
  if (!payload.is_read() && !payload.is_write()) return CommandStatus::BadCommand;
  const std::uint64_t length = payload.get_data_length();
  if (length == 0) return CommandStatus::BadLength;
  if (payload.get_address() >= capacity_bytes_ || length > capacity_bytes_ - payload.get_address())
    return CommandStatus::BadAddress;
  if (payload.get_byte_enable_ptr() != nullptr) return CommandStatus::BadByteEnable;
  if (payload.get_streaming_width() < length) return CommandStatus::BadBurst;
  return CommandStatus::Good;
}

EwArray::Job& EwArray::accept(tlm::tlm_generic_payload& payload) {
  Job& job = jobs_.take();
  job = {};
  static_cast<command::Command&>(job) = command::command_of(payload);
  job.payload = &payload;
  job.issued = job.issued >= 0 ? std::min(job.issued, now_ps()) : now_ps();
  job.timing.issued = job.issued;
  job.timing.accepted = now_ps();
  job.status = check(payload);
  return job;
}

void EwArray::split(Job& job) {
  std::uint8_t* const bytes = job.payload->get_data_ptr();
  ++job.pieces;  // keeps the job from ending before all pieces are in progress
  for_each_block(job.address, job.length,
                 [&](std::uint64_t block, std::uint64_t within, std::uint64_t done, std::uint64_t length) {
                   Piece& piece = pieces_.take();
                   piece.job = &job;
                   ++job.pieces;
                   std::uint8_t* data = bytes != nullptr ? bytes + done : nullptr;
                   std::uint32_t first = 0;
                   std::uint32_t copies = options_.copies;
                   if (!job.write()) {
                     for (std::uint32_t k = 1; k < options_.copies; ++k)
                       if (rank(block, k) < rank(block, first)) first = k;
                     copies = 1;
                   }
                   piece.copies = copies;
                   piece.block = block;
                   piece.within = within;
                   piece.data = data;
                   piece.length = static_cast<std::uint32_t>(length);
                   piece.copy = first;
                   piece.unreadable = 0;
                   for (std::uint32_t k = first; k < first + copies; ++k) enqueue(piece, k);
                   if (job.write() && !bad_.empty()) overtake_repair(block);
                 });
  for (std::size_t drive = 0; drive < drives_.size(); ++drive) send(drive);
  if (--job.pieces == 0) end(job);
}

bool EwArray::begin(int host, tlm::tlm_generic_payload& payload) {
  Job& job = accept(payload);
  job.host = host;
  if (job.status == CommandStatus::Good)
    split(job);
  else
    end(job);
  return true;
}

void EwArray::call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  command::wait_for(delay);
  Job& job = accept(payload);
  job.blocking_call = true;
  if (job.status == CommandStatus::Good)
    split(job);
  else
    end(job);
  while (job.payload != nullptr) wait(finished_event_);
  jobs_.give_back(job);
}

unsigned int EwArray::look(tlm::tlm_generic_payload& payload) {
  if (payload.get_data_ptr() == nullptr || payload.get_address() >= capacity_bytes_) return 0;
  const auto length = std::min<std::uint64_t>(payload.get_data_length(), capacity_bytes_ - payload.get_address());
  for_each_block(payload.get_address(), length,
                 [&](std::uint64_t block, std::uint64_t within, std::uint64_t done, std::uint64_t part) {
                   for (std::uint32_t k = 0; k < (payload.is_write() ? options_.copies : 1); ++k) {
                     tlm::tlm_generic_payload look;
                     look.set_command(payload.get_command());
                     look.set_address(address_of(block, k) + within);
                     look.set_data_ptr(payload.get_data_ptr() + done);
                     look.set_data_length(static_cast<unsigned>(part));
                     disk_init_sockets[drive_of(block, k)]->transport_dbg(look);
                   }
                 });
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(length);
}

// --- to the drives ---------------------------------------------------------------------------------------------------

EwArray::Command& EwArray::make(std::uint64_t block, std::uint32_t copy) {
  Command& command = commands_.take(this);
  command.drive = drive_of(block, copy);
  command.copy = copy;
  drives_[command.drive].backlog.push_back(&command);
  ++drives_[command.drive].outstanding;
  return command;
}

void EwArray::enqueue(Piece& piece, std::uint32_t copy) {
  Command& command = make(piece.block, copy);
  command.piece = &piece;
  command::Command sent = *piece.job;
  sent.address = address_of(piece.block, copy) + piece.within;
  sent.length = piece.length;
  sent.issued = now_ps();
  std::uint8_t* data = piece.data;
  if (sent.write() && data != nullptr) {
    command.data.assign(data, data + piece.length);
    data = command.data.data();
  }
  command::set_command(command.payload, command, sent, data);
}

void EwArray::free(tlm::tlm_generic_payload* payload) { commands_.give_back(command_of(*payload)); }

void EwArray::send(std::size_t drive) {
  DrivePort& port = drives_[drive];
  while (!port.way.busy() && !port.backlog.empty()) {
    Command& command = *port.backlog.front();
    port.backlog.pop_front();
    ++port.sent;
    if (port.way.send(disk_init_sockets[drive], command.payload) == Heard::Answered) finish(drive, command);
  }
}

tlm::tlm_sync_enum EwArray::nb_transport_bw(int drive, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& /*delay*/) {
  const auto number = static_cast<std::size_t>(drive);
  const Heard heard = drives_[number].way.receive(payload, phase);
  if (heard == Heard::Taken) send(number);
  if (heard == Heard::Answered) finish(number, command_of(payload));
  return heard == Heard::Answered ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

bool EwArray::redirect(Piece& piece) {
  note_bad(piece.block, piece.copy, false);
  for (++piece.unreadable; piece.unreadable < options_.copies; ++piece.unreadable) {
    piece.copy = (piece.copy + 1) % options_.copies;
    const auto bad = find_bad(piece.block, piece.copy);
    if (bad != bad_.end() && bad->stale) continue;
    ++errors_.redirected;
    piece.copies = 1;
    enqueue(piece, piece.copy);
    send(drive_of(piece.block, piece.copy));
    return true;
  }
  ++errors_.unreadable;
  return false;
}

void EwArray::finish(std::size_t drive, Command& command) {
  --drives_[drive].outstanding;
  const CommandStatus status = command.status;
  if (command.piece == nullptr) {
    command.payload.release();
    finish_repair(status);
    send(drive);
    return;
  }
  Piece& piece = *command.piece;
  const command::CommandTiming timing = command.timing;
  const std::uint64_t first_bad = command.first_bad;
  const std::uint32_t copy = command.copy;
  const bool write = command.payload.is_write();
  command.payload.release();
  --piece.copies;
  Job* job = piece.job;
  bool repaired = false;  // the copy lacks the write until it has been repaired
  if (status == CommandStatus::Unreadable && write) {
    note_bad(piece.block, copy, true);
    repaired = ++piece.unreadable < options_.copies;
  } else if (status == CommandStatus::Unreadable && job != nullptr) {
    if (redirect(piece)) {
      send(drive);
      return;
    }
    const std::uint64_t sector = options_.sector_bytes;
    job->first_bad = (piece.block * options_.block_bytes + first_bad * sector - address_of(piece.block, copy)) / sector;
  }
  const bool good = status == CommandStatus::Good || (repaired && piece.copies == 0);
  if (job != nullptr && (piece.copies == 0 || (!repaired && (options_.answer == WriteAnswer::First || !good)))) {
    piece.job = nullptr;
    if (!good) job->status = status;
    const core::Picoseconds accepted = job->timing.accepted;
    job->timing = timing;
    job->timing.issued = job->issued;
    job->timing.accepted = accepted;
    job->timing.queue += timing.issued - job->issued;
    if (--job->pieces == 0) end(*job);
  }
  if (piece.copies == 0) pieces_.give_back(piece);
  send(drive);
}

// --- repair ----------------------------------------------------------------------------------------------------------

std::vector<EwArray::BadCopy>::iterator EwArray::find_bad(std::uint64_t block, std::uint32_t copy) {
  return std::find_if(bad_.begin(), bad_.end(), [&](const BadCopy& bad) { return bad.block == block && bad.copy == copy; });
}

std::pair<std::uint32_t, std::uint32_t> EwArray::rank(std::uint64_t block, std::uint32_t copy) {
  std::uint32_t bad = 0;
  if (!bad_.empty())
    if (const auto found = find_bad(block, copy); found != bad_.end()) bad = found->stale ? 2 : 1;
  return {bad, drives_[drive_of(block, copy)].outstanding};
}

void EwArray::note_bad(std::uint64_t block, std::uint32_t copy, bool stale) {
  const auto known = find_bad(block, copy);
  if (known == bad_.end())
    bad_.push_back({block, copy, stale, false});
  else
    known->stale = known->stale || stale;
  if (!repair_.on) begin_repair();
}

void EwArray::begin_repair() {
  for (BadCopy& bad : bad_) {
    if (bad.tried) continue;
    bad.tried = true;
    for (std::uint32_t copy = 0; copy < options_.copies; ++copy) {
      if (find_bad(bad.block, copy) != bad_.end()) continue;
      repair_.on = true;
      repair_.bad = bad;
      repair_.from = copy;
      repair_.writing = repair_.overtaken = false;
      repair_.bytes.resize(options_.block_bytes);
      send_repair();
      return;
    }
  }
}

void EwArray::send_repair() {
  const std::uint32_t copy = repair_.writing ? repair_.bad.copy : repair_.from;
  Command& command = make(repair_.bad.block, copy);
  command.piece = nullptr;
  command::Command sent;
  sent.operation = command::read_or_write(repair_.writing);
  sent.address = address_of(repair_.bad.block, copy);
  sent.length = options_.block_bytes;
  sent.cls = core::RequestClass::Background;
  sent.issued = now_ps();
  command::set_command(command.payload, command, sent, repair_.bytes.data());
  send(command.drive);
}

void EwArray::finish_repair(CommandStatus status) {
  if (status == CommandStatus::Good && !repair_.writing) {
    repair_.writing = !std::exchange(repair_.overtaken, false);
    send_repair();
    return;
  }
  repair_.on = false;
  if (status == CommandStatus::Good) {
    ++errors_.repaired;
    bad_.erase(find_bad(repair_.bad.block, repair_.bad.copy));
  } else if (status == CommandStatus::Unreadable && !repair_.writing) {
    find_bad(repair_.bad.block, repair_.bad.copy)->tried = false;  // a further copy may be good
    note_bad(repair_.bad.block, repair_.from, false);
    return;
  }
  begin_repair();
}

void EwArray::overtake_repair(std::uint64_t block) {
  const bool under_way = repair_.on && repair_.bad.block == block;
  if (under_way) repair_.overtaken = true;
  for (BadCopy& bad : bad_)
    if (bad.block == block) bad.tried = under_way && bad.copy == repair_.bad.copy;
  if (!repair_.on) begin_repair();
}

// --- back to the host ------------------------------------------------------------------------------------------------

void EwArray::end(Job& job) {
  if (job.blocking_call) {
    close(job);
    job.payload = nullptr;
    finished_event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    port_.respond(job.host, *job.payload, &job);
    response_event_.notify(sc_core::SC_ZERO_TIME);
  }
}

void EwArray::answer(tlm::tlm_generic_payload& /*payload*/, Job* job) {
  close(*job);
  jobs_.give_back(*job);
}

void EwArray::close(Job& job) {
  job.timing.completed = now_ps();
  if (job.status == CommandStatus::Good)
    job.timing.bus += job.timing.response() - job.timing.parts();  // the host kept the response channel busy
  else if (job.status == CommandStatus::Unreadable)
    job.timing.queue += job.timing.response() - job.timing.parts();
  else  // has no other part, whatever its last piece has
    job.timing = command::CommandTiming::waited(job.issued, job.timing.accepted, now_ps());
  command::set_result(*job.payload, job);
}

}  // namespace platter::host
