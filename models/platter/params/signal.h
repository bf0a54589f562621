// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace platter::params {

/// The names of a signal's values, from 0.
struct Enumeration {
  std::string_view name;
  std::vector<const char*> values;
};

/// What is said of a signal in a wave file.
struct SignalRow {
  std::string_view scope;  ///< within that of what is watched
  std::string_view name;
  std::string_view description;
  int bits;  ///< 0: a real
  const Enumeration* values = nullptr;
};

using SignalValue = std::variant<std::uint64_t, double>;

/// A signal of something that a probe watches: its value, and the events after which it is looked at.
template <typename View>
struct Signal : SignalRow {
  using Get = SignalValue (*)(const View&);

  std::uint32_t events;  ///< a bit for each
  Get value;
};

template <typename View>
std::vector<SignalRow> rows_of(const std::vector<Signal<View>>& signals) {
  return {signals.begin(), signals.end()};
}

}  // namespace platter::params
