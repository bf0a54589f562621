// SPDX-License-Identifier: Apache-2.0
#include "platter/system/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "platter/params/describe.h"
#include "platter/params/document.h"
#include "platter/profile/parameters.h"
#include "platter/scheduling/parameters.h"
#include "platter/scheduling/policies.h"
#include "platter/system/drives.h"
#include "platter/system/renamed_keys.h"

namespace platter::system {

using nlohmann::json;
using params::Grammar;

namespace {

const params::Table<Scenario>& scenario_parameters() {
  using P = Scenario;
  static const std::string pattern = engine_pattern();
  static const std::string engines = "scheduling engine: " + engine_usage(", ") + "; `platter list engines` describes them";
  static const params::Table<P> table = {
      params::required<P>({"format", "", "version of the file format", params::at(&P::format), params::Range{1, 1}}),
      {"host.kind", "", "kind of the host before the drives, one of `platter list hosts`",
       params::row_of(&P::host, host_table()), params::names_of(host_table())},
      {"engine", "", engines, params::notated(&P::engine, find_engine, engine_notation_objection), params::Pattern{pattern}},
      {"policy", "", "scheduling policy, one of `platter list policies`",
       params::notated(&P::policy, scheduling::find_policy, scheduling::policy_objection)},
  };
  return table;
}

/// The keys of every scenario.
constexpr Section kEvery{"Every scenario", "", [](Scenario& s, Grammar& g) {
                           g.add(scenario_parameters(), s);
                           g.add(scheduling::interpretation_parameters(), s.interpretations);
                           g.add(scheduling::arrival_parameters(), s.arrivals);
                           g.add(accelerator::accelerator_parameters(), s.accelerator);
                           g.add(workload::run_parameters(), s.run);
                         }};

constexpr const char* kDrive = "the name of a drive profile";

/// The hosts whose scenarios have this key or section.
std::string hosts_with(const std::string& key) {
  std::string names;
  for (const HostInfo& host : host_table()) {
    Scenario scenario(host);
    params::KeySpace space;
    space.add(grammar(scenario));
    if (space.has_key(key) || space.has_section(key))
      names += (names.empty() ? "\"" : " or \"") + std::string(host.name) + "\"";
  }
  return names;
}

bool is_traced(const Scenario& s) { return s.discrete.source == "trace"; }

/// Whether the load has a part that ends by itself.
bool ends(const Scenario& s) {
  return is_traced(s) ||
         std::any_of(s.jobs.begin(), s.jobs.end(), [](const workload::JobParameters& job) { return job.ends(); });
}

/// Finds keys whose values do not fit together.
void check(const Scenario& s, params::Findings& findings) {
  if (const std::string objection = scheduling::placing_objection(s.policy, s.eager.enabled); !objection.empty())
    findings.add("policy", objection);
  if (s.run.measure_s < workload::kShortestMeasured_s && !(ends(s) && s.run.as_long_as_load()))
    findings.add(
        "sim.measure_s",
        fmt::format("found {:g}, expected at least {:g}{}", s.run.measure_s, workload::kShortestMeasured_s,
                    ends(s) ? ", or 0 for as long as the load" : "; 0 is allowed with a trace, or with a job that ends, only"));
  s.host->check(s, findings);
}

/// The host of a document's scenario. An unknown one is reported as the document's only problem.
const HostInfo& host_of(const params::Document& document) {
  const std::optional<std::string> text = document.text("host.kind");
  if (!text) return host_table().front();
  for (const HostInfo& host : host_table())
    if (host.name == *text) return host;
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
  kEvery.add(scenario, grammar);
  for (const Section* section : scenario.host->sections) section->add(scenario, grammar);
  profile::add_to(grammar, scenario.drive, "drive");
  grammar.require("drive", kDrive);
  return grammar;
}

namespace {

/// `text`: what the file holds; null: it is read.
Scenario scenario_of(const std::filesystem::path& file, const std::vector<std::string>& overrides, const std::string* text) {
  params::KeySpace space;
  for (const HostInfo& host : host_table()) {
    Scenario scenario(host);
    space.add(grammar(scenario));
  }
  const params::Document document(file, overrides, space, find_section, text);
  Scenario s(host_of(document));
  std::vector<core::ConfigProblem> problems;
  document.read(grammar(s), s, problems, [&s](const std::string& key) {
    if (const std::string name = new_name(key); !name.empty()) return fmt::format("; its name is {} now", name);
    const std::string hosts = hosts_with(key);
    return hosts.empty() ? hosts : fmt::format(" with host.kind = \"{}\"; it exists with {}", s.host->name, hosts);
  });
  for (core::ConfigProblem& problem : problems) {  // [fault] was the section of a drive's failure, and is a list of faults now
    if (problem.key == "fault") problem.message += "; the section of a drive's failure is [failure] now";
    if (const std::string name = new_name(problem.key); !name.empty() && problem.message.find(name) == std::string::npos)
      problem.message += fmt::format("; of a drive's failure it is {} now", name);
  }
  if (is_traced(s) && s.positions.count("sim.measure_s") == 0) s.run.measure_s = 0;
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

}  // namespace

Scenario load_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return scenario_of(file, overrides, nullptr);
}

Scenario read_scenario(const std::string& text, const std::string& name) { return scenario_of(name, {}, &text); }

media::FaultPlan Scenario::fault_plan(const mechanics::Geometry& geometry) const {
  constexpr double kMonth = media::kSecondsPerMonth;  // for runs whose end is not known
  const double known = run.warmup_s + run.measure_s;
  return {faults,
          fault_process,
          static_cast<std::uint64_t>(run.seed),
          run.measure_s > 0 ? known : kMonth,
          geometry,
          this->host->several_drives ? array.drives : 1,
          *this};
}

json configuration(const Scenario& scenario) {
  Scenario bound = scenario;
  return params::to_json(grammar(bound));
}

std::string to_toml(const Scenario& scenario) {
  Scenario bound = scenario;
  return params::to_toml(grammar(bound));
}

namespace {

json schema_head(const std::string& title) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"type", "object"}};
}

