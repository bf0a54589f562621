// SPDX-License-Identifier: Apache-2.0
//
// Values of a job in the notation of fio.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::workload {

/// Bytes with fio's suffixes (k, m, g, t, p, powers of 1024), or a share of the drive in percent: "4k", "25%".
struct Amount {
  Amount() = default;
  explicit Amount(std::uint64_t of_bytes) : notation(std::to_string(of_bytes)), bytes(of_bytes) {}

  std::string notation = "0";
  std::uint64_t bytes = 0;
  std::optional<double> percent;

  /// In bytes, of a whole of `capacity` bytes.
  std::uint64_t of(std::uint64_t capacity) const;
};
std::optional<Amount> find_amount(std::string_view text);
std::string amount_objection(std::string_view text);

/// Two values of one key, separated by a comma: of reads and of writes. One value is for both.
inline constexpr std::size_t kOfReads = 0;
inline constexpr std::size_t kOfWrites = 1;

/// Sizes of blocks with their shares in percent.
struct BlockShare {
  std::uint64_t bytes = 0;
  double percent = 0;
};

/// `bs`: "4k", or "4k,64k" for reads and writes.
struct BlockSize {
  std::string notation = "4k";
  std::array<std::uint64_t, 2> bytes{4096, 4096};
};
std::optional<BlockSize> find_block_size(std::string_view text);
std::string block_size_objection(std::string_view text);

/// `bsrange`: "1k-64k", or two of them. Empty: none.
struct BlockRange {
  struct Bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };

  std::string notation;
  std::array<Bounds, 2> bounds;
};
std::optional<BlockRange> find_block_range(std::string_view text);
std::string block_range_objection(std::string_view text);

/// `bssplit`: "4k/60:64k/40", or two of them. Sizes without a share divide the rest evenly. Empty: none.
struct BlockSplit {
  std::string notation;
  std::array<std::vector<BlockShare>, 2> shares;
};
std::optional<BlockSplit> find_block_split(std::string_view text);
std::string block_split_objection(std::string_view text);

/// `random_distribution`.
struct Distribution {
  enum class Kind : std::uint8_t { Uniform, Zipf, Pareto, Zoned };
  struct Zone {
    double accesses_percent = 0;
    double size_percent = 0;
  };

  std::string notation = "random";
  Kind kind = Kind::Uniform;
  double parameter = 0;     ///< Zipf: theta; Pareto: h
  std::vector<Zone> zones;  ///< Zoned, from the begin of the region
};
std::optional<Distribution> find_distribution(std::string_view text);
std::string distribution_objection(std::string_view text);

/// `cmdprio_percentage`: "5", or "5,0" for reads and writes.
struct Percentages {
  std::string notation = "0";
  std::array<double, 2> percent{};
};
std::optional<Percentages> find_percentages(std::string_view text);
std::string percentages_objection(std::string_view text);

}  // namespace platter::workload
