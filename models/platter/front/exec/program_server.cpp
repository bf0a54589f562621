// SPDX-License-Identifier: Apache-2.0
#include "platter/front/exec/program_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"

namespace platter::exec {

ProgramServer::ProgramServer(const sc_core::sc_module_name& name)
    : sc_module(name),
      initiator_("program"),
      memory_(0, 0),
      arrival_(core::Rank::Arrival, [this] { begin(); }),
      timeout_(core::Rank::Failure, [this] {
        initiator_.forget(*this, memory_);
        outstanding_ = 0;
        end(EIO);
      }) {}

bool ProgramServer::fits(const Call& call) const {
  if (call.kind == CallKind::Flush) return true;
  return (call.kind == CallKind::Read || call.kind == CallKind::Write) && call.length > 0 &&
         call.length <= Channel::kDataBytes && call.offset % channel_->block_bytes == 0 &&
         call.length % channel_->block_bytes == 0 && call.offset < channel_->capacity_bytes &&
         call.length <= channel_->capacity_bytes - call.offset;
}

void ProgramServer::issue(const Call& call, std::uint64_t from, std::uint64_t bytes) {
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
      request.data.assign(channel_->data + from, channel_->data + from + bytes);
    else
      request.data.resize(bytes);
  }
  initiator_.issue(request);
}

void ProgramServer::begin() {
  const Call call = channel_->call;
  if (!fits(call)) {
    end(EINVAL);
    return;
  }
  const std::uint64_t most = Channel::kMaxRequestBytes / channel_->block_bytes * channel_->block_bytes;
  error_ = 0;
  outstanding_ = call.length <= most ? 1 : static_cast<std::uint32_t>((call.length + most - 1) / most);
  timeout_.in(kTimeoutPs);
  std::uint64_t from = 0;
  do {
    const std::uint64_t bytes = std::min(call.length - from, most);
    issue(call, from, bytes);
    from += bytes;
  } while (from < call.length);
}

void ProgramServer::answered(nbd::BlockRequest& request) {
  if (request.status != command::CommandStatus::Good)
    error_ = EIO;
  else if (request.command.read())
    std::memcpy(channel_->data + request.cookie, request.data.data(), request.data.size());
  if (--outstanding_ > 0) return;
  timeout_.cancel();
  end(error_);
}

void ProgramServer::end(int error) {
  channel_->error = error;
  advance_to(*channel_, core::now_ps());
  channel_->answered.store(posted_, std::memory_order_release);
  wake(channel_->answered);
  go_on();
}

void ProgramServer::go_on() {
  for (;;) {
    const std::uint32_t bell = channel_->bell.load();
    posted_ = channel_->posted.load(std::memory_order_acquire);
    if (posted_ != channel_->answered.load()) break;
    if ((*over_)()) {
      finish();
      return;
    }
    wait_for_change(channel_->bell, bell, nullptr);
  }
  if (const core::Picoseconds when = channel_->now; when < Channel::kLatest)
    arrival_.at(std::max(when, core::now_ps()));
  else
    finish();
}

void ProgramServer::finish() {
  ended_ = true;
  sc_core::sc_pause();
}

void ProgramServer::run_to(std::int64_t time) {
  if (time >= Channel::kLatest)
    throw core::SimulationError(fmt::format("simulated time ends at {} s", Channel::kLatest / core::kPicosecondsPerSecond));
  while (core::now_ps() < time || sc_core::sc_pending_activity_at_current_time())
    sc_core::sc_start(core::to_sc_time(std::max<std::int64_t>(time - core::now_ps(), 0)), sc_core::SC_RUN_TO_TIME);
}

void ProgramServer::serve(Channel& channel, const std::function<bool()>& over) {
  channel_ = &channel;
  over_ = &over;
  go_on();
  while (!ended_) {
    sc_core::sc_start();
    if (sc_core::sc_get_status() == sc_core::SC_STOPPED) throw core::SimulationError("the simulation has been stopped");
  }
  run_to(channel.now);
}

}  // namespace platter::exec
