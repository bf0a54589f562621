// SPDX-License-Identifier: Apache-2.0
#include "platter/system/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "platter/mapping/eager/parameters.h"
#include "platter/params/describe.h"
#include "platter/params/document.h"
#include "platter/profile/parameters.h"
#include "platter/scheduling/parameters.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/engine_notation.h"

namespace platter::system {

using nlohmann::json;
using params::Grammar;

const std::vector<std::string_view>& host_kinds() {
  static const std::vector<std::string_view> names = {"drive", "array", "media_server", "mixed_server", "autoqos"};
  return names;
}

std::string_view to_string(HostKind kind) { return host_kinds()[static_cast<std::size_t>(kind)]; }

Scenario::Scenario(HostKind host_kind) : kind(host_kind) {
  switch (kind) {
    case HostKind::Drive:
    case HostKind::Array: break;
    case HostKind::MediaServer:
      policy = "C-LOOK";
      run.measure_s = 6000;
      break;
    case HostKind::MixedServer:
      policy = "CELLO(1|1|0)";
      run.warmup_s = 10;
      run.measure_s = 100;
      break;
    case HostKind::AutoQos:
      policy = "C-LOOK";
      run.measure_s = 160;
      break;
  }
}

namespace {

const params::Table<Scenario>& scenario_parameters() {
  using P = Scenario;
  static const params::Table<P> table = {
      params::required<P>({"format", "", "version of the file format", params::at(&P::format), params::Range{1, 1}}),
      {"host.kind", "",
       "kind of the host before the drives: a load and one drive, a load and an array, a media server, a server of text and "
       "video, or AutoQoS above one drive",
       params::at(&P::kind), params::OneOf{host_kinds()}},
      {"engine", "",
       "scheduling engine: firmware, model, rtl, lockstep, or lockstep:sample=K/N, which compares K of every N decisions "
       "(lockstep:sample=K: of every 20 K)",
       params::at(&P::engine),
       params::Notation{"^(firmware|model|rtl|lockstep(:sample=[1-9][0-9]*(/[1-9][0-9]*)?)?)$", engine_notation_objection}},
      {"policy", "",
       "scheduling policy, one of `platter list policies`; for a mixed_server the policy of the integrated server",
       params::at(&P::policy)},
  };
  return table;
}

/// Keys of some modules, and the hosts that have them.
struct Part {
  std::string_view title;
  std::string_view text;
  std::vector<HostKind> kinds;  ///< empty: all
  void (*add)(Scenario&, Grammar&);

