// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/request_log.h"

#include <fmt/format.h>

namespace platter::observe {

RequestLog::RequestLog(const std::filesystem::path& file) : file_(file) {}

void RequestLog::finish() {
  if (begun_) return;
  begun_ = true;
  file_.write(
      "number,class,stream,op,offset_bytes,length_bytes,issued_ps,accepted_ps,started_ps,completed_ps,queue_ps,"
      "overhead_ps,seek_ps,settle_ps,rotation_ps,transfer_ps,bus_ps,deadline_ps,late,status");
  file_.write(recorded_ ? ",recorded_ps\n" : "\n");
}

void RequestLog::finished(const workload::FinishedRequest& finished) {
  finish();
  const workload::Request& r = finished.request;
  const command::CommandTiming& t = finished.timing;
  fmt::memory_buffer row;  // on the stack
  auto out = std::back_inserter(row);
  fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", finished.number, core::to_string(r.cls), r.stream,
                 r.write() ? 'W' : 'R', r.address, r.length, t.issued, t.accepted, t.started, t.completed, t.queue, t.overhead,
                 t.seek, t.settle, t.rotation, t.transfer, t.bus);
  if (r.deadline != core::kNoDeadline) fmt::format_to(out, "{}", r.deadline);
  fmt::format_to(out, ",{},{}", t.completed > r.deadline ? 1 : 0,
                 finished.status == command::CommandStatus::Good ? "good" : command::to_string(finished.status));
  if (recorded_) row.push_back(',');
  if (recorded_ && r.recorded >= 0) fmt::format_to(out, "{}", r.recorded);
  row.push_back('\n');
  file_.write({row.data(), row.size()});
}

}  // namespace platter::observe
