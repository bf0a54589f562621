// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace platter::params {

/// The names of a signal's values, from 0.
struct Enumeration {
  std::string_view name;
  std::vector<const char*> values;
};

/// The description of a signal in a wave file.
struct SignalRow {
  /// The file has no signals that are texts. A text is a vector of eight bits a character, the last one in the lowest bits, as a string
  /// is in Verilog; what is longer is cut off.
  static constexpr int kTextBytes = 48;
  static constexpr int kText = 8 * kTextBytes;

  std::string_view scope;  ///< within the scope of the watched object
  std::string_view name;
  std::string_view description;
  int bits;  ///< 0: a real; kText: a text
  const Enumeration* values = nullptr;
};

using SignalValue = std::variant<std::uint64_t, double, std::string>;

/// A signal of an object that a probe watches: its value, and the events after which the probe reads it.
template <typename View>
struct Signal : SignalRow {
  using Get = SignalValue (*)(const View&);

  std::uint32_t events;  ///< one bit each
  Get value;
};

template <typename View>
std::vector<SignalRow> rows_of(const std::vector<Signal<View>>& signals) {
  return {signals.begin(), signals.end()};
}

}  // namespace platter::params
