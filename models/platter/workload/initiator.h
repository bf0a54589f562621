// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <tuple>
#include <vector>

#include "platter/command/tlm/command_extension.h"
#include "platter/command/tlm/initiator_port.h"
#include "platter/core/ring_buffer.h"
#include "platter/core/timed_call.h"
#include "platter/workload/request.h"

namespace platter::workload {

/// A request that has ended.
struct FinishedRequest {
  const Request& request;                ///< what was asked
  std::uint64_t number;                  ///< in order of issue, from 0
  command::CommandStatus status;         ///< whether it succeeded
  const command::CommandTiming& timing;  ///< where its time went
};

/// Watches a host's requests.
class RequestObserverIf {
 public:
  virtual ~RequestObserverIf() = default;
  /// The host got a request, which may still wait in the host before it is sent. `Request::number` is not set yet: requests are numbered in the order
  /// of these calls, from 0.
  virtual void issued(const Request& request) = 0;
  /// A request has ended, well or not. The references in `finished` are valid during the call only.
  virtual void finished(const FinishedRequest& finished) = 0;
};

/// The host: takes requests from its producers and sends them over nb_transport. The payloads carry a CommandExtension and have no data pointer
/// (timing only). A loosely timed drive refuses nb_transport, so it cannot serve this host. Each class has a queue of its own in the host and a limit
/// of commands in the drive; continuous requests go first, then discrete, then background. Observers get every request with its status;
/// ProducerIf::ended is called only for those that ended with Good.
///
/// @code
/// struct Reads : workload::ProducerIf {  // one read of 4 KiB every 10 ms, each 1 MiB behind the last
///   bool next(workload::Request& request, core::Picoseconds) override {
///     request = {};  // a read of the class Discrete
///     request.issued = made * 10 * core::kPicosecondsPerMillisecond;
///     request.address = made * 1'048'576ull;
///     request.length = 4096;
///     return made++ < 100;
///   }
///   unsigned made = 0;
/// } reads;
/// workload::Initiator host("host");
/// host.add_producer(reads);
/// host.disk_init_socket.bind(disk.host_tgt_socket);  // a drive::Drive
/// sc_core::sc_start();
/// host.rethrow_failure();
/// @endcode
class Initiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  /// `disk_init_socket` must be bound.
  explicit Initiator(const sc_core::sc_module_name& name);
  ~Initiator() override;

  tlm_utils::simple_initiator_socket<Initiator> disk_init_socket;  ///< to a drive or an array
  /// Optional second socket to the same drive or array. If bound, discrete and background requests use it, so that a continuous request never waits
  /// for the end of one of their request phases.
  tlm_utils::simple_initiator_socket_optional<Initiator> best_effort_init_socket;

  /// @name Set-up
  /// To be called before the simulation starts.
  /// @{
  /// A producer of requests, which must outlive the host. `ends`: it ends by itself (set_all_ended()).
  void add_producer(ProducerIf& producer, bool ends = false);
  /// Called once, as soon as each producer with `ends` has no further request and all of its requests have ended. Without such a producer this is at
  /// time 0. A closed producer has no further request if its last next() returned false, or if it is not asked again after a failure (ProducerIf).
  /// Not called after a producer's error.
  void set_all_ended(std::function<void()> all_ended) { all_ended_ = std::move(all_ended); }
  /// Told of every request; must outlive the host.
  void add_observer(RequestObserverIf& observer) { observers_.push_back(&observer); }
  /// Gives each request its class, whatever the producer gave it; must outlive the host.
  void set_classifier(ClassifierIf& classifier) { classifier_ = &classifier; }
  /// Most commands of the class in the drive at once; no limit unless set. 0: none is sent.
  void set_limit(core::RequestClass cls, std::uint32_t outstanding) { limits_[core::index_of(cls)] = outstanding; }
  /// A request whose `Request::issued` is at or after this time is dropped (ProducerIf::dropped). The host still sends those that it got before. An
  /// open producer is not asked any more after the first that is dropped.
  void set_end(core::Picoseconds end) { end_ = end; }
  /// @}

  /// A producer's error (such as a broken trace) ends the simulation by sc_stop(). Call this function after sc_start() has returned: it throws the
  /// error again with its own type. It does nothing if there was no error.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Called with every request that is in the host or in the drive.
  template <typename Visitor>
  void for_each_outstanding(Visitor visit) const {
    for (const auto& transaction : transactions_)
      if (transaction->active) visit(transaction->request);
  }

 private:
  /// The extension of a payload is the transaction itself, so a cast leads from a payload to its transaction.
  struct Transaction : command::CommandExtension {
    explicit Transaction(tlm::tlm_mm_interface* manager) : payload(manager) {}

    tlm::tlm_generic_payload payload;
    Request request;
    std::size_t producer = 0;
    bool active = false;
  };
  struct Source {
    ProducerIf* producer;
    Request next;
    bool has_next;
    bool ends;
    std::uint64_t outstanding = 0;  ///< issued, or thinking
  };

  /// The next request of a closed producer, which is not due yet.
  struct Thinking {
    Request request;
    std::size_t source;
    std::uint64_t order;
  };
  static bool later(const Thinking& a, const Thinking& b) {
    return std::tie(a.request.issued, a.source, a.order) > std::tie(b.request.issued, b.source, b.order);
  }

  /// Index of the socket that the class uses; 1: best_effort_init_socket.
  std::size_t way(core::RequestClass cls) const {
    return cls != core::RequestClass::Continuous && best_effort_init_socket.size() > 0 ? 1 : 0;
  }

  void free(tlm::tlm_generic_payload* payload) override;
  void arrivals();
  void pull(std::size_t source);
  /// Takes the next request of a closed producer, and issues it when it is due.
  void replace(std::size_t source);
  void enqueue(const Request& made, std::size_t source);
  void note_if_all_ended();
  Transaction& acquire();
  void send();
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void finish(tlm::tlm_generic_payload& payload);
  static Transaction& transaction_of(tlm::tlm_generic_payload& payload) {
    return static_cast<Transaction&>(*payload.get_extension<command::CommandExtension>());
  }

  std::vector<Source> sources_;
  std::vector<RequestObserverIf*> observers_;
  ClassifierIf* classifier_ = nullptr;
  std::vector<Thinking> thinking_;  ///< a heap, the earliest first
  std::uint64_t next_thought_ = 0;
  std::array<core::RingBuffer<Transaction*>, core::kRequestClasses> backlog_;
  std::array<std::uint32_t, core::kRequestClasses> limits_{};
  std::array<std::uint32_t, core::kRequestClasses> in_drive_{};
  std::vector<std::unique_ptr<Transaction>> transactions_;
  std::vector<Transaction*> idle_;
  std::array<command::InitiatorPort, 2> ways_;
  std::uint64_t next_number_ = 0;
  core::Picoseconds end_ = core::kNoDeadline;
  core::TimedCall arrival_;
  bool sending_ = false;
  bool started_ = false;
  std::function<void()> all_ended_;
  std::exception_ptr failure_;
};

}  // namespace platter::workload
