// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "platter/observe/block_trace.h"
#include "platter/observe/request_log.h"
#include "platter/system/run.h"

namespace platter::system {

/// What a run writes of its requests. A file that cannot be written is refused by the constructor, so it comes before what is costly.
class RequestFiles {
 public:
  explicit RequestFiles(const RunOptions& options) {
    if (!options.requests.empty()) log_.emplace(options.requests);
    if (!options.block_trace.empty()) trace_.emplace(options.block_trace);
  }

  /// `host`: a workload::Initiator, or what else has observers of requests.
  template <typename Host>
  void observe(Host& host) {
    if (log_) host.add_observer(*log_);
    if (trace_) host.add_observer(*trace_);
  }
  /// The log gets a column of recorded response times. To be called before the run.
  void add_recorded() {
    if (log_) log_->add_recorded();
  }
  /// The files, and `waves`, after the run.
  std::vector<observe::OutputFile*> outputs(observe::OutputFile* waves) {
    if (log_) log_->finish();
    if (trace_) trace_->finish();
    return {log_ ? &log_->file() : nullptr, trace_ ? &trace_->file() : nullptr, waves};
  }

 private:
  std::optional<observe::RequestLog> log_;
  std::optional<observe::BlockTrace> trace_;
};

}  // namespace platter::system
