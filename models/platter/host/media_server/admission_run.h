// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platter/host/media_server/admission_control.h"
#include "platter/host/media_server/stream_content.h"
#include "platter/host/media_server/strides.h"

namespace platter::host::media_server {

/// Length of a round: 1 s, as in table 3.
inline constexpr Nanoseconds kRoundTime = kNanosecondsPerSecond;

struct DiskFailure {
  std::uint32_t disk = 0;
  Round round = 0;  ///< round in which the disk's reads are lost; from the next round on they go to the other copies
};

struct AdmissionRunOptions {
  std::vector<const ContentType*> content;  ///< types of the stored streams, one each; requests choose the streams in turn
  ContentOptions generator;
  std::uint32_t disks = 1;
  std::uint32_t block_bytes = 16'384;
  std::uint32_t stride_bytes = 2u << 20;
  std::uint64_t disk_bytes = 0;  ///< space of a disk
  bool fill_disks = true;        ///< store the streams repeatedly while they fit; playbacks use the instances in turn
  DiskTimes times;
  const ReplicaPlacementInfo* placement = nullptr;
  const ReservationInfo* reservation = nullptr;
  std::uint32_t decluster_bytes = 0;  ///< a multiple of block_bytes; 0: off
  double load = 0.8;  ///< rho: part of the arrival rate that a server without overhead could sustain (equation 1)
  std::uint64_t seed = 1;
  double guard_quantile = mechanics::kGuardQuantile;  ///< of the arrivals that admission and the disks count on
  Round warmup = 0;
  Round measure = 1;
  std::optional<DiskFailure> failure;
};

/// The stored streams of a server.
struct StoredLibrary {
  std::vector<StoredStream> streams;
  std::vector<StrideMap> strides;           ///< of each stream, for its first stored instance
  std::vector<StreamSchedule> schedules;    ///< of each stream
  double mean_bytes = 0;                    ///< of a stream
  std::uint64_t strides_used = 0;           ///< on the fullest disk
  std::vector<std::uint64_t> times_stored;  ///< of each stream
  std::vector<std::uint64_t> set_blocks;    ///< of each disk: offset from one stored instance of a stream to the next

  /// Stream i begins on disk i modulo the number of disks. Throws std::invalid_argument for statistics that no stream can have,
  /// std::length_error if a disk is full.
  explicit StoredLibrary(const AdmissionRunOptions& options);
};

/// An accepted playback that has not ended.
struct Playback {
  std::size_t stream = 0;     ///< index in the library
  std::uint64_t storing = 0;  ///< index of its stored instance
  const StreamSchedule* schedule = nullptr;
  Admission admission;
  bool missing = false;  ///< a read after a failure was lost or late

  bool active(Round round) const { return admission.start <= round && round < admission.start + schedule->rounds(); }
};

/// Called for each measured round, before the requests of the round are decided.
class RoundWatchIf {
 public:
  virtual ~RoundWatchIf() = default;
  /// `playbacks` in the order of admission.
  virtual void round(const StoredLibrary& library, const AdmissionControl& control, const std::vector<Playback>& playbacks) = 0;
};

/// Results from the round of a failure on.
struct FailureResult {
  std::uint64_t streams_hit = 0;      ///< playbacks that lost their read in the round of the failure
  std::uint64_t lost = 0;             ///< later stream-rounds whose data no disk held
  std::uint64_t late = 0;             ///< later stream-rounds for which a disk had no time
  std::uint64_t streams_missing = 0;  ///< playbacks with a lost or late round after the failure
  std::uint64_t stream_rounds = 0;    ///< all stream-rounds after the failure
  Round rounds = 0;                   ///< rounds after the failure
  // Means over the rounds after the failure and over the other disks, as shares of a round, including 2 T_fullSeek. No value if there are none.
  std::optional<double> used_share;
  std::optional<double> reserved_share;
};

/// Requests and playbacks of the measured rounds. Shares are relative to a round's length and include 2 T_fullSeek.
struct AdmissionRunResult {
  double arrivals_per_round = 0;  ///< lambda
  Round tries = 0;
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  std::optional<double> mean_start_delay;  ///< mean number of rounds from the request to the first round, if any was accepted
  double mean_active = 0;
  std::uint64_t most_active = 0;
  double reserved_share = 0;              ///< mean over disks and rounds
  double reserved_for_failure_share = 0;  ///< part that is reserved for backup copies
  double most_loaded_share = 0;           ///< mean over rounds of the most loaded disk's
  double least_loaded_share = 0;
  std::uint64_t strides_used = 0;
  std::optional<FailureResult> failure;
};

/// Admission-only mode (section 6.1): Poisson requests, admission control and reservation; no data moves. Calls `progress` after
/// each round with the number of rounds so far. Throws the exceptions of StoredLibrary.
AdmissionRunResult run_admission(const AdmissionRunOptions& options, const std::function<void(Round)>& progress = {},
                                 RoundWatchIf* watch = nullptr);

}  // namespace platter::host::media_server
