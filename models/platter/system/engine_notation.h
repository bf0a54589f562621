// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::system {

/// One row of the engine table.
struct EngineInfo {
  std::string_view name;
  std::string_view description;
  bool accelerated;
  bool has_rtl;
};

const std::vector<EngineInfo>& engine_table();

/// What the notation of an engine says: a name, or `lockstep:sample=K` or `lockstep:sample=K/N`.
struct EngineChoice {
  const EngineInfo* row = nullptr;
  std::uint64_t compared = 0;  ///< lockstep: of every `interval` decisions; 0: all
  std::uint64_t interval = 0;
};

/// Without a notation's interval, this share of the decisions is compared: one in so many.
inline constexpr std::uint64_t kSampledInterval = 20;

/// Empty if it is no notation of an engine.
std::optional<EngineChoice> find_engine(std::string_view notation);

/// Does the notation name an engine with the accelerator?
bool is_accelerated(std::string_view notation);

/// What was found and expected; empty for a notation of an engine.
std::string engine_notation_objection(std::string_view notation);

}  // namespace platter::system
