// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace platter::workload {

/// The frame sizes of one encoded clip, played round and round: how many bytes a continuous-media stream needs in
/// each round. Read from a CSV table (models/configs/streams):
///
///     # any comment
///     # duration_us: 120000
///     frame,pts_us,type,bytes
///     0,0,I,9000
///     1,40000,B,1000
///     2,80000,P,3000
///
/// Frames stand in presentation order, the first at 0; the clip starts again after duration_us, which must be later than the last frame's time.
class StreamTable {
 public:
  /// Throws core::InputError with file and line.
  static StreamTable load(const std::filesystem::path& path);

  /// Bytes of all frames presented at from_us <= time < to_us, the clip repeated without end in both directions.
  /// O(log frames). 0 if to_us <= from_us.
  std::uint64_t bytes_between(std::int64_t from_us, std::int64_t to_us) const;

  /// Bytes of round `round` (counted from 0) of a stream that entered the clip at `start_us`.
  std::uint64_t bytes_in_round(std::int64_t start_us, std::int64_t round_us, std::int64_t round) const {
    return bytes_between(start_us + round * round_us, start_us + (round + 1) * round_us);
  }

  std::size_t frames() const { return pts_us_.size(); }
  std::int64_t duration_us() const { return duration_us_; }
  std::uint64_t bytes_per_cycle() const { return prefix_.back(); }
  std::uint32_t largest_frame_bytes() const { return largest_frame_bytes_; }
  double mean_rate_bytes_per_s() const;
  /// The largest number of bytes in any window [t, t + window_us).
  std::uint64_t peak_bytes(std::int64_t window_us) const;
  double peak_rate_bytes_per_s(std::int64_t window_us = 1'000'000) const;

 private:
  StreamTable() = default;

  std::int64_t duration_us_ = 0;
  std::uint32_t largest_frame_bytes_ = 0;
  std::vector<std::int64_t> pts_us_;
  std::vector<std::uint64_t> prefix_{0};  ///< prefix_[k]: bytes of the first k frames
};

}  // namespace platter::workload
