// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "platter/host/mixed_server/account.h"
#include "platter/observe/statistics.h"
#include "platter/system/hosts.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"

namespace platter::system {

namespace server = host::mixed_server;
using core::Picoseconds;
using core::RequestClass;

namespace {

/// One disk's share of the workload.
class DiskProducer : public workload::ProducerIf {
 public:
  DiskProducer(server::Workload& workload, std::uint32_t disk) : workload_(workload), disk_(disk) {}
  bool next(workload::Request& request, Picoseconds /*now*/) override { return workload_.next(disk_, request); }

 private:
  server::Workload& workload_;
  std::uint32_t disk_;
};

/// A disk and the host's way to it.
struct ServerDisk {
  std::unique_ptr<drive::Drive> drive;
  std::unique_ptr<DiskProducer> producer;
  std::unique_ptr<workload::Initiator> host;
  Picoseconds busy_before = 0;
};

double per(double value, std::uint64_t count) { return count > 0 ? value / static_cast<double>(count) : 0; }

struct Result {
  const server::Workload* work = nullptr;
  const server::Account* account = nullptr;
  const observe::Samples* response = nullptr;
  bool bursty = false;
  std::uint64_t unfinished = 0;
  std::int64_t clients = 0;
  std::uint64_t client_rounds = 0;
  std::vector<double> utilisation;

