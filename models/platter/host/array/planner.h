// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/host/array/config.h"
#include "platter/host/array/flush_queue.h"
#include "platter/host/array/unit_order.h"

namespace platter::host::array {

/// Receives the end of requests, including the array's internal ones.
class RequestEndIf {
 public:
  virtual ~RequestEndIf() = default;
  virtual void ended(ArrayRequest& request) = 0;
};

/// Splits requests into fragments at the boundaries of the map and enters the fragments into the order. A request ends with its last fragment.
class Planner {
 public:
  Planner(const ArrayConfig& config, const StripeMap& map, UnitOrder& order, FlushQueue& flushes, RequestEndIf& sink)
      : config_(config), map_(map), order_(order), flushes_(flushes), sink_(sink) {}

  /// True if reads of the area go through the cache, in whole cache blocks.
  bool cached(const StripeMap::Area& area) const { return area.cached && config_.cache.bytes != 0; }

  void cut(ArrayRequest& request);
  void add(ArrayRequest& request, const StripeMap::Area& area, std::uint64_t address, std::uint32_t length,
           Fragment::Kind kind);
  void settle(Fragment& fragment);
  /// Ends a fragment for which no working drive holds the data to be read, or can store the data to be written.
  void lose(Fragment& fragment);

 private:
  const ArrayConfig& config_;
  const StripeMap& map_;
  UnitOrder& order_;
  FlushQueue& flushes_;
  RequestEndIf& sink_;
};

}  // namespace platter::host::array
