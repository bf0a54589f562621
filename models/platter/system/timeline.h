// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <systemc>

#include "platter/core/sc_time.h"
#include "platter/workload/run_parameters.h"

namespace platter::system {

inline core::Picoseconds seconds(double value) { return core::to_picoseconds(value, core::kPicosecondsPerSecond); }

/// The simulated time of a run: a warm-up, then the measured interval, whose end may be found during the run.
class Timeline {
 public:
  /// `total_s` is 0 while it is not known.
  using Progress = std::function<void(double simulated_s, double total_s)>;

  /// `until`: nothing is simulated from then on.
  Timeline(const workload::RunParameters& run, Progress progress, core::Picoseconds until = core::kNoDeadline)
      : warmup_(seconds(run.warmup_s)),
        end_(warmup_ + seconds(run.as_long_as_load() ? workload::kLongestMeasured_s : run.measure_s)),
        open_(run.as_long_as_load()),
        until_(until),
        progress_(std::move(progress)) {}

  /// Whether the end is still to come: it is not known before end_here().
  bool open() const { return open_; }
  /// Ends the run at the present instant, which is simulated to its end. To be called from within the simulation.
  void end_here() {
    open_ = false;
    found_ = true;
    end_ = core::now_ps();
    sc_core::sc_pause();
  }

  core::Picoseconds warmup() const { return warmup_; }
  core::Picoseconds end() const { return end_; }
  core::Picoseconds measured() const { return end_ - warmup_; }
  double simulated_s() const { return core::to_milliseconds(end_) * 1e-3; }

  /// Simulates up to `to`, or to the time from which on nothing is, unless the kernel is stopped.
  void advance(core::Picoseconds to) const {
    const auto stopped = [] { return sc_core::sc_get_status() == sc_core::SC_STOPPED; };
    const core::Picoseconds step = open_ ? seconds(kStepOfOpen_s) : std::max<core::Picoseconds>(end_ / 200, 1);
    while (core::now_ps() < std::min({to, until_, end_}) && !stopped()) {
      sc_core::sc_start(core::to_sc_time(std::min(std::min({to, until_, end_}) - core::now_ps(), step)));
      if (progress_) progress_(core::to_milliseconds(core::now_ps()) * 1e-3, open_ ? 0 : simulated_s());
    }
    while (found_ && sc_core::sc_pending_activity_at_current_time() && !stopped()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

 private:
  static constexpr double kStepOfOpen_s = 10;

  core::Picoseconds warmup_;
  core::Picoseconds end_;
  bool open_;
  bool found_ = false;  ///< end_ is where end_here() was called
  core::Picoseconds until_;
  Progress progress_;
};

}  // namespace platter::system
