// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platter/core/error.h"

namespace platter::params {

/// A position in a file. Line and column 0 mean the file as a whole.
struct Position {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Where a configuration comes from, key by key.
struct Source {
  std::string file;
  std::map<std::string, Position> positions;  ///< of each key that was given

  /// The position of the key; the file as a whole if the key was not given.
  Position at(const std::string& key) const {
    const auto found = positions.find(key);
    return found != positions.end() ? found->second : Position{file, 0, 0};
  }
  /// A problem of a key. `asked_by`: the key that requires it, whose position is reported if the key itself was not given.
  core::ConfigProblem problem(const std::string& key, const std::string& message, const std::string& asked_by = {}) const {
    const Position position = at(asked_by.empty() ? key : asked_by);
    return {position.file, position.line, position.column, key, message};
  }
  /// Throws core::ConfigError with the problem of the key's value and its position.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const {
    throw core::ConfigError({problem(key, message)});
  }
};

/// Collects the problems of a configuration whose keys are each valid alone.
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
