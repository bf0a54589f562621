// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "platter/observe/statistics.h"

namespace platter::observe {

namespace {

using Requests = MeasuredRequests;

const params::Statistics<Samples>& response_rows() {
  static const params::Statistics<Samples> rows = [] {
    params::Statistics<Samples> all;
    all.value("mean", "ms", "", "mean", [](const Samples& s) { return s.mean_ms(); }, {"mean", 2});
    const auto percentile = [&all](const char* name, double p, const char* heading) {
      all.value(name, "ms", "nearest rank", "percentile", [p](const Samples& s) { return s.percentile_ms(p); }, {heading, 2});
    };
    percentile("p50", 50, "p50");
    percentile("p90", 90, "");
    percentile("p95", 95, "p95");
    percentile("p99", 99, "p99");
    percentile("p99_9", 99.9, "");
    all.value("max", "ms", "", "maximum", [](const Samples& s) { return s.max_ms(); }, {"max", 2});
    return all;
  }();
  return rows;
}

const params::Statistics<RequestStatistics>& part_rows() {
  static const params::Statistics<RequestStatistics> rows = [] {
    params::Statistics<RequestStatistics> all;
    for (std::size_t i = 0; i < kPartNames.size(); ++i)
      all.value(kPartNames[i], "ms", "", "mean",
                [i](const RequestStatistics& r) { return params::mean(r.parts_ms[i], r.response.count()); },
                {kPartNames[i], 3});
    return all;
  }();
  return rows;
}

const params::Statistics<Requests>& throughput_rows() {
  static const auto rows =
      params::Statistics<Requests>()
          .value("requests_per_s", "1/s", "`completions` over the measured time", "rate",
                 [](const Requests& r) { return params::per_time(r.requests->response.count(), r.measured_s); })
          .value("bytes_per_s", "bytes/s", "`bytes` over the measured time", "rate",
                 [](const Requests& r) { return params::per_time(r.requests->bytes, r.measured_s); });
  return rows;
}

const params::Statistics<Backlog>& backlog_rows() {
  static const auto rows =
      params::Statistics<Backlog>()
          .value("mean", "", "over the measured time", "time-weighted mean", [](const Backlog& b) { return b.mean(); })
          .value("parts", "", "over each of twenty equal parts of it", "time-weighted mean",
                 [](const Backlog& b) { return b.means(); });
  return rows;
}

const params::Statistics<RequestStatistics>& waiting_rows() {
  using R = RequestStatistics;
  static const auto rows =
      params::Statistics<R>()
          .value("requests", "", "", "count", [](const R& r) { return r.waiting; }, {"waiting"})
          .value("oldest_ms", "ms", "age of the oldest one; null where none waits", "maximum",
                 [](const R& r) { return r.waiting > 0 ? std::optional<double>(to_milliseconds(r.oldest)) : std::nullopt; },
                 {"oldest", 2});
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
          .value("issued", "", "in the measured time: what became of these requests is `completed` + `failed` + `outstanding`",
                 "count", [](const Requests& r) { return r.requests->issued; }, {"issued"})
          .value("completed", "", "of the `issued`", "count", [](const Requests& r) { return r.requests->completed; })
          .value("failed", "", "of the `issued`; neither completed nor late", "count",
                 [](const Requests& r) { return r.requests->failed; }, {"failed"})
          .value("outstanding", "", "of the `issued`, in host or drive when the run ended", "count",
                 [](const Requests& r) { return r.requests->outstanding; })
          .value("late", "", "of the `issued`: completed after the deadline, or not at all although it has passed", "count",
                 [](const Requests& r) { return r.requests->late; }, {"late"})
          .value("completions", "", "requests that completed in the measured time, those issued before it included", "count",
                 [](const Requests& r) { return std::uint64_t{r.requests->response.count()}; }, {"completions"})
          .value("bytes", "bytes", "of the `completions`", "sum", [](const Requests& r) { return r.requests->bytes; })
          .section("throughput", "", throughput_rows())
          .value("fairness_index", "", "Jain's index over the response times: 1 when all are equal; null without `completions`",
                 "index", [](const Requests& r) { return r.requests->response.fairness_index(); }, {"fairness", 3})
          .group("response_ms", "of the `completions`; null without them", response_rows(),
                 [](const Requests& r) -> const Samples& { return r.requests->response; })
          .group("recorded_ms", "response times that the trace has of the `completions`; left out where it has none",
                 response_rows(),
                 [](const Requests& r) { return r.requests->recorded.count() > 0 ? &r.requests->recorded : nullptr; },
                 {"as recorded"})
          .group("parts_ms", "where the time went; they sum to response_ms.mean", part_rows(),
                 [](const Requests& r) -> const RequestStatistics& { return *r.requests; }, {"mean parts"})
          .group("waiting", "requests in host or drive when the run ended, whenever they were issued", waiting_rows(),
                 [](const Requests& r) -> const RequestStatistics& { return *r.requests; });
  return rows;
}

const params::Statistics<MeasuredClass>& class_rows() {
  using Class = MeasuredClass;
  static const auto rows =
      params::Statistics<Class>()
          .all_of(request_rows(), [](const Class& c) { return MeasuredRequests{c.requests, c.measured_s}; })
          .group("backlog", "requests issued and not finished, in host or drive, with those from before the measured time",
                 backlog_rows(), [](const Class& c) { return c.requests->backlog.bounded() ? &c.requests->backlog : nullptr; })
          .group("reads", "of them, the reads; left out where there is none", request_rows(),
                 [](const Class& c) { return some(c.requests->reads, c.measured_s); })
          .group("writes", "of them, the writes; left out where there is none", request_rows(),
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

}  // namespace platter::observe
