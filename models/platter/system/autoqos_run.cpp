// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "platter/core/random.h"
#include "platter/host/autoqos/autoqos.h"
#include "platter/host/autoqos/parameters.h"
#include "platter/host/autoqos/rate_stream.h"
#include "platter/host/autoqos/stream_meter.h"
#include "platter/system/hosts.h"
#include "platter/system/refusal_watch.h"
#include "platter/system/simulated_drives.h"
#include "platter/system/timeline.h"
#include "platter/workload/initiator.h"

namespace platter::system {

namespace qos = host::autoqos;
using core::Picoseconds;
using core::RequestClass;

namespace {

constexpr Picoseconds kInterval = core::kPicosecondsPerSecond;  // of the series in the result

/// Where the streams' files begin, in bytes; whole sectors.
std::vector<std::uint64_t> file_places(const Scenario& scenario) {
  const auto& s = scenario.of_host<qos::AutoQosParameters>();
  const std::uint64_t sector = scenario.drive.geometry.sector_bytes;
  const std::uint64_t disk = mechanics::Geometry(scenario.drive.geometry).capacity_bytes() / sector;
  const std::uint64_t file = (static_cast<std::uint64_t>(s.file_bytes) + sector - 1) / sector;
  const std::uint64_t gap = static_cast<std::uint64_t>(s.gap_bytes) / sector;
  const bool together = s.placement == "together";
  const std::uint64_t files = together ? s.streams.size() : 1;
  if (disk < files * (file + gap))
    scenario.refuse("files.bytes", fmt::format("found {}, expected at most {} for files that fit the disk", s.file_bytes,
                                               disk / files > gap ? (disk / files - gap) * sector : 0));
  core::RandomStream random(static_cast<std::uint64_t>(scenario.run.seed), "files");
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < s.streams.size(); ++i) {
    if (i > 0 && together)
      places.push_back(places.back() + (file + (gap > 0 ? random.below(gap) : 0)) * sector);
    else
      places.push_back(random.below(disk - files * (file + gap) + 1) * sector);
  }
  return places;
}

std::vector<qos::RateStreamOptions> stream_options(const Scenario& scenario) {
  const auto& s = scenario.of_host<qos::AutoQosParameters>();
  const std::vector<std::uint64_t> places = file_places(scenario);
  core::RandomStream instants(static_cast<std::uint64_t>(scenario.run.seed), "entries");
  std::vector<qos::RateStreamOptions> all;
  for (const qos::StreamParameters& stream : s.streams) {
    qos::RateStreamOptions o;
    o.stream = static_cast<std::uint32_t>(all.size());
    o.cls = stream.label == "multimedia" ? RequestClass::Continuous : RequestClass::Discrete;
    o.rates = {{0, static_cast<std::uint64_t>(stream.rate_bytes_per_s)}};
    for (std::size_t i = 0; i < stream.change_at_s.size(); ++i)
      o.rates.push_back({seconds(stream.change_at_s[i]), static_cast<std::uint64_t>(stream.change_to_bytes_per_s[i])});
    o.command_bytes = static_cast<std::uint32_t>(s.command_bytes);
    o.commands_per_period = static_cast<std::uint32_t>(s.commands_per_period);
    o.late_periods = static_cast<std::uint32_t>(s.late_periods);
    o.jitter = s.clock_jitter;
    const double period_s = stream.rate_bytes_per_s > 0 ? static_cast<double>(s.command_bytes * s.commands_per_period) /
                                                              static_cast<double>(stream.rate_bytes_per_s)
                                                        : 0;
    o.enters = seconds(stream.enters_s + instants.uniform() * period_s);
    if (stream.leaves_s > 0) o.leaves = seconds(stream.leaves_s);
    o.periodic = stream.pace == "periodic";
    o.sequential = stream.access == "sequential";
    o.file_offset = places[o.stream];
    o.file_bytes = static_cast<std::uint64_t>(s.file_bytes);
    o.seed = static_cast<std::uint64_t>(scenario.run.seed);
    all.push_back(std::move(o));
  }
  return all;
}

qos::QosManagerOptions manager_options(const qos::AutoQosParameters& s) {
  qos::QosManagerOptions o;
  o.disk_bytes_per_s = static_cast<std::uint32_t>(s.disk_bytes_per_s);
  o.inference_fraction = s.inference_fraction;
  o.inference_windows = static_cast<std::uint32_t>(s.inference_windows);
  o.tolerance = s.tolerance;
  o.probe_fraction = s.probe_fraction;
  o.probe_windows = static_cast<std::uint32_t>(s.probe_windows);
  o.most_probe_windows = static_cast<std::uint32_t>(s.most_probe_windows);
  o.overload_share = s.overload_share;
  return o;
}

qos::StreamRecogniserOptions recogniser_options(const qos::AutoQosParameters& s) {
  qos::StreamRecogniserOptions o;
  o.streams = static_cast<std::uint32_t>(s.recogniser_streams);
  o.periods = static_cast<std::uint32_t>(s.recogniser_periods);
  o.jitter = s.recogniser_jitter;
  o.idle = s.recogniser_idle;
  o.sequence = static_cast<std::uint32_t>(s.recogniser_sequence);
  o.trial = seconds(s.recogniser_trial_s);
  o.silence = seconds(s.recogniser_silence_s);
  o.handover = seconds(s.recogniser_handover_s);
  return o;
}

/// Mean rate that a stream wants over the measured time, by its intervals.
double mean_wanted(const qos::RateStream& stream, Picoseconds from, Picoseconds to) {
  constexpr int kSamples = 1000;
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) sum += static_cast<double>(stream.wanted(from + (to - from) / kSamples * i));
  return sum / kSamples;
}

