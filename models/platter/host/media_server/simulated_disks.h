// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "platter/core/pool.h"
#include "platter/drive/drive.h"
#include "platter/host/array/array.h"
#include "platter/host/media_server/admission_run.h"

namespace platter::host::media_server {

/// Results of the disks over some of the rounds.
struct SimulatedRounds {
  Round rounds = 0;
  std::uint64_t stream_rounds = 0;  ///< with data
  std::uint64_t reads = 0;          ///< commands
  std::uint64_t lost = 0;           ///< stream-rounds whose data no working disk held completely
  std::uint64_t late = 0;           ///< stream-rounds that were not complete at the end of their round
  std::uint64_t late_rounds = 0;    ///< rounds with a late stream
  // Means over rounds and working disks, as shares of a round, without 2 T_fullSeek. No value if no disk works.
  std::optional<double> busy_share;       ///< mechanics, from overhead to the end of the transfer
  std::optional<double> accounted_share;  ///< the same reads by the reservation's formula
  std::optional<double> reserved_share;
};

/// Simulated-disk mode (section 6.1): simulated drives carry out the admitted schedule round by round. The reads of a round are submitted at its
/// start, one command for each extent of a fragment, with the end of the round as deadline. A late read continues in the next round.
///
/// A disk that fails does so at the start of its round. From the next round on its reads go to the other copies.
class SimulatedDisks : public RoundWatchIf, private array::ArrayClientIf {
 public:
  /// Construct this before any simulated time has passed, because the first round begins at time 0. Throws std::invalid_argument
  /// for more disks than an array can have.
  SimulatedDisks(const AdmissionRunOptions& options, const profile::DriveProfile& profile,
                 const engine::EngineFactory& create_engine);

  void round(const StoredLibrary& library, const AdmissionControl& control, const std::vector<Playback>& playbacks) override;

  /// Results before the round of the failure, in that round, and after it.
  std::array<SimulatedRounds, 3> result() const;
  /// Decisions of all disks' engines so far.
  std::uint64_t decisions() const;

 private:
  /// A stream's data of a round.
  struct StreamRound {
    std::uint32_t on_way = 0;  ///< reads in progress
    bool lost = false;
    bool late = false;
    std::size_t phase = 0;
  };
  struct Read : array::ArrayRequest {
    StreamRound* of = nullptr;
  };

  void finished(array::ArrayRequest& request) override;
  bool on_failed(Range<Fragment> fragments, std::size_t phase) const;
  /// `offset_blocks`: offset from the stream's first stored instance on the fragment's disk.
  void read(const StrideMap& strides, std::uint64_t offset_blocks, Copy copy, const Fragment& fragment, StreamRound& of);
  /// From its failing round on, the failed disk is none of the working ones.
  bool works(std::uint32_t disk, std::size_t phase) const { return phase == 0 || disk != options_.failure->disk; }
  core::Picoseconds busy(std::size_t phase) const;

  const AdmissionRunOptions& options_;
  std::uint64_t disk_bytes_;
  std::vector<std::unique_ptr<drive::Drive>> disks_;
  std::unique_ptr<array::Array> array_;
  core::Pool<StreamRound> stream_rounds_;
  core::Pool<Read> reads_;
  std::vector<StreamRound*> current_;  ///< of the current round
  core::Picoseconds round_begin_ = 0;
  std::array<SimulatedRounds, 3> phases_;
  std::array<core::Picoseconds, 3> busy_{};
  std::array<Nanoseconds, 3> accounted_{};
  std::array<Nanoseconds, 3> reserved_{};
};

}  // namespace platter::host::media_server
