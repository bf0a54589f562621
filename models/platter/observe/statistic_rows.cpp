// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "platter/observe/statistics.h"

namespace platter::observe {

namespace {

using Requests = MeasuredRequests;

/// What each part of a response time is, in the order of kPartNames.
constexpr std::array<std::string_view, kPartNames.size()> kPartMeanings = {
    "from the issue to the decision for the request, or until the buffer serves it",
    "command overhead",
    "seek of the arm, or the head switch if that takes longer",
    "settle before a write on another track; negative if it shortens the seek",
    "wait until the first sector reaches the head",
    "from the first sector to the last, with all switches of track and cylinder",
    "time that the host bus adds; of a read from the buffer also the wait for blocks that a read-ahead still fetches"};

const params::Statistics<Samples>& response_rows() {
  static const params::Statistics<Samples> rows = [] {
    params::Statistics<Samples> all;
    all.value("mean", "ms", "mean response time", "mean", [](const Samples& s) { return s.mean_ms(); }, {"mean", 2});
    const auto percentile = [&all](const char* name, double p, const char* heading, const char* meaning) {
      all.value(name, "ms", meaning, "percentile", [p](const Samples& s) { return s.percentile_ms(p); }, {heading, 2});
    };
    percentile("p50", 50, "p50", "half of the response times are at most this (nearest rank)");
    percentile("p90", 90, "", "90 % of the response times are at most this (nearest rank)");
    percentile("p95", 95, "p95", "95 % of the response times are at most this (nearest rank)");
    percentile("p99", 99, "p99", "99 % of the response times are at most this (nearest rank)");
    percentile("p99_9", 99.9, "", "99.9 % of the response times are at most this (nearest rank)");
    all.value("max", "ms", "longest response time", "maximum", [](const Samples& s) { return s.max_ms(); }, {"max", 2});
    return all;
  }();
  return rows;
}

const params::Statistics<RequestStatistics>& part_rows() {
  static const params::Statistics<RequestStatistics> rows = [] {
    params::Statistics<RequestStatistics> all;
    for (std::size_t i = 0; i < kPartNames.size(); ++i)
      all.value(kPartNames[i], "ms", kPartMeanings[i], "mean",
                [i](const RequestStatistics& r) { return params::mean(r.parts_ms[i], r.response.count()); },
                {kPartNames[i], 3});
    return all;
  }();
  return rows;
}

const params::Statistics<Requests>& throughput_rows() {
  static const auto rows =
      params::Statistics<Requests>()
          .value("requests_per_s", "1/s", "`completions` per second of the measured time", "rate",
                 [](const Requests& r) { return params::per_time(r.requests->response.count(), r.measured_s); })
          .value("bytes_per_s", "bytes/s", "`bytes` per second of the measured time", "rate",
                 [](const Requests& r) { return params::per_time(r.requests->bytes, r.measured_s); });
  return rows;
}

const params::Statistics<Backlog>& backlog_rows() {
  static const auto rows = params::Statistics<Backlog>()
                               .value("mean", "", "outstanding requests, over the measured time", "time-weighted mean",
                                      [](const Backlog& b) { return b.mean(); })
                               .value("parts", "", "outstanding requests, over each of twenty equal parts of the measured time",
                                      "time-weighted mean", [](const Backlog& b) { return b.means(); });
  return rows;
}

const params::Statistics<RequestStatistics>& waiting_rows() {
  using R = RequestStatistics;
  static const auto rows =
      params::Statistics<R>()
          .value("requests", "", "requests that had not ended when the run ended", "count",
                 [](const R& r) { return r.waiting; }, {"waiting"})
          .value("oldest_ms", "ms", "age of the oldest of these requests; null if there are none", "maximum",
                 [](const R& r) { return r.waiting > 0 ? std::optional<double>(to_milliseconds(r.oldest)) : std::nullopt; },
                 {"oldest", 2});
  return rows;
}

const params::Statistics<RequestStatistics>& miss_rows() {
  using R = RequestStatistics;
  static const auto rows =
      params::Statistics<R>()
          .value("requests", "", "requests whose head arrived behind their first sector, in at least one access", "count",
                 [](const R& r) { return r.missed; }, {"missed"})
          .value("share", "", "share of the `completions`; null without them", "mean",
                 [](const R& r) { return params::mean(static_cast<double>(r.missed), r.response.count()); }, {"share", 4})
          .value("turns", "", "additional turns that these requests waited", "sum", [](const R& r) { return r.missed_turns; })
          .value("gained_turns", "", "turns by which requests waited less, because the head was in time for an earlier turn",
                 "sum", [](const R& r) { return r.gained_turns; }, {"gained turns"});
  return rows;
}

std::optional<MeasuredRequests> some(const RequestStatistics& requests, double measured_s) {
  if (!requests.any()) return std::nullopt;
  return MeasuredRequests{&requests, measured_s};
}

}  // namespace

const params::Statistics<Requests>& request_rows() {
  static const auto rows =
      params::Statistics<Requests>()
          .value("issued", "", "requests issued in the measured time: `completed` + `failed` + `outstanding`", "count",
                 [](const Requests& r) { return r.requests->issued; }, {"issued"})
          .value("completed", "", "requests of `issued` that completed", "count",
                 [](const Requests& r) { return r.requests->completed; })
          .value("failed", "", "requests of `issued` that failed; they count neither as completed nor as late", "count",
                 [](const Requests& r) { return r.requests->failed; }, {"failed"})
          .value("outstanding", "", "requests of `issued` that were in the host or the drive when the run ended", "count",
                 [](const Requests& r) { return r.requests->outstanding; })
          .value("late", "",
                 "requests of `issued` that completed after their deadline, or had not ended although it had passed", "count",
                 [](const Requests& r) { return r.requests->late; }, {"late"})
          .value("completions", "", "requests that completed in the measured time, whenever they were issued", "count",
                 [](const Requests& r) { return std::uint64_t{r.requests->response.count()}; }, {"completions"})
          .value("bytes", "bytes", "data of the `completions`", "sum", [](const Requests& r) { return r.requests->bytes; })
          .section("throughput", "rates of the `completions`", throughput_rows())
          .value("fairness_index", "", "Jain's index of the response times: 1 if all are equal; null without `completions`",
                 "index", [](const Requests& r) { return r.requests->response.fairness_index(); }, {"fairness", 3})
          .group("response_ms", "response times of the `completions`; null without them", response_rows(),
                 [](const Requests& r) -> const Samples& { return r.requests->response; })
          .group("recorded_ms", "response times that the trace recorded for the `completions`; left out if it recorded none",
                 response_rows(),
                 [](const Requests& r) { return r.requests->recorded.count() > 0 ? &r.requests->recorded : nullptr; },
                 {"as recorded"})
          .group("parts_ms", "mean parts of the response time; they add up to `response_ms.mean`", part_rows(),
                 [](const Requests& r) -> const RequestStatistics& { return *r.requests; }, {"mean parts"})
          .group("misses",
                 "sectors of the `completions` that the head missed, or reached a turn earlier; left out if arrivals have no "
                 "spread",
                 miss_rows(), [](const Requests& r) { return r.requests->spread ? r.requests : nullptr; }, {"misses"})
          .group("waiting", "requests in the host or the drive when the run ended, whenever they were issued", waiting_rows(),
                 [](const Requests& r) -> const RequestStatistics& { return *r.requests; });
  return rows;
}

const params::Statistics<MeasuredClass>& class_rows() {
  using Class = MeasuredClass;
  static const auto rows =
      params::Statistics<Class>()
          .all_of(request_rows(), [](const Class& c) { return MeasuredRequests{c.requests, c.measured_s}; })
          .group("backlog", "number of requests in the host or the drive, those issued before the measured time included",
                 backlog_rows(), [](const Class& c) { return c.requests->backlog.bounded() ? &c.requests->backlog : nullptr; })
          .group("reads", "the same values for the reads alone; left out if there are none", request_rows(),
                 [](const Class& c) { return some(c.requests->reads, c.measured_s); })
          .group("writes", "the same values for the writes alone; left out if there are none", request_rows(),
                 [](const Class& c) { return some(c.requests->writes, c.measured_s); });
  return rows;
}

std::vector<std::pair<std::string_view, MeasuredClass>> measured_classes(const Statistics& statistics, double measured_s) {
  std::vector<std::pair<std::string_view, MeasuredClass>> classes;
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<core::RequestClass>(i);
    if (statistics.of(cls).any()) classes.push_back({core::to_string(cls), {&statistics.of(cls), measured_s}});
  }
  return classes;
}

std::vector<std::pair<std::string_view, MeasuredClass>> measured_jobs(const Statistics& statistics, double measured_s) {
  std::vector<std::pair<std::string_view, MeasuredClass>> jobs;
  for (const auto& [name, job] : statistics.jobs()) jobs.push_back({name, {&job, measured_s}});
  return jobs;
}

}  // namespace platter::observe