  double mean_utilisation() const {
    double sum = 0;
    for (const double share : utilisation) sum += share;
    return sum / static_cast<double>(utilisation.size());
  }
};

const params::Statistics<observe::Samples>& response_rows() {
  using S = observe::Samples;
  static const auto rows =
      params::Statistics<S>()
          .value("mean", "ms", "", "mean", [](const S& s) { return s.mean_ms(); }, {"mean response", 2})
          .value("p50", "ms", "", "p50, nearest rank", [](const S& s) { return s.percentile_ms(50); })
          .value("p95", "ms", "", "p95, nearest rank", [](const S& s) { return s.percentile_ms(95); }, {"p95", 2})
          .value("p99", "ms", "", "p99, nearest rank", [](const S& s) { return s.percentile_ms(99); })
          .value("max", "ms", "", "maximum", [](const S& s) { return s.max_ms(); });
  return rows;
}

const params::Statistics<server::Workload>& burst_rows() {
  using W = server::Workload;
  static const auto rows =
      params::Statistics<W>()
          .value("intervals", "", "a power of two", "count", [](const W& w) { return w.burst_intervals(); })
          .value("interval_s", "s", "length of one", "", [](const W& w) { return w.burst_interval_s(); })
          .value("offered_bytes_per_s", "bytes/s", "of all requests, second by second", "sum of each second",
                 [](const W& w) { return w.offered_bytes(); });
  return rows;
}

const params::Statistics<Result>& text_rows() {
  using R = Result;
  static const auto rows =
      params::Statistics<R>()
          .value("requests", "", "", "count", [](const R& r) { return std::uint64_t{r.response->count()}; }, {"text requests"})
          .value("unfinished", "", "of them, at the end", "count", [](const R& r) { return r.unfinished; }, {"unfinished"})
          .group("response_ms",
                 "of all requests, those that the cache answers at once and those unfinished, with their age, included",
                 response_rows(), [](const R& r) -> const observe::Samples& { return *r.response; })
          .value("units", "", "read from disks", "count", [](const R& r) { return r.account->text_units(); })
          .value("unit_queue_ms", "ms", "of these units", "mean",
                 [](const R& r) { return per(r.account->queue_ms(), r.account->text_units()); })
          .value("unit_service_ms", "ms", "the rest of their response", "mean",
                 [](const R& r) { return per(r.account->service_ms(), r.account->text_units()); })
          .value("cache_hit_share", "", "of all units asked for, from the run's start on", "share",
                 [](const R& r) { return per(static_cast<double>(r.work->cache_hits()), r.work->cache_uses()); },
                 {"units from the cache", 3})
          .group("bursts", "bursty arrivals only: the cascade over the measured time", burst_rows(),
                 [](const R& r) -> const server::Workload* { return r.bursty ? r.work : nullptr; });
  return rows;
}

const params::Statistics<Result>& video_rows() {
  using R = Result;
  static const auto rows =
      params::Statistics<R>()
          .value("clients", "", "", "", [](const R& r) { return r.clients; }, {"video clients"})
          .value("client_rounds", "", "clients times rounds of 1 s", "count", [](const R& r) { return r.client_rounds; })
          .value("violations", "", "of them, with a late unit", "count", [](const R& r) { return r.account->violations(); },
                 {"client-rounds with a late unit"})
          .value("violation_share", "", "", "share",
                 [](const R& r) { return per(static_cast<double>(r.account->violations()), r.client_rounds); },
                 {"share of them", 5})
          .value("units", "", "that came, or were due and had not come at the end", "count",
                 [](const R& r) { return r.account->video_units(); })
          .value("late_units", "", "of them, those that came late or had not come", "count",
                 [](const R& r) { return r.account->late_units(); }, {"late units"})
          .value("late_unit_share", "", "", "share",
                 [](const R& r) { return per(static_cast<double>(r.account->late_units()), r.account->video_units()); });
  return rows;
}

const params::Statistics<Result>& result_rows() {
  using R = Result;
  static const auto disks =
      params::Statistics<R>()
          .value("utilisation", "",
                 "share of the measured time in which an access ran, disk by disk; partitioned: those of text first",
                 "time-weighted mean", [](const R& r) { return r.utilisation; })
          .value("mean_utilisation", "", "of all disks", "mean", [](const R& r) { return r.mean_utilisation(); },
                 {"utilisation", 3});
  static const auto rows = params::Statistics<R>()
                               .section("text", "requests issued after the warm-up", text_rows())
                               .section("video", "units issued after the warm-up", video_rows())
                               .section("disks", "", disks);
  return rows;
}

server::TextOptions text_options(const server::MixedServerParameters& s) {
  server::TextOptions text;
  text.clients = static_cast<std::uint32_t>(s.text_clients);
  text.interval_s = s.interval_s;
  text.bursty = s.arrivals == "bursty";
  text.load_bytes_per_s = s.load_bytes_per_s;
  text.peak_to_mean = s.peak_to_mean;
  text.burst_interval_s = s.burst_interval_s();
  text.mean_bytes = static_cast<double>(s.mean_bytes);
  text.deviation_bytes = static_cast<double>(s.deviation_bytes);
  text.set_bytes = static_cast<std::uint64_t>(s.set_bytes);
  text.cache_bytes = static_cast<std::uint64_t>(s.cache_bytes);
  return text;
}

bool integrated(const server::MixedServerParameters& p) { return p.architecture == "integrated"; }
std::uint32_t disk_count(const server::MixedServerParameters& p) {
  return static_cast<std::uint32_t>(p.text_disks + p.video_disks);
}

/// Throws core::ConfigError if its files do not fit on the disks, or cannot be read.
std::unique_ptr<server::Workload> make_workload(const Scenario& scenario, const Timeline& time) {
  const server::MixedServerParameters& p = scenario.mixed_server;
  const auto text_disks = static_cast<std::uint32_t>(p.text_disks);
  const server::TextOptions text = text_options(p);
  server::VideoOptions video{static_cast<std::uint32_t>(p.video_clients), p.file_s, p.bits_per_s};
  const server::Stripe text_stripe{0, integrated(p) ? disk_count(p) : text_disks, static_cast<std::uint32_t>(p.text_unit_bytes),
                                   0};
  server::Stripe video_stripe{integrated(p) ? 0 : text_disks, integrated(p) ? disk_count(p) : disk_count(p) - text_disks,
                              static_cast<std::uint32_t>(p.video_unit_bytes), 0};
  if (integrated(p)) video_stripe.base = text_stripe.end(text.set_bytes / text_stripe.unit_bytes);
  std::vector<workload::StreamTable> tables;
  tables.reserve(p.tables.size());
  for (const params::FileName& file : p.tables) tables.push_back(workload::StreamTable::load(file.path));
  auto work = std::make_unique<server::Workload>(text, text_stripe, video, video_stripe, std::move(tables), disk_count(p),
                                                 time.warmup(), time.end(), static_cast<std::uint64_t>(scenario.run.seed));
  const std::uint64_t capacity = mechanics::Geometry(scenario.drive.geometry).capacity_bytes();
  if (text_stripe.end(text.set_bytes / text_stripe.unit_bytes) > capacity)
    scenario.refuse("text.set_bytes", fmt::format("the text does not fit on disks of {} bytes", capacity));
  if (video_stripe.end(work->video_units()) > capacity)
    scenario.refuse("video.file_s", fmt::format("the video files do not fit on disks of {} bytes", capacity));
  return work;
}

class MixedServerRun : public RunIf {
 public:
  MixedServerRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        p_(scenario.mixed_server),
        time_(scenario.run, options.progress),
        work_(make_workload(scenario, time_)),
        account_(*work_, time_.warmup()) {
    work_->on_text_ended([this](const server::TextRequest& request) {
      if (request.issued >= time_.warmup()) response_.add(request.ended - request.issued);
    });
    disks_.resize(disk_count(p_));
    for (std::uint32_t i = 0; i < disks_.size(); ++i) add_disk(i, options);
  }

