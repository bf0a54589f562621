// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "platter/core/types.h"

namespace platter::host::autoqos {

using core::Picoseconds;

struct QosManagerOptions {
  std::uint32_t disk_bytes_per_s = 27'600'000;  ///< of one large sequential read
  double inference_fraction = 0.20;             ///< of it, which best effort keeps during inference
  std::uint32_t inference_windows = 3;
  double tolerance = 0.10;                ///< a rate within this part of another is the same
  double probe_fraction = 0.02;           ///< of the disk's rate, by which a probe raises the limit
  std::uint32_t probe_windows = 4;        ///< at full rate before a probe
  std::uint32_t most_probe_windows = 64;  ///< after probes that did harm, each of which doubles them
  double overload_share = 0;  ///< not in the paper: a disk so busy, with best effort below its limit, is overloaded; 0: never
};

/// What happened in a window.
struct QosWindow {
  Picoseconds length = core::kPicosecondsPerSecond;
  std::uint64_t multimedia_bytes = 0;
  std::uint64_t best_effort_bytes = 0;
  std::uint64_t opened = 0;  ///< multimedia streams that were opened in it, if somebody knows
  Picoseconds busy = 0;      ///< time of the drive's mechanics on accesses
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

/// AutoQoS's heuristic (Wu, Banachowski and Brandt, sections 3.2 and 3.3): from the bytes that multimedia and best effort moved in each
/// window, the limit of best effort for the next. docs/reference/autoqos.md has the rules.
class QosManager {
 public:
  explicit QosManager(const QosManagerOptions& options) : options_(options) {}

  /// A window has ended. Returns the limit from now on, bytes/s; 0: none.
  std::uint32_t window(const QosWindow& window);

  QosState state() const { return state_; }
  std::uint32_t limit() const { return limit_; }
  /// What multimedia was found to need, bytes/s; 0 in the default state.
  std::uint64_t multimedia_rate() const { return multimedia_; }
  /// What the disk was seen to do, or is believed to, bytes/s; 0 in the default state.
  std::uint64_t aggregate_rate() const { return aggregate_; }

 private:
  void infer(bool interference);
  void manage();
  void probe(std::uint64_t best_effort);
  bool overloaded(const QosWindow& window, std::uint64_t best_effort) const;
  std::uint32_t fraction(double of) const { return static_cast<std::uint32_t>(of * options_.disk_bytes_per_s); }
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

  std::uint32_t windows_ = 0;              ///< inference: done; managed: at full rate since the last probe
  std::uint64_t sum_ = 0;                  ///< inference: multimedia's rates
  bool interference_ = false;              ///< inference: because multimedia fell below its rate, or the disk was overloaded
  std::uint64_t disturbed_aggregate_ = 0;  ///< what the disk did then
  std::uint32_t probe_windows_ = 0;
};

}  // namespace platter::host::autoqos
