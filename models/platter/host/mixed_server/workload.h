// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/ring_buffer.h"
#include "platter/host/mixed_server/text_clients.h"
#include "platter/host/mixed_server/video_clients.h"
#include "platter/workload/request.h"
#include "platter/workload/stream_table.h"

namespace platter::host::mixed_server {

/// The requests of a server's clients (Shenoy, Goyal and Vin, section 2.3), each for a single unit, in order of time. Text begins at
/// address 0; the video files follow it.
///
/// The requests do not depend on the service, so they are made on demand. The same seed gives the same requests.
class Workload : public workload::ProducerIf {
 public:
  /// `tables` has one table for each video file. Precondition: tables if there are video clients.
  Workload(const TextOptions& text, const VideoOptions& video, std::vector<workload::StreamTable> tables, Picoseconds begin,
           Picoseconds end, std::uint64_t seed);

  /// The next request; returns false after the last. `stream` of a text request is its index in `text().requests()`; of a video request, its client.
  bool next(workload::Request& request, Picoseconds now) override;

  TextClients& text() { return text_; }
  const TextClients& text() const { return text_; }
  const VideoClients& video() const { return video_; }

 private:
  bool advance();

  Picoseconds end_;
  TextClients text_;
  VideoClients video_;
  core::RingBuffer<workload::Request> made_;  ///< requests made and not yet returned: of one round, or of one text request
};

}  // namespace platter::host::mixed_server
