// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace platter::workload {

/// An event of Linux's blktrace (struct blk_io_trace of linux/blktrace_api.h, version 7): 48 bytes, little-endian, and `extra` bytes behind them.
struct BlktraceEvent {
  static constexpr std::size_t kBytes = 48;
  static constexpr std::uint32_t kMagic = 0x6561'7407;
  static constexpr std::uint64_t kSectorBytes = 512;

  enum Action : std::uint32_t { kQueue = 1, kGetRequest = 4, kIssue = 7, kComplete = 8, kInsert = 12, kOfCgroup = 1u << 8 };
  enum Category : std::uint32_t {
    kRead = 1u << 0,
    kWrite = 1u << 1,
    kFlush = 1u << 2,
    kQueued = 1u << 4,
    kIssued = 1u << 6,
    kCompleted = 1u << 7,
    kPassThrough = 1u << 9,  ///< a SCSI command of its own, not the block layer's
    kNotify = 1u << 10,      ///< a message: the name of a process, the time of day
    kDiscard = 1u << 13
  };

  std::uint32_t magic = kMagic;
  std::uint32_t sequence = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0;
  std::uint32_t action = 0;  ///< what happened, and above 16 bits the categories
  std::uint32_t process = 0;
  std::uint32_t device = 0;  ///< major << 20 | minor
  std::uint32_t processor = 0;
  std::uint16_t error = 0;
  std::uint16_t extra = 0;

  std::uint32_t what() const { return action & 0xFFFFu & ~static_cast<std::uint32_t>(kOfCgroup); }
  std::uint32_t categories() const { return action >> 16; }
};

/// The little-endian number at byte `at`.
template <typename Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number value = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;)
    value = static_cast<Number>(static_cast<Number>(value << 8) | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

/// Of at least kBytes bytes.
inline BlktraceEvent decode_blktrace(std::string_view bytes) {
  return {number_at<std::uint32_t>(bytes, 0),  number_at<std::uint32_t>(bytes, 4),  number_at<std::uint64_t>(bytes, 8),
          number_at<std::uint64_t>(bytes, 16), number_at<std::uint32_t>(bytes, 24), number_at<std::uint32_t>(bytes, 28),
          number_at<std::uint32_t>(bytes, 32), number_at<std::uint32_t>(bytes, 36), number_at<std::uint32_t>(bytes, 40),
          number_at<std::uint16_t>(bytes, 44), number_at<std::uint16_t>(bytes, 46)};
}

inline std::array<char, BlktraceEvent::kBytes> encode_blktrace(const BlktraceEvent& event) {
  std::array<char, BlktraceEvent::kBytes> bytes{};
  std::size_t at = 0;
  const auto put = [&](auto value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes[at++] = static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  };
  put(event.magic);
  put(event.sequence);
  put(event.time_ns);
  put(event.sector);
  put(event.bytes);
  put(event.action);
  put(event.process);
  put(event.device);
  put(event.processor);
  put(event.error);
  put(event.extra);
  return bytes;
}

}  // namespace platter::workload
