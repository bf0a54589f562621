// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/request_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace platter::observe {

namespace {

/// A line of the table. A log has millions of them, and a parsed format would take most of its time.
class Row {
 public:
  template <typename Integer>
  Row& number(Integer value) {
    at_ = std::to_chars(at_, text_.data() + text_.size(), value).ptr;
    *at_++ = ',';
    return *this;
  }
  Row& text(std::string_view text) {
    at_ = std::copy(text.begin(), text.end(), at_);
    *at_++ = ',';
    return *this;
  }
  /// The line with its end instead of the last comma.
  std::string_view end() {
    at_[-1] = '\n';
    return {text_.data(), static_cast<std::size_t>(at_ - text_.data())};
  }

 private:
  std::array<char, 1024> text_;  // 24 numbers of at most 20 digits, and the texts
  char* at_ = text_.data();
};

}  // namespace

RequestLog::RequestLog(const std::filesystem::path& file) : file_(file) {}

void RequestLog::finish() {
  if (begun_) return;
  begun_ = true;
  file_.write(
      "number,class,stream,op,offset_bytes,length_bytes,issued_ps,accepted_ps,started_ps,completed_ps,queue_ps,"
      "overhead_ps,seek_ps,settle_ps,rotation_ps,transfer_ps,bus_ps,deadline_ps,late,status");
  if (!jobs_.empty()) file_.write(",job");
  if (missed_) file_.write(",missed,gained,missed_by_ps");
  if (recovery_) file_.write(",retry_turns,recovery_ps,reallocated");
  file_.write(recorded_ ? ",recorded_ps\n" : "\n");
}

void RequestLog::finished(const workload::FinishedRequest& finished) {
  finish();
  const workload::Request& r = finished.request;
  const command::CommandTiming& t = finished.timing;
  Row row;
  row.number(finished.number).text(core::to_string(r.cls)).number(r.stream).text(r.write() ? "W" : r.zone() ? "Z" : "R");
  row.number(r.address).number(r.length);
  for (const core::Picoseconds time :
       {t.issued, t.accepted, t.started, t.completed, t.queue, t.overhead, t.seek, t.settle, t.rotation, t.transfer, t.bus})
    row.number(time);
  r.deadline != core::kNoDeadline ? row.number(r.deadline) : row.text("");
  row.text(t.completed > r.deadline ? "1" : "0");
  row.text(finished.status == command::CommandStatus::Good ? "good" : command::to_string(finished.status));
  if (!jobs_.empty()) row.text(r.job == workload::Request::kNoJob ? "" : jobs_[static_cast<std::size_t>(r.job)]);
  if (missed_) row.number(t.missed).number(t.gained).number(t.missed_by);
  if (recovery_) row.number(t.retry_turns).number(t.recovery).text(t.reallocated ? "1" : "0");
  if (recorded_) r.recorded >= 0 ? row.number(r.recorded) : row.text("");
  file_.write(row.end());
}

}  // namespace platter::observe
