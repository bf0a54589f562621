// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platter/accelerator/parameters.h"
#include "platter/engine/engine_factory.h"
#include "platter/scheduling/policies.h"

namespace platter::system {

struct EngineInfo;
struct EngineOptions;

/// An engine as selected by a notation: a row of the table, and the numbers behind its name.
struct EngineChoice {
  const EngineInfo* row = nullptr;
  std::vector<std::uint64_t> numbers;
  std::string notation;  ///< as it was written
};

/// What an engine is asked for.
struct EngineDemand {
  const scheduling::PolicySpec& policy;
  std::uint32_t queue_depth;
  const scheduling::Interpretations& interpretations;
  const accelerator::AcceleratorOptions& accelerator;
};

/// Why an engine cannot do what it is asked for: the value of a key of the configuration, and what was expected instead.
struct Objection {
  std::string key;
  std::string text;

  bool empty() const { return text.empty(); }
  std::string message() const { return empty() ? "" : key + ": " + text; }
};

/// The numbers behind the name of an engine, as in `lockstep:sample=50/200`.
struct EngineNumbers {
  /// What may follow name and colon: capitals are whole numbers, brackets at the end hold what may be left out. Empty: nothing.
  std::string_view form;
  std::string_view condition;  ///< that the numbers must meet, besides kMostEngineNumber
  bool (*meet)(const std::vector<std::uint64_t>& numbers) = nullptr;
};
inline constexpr std::uint64_t kMostEngineNumber = 1'000'000'000;

/// One row of the engine table.
struct EngineInfo {
  std::string_view name;
  std::string_view description;
  /// Precondition: there is no objection.
  std::unique_ptr<engine::EngineIf> (*make)(const EngineOptions& options, const engine::EngineContext& context) = nullptr;
  /// Why it cannot do what it is asked for, and why it cannot serve a drive with these mechanics; null: it always can.
  Objection (*objection)(const EngineChoice& engine, const EngineDemand& demand) = nullptr;
  Objection (*drive_objection)(const EngineChoice& engine, const mechanics::AccessPlanner& planner) = nullptr;
  bool accelerated = false;  ///< runs the policies that the scheduling accelerator has a program for, not all
  bool has_rtl = false;
  EngineNumbers numbers = {};

  /// The form of its notation: `lockstep[:sample=K[/N]]`.
  std::string usage() const;
  bool runs(const scheduling::PolicyInfo& policy) const {
    return !accelerated || policy.accelerated != scheduling::Accelerated::No;
  }
};

/// All engines; feeds the factory, `platter list engines`, the keys of a scenario and the suggestions of error messages.
const std::vector<EngineInfo>& engine_table();

// The rows; those of one file share their code.
EngineInfo firmware_engine();
EngineInfo model_engine();
EngineInfo rtl_engine();
EngineInfo lockstep_engine();

/// The forms of all notations, and the regular expression of them.
std::string engine_usage(std::string_view separator);
std::string engine_pattern();

/// The engine that a notation names; nothing if it names none.
std::optional<EngineChoice> find_engine(std::string_view notation);

/// Why the notation names no engine, and what was expected; empty if it names one.
std::string engine_notation_objection(std::string_view notation);

}  // namespace platter::system
