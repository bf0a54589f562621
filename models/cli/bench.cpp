// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <nlohmann/json.hpp>
#include <systemc>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/core/sc_time.h"
#include "platter/drive/drive.h"
#include "platter/observe/output_file.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engines.h"
#include "platter/system/host_meter.h"
#include "platter/version.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"
#include "process_pool.h"

namespace platter::cli {

using core::Picoseconds;
using nlohmann::json;

namespace {

struct Point {
  std::uint32_t depth;
  scheduling::PolicySpec policy;
  std::string transport;
};

/// Passes on a limited number of a producer's requests.
class Limited : public workload::ProducerIf {
 public:
  Limited(workload::ProducerIf& source, std::uint64_t requests) : source_(source), left_(requests) {}
  bool next(workload::Request& request, Picoseconds now) override {
    if (left_ == 0) return false;
    --left_;
    return source_.next(request, now);
  }
  std::uint32_t closed_depth() const override { return source_.closed_depth(); }

 private:
  workload::ProducerIf& source_;
  std::uint64_t left_;
};

/// How far the host may run ahead of the kernel where the drive is loosely timed.
constexpr Picoseconds kQuantum = 100 * core::kPicosecondsPerMillisecond;

/// A host that uses blocking calls: one thread for each outstanding request. Before a loosely timed drive it waits once a quantum.
class BlockingHost : public sc_core::sc_module {
 public:
  BlockingHost(const sc_core::sc_module_name& name, workload::ProducerIf& producer, std::uint32_t threads)
      : sc_module(name), disk_init_socket("disk_init_socket"), producer_(producer) {
    for (std::uint32_t i = 0; i < threads; ++i) sc_core::sc_spawn([this] { serve(); }, sc_core::sc_gen_unique_name("thread"));
  }
  tlm_utils::simple_initiator_socket<BlockingHost> disk_init_socket;

