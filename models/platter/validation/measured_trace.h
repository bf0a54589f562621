// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "platter/core/types.h"
#include "platter/workload/generators.h"
#include "platter/workload/request.h"

namespace platter::validation {

using core::Picoseconds;

/// The meaning of the pause on a line of a trace.
enum class Reading {
  Follows,   ///< the pause follows the line's request (DiskSim 4.0's replay)
  Precedes,  ///< the pause precedes the line's request
};

/// One request of a trace that was recorded on a real drive with one request outstanding.
struct MeasuredRequest {
  bool write = false;
  core::Lba first;
  std::uint32_t blocks = 0;
  Picoseconds response = 0;  ///< as measured
  Picoseconds pause = 0;
  std::size_t line = 0;  ///< of the trace
};

/// DiskSim 4.0's "validate" format: blank-separated `R|W`, what the drive did (a word), first block, blocks of 512 bytes, response
/// time, above 0, and pause, both in microseconds. Throws core::InputError with line and column.
std::vector<MeasuredRequest> read_measured_trace(const std::filesystem::path& file);

/// Replays a measured trace: one request outstanding, each issued a pause after the completion of the one before it. The first
/// one is issued at time 0. A drive whose sectors are not the trace's blocks, or a request past its end, throws core::InputError.
class ReplayProducer : public workload::ProducerIf {
 public:
  ReplayProducer(const std::vector<MeasuredRequest>& requests, Reading reading, const workload::Target& drive,
                 const std::filesystem::path& file);

  bool next(workload::Request& request, Picoseconds now) override;
  std::uint32_t closed_depth() const override { return 1; }

 private:
  const std::vector<MeasuredRequest>& requests_;
  Reading reading_;
  std::size_t next_ = 0;
};

}  // namespace platter::validation
