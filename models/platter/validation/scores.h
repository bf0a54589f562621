// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/mechanics/geometry.h"
#include "platter/validation/measured_trace.h"

namespace platter::validation {

/// Demerit (Ruemmler and Wilkes 1994): RMS horizontal distance between the distributions of two samples, in the samples' unit. Exact: over
/// the quantile functions of the raw samples. Precondition: neither sample is empty.
double demerit_exact(std::vector<double> measured, std::vector<double> simulated);
/// Demerit as DiskSim's validation computes it, in milliseconds: each sample in 1,750 buckets with upper edges in microseconds e0 = 0, e(k
/// + 1) = e(k) + 1 + floor(e(k) / 100); straight lines between the edges, 10,000 heights.
double demerit_binned(const std::vector<double>& measured_ms, const std::vector<double>& simulated_ms);

/// Comparison of measured and simulated times of a group of requests, request by request and as distributions; milliseconds and shares. Without requests the other members
/// mean nothing.
struct GroupScore {
  std::size_t requests = 0;
  double measured_mean_ms = 0;
  double simulated_mean_ms = 0;
  double demerit_exact_ms = 0;
  double demerit_exact_percent = 0;  ///< of the measured mean
  double demerit_binned_ms = 0;
  double within_0_1_ms = 0;  ///< share of requests whose simulated time differs by at most this much
  double within_0_5_ms = 0;
  double within_1_ms = 0;
  double rms_error_ms = 0;
};

/// The simulator's result for a request of the trace.
struct ReplayedRequest {
  Picoseconds response = 0;
  bool media = false;  ///< the access reached the media; false: served from, or left in, the buffer
  Picoseconds overhead = 0;
  Picoseconds move = 0;      ///< seek and settle
  Picoseconds rotation = 0;  ///< wait for the first sector
  Picoseconds transfer = 0;
};

struct ReplayScore {
  GroupScore all;
  GroupScore reads;
  GroupScore writes;
  GroupScore near_reads;  ///< within 20 cylinders of the read before, in the same zone
  GroupScore far_reads;
  /// Resultant length (0: random, 1: always the same) of the difference, modulo one revolution, between the measured and the
  /// simulated time from one read of the media to the next.
  double coherence_near = 0;
  double coherence_far = 0;
  std::size_t pairs_near = 0;
  std::size_t pairs_far = 0;
};

/// Scores requests [first, last) of a replay; both vectors in trace order. `block_time` is the bus time of one sector. A request that took
/// hardly longer than its transfer is taken as one that did not wait for the media.
ReplayScore score_replay(const std::vector<MeasuredRequest>& measured, const std::vector<ReplayedRequest>& simulated,
                         const mechanics::Geometry& geometry, Picoseconds period, Picoseconds block_time, std::size_t first,
                         std::size_t last);

}  // namespace platter::validation
