// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platter/core/types.h"

namespace platter::host::autoqos {

using core::Picoseconds;

struct StreamRecogniserOptions {
  std::uint32_t streams = 64;  ///< that are followed at a time
  std::uint32_t periods = 16;  ///< alike, before a stream is multimedia
  double jitter = 0.20;        ///< mean deviation of a period, as a part of the mean period
  double idle = 0.10;          ///< part of the time between two commands, at least, in which a stream pauses before a burst
  std::uint32_t sequence = 8;  ///< commands in sequence before a stream is tried
  Picoseconds trial =
      4 * core::kPicosecondsPerSecond;  ///< in which it is treated as multimedia, to see what it wants; 0: no trials
  Picoseconds silence = 2 * core::kPicosecondsPerSecond;  ///< after which a stream has ended
  Picoseconds handover =
      core::kPicosecondsPerSecond / 10;  ///< a stream that begins so soon after another's end goes on with it; 0: never
};

/// Finds multimedia streams in the commands themselves, without any label: reads that follow each other on the disk, and whose bursts begin at
/// equal intervals after a pause of the stream's own.
///
/// A stream that the disk cannot serve at its rate never pauses and looks like a bulk copy. A stream of `sequence` commands is therefore
/// tried: for `trial` its commands are multimedia, so that the manager holds the others back and exposes it (AutoQoS, section 3.2); one
/// stream at a time, each once; longer if it pauses by then.
///
/// A file that ends and the next one, or the same from its front, are two streams to the disk. So a stream that begins where another one ends
/// inherits what is known of it: a multimedia stream's heir is multimedia, unless it turns out not to be periodic; the heir of streams whose trials
/// failed waits before its own, twice as long after each. An heir is taken for one until the stream before it goes on.
/// docs/reference/autoqos.md has the rules.
class StreamRecogniser {
 public:
  explicit StreamRecogniser(const StreamRecogniserOptions& options);

  /// A command has come to the host's queue; returns its class. Times never run back; offset and length in bytes.
  core::RequestClass arrives(Picoseconds time, std::uint64_t offset, std::uint32_t length, bool write);
  /// A command has ended.
  void ends(Picoseconds time, std::uint64_t offset, std::uint32_t length);

  /// Streams that are multimedia, or became it for a trial, so far.
  std::uint64_t opened() const { return opened_; }
  /// Streams that were found to be multimedia, so far.
  std::uint64_t recognised() const { return recognised_; }

 private:
  enum class Verdict : std::uint8_t { Unknown, Trial, Other, Inherited, Multimedia };
  /// A time in which a stream is multimedia until it has turned out whether it is.
  struct Trial {
    Picoseconds begin = 0;
    std::uint64_t bursts = 0;  ///< of the stream, before; may wrap, since an heir's bursts begin at 0
  };
  struct Stream {
    std::uint64_t next_offset = 0;
    Picoseconds last_arrival = -1;  ///< -1: none
    Picoseconds last_end = 0;
    Picoseconds last_start = -1;  ///< of a burst
    std::uint32_t outstanding = 0;
    Picoseconds begun = -1;
    std::uint64_t commands = 0;
    Verdict verdict = Verdict::Unknown;
    Trial trial;
    std::uint32_t failed = 0;  ///< trials, of this stream and those before it
    Picoseconds retry_at = 0;  ///< no trial before
    Stream* before = nullptr;  ///< it goes on with this one
    Stream* heir = nullptr;    ///< that goes on with it
    std::uint64_t bursts = 0;
    std::vector<Picoseconds> periods;  ///< the last ones, a ring
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
