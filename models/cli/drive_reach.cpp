// SPDX-License-Identifier: Apache-2.0
#include "drive_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <systemc>
#include <thread>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"
#include "platter/drive/drive.h"
#include "platter/mechanics/access_planner.h"
#include "platter/scheduling/policies.h"
#include "platter/system/engines.h"
#include "platter/workload/generators.h"
#include "platter/workload/initiator.h"
#include "platter/workload/job.h"
#include "process_pool.h"

namespace platter::cli {

using core::Picoseconds;
using nlohmann::json;

namespace {

constexpr const char* kPolicy = "SPTF";
constexpr std::uint32_t kSequentialBytes = 256 * 1024;
constexpr std::uint32_t kSequentialDepth = 4;
constexpr std::uint64_t kMinSequential = 16ull * kSequentialDepth;  // requests; on a small drive they are shorter
constexpr std::uint64_t kMaxSequential = 2000;                      // requests
constexpr std::uint64_t kRandomReads = 6000;

struct Load {
  bool random;
  bool inner;  ///< sequential: at the end of the drive
  std::uint32_t bytes;
  std::uint32_t depth;
};
const std::vector<Load>& loads() {
  static const auto all = [] {
    std::vector<Load> loads{{false, false, kSequentialBytes, kSequentialDepth},
                            {false, true, kSequentialBytes, kSequentialDepth}};
    for (const std::uint32_t bytes : {4096u, 131072u})
      for (const std::uint32_t depth : {1u, 8u, 32u, 128u}) loads.push_back({true, false, bytes, depth});
    return loads;
  }();
  return all;
}

/// Measures the rate from one completion to a later one, and ends the simulation there.
class RateMeter : public workload::RequestObserverIf {
 public:
  RateMeter(std::uint64_t first, std::uint64_t last) : first_(first), last_(last) {}
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& /*finished*/) override {
    ++ended_;
    if (ended_ == first_) begin_ = core::now_ps();
    if (ended_ != last_) return;
    end_ = core::now_ps();
    sc_core::sc_stop();
  }
  double per_s() const {
    if (end_ <= begin_) throw core::SimulationError("a load of `drive show` did not end");
    return static_cast<double>(last_ - first_) / (core::to_milliseconds(end_ - begin_) * 1e-3);
  }

 private:
  std::uint64_t first_;
  std::uint64_t last_;
  std::uint64_t ended_ = 0;
  Picoseconds begin_ = 0;
  Picoseconds end_ = -1;
};

/// Returns the rate of requests, `per_s`, and their length, `bytes`.
json measure(const profile::DriveProfile& profile, const Load& load) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  system::EngineOptions engine(profile);
  engine.engine = *system::find_engine("firmware");
  engine.policy = *scheduling::find_policy(kPolicy);
  drive::DriveConfig config;
  config.profile = profile;
  config.holds_data = false;
  drive::Drive disk("disk", config, system::engine_factory(engine));
  const mechanics::Geometry& geometry = disk.planner().geometry();
  const std::uint64_t capacity = geometry.capacity_bytes();
  const workload::Target target{geometry.block_count(), geometry.sector_bytes()};
  std::unique_ptr<workload::ProducerIf> producer;
  std::uint32_t bytes = load.bytes;
  std::uint64_t requests = kRandomReads + load.depth;
  if (load.random) {
    workload::RandomProducer::Options random;
    random.closed_depth = load.depth;
    random.mean_bytes = bytes;
    producer = std::make_unique<workload::RandomProducer>(target, random);
  } else {
    while (capacity / bytes < kMinSequential && bytes / 2 >= geometry.sector_bytes()) bytes /= 2;
    requests = std::min(kMaxSequential, capacity / bytes);
    if (requests <= load.depth)
      throw core::SimulationError(fmt::format("the drive has {} bytes, too few for the loads of `drive show`", capacity));
    workload::JobParameters job;
    job.bs.bytes = {bytes, bytes};
    job.iodepth = load.depth;
    job.io_size.bytes = requests * bytes;
    job.offset.bytes = load.inner ? capacity - job.io_size.bytes : 0;
    producer = std::make_unique<workload::JobProducer>(job, workload::Request::kNoJob, 0, target, 1);
  }
  RateMeter meter(load.depth, requests);
  workload::Initiator host("host");
  host.disk_init_socket.bind(disk.host_tgt_socket);
  host.add_producer(*producer);
  host.add_observer(meter);
  sc_core::sc_start();
  host.rethrow_failure();
  return {{"per_s", meter.per_s()}, {"bytes", bytes}};
}

