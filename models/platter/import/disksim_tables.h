// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platter/import/disksim_remarks.h"

namespace platter::disksim {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One row for each key of a block. A key without a row is an error.

enum class Type : std::uint8_t { Flag, Whole, Number, Word, List, Block };

enum class Fate : std::uint8_t {
  Carried,   ///< goes into the profile's key as it is
  Used,      ///< is worked into the profile by code
  Lost,      ///< has no place in the profile; named in the remarks where it differs from `neutral`
  NoEffect,  ///< the same where DiskSim does nothing with it
  Aside,     ///< says nothing about the drive
};

/// How a number becomes the profile's.
enum class Scale : std::uint8_t {
  One,
  Milliseconds,  ///< to microseconds
  Overhead,      ///< the same, times "Time scale for overheads"
  Command,       ///< the same for an overhead that each command has: plus "Per-request overhead time"
};

struct Row {
  std::string_view key;
  Type type = Type::Number;
  Fate fate = Fate::Aside;
  bool required = false;
  double minimum = -kInfinity;
  double maximum = kInfinity;
  std::string_view profile_key = {};
  Scale scale = Scale::One;
  double neutral = 0;
  std::string_view why = {};
};
using Table = std::vector<Row>;

const Table& disk_table();
const Table& queue_table();
const Table& bus_table();
const Table& controller_table();
const Table& model_table();
const Table& mechanics_table();
const Table& layout_table();
const Table& zone_table();

/// What else a system is made of: read over.
inline constexpr std::array<std::string_view, 29> kOtherBlocks = {
    "disksim_global",       "disksim_stats",     "disksim_iodriver_stats", "disksim_bus_stats",  "disksim_ctlr_stats",
    "disksim_device_stats", "disksim_pf_stats",  "disksim_iodriver",       "disksim_ioqueue",    "disksim_logorg",
    "disksim_pf",           "disksim_synthio",   "disksim_synthgen",       "disksim_syncset",    "disksim_iomap",
    "disksim_iosim",        "disksim_cachemem",  "disksim_cachedev",       "disksim_simpledisk", "disksim_device",
    "dm_layout_g1",         "dm_layout_g1_zone", "dm_layout_g2",           "dm_layout_g2_zone",  "dm_layout_g4",
    "dm_mech_g1",           "memsmodel_mems",    "ssdmodel_ssd",           "ssd_element",
};
inline constexpr std::array<std::string_view, 4> kReadBlocks = {"disksim_disk", "disksim_bus", "disksim_ctlr", "dm_disk"};

/// A block that has been checked against its table.
class Reader {
 public:
  Reader(const Block& block, const Table& table, Problems& problems);

  const Assignment* find(std::string_view key) const {
    const auto found = found_.find(key);
    return found != found_.end() ? found->second : nullptr;
  }
  /// What a key is set to; 0 without it.
  double number(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.real : 0;
  }
  double microseconds(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.shifted(3) : 0;
  }
  std::uint32_t whole(std::string_view key) const;
  bool flag(std::string_view key) const { return number(key) != 0; }
  std::string word(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->value.text : "";
  }
  const Place& place(std::string_view key) const {
    const Assignment* found = find(key);
    return found != nullptr ? found->place : block_.place;
  }
  const Place& place() const { return block_.place; }
  const Block& block() const { return block_; }
  const Table& table() const { return table_; }

  /// Names the values that have no place in the profile.
  void remark_lost(Remarks& remarks) const;

 private:
  static std::string problem_of(const Row& row, const Value& value);

  const Block& block_;
  const Table& table_;
  std::map<std::string_view, const Assignment*> found_;
};

}  // namespace platter::disksim
