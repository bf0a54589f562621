// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "platter/core/types.h"

namespace platter::host::autoqos {

using core::Picoseconds;

struct QosManagerOptions {
  std::uint32_t disk_bytes_per_s = 27'600'000;  ///< of one large sequential read
  double inference_fraction = 0.20;             ///< part of `disk_bytes_per_s` that best effort keeps during inference
  std::uint32_t inference_windows = 3;
  double tolerance = 0.10;                ///< rates that differ by no more than this part count as equal
  double probe_fraction = 0.02;           ///< part of the disk's rate by which a probe raises the limit
  std::uint32_t probe_windows = 4;        ///< windows at full rate before a probe
  std::uint32_t most_probe_windows = 64;  ///< upper limit of `probe_windows`, which each confirmed interference doubles
  /// Not in the paper: a disk that is busy for this share, with best effort below its limit, is overloaded; 0: never.
  double overload_share = 0;
};

/// What happened in a window.
struct QosWindow {
  Picoseconds length = core::kPicosecondsPerSecond;
  std::uint64_t multimedia_bytes = 0;
  std::uint64_t best_effort_bytes = 0;
  std::uint64_t opened = 0;  ///< multimedia streams that opened in it, if known
  Picoseconds busy = 0;      ///< time that the drive's mechanics spent on accesses
};

enum class QosState : std::uint8_t { Default, Inference, Managed };

constexpr std::string_view to_string(QosState state) {
  switch (state) {
    case QosState::Default: return "default";
    case QosState::Inference: return "inference";
    case QosState::Managed: return "managed";
  }
  return "?";
}

/// AutoQoS's heuristic (Wu, Banachowski and Brandt, sections 3.2 and 3.3). From the bytes that multimedia and best effort
/// transferred in each window, it computes the limit of best effort for the next window. docs/reference/autoqos.md has the rules.
class QosManager {
 public:
  explicit QosManager(const QosManagerOptions& options) : options_(options) {}

  /// A window has ended. Returns the new limit in bytes/s; 0: none.
  std::uint32_t window(const QosWindow& window);

  QosState state() const { return state_; }
  std::uint32_t limit() const { return limit_; }
  /// The rate that multimedia was found to need, in bytes/s; 0 in the default state.
  std::uint64_t multimedia_rate() const { return multimedia_; }
  /// The rate that the disk was observed, or is assumed, to deliver, in bytes/s; 0 in the default state.
  std::uint64_t aggregate_rate() const { return aggregate_; }

 private:
  void infer(bool interference);
  void manage();
  void probe(std::uint64_t best_effort);
  bool overloaded(const QosWindow& window, std::uint64_t best_effort) const;
  /// At least 1, because a limit of 0 is none.
  std::uint32_t fraction(double of) const { return std::max(1u, static_cast<std::uint32_t>(of * options_.disk_bytes_per_s)); }
  std::uint64_t below(std::uint64_t rate) const {
    return rate - static_cast<std::uint64_t>(options_.tolerance * static_cast<double>(rate));
  }
  std::uint64_t above(std::uint64_t rate) const {
    return rate + static_cast<std::uint64_t>(options_.tolerance * static_cast<double>(rate));
  }
  std::uint32_t inference_limit() const { return fraction(options_.inference_fraction); }
  std::uint32_t probe_step() const { return fraction(options_.probe_fraction); }

  QosManagerOptions options_;
  QosState state_ = QosState::Default;
  std::uint32_t limit_ = 0;
  std::uint64_t multimedia_ = 0;
  std::uint64_t aggregate_ = 0;

  std::uint32_t windows_ = 0;              ///< inference: windows done; managed: windows at full rate since the last probe
  std::uint64_t sum_ = 0;                  ///< inference: sum of multimedia's rates
  bool interference_ = false;              ///< inference: began by a drop of multimedia's rate or an overloaded disk
  std::uint64_t disturbed_aggregate_ = 0;  ///< the disk's rate at that time
  std::uint32_t probe_windows_ = 0;
};

}  // namespace platter::host::autoqos
