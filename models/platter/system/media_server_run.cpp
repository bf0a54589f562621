// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "platter/host/media_server/admission_run.h"
#include "platter/host/media_server/parameters.h"
#include "platter/host/media_server/simulated_disks.h"
#include "platter/mechanics/geometry.h"
#include "platter/system/simulated_drives.h"

namespace platter::system {

namespace server = host::media_server;

namespace {

/// Throws core::ConfigError for problems that loading a scenario cannot find.
server::AdmissionRunOptions run_options(const Scenario& scenario) {
  const auto& s = scenario.of_host<server::MediaServerParameters>();
  server::AdmissionRunOptions options;
  for (const server::ContentType& type : server::content_table())
    if (s.content == "mixed" || s.content == type.name) options.content.push_back(&type);
  options.seed = static_cast<std::uint64_t>(scenario.run.seed);
  options.generator.rounds = static_cast<std::uint32_t>(s.rounds);
  options.generator.scene_rounds = static_cast<std::uint32_t>(s.scene_rounds);
  options.generator.correlation = s.correlation;
  options.generator.seed = options.seed;
  options.disks = static_cast<std::uint32_t>(s.disks);
  options.block_bytes = static_cast<std::uint32_t>(s.block_bytes);
  options.stride_bytes = static_cast<std::uint32_t>(s.stride_bytes);
  options.disk_bytes = mechanics::Geometry(scenario.drive.geometry).capacity_bytes();
  options.fill_disks = s.fill_disks;
  options.times = server::DiskTimes::of(scenario.drive, s.rate_bytes_per_s, scenario.arrivals.guard_quantile);
  options.guard_quantile = scenario.arrivals.guard_quantile;
  options.placement = server::find_replica_placement(s.placement);
  options.reservation = server::find_reservation(s.reservation);
  options.decluster_bytes = static_cast<std::uint32_t>(s.decluster_bytes);
  options.load = s.load;
  options.warmup = static_cast<server::Round>(scenario.run.warmup_s);
  options.measure = static_cast<server::Round>(scenario.run.measure_s);
  if (s.failed_disk >= 0)
    options.failure = server::DiskFailure{static_cast<std::uint32_t>(s.failed_disk),
                                          static_cast<server::Round>(scenario.run.warmup_s + s.failure_s)};
  if (options.times.budget(server::kRoundTime) <= 0)
    scenario.refuse("drive", "two seeks over all cylinders take longer than a round of 1 s");
  if (s.simulated && options.disks > host::array::kMaxDrives)
    scenario.refuse("server.disks", fmt::format("found {}, expected at most {} simulated disks, or disks.simulated = false",
                                                options.disks, host::array::kMaxDrives));
  return options;
}

/// As server::run_admission(). Throws core::ConfigError if the streams cannot be stored.
server::AdmissionRunResult admit(const Scenario& scenario, const server::AdmissionRunOptions& options,
                                 const std::function<void(server::Round)>& progress = {},
                                 server::RoundWatchIf* watch = nullptr) {
  try {
    return server::run_admission(options, progress, watch);
  } catch (const std::length_error&) {
    scenario.refuse("server.disks", fmt::format("the streams do not fit on {} disks of {} strides", options.disks,
                                                options.disk_bytes / options.stride_bytes));
  } catch (const std::invalid_argument& error) {
    scenario.refuse("streams", error.what());
  }
}

/// Finds the problems of a run, without its rounds.
void check_run(const Scenario& scenario) {
  server::AdmissionRunOptions options = run_options(scenario);
  options.warmup = options.measure = 0;
  admit(scenario, options);
}

struct Result {
  const server::AdmissionRunOptions* options = nullptr;
  server::AdmissionRunResult admitted;
  std::optional<std::array<server::SimulatedRounds, 3>> simulated;
};

const params::Statistics<Result>& request_rows() {
  using R = Result;
  static const auto rows =
      params::Statistics<R>()
          .value("per_round", "1/round", "mean arrival rate of requests", "rate",
                 [](const R& r) { return r.admitted.arrivals_per_round; }, {"requests a round", 4})
          .value("tries", "rounds", "rounds after a request that are tried as its first round", "",
                 [](const R& r) { return r.admitted.tries; })
          .value("arrived", "", "requests that arrived", "count", [](const R& r) { return r.admitted.requests; }, {"requests"})
          .value("accepted", "", "requests that were accepted", "count", [](const R& r) { return r.admitted.accepted; },
                 {"accepted"})
          .value("rejected", "", "requests that were rejected", "count",
                 [](const R& r) { return r.admitted.requests - r.admitted.accepted; }, {"rejected"})
          .value("mean_start_delay_rounds", "rounds", "rounds from an accepted request to its first round", "mean",
                 [](const R& r) { return r.admitted.mean_start_delay; }, {"start delay", 2});
  return rows;
}

const params::Statistics<Result>& disk_time_rows() {
  using R = Result;
  static const auto rows =
      params::Statistics<R>()
          .value("access_ns", "ns", "time that is reserved for a read of one logical block", "",
                 [](const R& r) { return r.options->times.access(r.options->block_bytes); })
          .value("budget_ns", "ns", "time of a disk for all reads of a round, which is the round without 2 T_fullSeek", "",
                 [](const R& r) { return r.options->times.budget(server::kRoundTime); })
          .value("reserved_share", "", "reserved part of a round, 2 T_fullSeek included", "mean over disks and rounds",
                 [](const R& r) { return r.admitted.reserved_share; }, {"reserved share", 4})
          .value("reserved_for_failure_share", "", "part of a round that is reserved for backup copies",
                 "mean over disks and rounds", [](const R& r) { return r.admitted.reserved_for_failure_share; },
                 {"reserved for a failure", 4})
          .value("most_loaded_share", "", "reserved part of a round on its most loaded disk, 2 T_fullSeek included",
                 "mean over rounds", [](const R& r) { return r.admitted.most_loaded_share; }, {"most loaded disk", 4})
          .value("least_loaded_share", "", "reserved part of a round on its least loaded disk, 2 T_fullSeek included",
                 "mean over rounds", [](const R& r) { return r.admitted.least_loaded_share; }, {"least loaded disk", 4});
  return rows;
}

/// The result of a failure, and the failed disk.
struct Failure {
  std::uint32_t disk;
  server::FailureResult after;
};

const params::Statistics<Failure>& failure_rows() {
  using F = Failure;
  static const auto rows =
      params::Statistics<F>()
          .value("disk", "", "number of the disk that fails", "", [](const F& f) { return f.disk; }, {"disk that fails"})
          .value("streams_hit", "", "streams that lost their data of the failing round", "count",
                 [](const F& f) { return f.after.streams_hit; }, {"streams that lose a round"})
          .value("rounds_after", "rounds", "rounds after the failing round, in which reads go to the other copies", "count",
                 [](const F& f) { return f.after.rounds; })
          .value("stream_rounds", "", "stream-rounds after the failing round; a stream-round is one round of one stream",
                 "count", [](const F& f) { return f.after.stream_rounds; })
          .value("lost", "", "stream-rounds of these whose data no working disk holds", "count",
                 [](const F& f) { return f.after.lost; }, {"stream-rounds lost"})
          .value("late", "", "stream-rounds of these for which a disk had no time", "count",
                 [](const F& f) { return f.after.late; }, {"stream-rounds late"})
          .value("streams_missing", "", "streams with a lost or late round after the failing round", "count",
                 [](const F& f) { return f.after.streams_missing; })
          .value("used_share", "", "used part of a round on the other disks after the failing round, 2 T_fullSeek included",
                 "mean", [](const F& f) { return f.after.used_share; }, {"used after the failure", 4})
          .value("reserved_share", "", "reserved part of a round on the same disks in the same rounds, 2 T_fullSeek included",
                 "mean", [](const F& f) { return f.after.reserved_share; });
  return rows;
}

const params::Statistics<server::SimulatedRounds>& simulated_rows() {
  using S = server::SimulatedRounds;
  static const auto rows =
      params::Statistics<S>()
          .value("rounds", "rounds", "number of rounds", "count", [](const S& s) { return s.rounds; }, {"rounds"})
          .value("stream_rounds", "", "stream-rounds with data; a stream-round is one round of one stream", "count",
                 [](const S& s) { return s.stream_rounds; }, {"stream-rounds"})
          .value("reads", "", "commands to the disks", "count", [](const S& s) { return s.reads; }, {"reads"})
          .value("lost", "", "stream-rounds of which no working disk held all data, or of which a read failed", "count",
                 [](const S& s) { return s.lost; }, {"lost"})
          .value("late", "", "stream-rounds that were not complete when their round ended", "count",
                 [](const S& s) { return s.late; }, {"late"})
          .value("late_rounds", "", "rounds with a late stream-round", "count", [](const S& s) { return s.late_rounds; },
                 {"late rounds"})
          .value("busy_share", "",
                 "share of the working disks' time in which the mechanics worked, from the overhead to the end of the transfer",
                 "mean", [](const S& s) { return s.busy_share; }, {"busy", 4})
          .value("accounted_share", "",
                 "share of the working disks' time that the reservation's formula gives for the same reads", "mean",
                 [](const S& s) { return s.accounted_share; }, {"by the formula", 4})
          .value("reserved_share", "", "share of the working disks' time that was reserved, 2 T_fullSeek not included", "mean",
                 [](const S& s) { return s.reserved_share; }, {"reserved", 4});
  return rows;
}

using Phases = std::vector<std::pair<std::string_view, server::SimulatedRounds>>;
std::optional<Phases> phases_of(const Result& r) {
  constexpr std::array<std::string_view, 3> kNames = {"before", "failing_round", "after"};
  if (!r.simulated) return std::nullopt;
  Phases phases;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if ((*r.simulated)[i].rounds > 0) phases.emplace_back(kNames[i], (*r.simulated)[i]);
  return phases;
}

const params::Statistics<Result>& result_rows() {
  using R = Result;
  static const auto streams = params::Statistics<R>()
                                  .value("mean_active", "", "playing streams in a measured round", "mean",
                                         [](const R& r) { return r.admitted.mean_active; }, {"streams that play", 2})
                                  .value("most_active", "", "most playing streams in a measured round", "maximum",
                                         [](const R& r) { return r.admitted.most_active; }, {"most streams that play"});
  static const auto rows =
      params::Statistics<R>()
          .value("rounds", "rounds", "measured rounds", "count", [](const R& r) { return r.options->measure; })
          .section("requests", "requests of the measured rounds", request_rows())
          .section("streams", "streams that play", streams)
          .section("disk_time", "time of the disks in a round, which lasts 1 s; T_fullSeek is a seek over all cylinders",
                   disk_time_rows())
          .value("strides_used", "", "strides used on the fullest disk", "last",
                 [](const R& r) { return r.admitted.strides_used; })
          .group("failure", "time from the failing round to the end of the run; left out without `failure.disk`",
                 failure_rows(),
                 [](const R& r) {
                   return r.admitted.failure ? std::optional<Failure>({r.options->failure->disk, *r.admitted.failure})
                                             : std::nullopt;
                 })
          .by_name("simulated",
                   "what the disks did in the measured rounds, with `disks.simulated`: `before` has all rounds or those before "
                   "the failure, then follow `failing_round` and `after`",
                   simulated_rows(), phases_of);
  return rows;
}

class MediaServerRun : public RunIf {
 public:
  MediaServerRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario), options_(run_options(scenario)), progress_(options.progress) {
    if (s_.of_host<server::MediaServerParameters>().simulated)
      disks_ = std::make_unique<server::SimulatedDisks>(options_, s_.drive,
                                                        system::engine_factory(engine_options(s_, s_.policy, options)));
  }

