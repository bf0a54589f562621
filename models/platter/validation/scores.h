// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/mechanics/geometry.h"
#include "platter/validation/measured_trace.h"

namespace platter::validation {

/// Demerit (Ruemmler and Wilkes 1994): RMS horizontal distance between the distributions of two samples. Same unit as they.
/// Exact: over the quantile functions of the raw samples. Precondition: neither is empty.
double demerit_exact(std::vector<double> measured, std::vector<double> simulated);
/// As DiskSim's validation counts it, in milliseconds: each sample in 1,750 buckets with upper edges in microseconds e0 = 0,
/// e(k + 1) = e(k) + 1 + floor(e(k) / 100); straight lines between the edges, 10,000 heights.
double demerit_binned(const std::vector<double>& measured_ms, const std::vector<double>& simulated_ms);

/// How a group of requests compares, request by request and as a distribution; milliseconds and shares.
struct GroupScore {
  std::size_t requests = 0;
  double measured_mean_ms = 0;
  double simulated_mean_ms = 0;
  double demerit_exact_ms = 0;
  double demerit_exact_percent = 0;  ///< of the measured mean
  double demerit_binned_ms = 0;
  double within_0_1_ms = 0;  ///< share of requests whose simulated time is so close to the measured one
  double within_0_5_ms = 0;
  double within_1_ms = 0;
  double rms_error_ms = 0;
};

/// What the simulator did with a request of the trace.
struct ReplayedRequest {
  Picoseconds response = 0;
  bool media = false;  ///< the heads went there; false: served from, or left in, the buffer
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

/// Scores requests [first, last) of a replay; both vectors in trace order. `block_time` is one sector's over the bus: what took
/// hardly longer than its transfer did not wait for the media.
ReplayScore score_replay(const std::vector<MeasuredRequest>& measured, const std::vector<ReplayedRequest>& simulated,
                         const mechanics::Geometry& geometry, Picoseconds period, Picoseconds block_time, std::size_t first,
                         std::size_t last);

}  // namespace platter::validation