  bool of(HostKind kind) const { return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }
};

/// The grammar of a scenario: the modules' rows, in the order in which the reference page shows them.
const std::vector<Part>& parts() {
  static const std::vector<Part> table = {
      {"Every scenario",
       "",
       {},
       [](Scenario& s, Grammar& g) {
         g.add(scenario_parameters(), s);
         g.add(scheduling::interpretation_parameters(), s.interpretations);
         g.add(accelerator::accelerator_parameters(), s.accelerator);
         g.add(workload::run_parameters(), s.run);
       }},
      {"Load on a drive or an array",
       "These keys exist with `host.kind = \"drive\"` and `\"array\"`.",
       {HostKind::Drive, HostKind::Array},
       [](Scenario& s, Grammar& g) {
         g.add(eager::eager_parameters(), s.eager);
         g.add(workload::continuous_parameters(), s.continuous);
         g.add(workload::discrete_parameters(), s.discrete);
       }},
      {"Failure and waves",
       "These keys exist with `host.kind = \"drive\"`, `\"array\"` and `\"mixed_server\"`.",
       {HostKind::Drive, HostKind::Array, HostKind::MixedServer},
       [](Scenario& s, Grammar& g) {
         g.add(drive::fault_parameters(), s.fault);
         g.add(observe::wave_parameters(), s.waves);
       }},
      {"Array",
       "These keys exist with `host.kind = \"array\"`. The page [array](array.md) has the rules.",
       {HostKind::Array},
       [](Scenario& s, Grammar& g) { g.add(host::array::array_parameters(), s.array); }},
      {"Copies and rebuild",
       "These keys exist with `host.kind = \"array\"` and `\"mixed_server\"`. The page [array](array.md) has the rules.",
       {HostKind::Array, HostKind::MixedServer},
       [](Scenario& s, Grammar& g) { g.add(host::array::redundancy_parameters(), s.redundancy); }},
      {"Media server",
       "These keys exist with `host.kind = \"media_server\"`. A round lasts 1 s. The page [media server](media_server.md) has "
       "the rules.",
       {HostKind::MediaServer},
       [](Scenario& s, Grammar& g) { g.add(host::media_server::media_server_parameters(), s.media_server); }},
      {"Server of text and video",
       "These keys exist with `host.kind = \"mixed_server\"`. The page [server of text and video](mixed_server.md) has the "
       "rules.",
       {HostKind::MixedServer},
       [](Scenario& s, Grammar& g) { g.add(host::mixed_server::mixed_server_parameters(), s.mixed_server); }},
      {"AutoQoS",
       "These keys exist with `host.kind = \"autoqos\"`. The page [AutoQoS](autoqos.md) has the rules.",
       {HostKind::AutoQos},
       [](Scenario& s, Grammar& g) {
         g.add(host::autoqos::autoqos_parameters(), s.autoqos);
         g.add_array("stream", "stream", host::autoqos::stream_parameters(), s.autoqos.streams);
       }},
  };
  return table;
}

constexpr const char* kDrive = "the name of a drive profile";

std::vector<HostKind> every_kind() {
  std::vector<HostKind> kinds;
  kinds.reserve(host_kinds().size());
  for (std::size_t i = 0; i < host_kinds().size(); ++i) kinds.push_back(static_cast<HostKind>(i));
  return kinds;
}

/// The kinds of host whose scenarios have this key or section.
std::string kinds_with(const std::string& key) {
  std::string kinds;
  for (const HostKind kind : every_kind()) {
    Scenario scenario(kind);
    params::KeySpace space;
    space.add(grammar(scenario));
    if (space.has_key(key) || space.has_section(key))
      kinds += (kinds.empty() ? "\"" : " or \"") + std::string(to_string(kind)) + "\"";
  }
  return kinds;
}

void check_policies(const Scenario& s, params::Findings& findings) {
  const auto check = [&](const char* key, const std::string& notation) {
    std::string objection = scheduling::policy_objection(notation);
    if (objection.empty()) objection = scheduling::placing_objection(*scheduling::find_policy(notation), s.eager.enabled);
    if (!objection.empty()) findings.add(key, objection);
  };
  check("policy", s.policy);
  if (s.kind != HostKind::MixedServer) return;
  check("server.text_policy", s.mixed_server.text_policy);
  check("server.video_policy", s.mixed_server.video_policy);
}

/// Finds keys whose values do not fit together.
void check(const Scenario& s, params::Findings& findings) {
  check_policies(s, findings);
  const bool traced = (s.kind == HostKind::Drive || s.kind == HostKind::Array) && s.discrete.source == "trace";
  if (s.run.measure_s < workload::kShortestMeasured_s && !(traced && s.run.as_long_as_trace()))
    findings.add("sim.measure_s",
                 fmt::format("found {:g}, expected at least {:g}{}", s.run.measure_s, workload::kShortestMeasured_s,
                             traced ? ", or 0 for as long as the trace" : "; 0 is allowed with a trace only"));
  const std::uint32_t sector = s.drive.geometry.sector_bytes;
  switch (s.kind) {
    case HostKind::Drive:
    case HostKind::Array:
      eager::check(s.eager, s.drive, findings);
      if (s.is_array())
        host::array::check(s.array, s.redundancy, s.drive, s.fault.fails_at_s, s.eager.enabled, s.eager.block_bytes, findings);
      workload::check(s.discrete, sector, findings);
      workload::check(s.continuous, sector, findings);
      observe::check(s.waves, findings);
      break;
    case HostKind::MediaServer: host::media_server::check(s.media_server, s.drive, s.run, findings); break;
    case HostKind::MixedServer:
      host::array::check(s.redundancy, s.mixed_server.disks(), s.fault.fails_at_s, findings);
      host::mixed_server::check(s.mixed_server, s.redundancy.copies, s.drive, s.run, findings);
      observe::check(s.waves, findings);
      break;
    case HostKind::AutoQos: host::autoqos::check(s.autoqos, s.drive, findings); break;
  }
}

/// The kind of scenario of a document. An unknown kind is reported as the document's only problem.
HostKind kind_of(const params::Document& document) {
  const std::optional<std::string> text = document.text("host.kind");
  if (!text) return HostKind::Drive;
  const auto found = std::find(host_kinds().begin(), host_kinds().end(), *text);
  if (found != host_kinds().end()) return static_cast<HostKind>(found - host_kinds().begin());
  Scenario any;
  std::vector<core::ConfigProblem> problems;
  document.read(grammar(any), any, problems);
  problems.erase(
      std::remove_if(problems.begin(), problems.end(), [](const auto& problem) { return problem.key != "host.kind"; }),
      problems.end());
  throw core::ConfigError(problems);
}

}  // namespace

Grammar grammar(Scenario& scenario) {
  Grammar grammar;
  for (const Part& part : parts())
    if (part.of(scenario.kind)) part.add(scenario, grammar);
  profile::add_to(grammar, scenario.drive, "drive");
  grammar.require("drive", kDrive);
  return grammar;
}

Scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  params::KeySpace space;
  for (const HostKind kind : every_kind()) {
    Scenario scenario(kind);
    space.add(grammar(scenario));
  }
  const params::Document document(file, overrides, space, find_section);
  Scenario s(kind_of(document));
  std::vector<core::ConfigProblem> problems;
  document.read(grammar(s), s, problems, [&s](const std::string& key) {
    const std::string kinds = kinds_with(key);
    return kinds.empty() ? kinds : fmt::format(" with host.kind = \"{}\"; it exists with {}", to_string(s.kind), kinds);
  });
  const bool traced = (s.kind == HostKind::Drive || s.kind == HostKind::Array) && s.discrete.source == "trace";
  if (traced && s.positions.count("sim.measure_s") == 0) s.run.measure_s = 0;
  s.drive_name = document.name_of("drive");
  const auto in_drive = [](const core::ConfigProblem& problem) {
    return problem.key == "drive" || problem.key.rfind("drive.", 0) == 0;
  };
  if (std::none_of(problems.begin(), problems.end(), in_drive)) check(s.drive, "drive", s, s.at("drive"), problems);
  if (s.drive_name.empty()) s.drive_name = s.drive.name;
  if (problems.empty()) {
    params::Findings findings(s, problems);
    check(s, findings);
  }
  if (!problems.empty()) throw core::ConfigError(problems);
  return s;
}

