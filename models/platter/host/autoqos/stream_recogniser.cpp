// SPDX-License-Identifier: Apache-2.0
#include "platter/host/autoqos/stream_recogniser.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace platter::host::autoqos {

using core::RequestClass;

namespace {

constexpr std::uint32_t kMaxDoublings = 5;  // limit of the doublings of the wait for another trial

}  // namespace

StreamRecogniser::StreamRecogniser(const StreamRecogniserOptions& options) : options_(options), streams_(options.streams) {
  for (Stream& stream : streams_) stream.periods.resize(options_.periods);
}

void StreamRecogniser::begin(Stream& stream, Picoseconds time) {
  if (&stream == tried_) tried_ = nullptr;
  unlink(stream);
  std::vector<Picoseconds> periods = std::move(stream.periods);
  stream = {};
  stream.periods = std::move(periods);
  stream.begun = time;
  find_predecessor(stream);
}

void StreamRecogniser::unlink(Stream& stream) {
  if (stream.before != nullptr) stream.before->heir = nullptr;
  if (stream.heir != nullptr) stream.heir->before = nullptr;
  stream.before = stream.heir = nullptr;
}

/// Finds the stream that this one may continue. Candidates are sequential streams without another heir that have not continued
/// since this one began; the one that ended last is chosen. A multimedia stream may pause before its successor begins.
void StreamRecogniser::find_predecessor(Stream& stream) {
  if (options_.handover == 0) return;
  for (Stream& other : streams_) {
    if (&other == &stream || other.outstanding > 0 || other.commands < 2 || other.heir != nullptr ||
        other.last_arrival >= stream.begun)
      continue;
    const Picoseconds due = other.verdict == Verdict::Multimedia ? other.last_start + mean_period(other) : other.last_end;
    if (stream.begun > std::max(other.last_end, due) + options_.handover) continue;
    if (stream.before == nullptr || other.last_end > stream.before->last_end) stream.before = &other;
  }
  if (stream.before != nullptr) stream.before->heir = &stream;
}

/// Passes on what is known of the stream before, once this stream has continued sequentially and the stream before has not: a
/// single read may be at any place.
void StreamRecogniser::inherit(Stream& stream) {
  if (stream.before == nullptr || stream.verdict != Verdict::Unknown) return;
  Stream& before = *stream.before;
  if (before.verdict == Verdict::Trial || before.verdict == Verdict::Inherited) {
    stream.verdict = before.verdict;
    stream.trial = {before.trial.begin, before.trial.bursts - before.bursts};
    if (tried_ == &before) {
      tried_ = &stream;
      before.verdict = Verdict::Unknown;
    }
  } else if (before.verdict == Verdict::Multimedia) {
    stream.verdict = Verdict::Inherited;
    stream.trial = {stream.begun, 0};
  }
  stream.failed = before.failed;
  stream.retry_at = before.retry_at;
}

/// The stream has continued, so its heir is an independent stream.
void StreamRecogniser::disown_heir(Stream& stream) {
  Stream& heir = *stream.heir;
  unlink(heir);
  if (heir.verdict == Verdict::Trial && heir.trial.begin < heir.begun) {  // the stream's own trial, which goes on
    stream.verdict = std::exchange(heir.verdict, Verdict::Unknown);
    tried_ = &stream;
  }
  if (heir.verdict == Verdict::Inherited) heir.verdict = Verdict::Unknown;
  if (heir.verdict == Verdict::Unknown) {
    heir.failed = 0;
    heir.retry_at = 0;
  }
  find_predecessor(heir);
  if (heir.commands >= 2) inherit(heir);
}

/// Ends a trial that failed. A trial that was inherited does not count as the stream's own.
void StreamRecogniser::fail(Stream& stream, Picoseconds time) const {
  stream.verdict = stream.verdict == Verdict::Trial && stream.trial.begin >= stream.begun ? Verdict::Other : Verdict::Unknown;
  ++stream.failed;
  stream.retry_at = time + (options_.trial * (Picoseconds{1} << std::min(stream.failed, kMaxDoublings)));
}

/// Returns the stream that the command continues. If there is none, resets the least recently used one and returns it.
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

/// A command begins a burst if, for at least the part `idle` of the time since the stream's last command, none of its commands was outstanding.
void StreamRecogniser::note_burst(Stream& stream, Picoseconds time) const {
  if (stream.outstanding > 0 || stream.commands == 0) return;
  const auto since_last = static_cast<double>(time - stream.last_arrival);
  if (since_last <= 0 || static_cast<double>(time - stream.last_end) < options_.idle * since_last) return;
  if (stream.last_start >= 0) stream.periods[stream.bursts++ % stream.periods.size()] = time - stream.last_start;
  stream.last_start = time;
}

