// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "platter/front/iscsi/protocol.h"
#include "platter/front/serving/memory.h"
#include "platter/front/serving/session_if.h"

namespace platter::iscsi {

/// Which digests the PDUs have.
struct Digests {
  bool header = false;
  bool data = false;
};

/// A PDU that has arrived. Its bytes are valid until more input is taken.
struct Pdu {
  const std::uint8_t* header = nullptr;  ///< kHeaderBytes
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  bool damaged = false;  ///< the data does not fit its digest

  Opcode opcode() const { return static_cast<Opcode>(header[0] & 0x3F); }
  bool immediate() const { return (header[0] & kImmediate) != 0; }
  std::uint8_t flags() const { return header[1]; }
  bool final() const { return (header[1] & kFinal) != 0; }
  std::uint64_t lun() const { return get<std::uint64_t>(header + 8); }
  std::uint32_t number(std::size_t at) const { return get<std::uint32_t>(header + at); }
  std::uint32_t tag() const { return number(16); }
  std::uint32_t transfer_tag() const { return number(20); }
};

/// Divides a stream of bytes into PDUs.
class PduReader {
 public:
  static constexpr std::size_t kMaxData = std::size_t{256}
                                          << 10;  ///< bytes of a data segment, the target's MaxRecvDataSegmentLength

  PduReader() : input_(kInputBytes) {}

  serving::SessionIf::Room room();
  void received(std::size_t bytes) { end_ += bytes; }
  /// The next PDU; nothing if it has not arrived, or if the stream has failed.
  std::optional<Pdu> next();
  /// The stream cannot be divided any further: a header that does not fit its digest, or a data segment that is too long.
  bool failed() const { return failed_; }
  void set_digests(const Digests& digests) { digests_ = digests; }

 private:
  static constexpr std::size_t kInputBytes = std::size_t{8} << 10;  ///< at first; a longer PDU takes more

  std::vector<std::uint8_t> input_;
  std::size_t begin_ = 0;  ///< of the input that has not been taken
  std::size_t end_ = 0;
  Digests digests_;
  bool failed_ = false;
};

/// The PDUs that wait to be sent. They count as memory of the holder.
class PduWriter {
 public:
  explicit PduWriter(serving::Memory::Holder& memory) : memory_(memory) {}

  /// Adds a PDU; sets the length of its data segment.
  void add(Header& header, const std::uint8_t* data = nullptr, std::size_t bytes = 0);
  void set_digests(const Digests& digests) { digests_ = digests; }

  serving::SessionIf::Piece output() const;
  void sent(std::size_t bytes);
  std::uint64_t unsent_bytes() const { return unsent_; }

 private:
  static constexpr std::size_t kPart = std::size_t{64} << 10;

  serving::Memory::Holder& memory_;
  std::deque<std::vector<std::uint8_t>> output_;
  std::size_t sent_ = 0;      ///< bytes of its first part that have been sent
  std::uint64_t unsent_ = 0;  ///< bytes of the output
  Digests digests_;
};

}  // namespace platter::iscsi
