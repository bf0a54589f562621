// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace platter::workload {

/// Expands a compressed file: one stream, or several behind each other.
class DecoderIf {
 public:
  virtual ~DecoderIf() = default;
  DecoderIf() = default;
  DecoderIf(const DecoderIf&) = delete;
  DecoderIf& operator=(const DecoderIf&) = delete;

  /// Takes bytes from the front of `in` (which then begins behind them), writes at most `size` bytes to `out` and returns how many. 0: it needs more
  /// input. Zeros behind a stream are skipped; other bytes that do not begin another stream are taken and ignored. Behind zstd's there may be
  /// neither. Throws std::runtime_error for damaged input.
  virtual std::size_t decode(std::string_view& in, char* out, std::size_t size) = 0;
  /// Whether what was taken ends with a whole stream.
  virtual bool complete() const = 0;
};

struct Compression {
  std::string_view name;
  bool (*begins)(std::string_view bytes);  ///< whether a file that begins with these bytes is compressed so
  std::unique_ptr<DecoderIf> (*create)();
};

/// The compression of a file that begins with these bytes (six are enough); nullptr: none.
const Compression* compression_of(std::string_view first_bytes);

}  // namespace platter::workload
