// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/block_trace.h"

#include <cerrno>

#include "platter/workload/blktrace_event.h"

namespace platter::observe {

using workload::BlktraceEvent;

void BlockTrace::finished(const workload::FinishedRequest& finished) {
  const workload::Request& r = finished.request;
  const command::CommandTiming& t = finished.timing;
  if (const auto found = outstanding_.find(r.issued); found != outstanding_.end()) outstanding_.erase(found);
  const std::uint32_t kind = !r.moves_data() ? BlktraceEvent::kFlush : r.write() ? BlktraceEvent::kWrite : BlktraceEvent::kRead;
  const bool failed = finished.status != command::CommandStatus::Good;
  const auto add = [&](core::Picoseconds time, std::uint32_t action, std::uint32_t what) {
    waiting_.push({time, number_++, r.address / BlktraceEvent::kSectorBytes, r.length, action | (what | kind) << 16, failed});
  };
  add(t.issued, BlktraceEvent::kQueue, BlktraceEvent::kQueued);
  add(t.issued, BlktraceEvent::kGetRequest, BlktraceEvent::kQueued);
  add(t.issued, BlktraceEvent::kInsert, BlktraceEvent::kQueued);
  add(t.accepted, BlktraceEvent::kIssue, BlktraceEvent::kIssued);
  add(t.completed, BlktraceEvent::kComplete, BlktraceEvent::kCompleted);
  // What a request that is still outstanding will add is not before the host got it.
  while (!waiting_.empty() && (outstanding_.empty() || waiting_.top().time < *outstanding_.begin())) {
    write(waiting_.top());
    waiting_.pop();
  }
}

void BlockTrace::finish() {
  for (; !waiting_.empty(); waiting_.pop()) write(waiting_.top());
}

void BlockTrace::write(const Event& event) {
  BlktraceEvent out;
  out.sequence = ++written_;
  out.time_ns = static_cast<std::uint64_t>(event.time / core::kPicosecondsPerNanosecond);
  out.sector = event.sector;
  out.bytes = event.bytes;
  out.action = event.action;
  out.process = 1;
  out.device = 8u << 20;
  out.error = event.failed && out.what() == BlktraceEvent::kComplete ? EIO : 0;
  const auto bytes = workload::encode_blktrace(out);
  file_.write({bytes.data(), bytes.size()});
}

}  // namespace platter::observe
