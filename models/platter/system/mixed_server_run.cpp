// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "platter/host/mixed_server/account.h"
#include "platter/host/mixed_server/parameters.h"
#include "platter/host/mixed_server/workload.h"
#include "platter/observe/statistics.h"
#include "platter/system/disk_waves.h"
#include "platter/system/disks.h"
#include "platter/system/hosts.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/request_files.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"

namespace platter::system {

namespace mixed = host::mixed_server;
using core::Picoseconds;

namespace {

struct MixedResult {
  const mixed::TextClients* text = nullptr;
  const mixed::Account* account = nullptr;
  const observe::Samples* response = nullptr;
  bool bursty = false;
  std::uint64_t issued = 0;  ///< text requests, in the measured time
  std::uint64_t failed = 0;  ///< of them
  std::uint64_t unfinished = 0;
  Picoseconds oldest = 0;
  std::int64_t clients = 0;
  std::uint64_t client_rounds = 0;
  host::array::ArrayResult array;
  std::optional<drive::EnergyStatistics> energy;

  double mean_utilisation() const {
    double sum = 0;
    for (const double share : array.utilisation) sum += share;
    return sum / static_cast<double>(array.utilisation.size());
  }
};

const params::Statistics<observe::Samples>& response_rows() {
  using S = observe::Samples;
  static const auto rows =
      params::Statistics<S>()
          .value("mean", "ms", "mean response time", "mean", [](const S& s) { return s.mean_ms(); }, {"mean response", 2})
          .value("p50", "ms", "half of the response times are at most this", "p50, nearest rank",
                 [](const S& s) { return s.percentile_ms(50); })
          .value("p95", "ms", "95 % of the response times are at most this", "p95, nearest rank",
                 [](const S& s) { return s.percentile_ms(95); }, {"p95", 2})
          .value("p99", "ms", "99 % of the response times are at most this", "p99, nearest rank",
                 [](const S& s) { return s.percentile_ms(99); })
          .value("max", "ms", "longest response time", "maximum", [](const S& s) { return s.max_ms(); });
  return rows;
}

const params::Statistics<mixed::TextClients>& burst_rows() {
  using T = mixed::TextClients;
  static const auto rows =
      params::Statistics<T>()
          .value("intervals", "", "intervals of the cascade, a power of two", "count",
                 [](const T& t) { return t.arrivals().burst_intervals(); })
          .value("interval_s", "s", "length of an interval", "", [](const T& t) { return t.arrivals().burst_interval_s(); })
          .value("offered_bytes_per_s", "bytes/s", "data of all requests issued in each second", "sum of each second",
                 [](const T& t) { return t.offered_bytes(); });
  return rows;
}

const params::Statistics<MixedResult>& text_rows() {
  using R = MixedResult;
  static const auto rows =
      params::Statistics<R>()
          .value("requests", "", "requests issued in the measured time", "count", [](const R& r) { return r.issued; },
                 {"text requests"})
          .value("failed", "", "requests of these with a unit that no working disk holds", "count",
                 [](const R& r) { return r.failed; }, {"failed"})
          .value("completions", "",
                 "requests that completed in the measured time, whenever they were issued; those that the cache serves at once "
                 "included",
                 "count", [](const R& r) { return std::uint64_t{r.response->count()}; }, {"completions"})
          .value("unfinished", "", "requests that had not ended when the run ended, whenever they were issued", "count",
                 [](const R& r) { return r.unfinished; }, {"unfinished"})
          .value("oldest_ms", "ms", "age of the oldest unfinished request; null if there is none", "maximum",
                 [](const R& r) {
                   return r.unfinished > 0 ? std::optional<double>(core::to_milliseconds(r.oldest)) : std::nullopt;
                 },
                 {"oldest unfinished", 2})
          .group("response_ms", "response times of the `completions`; null without them", response_rows(),
                 [](const R& r) -> const observe::Samples& { return *r.response; })
          .value("units", "", "units that were read from disks and completed in the measured time", "count",
                 [](const R& r) { return r.account->text_units(); })
          .value("unit_queue_ms", "ms", "queue part of the response time of these units", "mean",
                 [](const R& r) { return params::mean(r.account->queue_ms(), r.account->text_units()); })
          .value("unit_service_ms", "ms", "other parts of the response time of these units", "mean",
                 [](const R& r) { return params::mean(r.account->service_ms(), r.account->text_units()); })
          .value("cache_hit_share", "",
                 "share of units found in the cache, of all units requested from the start of the run on", "share",
                 [](const R& r) { return params::mean(static_cast<double>(r.text->cache().hits()), r.text->cache().uses()); },
                 {"units from the cache", 3})
          .group("bursts", "the cascade over the measured time; left out unless arrivals are bursty", burst_rows(),
                 [](const R& r) -> const mixed::TextClients* { return r.bursty ? r.text : nullptr; });
  return rows;
}

const params::Statistics<MixedResult>& video_rows() {
  using R = MixedResult;
  static const auto rows =
      params::Statistics<R>()
          .value("clients", "", "number of video clients", "", [](const R& r) { return r.clients; }, {"video clients"})
          .value("client_rounds", "", "clients times measured rounds of 1 s", "count",
                 [](const R& r) { return r.client_rounds; })
          .value("violations", "", "client-rounds with a late unit", "count",
                 [](const R& r) { return r.account->violations(); }, {"client-rounds with a late unit"})
          .value("violation_share", "", "`violations` divided by `client_rounds`", "share",
                 [](const R& r) { return params::mean(static_cast<double>(r.account->violations()), r.client_rounds); },
                 {"share of late client-rounds", 5})
          .value("units", "", "units that came, were lost, or were due and had not come when the run ended", "count",
                 [](const R& r) { return r.account->video_units(); })
          .value("late_units", "", "units of these that came late, had not come, or were lost", "count",
                 [](const R& r) { return r.account->late_units(); }, {"late units"})
          .value(
              "late_unit_share", "", "`late_units` divided by `units`", "share",
              [](const R& r) { return params::mean(static_cast<double>(r.account->late_units()), r.account->video_units()); })
          .value("lost_units", "", "late units that no working disk holds", "count",
                 [](const R& r) { return r.account->lost_units(); }, {"lost units"});
  return rows;
}

const params::Statistics<MixedResult>& mixed_server_rows() {
  using R = MixedResult;
  static const auto disks =
      params::Statistics<R>()
          .value("utilisation", "",
                 "share of the measured time in which an access ran, for each disk; partitioned: the text disks come first",
                 "time-weighted mean", [](const R& r) { return r.array.utilisation; })
          .value("mean_utilisation", "", "mean over all disks", "mean", [](const R& r) { return r.mean_utilisation(); },
                 {"utilisation", 3});
  static const auto rows =
      params::Statistics<R>()
          .section("text", "requests of the text clients", text_rows())
          .section("video", "units of the video clients that were issued after the warm-up", video_rows())
          .section("disks", "utilisation of the disks", disks)
          .group("energy", "energy of the disks; requests are the text requests; left out for a profile without power",
                 drive::energy_rows(), [](const R& r) { return r.energy; })
          .group("array", "the array of disks; all values but `utilisation` count from the start of the run, warm-up included",
                 host::array::array_rows(), [](const R& r) -> const host::array::ArrayResult& { return r.array; });
  return rows;
}

std::unique_ptr<mixed::Workload> make_workload(const Scenario& scenario, const Timeline& time) {
  const auto& p = scenario.of_host<mixed::MixedServerParameters>();
  mixed::TextOptions text;
  text.clients = static_cast<std::uint32_t>(p.text_clients);
  text.unit_bytes = static_cast<std::uint32_t>(p.text_unit_bytes);
  text.interval_s = p.interval_s;
  text.bursty = p.arrivals == "bursty";
  text.load_bytes_per_s = p.load_bytes_per_s;
  text.peak_to_mean = p.peak_to_mean;
  text.burst_interval_s = p.burst_interval_s();
  text.mean_bytes = static_cast<double>(p.mean_bytes);
  text.deviation_bytes = static_cast<double>(p.deviation_bytes);
  text.set_bytes = static_cast<std::uint64_t>(p.set_bytes);
  text.cache_bytes = static_cast<std::uint64_t>(p.cache_bytes);
  const mixed::VideoOptions video{static_cast<std::uint32_t>(p.video_clients), static_cast<std::uint32_t>(p.video_unit_bytes),
                                  p.file_s, p.bits_per_s, p.rounds == "staggered"};
  std::vector<workload::StreamTable> tables;
  tables.reserve(p.tables.size());
  for (const params::FileName& file : p.tables) tables.push_back(workload::StreamTable::load(file.path));
  return std::make_unique<mixed::Workload>(text, video, std::move(tables), time.warmup(), time.end(),
                                           static_cast<std::uint64_t>(scenario.run.seed));
}

/// Parts of each class over a whole disk, `areas` = "spread".
constexpr std::uint64_t kSpreadParts = 32;

/// Text and, after it in the array, the video files: on all disks, or each on its own disks. On the disks they lie as `areas` says. Each class has
/// half of the tags, so that neither waits for the other except by decision of the policy; a rebuild may take as many from both. Throws
/// core::ConfigError if they do not fit.
host::array::ArrayConfig array_config(const Scenario& scenario, const mixed::Workload& work) {
  const auto& p = scenario.of_host<mixed::MixedServerParameters>();
  const auto text_disks = static_cast<std::uint32_t>(p.text_disks);
  const std::uint32_t copies = scenario.redundancy.copies;
  host::array::ArrayConfig config;
  config.drives = p.disks();
  config.tags = scenario.drive.queue_depth;
  config.class_tags.fill(scenario.drive.queue_depth / 2);
  const std::uint64_t capacity = mechanics::Geometry(scenario.drive.geometry).capacity_bytes();
  const std::uint64_t sector = scenario.drive.geometry.sector_bytes;
  std::vector<std::uint64_t> part_ends(
      kSpreadParts);  // spread: behind what lies in each part of a disk that both classes share
  const auto add = [&](std::uint64_t units, std::int64_t unit, std::uint32_t first, std::uint32_t drives, const char* key,
                       const char* what) {
    const auto unit_bytes = static_cast<std::uint64_t>(unit);
    const bool fits = units <= capacity / unit_bytes * config.drives;  // so that their bytes are a number
    const std::uint32_t over = drives > 0 ? drives : config.drives - first;
    const auto bytes_on_drive = [&](std::uint64_t some) {
      return host::array::StripeArea::rows_of(some, over) * copies * unit_bytes;
    };
    host::array::StripeArea area{units * unit_bytes, unit_bytes, first, drives, copies > 1, false};
    std::string why = fits ? "" : "more units than the disks have";
    if (fits && p.areas == "apart" && p.integrated() && !config.areas.empty() && bytes_on_drive(units) <= capacity)
      area.at = static_cast<std::int64_t>((capacity - bytes_on_drive(units)) / sector * sector);
    if (fits && p.areas == "spread") {
      if (!p.integrated()) std::fill(part_ends.begin(), part_ends.end(), 0);
      std::uint64_t done = 0;
      for (std::uint64_t i = 0; i < kSpreadParts; ++i) {
        const std::uint64_t behind = units * (i + 1) / kSpreadParts;
        if (behind == done) continue;
        area.bytes = (behind - done) * unit_bytes;
        area.at = static_cast<std::int64_t>(capacity / kSpreadParts * i / sector * sector + part_ends[i]);
        part_ends[i] += bytes_on_drive(behind - done);
        if (part_ends[i] > capacity / kSpreadParts - sector) why = "more units than the part of a disk has";
        done = behind;
        config.areas.push_back(area);
      }
    } else {
      config.areas.push_back(area);
    }
    try {
      if (why.empty()) host::array::StripeMap(config.drives, capacity, scenario.drive.geometry.sector_bytes, config.areas);
    } catch (const std::invalid_argument& error) {
      why = error.what();
    }
    if (!why.empty()) scenario.refuse(key, fmt::format("{} on disks of {} bytes: {}", what, capacity, why));
  };
  add(work.text().units(), p.text_unit_bytes, 0, p.integrated() ? 0 : text_disks, "text.set_bytes", "the text does not fit");
  if (work.video().units() > 0)
    add(work.video().units(), p.video_unit_bytes, p.integrated() ? 0 : text_disks, 0, "video.file_s",
        "the video files do not fit");
  return config;
}

class MixedServerRun : public RunIf {
 public:
  MixedServerRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        p_(scenario.of_host<mixed::MixedServerParameters>()),
        files_(scenario, options),
        time_(scenario.run, options.progress, options.until),
        work_(make_workload(scenario, time_)),
        account_(work_->text(), time_.warmup()),
        disks_(
            scenario, drive_config(scenario),
            [&](std::uint32_t i) { return system::engine_factory(engine_options(s_, policy_of(i), options)); },
            array_config(scenario, *work_)),
        waves_(scenario, options, disks_) {
    work_->text().requests().on_ended([this](const mixed::TextRequest& request) {
      const bool issued_within = request.issued >= time_.warmup();
      if (issued_within) ++result_.issued;
      if (issued_within && request.failed) ++result_.failed;
      if (!request.failed && (issued_within || request.ended > time_.warmup())) response_.add(request.ended - request.issued);
    });
    disks_.bind(host_.disk_init_socket);
    host_.add_producer(*work_);
    host_.add_observer(account_);
    host_.add_observer(refusals_);
    files_.observe(host_);
    files_.observe_drives(disks_);
  }

