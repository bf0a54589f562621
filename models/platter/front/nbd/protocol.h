// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platter/core/big_endian.h"

/// Constants of the NBD protocol (its reference, doc/proto.md of NetworkBlockDevice/nbd); all numbers on the wire are big-endian.
namespace platter::nbd::wire {

inline constexpr std::uint64_t kMagic = 0x4E42444D41474943;        ///< NBDMAGIC
inline constexpr std::uint64_t kOptionMagic = 0x49484156454F5054;  ///< IHAVEOPT
inline constexpr std::uint64_t kOptionReplyMagic = 0x3E889045565A9;
inline constexpr std::uint32_t kRequestMagic = 0x25609513;
inline constexpr std::uint32_t kSimpleReplyMagic = 0x67446698;
inline constexpr std::uint32_t kStructuredReplyMagic = 0x668E33EF;

// Handshake flags, the server's and the client's.
inline constexpr std::uint16_t kFixedNewstyle = 1;
inline constexpr std::uint16_t kNoZeroes = 2;

enum Option : std::uint32_t {
  kExportName = 1,
  kAbort = 2,
  kList = 3,
  kInfo = 6,
  kGo = 7,
  kStructuredReply = 8,
  kListMetaContext = 9,
  kSetMetaContext = 10,
};

inline constexpr std::uint32_t kAck = 1;
inline constexpr std::uint32_t kServer = 2;
inline constexpr std::uint32_t kInfoReply = 3;
inline constexpr std::uint32_t kErrorUnsupported = 0x8000'0001;
inline constexpr std::uint32_t kErrorInvalid = 0x8000'0003;
inline constexpr std::uint32_t kErrorUnknown = 0x8000'0006;
inline constexpr std::uint32_t kErrorTooBig = 0x8000'0009;

enum Info : std::uint16_t { kInfoExport = 0, kInfoName = 1, kInfoDescription = 2, kInfoBlockSize = 3 };

// Transmission flags.
inline constexpr std::uint16_t kHasFlags = 1 << 0;
inline constexpr std::uint16_t kSendFlush = 1 << 2;
inline constexpr std::uint16_t kSendFua = 1 << 3;
inline constexpr std::uint16_t kRotational = 1 << 4;
inline constexpr std::uint16_t kSendDf = 1 << 7;
inline constexpr std::uint16_t kMultiConn = 1 << 8;

enum Command : std::uint16_t { kRead = 0, kWrite = 1, kDisconnect = 2, kFlush = 3 };
inline constexpr std::uint16_t kFua = 1 << 0;
inline constexpr std::uint16_t kDontFragment = 1 << 2;

inline constexpr std::uint16_t kDone = 1;  ///< of a structured reply: the last chunk
inline constexpr std::uint16_t kChunkNone = 0;
inline constexpr std::uint16_t kChunkData = 1;
inline constexpr std::uint16_t kChunkError = 0x8001;

// Error numbers of the protocol; they are the same as those of Linux.
inline constexpr std::uint32_t kIo = 5;
inline constexpr std::uint32_t kInvalid = 22;
inline constexpr std::uint32_t kNoSpace = 28;
inline constexpr std::uint32_t kOverflow = 75;
inline constexpr std::uint32_t kNotSupported = 95;
inline constexpr std::uint32_t kShutdown = 108;

using core::big_endian::get;
using core::big_endian::Writer;

}  // namespace platter::nbd::wire
