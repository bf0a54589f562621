// SPDX-License-Identifier: Apache-2.0
//
// The options that the fuzzers share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace platter::fuzz {

struct CommonOptions {
  std::filesystem::path work;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t count = 10'000;
  double limit_s = 2;

  /// Returns false for an option of another name.
  bool set(const std::string& name, const std::string& value) {
    if (name == "--work")
      work = value;
    else if (name == "--seed")
      seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--first")
      first = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--count")
      count = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--limit-s")
      limit_s = std::strtod(value.c_str(), nullptr);
    else
      return false;
    return true;
  }
};

}  // namespace platter::fuzz
