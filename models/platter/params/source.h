// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/error.h"

namespace platter::params {

/// A place in a file; line and column 0: the file as a whole.
struct Position {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Where a configuration comes from, key by key.
struct Source {
  std::string file;
  std::map<std::string, Position> positions;  ///< of each key that was given

  /// Where the key stands; the file as a whole if it was not given.
  Position at(const std::string& key) const {
    const auto found = positions.find(key);
    return found != positions.end() ? found->second : Position{file, 0, 0};
  }
  /// What is wrong with a key; `asked_by`: the key that asks for it, where it does not stand itself.
  core::ConfigProblem problem(const std::string& key, const std::string& message, const std::string& asked_by = {}) const {
    const Position position = at(asked_by.empty() ? key : asked_by);
    return {position.file, position.line, position.column, key, message};
  }
  /// Throws core::ConfigError: what is wrong with the key's value, and where it stands.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const {
    throw core::ConfigError({problem(key, message)});
  }
};

/// What is wrong with a configuration whose keys are good by themselves.
class Findings {
 public:
  Findings(const Source& source, std::vector<core::ConfigProblem>& problems) : source_(source), problems_(problems) {}

  void add(const std::string& key, const std::string& message, const std::string& asked_by = {}) {
    problems_.push_back(source_.problem(key, message, asked_by));
  }
  bool empty() const { return problems_.empty(); }

 private:
  const Source& source_;
  std::vector<core::ConfigProblem>& problems_;
};

}  // namespace platter::params
