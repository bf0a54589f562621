// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/command/command.h"
#include "platter/host/array/stream_buffer.h"

namespace platter::host::array {

using core::Picoseconds;

struct ArrayRequest;

/// Hears of the requests that it has submitted.
class ArrayClientIf {
 public:
  virtual ~ArrayClientIf() = default;
  /// The request has ended; it may be submitted again from here.
  virtual void finished(ArrayRequest& request) = 0;
};

/// A host's request: a read, a write, or a flush of all drives. It, and its data, are the array's from Array::submit() to ArrayClientIf::finished().
struct ArrayRequest : command::Command, command::Result {
  // From the host.
  std::uint8_t* data = nullptr;  ///< null: timing only
  ArrayClientIf* client = nullptr;

  // From the array; `timing` is the last command's, the time before in `queue`.
  Picoseconds host_queue = 0;  ///< of the response time: until its last command had a tag of its drive
  std::uint64_t lost_bytes =
      0;  ///< that no drive which lives holds; of a flush: that were answered, and are perhaps on no media

  /// Who asks: a host, or the array itself.
  enum class Role : std::uint8_t { Host, Rebuild, Fetch };
  /// What the array notes of it.
  struct Progress {
    Role role = Role::Host;
    bool waited = false;             ///< for its stream's buffer to be filled
    std::uint32_t pending = 0;       ///< fragments
    StreamBuffer* buffer = nullptr;  ///< of a read that goes on from the one before
    Picoseconds since = 0;
  } progress;
};

}  // namespace platter::host::array