  void run() override {
    const auto end = static_cast<double>(options_.warmup + options_.measure);
    const auto progress = [&](server::Round done) {
      if (progress_ && (done % 500 == 0 || static_cast<double>(done) == end)) progress_(static_cast<double>(done), end);
    };
    result_.options = &options_;
    result_.admitted = admit(s_, options_, progress, disks_.get());
    if (disks_) result_.simulated = disks_->result();
  }

  nlohmann::json result() const override { return params::to_json(result_rows(), &result_); }
  double simulated_s() const override { return static_cast<double>(options_.warmup + options_.measure); }
  std::uint64_t decisions() const override { return disks_ ? disks_->decisions() : 0; }

 private:
  const Scenario& s_;
  server::AdmissionRunOptions options_;
  std::function<void(double, double)> progress_;
  std::unique_ptr<server::SimulatedDisks> disks_;
  Result result_;
};

constexpr Section kMediaServer{"Media server", "A round lasts 1 s. The page [media server](media_server.md) has the rules.",
                               [](Scenario& s, params::Grammar& g) {
                                 g.add(server::media_server_parameters(), s.of_host<server::MediaServerParameters>());
                               }};

}  // namespace

HostInfo media_server_host() {
  HostInfo host;
  host.name = "media_server";
  host.description = "a media server: admission by reserved disk time, copies, a disk that fails";
  host.several_drives = true;
  host.sections = {&kMediaServer};
  host.set_defaults = [](Scenario& s) {
    s.own = server::MediaServerParameters{};
    s.policy = *scheduling::find_policy("C-LOOK");
    s.run.measure_s = 6000;
  };
  host.check = [](const Scenario& s, params::Findings& findings) {
    server::check(s.of_host<server::MediaServerParameters>(), s.drive, s.run, findings);
  };
  host.check_run = check_run;
  host.make = [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
    return std::make_unique<MediaServerRun>(s, options);
  };
  host.rows = []() -> const params::StatisticTable& { return result_rows(); };
  return host;
}

}  // namespace platter::system