/// Mean over all seeks by the manuals' definition, seeks over one cylinder, a third of the stroke and all of it; in ms.
json seeks(const mechanics::SeekCurve& curve, std::uint32_t cylinders, Picoseconds settle) {
  const auto ms = [&](std::uint32_t distance) {
    return core::to_milliseconds(std::max<Picoseconds>(0, curve(distance) + settle));
  };
  const std::uint32_t last = cylinders - 1;
  double sum = 0;
  for (std::uint32_t n = 1; n <= last; ++n) sum += 2 * (last + 1.0 - n) * ms(n);
  return {
      {"single", ms(1)}, {"average", sum / ((last + 1.0) * last)}, {"third", ms(std::max(1u, last / 3))}, {"full", ms(last)}};
}

}  // namespace

json simulated_reach(const profile::DriveProfile& profile) {
  const mechanics::AccessPlanner planner(profile);
  const std::uint32_t cylinders = planner.geometry().cylinders();
  json reach;
  reach["policy"] = kPolicy;
  reach["seek_ms"]["read"] = seeks(planner.seek_curve(), cylinders, 0);
  reach["seek_ms"]["write"] = profile.seek.write_points_us.empty()
                                  ? seeks(planner.seek_curve(), cylinders, planner.write_settle())
                                  : seeks(mechanics::SeekCurve::of_writes(profile.seek, cylinders), cylinders, 0);
  const std::vector<ProcessAnswer> answers = run_processes(
      loads().size(), std::max(1u, std::thread::hardware_concurrency()),
      [&profile](std::size_t i) { return measure(profile, loads()[i]); }, "loads");
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].code != 0) throw core::SimulationError(answers[i].error);
    const Load& load = loads()[i];
    const double per_s = answers[i].result["per_s"].get<double>();
    if (load.random) {
      reach["random"].push_back(
          {{"bytes", load.bytes}, {"depth", load.depth}, {"reads_per_s", per_s}, {"mean_ms", load.depth / per_s * 1e3}});
    } else {
      const double bytes = answers[i].result["bytes"].get<double>();
      reach["sequential_mb_per_s"][load.inner ? "inner" : "outer"] = per_s * bytes * 1e-6;
      reach["sequential_bytes"] = bytes;
    }
  }
  return reach;
}

std::string reach_text(const json& reach) {
  std::string text = "In simulation it does:\n";
  for (const char* kind : {"read", "write"}) {
    const json& seek = reach["seek_ms"][kind];
    text += fmt::format(
        "seek, {:<8}{:.3f} ms one cylinder, {:.3f} mean (as manuals define it), {:.3f} a third of the stroke, {:.3f} full "
        "stroke\n",
        kind, seek["single"].get<double>(), seek["average"].get<double>(), seek["third"].get<double>(),
        seek["full"].get<double>());
  }
  text += fmt::format("sequential    {:.2f} MB/s outside, {:.2f} inside: reads of {:g} KiB, {} outstanding\n",
                      reach["sequential_mb_per_s"]["outer"].get<double>(), reach["sequential_mb_per_s"]["inner"].get<double>(),
                      reach["sequential_bytes"].get<double>() / 1024, kSequentialDepth);
  for (const std::uint32_t bytes : {4096u, 131072u}) {
    text += fmt::format("{:<14}", fmt::format("{} KiB reads", bytes / 1024));
    std::string row;
    for (const json& one : reach["random"])
      if (one["bytes"] == bytes)
        row += fmt::format("{}{:.1f} with {}", row.empty() ? "" : ", ", one["reads_per_s"].get<double>(),
                           one["depth"].get<std::uint32_t>());
    text += row + " outstanding [1/s]\n";
  }
  return text +
         fmt::format("              at uniform places, policy {}, engine firmware\n", reach["policy"].get<std::string>());
}