Picoseconds StreamRecogniser::mean_period(const Stream& stream) const {
  return std::accumulate(stream.periods.begin(), stream.periods.end(), Picoseconds{0}) /
         static_cast<Picoseconds>(stream.periods.size());
}

bool StreamRecogniser::periodic(const Stream& stream) const {
  if (stream.bursts < stream.periods.size()) return false;
  const Picoseconds mean = mean_period(stream);
  Picoseconds deviation = 0;
  for (const Picoseconds period : stream.periods) deviation += std::abs(period - mean);
  return static_cast<double>(deviation) <=
         options_.jitter * static_cast<double>(mean) * static_cast<double>(stream.periods.size());
}

void StreamRecogniser::judge(Stream& stream, Picoseconds time) {
  if (stream.verdict == Verdict::Multimedia) return;
  if (periodic(stream)) {
    if (stream.verdict != Verdict::Trial && stream.verdict != Verdict::Inherited) ++opened_;
    if (stream.verdict != Verdict::Inherited) ++recognised_;
    if (tried_ == &stream) tried_ = nullptr;
    stream.verdict = Verdict::Multimedia;
    stream.failed = 0;
  } else if (stream.verdict == Verdict::Inherited) {
    // Another stream's trial may delay this stream, so its own time begins after that trial.
    if (tried_ != nullptr) stream.trial = {time, stream.bursts};
    if (trial_is_over(stream, time)) fail(stream, time);
  } else if (tried_ == nullptr && waits(stream, time) && first_in_line(stream, time) && !heir_is_proving_itself(time)) {
    stream.verdict = Verdict::Trial;
    stream.trial = {time, stream.bursts};
    tried_ = &stream;
    ++opened_;
  }
}

/// True if the stream waits for a trial.
bool StreamRecogniser::waits(const Stream& stream, Picoseconds time) const {
  return stream.verdict == Verdict::Unknown && options_.trial > 0 && stream.commands >= options_.sequence &&
         time >= stream.retry_at;
}

bool StreamRecogniser::first_in_line(const Stream& stream, Picoseconds time) const {
  return std::none_of(streams_.begin(), streams_.end(), [&](const Stream& other) {
    return waits(other, time) && other.heir == nullptr && other.begun < stream.begun &&
           time - other.last_arrival <= options_.silence;
  });
}

bool StreamRecogniser::heir_is_proving_itself(Picoseconds time) const {
  return std::any_of(streams_.begin(), streams_.end(), [&](const Stream& stream) {
    return stream.verdict == Verdict::Inherited && stream.heir == nullptr && time - stream.last_arrival <= options_.silence;
  });
}

/// The trial of a stream that pauses is extended until there are enough periods to judge it: twice as many as needed, because the
/// stream may have had to catch up.
bool StreamRecogniser::trial_is_over(const Stream& stream, Picoseconds time) const {
  const bool pauses = stream.last_start >= stream.trial.begin && time - stream.last_start < options_.trial;
  return time - stream.trial.begin >= options_.trial &&
         !(pauses && stream.bursts - stream.trial.bursts < std::uint64_t{2} * options_.periods);
}

RequestClass StreamRecogniser::arrives(Picoseconds time, std::uint64_t offset, std::uint32_t length, bool write) {
  if (tried_ != nullptr && trial_is_over(*tried_, time)) {
    fail(*tried_, time);
    tried_ = nullptr;
  }
  if (write) return RequestClass::Discrete;
  Stream& stream = stream_of(time, offset);
  note_burst(stream, time);
  stream.next_offset = offset + length;
  stream.last_arrival = time;
  if (stream.heir != nullptr) disown_heir(stream);
  ++stream.outstanding;
  if (++stream.commands == 2) inherit(stream);
  judge(stream, time);
  return stream.verdict == Verdict::Unknown || stream.verdict == Verdict::Other ? RequestClass::Discrete
                                                                                : RequestClass::Continuous;
}

void StreamRecogniser::ends(Picoseconds time, std::uint64_t offset, std::uint32_t length) {
  // Finds the stream of the command. Several of its commands may be outstanding, so its next offset may be beyond this command.
  for (Stream& stream : streams_) {
    if (stream.outstanding == 0 || stream.next_offset < offset + length ||
        stream.next_offset - stream.outstanding * std::uint64_t{length} > offset)
      continue;
    --stream.outstanding;
    stream.last_end = time;
    return;
  }
}

}  // namespace platter::host::autoqos
