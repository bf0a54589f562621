// SPDX-License-Identifier: Apache-2.0
#include "platter/validation/scores.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace platter::validation {

namespace {

constexpr std::size_t kBuckets = 1750;
constexpr int kHeights = 10000;
constexpr std::uint32_t kNearCylinders = 20;
/// A read that took less than this beyond its transfer over the bus cannot have waited for the media.
constexpr Picoseconds kBuffer = core::kPicosecondsPerMillisecond / 2;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// A cumulative distribution as straight lines between bucket edges: (edge in ms, share strictly below it).
struct Curve {
  std::vector<double> edges;
  std::vector<double> shares;

  double at_height(double height) const {
    const auto k = static_cast<std::size_t>(std::lower_bound(shares.begin(), shares.end(), height) - shares.begin());
    if (k == 0) return edges.front();
    if (k == shares.size()) return edges.back();
    const double weight = (height - shares[k - 1]) / (shares[k] - shares[k - 1]);
    return edges[k - 1] + weight * (edges[k] - edges[k - 1]);
  }
};

Curve binned_curve(const std::vector<double>& sample_ms) {
  std::vector<std::int64_t> sample_us;
  sample_us.reserve(sample_ms.size());
  for (const double value : sample_ms) sample_us.push_back(static_cast<std::int64_t>(value * 1000.0));
  std::sort(sample_us.begin(), sample_us.end());
  Curve curve;
  std::int64_t edge = 0;
  for (std::size_t k = 0; k < kBuckets; ++k, edge += 1 + edge / 100) {
    const auto below = std::lower_bound(sample_us.begin(), sample_us.end(), edge) - sample_us.begin();
    const double share = std::round(static_cast<double>(below) / static_cast<double>(sample_us.size()) * 1e6) /
                         1e6;  // DiskSim prints six digits
    curve.edges.push_back(static_cast<double>(edge) / 1000.0);
    curve.shares.push_back(share);
    if (share >= 1.0) return curve;
  }
  curve.shares.back() = 1.0;  // the last bucket is open
  return curve;
}

/// Collects the requests of a group.
struct Group {
  std::vector<double> measured;
  std::vector<double> simulated;

  void add(Picoseconds real, Picoseconds model) {
    measured.push_back(core::to_milliseconds(real));
    simulated.push_back(core::to_milliseconds(model));
  }

  GroupScore score() const {
    GroupScore s;
    s.requests = measured.size();
    if (measured.empty()) return s;
    s.measured_mean_ms = mean(measured);
    s.simulated_mean_ms = mean(simulated);
    s.demerit_exact_ms = demerit_exact(measured, simulated);
    s.demerit_exact_percent = 100 * s.demerit_exact_ms / s.measured_mean_ms;
    s.demerit_binned_ms = demerit_binned(measured, simulated);
    double squares = 0;
    const auto n = static_cast<double>(measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const double error = std::abs(simulated[i] - measured[i]);
      squares += error * error;
      if (error <= 0.1) s.within_0_1_ms += 1 / n;
      if (error <= 0.5) s.within_0_5_ms += 1 / n;
      if (error <= 1.0) s.within_1_ms += 1 / n;
    }
    s.rms_error_ms = std::sqrt(squares / n);
    return s;
  }
};

}  // namespace

double demerit_exact(std::vector<double> measured, std::vector<double> simulated) {
  std::sort(measured.begin(), measured.end());
  std::sort(simulated.begin(), simulated.end());
  const std::size_t n = measured.size();
  const std::size_t m = simulated.size();
  // Both quantile functions are steps; in units of 1 / (n m) their edges are whole numbers.
  double sum = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  for (std::size_t at = 0; at < n * m;) {
    const std::size_t next = std::min((i + 1) * m, (j + 1) * n);
    const double distance = measured[i] - simulated[j];
    sum += static_cast<double>(next - at) * distance * distance;
    if (next == (i + 1) * m) ++i;
    if (next == (j + 1) * n) ++j;
    at = next;
  }
  return std::sqrt(sum / (static_cast<double>(n) * static_cast<double>(m)));
}

double demerit_binned(const std::vector<double>& measured_ms, const std::vector<double>& simulated_ms) {
  const Curve measured = binned_curve(measured_ms);
  const Curve simulated = binned_curve(simulated_ms);
  double sum = 0;
  for (int i = 1; i <= kHeights; ++i) {
    const double height = static_cast<double>(i) / kHeights;
    const double distance = simulated.at_height(height) - measured.at_height(height);
    sum += distance * distance;
  }
  return std::sqrt(sum / kHeights);
}

ReplayScore score_replay(const std::vector<MeasuredRequest>& measured, const std::vector<ReplayedRequest>& simulated,
                         const mechanics::Geometry& geometry, Picoseconds period, Picoseconds block_time, std::size_t first,
                         std::size_t last) {
  struct Place {
    std::size_t zone;
    std::uint32_t cylinder;
    bool known;
  };
  const auto is_near = [](const Place& a, const Place& b) {
    const std::uint32_t distance = a.cylinder > b.cylinder ? a.cylinder - b.cylinder : b.cylinder - a.cylinder;
    return a.known && b.known && a.zone == b.zone && distance <= kNearCylinders;
  };
  Group all;
  Group reads;
  Group writes;
  Group near_reads;
  Group far_reads;
  std::complex<double> sum_near;
  std::complex<double> sum_far;
  ReplayScore score;
  Place previous_read{0, 0, false};
  Place previous_media{0, 0, false};  // the last read that both drives took from the media, on one track
  Picoseconds lead = 0;               // measured less simulated time since that read's completion
  for (std::size_t i = 0; i < last; ++i) {
    const MeasuredRequest& real = measured[i];
    const Picoseconds model = simulated[i].response;
    lead += real.response - model;
    const bool counts = i >= first;
    if (counts) {
      all.add(real.response, model);
      (real.write ? writes : reads).add(real.response, model);
    }
    if (real.write) continue;
    const Place place{geometry.zone_of(real.first), geometry.to_physical(real.first).cylinder.value, true};
    if (counts && previous_read.known) (is_near(previous_read, place) ? near_reads : far_reads).add(real.response, model);
    previous_read = place;
    const bool real_media = real.response > block_time * Picoseconds{real.blocks} + kBuffer;
    if (!simulated[i].media || !real_media || geometry.track_run(real.first, real.blocks).blocks < real.blocks) {
      if (simulated[i].media || real_media) previous_media.known = false;
      continue;
    }
    if (counts && previous_media.known) {
      const double turns = static_cast<double>(lead % period) / static_cast<double>(period);
      const std::complex<double> unit = std::polar(1.0, 2 * 3.14159265358979323846 * turns);
      if (is_near(previous_media, place)) {
        sum_near += unit;
        ++score.pairs_near;
      } else {
        sum_far += unit;
        ++score.pairs_far;
      }
    }
    previous_media = place;
    lead = 0;
  }
  score.all = all.score();
  score.reads = reads.score();
  score.writes = writes.score();
  score.near_reads = near_reads.score();
  score.far_reads = far_reads.score();
  if (score.pairs_near > 0) score.coherence_near = std::abs(sum_near) / static_cast<double>(score.pairs_near);
  if (score.pairs_far > 0) score.coherence_far = std::abs(sum_far) / static_cast<double>(score.pairs_far);
  return score;
}

}  // namespace platter::validation
