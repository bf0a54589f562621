// SPDX-License-Identifier: Apache-2.0
#include "platter/system/serve_control.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "platter/core/sc_time.h"
#include "platter/media/fault_parameters.h"
#include "platter/media/fault_statistics.h"
#include "platter/params/document.h"

namespace platter::system {

using nlohmann::json;
using serving::ControlArguments;

namespace {

/// The drive that the argument `drive` names by its number; the first one without it.
drive::Drive& drive_of(const ControlTarget& target, ControlArguments& arguments) {
  const std::uint64_t number = arguments.whole("drive", 0);
  if (number >= target.drives.size())
    throw std::invalid_argument(fmt::format("drive: found {}, expected 0 to {}", number, target.drives.size() - 1));
  return *target.drives[number];
}

/// The arguments as the one [[fault]] of a scenario. Throws core::ConfigError or core::InputError for a fault that a scenario could not have.
media::FaultParameters fault_row(const ControlTarget& target, const std::string& text, params::Source& source) {
  std::vector<media::FaultParameters> rows;
  params::Grammar grammar;
  grammar.add_array("fault", "a fault", media::fault_parameters(), rows);
  params::KeySpace space;
  space.add(grammar);
  std::vector<core::ConfigProblem> problems;
  params::Document(source.file, {}, space, {}, &text).read(grammar, source, problems);
  params::Findings findings(source, problems);
  if (findings.empty()) media::check(rows, static_cast<std::uint32_t>(target.drives.size()), findings);
  if (!findings.empty()) throw core::ConfigError(problems);
  return rows.front();
}

/// The arguments have the names and meanings of the keys of `[[fault]]`; `at_s` counts from now on.
json add_fault(const ControlTarget& target, ControlArguments& arguments) {
  std::string text = "[[fault]]\n";
  for (const auto& row : media::fault_parameters()) {
    if (row.key == "drawn") continue;  // a draw is of the scenario's seed
    const json* const value = arguments.find(std::string(row.key));
    if (value == nullptr) continue;
    if (value->is_structured() || value->is_null())
      throw std::invalid_argument(
          fmt::format("{}: found {}, expected a text, a number or a truth value", row.key, value->dump()));
    text += fmt::format("{} = {}\n", row.key, value->dump());
  }
  arguments.finish();
  params::Source source{"add_fault", {}};
  try {
    media::FaultParameters row = fault_row(target, text, source);
    drive::Drive& drive = *target.drives[std::exchange(row.drive, 0)];
    media::Fault fault = media::FaultPlan({row}, {}, 0, 0, drive.planner().geometry(), 1, source).of(0).front();
    if (fault.at > 0) fault.at += core::now_ps();
    return {{"fault", drive.add_fault(fault)}};
  } catch (const core::ConfigError& error) {
    const core::ConfigProblem& first = error.problems().front();
    throw std::invalid_argument((first.key.empty() ? "" : first.key.substr(first.key.rfind('.') + 1) + ": ") + first.message);
  } catch (const core::InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

json clear_fault(const ControlTarget& target, ControlArguments& arguments) {
  drive::Drive& drive = drive_of(target, arguments);
  const bool one = arguments.has("fault");
  const std::uint64_t number = arguments.whole("fault", 0);
  arguments.finish();
  if (!one)
    drive.clear_faults();
  else if (!drive.clear_fault(number))
    throw std::invalid_argument(fmt::format("fault: there is no fault {}", number));
  return json::object();
}

json faults(const ControlTarget& target, ControlArguments& arguments) {
  const drive::Drive& drive = drive_of(target, arguments);
  arguments.finish();
  json live = json::array();
  for (const media::Faults::Live& each : drive.faults().live()) {
    json one = {{"fault", each.id}, {"kind", media::info_of(each.fault.kind).name}, {"used", each.used}};
    if (!each.fault.any_block()) {
      one["block"] = each.fault.first;
      one["blocks"] = each.fault.blocks;
    }
    if (each.fault.kind == media::FaultKind::Surface) one["surface"] = each.fault.surface;
    live.push_back(std::move(one));
  }
  json spares = json::array();
  for (const auto& [sector, spare] : drive.faults().spares()) spares.push_back(sector * drive.faults().together());
  json pending = json::array();
  for (const std::uint64_t sector : drive.faults().pending()) pending.push_back(sector * drive.faults().together());
  return {{"faults", std::move(live)}, {"pending", std::move(pending)}, {"reallocated", std::move(spares)}};
}

json statistics(const ControlTarget& target, ControlArguments& arguments) {
  const drive::Drive& drive = drive_of(target, arguments);
  arguments.finish();
  json classes = json::object();
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<core::RequestClass>(i);
    const drive::PortCounters& c = drive.host_port().counters(cls);
    classes[std::string(core::to_string(cls))] = {
        {"reads", c.reads}, {"writes", c.writes}, {"read_bytes", c.read_bytes}, {"written_bytes", c.written_bytes},
        {"late", c.late},   {"failed", c.failed}};
  }
  return {{"time_ps", core::now_ps()},
          {"drive", drive.basename()},
          {"alive", drive.power().alive()},
          {"failures", drive.power().failures()},
          {"power", drive.power().on()},
          {"ready", drive.power().alive() && drive.power().ready()},
          {"power_losses", drive.power().losses()},
          {"outstanding", drive.queue().occupancy()},
          {"errors", params::to_json(media::error_rows(), &drive.media_errors())},
          {"classes", std::move(classes)}};
}

json fail(const ControlTarget& target, ControlArguments& arguments, bool alive) {
  drive::Drive& drive = drive_of(target, arguments);
  arguments.finish();
  drive.set_alive(alive);
  return json::object();
}

json cut_power(const ControlTarget& target, ControlArguments& arguments) {
  const double off_s = arguments.real("off_s", 0);
  if (!(off_s >= 0 && off_s <= 1e6))
    throw std::invalid_argument(fmt::format("off_s: found {:g}, expected 0 to 1000000", off_s));
  arguments.finish();
  target.supply.cut(core::to_picoseconds(off_s, core::kPicosecondsPerSecond));
  return {{"losses", target.supply.losses()}};
}

json restore_power(const ControlTarget& target, ControlArguments& arguments) {
  arguments.finish();
  target.supply.restore();
  return json::object();
}

json mark(const ControlTarget& target, ControlArguments& arguments) {
  const std::string text = arguments.text("text");
  arguments.finish();
  target.mark(text);
  return json::object();
}

json power_image(const ControlTarget& target, ControlArguments& arguments) {
  drive_of(target, arguments);
  const std::uint64_t number = arguments.whole("drive", 0);
  const std::string file = arguments.text("path");
  arguments.finish();
  return {{"time_ps", core::now_ps()}, {"unreadable", target.save_power_image(number, file)}};
}

json stop(const ControlTarget& target, ControlArguments& arguments) {
  arguments.finish();
  target.stop();
  return json::object();
}

struct Row {
  std::string_view name;
  std::string_view meaning;
  json (*run)(const ControlTarget& target, ControlArguments& arguments);
};

/// A command is a row here.
constexpr Row kRows[] = {
    {"statistics", "counters of a drive since its start: [drive]", statistics},
    {"fail", "the drive fails: [drive]", [](const ControlTarget& t, ControlArguments& a) { return fail(t, a, false); }},
    {"revive", "a drive that has failed works again: [drive]",
     [](const ControlTarget& t, ControlArguments& a) { return fail(t, a, true); }},
    {"add_fault", "adds a fault: kind, and the other keys of a [[fault]] of a scenario but drawn; `at_s` counts from now on",
     add_fault},
    {"clear_fault", "ends a fault, or all faults: [drive], [fault]", clear_fault},
    {"faults", "the faults of a drive, its pending sectors, and its reallocated ones: [drive]", faults},
    {"cut_power", "all drives lose their power: [off_s] until it returns; without it, until restore_power", cut_power},
    {"restore_power", "the power returns to all drives", restore_power},
    {"mark", "adds a mark to the logs of writes: text", mark},
    {"power_image", "writes what a loss of power now would leave of a drive to a new disk file: path, [drive]", power_image},
    {"stop", "ends the run, as SIGTERM does", stop},
};

}  // namespace

std::vector<serving::ControlCommand> control_commands(ControlTarget& target) {
  std::vector<serving::ControlCommand> commands;
  for (const Row& row : kRows)
    commands.push_back(
        {row.name, row.meaning, [&target, &row](ControlArguments& arguments) { return row.run(target, arguments); }});
  return commands;
}

}  // namespace platter::system
