// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platter/workload/trace_record.h"

namespace platter::workload {

/// Takes the bytes of a file, piece by piece.
using ByteSink = std::function<void(std::string_view)>;

/// Writes a trace, request by request, in the order of their times.
class TraceWriterIf {
 public:
  virtual ~TraceWriterIf() = default;
  TraceWriterIf() = default;
  TraceWriterIf(const TraceWriterIf&) = delete;
  TraceWriterIf& operator=(const TraceWriterIf&) = delete;

  /// Throws core::InputError with the file and the line that the request comes from, if the format cannot hold it.
  virtual void write(const TraceRecord& record) = 0;
  /// Writes what follows the last request.
  virtual void finish() {}
};

struct TraceTarget {
  std::string input;           ///< file that the requests come from, for messages
  std::string name = "trace";  ///< fio: the file that the log is of; msr: the host
};

struct TraceOutputFormat {
  std::string_view name;  ///< as the format that reads it
  std::string_view description;
  std::unique_ptr<TraceWriterIf> (*create)(const TraceTarget& target, ByteSink sink);
};

const std::vector<TraceOutputFormat>& trace_output_formats();

/// nullptr if no format has that name.
const TraceOutputFormat* find_trace_output_format(std::string_view name);

}  // namespace platter::workload