namespace {

/// Calls `show` with a grammar that is bound to a copy of the scenario.
template <typename Show>
auto shown(const Scenario& scenario, Show show) {
  Scenario copy = scenario;
  return show(grammar(copy));
}

}  // namespace

json configuration(const Scenario& scenario) { return shown(scenario, params::to_json); }
std::string to_toml(const Scenario& scenario) { return shown(scenario, params::to_toml); }

namespace {

json schema_head(const std::string& title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"type", "object"}};
}

/// Moves sections that several kinds have in the same form to `$defs`.
void share_sections(json& by_kind, json& defs) {
  std::map<std::string, std::pair<json, int>> seen;  // by section: its first form, and how many kinds have it
  for (const json& kind : by_kind)
    for (const auto& [name, section] : kind["properties"].items()) {
      auto [entry, added] = seen.try_emplace(name, section, 0);
      if (entry->second.first == section) ++entry->second.second;
    }
  for (const auto& [name, form] : seen) {
    if (form.second < 2) continue;
    defs[name] = form.first;
    for (json& kind : by_kind)
      if (kind["properties"].contains(name) && kind["properties"][name] == form.first)
        kind["properties"][name] = {{"$ref", "#/$defs/" + name}};
  }
}

}  // namespace

json scenario_schema() {
  json kinds = json::array();
  for (const HostKind kind : every_kind()) {
    Scenario scenario(kind);
    json one = params::schema(grammar(scenario));
    params::allow_files(one, {{"drive", "name or file of a profile"}});
    one["properties"]["host"] = {
        {"type", "object"}, {"additionalProperties", false}, {"properties", {{"kind", {{"const", to_string(kind)}}}}}};
    kinds.push_back(one);
  }
  json schema = schema_head("Platter scenario");
  schema["properties"]["host"] = {{"type", "object"},
                                  {"properties", {{"kind", {{"enum", host_kinds()}, {"default", host_kinds()[0]}}}}}};
  share_sections(kinds, schema["$defs"]);
  // Selects the schema of the kind that host.kind names; without it, that of a drive.
  json otherwise = kinds[0];
  for (std::size_t i = host_kinds().size() - 1; i > 0; --i) {
    const json said = {
        {"properties", {{"host", {{"properties", {{"kind", {{"const", host_kinds()[i]}}}}}, {"required", {"kind"}}}}}},
        {"required", {"host"}}};
    otherwise = {{"if", said}, {"then", kinds[i]}, {"else", otherwise}};
  }
  for (auto& [key, value] : otherwise.items()) schema[key] = value;
  return schema;
}

