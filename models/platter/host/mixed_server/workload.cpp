// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/workload.h"

#include <algorithm>
#include <utility>

namespace platter::host::mixed_server {

Workload::Workload(const TextOptions& text, const VideoOptions& video, std::vector<workload::StreamTable> tables,
                   Picoseconds begin, Picoseconds end, std::uint64_t seed)
    : end_(end), text_(text, begin, end, seed), video_(video, std::move(tables), text_.bytes(), seed) {}

bool Workload::advance() {
  if (std::min(video_.next(), text_.next()) >= end_) return false;
  if (video_.next() <= text_.next())
    video_.make(made_);
  else
    text_.make(made_);
  return true;
}

bool Workload::next(workload::Request& request, Picoseconds /*now*/) {
  while (made_.empty())
    if (!advance()) return false;
  request = made_.front();
  made_.pop_front();
  return true;
}

}  // namespace platter::host::mixed_server
