// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "platter/core/types.h"

namespace platter::host::mixed_server {

using core::Picoseconds;

/// A text request: it ends with the last of its units.
struct TextRequest {
  Picoseconds issued = 0;
  Picoseconds ended = 0;
  std::uint32_t units = 0;  ///< units that are still outstanding
  bool failed = false;      ///< one of its units could not be read
};

/// The text requests in progress. Each has an index. After its last unit, the index may be used for another request.
class TextRequests {
 public:
  /// Sets a function that is called with each request that has ended.
  void on_ended(std::function<void(const TextRequest&)> ended) { ended_ = std::move(ended); }

  /// The index of the request that is added next.
  std::uint32_t next_index() const { return free_.empty() ? static_cast<std::uint32_t>(all_.size()) : free_.back(); }
  /// A request whose units are all in the cache has no units left. It ends at once, and gets no index.
  void add(const TextRequest& request) {
    if (request.units == 0) {
      if (ended_) ended_(request);
    } else if (free_.empty()) {
      all_.push_back(request);
    } else {
      all_[free_.back()] = request;
      free_.pop_back();
    }
  }
  /// A unit of a request has been read, or (`failed`) cannot be read.
  void unit_ended(std::uint32_t index, Picoseconds when, bool failed) {
    TextRequest& request = all_[index];
    request.failed = request.failed || failed;
    request.ended = std::max(request.ended, when);
    if (--request.units > 0) return;
    if (ended_) ended_(request);
    free_.push_back(index);
  }

  /// Requests in progress, and ended ones, which have no units. Their places are their indices.
  const std::vector<TextRequest>& all() const { return all_; }

 private:
  std::vector<TextRequest> all_;
  std::vector<std::uint32_t> free_;  ///< indices of ended ones
  std::function<void(const TextRequest&)> ended_;
};

}  // namespace platter::host::mixed_server
