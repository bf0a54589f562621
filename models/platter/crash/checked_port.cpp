// SPDX-License-Identifier: Apache-2.0
#include "platter/crash/checked_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platter/command/tlm/phases.h"
#include "platter/core/sc_time.h"

namespace platter::crash {

using command::CommandStatus;
using command::Operation;
using Heard = command::InitiatorPort::Heard;

namespace {

/// Most blocks of one command that reads back.
constexpr std::uint32_t kMaxBlocks = 128;

}  // namespace

CheckedPort::CheckedPort(const sc_core::sc_module_name& name, History history, const PortOptions& options)
    : sc_module(name),
      host_tgt_socket("host_tgt_socket"),
      disk_init_socket("disk_init_socket"),
      own_init_socket("own_init_socket"),
      history_(std::move(history)),
      options_(options),
      random_(options.seed, "checked_port") {
  host_tgt_socket.register_nb_transport_fw(this, &CheckedPort::nb_transport_fw);
  disk_init_socket.register_nb_transport_bw(this, &CheckedPort::nb_transport_bw);
  own_init_socket.register_nb_transport_bw(this, &CheckedPort::own_transport_bw);
}

CheckedPort::~CheckedPort() {
  for (const auto& own : own_) own->payload.clear_extension<command::CommandExtension>();
}

// --- the host's commands -----------------------------------------------------------------------------------------------

void CheckedPort::begin(tlm::tlm_generic_payload& payload) {
  ++commands_;
  auto* extension = payload.get_extension<command::CommandExtension>();
  if (payload.is_write() && !extension->fua) extension->fua = random_.uniform() <= options_.fua_share;
  Open& open = open_[&payload];
  open.command = command::command_of(payload);
  open.data.resize(open.command.length);
  payload.set_data_ptr(open.data.data());
  const std::uint64_t first = block_of(open.command.address);
  const std::uint32_t blocks = open.command.length / history_.block_bytes();
  if (open.command.write()) {
    open.version = history_.issue(first, blocks, open.command.fua);
    for (std::uint32_t i = 0; i < blocks; ++i)
      fill(first + i, open.version, open.data.data() + std::size_t{i} * history_.block_bytes(), history_.block_bytes());
    count_write();
  } else {
    open.oldest = history_.oldest(first, blocks);
  }
}

void CheckedPort::count_write() {
  if (options_.flush_every == 0 || ++writes_since_flush_ < options_.flush_every) return;
  writes_since_flush_ = 0;
  enqueue(acquire(Operation::Flush, 0, 0));
}

void CheckedPort::taken(const tlm::tlm_generic_payload& payload) {
  const auto found = open_.find(&payload);
  if (found != open_.end() && found->second.command.write()) history_.accepted(found->second.version);
}

void CheckedPort::end(tlm::tlm_generic_payload& payload) {
  const auto found = open_.find(&payload);
  if (found == open_.end()) return;
  Open open = std::move(found->second);
  open_.erase(found);
  payload.set_data_ptr(nullptr);
  const CommandStatus status = payload.get_extension<command::CommandExtension>()->status;
  const std::uint64_t first = block_of(open.command.address);
  const std::uint32_t blocks = open.command.length / history_.block_bytes();
  if (open.command.write()) {
    history_.answered(open.version, status == CommandStatus::Good);
  } else if (status == CommandStatus::Good) {
    if (const auto wrong = history_.read(first, blocks, open.oldest, open.data.data())) note(*wrong);
  } else {
    note(fmt::format("a read of {} blocks at block {} failed: {}", blocks, first, command::to_string(status)));
  }
}

tlm::tlm_sync_enum CheckedPort::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (frozen_) return tlm::TLM_ACCEPTED;
  const bool begins = phase == tlm::BEGIN_REQ;
  if (begins) begin(payload);
  const tlm::tlm_sync_enum answer = disk_init_socket->nb_transport_fw(payload, phase, delay);
  if (begins && answer != tlm::TLM_ACCEPTED) taken(payload);
  if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) end(payload);
  if (begins) send();  // a flush behind this write
  return answer;
}

tlm::tlm_sync_enum CheckedPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (command::ignorable(phase)) return tlm::TLM_ACCEPTED;
  if (frozen_) return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  taken(payload);
  if (phase == tlm::BEGIN_RESP) end(payload);
  const tlm::tlm_sync_enum answer = host_tgt_socket->nb_transport_bw(payload, phase, delay);
  return answer;
}

// --- the port's own commands -----------------------------------------------------------------------------------------------

CheckedPort::Own& CheckedPort::acquire(Operation operation, std::uint64_t first, std::uint32_t blocks) {
  if (idle_.empty()) {
    own_.push_back(std::make_unique<Own>(this));
    own_.back()->payload.set_extension<command::CommandExtension>(own_.back().get());
    idle_.push_back(own_.back().get());
  }
  Own& own = *idle_.back();
  idle_.pop_back();
  own.command = {};
  own.command.operation = operation;
  own.command.address = first * history_.block_bytes();
  own.command.length = blocks * history_.block_bytes();
  own.data.resize(own.command.length);
  own.versions.clear();
  own.version = 0;
  own.life = life_;
  return own;
}

