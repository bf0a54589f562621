// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platter/observe/wave_file.h"
#include "platter/system/run.h"

namespace platter::cli {

/// Which requests of a run somebody asks about.
struct MomentQuestion {
  std::string when;                    ///< an expression; empty: all
  bool late = false;                   ///< of them, those that missed their deadline
  std::vector<std::uint64_t> numbers;  ///< if not empty: of them, those with these numbers
  std::size_t most = 3;                ///< of them, the slowest
  double before_ms = 10;               ///< of the time before their issue
  double after_ms = 10;                ///< of the time after their end
  core::Picoseconds from = 0;          ///< only requests that are outstanding in this time, to which their windows are cut
  core::Picoseconds to = core::kNoDeadline;
};

/// A request that has ended.
struct Moment {
  std::uint64_t number = 0;
  command::Command command;
  command::CommandTiming timing;
  command::CommandStatus status = command::CommandStatus::Good;

  bool late() const { return timing.completed > command.deadline; }
};

/// The answer: the slowest first.
struct Moments {
  std::vector<Moment> chosen;
  std::uint64_t matched = 0;           ///< requests that the question is about
  std::uint64_t ended = 0;             ///< all that ended, of those issued after the warm-up unless the question has numbers
  std::vector<std::uint64_t> missing;  ///< numbers of the question that no request has that ended
  std::uint64_t last_number = 0;       ///< the highest of a request that ended
};

/// Throws core::InputError for an expression that is none, with the names that there are. An empty one is good.
void check_expression(const std::string& when);

/// Throws core::InputError if the scenario has a trace that cannot be read twice.
void check_repeatable(const system::Scenario& scenario);

/// Simulates the scenario, in a process of its own, and returns the requests that the question is about: of those that were issued after the
/// warm-up, or have the question's numbers, and have ended. Throws as check_repeatable().
Moments find_moments(const system::Scenario& scenario, const MomentQuestion& question, bool quiet);

/// A window around each moment, in the order of time. Windows that overlap are one.
struct MomentWindow {
  core::Picoseconds from;
  core::Picoseconds to;
  std::vector<std::size_t> moments;  ///< which of the moments
};
std::vector<MomentWindow> windows_of(const Moments& moments, const MomentQuestion& question);

}  // namespace platter::cli
