// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platter/observe/block_trace.h"
#include "platter/observe/chrome_trace.h"
#include "platter/observe/request_log.h"
#include "platter/observe/write_log.h"
#include "platter/system/disks.h"
#include "platter/system/run.h"
#include "platter/system/timeline.h"
#include "platter/workload/blktrace_event.h"

namespace platter::system {

/// What a run writes of its requests and its drives, and who else is told of them. A file that cannot be written is refused by the constructor, so it comes before what is costly.
class RequestFiles {
 public:
  RequestFiles(const Scenario& scenario, const RunOptions& options)
      : others_(options.observers), decisions_(options.decisions) {
    if (!options.timeline.empty())
      timeline_.emplace(options.timeline, seconds(scenario.waves.from_s), seconds(scenario.waves.to_s));
    if (!options.requests.empty()) log_.emplace(options.requests);
    if (log_ && scenario.plans_faults()) log_->add_recovery();
    constexpr std::uint32_t kUnit = workload::BlktraceEvent::kSectorBytes;
    if (!options.block_trace.empty() && scenario.drive.geometry.sector_bytes % kUnit != 0)
      scenario.refuse("drive.geometry.sector_bytes",
                      fmt::format("found {}, expected a multiple of {} bytes, the unit of addresses of a block trace",
                                  scenario.drive.geometry.sector_bytes, kUnit));
    if (!options.block_trace.empty()) trace_.emplace(options.block_trace);
  }

  /// `host`: a workload::Initiator, or what else has observers of requests.
  template <typename Host>
  void observe(Host& host) {
    if (log_) host.add_observer(*log_);
    if (trace_) host.add_observer(*trace_);
    if (timeline_) host.add_observer(*timeline_);
    for (workload::RequestObserverIf* other : others_) host.add_observer(*other);
  }
  void observe_drives(const Disks& disks) {
    if (log_ && disks.spread()) log_->add_missed();
    for (const auto& drive : disks.drives()) {
      if (timeline_) timeline_->watch(*drive, drive->basename());
      if (decisions_ != nullptr) decisions_->watch(*drive, drive->basename());
    }
  }
  /// The log gets a column with the names of the jobs, unless there are none. To be called before the run.
  void add_jobs(const std::vector<std::string>& names) {
    if (log_) log_->add_jobs(names);
  }
  /// The log gets a column of recorded response times. To be called before the run.
  void add_recorded() {
    if (log_) log_->add_recorded();
  }
  /// The files, `waves`, and the log of the writes, if there is one, after the run.
  std::vector<observe::OutputFile*> outputs(std::vector<observe::OutputFile*> waves, observe::WriteLog* writes = nullptr) {
    if (writes != nullptr) writes->finish();
    if (log_) log_->finish();
    if (trace_) trace_->finish();
    waves.push_back(log_ ? &log_->file() : nullptr);
    waves.push_back(trace_ ? &trace_->file() : nullptr);
    waves.push_back(timeline_ ? &timeline_->close() : nullptr);
    waves.push_back(writes != nullptr ? &writes->file() : nullptr);
    return waves;
  }

 private:
  std::optional<observe::RequestLog> log_;
  std::optional<observe::BlockTrace> trace_;
  std::optional<observe::ChromeTrace> timeline_;
  std::vector<workload::RequestObserverIf*> others_;
  observe::DecisionLog* decisions_;
};

}  // namespace platter::system
