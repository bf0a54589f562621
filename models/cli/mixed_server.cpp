// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>

#include "commands.h"
#include "host_meter.h"
#include "platter/accelerator/engines.h"
#include "platter/config/loader.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/core/sc_time.h"
#include "platter/host/mixed_server/account.h"
#include "platter/observe/output_file.h"
#include "platter/observe/statistics.h"

namespace platter::cli {

namespace server = host::mixed_server;
using core::Picoseconds;
using core::RequestClass;
using nlohmann::json;

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

std::unique_ptr<drive::Drive> make_drive(const config::MixedServerScenario& s, const std::string& name, const std::string& policy) {
  accelerator::EngineOptions engine(s.drive);
  engine.policy = *scheduling::find_policy(policy);
  engine.readings = s.readings;
  drive::DriveConfig config;
  config.profile = s.drive;
  config.holds_data = false;
  return std::make_unique<drive::Drive>(name.c_str(), config, accelerator::engine_factory(engine));
}

json response_json(const observe::Samples& response) {
  return {{"mean", response.mean_ms()},
          {"p50", response.percentile_ms(50)},
          {"p95", response.percentile_ms(95)},
          {"p99", response.percentile_ms(99)},
          {"max", response.max_ms()}};
}

double per(double value, std::uint64_t count) { return count > 0 ? value / static_cast<double>(count) : 0; }

int dump(const config::MixedServerScenario& s, bool as_json) {
  fmt::print("{}", as_json ? core::json_text(config::effective_configuration(s)) + "\n" : config::dump_scenario(s));
  return kGood;
}

}  // namespace

