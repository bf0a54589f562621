// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the array's tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "platter/host/array/array.h"
#include "testing.h"

namespace platter::testing {

using host::array::Array;
using host::array::ArrayClientIf;
using host::array::ArrayConfig;
using host::array::ArrayRequest;
using host::array::StripeArea;
using host::array::StripeMap;
using host::array::UnitPlace;

inline StripeArea area_of(std::uint64_t units, std::uint64_t unit_bytes, bool mirrored = false) {
  StripeArea area;
  area.bytes = units * unit_bytes;
  area.unit_bytes = unit_bytes;
  area.mirrored = mirrored;
  return area;
}

inline constexpr std::uint64_t kSector = 512;

/// The contents that each sector may have, by the order of submission. After a failed write these are the old or the new
/// contents; the first read determines which.
class Ledger {
 public:
  explicit Ledger(std::uint64_t bytes) : sectors_(bytes / kSector, {{0, State::There}}) {}

  static void fill(std::uint8_t* to, std::uint64_t sector, std::uint64_t stamp) {
    const std::uint64_t word = stamp == 0 ? 0 : stamp * 0x9E37'79B9'7F4A'7C15ull + sector;
    for (std::size_t i = 0; i < kSector; i += 8) std::memcpy(to + i, &word, 8);
  }

  /// Call it in order of submission. The number is also the stamp in the write's data.
  void accept(const ArrayRequest& write, std::uint64_t number) {
    for (std::uint64_t s = first(write); s < end(write); ++s) {
      sectors_[s].push_back({number, State::OnWay});
      fill(write.data + (s - first(write)) * kSector, s, number);
    }
  }
  void ended(const ArrayRequest& write, std::uint64_t number) {
    for (std::uint64_t s = first(write); s < end(write); ++s)
      for (auto v = sectors_[s].rbegin(); v != sectors_[s].rend(); ++v) {
        if (v->number != number) continue;
        if (write.status == CommandStatus::Good) {
          ASSERT_NE(v->state, State::Missed) << "a younger read has not seen write " << number << " of sector " << s;
          v->state = State::There;
        } else if (v->state == State::OnWay) {
          v->state = State::Perhaps;
        }
        break;
      }
  }
  void check(const ArrayRequest& read, std::uint64_t number) {
    for (std::uint64_t s = first(read); s < end(read); ++s)
      ASSERT_TRUE(look(s, read.data + (s - first(read)) * kSector, number)) << "sector " << s << " of read " << number;
  }
  /// May a read with this number return these bytes? If so, they are the sector's contents from now on.
  bool look(std::uint64_t s, const std::uint8_t* bytes, std::uint64_t number) {
    const std::size_t found = find(s, bytes, number);
    if (found == kNone) return false;
    auto& versions = sectors_[s];
    versions[found].state = State::There;
    for (std::size_t younger = found + 1; younger < versions.size() && versions[younger].number < number; ++younger)
      versions[younger].state = State::Missed;
    return true;
  }
  /// As `look`, but the question changes nothing.
  bool allows(std::uint64_t s, const std::uint8_t* bytes) const { return find(s, bytes, ~std::uint64_t{0}) != kNone; }
  /// Has a write of the sector failed, or not ended?
  bool in_doubt(std::uint64_t s) const {
    return std::any_of(sectors_[s].begin(), sectors_[s].end(), [](const Version& v) { return v.state != State::There; });
  }

 private:
  enum class State : std::uint8_t {
    OnWay,  ///< a part of the write may have ended
    There,
    Perhaps,  ///< the write has failed
    Missed,   ///< a younger read has seen older contents
  };
  struct Version {
    std::uint64_t number;
    State state;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t find(std::uint64_t s, const std::uint8_t* bytes, std::uint64_t number) const {
    const auto& versions = sectors_[s];
    std::array<std::uint8_t, kSector> expected;
    for (std::size_t v = versions.size(); v-- > 0;) {
      if (versions[v].number >= number || versions[v].state == State::Missed) continue;
      fill(expected.data(), s, versions[v].number);
      if (std::equal(expected.begin(), expected.end(), bytes)) return v;
      if (versions[v].state == State::There) break;
    }
    return kNone;
  }
  static std::uint64_t first(const ArrayRequest& r) { return r.address / kSector; }
  static std::uint64_t end(const ArrayRequest& r) { return (r.address + r.length) / kSector; }

  std::vector<std::vector<Version>> sectors_;
};

/// Toy drives and the array that uses them.
struct ArrayRig {
  explicit ArrayRig(ArrayConfig config, const profile::DriveProfile& profile = toy_profile(),
                    const std::string& policy = "FCFS", const std::string& name = "array", bool registers = true) {
    config.drive_bytes = kToyBlocks * 512;
    for (std::uint32_t i = 0; i < config.drives; ++i)
      drives.push_back(
          make_drive((name + "_disk" + std::to_string(i)).c_str(), policy, "firmware", profile, config.holds_data));
    array = std::make_unique<Array>(name.c_str(), config);
    for (std::uint32_t i = 0; i < config.drives; ++i) {
      array->disk_init_sockets[i].bind(drives[i]->host_tgt_socket);
      if (registers) array->register_init_sockets[i].bind(drives[i]->register_tgt_socket);
    }
  }

  std::vector<std::unique_ptr<drive::Drive>> drives;
  std::unique_ptr<Array> array;
};

}  // namespace platter::testing
