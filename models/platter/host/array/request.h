// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/command/command.h"
#include "platter/host/array/stream_buffer.h"

namespace platter::host::array {

using core::Picoseconds;

struct ArrayRequest;

/// Receives the end of the requests that it has submitted.
class ArrayClientIf {
 public:
  virtual ~ArrayClientIf() = default;
  /// The request has ended; it may be submitted again from here. Called in a method process or within a drive's call, so it must not wait.
  virtual void finished(ArrayRequest& request) = 0;
};

/// A host's request: a read, a write, or a flush of all drives. The request and its data belong to the array from Array::submit()
/// to ArrayClientIf::finished().
///
/// The host sets `data`, `client`, and the fields of command::Command except `tag` and `attribute`, which an array does not support. The
/// array sets the fields of command::Result, `host_queue` and `lost_bytes`. `timing` is that of the request's last command; the time before it
/// counts as `queue`.
struct ArrayRequest : command::Command, command::Result {
  std::uint8_t* data = nullptr;     ///< the bytes; null: timing only
  ArrayClientIf* client = nullptr;  ///< told of the end; must be set

  Picoseconds host_queue = 0;    ///< part of the response time: until the last command got a tag of its drive
  std::uint64_t lost_bytes = 0;  ///< bytes that no working drive holds; of a flush: of completed writes that may be on none

  /// @cond of the array
  /// Origin of the request: a host, or the array itself.
  enum class Role : std::uint8_t { Host, Rebuild, Repair, Fetch };
  /// The array's state of the request.
  struct Progress {
    Role role = Role::Host;
    bool waited = false;             ///< has waited for its stream's buffer to be filled
    std::uint32_t pending = 0;       ///< fragments that have not ended
    StreamBuffer* buffer = nullptr;  ///< of a read that continues the stream's last read
    Picoseconds since = 0;
  } progress;
  /// @endcond
};

}  // namespace platter::host::array