std::vector<std::string> reach_warnings(const profile::DriveProfile& profile, const json& reach, const sheet::Sheet* sheet) {
  std::vector<std::string> warnings;
  const mechanics::AccessPlanner planner(profile);
  const mechanics::Geometry& geometry = planner.geometry();
  const double turn_s = core::to_milliseconds(planner.rotation().period()) * 1e-3;
  const double bus_s = core::to_milliseconds(planner.bus_block_time(false)) * 1e-3;
  constexpr double kSlow = 0.75;  // of the rate at which the tracks pass
  for (const char* edge : {"outer", "inner"}) {
    const bool inner = edge == std::string("inner");
    const mechanics::ZoneSummary zone = geometry.zone(inner ? geometry.zone_count() - 1 : 0);
    const double block_s = std::max(turn_s / ((zone.least_sectors + zone.most_sectors) / 2.0), bus_s);
    const double passes = geometry.sector_bytes() / block_s * 1e-6;
    const double reached = reach["sequential_mb_per_s"][edge].get<double>();
    if (reached < kSlow * passes)
      warnings.push_back(fmt::format(
          "sequential reads at the {} edge reach {:.1f} MB/s, but tracks and bus carry {:.1f} MB/s: a skew is shorter than the "
          "switch that it has to cover, so the drive waits for a turn, or the buffer does not read ahead",
          edge, reached, passes));
  }
  const double mean = reach["seek_ms"]["read"]["average"].get<double>();
  constexpr double kFar = 0.02;
  if (profile.seek.model == profile::SeekModel::ThreePoint && std::abs(mean / (profile.seek.average_us * 1e-3) - 1) > kFar)
    warnings.push_back(fmt::format(
        "seek.average_us = {:g} is the time over a third of the stroke; the mean of all seeks, which manuals give as the "
        "average, is {:.3f} ms",
        profile.seek.average_us, mean));
  if (sheet == nullptr) return warnings;
  const auto compare = [&warnings](const char* key, const std::optional<double>& stated, double unit, const char* unit_name,
                                   double does, double tolerance) {
    if (!stated || std::abs(does / (*stated / unit) - 1) <= tolerance) return;
    warnings.push_back(fmt::format("the sheet has {} = {:g} {}, but the drive does {:.3f} {}", key, *stated / unit, unit_name,
                                   does, unit_name));
  };
  constexpr double kSeek = 0.02;
  constexpr double kRate = 0.05;
  const json& seek = reach["seek_ms"];
  compare("seek_single", sheet->seek_single, 1e3, "ms", seek["read"]["single"].get<double>(), kSeek);
  compare("seek_average", sheet->seek_average, 1e3, "ms", seek["read"]["average"].get<double>(), kSeek);
  compare("seek_full", sheet->seek_full, 1e3, "ms", seek["read"]["full"].get<double>(), kSeek);
  compare("seek_write_single", sheet->seek_write_single, 1e3, "ms", seek["write"]["single"].get<double>(), kSeek);
  compare("seek_write_average", sheet->seek_write_average, 1e3, "ms", seek["write"]["average"].get<double>(), kSeek);
  compare("seek_write_full", sheet->seek_write_full, 1e3, "ms", seek["write"]["full"].get<double>(), kSeek);
  compare("rate_outer", sheet->rate_outer, 1e6, "MB/s", reach["sequential_mb_per_s"]["outer"].get<double>(), kRate);
  compare("rate_inner", sheet->rate_inner, 1e6, "MB/s", reach["sequential_mb_per_s"]["inner"].get<double>(), kRate);
  compare("rpm", sheet->rpm, 1, "rpm", profile.rpm, 1e-3);
  compare("capacity", sheet->capacity, 1e9, "GB", static_cast<double>(geometry.capacity_bytes()) * 1e-9, kSeek);
  return warnings;
}

}  // namespace platter::cli