  void run() override {
    time_.advance(time_.warmup());
    for (ServerDisk& disk : disks_) disk.busy_before = disk.drive->actuator().busy(time_.warmup());
    time_.advance(time_.end());
    result_ = {work_.get(), &account_, &response_, p_.arrivals == "bursty", 0, p_.video_clients, 0, {}};
    for (ServerDisk& disk : disks_) {
      disk.host->rethrow_failure();
      refusals_.rethrow(s_.file);
      disk.host->for_each_outstanding([&](const workload::Request& request) { account_.outstanding(request, time_.end()); });
      result_.utilisation.push_back(static_cast<double>(disk.drive->actuator().busy(time_.end()) - disk.busy_before) /
                                    static_cast<double>(time_.measured()));
    }
    for (const server::TextRequest& request : work_->text_requests()) {
      if (request.units == 0 || request.issued < time_.warmup()) continue;
      ++result_.unfinished;
      response_.add(time_.end() - request.issued);
    }
    result_.client_rounds = static_cast<std::uint64_t>(s_.run.measure_s) * static_cast<std::uint64_t>(p_.video_clients);
  }

  nlohmann::json result() const override { return params::to_json(result_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::uint64_t decisions() const override {
    std::uint64_t decisions = 0;
    for (const ServerDisk& disk : disks_) decisions += disk.drive->engine().statistics().decisions;
    return decisions;
  }

 private:
  const std::string& policy_of(std::uint32_t disk) const {
    return integrated(p_) ? s_.policy : disk < static_cast<std::uint32_t>(p_.text_disks) ? p_.text_policy : p_.video_policy;
  }

  void add_disk(std::uint32_t i, const RunOptions& options) {
    ServerDisk& disk = disks_[i];
    disk.drive = std::make_unique<drive::Drive>(fmt::format("disk{}", i).c_str(), drive_config(s_),
                                                system::engine_factory(engine_options(s_, policy_of(i), options)));
    disk.producer = std::make_unique<DiskProducer>(*work_, i);
    disk.host = std::make_unique<workload::Initiator>(fmt::format("host{}", i).c_str());
    disk.host->disk_init_socket.bind(disk.drive->host_tgt_socket);
    if (s_.drive.token_rate_bytes_per_s > 0) disk.host->best_effort_init_socket.bind(disk.drive->host_tgt_socket);
    // Half of the tags for each class, so that neither waits for the other outside the policy.
    disk.host->set_limit(RequestClass::Continuous, s_.drive.queue_depth / 2);
    disk.host->set_limit(RequestClass::Discrete, s_.drive.queue_depth / 2);
    disk.host->add_producer(*disk.producer);
    disk.host->add_observer(account_);
    disk.host->add_observer(refusals_);
  }

  const Scenario& s_;
  const server::MixedServerParameters& p_;
  Timeline time_;
  std::unique_ptr<server::Workload> work_;
  server::Account account_;
  RefusalWatch refusals_;
  observe::Samples response_;
  std::vector<ServerDisk> disks_;
  Result result_;
};

}  // namespace

HostInfo mixed_server_host() {
  return {"a server of text and video on several disks, partitioned or integrated",
          [](const Scenario& s) { make_workload(s, Timeline(s.run, {})); },
          [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
            return std::make_unique<MixedServerRun>(s, options);
          },
          []() -> const params::StatisticTable& { return result_rows(); }};
}

}  // namespace platter::system
