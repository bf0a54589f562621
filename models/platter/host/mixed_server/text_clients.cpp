// SPDX-License-Identifier: Apache-2.0
#include "platter/host/mixed_server/text_clients.h"

#include <algorithm>
#include <cmath>

namespace platter::host::mixed_server {

using core::kPicosecondsPerSecond;
using workload::Request;

TextClients::TextClients(const TextOptions& text, Picoseconds begin, Picoseconds end, std::uint64_t seed)
    : options_(text),
      begin_(begin),
      units_(text.set_bytes / text.unit_bytes),
      arrivals_(text, begin, end, seed),
      places_(seed, "mixed_server.text.places"),
      sizes_(seed, "mixed_server.text.sizes"),
      cache_(units_, text.cache_bytes, text.unit_bytes, seed) {
  if (text.bursty)
    offered_bytes_.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(end - begin) / kPicosecondsPerSecond)));
}

void TextClients::make(core::RingBuffer<Request>& made) {
  const double bytes = std::max(1.0, options_.mean_bytes + options_.deviation_bytes * sizes_.normal());
  const std::uint64_t units =
      std::min(units_, (static_cast<std::uint64_t>(bytes) + options_.unit_bytes - 1) / options_.unit_bytes);
  const Picoseconds now = arrivals_.next();
  if (arrivals_.bursty() && now >= begin_)
    offered_bytes_[static_cast<std::size_t>((now - begin_) / kPicosecondsPerSecond)] += bytes;
  const std::uint64_t first = places_.below(units_ - units + 1);
  TextRequest job;
  job.issued = job.ended = now;
  for (std::uint64_t unit = first; unit < first + units; ++unit) {
    if (cache_.use(unit)) continue;
    ++job.units;
    Request request;
    request.issued = now;
    request.address = unit * options_.unit_bytes;
    request.length = options_.unit_bytes;
    request.stream = requests_.next_index();
    made.push_back(request);
  }
  requests_.add(job);
  arrivals_.draw();
}

}  // namespace platter::host::mixed_server