void CheckedPort::free(tlm::tlm_generic_payload* payload) { idle_.push_back(&own_of(*payload)); }

void CheckedPort::send() {
  if (sending_) return;
  sending_ = true;
  while (!queue_.empty() && !way_.busy() && in_drive_ < limit_) {
    Own& own = *queue_.front();
    queue_.pop_front();
    ++in_drive_;
    ++commands_;
    const std::uint64_t first = block_of(own.command.address);
    const std::uint32_t blocks = own.command.length / history_.block_bytes();
    if (own.command.write()) {
      own.command.fua = random_.uniform() <= options_.fua_share;
      own.version = history_.issue(first, blocks, own.command.fua);
      for (std::uint32_t i = 0; i < blocks; ++i)
        fill(first + i, own.version, own.data.data() + std::size_t{i} * history_.block_bytes(), history_.block_bytes());
    } else if (own.command.flush()) {
      own.versions = history_.covered();
    } else {
      own.versions = history_.oldest(first, blocks);
    }
    command::set_command(own.payload, own, own.command, own.command.flush() ? nullptr : own.data.data());
    const Heard heard = way_.send(own_init_socket, own.payload);
    if (heard != Heard::Nothing) own_taken(own);
    if (heard == Heard::Answered) finish(own);
  }
  sending_ = false;
}

void CheckedPort::own_taken(Own& own) {
  if (own.command.write()) history_.accepted(own.version);
}

tlm::tlm_sync_enum CheckedPort::own_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& /*delay*/) {
  const Heard heard = way_.receive(payload, phase);
  Own& own = own_of(payload);
  if (heard != Heard::Nothing) own_taken(own);
  if (heard == Heard::Taken) send();
  if (heard == Heard::Answered) {
    finish(own);
    send();
  }
  return heard == Heard::Answered ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void CheckedPort::finish(Own& own) {
  --in_drive_;
  const bool good = own.status == CommandStatus::Good;
  if (own.life != life_) {
    // The host of this command died with a loss of power: nobody hears of its end.
  } else if (own.command.flush()) {
    if (good) history_.flushed(own.versions);
  } else if (own.command.write()) {
    history_.answered(own.version, good);
  } else {
    finish_read(own);
  }
  own.payload.release();
}

void CheckedPort::finish_read(Own& own) {
  const std::uint64_t first = block_of(own.command.address);
  const std::uint32_t blocks = own.command.length / history_.block_bytes();
  if (own.status == CommandStatus::Good) {
    if (const auto wrong = history_.read(first, blocks, own.versions, own.data.data())) note(*wrong);
  } else if (own.status == CommandStatus::Unreadable && blocks > 1) {
    for (std::uint32_t i = blocks; i-- > 0;) queue_.push_front(&acquire(Operation::Read, first + i, 1));
    reads_ += blocks;
  } else if (own.status == CommandStatus::Unreadable) {
    if (copy_readable_ && copy_readable_(first))
      note(fmt::format("block {} cannot be read, although a copy of it can", first));
    else if (const auto wrong = history_.unreadable(first))
      note(*wrong);
  } else {
    note(fmt::format("a read of {} blocks at block {} after the restart failed: {}", blocks, first,
                     command::to_string(own.status)));
  }
  if (--reads_ == 0 && done_) std::exchange(done_, nullptr)();
}

// --- loss of power -----------------------------------------------------------------------------------------------------

void CheckedPort::power_lost() {
  frozen_ = true;
  ++life_;
  for (Own* own : queue_) idle_.push_back(own);
  queue_.clear();
  reads_ = 0;
  done_ = nullptr;
  history_.power_lost();
}

void CheckedPort::read_back(std::uint32_t outstanding, std::function<void()> done) {
  limit_ = outstanding;
  done_ = std::move(done);
  const std::vector<std::uint64_t> blocks = history_.touched();
  for (std::size_t i = 0; i < blocks.size();) {
    std::uint32_t length = 1;
    while (i + length < blocks.size() && length < kMaxBlocks && blocks[i + length] == blocks[i] + length) ++length;
    enqueue(acquire(Operation::Read, blocks[i], length));
    ++reads_;
    i += length;
  }
  if (reads_ == 0) {
    if (done_) std::exchange(done_, nullptr)();
    return;
  }
  send();
}

void CheckedPort::write_more(std::uint32_t count) {
  const std::vector<std::uint64_t> blocks = history_.touched();
  if (blocks.empty()) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t first = blocks[random_.below(blocks.size())];
    std::uint32_t length = 1;
    const auto at = std::lower_bound(blocks.begin(), blocks.end(), first);
    const auto most = static_cast<std::uint32_t>(1 + random_.below(16));
    while (length < most && at + length != blocks.end() && *(at + length) == first + length) ++length;
    enqueue(acquire(Operation::Write, first, length));
    if (random_.below(4) == 0) enqueue(acquire(Operation::Flush, 0, 0));
  }
  send();
}

}  // namespace platter::crash
