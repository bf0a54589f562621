// SPDX-License-Identifier: Apache-2.0
#include "platter/system/serve_control.h"

#include <fmt/format.h>

#include <stdexcept>

#include "platter/core/sc_time.h"

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

json statistics(const ControlTarget& target, ControlArguments& arguments) {
  const drive::Drive& drive = drive_of(target, arguments);
  arguments.finish();
  json classes = json::object();
  for (std::size_t i = 0; i < core::kRequestClasses; ++i) {
    const auto cls = static_cast<core::RequestClass>(i);
    const drive::PortCounters& c = drive.host_port().counters(cls);
    classes[std::string(core::to_string(cls))] = {{"reads", c.reads},       {"writes", c.writes},
                                                  {"read_bytes", c.read_bytes}, {"written_bytes", c.written_bytes},
                                                  {"late", c.late},         {"failed", c.failed}};
  }
  return {{"time_ps", core::now_ps()},
          {"drive", drive.basename()},
          {"alive", drive.power().alive()},
          {"failures", drive.power().failures()},
          {"outstanding", drive.queue().occupancy()},
          {"classes", std::move(classes)}};
}

json fail(const ControlTarget& target, ControlArguments& arguments, bool alive) {
  drive::Drive& drive = drive_of(target, arguments);
  arguments.finish();
  drive.set_alive(alive);
  return json::object();
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
    {"stop", "ends the run, as SIGTERM does", stop},
};

}  // namespace

std::vector<serving::ControlCommand> control_commands(ControlTarget& target) {
  std::vector<serving::ControlCommand> commands;
  for (const Row& row : kRows)
    commands.push_back({row.name, row.meaning, [&target, &row](ControlArguments& arguments) { return row.run(target, arguments); }});
  return commands;
}

}  // namespace platter::system
