// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platter/core/error.h"

namespace platter::disksim {

/// A position in a file.
struct Place {
  std::shared_ptr<const std::string> file;
  std::size_t line = 0;
  std::size_t column = 0;
};

core::InputError error_at(const Place& place, const std::string& message);

struct Block;

struct Value {
  enum class Kind : std::uint8_t { Whole, Real, Word, List, Block, Component };

  Kind kind = Kind::Word;
  Place place;
  std::string text;  ///< a number or word as written; a component's type
  std::string name;  ///< a component's
  std::int64_t whole = 0;
  double real = 0;           ///< also of a whole number
  std::vector<Value> items;  ///< of a list; the components below a component
  std::shared_ptr<const Block> block;

  bool is_number() const { return kind == Kind::Whole || kind == Kind::Real; }
  /// A number times a power of ten, rounded once: 0.1 milliseconds are exactly 100 microseconds.
  double shifted(int decimals) const;
  /// For messages: "the word x", "a list".
  std::string what() const;
};

struct Assignment {
  Place place;
  std::string key;
  Value value;
};

/// TYPE NAME { key = value, ... }; the name is empty for a block that is a value without a name.
struct Block {
  Place place;
  std::string type;
  std::string name;
  std::vector<Assignment> assignments;
};

/// instantiate [ components ] as TYPE
struct Instantiation {
  Place place;
  std::vector<Value> components;
  std::string type;
};

/// A parameter file of DiskSim 4.0 with all files that it sources.
struct Document {
  std::vector<std::shared_ptr<const Block>> blocks;           ///< of the top level
  std::map<std::string, std::shared_ptr<const Block>> named;  ///< all blocks with a name; of equal names the first counts
  std::vector<std::shared_ptr<const Block>> redefined;        ///< the others
  std::vector<Instantiation> instantiations;
  std::vector<Value> topologies;  ///< components
  std::vector<std::string> files;
};

/// Throws core::InputError for a file that cannot be read, text in another format, and files that source each other in a circle.
Document read_document(const std::filesystem::path& file);

/// A seek curve: distance in cylinders, microseconds.
struct SeekPoint {
  std::size_t line = 0;
  std::uint32_t distance = 0;
  double us = 0;
  std::optional<double> write_us;  ///< of a seek before a write; all points have it or none
};
/// Lines "distance, milliseconds[, deviation[, milliseconds before a write]]" in any order, after an optional "Seek distances measured: N".
/// Throws core::InputError.
std::vector<SeekPoint> read_seek_curve(const std::filesystem::path& file);

}  // namespace platter::disksim
