// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/initiator.h"

#include <algorithm>
#include <utility>

#include "platter/core/sc_time.h"

namespace platter::workload {

using Heard = command::InitiatorPort::Heard;
using core::RequestClass;

namespace {

constexpr std::array<RequestClass, core::kRequestClasses> kPriority = {RequestClass::Continuous, RequestClass::Discrete,
                                                                       RequestClass::Background};

}  // namespace

Initiator::Initiator(const sc_core::sc_module_name& name)
    : sc_module(name),
      disk_init_socket("disk_init_socket"),
      best_effort_init_socket("best_effort_init_socket"),
      arrival_(core::Rank::Arrival, [this] { arrivals(); }) {
  disk_init_socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
  best_effort_init_socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
  limits_.fill(~0u);
  arrival_.now();
}

Initiator::~Initiator() {
  for (const auto& transaction : transactions_) transaction->payload.clear_extension<command::CommandExtension>();
}

void Initiator::add_producer(ProducerIf& producer, bool ends) { sources_.push_back({&producer, {}, false, ends, 0}); }

Initiator::Transaction& Initiator::acquire() {
  if (idle_.empty()) {
    transactions_.push_back(std::make_unique<Transaction>(this));
    Transaction& fresh = *transactions_.back();
    fresh.payload.set_extension<command::CommandExtension>(&fresh);
    fresh.payload.set_byte_enable_ptr(nullptr);
    return fresh;
  }
  Transaction& transaction = *idle_.back();
  idle_.pop_back();
  return transaction;
}

void Initiator::free(tlm::tlm_generic_payload* payload) { idle_.push_back(&transaction_of(*payload)); }

void Initiator::pull(std::size_t source) {
  Source& s = sources_[source];
  try {
    s.has_next = s.producer->next(s.next, core::now_ps());
  } catch (...) {
    s.has_next = false;
    failure_ = std::current_exception();
    sc_core::sc_stop();
  }
  if (!s.has_next || s.next.issued < end_) return;
  s.has_next = false;
  s.producer->dropped();
}

void Initiator::replace(std::size_t source) {
  pull(source);
  Source& s = sources_[source];
  if (!s.has_next) return;
  s.has_next = false;
  const core::Picoseconds now = core::now_ps();
  if (s.next.issued <= now) {
    enqueue(s.next, source);
    return;
  }
  ++s.outstanding;
  thinking_.push_back({s.next, source, next_thought_++});
  std::push_heap(thinking_.begin(), thinking_.end(), later);
  arrival_.at(thinking_.front().request.issued);
}

void Initiator::arrivals() {
  const core::Picoseconds now = core::now_ps();
  if (!started_) {
    started_ = true;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const std::uint32_t depth = sources_[i].producer->closed_depth();
      for (std::uint32_t k = 0; k < depth; ++k) replace(i);
      if (depth == 0) pull(i);
    }
  }
  core::Picoseconds earliest = core::kNoDeadline;
  while (!thinking_.empty() && thinking_.front().request.issued <= now) {
    std::pop_heap(thinking_.begin(), thinking_.end(), later);
    const Thinking due = thinking_.back();
    thinking_.pop_back();
    --sources_[due.source].outstanding;
    enqueue(due.request, due.source);
  }
  if (!thinking_.empty()) earliest = thinking_.front().request.issued;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    while (source.has_next && source.next.issued <= now) {
      enqueue(source.next, i);
      pull(i);
    }
    if (source.has_next && source.next.issued < earliest) earliest = source.next.issued;
  }
  send();
  if (earliest != core::kNoDeadline) arrival_.at(earliest);
  note_if_all_ended();
}

void Initiator::note_if_all_ended() {
  if (!all_ended_ || failure_) return;
  for (const Source& source : sources_)
    if (source.ends && (source.has_next || source.outstanding > 0)) return;
  std::exchange(all_ended_, nullptr)();
}

void Initiator::enqueue(const Request& made, std::size_t source) {
  Transaction& transaction = acquire();
  transaction.request = made;
  const Request& request = transaction.request;
  if (classifier_ != nullptr) transaction.request.cls = classifier_->class_of(request);
  for (RequestObserverIf* observer : observers_) observer->issued(request);
  transaction.request.number = static_cast<std::int64_t>(next_number_++);
  transaction.active = true;
  transaction.producer = source;
  ++sources_[source].outstanding;
  command::set_command(transaction.payload, transaction, request);
  backlog_[core::index_of(request.cls)].push_back(&transaction);
}

void Initiator::send() {
  if (sending_) return;  // a drive may respond within the call
  sending_ = true;
  for (;;) {
    Transaction* transaction = nullptr;
    for (const RequestClass cls : kPriority) {
      auto& queue = backlog_[core::index_of(cls)];
      if (queue.empty() || in_drive_[core::index_of(cls)] >= limits_[core::index_of(cls)] || ways_[way(cls)].busy()) continue;
      transaction = queue.front();
      queue.pop_front();
      ++in_drive_[core::index_of(cls)];
      break;
    }
    if (transaction == nullptr) break;
    const bool best_effort = way(transaction->cls) == 1;
    const Heard heard = best_effort ? ways_[1].send(best_effort_init_socket, transaction->payload)
                                    : ways_[0].send(disk_init_socket, transaction->payload);
    if (heard == Heard::Answered) finish(transaction->payload);
  }
  sending_ = false;
}

tlm::tlm_sync_enum Initiator::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& /*delay*/) {
  const Heard heard = ways_[way(transaction_of(payload).cls)].receive(payload, phase);
  if (heard == Heard::Taken) send();
  if (heard == Heard::Answered) finish(payload);
  return heard == Heard::Answered ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void Initiator::finish(tlm::tlm_generic_payload& payload) {
  Transaction& transaction = transaction_of(payload);
  for (RequestObserverIf* observer : observers_)
    observer->finished(
        {transaction.request, static_cast<std::uint64_t>(transaction.request.number), transaction.status, transaction.timing});
  transaction.active = false;
  --in_drive_[core::index_of(transaction.request.cls)];
  const std::size_t source = transaction.producer;
  --sources_[source].outstanding;
  const bool good = transaction.status == command::CommandStatus::Good;
  // A request that fails in the instant of its issue is not replaced: the next one could fail at the same time, without end.
  const bool replaced = good || (transaction.status != command::CommandStatus::DriveFailed &&
                                 transaction.timing.completed > transaction.request.issued);
  ProducerIf& producer = *sources_[source].producer;
  if (good) producer.ended(transaction.request);
  payload.release();
  if (producer.closed_depth() > 0 && replaced) {
    replace(source);
    while (producer.more()) replace(source);
  }
  send();
  note_if_all_ended();
}

}  // namespace platter::workload
