// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platter/core/random.h"
#include "platter/core/types.h"

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

/// Maximum number of levels of a cascade.
inline constexpr std::uint32_t kMaxLevels = 20;

/// Number of levels of a cascade over `seconds`: the power of two that is nearest, as a ratio, to the number of intervals. More
/// than kMaxLevels is returned as kMaxLevels + 1.
std::uint32_t cascade_levels(double seconds, double interval_s);

/// Rates of a multiplicative cascade of 2^levels intervals. Each half gets, at random, the share p or 1 - p of the whole, down to
/// one interval; p is chosen so that the peak is `peak_to_mean` times the mean. Precondition: peak_to_mean is at most 2^levels.
std::vector<double> cascade(std::uint32_t levels, double mean, double peak_to_mean, core::RandomStream& random);

/// The times at which the text requests of all clients arrive: a Poisson process. Bursty text follows one whole cascade between
/// `begin` and `end`, and its mean rate before.
class TextArrivals {
 public:
  TextArrivals(const TextOptions& text, Picoseconds begin, Picoseconds end, std::uint64_t seed);

  /// Time of the next request; kNoDeadline if there is none.
  Picoseconds next() const { return next_; }
  /// Draws the time of the request after it.
  void draw();

  bool bursty() const { return !rates_.empty(); }
  /// Bursty: length and number of the cascade's intervals.
  double burst_interval_s() const { return burst_interval_s_; }
  std::size_t burst_intervals() const { return rates_.size() - 1; }

 private:
  void make_rates(const TextOptions& text, double seconds, std::uint64_t seed);
  void draw_bursty();

  core::RandomStream random_;
  std::uint32_t clients_;
  double interval_s_;
  double begin_s_;
  std::vector<double> rates_;  ///< bursty: requests/s before `begin`, and in each interval
  std::size_t rate_ = 0;       ///< index of the current one
  double burst_interval_s_ = 0;
  double time_s_ = 0;
  Picoseconds next_ = core::kNoDeadline;
};

}  // namespace platter::host::mixed_server
