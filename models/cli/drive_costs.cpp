// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/mechanics/access_costs.h"
#include "platter/system/scenario.h"

namespace platter::cli {

namespace {

/// The times must not depend on when an access runs: one arm, no buffer, no spread, nothing that changes a place.
void expect_static_costs(const system::Scenario& s) {
  constexpr std::string_view kWhy = "for times between accesses that do not depend on when they run";
  if (s.host->name != "drive") s.refuse("host.kind", fmt::format("found \"{}\", expected \"drive\" {}", s.host->name, kWhy));
  if (s.drive.geometry.actuators > 1)
    s.refuse("drive.actuators.count", fmt::format("found {}, expected 1 {}", s.drive.geometry.actuators, kWhy));
  if (s.drive.cache.segments > 0)
    s.refuse("drive.cache.segments", fmt::format("found {}, expected 0 {}", s.drive.cache.segments, kWhy));
  if (!s.drive.arrival_spread_us.empty() || !s.drive.arrival_spread_write_us.empty())
    s.refuse("drive.mechanics.arrival_spread_us", fmt::format("found a spread, expected none ([]) {}", kWhy));
  if (s.eager.enabled) s.refuse("eager.enabled", fmt::format("found true, expected false {}", kWhy));
  if (s.plans_faults()) s.refuse("fault", fmt::format("found media faults, expected none {}", kWhy));
}

mechanics::Extent read_request(const std::string& text, std::size_t line, const mechanics::AccessPlanner& planner) {
  std::uint64_t first = 0;
  std::uint32_t blocks = 0;
  const char* const end = text.data() + text.size();
  const std::uint64_t capacity = planner.geometry().block_count();
  if (text.size() > 2 && (text[0] == 'R' || text[0] == 'W') && text[1] == ',') {
    const auto [comma, error] = std::from_chars(text.data() + 2, end, first);
    if (error == std::errc() && comma != end && *comma == ',') {
      const auto [last, wrong] = std::from_chars(comma + 1, end, blocks);
      if (wrong == std::errc() && last == end && blocks > 0 && first < capacity && blocks <= capacity - first)
        return planner.resolve(core::Lba(first), blocks, text[0] == 'W');
    }
  }
  throw core::InputError(
      "standard input", line, 0,
      fmt::format("found \"{}\", expected R,FIRST,BLOCKS or W,FIRST,BLOCKS within {} blocks", text, capacity));
}

}  // namespace

int drive_costs(const std::string& scenario, const std::vector<std::string>& overrides) {
  const system::Scenario s = system::load_scenario(scenario, overrides);
  expect_static_costs(s);
  const mechanics::AccessPlanner planner(s.drive);
  std::vector<mechanics::Extent> requests;
  std::string text;
  for (std::size_t line = 1; std::getline(std::cin, text); ++line) requests.push_back(read_request(text, line, planner));
  if (std::ferror(stdin) != 0) throw core::InputError("standard input", 0, 0, "cannot be read");
  const mechanics::AccessCosts costs(planner, requests);
  fmt::memory_buffer out;
  const auto put = [&out](core::Picoseconds time, char behind) {
    fmt::format_to(std::back_inserter(out), "{}{}", time, behind);
    if (out.size() < std::size_t{1} << 16) return;
    fmt::print("{}", std::string_view(out.data(), out.size()));
    out.clear();
  };
  for (const mechanics::Extent& to : requests) put(costs.first(to), ',');
  put(0, '\n');
  for (const mechanics::Extent& from : requests) {
    for (const mechanics::Extent& to : requests) put(costs.onward(from, to), ',');
    put(costs.lead(from), '\n');
  }
  fmt::print("{}", std::string_view(out.data(), out.size()));
  return kGood;
}

}  // namespace platter::cli
