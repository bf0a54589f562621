// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <queue>
#include <set>
#include <vector>

#include "platter/observe/output_file.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

/// Writes the requests as Linux's blktrace does (linux/blktrace_api.h, version 7), for blkparse, btt, iowatcher and fio: a request is queued (Q),
/// allocated (G) and inserted (I) when the host gets it, is issued (D) when the drive's queue takes it, or else with its end, and completes (C).
/// Times in nanoseconds, in order, sectors of 512 bytes, device 8,0, all on processor 0. A request that never ends does not appear.
class BlockTrace : public workload::RequestObserverIf {
 public:
  /// Throws core::InputError where the file cannot be written.
  explicit BlockTrace(const std::filesystem::path& file) : file_(file) {}

  void issued(const workload::Request& request) override { outstanding_.insert(request.issued); }
  void finished(const workload::FinishedRequest& finished) override;
  /// Writes what waits for requests that have not ended.
  void finish();
  OutputFile& file() { return file_; }

 private:
  struct Event {
    core::Picoseconds time;
    std::uint64_t order;  ///< of those at the same time
    std::uint64_t sector;
    std::uint32_t bytes;
    std::uint32_t action;
    bool failed;
    friend bool operator>(const Event& a, const Event& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  };

  void write(const Event& event);

  OutputFile file_;
  std::multiset<core::Picoseconds> outstanding_;  ///< when the host got them
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting_;
  std::uint64_t number_ = 0;
  std::uint32_t written_ = 0;
};

}  // namespace platter::observe
