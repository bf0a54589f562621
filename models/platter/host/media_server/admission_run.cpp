// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/admission_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platter/core/random.h"
#include "platter/host/media_server/service_account.h"

namespace platter::host::media_server {

namespace {

/// Accumulates sums over rounds and computes the means of the result.
class Meter {
 public:
  Meter(const AdmissionRunOptions& options, AdmissionRunResult& result) : options_(options), result_(result) {}

  void round(const AdmissionControl& control, std::uint64_t active) {
    active_ += active;
    result_.most_active = std::max(result_.most_active, active);
    Nanoseconds most = 0;
    Nanoseconds least = kRoundTime;
    for (std::uint32_t disk = 0; disk < options_.disks; ++disk) {
      const Nanoseconds reserved = control.reserved(control.now(), disk);
      most = std::max(most, reserved);
      least = std::min(least, reserved);
      reserved_ += reserved;
      for_failure_ += control.reserved_for_failure(control.now(), disk);
    }
    most_ += most;
    least_ += least;
  }
  void finish() {
    const auto rounds = static_cast<double>(options_.measure);
    const double all = static_cast<double>(kRoundTime) * rounds;
    const double fixed = 2.0 * static_cast<double>(options_.times.full_seek) / static_cast<double>(kRoundTime);
    result_.mean_active = static_cast<double>(active_) / rounds;
    result_.reserved_share = fixed + static_cast<double>(reserved_) / (all * options_.disks);
    result_.reserved_for_failure_share = static_cast<double>(for_failure_) / (all * options_.disks);
    result_.most_loaded_share = fixed + static_cast<double>(most_) / all;
    result_.least_loaded_share = fixed + static_cast<double>(least_) / all;
    if (result_.accepted > 0) result_.mean_start_delay = static_cast<double>(delay_) / static_cast<double>(result_.accepted);
  }
  void request(const std::optional<Admission>& admission, Round now) {
    ++result_.requests;
    if (!admission) return;
    ++result_.accepted;
    delay_ += admission->start - now;
  }

 private:
  const AdmissionRunOptions& options_;
  AdmissionRunResult& result_;
  std::uint64_t active_ = 0;
  Round delay_ = 0;
  Nanoseconds reserved_ = 0;
  Nanoseconds for_failure_ = 0;
  Nanoseconds most_ = 0;
  Nanoseconds least_ = 0;
};

/// Accounts for every read from the failure on.
class FailureMeter {
 public:
  explicit FailureMeter(const AdmissionRunOptions& options)
      : options_(options), account_(options.disks, options.times.budget(kRoundTime)) {}

  void round(const AdmissionControl& control, std::vector<Playback>& playbacks) {
    const Round now = control.now();
    const DiskFailure& failure = *options_.failure;
    if (now < failure.round) return;
    const bool redirected = now > failure.round;
    account_.begin_round(failure.disk, redirected);
    for (Playback& playback : playbacks) {
      if (!playback.active(now)) continue;
      const Round own = now - playback.admission.start;
      const Service service =
          account_.serve(playback.schedule->demand(own), playback.admission.copies[static_cast<std::size_t>(own)]);
      count(service, redirected, playback);
    }
    if (!redirected) return;
    ++result_.rounds;
    for (std::uint32_t disk = 0; disk < options_.disks; ++disk) {
      if (disk == failure.disk) continue;
      used_ += account_.used(disk);
      reserved_ += control.reserved(now, disk);
    }
  }
  FailureResult finish() {
    const double fixed = 2.0 * static_cast<double>(options_.times.full_seek) / static_cast<double>(kRoundTime);
    const double all = static_cast<double>(kRoundTime) * static_cast<double>(result_.rounds) * (options_.disks - 1);
    if (all > 0) {
      result_.used_share = fixed + static_cast<double>(used_) / all;
      result_.reserved_share = fixed + static_cast<double>(reserved_) / all;
    }
    return result_;
  }

 private:
  void count(Service service, bool redirected, Playback& playback) {
    if (!redirected) {
      result_.streams_hit += service == Service::Lost;
      return;
    }
    ++result_.stream_rounds;
    result_.lost += service == Service::Lost;
    result_.late += service == Service::Late;
    if (service == Service::Served || playback.missing) return;
    playback.missing = true;
    ++result_.streams_missing;
  }

