// SPDX-License-Identifier: Apache-2.0
#include "platter/workload/decoder.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>

namespace platter::workload {
namespace {

constexpr std::uint64_t kMaxXzMemory = std::uint64_t{256} << 20;  // xz -9 takes 65 MiB

bool begins_with(std::string_view bytes, std::string_view magic) { return bytes.substr(0, magic.size()) == magic; }
bool begins_gzip(std::string_view bytes) { return begins_with(bytes, "\x1f\x8b"); }
bool begins_xz(std::string_view bytes) { return begins_with(bytes, std::string_view("\xfd\x37zXZ\0", 6)); }
bool begins_bzip2(std::string_view bytes) {
  return begins_with(bytes, "BZh") && bytes.size() > 3 && bytes[3] >= '1' && bytes[3] <= '9';
}
/// A frame, or a frame to skip, as pzstd writes before each.
bool begins_zstd(std::string_view bytes) {
  const bool skipped =
      bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0u) == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18";
  return skipped || begins_with(bytes, "\x28\xb5\x2f\xfd");
}

/// A decoder of single streams, begun anew for each.
class StreamDecoder : public DecoderIf {
 public:
  bool complete() const override { return complete_; }

  std::size_t decode(std::string_view& in, char* out, std::size_t size) override {
    std::size_t written = 0;
    while (written == 0 && !in.empty()) {
      if (complete_) {
        // Padding: xz allows it between streams, archives leave it behind them.
        if (!ignored_) in.remove_prefix(std::min(in.find_first_not_of('\0'), in.size()));
        if (in.empty()) break;
        if (in.front() != first_byte_) ignored_ = true;
        if (!ignored_) begin();
        complete_ = ignored_;
      }
      if (ignored_) {
        in = {};
        break;
      }
      written = step(in, out, size);
    }
    // What the library still holds comes out without input.
    return written > 0 || complete_ ? written : step(in, out, size);
  }

 protected:
  explicit StreamDecoder(char first_byte) : first_byte_(first_byte) {}

  /// Begins another stream.
  virtual void begin() = 0;
  /// As decode(), within one stream.
  virtual std::size_t step(std::string_view& in, char* out, std::size_t size) = 0;

  bool complete_ = false;

 private:
  char first_byte_;
  bool ignored_ = false;  ///< the rest of the file
};

/// zlib and libbz2 take a pointer to bytes that they do not change, and 32-bit lengths.
template <typename Byte, typename Stream>
void offer(Stream& stream, std::string_view in, char* out, std::size_t size) {
  constexpr std::size_t kMax = std::numeric_limits<unsigned>::max();
  stream.next_in = reinterpret_cast<Byte*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<unsigned>(std::min(in.size(), kMax));
  stream.next_out = reinterpret_cast<Byte*>(out);
  stream.avail_out = static_cast<unsigned>(std::min(size, kMax));
}

class GzipDecoder : public StreamDecoder {
 public:
  GzipDecoder() : StreamDecoder('\x1f') {
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }

 private:
  void begin() override { inflateReset(&stream_); }

  std::size_t step(std::string_view& in, char* out, std::size_t size) override {
    offer<Bytef>(stream_, in, out, size);
    const std::size_t offered = stream_.avail_in;
    const std::size_t room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      throw std::runtime_error(stream_.msg != nullptr ? stream_.msg : "damaged");
    complete_ = code == Z_STREAM_END;
    in.remove_prefix(offered - stream_.avail_in);
    return room - stream_.avail_out;
  }

  z_stream stream_{};
};

class Bzip2Decoder : public StreamDecoder {
 public:
  Bzip2Decoder() : StreamDecoder('B') { open(); }
  ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

 private:
  void open() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  void begin() override {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    open();
  }

  std::size_t step(std::string_view& in, char* out, std::size_t size) override {
    offer<char>(stream_, in, out, size);
    const std::size_t offered = stream_.avail_in;
    const std::size_t room = stream_.avail_out;
    const int code = BZ2_bzDecompress(&stream_);
    if (code != BZ_OK && code != BZ_STREAM_END)
      throw std::runtime_error(code == BZ_MEM_ERROR ? "not enough memory" : "incorrect data");
    complete_ = code == BZ_STREAM_END;
    in.remove_prefix(offered - stream_.avail_in);
    return room - stream_.avail_out;
  }

  bz_stream stream_{};
};

class XzDecoder : public StreamDecoder {
 public:
  XzDecoder() : StreamDecoder('\xfd') { XzDecoder::begin(); }
  ~XzDecoder() override { lzma_end(&stream_); }

 private:
  void begin() override {
    if (lzma_stream_decoder(&stream_, kMaxXzMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }

  std::size_t step(std::string_view& in, char* out, std::size_t size) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = size;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (code == LZMA_MEMLIMIT_ERROR) throw std::runtime_error("it needs more than 256 MiB of memory");
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) throw std::runtime_error("incorrect data");
    complete_ = code == LZMA_STREAM_END;
    in.remove_prefix(in.size() - stream_.avail_in);
    return size - stream_.avail_out;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdDecoder : public DecoderIf {
 public:
  ZstdDecoder() {
    if (!stream_) throw std::bad_alloc();
  }

  std::size_t decode(std::string_view& in, char* out, std::size_t size) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, size, 0};
    do {
      const std::size_t before = from.pos;
      const std::size_t code = ZSTD_decompressStream(stream_.get(), &to, &from);
      if (ZSTD_isError(code) != 0) throw std::runtime_error(ZSTD_getErrorName(code));
      if (from.pos > before || to.pos > 0) complete_ = code == 0;
    } while (to.pos == 0 && from.pos < from.size);
    in.remove_prefix(from.pos);
    return to.pos;
  }
  bool complete() const override { return complete_; }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(), &ZSTD_freeDStream};
  bool complete_ = false;
};

template <typename Decoder>
std::unique_ptr<DecoderIf> make_decoder() {
  return std::make_unique<Decoder>();
}

constexpr std::array<Compression, 4> kCompressions{{
    {"gzip", begins_gzip, make_decoder<GzipDecoder>},
    {"xz", begins_xz, make_decoder<XzDecoder>},
    {"zstd", begins_zstd, make_decoder<ZstdDecoder>},
    {"bzip2", begins_bzip2, make_decoder<Bzip2Decoder>},
}};

}  // namespace

const Compression* compression_of(std::string_view first_bytes) {
  const auto found =
      std::find_if(kCompressions.begin(), kCompressions.end(), [&](const Compression& c) { return c.begins(first_bytes); });
  return found == kCompressions.end() ? nullptr : &*found;
}

}  // namespace platter::workload
