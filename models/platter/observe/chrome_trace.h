// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platter/drive/drive.h"
#include "platter/observe/output_file.h"
#include "platter/workload/initiator.h"

namespace platter::observe {

/// Writes what happens in a window of simulated time as Chrome's trace events (JSON), for Perfetto and chrome://tracing. A process for the host,
/// with a span for each request, and one for each drive, with threads for its engine (decisions), its actuator (accesses, and in them the
/// phases; a movement without an access is a span too), its channel (transfers from and to the media) and its bus (reads, writes); an arrow leads from a decision to its access. Times in
/// microseconds with six decimals. At the end of the run an access under way ends, and an outstanding request has a begin only.
class ChromeTrace : public workload::RequestObserverIf {
 public:
  /// Throws core::InputError where the file cannot be written.
  ChromeTrace(const std::filesystem::path& file, core::Picoseconds from, core::Picoseconds to);
  ~ChromeTrace() override;

  /// To be called before the simulation starts. This object must live for as long as the drive runs.
  void watch(drive::Drive& drive, const std::string& name);
  void issued(const workload::Request& request) override { outstanding_.emplace_hint(outstanding_.end(), issued_++, request); }
  void finished(const workload::FinishedRequest& finished) override;
  /// Writes what is under way, and ends the JSON; the file is then to be committed.
  OutputFile& close();

 private:
  class Watch;

  void watch(drive::Drive& drive, const std::string& name, std::uint32_t actuator);

  struct Span {
    core::Picoseconds begin;
    core::Picoseconds end;
  };

  /// At least in part.
  bool inside(const Span& span) const { return span.end >= from_ && span.begin <= to_; }
  /// A span of a thread.
  void slice(std::size_t process, int thread, std::string_view name, const Span& span, std::string_view arguments = {});
  void event(std::string_view json);
  /// The begin of a request (`phase` b) or its end (e).
  void request(char phase, const workload::Request& r, std::uint64_t number, core::Picoseconds time,
               std::string_view arguments);
  /// The begin of a request, which is late or not.
  void begin(const workload::Request& r, std::uint64_t number, bool late);
  /// The zone of a request that has ended, and its condition now; empty without zones, and for several drives.
  std::string zone_of(const workload::Request& request) const;

  OutputFile file_;
  core::Picoseconds from_;
  core::Picoseconds to_;
  bool any_ = false;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::map<std::uint64_t, workload::Request> outstanding_;  ///< by number
  std::uint64_t issued_ = 0;
};

}  // namespace platter::observe
