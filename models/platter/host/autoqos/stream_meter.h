// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platter/host/autoqos/stream_recogniser.h"
#include "platter/workload/initiator.h"

namespace platter::host::autoqos {

/// Bytes that each stream received, by the completion time of its commands: in each interval from 0 on, and from time `from` on.
class StreamMeter : public workload::RequestObserverIf {
 public:
  struct Stream {
    std::vector<std::uint64_t> bytes;       ///< of each interval
    std::uint64_t counted_bytes = 0;        ///< from `from` on
    std::uint64_t commands = 0;             ///< issued, all
    std::uint64_t multimedia_commands = 0;  ///< of these, of class continuous
  };

  /// Streams are numbered from 0.
  StreamMeter(std::size_t streams, std::size_t intervals, Picoseconds interval, Picoseconds from)
      : interval_(interval), from_(from), streams_(streams) {
    for (Stream& stream : streams_) stream.bytes.resize(intervals);
  }

  void issued(const workload::Request& request) override {
    Stream& stream = streams_[request.stream];
    const bool multimedia = request.cls == core::RequestClass::Continuous;
    if (stream.commands++ == 0 && multimedia) ++opened_;
    if (multimedia) ++stream.multimedia_commands;
  }
  void finished(const workload::FinishedRequest& finished) override {
    if (finished.status != command::CommandStatus::Good) return;
    Stream& stream = streams_[finished.request.stream];
    const Picoseconds at = finished.timing.completed;
    const auto interval = static_cast<std::size_t>(at / interval_);
    if (interval < stream.bytes.size()) stream.bytes[interval] += finished.request.length;
    if (at < from_) return;
    stream.counted_bytes += finished.request.length;
    class_bytes_[static_cast<std::size_t>(finished.request.cls)] += finished.request.length;
  }

  const Stream& of(std::size_t stream) const { return streams_[stream]; }
  /// Bytes from time `from` on.
  std::uint64_t class_bytes(core::RequestClass cls) const { return class_bytes_[core::index_of(cls)]; }
  /// Streams whose first command was multimedia, so far.
  std::uint64_t opened() const { return opened_; }

 private:
  Picoseconds interval_;
  Picoseconds from_;
  std::vector<Stream> streams_;
  std::array<std::uint64_t, core::kRequestClasses> class_bytes_{};
  std::uint64_t opened_ = 0;
};

/// Connects the recogniser to an initiator's queue: it determines the class of every request.
class RecognisedClasses : public workload::ClassifierIf, public workload::RequestObserverIf {
 public:
  explicit RecognisedClasses(const StreamRecogniserOptions& options) : recogniser_(options) {}

  core::RequestClass class_of(const workload::Request& request) override {
    return recogniser_.arrives(request.issued, request.address, request.length, request.write());
  }
  void issued(const workload::Request& /*request*/) override {}
  void finished(const workload::FinishedRequest& finished) override {
    if (!finished.request.write())
      recogniser_.ends(finished.timing.completed, finished.request.address, finished.request.length);
  }

  const StreamRecogniser& recogniser() const { return recogniser_; }

 private:
  StreamRecogniser recogniser_;
};

}  // namespace platter::host::autoqos
