// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/random.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/mixed_server/text_arrivals.h"
#include "platter/host/mixed_server/text_requests.h"
#include "platter/host/mixed_server/unit_cache.h"
#include "platter/workload/request.h"

namespace platter::host::mixed_server {

/// Text clients issue Poisson requests of normally distributed sizes for whole units, from a random unit of the set on. Text begins at address 0.
/// Units in the cache, and those that are being read, are not read again.
class TextClients {
 public:
  TextClients(const TextOptions& text, Picoseconds begin, Picoseconds end, std::uint64_t seed);

  /// Time of the next request; kNoDeadline if there is none.
  Picoseconds next() const { return arrivals_.next(); }
  /// Adds the next request's units to `made`. Their `stream` is the request's index in `requests`.
  void make(core::RingBuffer<workload::Request>& made);
  /// A unit has been read, or (`failed`) cannot be read.
  void unit_ended(const workload::Request& unit, Picoseconds when, bool failed) {
    if (failed) cache_.erase(unit.address / options_.unit_bytes);
    requests_.unit_ended(unit.stream, when, failed);
  }

  const TextArrivals& arrivals() const { return arrivals_; }
  const UnitCache& cache() const { return cache_; }
  TextRequests& requests() { return requests_; }
  /// Units and bytes of all text.
  std::uint64_t units() const { return units_; }
  std::uint64_t bytes() const { return units_ * options_.unit_bytes; }
  /// Bursty: the bytes requested in each second from `begin` on.
  const std::vector<double>& offered_bytes() const { return offered_bytes_; }

 private:
  TextOptions options_;
  Picoseconds begin_;
  std::uint64_t units_;
  TextArrivals arrivals_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  UnitCache cache_;
  TextRequests requests_;
  std::vector<double> offered_bytes_;
};

}  // namespace platter::host::mixed_server
