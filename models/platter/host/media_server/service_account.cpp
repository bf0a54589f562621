// SPDX-License-Identifier: Apache-2.0
#include "platter/host/media_server/service_account.h"

#include <algorithm>

namespace platter::host::media_server {

void ServiceAccount::begin_round(std::optional<std::uint32_t> failed, bool redirected) {
  std::fill(used_.begin(), used_.end(), 0);
  failed_ = failed;
  redirected_ = redirected;
}

bool ServiceAccount::on_failed(Range<TimedRead> reads) const {
  return failed_ && std::any_of(reads.begin(), reads.end(), [this](const TimedRead& read) { return read.disk == *failed_; });
}

Service ServiceAccount::serve(const RoundDemand& demand, Copy copy) {
  if (demand.primary.time == 0) return Service::Served;  // no data in this round
  const Range<TimedRead> primary{&demand.primary, &demand.primary + 1};
  Range<TimedRead> reads = copy == Copy::Primary ? primary : demand.backups;
  if (on_failed(reads)) {
    if (!redirected_) return Service::Lost;
    reads = copy == Copy::Primary ? demand.backups : primary;
    if (reads.empty()) return Service::Lost;
  }
  Service service = Service::Served;
  for (const TimedRead& read : reads) {
    Nanoseconds& used = used_[read.disk];
    if (used + read.time > budget_)
      service = Service::Late;
    else
      used += read.time;
  }
  return service;
}

}  // namespace platter::host::media_server
