// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/trace_order.h"

#include <algorithm>

namespace platter::workload {
namespace {

bool is_later(const PendingRequest& a, const PendingRequest& b) {
  return a.time != b.time ? a.time > b.time : a.order > b.order;
}

}  // namespace

bool TraceSorter::push(const PendingRequest& request) {
  if (request.time < latest_.time) return false;
  heap_.push_back(request);
  std::push_heap(heap_.begin(), heap_.end(), is_later);
  return true;
}

bool TraceSorter::pop(PendingRequest& request, bool all) {
  if (heap_.empty() || (!all && heap_.size() <= window_)) return false;
  std::pop_heap(heap_.begin(), heap_.end(), is_later);
  latest_ = request = heap_.back();
  heap_.pop_back();
  return true;
}

bool TraceSpreader::push(const PendingRequest& request) {
  if (!group_.empty() && request.time > group_.front().time) {
    next_ = request;
    has_next_ = true;
    return true;
  }
  if (group_.size() == kMaxEqual) return false;
  group_.push_back(request);
  return true;
}

bool TraceSpreader::pop(PendingRequest& request, bool all) {
  if (group_.empty() || (!has_next_ && !all)) return false;
  const TraceTime begin = group_.front().time;
  const auto width = static_cast<TraceTime>(width_ps_);
  const TraceTime over = has_next_ ? std::min(width, next_.time - begin) : width;
  request = group_[given_];
  request.time = begin + over * given_ / group_.size();
  if (++given_ < group_.size()) return true;
  group_.clear();
  given_ = 0;
  if (has_next_) group_.push_back(next_);
  has_next_ = false;
  return true;
}

}  // namespace platter::workload
