// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platter/params/statistic.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

using core::Picoseconds;
using core::to_milliseconds;

/// Statistics of samples: the sum, the sum of squares, and the samples themselves for percentiles. Beyond `kMaxKept` samples only the
/// count in each of a set of ranges is kept, so that a long run takes no more memory. No range is wider than a thousandth of its values.
class Samples {
 public:
  static constexpr std::size_t kMaxKept = std::size_t{1} << 22;

  void add(Picoseconds value);
  std::size_t count() const { return count_; }
  // Each of these has no value without samples.
  std::optional<double> mean_ms() const;
  std::optional<double> max_ms() const;
  /// Nearest-rank percentile, 0 < p <= 100, a whole number of tenths. Beyond `kMaxKept` samples the lower end of its range.
  std::optional<double> percentile_ms(double p) const;
  /// Jain's index (sum x)^2 / (n sum x^2): 1 when all are equal (Balafoutis et al., equation 2).
  std::optional<double> fairness_index() const;

 private:
  static std::size_t range_of(Picoseconds value);
  static Picoseconds begin_of(std::size_t range);

  std::size_t count_ = 0;
  Picoseconds max_ = 0;
  std::vector<Picoseconds> values_;    ///< up to `kMaxKept`
  std::vector<std::uint64_t> counts_;  ///< of each range, beyond `kMaxKept`
  double sum_ms_ = 0;
  double sum_squares_ms_ = 0;
  mutable std::vector<Picoseconds> sorted_;
};

/// The number of outstanding requests, as means over equal parts of the time from `from` to `to`. A request is added once, when it is known
/// how long it was outstanding. This takes constant time, whatever the request spans, and requests may be added in any order.
class Backlog {
 public:
  static constexpr std::size_t kParts = 20;

  Backlog(Picoseconds from, Picoseconds to);

  /// Adds a request that was outstanding from `issued` to `gone`; time outside the measured interval does not count.
  void add(Picoseconds issued, Picoseconds gone);
  /// The number outstanding, integrated over the time; ps. Exact up to 2^53 in each part.
  double integral() const;
  /// Time-weighted mean over each part; 0 in a part of no length.
  std::array<double, kParts> means() const;
  /// The same over the whole time.
  double mean() const;
  /// Whether the end of the time is known. If not, there are no means.
  bool bounded() const { return to_ != core::kNoDeadline; }

 private:
  Picoseconds begin_of(std::size_t part) const { return from_ + static_cast<Picoseconds>(part) * step_; }
  Picoseconds end_of(std::size_t part) const { return part + 1 == kParts ? to_ : begin_of(part + 1); }
  std::size_t part_of(Picoseconds time) const;

  Picoseconds from_;
  Picoseconds to_;
  Picoseconds step_;                      ///< length of all parts but the last, which has the remainder
  std::array<double, kParts> partial_{};  ///< time outstanding in the first and last parts that requests touch; may exceed 2^63
  std::array<std::int64_t, kParts + 1>
      throughout_{};  ///< change of the number outstanding throughout a part, relative to the previous part
};

/// The parts of a response time, in the order in which they are shown.
inline constexpr std::array<std::string_view, 7> kPartNames = {"queue",    "overhead", "seek", "settle",
                                                               "rotation", "transfer", "bus"};

/// Statistics of a set of requests.
struct RequestStatistics {
  // The account by issue, of the requests issued in the measured time: issued = completed + failed + outstanding.
  std::uint64_t issued = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t late = 0;  ///< completed after the deadline, or not at all although it has passed
  // Of the requests that completed in the measured time, those issued before it included.
  std::uint64_t bytes = 0;
  std::array<double, kPartNames.size()> parts_ms{};  ///< sums
  Samples response;
  Samples recorded;                ///< response times that a trace has of them
  bool spread = false;             ///< arrivals of the drives have a spread: the next three count
  std::uint64_t missed = 0;        ///< requests that missed a turn
  std::uint64_t missed_turns = 0;  ///< that they waited more
  std::uint64_t gained_turns = 0;  ///< that requests waited less
  // Of all requests that are in the host or in the drive at the end.
  std::uint64_t waiting = 0;
  Picoseconds oldest = 0;  ///< largest age of them

