// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platter/params/grammar.h"
#include "platter/params/source.h"

namespace platter::params {

/// The keys of a configuration, and the sections above them.
class KeySpace {
 public:
  void add(const std::string& key);
  void add(const Grammar& grammar);
  /// Files of this section ("": the whole configuration) may have a base.
  void add_base(const std::string& section) { with_base_.insert(section); }

  bool has_key(const std::string& key) const { return keys_.count(key) != 0; }
  bool has_section(const std::string& section) const { return sections_.count(section) != 0; }
  bool may_have_base(const std::string& section) const { return with_base_.count(section) != 0; }
  /// " (did you mean X?)", or "" if no key is close enough.
  std::string suggestion(const std::string& key) const;

 private:
  std::set<std::string> keys_;
  std::set<std::string> sections_;
  std::set<std::string> with_base_;
};

/// Finds the file of a section that the configuration gives by name instead of inline. `at` is the position of that name. Throws for a bad
/// name.
using FileLookup =
    std::function<std::filesystem::path(const std::string& name, const std::string& section, const Position& at)>;
/// The file of that name, relative to the folder of the file that names it. Throws core::ConfigError where it cannot be read.
std::filesystem::path file_beside(const std::string& name, const std::string& section, const Position& at);

/// A TOML configuration, read together with the files that it names in place of sections and with the overrides of the command line.
///
/// A section may be inline or the name of a file, relative to the file that names it; a section with a key `file` starts from that file and
/// overrides it. A file whose section may have a base (SectionWithBase) starts from the one that its key `base` names. Overrides are
/// "key=value", value in TOML (a bare word is a text); the name of a file for a section replaces the whole of it. ARRAY.N.KEY is the key of
/// table N of an array of tables, counted from 0. The positions of such keys in `Source` have the same form, and ARRAY.N is the table's.
class Document {
 public:
  /// `space`: all keys that the configuration may have; its section files may have the same keys. With a `text`, that is what the file holds,
  /// and `file` is its name in messages. Throws core::ConfigError or core::InputError.
  Document(const std::filesystem::path& file, const std::vector<std::string>& overrides, const KeySpace& space,
           const FileLookup& lookup, const std::string* text = nullptr);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// The value given to a key, if it is a text.
  std::optional<std::string> text(const std::string& key) const;
  /// The file or name that the section starts from, "" without one.
  std::string name_of(const std::string& section) const;

  /// Returns the message for a key that the grammar does not have, "" if there is no special one.
  using Elsewhere = std::function<std::string(const std::string& key)>;
  /// Sets all fields that the grammar binds. Adds every problem: unknown keys (with the nearest valid name), wrong types, values out of
  /// range, missing keys and sections.
  void read(const Grammar& grammar, Source& source, std::vector<core::ConfigProblem>& problems,
            const Elsewhere& elsewhere = {}) const;

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace platter::params