/// A stream and its results.
struct StreamResult {
  std::string name;
  std::string label;
  double bytes_per_s = 0;
  double wanted_bytes_per_s = 0;
  qos::RateStream::Periods periods;  ///< that ended in the measured time
  std::uint64_t commands = 0;
  std::uint64_t multimedia_commands = 0;
  std::vector<std::uint64_t> got;
  std::vector<std::uint64_t> wanted;
};

const params::Statistics<StreamResult>& stream_rows() {
  using S = StreamResult;
  static const auto rows =
      params::Statistics<S>()
          .value("name", "", "name of the stream", "", [](const S& s) { return s.name; })
          .value("label", "", "label of the stream", "", [](const S& s) { return s.label; }, {"label"})
          .value("bytes_per_s", "bytes/s", "rate that the stream got, over the measured time", "mean",
                 [](const S& s) { return s.bytes_per_s; }, {"gets", 0})
          .value("wanted_bytes_per_s", "bytes/s",
                 "rate that the stream wanted, over the measured time; 0 before it enters, after it leaves, and for a stream "
                 "without a rate",
                 "mean", [](const S& s) { return s.wanted_bytes_per_s; }, {"wants", 0})
          .value("periods", "", "periods of the stream that ended in the measured time; 0 for a stream without a rate", "count",
                 [](const S& s) { return s.periods.all; }, {"periods"})
          .value("missed_periods", "", "periods of these that were not read completely by their end, or were given up", "count",
                 [](const S& s) { return s.periods.missed; }, {"missed"})
          .value("commands", "", "commands issued from time 0 on", "count", [](const S& s) { return s.commands; }, {"commands"})
          .value("multimedia_commands", "", "commands of these that had class continuous; with labels all or none", "count",
                 [](const S& s) { return s.multimedia_commands; }, {"as multimedia"})
          .value("series_bytes_per_s", "bytes/s", "data that the stream got in each second from time 0 on",
                 "sum of each second", [](const S& s) { return s.got; })
          .value("series_wanted_bytes_per_s", "bytes/s", "rate that the stream wanted at the beginning of each second", "",
                 [](const S& s) { return s.wanted; });
  return rows;
}

const params::Statistics<qos::AutoQos::Record>& window_rows() {
  using W = qos::AutoQos::Record;
  static const auto rows =
      params::Statistics<W>()
          .value("multimedia_bytes", "bytes", "data of multimedia in the window, by the drive's counters", "sum",
                 [](const W& w) { return w.window.multimedia_bytes; })
          .value("best_effort_bytes", "bytes", "data of best effort in the window, by the drive's counters", "sum",
                 [](const W& w) { return w.window.best_effort_bytes; })
          .value("opened", "", "multimedia streams that opened in the window; 0 without `autoqos.knows_opens`", "count",
                 [](const W& w) { return w.window.opened; })
          .value("busy_share", "", "share of the window in which the mechanics worked on accesses", "time-weighted mean",
                 [](const W& w) { return static_cast<double>(w.window.busy) / static_cast<double>(w.window.length); })
          .value("state", "", "state after the decision at the end of the window: default, inference or managed", "",
                 [](const W& w) { return std::string(qos::to_string(w.state)); })
          .value("limit_bytes_per_s", "bytes/s", "limit of best effort from the end of the window on; 0: no limit", "",
                 [](const W& w) { return w.limit; })
          .value("multimedia_rate_bytes_per_s", "bytes/s", "rate that multimedia is assumed to need; 0 in the default state",
                 "", [](const W& w) { return w.multimedia_rate; })
          .value("aggregate_rate_bytes_per_s", "bytes/s", "rate that the disk is assumed to deliver; 0 in the default state",
                 "", [](const W& w) { return w.aggregate_rate; });
  return rows;
}

