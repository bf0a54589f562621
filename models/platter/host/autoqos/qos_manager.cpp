// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/qos_manager.h"

#include <algorithm>

namespace platter::host::autoqos {

namespace {

std::uint64_t per_second(std::uint64_t bytes, Picoseconds length) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(core::kPicosecondsPerSecond) /
                                    static_cast<double>(length));
}

}  // namespace

std::uint32_t QosManager::window(const QosWindow& window) {
  const std::uint64_t multimedia = per_second(window.multimedia_bytes, window.length);
  const std::uint64_t best_effort = per_second(window.best_effort_bytes, window.length);
  if (multimedia == 0 && window.opened == 0) {
    *this = QosManager(options_);
    return limit_;
  }
  switch (state_) {
    case QosState::Default:
      // If best effort is below the limit of inference, its rate says nothing about what the disk can deliver.
      aggregate_ = best_effort > inference_limit() ? multimedia + best_effort : options_.disk_bytes_per_s;
      probe_windows_ = options_.probe_windows;
      infer(false);
      break;
    case QosState::Inference:
      if (window.opened > 0) {
        infer(false);
        break;
      }
      // In the first window the streams still catch up, so it does not count.
      if (windows_ > 0 || options_.inference_windows == 1) sum_ += multimedia;
      if (++windows_ >= options_.inference_windows) manage();
      break;
    case QosState::Managed:
      if (window.opened > 0 || multimedia > above(multimedia_)) {
        infer(false);
      } else if (multimedia < below(multimedia_) || overloaded(window, best_effort)) {
        disturbed_aggregate_ = multimedia + best_effort;
        infer(true);
      } else {
        probe(best_effort);
      }
      break;
  }
  return limit_;
}

void QosManager::infer(bool interference) {
  state_ = QosState::Inference;
  limit_ = std::max(inference_limit(), probe_step());
  windows_ = 0;
  sum_ = 0;
  interference_ = interference;
}

void QosManager::manage() {
  const std::uint64_t inferred = sum_ / std::max(options_.inference_windows - 1, 1u);
  if (interference_ && inferred >= below(multimedia_)) {
    // Multimedia is back at its rate, so it had been disturbed. The disk could not deliver more than it did at that time.
    aggregate_ = disturbed_aggregate_;
    probe_windows_ = std::min(2 * probe_windows_, options_.most_probe_windows);
  } else {
    probe_windows_ = options_.probe_windows;
  }
  state_ = QosState::Managed;
  multimedia_ = inferred;
  windows_ = 0;
  const std::uint64_t left = aggregate_ > inferred ? aggregate_ - inferred : 0;
  limit_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left, probe_step(), options_.disk_bytes_per_s));
}

bool QosManager::overloaded(const QosWindow& window, std::uint64_t best_effort) const {
  return options_.overload_share > 0 && best_effort < below(limit_) &&
         static_cast<double>(window.busy) >= options_.overload_share * static_cast<double>(window.length);
}

void QosManager::probe(std::uint64_t best_effort) {
  if (++windows_ < probe_windows_) return;
  windows_ = 0;
  // A limit that best effort does not reach gives no information.
  if (best_effort < below(limit_)) return;
  limit_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{limit_} + probe_step(), options_.disk_bytes_per_s));
}

}  // namespace platter::host::autoqos