/// Moves sections that several hosts have in the same form to `$defs`.
void share_sections(json& by_host, json& defs) {
  std::map<std::string, std::pair<json, int>> seen;  // by section: its first form, and how many hosts have it
  for (const json& host : by_host)
    for (const auto& [name, section] : host["properties"].items()) {
      auto [entry, added] = seen.try_emplace(name, section, 0);
      if (entry->second.first == section) ++entry->second.second;
    }
  for (const auto& [name, form] : seen) {
    if (form.second < 2) continue;
    defs[name] = form.first;
    for (json& host : by_host)
      if (host["properties"].contains(name) && host["properties"][name] == form.first)
        host["properties"][name] = {{"$ref", "#/$defs/" + name}};
  }
}

}  // namespace

json scenario_schema() {
  const std::vector<HostInfo>& table = host_table();
  json hosts = json::array();
  for (const HostInfo& host : table) {
    Scenario scenario(host);
    json one = params::schema(grammar(scenario));
    params::allow_files(one, {{"drive", "name or file of a profile"}});
    one["properties"]["host"] = {
        {"type", "object"}, {"additionalProperties", false}, {"properties", {{"kind", {{"const", host.name}}}}}};
    hosts.push_back(one);
  }
  json schema = schema_head("Platter scenario");
  schema["properties"]["host"] = {
      {"type", "object"}, {"properties", {{"kind", {{"enum", params::names_of(table).names}, {"default", table[0].name}}}}}};
  share_sections(hosts, schema["$defs"]);
  // Selects the schema of the host that host.kind names; without it, that of the first.
  json otherwise = hosts[0];
  for (std::size_t i = table.size() - 1; i > 0; --i) {
    const json said = {
        {"properties", {{"host", {{"properties", {{"kind", {{"const", table[i].name}}}}}, {"required", {"kind"}}}}}},
        {"required", {"host"}}};
    otherwise = {{"if", said}, {"then", hosts[i]}, {"else", otherwise}};
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

A file name is relative to the folder of the file that contains it. `--set KEY=VALUE` overrides any key on the command line, and `--set drive=NAME`
replaces the whole section. There, file names are relative to the working directory. So is the file of `own:` everywhere. `ARRAY.N.KEY` is the key
of one table of an array, counted from 0, such as `workload.job.0.bs`.

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

/// A text for a cell of a Markdown table, in which a bar would end the cell.
std::string table_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// The paragraph below the heading of a section.
std::string introduction(const Section& section) {
  std::vector<std::string> hosts;
  for (const HostInfo& host : host_table())
    if (std::find(host.sections.begin(), host.sections.end(), &section) != host.sections.end())
      hosts.push_back(fmt::format("`\"{}\"`", host.name));
  if (hosts.empty()) return std::string(section.text);
  hosts.front().insert(1, "host.kind = ");
  std::string text = fmt::format("These keys exist with {}", fmt::join(hosts.begin(), hosts.end() - 1, ", "));
  if (hosts.size() > 1) text += " and ";
  text += hosts.back() + ".";
  return section.text.empty() ? text : fmt::format("{} {}", text, section.text);
}

}  // namespace

std::string reference_page() {
  std::string text = kReferenceHead;
  std::set<const Section*> shown;
  const auto show = [&](const Section& section, const HostInfo& host) {
    const bool first = shown.empty();
    if (!shown.insert(&section).second) return;
    Scenario scenario(host);
    Grammar grammar;
    section.add(scenario, grammar);
    const std::string about = introduction(section);
    text += fmt::format("{}### {}\n\n{}{}{}", first ? "" : "\n", section.title, about, about.empty() ? "" : "\n\n",
                        params::page_table(grammar));
    for (const params::BoundArray& array : grammar.arrays())
      text += fmt::format("\n#### `[[{}]]`, one for each {}\n\n{}", array.key, array.one, params::page_table(array));
  };
  show(kEvery, host_table().front());
  for (const HostInfo& host : host_table())
    for (const Section* section : host.sections) show(*section, host);
  text +=
      "\n### Defaults that depend on the host\n\n| host.kind | policy | sim.warmup_s | sim.measure_s |\n| --- | --- | --- | "
      "--- |\n";
  for (const HostInfo& host : host_table()) {
    const Scenario scenario(host);
    text += fmt::format("| {} | `{}` | {:g} | {:g} |\n", host.name, table_cell(scenario.policy.notation), scenario.run.warmup_s,
                        scenario.run.measure_s);
  }
  profile::DriveProfile profile;
  Grammar grammar;
  profile::add_to(grammar, profile);
  text +=
      "\n### Drive profile\n\nA profile has these keys as they are. In a scenario they stand below `drive.`.\n\n"
      "A profile with `base` has only the keys that differ from its base. It has as many `[[geometry.zone]]` tables as the "
      "base, or none. Each of these tables changes the zone of the base that has the same number. Only a file of a profile "
      "can have `base`; a scenario cannot.\n\n"
      "The tables may also have a line each: `zone = [` below `[geometry]`, then lines such as "
      "`{ first_cylinder = 0, last_cylinder = 99, sectors_per_track = 500 },`, then `]`.\n\n" +
      params::page_table(grammar);
  for (const params::BoundArray& array : grammar.arrays())
    text += fmt::format("\n#### `[[{}]]`, one for each {}\n\n{}", array.key, array.one, params::page_table(array));
  text +=
      "\n### Renamed keys\n\nAn old name is refused. The message tells the new one.\n\n| old name | name |\n| --- | --- |\n";
  for (const RenamedKey& renamed : kRenamedKeys) text += fmt::format("| `{}` | `{}` |\n", renamed.old_name, renamed.name);
  return text + kReferenceTail;
}

}  // namespace platter::system