struct Result {
  std::vector<StreamResult> streams;
  double multimedia_bytes_per_s = 0;
  double best_effort_bytes_per_s = 0;
  double aggregate_bytes_per_s = 0;
  double utilisation = 0;
  const qos::AutoQos* manager = nullptr;
  const qos::StreamRecogniser* recogniser = nullptr;
};

const params::Statistics<Result>& result_rows() {
  using R = Result;
  static const auto classes = params::Statistics<R>()
                                  .value("multimedia_bytes_per_s", "bytes/s", "rate of the commands of class continuous",
                                         "mean", [](const R& r) { return r.multimedia_bytes_per_s; }, {"multimedia", 0})
                                  .value("best_effort_bytes_per_s", "bytes/s", "rate of the other commands", "mean",
                                         [](const R& r) { return r.best_effort_bytes_per_s; }, {"best effort", 0});
  static const auto windows = params::Statistics<qos::AutoQos>().list(
      "windows", "windows in order, from time 0 on", window_rows(), [](const qos::AutoQos& q) { return q.records(); });
  static const auto recogniser = params::Statistics<qos::StreamRecogniser>()
                                     .value("opened", "", "streams that became multimedia, also for a trial only", "count",
                                            [](const qos::StreamRecogniser& r) { return r.opened(); })
                                     .value("recognised", "", "streams that were found to be multimedia", "count",
                                            [](const qos::StreamRecogniser& r) { return r.recognised(); });
  static const auto rows =
      params::Statistics<R>()
          .list("streams", "streams in the order of the scenario; data count at the time at which their command ends",
                stream_rows(), [](const R& r) { return r.streams; })
          .section("classes", "rates over the measured time", classes)
          .value("aggregate_bytes_per_s", "bytes/s", "rate of all streams over the measured time", "mean",
                 [](const R& r) { return r.aggregate_bytes_per_s; }, {"all streams", 0})
          .value("utilisation", "",
                 "share of the measured time in which the mechanics worked on commands; read-ahead does not count",
                 "time-weighted mean", [](const R& r) { return r.utilisation; }, {"utilisation", 3})
          .group("autoqos", "decisions of AutoQoS; left out without `autoqos.enabled`", windows,
                 [](const R& r) { return r.manager; })
          .group("recogniser", "the stream recogniser; left out unless `autoqos.classes` is recognised", recogniser,
                 [](const R& r) { return r.recogniser; });
  return rows;
}

class AutoQosRun : public RunIf {
 public:
  AutoQosRun(const Scenario& scenario, const RunOptions& options)
      : s_(scenario),
        p_(scenario.of_host<qos::AutoQosParameters>()),
        time_(scenario.run, options.progress),
        disk_("disk", drive_config(scenario), system::engine_factory(engine_options(scenario, scenario.policy, options))),
        meter_(p_.streams.size(), static_cast<std::size_t>(time_.end() / kInterval), kInterval, time_.warmup()) {
    for (qos::RateStreamOptions& o : stream_options(s_)) streams_.push_back(std::make_unique<qos::RateStream>(std::move(o)));
    host_.disk_init_socket.bind(disk_.host_tgt_socket);
    host_.best_effort_init_socket.bind(disk_.host_tgt_socket);
    host_.set_end(time_.end());
    for (const auto& stream : streams_) host_.add_producer(*stream);
    if (p_.classes == "recognised") {
      recognised_ = std::make_unique<qos::RecognisedClasses>(recogniser_options(p_));
      host_.set_classifier(*recognised_);
      host_.add_observer(*recognised_);
    }
    host_.add_observer(refusals_);
    host_.add_observer(meter_);
    if (!p_.enabled) return;
    std::function<std::uint64_t()> opened;
    if (p_.knows_opens && recognised_)
      opened = [this] { return recognised_->recogniser().opened(); };
    else if (p_.knows_opens)
      opened = [this] { return meter_.opened(); };
    manager_ = std::make_unique<qos::AutoQos>("autoqos", manager_options(p_), seconds(p_.window_s), std::move(opened));
    manager_->register_init_socket.bind(disk_.register_tgt_socket);
  }

