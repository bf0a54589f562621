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

/// A round lasts 1 s, as table 3 has it.
inline constexpr Nanoseconds kRoundTime = kNanosecondsPerSecond;

struct DiskFailure {
  std::uint32_t disk = 0;
  Round round = 0;  ///< in which the disk's reads are lost; from the next one on they go to the other copies
};

struct AdmissionRunOptions {
  std::vector<const ContentType*> content;  ///< one stored stream each; requests go to them in turn
  ContentOptions generator;
  std::uint32_t disks = 1;
  std::uint32_t block_bytes = 16'384;
  std::uint32_t stride_bytes = 2u << 20;
  std::uint64_t disk_bytes = 0;  ///< space of a disk
  bool fill_disks = true;  ///< the streams are stored again and again, as long as they fit; playbacks take the storings in turn
  DiskTimes times;
  const ReplicaPlacementInfo* placement = nullptr;
  const ReservationInfo* reservation = nullptr;
  std::uint32_t decluster_bytes = 0;  ///< a multiple of block_bytes; 0: off
  double load = 0.8;  ///< rho, of the arrival rate that a server without overhead could keep up with (equation 1)
  std::uint64_t seed = 1;
  Round warmup = 0;
  Round measure = 1;
  std::optional<DiskFailure> failure;
};

/// The streams of a server, stored.
struct StoredLibrary {
  std::vector<StoredStream> streams;
  std::vector<StrideMap> strides;           ///< of each stream, where it is stored first
  std::vector<StreamSchedule> schedules;    ///< of each stream
  double mean_bytes = 0;                    ///< of a stream
  std::uint64_t strides_used = 0;           ///< on the fullest disk
  std::vector<std::uint64_t> times_stored;  ///< of each stream
  std::vector<std::uint64_t> set_blocks;    ///< of each disk: from one storing of a stream to the next

  /// Stream i begins on disk i modulo the number of disks.
  /// Throws std::invalid_argument for statistics that no stream has, std::length_error if a disk is full.
  explicit StoredLibrary(const AdmissionRunOptions& options);
};

/// A playback that was accepted, and has not ended.
struct Playback {
  std::size_t stream = 0;     ///< of the library
  std::uint64_t storing = 0;  ///< which of the times it is stored
  const StreamSchedule* schedule = nullptr;
  Admission admission;
  bool missing = false;  ///< a read after a failure was lost or late

  bool active(Round round) const { return admission.start <= round && round < admission.start + schedule->rounds(); }
};

/// Sees the rounds that are measured, each before its requests are decided on.
class RoundWatchIf {
 public:
  virtual ~RoundWatchIf() = default;
  /// `playbacks` in the order of admission.
  virtual void round(const StoredLibrary& library, const AdmissionControl& control, const std::vector<Playback>& playbacks) = 0;
};

/// What happened from the round of a failure on.
struct FailureResult {
  std::uint64_t streams_hit = 0;      ///< playbacks that lost their read of the failing round
  std::uint64_t lost = 0;             ///< stream-rounds after it whose data no disk had
  std::uint64_t late = 0;             ///< stream-rounds after it for which a disk had no time
  std::uint64_t streams_missing = 0;  ///< playbacks with a lost or late round after it
  std::uint64_t stream_rounds = 0;    ///< all after it
  Round rounds = 0;                   ///< after it
  double used_share = 0;              ///< of the round, mean over the other disks, 2 T_fullSeek included
  double reserved_share = 0;          ///< the same, as reserved
};

/// Requests and playbacks of the measured rounds. Shares are of a round's length and hold 2 T_fullSeek.
struct AdmissionRunResult {
  double arrivals_per_round = 0;  ///< lambda
  Round tries = 0;
  std::uint64_t requests = 0;
  std::uint64_t accepted = 0;
  double mean_start_delay = 0;  ///< rounds from the request's to the first one, of those accepted
  double mean_active = 0;
  std::uint64_t most_active = 0;
  double reserved_share = 0;              ///< mean over disks and rounds
  double reserved_for_failure_share = 0;  ///< the part that is kept for backup copies
  double most_loaded_share = 0;           ///< mean over rounds of the most loaded disk's
  double least_loaded_share = 0;
  std::uint64_t strides_used = 0;
  std::optional<FailureResult> failure;
};

/// Admission-only mode (section 6.1): Poisson requests, admission control and reservation; no data moves. `progress` is
/// called after each round with their number so far. Throws what StoredLibrary throws.
AdmissionRunResult run_admission(const AdmissionRunOptions& options, const std::function<void(Round)>& progress = {},
                                 RoundWatchIf* watch = nullptr);

}  // namespace platter::host::media_server
