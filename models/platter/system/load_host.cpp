// SPDX-License-Identifier: Apache-2.0
#include "platter/system/load_host.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/error.h"
#include "platter/core/sc_time.h"
#include "platter/workload/job.h"

namespace platter::system {

using core::RequestClass;

namespace {

std::vector<std::unique_ptr<workload::ProducerIf>> make_producers(const Scenario& s, const workload::Target& target) {
  std::vector<std::unique_ptr<workload::ProducerIf>> producers;
  const auto seed = static_cast<std::uint64_t>(s.run.seed);
  if (s.continuous.streams > 0) {
    std::vector<workload::StreamTable> tables;
    if (s.continuous.size == "tables")
      for (const params::FileName& file : s.continuous.tables) tables.push_back(workload::StreamTable::load(file.path));
    workload::RoundsProducer::Options options;
    options.streams = static_cast<std::uint32_t>(s.continuous.streams);
    options.round = core::to_picoseconds(s.continuous.round_s, core::kPicosecondsPerSecond);
    options.contiguous = s.continuous.placement == "contiguous";
    options.placement.span_blocks = static_cast<std::uint64_t>(s.continuous.span_bytes) / target.block_bytes;
    options.mean_bytes = static_cast<double>(s.continuous.mean_bytes);
    options.deviation_bytes = static_cast<double>(s.continuous.deviation_bytes);
    options.seed = seed;
    producers.push_back(std::make_unique<workload::RoundsProducer>(target, options, std::move(tables)));
  }
  if (s.discrete.source == "poisson" || s.discrete.source == "closed") {
    const workload::GeneratedLoad& load = s.discrete.generated;
    workload::RandomProducer::Options options;
    options.rate_per_s = load.rate_per_s;
    options.closed_depth = s.discrete.keeps_outstanding();
    options.read_fraction = load.read_fraction;
    options.mean_bytes = static_cast<double>(load.mean_bytes);
    options.deviation_bytes = load.size == "normal" ? static_cast<double>(load.deviation_bytes) : 0;
    options.duration = static_cast<std::uint8_t>(load.duration_limit);
    if (load.deadline_ms > 0) options.deadline = core::to_picoseconds(load.deadline_ms, core::kPicosecondsPerMillisecond);
    options.placement.span_blocks = static_cast<std::uint64_t>(load.span_bytes) / target.block_bytes;
    options.placement.align_blocks =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(load.align_bytes) / target.block_bytes);
    options.seed = seed;
    producers.push_back(std::make_unique<workload::RandomProducer>(target, options));
  } else if (s.discrete.source == "trace") {
    workload::TraceOptions options = workload::trace_options(s.discrete.trace);
    options.capacity_bytes = target.blocks * target.block_bytes;
    options.sector_bytes = target.block_bytes;
    workload::TraceProducer::Pace pace;
    pace.speed = s.discrete.trace.speed;
    pace.closed_depth = s.discrete.keeps_outstanding();
    pace.think = core::to_picoseconds(s.discrete.trace.thinktime_us, core::kPicosecondsPerMicrosecond);
    producers.push_back(std::make_unique<workload::TraceProducer>(s.discrete.trace.file.path, options, target, pace));
  }
  return producers;
}

std::uint32_t discrete_limit(const Scenario& s) {
  if (s.discrete.max_outstanding > 0) return static_cast<std::uint32_t>(s.discrete.max_outstanding);
  if (s.discrete.keeps_outstanding() > 0 || (s.host->several_drives && s.array.striped())) return ~0u;
  std::int64_t left = std::int64_t{s.drive.queue_depth} * (s.host->several_drives ? s.array.drives : 1) - s.continuous.streams;
  for (const workload::JobParameters& job : s.jobs)
    if (job.usual_class() == RequestClass::Continuous) left -= job.depth();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(left, 1));
}

}  // namespace

std::vector<std::string> names_of_jobs(const Scenario& s) {
  std::vector<std::string> names;
  names.reserve(s.jobs.size());
  for (const workload::JobParameters& job : s.jobs) names.push_back(job.name);
  if (s.zone_load.on()) names.emplace_back(workload::kZoneHost);
  if (s.zone_load.source == workload::ZoneLoadParameters::Source::Log) names.emplace_back(workload::kZoneCleaner);
  return names;
}

void check_regions(const Scenario& s, const workload::Target& target) {
  for (std::size_t i = 0; i < s.jobs.size(); ++i)
    if (const auto objection = workload::region_objection(s.jobs[i], target)) {
      const std::string table = fmt::format("workload.job.{}", i);
      const std::string key = table + "." + objection->first;
      throw core::ConfigError({s.problem(key, objection->second, s.positions.count(key) != 0 ? "" : table)});
    }
  if (!s.zone_load.on()) return;
  const zones::ZoneOptions zones = zones::options_of(s.drive, target.blocks);
  if (const auto objection = workload::zone_load_objection(s.zone_load, zones, target.block_bytes))
    throw core::ConfigError({s.problem(objection->first, objection->second,
                                       s.positions.count(objection->first) != 0 ? "" : "workload.zones.source")});
}

LoadHost::LoadHost(const Scenario& s, core::Picoseconds end) : s_(s) {
  initiator_.set_limit(RequestClass::Discrete, discrete_limit(s));
  if (!s.jobs.empty() || s.zone_load.on()) initiator_.set_limit(RequestClass::Background, discrete_limit(s));
  initiator_.set_end(end);
}

void LoadHost::produce(const workload::Target& target) {
  check_regions(s_, target);
  producers_ = make_producers(s_, target);
  if (s_.discrete.source == "trace") trace_ = dynamic_cast<workload::TraceProducer*>(producers_.back().get());
  for (const auto& producer : producers_) initiator_.add_producer(*producer, producer.get() == trace_);
  const auto streams = static_cast<std::uint32_t>(s_.continuous.streams);
  for (std::size_t i = 0; i < s_.jobs.size(); ++i) {
    producers_.push_back(std::make_unique<workload::JobProducer>(s_.jobs[i], static_cast<std::int32_t>(i),
                                                                 streams + static_cast<std::uint32_t>(i), target,
                                                                 static_cast<std::uint64_t>(s_.run.seed)));
    initiator_.add_producer(*producers_.back(), s_.jobs[i].ends());
  }
  if (!s_.zone_load.on()) return;
  const workload::ZoneSpace space(s_.zone_load, zones::options_of(s_.drive, target.blocks), target.block_bytes);
  auto zones = workload::make_zone_load(s_.zone_load, space, static_cast<std::int32_t>(s_.jobs.size()),
                                        static_cast<std::uint64_t>(s_.run.seed));
  zones_ = zones.get();
  producers_.push_back(std::move(zones));
  initiator_.add_producer(*zones_);
}

}  // namespace platter::system
