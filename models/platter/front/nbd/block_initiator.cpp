// SPDX-License-Identifier: Apache-2.0
#include "platter/front/nbd/block_initiator.h"

#include <algorithm>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::nbd {

using Heard = command::InitiatorPort::Heard;

BlockInitiator::BlockInitiator(const sc_core::sc_module_name& name) : sc_module(name), disk_init_socket("disk_init_socket") {
  disk_init_socket.register_nb_transport_bw(this, &BlockInitiator::nb_transport_bw);
  SC_METHOD(send);
  sensitive << issued_;
  dont_initialize();
}

BlockInitiator::~BlockInitiator() {
  for (const auto& request : requests_) request->payload_.clear_extension<command::CommandExtension>();
}

BlockRequest& BlockInitiator::acquire(BlockClientIf& client) {
  if (idle_.empty()) {
    requests_.push_back(std::unique_ptr<BlockRequest>(new BlockRequest(this)));
    BlockRequest& fresh = *requests_.back();
    fresh.payload_.set_extension<command::CommandExtension>(&fresh);
    fresh.payload_.set_byte_enable_ptr(nullptr);
    fresh.index_ = requests_.size() - 1;
    idle_.push_back(&fresh);
  }
  BlockRequest& request = *idle_.back();
  idle_.pop_back();
  request.client_ = &client;
  request.command = {};
  request.data.clear();
  return request;
}

void BlockInitiator::free(tlm::tlm_generic_payload* payload) { recycle(request_of(*payload)); }

void BlockInitiator::recycle(BlockRequest& request) {
  if (Memory* const memory = std::exchange(request.left_to_, nullptr)) memory->use(0 - std::uint64_t{request.data.size()});
  request.client_ = nullptr;
  if (request.data.capacity() > kKeptBytes)
    std::vector<std::uint8_t>().swap(request.data);  // `clear` alone would keep the memory of the list
  if (idle_.size() < kKeptRequests) {
    idle_.push_back(&request);
    return;
  }
  request.payload_.clear_extension<command::CommandExtension>();
  const std::size_t index = request.index_;
  std::swap(requests_[index], requests_.back());
  requests_[index]->index_ = index;
  requests_.pop_back();
}

void BlockInitiator::drop(BlockRequest& request) {
  disk_init_socket.withdrawn(request.command);
  recycle(request);
}

std::uint64_t BlockInitiator::data_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& request : requests_) bytes += request->data.capacity();
  return bytes;
}

void BlockInitiator::issue(BlockRequest& request) {
  if (request.command.issued < 0) request.command.issued = core::now_ps();
  disk_init_socket.issued(request.command);
  command::set_command(request.payload_, request, request.command, request.data.empty() ? nullptr : request.data.data());
  backlog_.push_back(&request);
  if (!finishing_) issued_.notify(sc_core::SC_ZERO_TIME);  // else `finish` sends it
}

bool BlockInitiator::withdraw(BlockRequest& request) {
  const bool found = backlog_.remove_if([&request](const BlockRequest* other) { return other == &request; }) > 0;
  if (found) drop(request);
  return found;
}

void BlockInitiator::forget(const BlockClientIf& client, Memory& memory) {
  backlog_.remove_if([this, &client](BlockRequest* request) {
    const bool leaves = request->client_ == &client && request->command.read();
    if (leaves) drop(*request);
    return leaves;
  });
  for (const auto& request : requests_) {
    if (request->client_ != &client) continue;
    request->client_ = nullptr;
    request->left_to_ = &memory;
    memory.use(request->data.size());
  }
}

void BlockInitiator::send() {
  if (sending_) return;  // this is a nested call: the drive has answered within `way_.send`
  sending_ = true;
  while (!backlog_.empty() && !way_.busy()) {
    BlockRequest& request = *backlog_.front();
    backlog_.pop_front();
    if (way_.send(disk_init_socket, request.payload_) == Heard::Answered) finish(request.payload_);
  }
  sending_ = false;
}

tlm::tlm_sync_enum BlockInitiator::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& /*delay*/) {
  const Heard heard = way_.receive(payload, phase);
  if (heard == Heard::Taken) send();
  if (heard != Heard::Answered) return tlm::TLM_ACCEPTED;
  finish(payload);
  return tlm::TLM_COMPLETED;
}

void BlockInitiator::finish(tlm::tlm_generic_payload& payload) {
  BlockRequest& request = request_of(payload);
  const bool before = std::exchange(finishing_, true);
  if (request.command.flush() && request.client_ == nullptr)
    lost_write_ = lost_write_ || request.status == command::CommandStatus::WriteFault;
  else if (request.command.flush() && request.status == command::CommandStatus::Good && std::exchange(lost_write_, false))
    request.status = command::CommandStatus::WriteFault;
  if (request.client_ != nullptr) request.client_->answered(request);
  finishing_ = before;
  payload.release();
  send();
}

}  // namespace platter::nbd
