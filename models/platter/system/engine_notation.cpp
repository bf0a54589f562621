// SPDX-License-Identifier: Apache-2.0
#include "platter/system/engine_notation.h"

#include <fmt/format.h>

#include <charconv>

#include "platter/core/nearest.h"

namespace platter::system {

namespace {

constexpr std::uint64_t kMostDecisions = 1'000'000'000;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMostDecisions) return std::nullopt;
  return value;
}

}  // namespace

const std::vector<EngineInfo>& engine_table() {
  static const std::vector<EngineInfo> table = {
      {"firmware", "the policy in exact arithmetic on the controller's processor", false, false},
      {"model", "reference model of the scheduling accelerator, with fixed-point arithmetic and cycle counts", true, false},
      {"rtl", "the accelerator's Verilated RTL behind its bus port", true, true},
      {"lockstep",
       "model and rtl side by side with every response compared; lockstep:sample=K[/N] compares K successive ones of every N "
       "decisions (20 K if N is not given)",
       true, true},
  };
  return table;
}

std::optional<EngineChoice> find_engine(std::string_view notation) {
  const std::size_t colon = notation.find(':');
  EngineChoice choice;
  for (const EngineInfo& row : engine_table())
    if (row.name == notation.substr(0, colon)) choice.row = &row;
  if (choice.row == nullptr || colon == std::string_view::npos)
    return choice.row != nullptr ? std::optional(choice) : std::nullopt;
  constexpr std::string_view kSample = "sample=";
  std::string_view rest = notation.substr(colon + 1);
  if (choice.row->name != "lockstep" || rest.substr(0, kSample.size()) != kSample) return std::nullopt;
  rest.remove_prefix(kSample.size());
  const std::size_t slash = rest.find('/');
  const auto compared = number(rest.substr(0, slash));
  if (!compared || *compared == 0) return std::nullopt;
  const auto interval = slash == std::string_view::npos ? kSampledInterval * *compared : number(rest.substr(slash + 1));
  if (!interval || *interval <= *compared) return std::nullopt;
  choice.compared = *compared;
  choice.interval = *interval;
  return choice;
}

bool is_accelerated(std::string_view notation) {
  const std::optional<EngineChoice> choice = find_engine(notation);
  return choice && choice->row->accelerated;
}

std::string engine_notation_objection(std::string_view notation) {
  if (find_engine(notation)) return {};
  if (notation.substr(0, 9) == "lockstep:")
    return fmt::format("found \"{}\", expected lockstep:sample=K or lockstep:sample=K/N with 0 < K < N, each at most {}",
                       notation, kMostDecisions);
  std::string names;
  std::vector<std::string_view> candidates;
  for (const EngineInfo& row : engine_table()) {
    names += fmt::format("{}, ", row.name);
    candidates.push_back(row.name);
  }
  return fmt::format("found \"{}\", expected {}lockstep:sample=K or lockstep:sample=K/N{}", notation, names,
                     core::did_you_mean(notation, candidates));
}

}  // namespace platter::system
