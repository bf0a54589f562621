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

/// Double buffers for streams that read sequentially: fetches the data that follows, and serves reads from the fetched data.
class ReadAhead {
 public:
  ReadAhead(const ArrayConfig& config, const StripeMap& map, UnitOrder& order, Planner& planner)
      : config_(config), map_(map), order_(order), planner_(planner) {}

  /// A continuous read has arrived. Returns its stream's buffer if it continues the stream's last read, null otherwise.
  StreamBuffer* follow(const ArrayRequest& read);
  /// True if the fragment's bytes are in its stream's buffer or are being fetched: it has then been settled, or waits for the fetch.
  bool serve(Fragment& read);
  /// A fetch has ended.
  void ended(ArrayRequest& fetch);
  /// Fetches the next half that a stream needs; returns false if there is none.
  bool fetch_next();
  /// [begin, end) is being written: buffered data of this range becomes invalid.
  void written(std::uint64_t begin, std::uint64_t end) {
    for (const auto& stream : streams_) stream->invalidate(begin, end);
  }

  StreamBufferCounters& counters() { return counters_; }
  const StreamBufferCounters& counters() const { return counters_; }
  /// Memory of all buffers: two halves each.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Stream;
  /// The fetch of one half of a stream's buffer.
  struct Fetch : ArrayRequest {
    Stream* of = nullptr;
    std::uint32_t half = 0;
    std::uint32_t room = 0;             ///< size in bytes; never shrinks
    Fragment* first_waiting = nullptr;  ///< reads that wait for it
    Fragment* last_waiting = nullptr;
  };
  struct Stream : StreamBuffer {
    std::array<Fetch, 2> fetches;
    std::uint32_t id = 0;
    Picoseconds last_read = 0;
    Picoseconds deadline = core::kNoDeadline;  ///< of its last read
    std::uint64_t bad = kNowhere;  ///< address of a sector that a fetch could not read, which the stream has not passed
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
  std::vector<std::uint32_t> stream_ids_;  ///< id of the stream that uses each of `streams_`
  core::RingBuffer<Stream*> to_fetch_;
  StreamBufferCounters counters_;
  std::uint64_t memory_bytes_ = 0;
};

}  // namespace platter::host::array
