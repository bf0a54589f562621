// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/stream_recogniser.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace platter::host::autoqos {

using core::RequestClass;

StreamRecogniser::StreamRecogniser(const StreamRecogniserOptions& options) : options_(options), streams_(options.streams) {
  for (Stream& stream : streams_) stream.periods.resize(options_.periods);
}

void StreamRecogniser::begin(Stream& stream, Picoseconds time) {
  if (&stream == tried_) tried_ = nullptr;
  std::vector<Picoseconds> periods = std::move(stream.periods);
  stream = {};
  stream.periods = std::move(periods);
  stream.begun = time;
}

/// The one that the command continues, otherwise the one used longest ago, begun anew.
StreamRecogniser::Stream& StreamRecogniser::stream_of(Picoseconds time, std::uint64_t offset) {
  Stream* oldest = &streams_.front();
  for (Stream& stream : streams_) {
    if (stream.last_arrival >= 0 && stream.next_offset == offset) {
      if (time - stream.last_arrival > options_.silence && stream.outstanding == 0) begin(stream, time);
      return stream;
    }
    if (stream.last_arrival < oldest->last_arrival) oldest = &stream;
  }
  begin(*oldest, time);
  return *oldest;
}

/// A command begins a burst if nothing of its stream was outstanding for a good part of the time since its last one.
void StreamRecogniser::note_burst(Stream& stream, Picoseconds time) const {
  if (stream.outstanding > 0 || stream.commands == 0) return;
  const auto since_last = static_cast<double>(time - stream.last_arrival);
  if (since_last <= 0 || static_cast<double>(time - stream.last_end) < options_.idle * since_last) return;
  if (stream.last_start >= 0) stream.periods[stream.bursts++ % stream.periods.size()] = time - stream.last_start;
  stream.last_start = time;
}

bool StreamRecogniser::periodic(const Stream& stream) const {
  if (stream.bursts < stream.periods.size()) return false;
  Picoseconds sum = 0;
  for (const Picoseconds period : stream.periods) sum += period;
  const auto count = static_cast<Picoseconds>(stream.periods.size());
  Picoseconds deviation = 0;
  for (const Picoseconds period : stream.periods) deviation += std::abs(period - sum / count);
  return static_cast<double>(deviation) <= options_.jitter * static_cast<double>(sum);
}

void StreamRecogniser::judge(Stream& stream, Picoseconds time) {
  if (stream.verdict == Verdict::Multimedia) return;
  if (periodic(stream)) {
    if (stream.verdict != Verdict::Trial) ++opened_;
    if (tried_ == &stream) tried_ = nullptr;
    ++recognised_;
    stream.verdict = Verdict::Multimedia;
  } else if (stream.verdict == Verdict::Unknown && options_.trial > 0 && tried_ == nullptr && stream.commands >= options_.sequence &&
             first_in_line(stream, time)) {
    stream.verdict = Verdict::Trial;
    tried_ = &stream;
    trial_begin_ = time;
    trial_bursts_ = stream.bursts;
    ++opened_;
  }
}

bool StreamRecogniser::first_in_line(const Stream& stream, Picoseconds time) const {
  return std::none_of(streams_.begin(), streams_.end(), [&](const Stream& other) {
    return other.verdict == Verdict::Unknown && other.commands >= options_.sequence && other.begun < stream.begun &&
           time - other.last_arrival <= options_.silence;
  });
}

/// A trial that is over goes on with a stream that pauses, until there are periods enough to judge by: twice as many as it takes, as it may have
/// had to catch up.
bool StreamRecogniser::may_be_multimedia(const Stream& stream, Picoseconds time) const {
  return stream.last_start >= trial_begin_ && time - stream.last_start < options_.trial && stream.bursts - trial_bursts_ < 2 * options_.periods;
}

RequestClass StreamRecogniser::arrives(Picoseconds time, std::uint64_t offset, std::uint32_t length, bool write) {
  if (tried_ != nullptr && time - trial_begin_ >= options_.trial && !may_be_multimedia(*tried_, time)) {
    tried_->verdict = Verdict::Other;
    tried_ = nullptr;
  }
  if (write) return RequestClass::Discrete;
  Stream& stream = stream_of(time, offset);
  note_burst(stream, time);
  stream.next_offset = offset + length;
  stream.last_arrival = time;
  ++stream.outstanding;
  ++stream.commands;
  judge(stream, time);
  return stream.verdict == Verdict::Multimedia || stream.verdict == Verdict::Trial ? RequestClass::Continuous : RequestClass::Discrete;
}

void StreamRecogniser::ends(Picoseconds time, std::uint64_t offset, std::uint32_t length) {
  // The stream that has gone furthest past it, since several of its commands may be outstanding.
  for (Stream& stream : streams_) {
    if (stream.outstanding == 0 || stream.next_offset < offset + length || stream.next_offset - stream.outstanding * std::uint64_t{length} > offset)
      continue;
    --stream.outstanding;
    stream.last_end = time;
    return;
  }
}

}  // namespace platter::host::autoqos
