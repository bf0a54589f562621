// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/host/array/unit_order.h"

namespace platter::host::array {

/// Flushes in order of arrival. Each waits for every older write and holds back the younger ones.
class FlushQueue {
 public:
  void push(ArrayRequest& request, UnitOrder& order) { flushes_.push_back({&request, order.take_number()}); }
  /// True if a write that arrives now waits for a flush.
  bool holds() const { return !flushes_.empty(); }
  void hold(Fragment& write) { held_.push_back(&write); }

  /// True if the first flush may go to the drives: all writes in the order are younger.
  bool ready(const UnitOrder& order) const {
    return !flushes_.empty() && !on_its_way_ && order.writers() - order.rebuilds() == held_.size();
  }
  ArrayRequest& begin() {
    on_its_way_ = true;
    return *flushes_.front().request;
  }
  /// The first flush has ended; writes that waited only for it continue.
  ArrayRequest& end(UnitOrder& order) {
    ArrayRequest& request = *flushes_.front().request;
    flushes_.pop_front();
    on_its_way_ = false;
    while (!held_.empty() && (flushes_.empty() || held_.front()->order < flushes_.front().order)) {
      Fragment& write = *held_.front();
      held_.pop_front();
      order.release(write);
    }
    return request;
  }

 private:
  struct Flush {
    ArrayRequest* request = nullptr;
    std::uint64_t order = 0;
  };

  core::RingBuffer<Flush> flushes_;   ///< the first waits for older writes, or is in the drives
  core::RingBuffer<Fragment*> held_;  ///< writes that wait for a flush
  bool on_its_way_ = false;
};

}  // namespace platter::host::array