  /// `issued_within`: in the measured time.
  void finished(const workload::FinishedRequest& finished, bool issued_within);
  void outstanding_at(const workload::Request& request, Picoseconds now, bool issued_within);
  /// Whether there is anything to tell of them.
  bool any() const { return issued > 0 || response.count() > 0 || waiting > 0; }
};

/// Statistics of the requests of one class: of all, and of reads and writes apart. Flushes and zone management count in those of all alone.
struct ClassStatistics : RequestStatistics {
  ClassStatistics(Picoseconds from, Picoseconds to) : backlog(from, to) {}

  RequestStatistics reads;
  RequestStatistics writes;
  Backlog backlog;  ///< of all requests, also those issued before the measured time

  /// Calls `use` with the statistics of all, and with those of the request's direction if it moves data.
  template <typename Use>
  void for_statistics(const workload::Request& request, Use use) {
    use(static_cast<RequestStatistics&>(*this));
    if (request.moves_data()) use(request.write() ? writes : reads);
  }
};

/// Statistics of the measured time, from `from` on. The account (issued, completed, failed, outstanding, late) is of the requests issued in
/// it. Throughput, response times and their parts are of those that complete in it, whenever they were issued: a closed load would lose
/// the longest response times otherwise. A request that completes at `from` belongs to the time before, unless it was issued at `from`.
/// The backlog has all requests, until `to` if that is known.
class Statistics : public workload::RequestObserverIf {
 public:
  /// `jobs`: the names of the load's jobs.
  explicit Statistics(Picoseconds from, Picoseconds to = core::kNoDeadline, const std::vector<std::string>& jobs = {});

  /// The drives' arrivals have a spread: the results have the turns missed.
  void count_misses();
  /// The measured time begins at `from` instead. To be called before it has begun.
  void begin(Picoseconds from) { from_ = from; }

  void issued(const workload::Request& request) override;
  void finished(const workload::FinishedRequest& finished) override;
  /// Counts a request that is still in the host or in the drive when the run ends, at `now`.
  void outstanding(const workload::Request& request, Picoseconds now);

  const ClassStatistics& of(core::RequestClass cls) const { return classes_[core::index_of(cls)]; }
  /// The same account of each job, by its name; in the order of the jobs.
  const std::vector<std::pair<std::string, ClassStatistics>>& jobs() const { return jobs_; }
  /// Continuous requests that missed their deadline.
  std::uint64_t hiccups() const { return of(core::RequestClass::Continuous).late; }
  /// Throws core::SimulationError unless issued = completed + failed + outstanding in every class and every job, and the parts of every response
  /// time summed to the whole.
  void check_conservation() const;

 private:
  /// Calls `use` with the account of the request's class and that of its job, if this one is counted.
  template <typename Use>
  void for_accounts(const workload::Request& request, Use use) {
    use(classes_[core::index_of(request.cls)]);
    const auto job = static_cast<std::size_t>(request.job);  // kNoJob: beyond all
    if (job < jobs_.size()) use(jobs_[job].second);
  }

  Picoseconds from_;
  std::array<ClassStatistics, core::kRequestClasses> classes_;
  std::vector<std::pair<std::string, ClassStatistics>> jobs_;
  std::uint64_t broken_sums_ = 0;
};

/// The statistics of requests over some measured time, as a result has them.
struct MeasuredRequests {
  const RequestStatistics* requests;
  double measured_s;
};
struct MeasuredClass {
  const ClassStatistics* requests;
  double measured_s;
};
const params::Statistics<MeasuredRequests>& request_rows();
const params::Statistics<MeasuredClass>& class_rows();

/// All classes in which a request was issued, completed or waits.
std::vector<std::pair<std::string_view, MeasuredClass>> measured_classes(const Statistics& statistics, double measured_s);

/// All jobs, also those of which nothing was measured.
std::vector<std::pair<std::string_view, MeasuredClass>> measured_jobs(const Statistics& statistics, double measured_s);

}  // namespace platter::observe
