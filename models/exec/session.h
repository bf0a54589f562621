// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/front/exec/channel.h"

namespace platter::exec {

/// This process's end of the channel, or null: then all functions are the C library's.
Channel* channel();

/// Lets simulated time pass. Ends the process, with a message, at the end of simulated time.
void pass_time(std::int64_t picoseconds);
/// The present time, and charges the read of a clock.
std::int64_t read_clock();

/// Data of a write is in Channel::data before, that of a read after it. Returns 0 or a number of errno. The calls of several processes are carried
/// out one after another, and signals are delivered after the call.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  int call(CallKind kind, std::uint64_t offset, std::uint64_t length, bool fua);

 private:
  bool taken_ = false;
  std::uint64_t mask_ = 0;
};

/// Prints a line to the standard error, behind "platter exec: ".
void say(const char* first, const char* second = "");

}  // namespace platter::exec
