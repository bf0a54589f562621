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
  Carried,   ///< is copied into the profile's key unchanged
  Used,      ///< code computes values of the profile from it
  Lost,      ///< the profile has no key for it; a remark names it if it differs from `neutral`
  NoEffect,  ///< the same for a key that DiskSim does not use
  Aside,     ///< says nothing about the drive
};

/// How a number is converted for the profile.
enum class Scale : std::uint8_t {
  One,
  Milliseconds,  ///< to microseconds
  Overhead,      ///< to microseconds, times "Time scale for overheads"
  Command,       ///< as Overhead, plus "Per-request overhead time", which each command has
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
const Table& pattern_layout_table();
const Table& zone_table();

/// Other blocks of a system description; the import skips them.
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
  /// The value of a key; 0 if the block does not set it.
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

  /// Adds a remark for each value that has no key in the profile.
  void remark_lost(Remarks& remarks) const;

 private:
  static std::string problem_of(const Row& row, const Value& value);

  const Block& block_;
  const Table& table_;
  std::map<std::string_view, const Assignment*> found_;
};

}  // namespace platter::disksim
