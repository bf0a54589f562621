// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platter/core/random.h"
#include "platter/core/ring_buffer.h"
#include "platter/host/array/block_cache.h"
#include "platter/workload/request.h"
#include "platter/workload/stream_table.h"

namespace platter::host::mixed_server {

using core::Picoseconds;

struct TextOptions {
  std::uint32_t clients = 0;
  std::uint32_t unit_bytes = 8192;  ///< of striping; a request reads whole units
  double interval_s = 1;            ///< mean interval between two requests of a client
  bool bursty = false;              ///< the whole load follows a multiplicative cascade instead of clients
  double load_bytes_per_s = 0;      ///< bursty: mean load
  double peak_to_mean = 12.51;      ///< bursty: of the rates in the cascade's intervals
  double burst_interval_s = 1;      ///< bursty: approximate length of such an interval
  double mean_bytes = 32'768;       ///< of a request
  double deviation_bytes = 8'192;
  std::uint64_t set_bytes = 0;    ///< size of all text, in whole units
  std::uint64_t cache_bytes = 0;  ///< of the least-recently-used buffer cache of units; 0: none
};

struct VideoOptions {
  std::uint32_t clients = 0;
  std::uint32_t unit_bytes = 65'536;  ///< of striping; fetched whole
  double file_s = 300;                ///< length of a stored file
  std::vector<double> bits_per_s;     ///< of each file: its table's frames are scaled to this mean; empty: not scaled
  bool staggered = false;             ///< the clients' rounds begin at different times, in equal distances over a round
};

/// Maximum number of levels of a cascade.
inline constexpr std::uint32_t kMostLevels = 20;

/// Number of levels of a cascade over `seconds`: the power of two that is nearest, as a ratio, to the number of intervals. More
/// than kMostLevels is returned as kMostLevels + 1.
std::uint32_t cascade_levels(double seconds, double interval_s);

/// Rates of a multiplicative cascade of 2^levels intervals. Each half gets, at random, the share p or 1 - p of the whole, down to
/// one interval; p is chosen so that the peak is `peak_to_mean` times the mean. Precondition: peak_to_mean is at most 2^levels.
std::vector<double> cascade(std::uint32_t levels, double mean, double peak_to_mean, core::RandomStream& random);

/// A text request: it ends with the last of its units.
struct TextRequest {
  Picoseconds issued = 0;
  Picoseconds ended = 0;
  std::uint32_t units = 0;  ///< units that are still outstanding
  bool failed = false;      ///< one of its units could not be read
};

/// The requests of a server's clients (Shenoy, Goyal and Vin, section 2.3), each for a single unit. Text begins at address 0; the
/// video files follow it.
///
/// Text clients issue Poisson requests of normally distributed sizes for whole units, from a random unit of the set on. Units in the
/// cache are not read again. Bursty text follows one whole cascade between `begin` and `end`, and its mean rate before.
///
/// Video clients have rounds of 1 s, which begin together or staggered. In each round a client fetches the units that hold the bytes
/// of its next second, except those that it already has from the last round, because a unit is fetched as a whole. They must arrive
/// within the round. A client begins at a random place of a file and returns to the file's front at its end.
///
/// The requests do not depend on the service, so they are made on demand. The same seed gives the same requests.
class Workload : public workload::ProducerIf {
 public:
  /// `tables` has one table for each video file. Precondition: tables if there are video clients.
  Workload(const TextOptions& text, const VideoOptions& video, std::vector<workload::StreamTable> tables, Picoseconds begin,
           Picoseconds end, std::uint64_t seed);

  /// The next request in order of time; returns false after the last. `stream` of a text request is its index in `text_requests`;
  /// of a video request, its client.
  bool next(workload::Request& request, Picoseconds now) override;

  /// Sets a function that is called with each text request that has ended. A request whose units are all in the cache ends when
  /// it is made.
  void on_text_ended(std::function<void(const TextRequest&)> ended) { text_ended_ = std::move(ended); }
  /// A unit of a text request has been read, or (`failed`) cannot be read. After its last unit, the index may be used for another
  /// request.
  void unit_ended(std::uint32_t index, Picoseconds when, bool failed);
  /// Requests in progress, and ended ones, which have no units.
  const std::vector<TextRequest>& text_requests() const { return text_requests_; }
  /// Units of all text.
  std::uint64_t text_units() const { return text_units_; }
  std::uint64_t cache_hits() const { return cache_hits_; }
  std::uint64_t cache_uses() const { return cache_uses_; }
  /// Units of all video files.
  std::uint64_t video_units() const { return video_units_; }
  /// Bursty: length and number of the cascade's intervals, and the bytes requested in each second from `begin` on.
  double burst_interval_s() const { return burst_interval_s_; }
  std::size_t burst_intervals() const { return rates_.size() - 1; }
  const std::vector<double>& offered_bytes() const { return offered_bytes_; }

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
    std::int64_t round = 0;
    double position = 0;          ///< in the file, in bytes; not reduced at the file's end
    std::uint64_t next_unit = 0;  ///< the first one that has not been fetched
  };

  bool advance();
  void text_request();
  /// The next round of all clients, or, staggered, of the next one.
  void video_round();
  void video_round(std::uint32_t client, Picoseconds begin);
  Picoseconds next_round() const;
  /// Fills the cache as a long series of uniform requests would.
  void fill_cache(std::uint64_t seed);
  /// Returns whether the unit was in the cache. Afterwards it is, as the most recently used one.
  bool use_unit(std::uint64_t unit);
  void begin_bursts(std::uint64_t seed);
  void draw_text_time();

  TextOptions text_;
  std::uint32_t video_unit_bytes_;
  std::vector<workload::StreamTable> tables_;
  Picoseconds begin_;
  Picoseconds end_;
  std::uint64_t text_units_;
  core::RandomStream arrivals_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  array::BlockCache cache_;    ///< of units, without their bytes
  std::vector<double> rates_;  ///< bursty: requests/s before `begin`, and in each interval
  std::size_t rate_ = 0;       ///< index of the current one
  double burst_interval_s_ = 0;
  std::vector<double> offered_bytes_;  ///< bursty: of each second from `begin` on
  double text_time_s_ = 0;
  Picoseconds next_text_;
  std::vector<File> files_;
  std::vector<Client> clients_;
  std::uint64_t video_units_ = 0;
  bool staggered_;
  std::int64_t round_ = 0;
  std::uint32_t next_client_ = 0;             ///< staggered: whose round begins next
  core::RingBuffer<workload::Request> made_;  ///< requests made and not yet returned: of one round, or of one text request
  std::vector<TextRequest> text_requests_;
  std::vector<std::uint32_t> ended_;  ///< indices of ended ones
  std::function<void(const TextRequest&)> text_ended_;
  std::uint64_t cache_hits_ = 0;
  std::uint64_t cache_uses_ = 0;
};

}  // namespace platter::host::mixed_server
