// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platter/host/array/array.h"
#include "platter/params/statistic.h"

namespace platter::host::array {

/// Results of an array for each drive, over the whole run, warm-up included. Values that only a striped array has are empty for others.
struct ArrayResult {
  std::vector<double> utilisation;
  std::vector<std::uint64_t> commands;
  const Array* striped = nullptr;
  ArrayErrors errors;

  /// The value of each drive of a striped array.
  template <typename Value>
  auto each(Value value) const {
    std::optional<std::vector<decltype(value(*striped, 0u))>> all;
    if (striped == nullptr) return all;
    all.emplace();
    for (std::uint32_t drive = 0; drive < commands.size(); ++drive) all->push_back(value(*striped, drive));
    return all;
  }
};

const params::Statistics<ArrayResult>& array_rows();

}  // namespace platter::host::array
