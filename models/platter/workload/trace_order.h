// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/workload/trace_units.h"

namespace platter::workload {

/// A request of a trace that waits for its turn.
struct PendingRequest {
  TraceTime time = 0;
  std::uint64_t order = 0;  ///< of arrival, from 0
  std::uint64_t line = 0;
  std::uint64_t offset_bytes = 0;
  std::int64_t response_ps = -1;
  std::uint32_t length_bytes = 0;
  std::uint32_t source = 0;  ///< file of the trace
  bool write = false;
};

/// Sorts requests by time, those of the same time in the order of their arrival. Holds back `window` of them.
class TraceSorter {
 public:
  explicit TraceSorter(std::uint32_t window) : window_(window) { latest_.time = kBeforeAll; }

  /// False, without a change: it is earlier than latest(), so it comes too late.
  bool push(const PendingRequest& request);
  /// The next request; false if more must arrive before it is known. `all`: no more will arrive.
  bool pop(PendingRequest& request, bool all);
  bool empty() const { return heap_.empty(); }
  /// The last request that was popped; kBeforeAll is its time before there is one.
  const PendingRequest& latest() const { return latest_; }

 private:
  std::size_t window_;
  std::vector<PendingRequest> heap_;
  PendingRequest latest_;
};

/// Spreads requests of the same time evenly over `width_ps`, or over the time up to the next request if that is shorter.
class TraceSpreader {
 public:
  /// Most requests of the same time.
  static constexpr std::size_t kMaxEqual = std::size_t{1} << 22;

  explicit TraceSpreader(std::int64_t width_ps) : width_ps_(width_ps) {}

  /// Call pop() before until it returns false. False: there are kMaxEqual requests of this time already.
  bool push(const PendingRequest& request);
  /// As TraceSorter::pop.
  bool pop(PendingRequest& request, bool all);

 private:
  std::int64_t width_ps_;
  std::vector<PendingRequest> group_;  ///< of the same time
  PendingRequest next_;                ///< the first of a later time
  bool has_next_ = false;
  std::size_t given_ = 0;  ///< of the group
};

}  // namespace platter::workload