  void run() override {
    time_.advance(time_.warmup());
    const Picoseconds busy_before = disk_.busy(core::now_ps());
    std::vector<qos::RateStream::Periods> periods_before;
    periods_before.reserve(streams_.size());
    for (const auto& stream : streams_) periods_before.push_back(stream->periods(core::now_ps()));
    time_.advance(time_.end());
    host_.rethrow_failure();
    refusals_.rethrow(s_.file);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      bytes += meter_.of(i).counted_bytes;
      result_.streams.push_back(result_of(i, periods_before[i]));
    }
    const double measured_s = s_.run.measure_s;
    result_.multimedia_bytes_per_s = static_cast<double>(meter_.class_bytes(RequestClass::Continuous)) / measured_s;
    result_.best_effort_bytes_per_s = static_cast<double>(meter_.class_bytes(RequestClass::Discrete)) / measured_s;
    result_.aggregate_bytes_per_s = static_cast<double>(bytes) / measured_s;
    result_.utilisation = static_cast<double>(disk_.busy(time_.end()) - busy_before) / static_cast<double>(time_.measured());
    result_.manager = manager_.get();
    result_.recogniser = recognised_ ? &recognised_->recogniser() : nullptr;
  }

  nlohmann::json result() const override { return params::to_json(result_rows(), &result_); }
  double simulated_s() const override { return time_.simulated_s(); }
  std::uint64_t decisions() const override {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < disk_.actuators(); ++i) sum += disk_.engine(i).statistics().decisions;
    return sum;
  }

 private:
  StreamResult result_of(std::size_t i, const qos::RateStream::Periods& before) const {
    const qos::StreamMeter::Stream& got = meter_.of(i);
    const qos::RateStream::Periods periods = streams_[i]->periods(time_.end());
    StreamResult r;
    r.name = p_.streams[i].name;
    r.label = p_.streams[i].label;
    r.bytes_per_s = static_cast<double>(got.counted_bytes) / s_.run.measure_s;
    r.wanted_bytes_per_s = mean_wanted(*streams_[i], time_.warmup(), time_.end());
    r.periods = {periods.all - before.all, periods.missed - before.missed};
    r.commands = got.commands;
    r.multimedia_commands = got.multimedia_commands;
    r.got = got.bytes;
    for (std::size_t k = 0; k < got.bytes.size(); ++k)
      r.wanted.push_back(streams_[i]->wanted(static_cast<Picoseconds>(k) * kInterval));
    return r;
  }

  const Scenario& s_;
  const qos::AutoQosParameters& p_;
  Timeline time_;
  drive::Drive disk_;
  workload::Initiator host_{"host"};
  std::vector<std::unique_ptr<qos::RateStream>> streams_;
  std::unique_ptr<qos::RecognisedClasses> recognised_;
  RefusalWatch refusals_;
  qos::StreamMeter meter_;
  std::unique_ptr<qos::AutoQos> manager_;
  Result result_;
};

constexpr Section kAutoQos{"AutoQoS", "The page [AutoQoS](autoqos.md) has the rules.", [](Scenario& s, params::Grammar& g) {
                             auto& p = s.of_host<qos::AutoQosParameters>();
                             g.add(qos::autoqos_parameters(), p);
                             g.add_array("stream", "stream", qos::stream_parameters(), p.streams);
                           }};

}  // namespace

HostInfo autoqos_host() {
  HostInfo host;
  host.name = "autoqos";
  host.description = "streams of test applications on one drive, and AutoQoS above it";
  host.sections = {&kAutoQos};
  host.set_defaults = [](Scenario& s) {
    s.own = qos::AutoQosParameters{};
    s.policy = *scheduling::find_policy("C-LOOK");
    s.run.measure_s = 160;
  };
  host.check = [](const Scenario& s, params::Findings& findings) {
    qos::check(s.of_host<qos::AutoQosParameters>(), s.drive, findings);
  };
  host.check_run = [](const Scenario& s) { stream_options(s); };
  host.make = [](const Scenario& s, const RunOptions& options) -> std::unique_ptr<RunIf> {
    return std::make_unique<AutoQosRun>(s, options);
  };
  host.rows = []() -> const params::StatisticTable& { return result_rows(); };
  return host;
}

}  // namespace platter::system
