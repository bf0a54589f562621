// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace platter::cli {

/// Shows the remaining time on stderr, if that is a terminal.
class Progress {
 public:
  explicit Progress(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

  void update(double simulated_s, double total_s) {
    if (!shown_) return;
    if (total_s <= 0) {
      fmt::print(stderr, "\r{:.0f} simulated s, up to the end of the trace   ", simulated_s);
      std::fflush(stderr);
      return;
    }
    const double share = simulated_s / total_s;
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

}  // namespace platter::cli
