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
  std::string_view name;            ///< of the type, in the wave file
  std::vector<const char*> values;  ///< names of the values 0, 1, ...
};

/// The description of a signal in a wave file. Its texts are views: they must live as long as the file.
struct SignalRow {
  /// Most characters of a text. A wave file has no signals that are texts. A text is a vector of eight bits for each character, the last one
  /// in the lowest bits, as a string is in Verilog. A longer text is cut off.
  static constexpr int kTextBytes = 48;
  static constexpr int kText = 8 * kTextBytes;  ///< `bits` of a text

  std::string_view scope;               ///< within the scope of the watched object; empty: that scope itself
  std::string_view name;                ///< of the signal
  std::string_view description;         ///< a line of plain text
  int bits;                             ///< width; 0: a real; kText: a text
  const Enumeration* values = nullptr;  ///< names of its values; null: a number
};

/// A value: of bits, of a real, of a text.
using SignalValue = std::variant<std::uint64_t, double, std::string>;

/// A signal of an object that a probe watches: its value, and the events after which the probe reads it.
template <typename View>
struct Signal : SignalRow {
  using Get = SignalValue (*)(const View&);  ///< reads the value

  std::uint32_t events;  ///< a sum of bits, one for each event; the signal keeps its last value until one of them
  Get value;             ///< reads the value
};

/// The descriptions of signals.
template <typename View>
std::vector<SignalRow> rows_of(const std::vector<Signal<View>>& signals) {
  return {signals.begin(), signals.end()};
}

}  // namespace platter::params
