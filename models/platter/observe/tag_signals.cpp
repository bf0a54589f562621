// SPDX-License-Identifier: Apache-2.0
#include "platter/observe/tag_signals.h"

#include <fmt/format.h>

#include <iterator>

#include "platter/drive/queue_entry.h"
#include "platter/profile/drive_profile.h"

namespace platter::observe {

namespace {

const params::Enumeration& stages() {
  static const params::Enumeration names{"stage", {drive::kStageNames.begin(), drive::kStageNames.end()}};
  return names;
}

/// Rows refer to their names.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made;
    for (std::uint32_t tag = 0; tag < profile::kMaxTags; ++tag) {
      made.push_back(fmt::format("tag{}", tag));
      made.push_back(made.back() + "_stage");
    }
    return made;
  }();
  return all;
}

}  // namespace

std::vector<params::SignalRow> tag_signals(std::uint32_t tags) {
  std::vector<params::SignalRow> rows;
  for (std::uint32_t tag = 0; tag < tags; ++tag) {
    rows.push_back({"tags", names()[text_row(tag)], "the command that has the tag", params::SignalRow::kText});
    rows.push_back({"tags", names()[stage_row(tag)], "what it waits for", 4, &stages()});
  }
  return rows;
}

namespace {

constexpr std::array<std::string_view, 5> kTagActions = {"", "close", "finish", "open", "reset"};

}  // namespace

std::string command_text(const command::Command& command, std::uint32_t sector_bytes) {
  std::string text;
  const auto out = std::back_inserter(text);
  if (command.flush())
    fmt::format_to(out, "flush");
  else if (command.zone())
    fmt::format_to(out, "zone {} {}", kTagActions[static_cast<std::size_t>(command.zone_action)],
                   command.all_zones ? std::string("all") : std::to_string(command.address / sector_bytes));
  else
    fmt::format_to(out, "{} {}+{}", command.write() ? "write" : "read", command.address / sector_bytes,
                   command.length / sector_bytes);
  fmt::format_to(out, " {}", core::to_string(command.cls));
  if (command.cls == core::RequestClass::Continuous) fmt::format_to(out, " {}", command.stream);
  if (command.number != command::Command::kNoNumber) fmt::format_to(out, " #{}", command.number);
  return text;
}

}  // namespace platter::observe
