// SPDX-License-Identifier: Apache-2.0
#include "platter/system/engine_table.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "platter/core/nearest.h"

namespace platter::system {

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = {firmware_engine(), model_engine(), rtl_engine(),
                                                lockstep_engine(), own_engine(),   lockstep_own_engine()};
  return table;
}

namespace {

bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

/// Reads the numbers of a text of this form. Returns false for a text of another form.
bool read_numbers(std::string_view form, std::string_view text, std::vector<std::uint64_t>& numbers) {
  for (const char c : form) {
    if (c == ']') continue;
    if (c == '[') {
      if (text.empty()) return true;
      continue;
    }
    if (is_capital(c)) {
      std::uint64_t& number = numbers.emplace_back();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool has_leading_zero = text.front() == '0' && end != text.data() + 1;
      if (error != std::errc() || number > kMaxEngineNumber || has_leading_zero) return false;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      continue;
    }
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
  }
  return text.empty();
}

/// The row with the longest name with which the notation begins; null if there is none.
const EngineInfo* row_named(std::string_view notation) {
  const EngineInfo* best = nullptr;
  for (const EngineInfo& row : engine_table()) {
    const bool begins = notation.substr(0, row.name.size()) == row.name;
    const bool ends = notation.size() <= row.name.size() || notation[row.name.size()] == ':';
    if (begins && ends && (best == nullptr || row.name.size() > best->name.size())) best = &row;
  }
  return best;
}

std::string regular_expression(std::string_view form) {
  std::string expression;
  for (const char c : form) expression += c == '[' ? "(" : c == ']' ? ")?" : is_capital(c) ? "[1-9][0-9]*" : std::string(1, c);
  return expression;
}

}  // namespace

std::string EngineInfo::usage() const {
  if (has_folder) return fmt::format("{}:DIR", name);
  return numbers.form.empty() ? std::string(name) : fmt::format("{}[:{}]", name, numbers.form);
}

std::string engine_usage(std::string_view separator) {
  std::vector<std::string> forms;
  for (const EngineInfo& row : engine_table()) forms.push_back(row.usage());
  return fmt::format("{}", fmt::join(forms, separator));
}

std::string engine_pattern() {
  std::vector<std::string> forms;
  for (const EngineInfo& row : engine_table())
    forms.push_back(row.has_folder ? fmt::format("{}:.+", row.name) : regular_expression(row.usage()));
  return fmt::format("^({})$", fmt::join(forms, "|"));
}

std::optional<EngineChoice> find_engine(std::string_view notation) {
  EngineChoice choice{row_named(notation), {}, {}, std::string(notation)};
  if (choice.row == nullptr) return std::nullopt;
  const std::string_view rest = notation.substr(choice.row->name.size());  // with its colon
  if (choice.row->has_folder) {
    if (rest.size() < 2) return std::nullopt;
    choice.folder = rest.substr(1);
    return choice;
  }
  if (rest.empty()) return choice;
  const EngineNumbers& of = choice.row->numbers;
  if (of.form.empty() || !read_numbers(of.form, rest.substr(1), choice.numbers) || !of.meet(choice.numbers))
    return std::nullopt;
  return choice;
}

std::string engine_notation_objection(std::string_view notation) {
  if (find_engine(notation)) return {};
  if (const EngineInfo* row = row_named(notation); row != nullptr && row->has_folder)
    return fmt::format("found \"{}\", expected {} with a folder as `platter engine new` makes it", notation, row->usage());
  if (const EngineInfo* row = row_named(notation); row != nullptr && !row->numbers.form.empty())
    return fmt::format("found \"{}\", expected {} with {}, each at most {}", notation, row->usage(), row->numbers.condition,
                       kMaxEngineNumber);
  std::vector<std::string_view> names;
  for (const EngineInfo& row : engine_table()) names.push_back(row.name);
  return fmt::format("found \"{}\", expected one of {}{}", notation, engine_usage(", "), core::did_you_mean(notation, names));
}

}  // namespace platter::system
