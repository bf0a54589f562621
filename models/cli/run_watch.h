// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <systemc>

#include "platter/workload/initiator.h"

namespace platter::cli {

/// Remaining time on stderr, where that is a terminal.
class Progress {
 public:
  explicit Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

  void update(double share, double simulated_s, double total_s) {
    if (!shown_) return;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = share > 0 ? elapsed / share * (1 - share) : 0;
    fmt::print(stderr, "\r{:5.1f} %  {:.0f} of {:.0f} simulated s  ETA {:.0f} s   ", share * 100, simulated_s, total_s, left);
    std::fflush(stderr);
  }
  void done() {
    if (shown_) fmt::print(stderr, "\r{:60}\r", "");
  }

 private:
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Stops the run at the first request that the drive refuses, unless because it, or in an array each that holds the bytes, is dead.
class RefusalWatch : public workload::RequestObserverIf {
 public:
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    using command::CommandStatus;
    if (finished.status == CommandStatus::Good || finished.status == CommandStatus::DriveDead || finished.status == CommandStatus::NoCopy ||
        refused_)
      return;
    const workload::Request& r = finished.request;
    refused_ = fmt::format("the drive refused request {} ({} {} of {} bytes at byte {}): {}", finished.number,
                           core::to_string(r.cls), r.write() ? "write" : "read", r.length, r.address,
                           command::to_string(finished.status));
    sc_core::sc_stop();
  }
  const std::optional<std::string>& refused() const { return refused_; }

 private:
  std::optional<std::string> refused_;
};

}  // namespace platter::cli
