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

/// Disks of the server that hold one kind of data: `count` from `first` on, each from byte `base` on. Unit u of the data is on disk
/// first + u mod count, in place u / count there.
struct Stripe {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t unit_bytes = 0;
  std::uint64_t base = 0;

  std::uint32_t disk(std::uint64_t unit) const { return first + static_cast<std::uint32_t>(unit % count); }
  std::uint64_t offset(std::uint64_t unit) const { return base + unit / count * unit_bytes; }
  /// Where the data ends on a disk, if it has so many units.
  std::uint64_t end(std::uint64_t units) const { return base + (units + count - 1) / count * unit_bytes; }
};

struct TextOptions {
  std::uint32_t clients = 0;
  double interval_s = 1;        ///< mean, between two requests of a client
  bool bursty = false;          ///< the whole load by a multiplicative cascade instead of clients
  double load_bytes_per_s = 0;  ///< bursty: mean load
  double peak_to_mean = 12.51;  ///< bursty: of the rates in the cascade's intervals
  double burst_interval_s = 1;  ///< bursty: about as long as one of them
  double mean_bytes = 32'768;   ///< of a request
  double deviation_bytes = 8'192;
  std::uint64_t set_bytes = 0;    ///< of all text, in whole units
  std::uint64_t cache_bytes = 0;  ///< of the least-recently-used buffer cache of units; 0: none
};

struct VideoOptions {
  std::uint32_t clients = 0;
  double file_s = 300;             ///< length of a stored file
  std::vector<double> bits_per_s;  ///< of each file: its table's frames are scaled to this mean; empty: as they are
};

/// Most halvings of a cascade.
inline constexpr std::uint32_t kMostLevels = 20;

/// The halvings of a cascade over so many seconds: the power of two that is nearest, as a ratio, to the number of intervals. More than kMostLevels
/// is kMostLevels + 1.
std::uint32_t cascade_levels(double seconds, double interval_s);

/// Rates of a multiplicative cascade of 2^levels intervals: every half has, at random, the share p or 1 - p of the whole, down to one interval; p so
/// that the peak is `peak_to_mean` times the mean. Precondition: peak_to_mean is at most 2^levels.
std::vector<double> cascade(std::uint32_t levels, double mean, double peak_to_mean, core::RandomStream& random);

/// A text request: it ends with the last of its units.
struct TextRequest {
  Picoseconds issued = 0;
  Picoseconds ended = 0;
  std::uint32_t units = 0;  ///< that have not come yet
};

/// All that clients ask of a server of several disks (Shenoy, Goyal and Vin, section 2.3), as requests for single units, disk by disk.
///
/// Text clients: Poisson requests of normally distributed sizes, for the whole units from a random one of the set on; units in the cache are not read
/// again. Video clients: in rounds of 1 s, all beginning together, each fetches the units that hold the bytes of its next second, but those that it has
/// of the last round (a unit is fetched whole); they must come within the round. A client begins at a random place of a file and goes round. Bursty
/// text: the whole of one cascade between `begin` and `end`, its mean before. All is known before anything is served, so requests are made as they are
/// asked for. Same seed, same requests, whatever the order in which disks ask.
class Workload {
 public:
  /// Video files follow each other; `tables` has one each. Precondition: a stripe for what has clients, tables if there are video clients.
  Workload(const TextOptions& text, const Stripe& text_stripe, const VideoOptions& video, const Stripe& video_stripe,
           std::vector<workload::StreamTable> tables, std::uint32_t disks, Picoseconds begin, Picoseconds end,
           std::uint64_t seed);

  /// The next request of a disk; false after the last. Of a text request `stream` is its index in `text_requests`, of a video request
  /// its client.
  bool next(std::uint32_t disk, workload::Request& request);

  /// Called with each text request that has ended; one whose units are all in the cache has when it is made.
  void on_text_ended(std::function<void(const TextRequest&)> ended) { text_ended_ = std::move(ended); }
  /// A unit of a text request has come; after the last the index is another's.
  void unit_came(std::uint32_t index, Picoseconds when);
  /// Those under way, and others that have ended and have no units.
  const std::vector<TextRequest>& text_requests() const { return text_requests_; }
  std::uint64_t cache_hits() const { return cache_hits_; }
  std::uint64_t cache_uses() const { return cache_uses_; }
  /// Units of all video files.
  std::uint64_t video_units() const { return video_units_; }
  /// Bursty: length and number of the cascade's intervals, and the bytes of the requests of each second from `begin` on.
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
    double position = 0;          ///< in the file, bytes; goes on beyond its end
    std::uint64_t next_unit = 0;  ///< the first one that has not been fetched
  };

  bool advance();
  void text_request();
  void video_round();
  /// As if it had long been in use by uniform requests.
  void fill_cache(std::uint64_t seed);
  /// Is it in the cache? It now is, as the last one used.
  bool use_unit(std::uint64_t unit);
  void begin_bursts(std::uint64_t seed);
  void draw_text_time();
  void push(std::uint32_t disk, const workload::Request& request) { queues_[disk].push_back(request); }

  TextOptions text_;
  Stripe text_stripe_;
  Stripe video_stripe_;
  std::vector<workload::StreamTable> tables_;
  Picoseconds begin_;
  Picoseconds end_;
  std::uint64_t text_units_;
  core::RandomStream arrivals_;
  core::RandomStream places_;
  core::RandomStream sizes_;
  array::BlockCache cache_;    ///< of units, without their bytes
  std::vector<double> rates_;  ///< bursty: requests/s before `begin`, and in each interval
  std::size_t rate_ = 0;       ///< of them the present one
  double burst_interval_s_ = 0;
  std::vector<double> offered_bytes_;  ///< bursty: second by second from `begin` on
  double text_time_s_ = 0;
  Picoseconds next_text_;
  std::vector<File> files_;
  std::vector<Client> clients_;
  std::uint64_t video_units_ = 0;
  std::int64_t round_ = 0;
  std::vector<core::RingBuffer<workload::Request>> queues_;
  std::vector<TextRequest> text_requests_;
  std::vector<std::uint32_t> ended_;  ///< of them
  std::function<void(const TextRequest&)> text_ended_;
  std::uint64_t cache_hits_ = 0;
  std::uint64_t cache_uses_ = 0;
};

}  // namespace platter::host::mixed_server
