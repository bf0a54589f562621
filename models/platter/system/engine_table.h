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

/// An engine as selected by a notation: a row of the table, and the numbers after its name.
struct EngineChoice {
  const EngineInfo* row = nullptr;     ///< never null in what find_engine() gives
  std::vector<std::uint64_t> numbers;  ///< K and N of `lockstep:sample=K/N`
  std::string folder;                  ///< DIR of `own:DIR` and `lockstep:own:DIR`
  std::string notation;                ///< as it was written
};

/// What an engine must be able to do: run this policy with these settings.
struct EngineDemand {
  const scheduling::PolicySpec& policy;                ///< to be run
  std::uint32_t queue_depth;                           ///< of the drive
  const scheduling::Interpretations& interpretations;  ///< of the policy
  const accelerator::AcceleratorOptions& accelerator;  ///< of an engine with the accelerator
};

/// Why an engine cannot do what it is asked for: the value of a key of the configuration, and what was expected instead.
struct Objection {
  std::string key;   ///< of the configuration
  std::string text;  ///< what was found and what was expected; empty: no objection

  bool empty() const { return text.empty(); }  ///< no objection
  /// One line with key and text; empty without an objection.
  std::string message() const { return empty() ? "" : key + ": " + text; }
};

/// The numbers after the name of an engine, as in `lockstep:sample=50/200`.
struct EngineNumbers {
  /// Form of the text after the name and a colon. A capital stands for a whole number; the part in brackets at the end is optional. Empty:
  /// nothing may follow the name.
  std::string_view form;
  std::string_view condition;  ///< for messages: what the numbers must meet, besides kMaxEngineNumber
  bool (*meet)(const std::vector<std::uint64_t>& numbers) = nullptr;  ///< true if the numbers meet the condition
};
inline constexpr std::uint64_t kMaxEngineNumber = 1'000'000'000;  ///< largest number in a notation

/// One row of the engine table.
struct EngineInfo {
  std::string_view name;         ///< as a notation begins
  std::string_view description;  ///< a line of plain text
  /// Makes the engine. Precondition: there is no objection.
  std::unique_ptr<engine::EngineIf> (*make)(const EngineOptions& options, const engine::EngineContext& context) = nullptr;
  /// Why the engine cannot meet the demand; null: it meets every demand.
  Objection (*objection)(const EngineChoice& engine, const EngineDemand& demand) = nullptr;
  /// Why the engine cannot serve a drive with these mechanics; null: it can serve every drive.
  Objection (*drive_objection)(const EngineChoice& engine, const mechanics::AccessPlanner& planner,
                               const accelerator::AcceleratorOptions& accelerator) = nullptr;
  bool accelerated = false;    ///< runs only policies for which the scheduling accelerator has a program
  bool has_rtl = false;        ///< simulates the accelerator's RTL, which appears in waves
  bool has_folder = false;     ///< runs RTL of a user's own, from the folder after its name
  bool is_built = true;        ///< part of this build of Platter
  EngineNumbers numbers = {};  ///< that may follow the name

  /// The form of its notation, such as `lockstep[:sample=K[/N]]` or `own:DIR`.
  std::string usage() const;
  /// Runs the policy in the controller's firmware, with the firmware's rules and the buffer's.
  bool is_firmware() const { return !accelerated && !has_folder; }
  /// Whether the engine can run the policy at all.
  bool runs(const scheduling::PolicyInfo& policy) const {
    return !accelerated || policy.accelerated != scheduling::Accelerated::No;
  }
};

/// All engines; feeds the factory, `platter list engines`, the keys of a scenario and the suggestions of error messages.
const std::vector<EngineInfo>& engine_table();

/// @cond rows of the engine table; rows in the same file share code
EngineInfo firmware_engine();
EngineInfo model_engine();
EngineInfo rtl_engine();
EngineInfo lockstep_engine();
EngineInfo own_engine();
EngineInfo lockstep_own_engine();
/// @endcond

/// The forms of all notations, with this separator between them.
std::string engine_usage(std::string_view separator);
/// A regular expression that matches all notations.
std::string engine_pattern();

/// The engine that a notation names; nothing if it names none, of which engine_notation_objection() gives the reason.
std::optional<EngineChoice> find_engine(std::string_view notation);

/// Why the notation names no engine, and what was expected; empty if it names one.
std::string engine_notation_objection(std::string_view notation);

}  // namespace platter::system
