// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "platter/workload/text_file.h"
#include "platter/workload/trace_formats.h"

namespace platter::workload {

/// The records of a binary file, plain or compressed; the parser says how long each is. Throws core::InputError for what ByteSource refuses,
/// and for a last record that is cut short.
class RecordFile : public LineSourceIf {
 public:
  /// `parser` must outlive this object.
  RecordFile(ByteSource source, TraceParserIf& parser) : source_(std::move(source)), parser_(parser) {}

  bool next(SourceLine& record) override;

 private:
  /// Makes sure that so many bytes are there; false at the end of the file.
  bool have(std::size_t bytes);

  ByteSource source_;
  TraceParserIf& parser_;
  std::size_t number_ = 0;
};

}  // namespace platter::workload
