// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/core/ring_buffer.h"
#include "platter/core/types.h"
#include "platter/workload/request.h"
#include "platter/workload/stream_table.h"

namespace platter::host::mixed_server {

using core::Picoseconds;

struct VideoOptions {
  std::uint32_t clients = 0;
  std::uint32_t unit_bytes = 65'536;  ///< of striping; fetched whole
  double file_s = 300;                ///< length of a stored file
  std::vector<double> bits_per_s;     ///< of each file: its table's frames are scaled to this mean; empty: not scaled
  bool staggered = false;             ///< the clients' rounds begin at different times, in equal distances over a round
};

/// Video clients have rounds of 1 s, which begin together or staggered. In each round a client fetches the units that hold the bytes
/// of its next second, except those that it already has from the last round, because a unit is fetched as a whole. They must arrive
/// within the round. A client begins at a random place of a file and returns to the file's front at its end.
class VideoClients {
 public:
  /// `tables` has one table for each video file; the first file begins at `address`. Precondition: tables if there are clients.
  VideoClients(const VideoOptions& video, std::vector<workload::StreamTable> tables, std::uint64_t address, std::uint64_t seed);

  /// Time at which the next round begins; kNoDeadline without clients.
  Picoseconds next() const;
  /// Adds the requests of the next round to `made`, of all clients or, staggered, of the next one. Their `stream` is the client.
  void make(core::RingBuffer<workload::Request>& made);

  /// Units of all video files.
  std::uint64_t units() const { return units_; }

 private:
  struct File {
    std::size_t table = 0;
    double scale = 1;
    std::uint64_t first_unit = 0;
    std::uint64_t units = 0;
  };
  struct Client {
    std::size_t file = 0;
    std::int64_t start_us = 0;
    double position = 0;          ///< in the file, in bytes; not reduced at the file's end
    std::uint64_t next_unit = 0;  ///< the first one that has not been fetched
  };

  void make(std::uint32_t client, Picoseconds begin, core::RingBuffer<workload::Request>& made);

  std::uint32_t unit_bytes_;
  bool staggered_;
  std::vector<workload::StreamTable> tables_;
  std::uint64_t address_;
  std::vector<File> files_;
  std::uint64_t units_ = 0;
  std::vector<Client> clients_;
  std::int64_t round_ = 0;
  std::uint32_t next_client_ = 0;  ///< staggered: whose round begins next
};

}  // namespace platter::host::mixed_server
