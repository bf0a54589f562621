// SPDX-License-Identifier: Apache-2.0
#include "platter/front/exec/program_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::exec {

ProgramServer::ProgramServer(const sc_core::sc_module_name& name) : sc_module(name), initiator_("program"), memory_(0, 0) {}

void ProgramServer::run_to(std::int64_t time) {
  const auto done = [this] { return waiting_ && outstanding_ == 0; };
  while (!done()) {
    if (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) throw core::SimulationError("the simulation has been stopped");
    if (done()) return;
    if (sc_core::sc_pending_activity_at_current_time()) continue;
    if (core::now_ps() >= time) return;
    sc_core::sc_start(core::to_sc_time(time - core::now_ps()), sc_core::SC_RUN_TO_TIME);
  }
}

bool ProgramServer::fits(const Channel& channel, const Call& call) const {
  if (call.kind == CallKind::Flush) return true;
  return (call.kind == CallKind::Read || call.kind == CallKind::Write) && call.length > 0 &&
         call.length <= Channel::kDataBytes && call.offset % channel.block_bytes == 0 &&
         call.length % channel.block_bytes == 0 && call.offset < channel.capacity_bytes &&
         call.length <= channel.capacity_bytes - call.offset;
}

void ProgramServer::issue(Channel& channel, const Call& call, std::uint64_t from, std::uint64_t bytes) {
  nbd::BlockRequest& request = initiator_.acquire(*this);
  request.cookie = from;
  command::Command& command = request.command;
  command.fua = call.fua != 0;
  if (call.kind == CallKind::Flush) {
    command.operation = command::Operation::Flush;
  } else {
    command.operation = call.kind == CallKind::Read ? command::Operation::Read : command::Operation::Write;
    command.address = call.offset + from;
    command.length = static_cast<std::uint32_t>(bytes);
    if (call.kind == CallKind::Write)
      request.data.assign(channel.data + from, channel.data + from + bytes);
    else
      request.data.resize(bytes);
  }
  ++outstanding_;
  initiator_.issue(request);
}

int ProgramServer::carry_out(Channel& channel, const Call& call) {
  if (!fits(channel, call)) return EINVAL;
  const std::uint64_t most = Channel::kMaxRequestBytes / channel.block_bytes * channel.block_bytes;
  channel_ = &channel;
  error_ = 0;
  waiting_ = true;
  std::uint64_t from = 0;
  do {
    const std::uint64_t bytes = std::min(call.length - from, most);
    issue(channel, call, from, bytes);
    from += bytes;
  } while (from < call.length);
  run_to(core::now_ps() + kTimeoutPs);
  waiting_ = false;
  if (outstanding_ > 0) {
    initiator_.forget(*this, memory_);
    outstanding_ = 0;
    return EIO;
  }
  return error_;
}

void ProgramServer::answered(nbd::BlockRequest& request) {
  if (request.status != command::CommandStatus::Good)
    error_ = EIO;
  else if (request.command.read())
    std::memcpy(channel_->data + request.cookie, request.data.data(), request.data.size());
  if (--outstanding_ == 0) sc_core::sc_pause();
}

void ProgramServer::serve(Channel& channel, const std::function<bool()>& over) {
  const auto reach = [&channel, this] {
    if (channel.now >= Channel::kLatest)
      throw core::SimulationError(fmt::format("simulated time ends at {} s", Channel::kLatest / core::kPicosecondsPerSecond));
    run_to(std::max<std::int64_t>(channel.now, core::now_ps()));
  };
  for (;;) {
    const std::uint32_t bell = channel.bell.load();
    const std::uint32_t posted = channel.posted.load(std::memory_order_acquire);
    if (posted == channel.answered.load()) {
      if (over()) break;
      wait_for_change(channel.bell, bell, nullptr);
      continue;
    }
    const Call call = channel.call;
    reach();
    channel.error = carry_out(channel, call);
    advance_to(channel, core::now_ps());
    channel.answered.store(posted, std::memory_order_release);
    wake(channel.answered);
  }
  reach();
}

}  // namespace platter::exec