  void run() override {
    time_.advance(time_.warmup());
    const std::vector<Picoseconds> busy_before = disks_.busy();
    const std::vector<drive::PowerTimes> power_before = disks_.power_times();
    time_.advance(time_.end());
    host_.rethrow_failure();
    refusals_.rethrow(s_.file);
    host_.for_each_outstanding([&](const workload::Request& request) { account_.outstanding(request, time_.end()); });
    for (const mixed::TextRequest& request : work_->text().requests().all()) {
      if (request.units == 0) continue;
      ++result_.unfinished;
      result_.oldest = std::max(result_.oldest, time_.end() - request.issued);
      if (request.issued >= time_.warmup()) ++result_.issued;
    }
    result_.text = &work_->text();
    result_.account = &account_;
    result_.response = &response_;
    result_.bursty = p_.arrivals == "bursty";
    result_.clients = p_.video_clients;
    result_.client_rounds = static_cast<std::uint64_t>(s_.run.measure_s) * static_cast<std::uint64_t>(p_.video_clients);
    result_.energy = disks_.energy(power_before, time_.measured(), response_.count());
    result_.array = *disks_.array_result(disks_.utilisation(busy_before, time_.measured()));
  }

  nlohmann::json result() const override { return params::to_json(mixed_server_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::uint64_t decisions() const override {
    std::uint64_t decisions = 0;
    for (const auto& drive : disks_.drives())
      for (std::size_t i = 0; i < drive->actuators(); ++i) decisions += drive->engine(i).statistics().decisions;
    return decisions;
  }
  std::vector<observe::OutputFile*> outputs() override { return files_.outputs(waves_.close()); }

 private:
  const scheduling::PolicySpec& policy_of(std::uint32_t disk) const {
    return p_.integrated() ? s_.policy : disk < static_cast<std::uint32_t>(p_.text_disks) ? p_.text_policy : p_.video_policy;
  }

  const Scenario& s_;
  const mixed::MixedServerParameters& p_;
  RequestFiles files_;
  Timeline time_;
  std::unique_ptr<mixed::Workload> work_;
  mixed::Account account_;
  Disks disks_;
  workload::Initiator host_{"host"};
  RefusalWatch refusals_;
  DiskWaves waves_;  // behind the host, whose first requests are in the first sample
  observe::Samples response_;
  MixedResult result_;
};

constexpr Section kMixedServer{"Server of text and video",
                               "The page [server of text and video](mixed_server.md) has the rules.",
                               [](Scenario& s, params::Grammar& g) {
                                 g.add(mixed::mixed_server_parameters(), s.of_host<mixed::MixedServerParameters>());
                               }};

void check_mixed_server(const Scenario& s, params::Findings& findings) {
  const auto& p = s.of_host<mixed::MixedServerParameters>();
  host::array::check(s.redundancy, p.disks(), s.failure.fails_at_s, findings);
  if (s.redundancy.replaced && s.redundancy.copies == 1)
    findings.add("failure.replaced", "found true, expected array.copies = 2: there is nothing to copy the units from");
  mixed::check(p, s.redundancy.copies, s.drive, s.run, findings);
  observe::check(s.waves, findings);
}

}  // namespace

HostInfo mixed_server_host() {
  HostInfo host;
  host.name = "mixed_server";
  host.description = "a server of text and video on several disks, partitioned or integrated";
  host.several_drives = true;
  host.keeps_logs = true;
  host.sections = {&failure_section(), &redundancy_section(), &kMixedServer};
  host.set_defaults = [](Scenario& s) {
    s.own = mixed::MixedServerParameters{};
    s.policy = *scheduling::find_policy("CELLO(1|1|0)");
    s.run.warmup_s = 10;
    s.run.measure_s = 100;
  };
  host.check = check_mixed_server;
  host.check_run = [](const Scenario& s) { array_config(s, *make_workload(s, Timeline(s.run, {}))); };
  host.policies = [](const Scenario& s) -> std::vector<scheduling::PolicySpec> {
    const auto& p = s.of_host<mixed::MixedServerParameters>();
    if (p.integrated()) return {s.policy};
    return {p.text_policy, p.video_policy};
  };
  host.make = [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
    return std::make_unique<MixedServerRun>(s, options);
  };
  host.rows = []() -> const params::StatisticTable& { return mixed_server_rows(); };
  return host;
}

}  // namespace platter::system
