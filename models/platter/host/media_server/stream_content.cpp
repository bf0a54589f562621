// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/stream_content.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "platter/core/random.h"

namespace platter::host::media_server {

namespace {

using core::RandomStream;

[[noreturn]] void impossible(const ContentType& type) {
  throw std::invalid_argument("no sequence of rounds has the mean, the largest and the variation of " + std::string(type.name));
}

/// Rounds of the largest value, except for a few low ones.
std::vector<std::uint32_t> two_levels(const ContentType& type, const ContentOptions& options, RandomStream& random) {
  const std::uint64_t rounds = options.rounds;
  const std::uint64_t range = type.largest_bytes - kMinBytesPerRound;
  const double missing = static_cast<double>(type.largest_bytes) - type.mean_bytes;  // from the mean to the largest
  const double deviation = type.variation * type.mean_bytes;
  const double depth = missing + deviation * deviation / missing;
  const std::uint64_t all_missing = (type.largest_bytes - type.mean_bytes) * rounds;
  const std::uint64_t fewest = (all_missing + range - 1) / range;
  const std::uint64_t low =
      std::max({static_cast<std::uint64_t>(static_cast<double>(rounds) * missing / depth + 0.5), fewest, std::uint64_t{1}});
  if (low >= rounds) impossible(type);
  std::vector<std::uint32_t> bytes(rounds, type.largest_bytes);
  for (std::uint64_t i = 0; i < low;) {
    std::uint32_t& round = bytes[random.below(rounds)];
    if (round != type.largest_bytes) continue;
    round -= static_cast<std::uint32_t>(all_missing / low + (i < all_missing % low ? 1 : 0));
    ++i;
  }
  return bytes;
}

/// Reorders the values by the ranks of a first-order Gaussian process (AR(1)), which keeps their distribution.
void correlate(std::vector<double>& values, double correlation, RandomStream& random) {
  const double innovation = std::sqrt(1 - correlation * correlation);
  std::vector<double> process;
  process.reserve(values.size());
  double last = random.normal();
  for (std::size_t i = 0; i < values.size(); ++i) {
    process.push_back(last);
    last = correlation * last + innovation * random.normal();
  }
  std::vector<std::size_t> by_rank(values.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::size_t a, std::size_t b) { return process[a] != process[b] ? process[a] < process[b] : a < b; });
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t rank = 0; rank < sorted.size(); ++rank) values[by_rank[rank]] = sorted[rank];
}

/// Scales and shifts the values until mean and deviation are those of the type; `top` marks the rounds of the largest value.
void fit(std::vector<double>& values, const std::vector<bool>& top, const ContentType& type) {
  const double least = kMinBytesPerRound;
  const double largest = type.largest_bytes;
  const double deviation = type.variation * type.mean_bytes;
  const auto count = static_cast<double>(values.size());
  for (int step = 0; step < 1000; ++step) {
    double sum = 0;
    for (const double value : values) sum += value;
    const double mean = sum / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double found = std::sqrt(squares / count);
    if (std::abs(mean - type.mean_bytes) < 0.01 && std::abs(found - deviation) < 1e-7 * deviation) return;
    if (found == 0) break;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = top[i] ? largest : std::clamp(type.mean_bytes + (values[i] - mean) * deviation / found, least, largest);
  }
  impossible(type);
}

/// Rounds the values to whole bytes so that their mean is exact.
std::vector<std::uint32_t> whole_bytes(const std::vector<double>& values, const std::vector<bool>& top,
                                       const ContentType& type) {
  std::vector<std::uint32_t> bytes;
  std::int64_t excess = -static_cast<std::int64_t>(type.mean_bytes) * static_cast<std::int64_t>(values.size());
  for (const double value : values) {
    bytes.push_back(static_cast<std::uint32_t>(value + 0.5));
    excess += bytes.back();
  }
  while (excess != 0) {
    const std::int64_t before = excess;
    for (std::size_t i = 0; i < bytes.size() && excess != 0; ++i) {
      if (top[i]) continue;
      if (excess > 0 && bytes[i] > kMinBytesPerRound) {
        --bytes[i];
        --excess;
      } else if (excess < 0 && bytes[i] < type.largest_bytes) {
        ++bytes[i];
        ++excess;
      }
    }
    if (excess == before) impossible(type);
  }
  return bytes;
}

}  // namespace

const std::vector<ContentType>& content_table() {
  static const std::vector<ContentType> table = {
      {"science-fiction", 624'935, 1'201'221, 0.383}, {"music-clip", 624'728, 1'201'221, 0.366},
      {"action", 624'194, 1'201'221, 0.245},          {"talk-show", 624'729, 1'201'221, 0.234},
      {"adventure", 624'658, 1'201'221, 0.201},       {"documentary", 625'062, 625'786, 0.028},
  };
  return table;
}

const ContentType* find_content(std::string_view name) {
  for (const ContentType& row : content_table())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::uint32_t> generate_rounds(const ContentType& type, const ContentOptions& options) {
  if (options.rounds == 0 || options.scene_rounds == 0 || type.mean_bytes <= kMinBytesPerRound ||
      type.mean_bytes >= type.largest_bytes)
    impossible(type);
  RandomStream random(options.seed, "content." + std::string(type.name));
  const double range = static_cast<double>(type.largest_bytes) - kMinBytesPerRound;
  const double mean = (type.mean_bytes - static_cast<double>(kMinBytesPerRound)) / range;
  const double deviation = type.variation * type.mean_bytes / range;
  const double weight = mean * (1 - mean) / (deviation * deviation) - 1;
  if (weight <= 0) impossible(type);  // not even values at the two bounds alone vary that much
  const double alpha = mean * weight;
  const double beta = (1 - mean) * weight;
  if (alpha < 1 || beta < 1) return two_levels(type, options, random);

  std::vector<double> values;
  while (values.size() < options.rounds) {
    const double rise = random.gamma(alpha);
    const double level = kMinBytesPerRound + range * rise / (rise + random.gamma(beta));
    do values.push_back(level);
    while (values.size() < options.rounds && random.below(options.scene_rounds) != 0);
  }
  if (options.correlation > 0) correlate(values, options.correlation, random);
  const double highest = *std::max_element(values.begin(), values.end());
  std::vector<bool> top;
  for (double& value : values) {
    top.push_back(value == highest);
    if (top.back()) value = type.largest_bytes;
  }
  fit(values, top, type);
  return whole_bytes(values, top, type);
}

}  // namespace platter::host::media_server
