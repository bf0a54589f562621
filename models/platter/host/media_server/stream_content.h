// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace platter::host::media_server {

/// Bytes per round of a variable bit-rate stream, as statistics (Anastasiadis, Sevcik and Stumm, table 3). A round lasts 1 s.
struct ContentType {
  std::string_view name;
  std::uint32_t mean_bytes = 0;
  std::uint32_t largest_bytes = 0;
  double variation = 0;  ///< coefficient of variation: deviation over mean
};

/// The six types of table 3, in its order.
const std::vector<ContentType>& content_table();
/// Returns nullptr if no type has that name.
const ContentType* find_content(std::string_view name);

/// The encoder's least rate, 1 Mbit/s (section 6.3), in bytes per round.
inline constexpr std::uint32_t kMinBytesPerRound = 125'000;

struct ContentOptions {
  std::uint32_t rounds = 1800;
  std::uint32_t scene_rounds = 1;  ///< mean length of scenes of constant rate; 1: the rate changes in each round
  double correlation = 0;          ///< of a round's rate with the one before's; below 1; only with scenes of one round
  std::uint64_t seed = 1;
};

/// Bytes of each round, shape (rounds,), none below the encoder's least rate. The mean (to the byte) and the largest value are
/// those of the type. The distribution is beta between the least rate and the largest, and the coefficient of variation is that of
/// the type to 1e-6. If the mass of the distribution would lie at the bounds (a mean near the largest), the sequence has rounds of
/// the largest value and a few low ones, as many and as low as mean and variation need. The variation is then as near as a whole
/// number of low rounds allows. Throws std::invalid_argument if no sequence has these statistics.
std::vector<std::uint32_t> generate_rounds(const ContentType& type, const ContentOptions& options);

}  // namespace platter::host::media_server
