// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/workload/run_parameters.h"

namespace platter::system {

inline core::Picoseconds seconds(double value) { return core::to_picoseconds(value, core::kPicosecondsPerSecond); }

/// The simulated time of a run: a warm-up, then the measured interval.
class Timeline {
 public:
  using Progress = std::function<void(double simulated_s, double total_s)>;

  /// `until`: nothing is simulated from then on.
  Timeline(const workload::RunParameters& run, Progress progress, core::Picoseconds until = core::kNoDeadline)
      : warmup_(seconds(run.warmup_s)), end_(warmup_ + seconds(run.measure_s)), until_(until), progress_(std::move(progress)) {}

  core::Picoseconds warmup() const { return warmup_; }
  core::Picoseconds end() const { return end_; }
  core::Picoseconds measured() const { return end_ - warmup_; }
  double simulated_s() const { return core::to_milliseconds(end_) * 1e-3; }

  /// Simulates up to `to`, or to the time from which on nothing is, unless the kernel is stopped.
  void advance(core::Picoseconds to) const {
    to = std::min(to, until_);
    while (core::now_ps() < to && sc_core::sc_get_status() != sc_core::SC_STOPPED) {
      sc_core::sc_start(core::to_sc_time(std::min(to - core::now_ps(), std::max<core::Picoseconds>(end_ / 200, 1))));
      if (progress_) progress_(core::to_milliseconds(core::now_ps()) * 1e-3, simulated_s());
    }
  }

 private:
  core::Picoseconds warmup_;
  core::Picoseconds end_;
  core::Picoseconds until_;
  Progress progress_;
};

}  // namespace platter::system
