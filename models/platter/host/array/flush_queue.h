// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/host/array/unit_order.h"

namespace platter::host::array {

/// Flushes in the order in which they came. Each waits for every older write, and holds the younger ones.
class FlushQueue {
 public:
  void push(ArrayRequest& request, UnitOrder& order) { flushes_.push_back({&request, order.take_number()}); }
  /// Does a write that comes now wait for a flush?
  bool holds() const { return !flushes_.empty(); }
  void hold(Fragment& write) { held_.push_back(&write); }

  /// The first one may go to the drives: all writes on their way are younger.
  bool ready(const UnitOrder& order) const {
    return !flushes_.empty() && !on_its_way_ && order.writers() - order.rebuilds() == held_.size();
  }
  ArrayRequest& begin() {
    on_its_way_ = true;
    return *flushes_.front().request;
  }
  /// The first one has ended; the writes that waited for it alone go on.
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

  core::RingBuffer<Flush> flushes_;   ///< the first waits for older writes, or is on its way
  core::RingBuffer<Fragment*> held_;  ///< of writes that wait for a flush
  bool on_its_way_ = false;
};

}  // namespace platter::host::array
