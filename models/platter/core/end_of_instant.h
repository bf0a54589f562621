// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>
#include <vector>

namespace platter::core {

/// Calls its owner at the end of the current simulation time: when no other activity is pending, after any number of delta cycles. The
/// owner therefore sees everything that happens at this time, whether in the same delta cycle, in a later one, or after a wait of zero
/// time. All objects of a simulation are called together, in the order in which they asked. Otherwise each would wait for the others to
/// become idle.
class EndOfInstant : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(EndOfInstant);
  EndOfInstant(const sc_core::sc_module_name& name, std::function<void()> call) : sc_module(name), call_(std::move(call)) {
    SC_METHOD(poll);
    sensitive << poll_event_;
    dont_initialize();
  }
  ~EndOfInstant() override { forget(); }

  /// True if no other activity is pending at this time. An owner that finds this as the last act of its process need not ask for the call.
  static bool now() { return !sc_core::sc_pending_activity_at_current_time(); }

  /// Precondition: called by a process. Without effect if the call has been asked for.
  void ask() {
    if (asked_) return;
    asked_ = true;
    waiting_.push_back(this);
    if (waiting_.size() == 1) poll_next();
  }
  void cancel() {
    const bool polled = !waiting_.empty() && waiting_.front() == this;
    forget();
    if (polled && !waiting_.empty()) waiting_.front()->poll_next();
  }

 private:
  /// Bounds the wait in delta cycles, so that neither another process that also waits for all others nor a loop of delta cycles blocks the
  /// call.
  static constexpr unsigned kMostDeltas = 1'000;

  void poll_next() {
    deltas_ = 0;
    poll_event_.notify(sc_core::SC_ZERO_TIME);
  }
  void poll() {
    if (waiting_.empty() || waiting_.front() != this) return;  // cancelled
    if (!now() && ++deltas_ < kMostDeltas) {
      poll_event_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    for (std::size_t left = waiting_.size(); left > 0 && !waiting_.empty(); --left) {
      EndOfInstant& next = *waiting_.front();
      next.forget();
      next.call_();
    }
    if (!waiting_.empty()) waiting_.front()->poll_next();  // asked again within a call
  }
  void forget() {
    if (!asked_) return;
    asked_ = false;
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at)
      if (*at == this) {
        waiting_.erase(at);
        return;
      }
  }

  inline static std::vector<EndOfInstant*> waiting_;  ///< the first one polls
  std::function<void()> call_;
  sc_core::sc_event poll_event_;
  unsigned deltas_ = 0;
  bool asked_ = false;
};

}  // namespace platter::core
