// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace platter::core {

/// Bad input: a file that cannot be read, or is not in the expected format. The text is "FILE:LINE:COLUMN: message"; line and column are
/// left out where they are 0.
class InputError : public std::runtime_error {
 public:
  /// About a place in a file; `line` and `column` are counted from 1, and 0 where there is none.
  InputError(std::string file, std::size_t line, std::size_t column, const std::string& message)
      : std::runtime_error(format(file, line, column, message)), file_(std::move(file)), line_(line), column_(column) {}

  const std::string& file() const { return file_; }  ///< the file, or the option of the command line
  std::size_t line() const { return line_; }         ///< counted from 1; 0: none
  std::size_t column() const { return column_; }     ///< counted from 1; 0: none

 private:
  static std::string format(const std::string& file, std::size_t line, std::size_t column, const std::string& message) {
    std::string text = file;
    if (line != 0) text += ":" + std::to_string(line);
    if (line != 0 && column != 0) text += ":" + std::to_string(column);
    return text + ": " + message;
  }

  std::string file_;
  std::size_t line_;
  std::size_t column_;
};

/// One thing wrong with a configuration.
struct ConfigProblem {
  std::string file;        ///< the scenario or the profile
  std::size_t line = 0;    ///< counted from 1; 0: none
  std::size_t column = 0;  ///< counted from 1; 0: none
  std::string key;         ///< dotted path of the key
  std::string message;     ///< what was found and what was expected
};

/// All problems of a configuration together, one a line: "FILE:LINE:COLUMN: key: message".
class ConfigError : public std::runtime_error {
 public:
  /// With at least one problem.
  explicit ConfigError(std::vector<ConfigProblem> problems)
      : std::runtime_error(format(problems)), problems_(std::move(problems)) {}

  const std::vector<ConfigProblem>& problems() const { return problems_; }  ///< in the order of the file

 private:
  static std::string format(const std::vector<ConfigProblem>& problems) {
    std::string text;
    for (const ConfigProblem& problem : problems) {
      if (!text.empty()) text += '\n';
      const std::string message = problem.key.empty() ? problem.message : shown(problem.key) + ": " + problem.message;
      text += InputError(problem.file, problem.line, problem.column, message).what();
    }
    return text;
  }

  /// A key of no likely length is shortened.
  static std::string shown(const std::string& key) {
    constexpr std::size_t kLongest = 200;
    if (key.size() <= kLongest) return key;
    return key.substr(0, kLongest) + "... (" + std::to_string(key.size()) + " characters)";
  }

  std::vector<ConfigProblem> problems_;
};

/// A simulation that cannot go on. (The command `platter` then ends with exit code 1.)
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace platter::core