int server_mixed(const ServerOptions& options) {
  const config::MixedServerScenario s = config::load_mixed_server(options.scenario, options.overrides);
  if (options.dump) return dump(s, options.json);
  const std::unique_ptr<observe::OutputFile> result_file = observe::open_output(options.result);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  const auto wall_start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();

  const bool integrated = s.architecture == "integrated";
  const auto text_disks = static_cast<std::uint32_t>(s.text_disks);
  const auto disks = static_cast<std::uint32_t>(s.text_disks + s.video_disks);
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
  server::VideoOptions video{static_cast<std::uint32_t>(s.video_clients), s.file_s, s.bits_per_s};
  const server::Stripe text_stripe{0, integrated ? disks : text_disks, static_cast<std::uint32_t>(s.text_unit_bytes), 0};
  server::Stripe video_stripe{integrated ? 0 : text_disks, integrated ? disks : disks - text_disks,
                              static_cast<std::uint32_t>(s.video_unit_bytes), 0};
  if (integrated) video_stripe.base = text_stripe.end(text.set_bytes / text_stripe.unit_bytes);
  std::vector<workload::StreamTable> tables;
  tables.reserve(s.tables.size());
  for (const config::FileName& file : s.tables) tables.push_back(workload::StreamTable::load(file.path));
  const Picoseconds warmup = core::to_picoseconds(s.warmup_s, core::kPicosecondsPerSecond);
  const Picoseconds end = warmup + core::to_picoseconds(s.measure_s, core::kPicosecondsPerSecond);
  server::Workload work(text, text_stripe, video, video_stripe, std::move(tables), disks, warmup, end, static_cast<std::uint64_t>(s.seed));
  const std::uint64_t capacity = mechanics::Geometry(s.drive.geometry).capacity_bytes();
  if (text_stripe.end(text.set_bytes / text_stripe.unit_bytes) > capacity)
    s.refuse("text.set_bytes", fmt::format("the text does not fit on disks of {} bytes", capacity));
  if (video_stripe.end(work.video_units()) > capacity)
    s.refuse("video.file_s", fmt::format("the video files do not fit on disks of {} bytes", capacity));

  observe::Samples response;
  work.on_text_ended([&response, warmup](const server::TextRequest& request) {
    if (request.issued >= warmup) response.add(request.ended - request.issued);
  });
  server::Account account(work, warmup);
  std::vector<ServerDisk> all(disks);
  for (std::uint32_t i = 0; i < disks; ++i) {
    ServerDisk& disk = all[i];
    disk.drive = make_drive(s, fmt::format("disk{}", i), integrated ? s.policy : i < text_disks ? s.text_policy : s.video_policy);
    disk.producer = std::make_unique<DiskProducer>(work, i);
    disk.host = std::make_unique<workload::Initiator>(fmt::format("host{}", i).c_str());
    disk.host->disk_init_socket.bind(disk.drive->host_tgt_socket);
    if (s.drive.token_rate_bytes_per_s > 0) disk.host->best_effort_init_socket.bind(disk.drive->host_tgt_socket);
    // Half of the tags for each class, so that neither waits for the other outside the policy.
    disk.host->set_limit(RequestClass::Continuous, s.drive.queue_depth / 2);
    disk.host->set_limit(RequestClass::Discrete, s.drive.queue_depth / 2);
    disk.host->add_producer(*disk.producer);
    disk.host->add_observer(account);
  }
  if (warmup > 0) sc_core::sc_start(core::to_sc_time(warmup));
  for (ServerDisk& disk : all) disk.busy_before = disk.drive->actuator().busy(warmup);
  sc_core::sc_start(core::to_sc_time(end - warmup));

  json utilisation = json::array();
  double busy = 0;
  for (ServerDisk& disk : all) {
    disk.host->rethrow_failure();
    disk.host->for_each_outstanding([&](const workload::Request& request) { account.outstanding(request, end); });
    const double share = static_cast<double>(disk.drive->actuator().busy(end) - disk.busy_before) / static_cast<double>(end - warmup);
    utilisation.push_back(share);
    busy += share;
  }
  std::uint64_t unfinished = 0;
  for (const server::TextRequest& request : work.text_requests()) {
    if (request.units == 0 || request.issued < warmup) continue;
    ++unfinished;
    response.add(end - request.issued);
  }
  const auto rounds = static_cast<std::uint64_t>(s.measure_s);
  const std::uint64_t client_rounds = rounds * static_cast<std::uint64_t>(s.video_clients);
  const double violations = per(static_cast<double>(account.violations()), client_rounds);
  const double late = per(static_cast<double>(account.late_units()), account.video_units());

  if (!options.quiet) {
    fmt::print("{} server, {} disks {}, {:g} s (seed {})\n", s.architecture, disks, s.drive.name, s.measure_s, s.seed);
    fmt::print("text   {} requests, mean response {:.2f} ms (p95 {:.2f}), {} unfinished, {:.1f} % of units from the cache\n", response.count(),
               response.mean_ms(), response.percentile_ms(95), unfinished,
               100 * per(static_cast<double>(work.cache_hits()), work.cache_uses()));
    fmt::print("video  {} clients, {} of {} units late ({:.3f} %), {} of {} client-rounds with a late unit ({:.3f} %)\n", s.video_clients,
               account.late_units(), account.video_units(), 100 * late, account.violations(), client_rounds, 100 * violations);
    fmt::print("disks  {:.1f} % busy on average\n", 100 * busy / disks);
  }
  if (result_file) {
    json out = {
        {"schema", 1},
        {"version", PLATTER_VERSION},
        {"seed", s.seed},
        {"configuration", config::effective_configuration(s)},
        {"measured_s", s.measure_s},
        {"text",
         {{"requests", response.count()},
          {"unfinished", unfinished},
          {"response_ms", response_json(response)},
          {"units", account.text_units()},
          {"unit_queue_ms", per(account.queue_ms(), account.text_units())},
          {"unit_service_ms", per(account.service_ms(), account.text_units())},
          {"cache_hit_share", per(static_cast<double>(work.cache_hits()), work.cache_uses())}}},
        {"video",
         {{"clients", s.video_clients},
          {"client_rounds", client_rounds},
          {"violations", account.violations()},
          {"violation_share", violations},
          {"units", account.video_units()},
          {"late_units", account.late_units()},
          {"late_unit_share", late}}},
        {"disks", {{"utilisation", utilisation}, {"mean_utilisation", busy / disks}}},
        {"host",
         {{"wall_s", std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count()},
          {"cpu_s", cpu_seconds() - cpu_start}}}};
    if (text.bursty)
      out["text"]["bursts"] = {
          {"intervals", work.burst_intervals()}, {"interval_s", work.burst_interval_s()}, {"offered_bytes_per_s", work.offered_bytes()}};
    result_file->write(core::json_text(out) + "\n");
    result_file->commit();
    if (!options.quiet) fmt::print("result: {}\n", options.result);
  }
  return kGood;
}

}  // namespace platter::cli
