// SPDX-License-Identifier: Apache-2.0
#include "platter/host/array/read_ahead.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::host::array {

using command::CommandStatus;
using core::now_ps;

ReadAhead::Stream& ReadAhead::stream_of(const ArrayRequest& read) {
  const auto known = std::find(stream_ids_.begin(), stream_ids_.end(), read.stream);
  if (known != stream_ids_.end()) return *streams_[static_cast<std::size_t>(known - stream_ids_.begin())];
  const Picoseconds past = now_ps() - config_.stream_buffers.idle;
  const auto over = std::find_if(streams_.begin(), streams_.end(), [past](const auto& stream) {
    return stream->last_read <= past && !stream->fetching() && !stream->to_fetch;
  });
  if (over != streams_.end()) {
    stream_ids_[static_cast<std::size_t>(over - streams_.begin())] = read.stream;
    return **over;
  }
  stream_ids_.push_back(read.stream);
  streams_.push_back(std::make_unique<Stream>());
  return *streams_.back();
}

StreamBuffer* ReadAhead::follow(const ArrayRequest& read) {
  Stream& stream = stream_of(read);
  stream.id = read.stream;
  stream.last_read = now_ps();
  stream.deadline = read.deadline;
  if (!stream.read(read.address, read.address + read.length)) return nullptr;
  want(stream);
  return &stream;
}

void ReadAhead::want(Stream& stream) {
  if (stream.to_fetch || stream.wanted() == StreamBuffer::kNowhere) return;
  stream.to_fetch = true;
  to_fetch_.push_back(&stream);
}

bool ReadAhead::fetch_next() {
  if (to_fetch_.empty()) return false;
  Stream& stream = *to_fetch_.front();
  to_fetch_.pop_front();
  fetch(stream);
  return true;
}

void ReadAhead::fetch(Stream& stream) {
  stream.to_fetch = false;
  const std::uint64_t begin = stream.wanted();
  if (begin >= map_.capacity_bytes()) return;
  for (const Fetch& other : stream.fetches)  // a read that waits for one half may also need a part of the half before
    if (other.first_waiting != nullptr) return;
  const StripeMap::Area& area = map_.area_at(begin);
  if (planner_.cached(area)) return;
  if (begin > stream.bad) stream.bad = StreamBuffer::kNowhere;
  const std::uint64_t end = std::min(stream.bad, area.end());
  const auto length = static_cast<std::uint32_t>(std::min(config_.stream_buffers.units * area.unit_bytes, end - begin));
  if (length == 0) return;
  const std::uint32_t half = stream.fetch(begin, begin + length, order_.next());
  Fetch& fetch = stream.fetches[half];
  if (fetch.room < length) {
    memory_bytes_ += length - fetch.room;
    fetch.room = length;
    if (config_.holds_data) stream.bytes(half).resize(length);
  }
  fetch.of = &stream;
  fetch.half = half;
  fetch.address = begin;
  fetch.length = length;
  fetch.cls = core::RequestClass::Continuous;
  fetch.stream = stream.id;
  fetch.deadline = stream.deadline;  // the data is needed for the read after the last one
  fetch.data = config_.holds_data ? stream.bytes(half).data() : nullptr;
  fetch.status = CommandStatus::Good;
  fetch.progress.role = ArrayRequest::Role::Fetch;
  fetch.progress.since = now_ps();
  planner_.cut(fetch);
}

bool ReadAhead::serve(Fragment& fragment) {
  ArrayRequest& request = *fragment.request;
  if (request.progress.buffer == nullptr) return false;
  auto& stream = static_cast<Stream&>(*request.progress.buffer);
  const std::uint64_t begin = fragment.address();
  std::uint32_t half = 0;
  switch (stream.find(begin, begin + fragment.length, fragment.order, half)) {
    case StreamBuffer::Found::No: return false;
    case StreamBuffer::Found::Awaited: {
      Fetch& fetch = stream.fetches[half];
      fragment.next[0] = nullptr;
      (fetch.first_waiting != nullptr ? fetch.last_waiting->next[0] : fetch.first_waiting) = &fragment;
      fetch.last_waiting = &fragment;
      request.progress.waited = true;
      return true;
    }
    case StreamBuffer::Found::Filled: break;
  }
  if (config_.holds_data && request.data != nullptr)
    stream.copy(begin, begin + fragment.length, request.data + (begin - request.address));
  planner_.settle(fragment);
  return true;
}

void ReadAhead::ended(ArrayRequest& ended) {
  auto& fetch = static_cast<Fetch&>(ended);
  Stream& stream = *fetch.of;
  const bool good = fetch.status == CommandStatus::Good;
  stream.fetched(fetch.half, good);
  for (Fragment* f = fetch.first_waiting; f != nullptr; f = f->next[0]) order_.again(*f);
  fetch.first_waiting = nullptr;
  if (fetch.status == CommandStatus::Unreadable) stream.bad = fetch.first_bad * config_.sector_bytes;
  if (!good) return;  // no fetch until the stream reads again
  counters_.fetched_bytes += fetch.length;
  want(stream);
}

}  // namespace platter::host::array
