// SPDX-License-Identifier: Apache-2.0
#include "platter/sheet/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <vector>

#include "platter/core/nearest.h"

namespace platter::sheet {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// The units of a measure. The first one without a name is that of a bare number.
const std::vector<Unit>& units(Measure measure) {
  static const std::vector<Unit> sizes{{"B", 1},     {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
                                       {"PB", 1e15}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  static const std::vector<Unit> rates{{"MB/s", 1e6},     {"kB/s", 1e3},     {"GB/s", 1e9}, {"B/s", 1},
                                       {"MiB/s", 0x1p20}, {"GiB/s", 0x1p30}, {"", 1e6}};
  static const std::vector<Unit> times{{"ms", 1e3}, {"us", 1}, {"s", 1e6}, {"", 1e3}};
  static const std::vector<Unit> turns{{"turns", 1}, {"turn", 1}, {"", 1}};
  static const std::vector<Unit> speeds{{"rpm", 1}, {"1/min", 1}, {"", 1}};
  static const std::vector<Unit> bare{{"", 1}};
  switch (measure) {
    case Measure::Size: return sizes;
    case Measure::Rate: return rates;
    case Measure::Time: return times;
    case Measure::Turns: return turns;
    case Measure::Speed: return speeds;
    case Measure::Count:
    case Measure::Share: break;
  }
  return bare;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// Takes a number from the front of the text.
bool take_number(std::string_view& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string_view unit_of(Measure measure) {
  switch (measure) {
    case Measure::Size: return "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
    case Measure::Rate: return "MB/s";
    case Measure::Time: return "ms";
    case Measure::Turns: return "turns";
    case Measure::Speed: return "1/min";
    case Measure::Count:
    case Measure::Share: break;
  }
  return "";
}

std::string read_quantity(std::string_view text, Measure measure, double& value) {
  std::string_view rest = trimmed(text);
  const auto expected = [&](const std::string& what) { return fmt::format("found \"{}\", expected {}", text, what); };
  const std::string a_number = measure == Measure::Size    ? "a number with a unit, such as 22TB or 512MiB"
                               : measure == Measure::Count ? "a whole number"
                               : unit_of(measure).empty()  ? "a number"
                                                           : fmt::format("a number [{}]", unit_of(measure));
  if (!take_number(rest, value)) return expected(a_number);
  if (measure == Measure::Turns && !rest.empty() && rest.front() == '/') {
    double divisor = 0;
    rest.remove_prefix(1);
    if (!take_number(rest, divisor) || !(divisor > 0)) return expected("a fraction of a turn, such as 3/29");
    value /= divisor;
  }
  const std::string_view name = trimmed(rest);
  for (const Unit& unit : units(measure))
    if (unit.name == name) {
      value *= unit.factor;
      if (measure == Measure::Count && value != std::trunc(value)) return expected(a_number);
      return {};
    }
  if (name.empty()) return expected(a_number);
  std::vector<std::string_view> names;
  for (const Unit& unit : units(measure))
    if (!unit.name.empty()) names.push_back(unit.name);
  if (names.empty()) return expected(a_number);
  return fmt::format("found the unit \"{}\", expected one of {}{}", name, fmt::join(names, ", "),
                     core::did_you_mean(name, names));
}

std::string show_quantity(double value, Measure measure) {
  const auto largest = [value](const std::vector<Unit>& of) {  // that leaves at least 1
    const Unit* best = &of.front();
    for (const Unit& unit : of)
      if (value >= unit.factor && (unit.factor > best->factor || value < best->factor)) best = &unit;
    return best;
  };
  static const std::vector<Unit> decimal{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}};
  static const std::vector<Unit> binary{{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
  switch (measure) {
    case Measure::Size: {
      const bool is_binary = value >= 0x1p20 && std::fmod(value, 0x1p20) == 0 && value < 0x1p40;
      const Unit* unit = largest(is_binary ? binary : decimal);
      return fmt::format("{:.6g} {}", value / unit->factor, unit->name);
    }
    case Measure::Rate: return fmt::format("{:.6g} MB/s", value * 1e-6);
    case Measure::Time: return fmt::format("{:.6g} ms", value * 1e-3);
    case Measure::Turns: return fmt::format("{:.6g} turns", value);
    case Measure::Speed: return fmt::format("{:.8g} rpm", value);
    case Measure::Count: return fmt::format("{:.0f}", value);
    case Measure::Share: break;
  }
  return fmt::format("{:.6g}", value);
}

}  // namespace platter::sheet
