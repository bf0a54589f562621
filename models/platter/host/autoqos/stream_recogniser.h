// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/types.h"

namespace platter::host::autoqos {

using core::Picoseconds;

struct StreamRecogniserOptions {
  std::uint32_t streams = 64;  ///< streams that are tracked at once
  std::uint32_t periods = 16;  ///< similar periods after which a stream is multimedia
  double jitter = 0.20;        ///< mean deviation of a period, as a part of the mean period
  double idle = 0.10;          ///< least part of the time between two commands in which a stream pauses before a burst
  std::uint32_t sequence = 8;  ///< commands in sequence before a stream is tried
  Picoseconds trial = 4 * core::kPicosecondsPerSecond;      ///< time as multimedia, to measure its demand; 0: no trials
  Picoseconds silence = 2 * core::kPicosecondsPerSecond;    ///< time after which a silent stream has ended
  Picoseconds handover = core::kPicosecondsPerSecond / 10;  ///< a stream so soon after another's end continues it; 0: never
};

/// Finds multimedia streams from the commands alone, without labels: reads that follow each other on the disk, and whose bursts
/// begin at equal intervals after a pause that the stream itself makes.
///
/// A stream that the disk cannot serve at its rate never pauses and looks like a bulk copy. So a stream of `sequence` commands is tried: for the time
/// `trial` its commands are multimedia, so that the manager limits the others and the stream's own rate becomes visible (AutoQoS, section 3.2). One
/// stream is tried at a time, each once. The trial is extended if the stream has begun to pause by its end.
///
/// For the disk, a file and the next one, or the same one read again, are two streams. So a stream that begins when another one
/// ends inherits what is known of that one. The heir of a multimedia stream is multimedia, unless it turns out not to be
/// periodic. The heir of streams whose trials failed waits before its own trial, twice as long after each failure. A stream
/// counts as an heir until the stream before it continues. docs/reference/autoqos.md has the rules.
class StreamRecogniser {
 public:
  explicit StreamRecogniser(const StreamRecogniserOptions& options);

  /// A command has arrived at the host's queue; returns its class. Times never decrease; offset and length are in bytes.
  core::RequestClass arrives(Picoseconds time, std::uint64_t offset, std::uint32_t length, bool write);
  /// A command has ended.
  void ends(Picoseconds time, std::uint64_t offset, std::uint32_t length);

  /// Number of streams that so far were multimedia, or became so for a trial.
  std::uint64_t opened() const { return opened_; }
  /// Number of streams found to be multimedia so far.
  std::uint64_t recognised() const { return recognised_; }

 private:
  enum class Verdict : std::uint8_t { Unknown, Trial, Other, Inherited, Multimedia };
  /// A period in which a stream is provisionally multimedia.
  struct Trial {
    Picoseconds begin = 0;
    std::uint64_t bursts = 0;  ///< bursts of the stream before the trial; may wrap, since an heir's bursts begin at 0
  };
  struct Stream {
    std::uint64_t next_offset = 0;
    Picoseconds last_arrival = -1;  ///< -1: none
    Picoseconds last_end = 0;
    Picoseconds last_start = -1;  ///< start of the last burst
    std::uint32_t outstanding = 0;
    Picoseconds begun = -1;
    std::uint64_t commands = 0;
    Verdict verdict = Verdict::Unknown;
    Trial trial;
    std::uint32_t failed = 0;  ///< failed trials of this stream and of those before it
    Picoseconds retry_at = 0;  ///< no trial before this time
    Stream* before = nullptr;  ///< the stream that this one continues
    Stream* heir = nullptr;    ///< the stream that continues this one
    std::uint64_t bursts = 0;
    std::vector<Picoseconds> periods;  ///< ring of the last periods
  };

  Stream& stream_of(Picoseconds time, std::uint64_t offset);
  void begin(Stream& stream, Picoseconds time);
  void unlink(Stream& stream);
  void find_predecessor(Stream& stream);
  void inherit(Stream& stream);
  void disown_heir(Stream& stream);
  void fail(Stream& stream, Picoseconds time) const;
  void note_burst(Stream& stream, Picoseconds time) const;
  Picoseconds mean_period(const Stream& stream) const;
  bool periodic(const Stream& stream) const;
  void judge(Stream& stream, Picoseconds time);
  bool waits(const Stream& stream, Picoseconds time) const;
  bool first_in_line(const Stream& stream, Picoseconds time) const;
  bool heir_is_proving_itself(Picoseconds time) const;
  bool trial_is_over(const Stream& stream, Picoseconds time) const;

  StreamRecogniserOptions options_;
  std::vector<Stream> streams_;
  Stream* tried_ = nullptr;
  std::uint64_t opened_ = 0;
  std::uint64_t recognised_ = 0;
};

}  // namespace platter::host::autoqos