 private:
  void serve() {
    tlm::tlm_generic_payload payload;
    workload::Request request;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    while (producer_.next(request, core::now_ps() + core::to_ps(delay))) {
      payload.set_command(request.write() ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
      payload.set_address(request.address);
      payload.set_data_length(request.length);
      payload.set_streaming_width(request.length);
      payload.set_data_ptr(nullptr);
      payload.set_byte_enable_ptr(nullptr);
      payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
      disk_init_socket->b_transport(payload, delay);
      if (payload.is_response_error())
        throw core::SimulationError("the drive refused a request: " + payload.get_response_string());
      if (core::to_ps(delay) >= kQuantum) command::wait_for(delay);
    }
    command::wait_for(delay);
  }

  workload::ProducerIf& producer_;
};

engine::EngineFactory engine_of(const scheduling::PolicySpec& policy, const system::EngineChoice& choice,
                                const profile::DriveProfile& profile) {
  system::EngineOptions engine(profile);
  engine.engine = choice;
  engine.policy = policy;
  return system::engine_factory(engine);
}

/// The time that the simulation itself takes, without elaboration.
struct Elapsed {
  double cpu_s = 0;
  double wall_s = 0;
  std::uint64_t deltas = 0;
};
Elapsed simulate() {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration and the first requests
  const std::uint64_t deltas = sc_core::sc_delta_count();
  const system::HostMeter meter;
  sc_core::sc_start();
  return {meter.cpu_s(), meter.wall_s(), sc_core::sc_delta_count() - deltas};
}

json measure(const Point& point, const BenchOptions& options, const system::EngineChoice& engine) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  drive::DriveConfig config;
  config.profile = system::load_drive(options.drive);
  config.profile.queue_depth = point.depth;
  config.holds_data = false;
  config.loosely_timed = point.transport == "lt";
  drive::Drive disk("disk", config, engine_of(point.policy, engine, config.profile));
  const mechanics::Geometry& geometry = disk.planner().geometry();
  workload::RandomProducer::Options random;
  random.closed_depth = point.depth;
  random.read_fraction = 1;
  random.mean_bytes = 4096;
  random.seed = options.seed;
  workload::RandomProducer reads({geometry.block_count(), geometry.sector_bytes()}, random);
  Limited producer(reads, options.requests);
  std::unique_ptr<workload::Initiator> host;
  std::unique_ptr<BlockingHost> blocking;
  if (point.transport == "nb") {
    host = std::make_unique<workload::Initiator>("host");
    host->disk_init_socket.bind(disk.host_tgt_socket);
    host->add_producer(producer);
  } else {
    blocking = std::make_unique<BlockingHost>("host", producer, point.depth);
    blocking->disk_init_socket.bind(disk.host_tgt_socket);
  }
  const Elapsed elapsed = simulate();
  if (host) host->rethrow_failure();
  if (disk.host_port().completed() != options.requests)
    throw core::SimulationError(
        fmt::format("{} of {} requests were completed", disk.host_port().completed(), options.requests));
  const auto requests = static_cast<double>(options.requests);
  return {{"drive", options.drive},
          {"depth", point.depth},
          {"policy", point.policy.notation},
          {"engine", options.engine},
          {"transport", point.transport},
          {"requests", options.requests},
          {"requests_per_cpu_s", requests / elapsed.cpu_s},
          {"requests_per_wall_s", requests / elapsed.wall_s},
          {"events_per_request", static_cast<double>(elapsed.deltas) / requests},
          {"simulated_requests_per_s", requests / (core::to_milliseconds(core::now_ps()) * 1e-3)},
          {"peak_memory_mib", system::peak_memory_mib()}};
}

}  // namespace

int bench(const BenchOptions& options) {
  system::load_drive(options.drive);  // reports a bad name before any run
  const std::unique_ptr<observe::OutputFile> file = observe::open_output(options.result);
  const system::EngineChoice engine = *system::find_engine(options.engine);
  std::vector<scheduling::PolicySpec> policies;
  for (const std::string& notation : options.policies) {
    const std::optional<scheduling::PolicySpec> policy = scheduling::find_policy(notation);
    if (!policy) throw core::InputError("--policy", 0, 0, scheduling::policy_objection(notation));
    policies.push_back(*policy);
  }
  std::vector<Point> points;
  for (const std::string& transport : options.transports)
    for (const scheduling::PolicySpec& policy : policies)
      for (const std::uint32_t depth : options.depths) {
        const system::Objection objection = system::engine_objection(engine, policy, depth);
        if (!objection.empty()) throw core::InputError("--engine", 0, 0, objection.message());
        if (transport == "lt" && depth != 1)
          throw core::InputError("--depth", 0, 0,
                                 fmt::format("found {}, expected 1: a loosely timed drive has one request at a time", depth));
        if (transport == "lt" && engine.row->accelerated)
          throw core::InputError(
              "--engine", 0, 0,
              fmt::format(
                  "found {}, expected firmware or own:DIR: the interrupt of an accelerator is a signal of the kernel, and "
                  "a loosely timed drive does not wait for it",
                  engine.notation));
        points.push_back({depth, policy, transport});
      }
  // One after the other, each in a process of its own, so that the measurements do not disturb each other.
  const std::vector<ProcessAnswer> answers = run_processes(
      points.size(), 1, [&](std::size_t i) { return measure(points[i], options, engine); },
      options.quiet ? "" : "measurements");
  json runs = json::array();
  for (const ProcessAnswer& answer : answers) {
    if (answer.code != kGood) {
      fmt::print(stderr, "{}\n", answer.error);
      return answer.code;
    }
    runs.push_back(answer.result);
  }
  json result = {{"schema", 1}, {"version", PLATTER_VERSION}};
  if (!options.quiet) {
    fmt::print("{}, random reads of 4 KB over the whole drive, closed loop, {} requests, engine {}\n\n", options.drive,
               options.requests, options.engine);
    fmt::print("{:<10}{:<8}{:>6} | {:>16}{:>12} | {:>14}{:>10}\n", "transport", "policy", "depth", "requests per CPU s",
               "deltas each", "simulated 1/s", "MiB");
    for (const json& run : runs)
      fmt::print("{:<10}{:<8}{:>6} | {:>18.0f}{:>12.2f} | {:>14.1f}{:>10.1f}\n", run["transport"].get<std::string>(),
                 run["policy"].get<std::string>(), run["depth"].get<std::uint32_t>(), run["requests_per_cpu_s"].get<double>(),
                 run["events_per_request"].get<double>(), run["simulated_requests_per_s"].get<double>(),
                 run["peak_memory_mib"].get<double>());
  }
  if (file) {
    result["runs"] = runs;
    file->write(core::json_text(result) + "\n");
    file->commit();
  }
  return kGood;
}

}  // namespace platter::cli