  const AdmissionRunOptions& options_;
  ServiceAccount account_;
  FailureResult result_;
  Nanoseconds used_ = 0;
  Nanoseconds reserved_ = 0;
};

}  // namespace

StoredLibrary::StoredLibrary(const AdmissionRunOptions& options) {
  const std::uint32_t stride_blocks = options.stride_bytes / options.block_bytes;
  StrideAllocator allocator(options.disks, stride_blocks, options.disk_bytes / options.stride_bytes);
  for (const ContentType* type : options.content) {
    const std::vector<std::uint32_t> bytes = generate_rounds(*type, options.generator);
    mean_bytes += std::accumulate(bytes.begin(), bytes.end(), 0.0) / static_cast<double>(options.content.size());
    StripingOptions striping;
    striping.disks = options.disks;
    striping.first_disk = static_cast<std::uint32_t>(streams.size() % options.disks);
    striping.decluster_blocks = options.decluster_bytes / options.block_bytes;
    const std::unique_ptr<ReplicaPlacementIf> placement = options.placement->create(options.disks, options.seed, type->name);
    streams.emplace_back(blocks_per_round(bytes, options.block_bytes), striping, placement.get());
    strides.emplace_back(streams.back(), allocator);
    schedules.emplace_back(streams.back(), options.times, options.block_bytes);
  }
  times_stored.assign(streams.size(), 1);
  for (std::uint32_t disk = 0; disk < options.disks; ++disk) set_blocks.push_back(allocator.used(disk) * stride_blocks);
  if (options.fill_disks)
    // A disk's strides are allocated in ascending order, so every further set of streams has the same layout as the first one.
    for (std::size_t i = 0; allocator.take_all_of(streams[i]); i = (i + 1) % streams.size()) ++times_stored[i];
  for (std::uint32_t disk = 0; disk < options.disks; ++disk) strides_used = std::max(strides_used, allocator.used(disk));
}

AdmissionRunResult run_admission(const AdmissionRunOptions& options, const std::function<void(Round)>& progress,
                                 RoundWatchIf* watch) {
  const StoredLibrary library(options);
  AdmissionRunResult result;
  result.strides_used = library.strides_used;
  const double completions_per_round = options.disks * static_cast<double>(options.times.bytes_per_s) / library.mean_bytes;
  result.arrivals_per_round = options.load * completions_per_round;
  result.tries = static_cast<Round>(std::ceil(1 / result.arrivals_per_round));

  AdmissionControl control(*options.reservation, options.disks, options.times.budget(kRoundTime), options.generator.rounds,
                           result.tries);
  core::RandomStream arrivals(options.seed, "server.arrivals");
  double next_arrival = arrivals.exponential() / result.arrivals_per_round;
  std::size_t next_stream = 0;
  std::vector<std::uint64_t> started(library.streams.size(), 0);  // playbacks of each stream
  std::vector<Playback> playbacks;                                // in the order of admission
  Meter meter(options, result);
  FailureMeter failure(options);
  const Round end = options.warmup + options.measure;
  for (; control.now() < end; control.advance()) {
    const Round now = control.now();
    const bool measured = now >= options.warmup;
    playbacks.erase(std::remove_if(playbacks.begin(), playbacks.end(),
                                   [now](const Playback& p) { return p.admission.start + p.schedule->rounds() <= now; }),
                    playbacks.end());
    if (measured)
      meter.round(control, static_cast<std::uint64_t>(std::count_if(playbacks.begin(), playbacks.end(),
                                                                    [now](const Playback& p) { return p.active(now); })));
    if (options.failure) failure.round(control, playbacks);
    if (measured && watch != nullptr) watch->round(library, control, playbacks);
    while (next_arrival < static_cast<double>(now + 1)) {
      const StreamSchedule& schedule = library.schedules[next_stream];
      std::optional<Admission> admission = control.request(schedule);
      if (measured) meter.request(admission, now);
      if (admission) {
        const std::uint64_t storing = started[next_stream]++ % library.times_stored[next_stream];
        playbacks.push_back({next_stream, storing, &schedule, std::move(*admission)});
      }
      next_stream = (next_stream + 1) % library.schedules.size();
      next_arrival += arrivals.exponential() / result.arrivals_per_round;
    }
    if (progress) progress(now + 1);
  }
  meter.finish();
  if (options.failure) result.failure = failure.finish();
  return result;
}

}  // namespace platter::host::media_server