json drive_schema() {
  profile::DriveProfile profile;
  Grammar grammar;
  profile::add_to(grammar, profile);
  json schema = schema_head("Platter drive profile");
  schema.update(params::schema(grammar));
  return schema;
}

namespace {

constexpr const char* kReferenceHead = R"(# Configuration

## Purpose

This page lists every key of a scenario and of a drive profile. People who write scenarios need it. `platter config reference`
makes the page from the rows that the loader uses. The same rows give the JSON Schemas in `models/configs/schema/`. Terms are
explained in the [glossary](glossary.md).

## Interface

A scenario is a TOML file. `host.kind` decides which of the parts below it has.

| form in the file | meaning |
| --- | --- |
| `[section]` with keys | the section stands inline |
| `section = "FILE"` | the section stands in a file of its own |
| `[section]` with `file = "FILE"` and keys | the section starts from the file, and the keys override it |
| `drive = "NAME"` | a shipped profile (`platter list drives`); a name with `/` or `.toml` is a file |

A file name is relative to the folder of the file that contains it. `--set KEY=VALUE` overrides any key on the command line; there,
file names are relative to the working directory.

## Parameters

Ranges include both ends. A key without a unit is a number, a text, a truth value or a list. If a meaning lists alternatives, they
have the order of the range.

)";

constexpr const char* kReferenceTail = R"(
## Timing

All keys are read and checked before the simulation starts. No key changes during a run.

## Statistics

`configuration` in a [result](statistics.md) has every key with its effective value.

## Limits

- A key that does not exist is an error. Its message has file, line, column and the nearest valid name.
- All problems of single keys are reported together, with exit code 2. Keys that do not fit together are reported when each key is
  valid.
- A whole number where a real number is expected is at most 2^53, so that it is read exactly.

## How verified

- `tb/unit/config_test.cpp` checks the loader: types, ranges, sections in files, overrides, and the messages.
- `tb/cli/cli_test.py` compares this page and the schemas with the program's output. It checks all shipped scenarios and profiles
  against the schemas.
)";

}  // namespace

std::string reference_page() {
  std::string text = kReferenceHead;
  bool first = true;
  for (const Part& part : parts()) {
    Scenario scenario(part.kinds.empty() ? HostKind::Drive : part.kinds.front());
    Grammar grammar;
    part.add(scenario, grammar);
    text += fmt::format("{}### {}\n\n{}{}{}", first ? "" : "\n", part.title, part.text, part.text.empty() ? "" : "\n\n",
                        params::page_table(grammar));
    first = false;
    for (const params::BoundArray& array : grammar.arrays())
      text += fmt::format("\n#### `[[{}]]`, one for each {}\n\n{}", array.key, array.one, params::page_table(array));
  }
  text +=
      "\n### Defaults that depend on the host\n\n| host.kind | policy | sim.warmup_s | sim.measure_s |\n| --- | --- | --- | "
      "--- |\n";
  for (const HostKind kind : every_kind()) {
    const Scenario scenario(kind);
    text += fmt::format("| {} | `{}` | {:g} | {:g} |\n", to_string(kind), scenario.policy, scenario.run.warmup_s,
                        scenario.run.measure_s);
  }
  profile::DriveProfile profile;
  Grammar grammar;
  profile::add_to(grammar, profile);
  text +=
      "\n### Drive profile\n\nA profile has these keys as they are. In a scenario they stand below `drive.`.\n\n"
      "A profile with `base` has only the keys that differ from its base. It has as many `[[geometry.zone]]` tables as the "
      "base, or none. Each of these tables changes the zone of the base that has the same number. Only a file of a profile "
      "can have `base`; a scenario cannot.\n\n" +
      params::page_table(grammar);
  for (const params::BoundArray& array : grammar.arrays())
    text += fmt::format("\n#### `[[{}]]`, one for each {}\n\n{}", array.key, array.one, params::page_table(array));
  return text + kReferenceTail;
}

}  // namespace platter::system
