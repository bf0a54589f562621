// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <unordered_map>

namespace platter::drive {

/// The bytes on the disks: sparse, so that only what was written takes memory; what never was reads as zero.
class Media : public sc_core::sc_module {
 public:
  /// The same without a place in the design.
  class Bytes {
   public:
    void read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const;
    void write(std::uint64_t offset, const std::uint8_t* data, std::size_t length);
    Bytes copy() const;

   private:
    static constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;
    using Chunk = std::array<std::uint8_t, kChunkBytes>;

    std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;  // never iterated where order would matter
  };

  explicit Media(const sc_core::sc_module_name& name) : sc_module(name) {}

  void read(std::uint64_t offset, std::uint8_t* data, std::size_t length) const { bytes_.read(offset, data, length); }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t length) { bytes_.write(offset, data, length); }
  const Bytes& bytes() const { return bytes_; }
  Bytes& bytes() { return bytes_; }

 private:
  Bytes bytes_;
};

}  // namespace platter::drive
