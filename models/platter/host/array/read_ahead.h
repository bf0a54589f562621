// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "platter/core/ring_buffer.h"
#include "platter/host/array/planner.h"
#include "platter/host/array/stream_buffer.h"

namespace platter::host::array {

/// Double buffers for streams that read on and on: fetches what comes next, and serves reads from what has been fetched.
class ReadAhead {
 public:
  ReadAhead(const ArrayConfig& config, const StripeMap& map, UnitOrder& order, Planner& planner)
      : config_(config), map_(map), order_(order), planner_(planner) {}

  /// A continuous read has come: its stream's buffer where it goes on from the one before, null otherwise.
  StreamBuffer* follow(const ArrayRequest& read);
  /// True where the fragment's bytes are in its stream's buffer, or on their way there: it is settled, or waits.
  bool serve(Fragment& read);
  /// A fetch has ended.
  void ended(ArrayRequest& fetch);
  /// Fetches the next half that is wanted; false where none is.
  bool fetch_next();
  /// [begin, end) is written: what is buffered of it is no longer so.
  void written(std::uint64_t begin, std::uint64_t end) {
    for (const auto& stream : streams_) stream->invalidate(begin, end);
  }

  StreamBufferCounters& counters() { return counters_; }
  const StreamBufferCounters& counters() const { return counters_; }
  /// Memory of all buffers: two halves for each stream that lives.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Stream;
  /// A half of a stream's buffer on its way.
  struct Fetch : ArrayRequest {
    Stream* of = nullptr;
    std::uint32_t half = 0;
    std::uint32_t room = 0;             ///< bytes, that it ever had
    Fragment* first_waiting = nullptr;  ///< reads that want it
    Fragment* last_waiting = nullptr;
  };
  struct Stream : StreamBuffer {
    std::array<Fetch, 2> fetches;
    std::uint32_t id = 0;
    Picoseconds last_read = 0;
    Picoseconds deadline = core::kNoDeadline;  ///< of its last read
    bool to_fetch = false;
  };

  Stream& stream_of(const ArrayRequest& read);
  void want(Stream& stream);
  void fetch(Stream& stream);

  const ArrayConfig& config_;
  const StripeMap& map_;
  UnitOrder& order_;
  Planner& planner_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::uint32_t> stream_ids_;  ///< theirs
  core::RingBuffer<Stream*> to_fetch_;
  StreamBufferCounters counters_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace platter::host::array
