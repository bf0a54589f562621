// SPDX-License-Identifier: Apache-2.0
#include "gtkwave_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "platter/observe/array_waves.h"
#include "platter/observe/drive_signals.h"
#include "platter/observe/tag_signals.h"
#include "platter/system/drives.h"

namespace platter::cli {

using core::Picoseconds;
using params::SignalRow;

namespace {

constexpr std::size_t kMarkers = 26;
/// Pixels of the window, and of its column of names and values, which has room for `s_axil_awaddr_i[11:0]` and a text of kTextBytes characters.
constexpr int kWindow = 1600;
constexpr int kSignals = 570;
/// And of the folded tree of scopes, with the frames.
constexpr int kBesides = 63;

/// disk2 before disk10.
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};
/// The tags of the viewed requests, drive by drive.
using Tags = std::map<std::string, std::set<int>, ByNumber>;

Tags tags_of(const MomentWindow& window, const std::vector<observe::Sight>& sights) {
  Tags tags;
  for (const observe::Sight& sight : sights)
    if (std::count(window.moments.begin(), window.moments.end(), sight.request) > 0) tags[sight.drive].insert(sight.own.tag);
  if (tags.empty()) tags["disk"];
  return tags;
}

std::string heading(const std::string& text) { return fmt::format("@200\n-{}\n", text); }

std::string line(const std::string& scope, const SignalRow& row) {
  const std::string name = fmt::format("{}.{}{}{}", scope, row.scope, row.scope.empty() ? "" : ".", row.name);
  if (row.bits == 0) return fmt::format("@88020\n{}\n@20000\n-\n", name);
  if (row.bits == 1) return fmt::format("@28\n{}\n", name);
  if (row.name == "cylinder") return fmt::format("@88024\n{}[{}:0]\n@20000\n-\n-\n", name, row.bits - 1);  // as a curve
  const char* const shown = row.bits == SignalRow::kText ? "820" : row.values != nullptr ? "100000028" : "24";
  return fmt::format("@{}\n{}[{}:0]\n", shown, name, row.bits - 1);
}

std::string rtl_lines(const std::string& scope) {
  std::string text = heading(scope + ": RTL");
  for (const auto& [shown, name] :
       std::array<std::pair<const char*, const char*>, 9>{{{"28", "busy_o"},
                                                           {"28", "irq_o"},
                                                           {"22", "s_axil_awaddr_i[11:0]"},
                                                           {"22", "s_axil_wdata_i[31:0]"},
                                                           {"100000028", "sched_top.u_core.u_control.state_name[3:0]"},
                                                           {"24", "sched_top.u_core.head_cyl[17:0]"},
                                                           {"24", "sched_top.u_core.result_tag[7:0]"},
                                                           {"24", "sched_top.u_core.result_key[23:0]"},
                                                           {"24", "sched_top.u_core.refused[8:0]"}}})
    text += fmt::format("@{}\n{}.{}\n", shown, scope, name);
  return text;
}

std::string own_lines(const std::string& scope) {
  std::string text = heading(scope + ": RTL");
  for (const auto& [shown, name] : std::array<std::pair<const char*, const char*>, 11>{{{"28", "update_valid_i"},
                                                                                        {"24", "update_kind_i[1:0]"},
                                                                                        {"24", "update_tag_i[9:0]"},
                                                                                        {"24", "update_cylinder_i[23:0]"},
                                                                                        {"28", "decide_valid_i"},
                                                                                        {"24", "decide_cylinder_i[23:0]"},
                                                                                        {"22", "decide_angle_i[31:0]"},
                                                                                        {"28", "answer_valid_o"},
                                                                                        {"28", "answer_ready_i"},
                                                                                        {"28", "answer_idle_o"},
                                                                                        {"24", "answer_tag_o[9:0]"}}})
    text += fmt::format("@{}\n{}.{}\n", shown, scope, name);
  return text;
}

std::string drive_lines(const std::string& drive, const std::set<int>& tags, const ViewedSystem& system) {
  std::string text = heading(drive);
  if (!tags.empty() && *tags.rbegin() >= 0) {
    const std::vector<SignalRow> rows = observe::tag_signals(static_cast<std::uint32_t>(*tags.rbegin()) + 1);
    for (const int tag : tags) {
      if (tag < 0) continue;
      text += line(drive, rows[observe::text_row(static_cast<std::uint32_t>(tag))]);
      text += line(drive, rows[observe::stage_row(static_cast<std::uint32_t>(tag))]);
    }
  }
  for (const auto& row : observe::drive_signals()) text += line(drive, row);
  if (system.array) {
    text += heading(drive + ", in the array");
    for (const auto& row : observe::array_signals()) text += line("array." + drive, row);
  }
  if (system.rtl) text += rtl_lines(drive == "disk" ? "sched" : drive + "_sched");
  if (system.own) text += own_lines(drive == "disk" ? "own" : drive + "_own");
  return text;
}

}  // namespace

std::string shipped_view(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const fs::path& folder : {system::config_directory().parent_path() / "waves", fs::path(PLATTER_SOURCE_VIEWS_DIR)}) {
    const fs::path view = folder / name;
    if (!fs::is_regular_file(view, ignored)) continue;
    const fs::path from_here = view.lexically_relative(fs::current_path(ignored));
    return (from_here.empty() || *from_here.begin() == ".." ? view : from_here).string();
  }
  return {};
}

std::string gtkwave_view(const std::string& wave_file, const MomentWindow& window, const Moments& moments,
                         const std::vector<observe::Sight>& sights, const ViewedSystem& system) {
  // GTKWave takes the wave file's place from the view's, wherever both are, only if it knows the name of the view, too.
  std::string text =
      fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] {}\n[size] {} 900\n[pos] -1 -1\n", wave_file,
                  std::filesystem::path(wave_file).replace_extension(".gtkw").string(), window.from, kWindow);
  std::vector<Picoseconds> markers;
  for (const std::size_t moment : window.moments) {
    if (markers.size() + 2 > kMarkers) break;
    markers.push_back(moments.chosen[moment].timing.issued);
    markers.push_back(moments.chosen[moment].timing.completed);
  }
  // GTKWave's zoom is the logarithm to base 2 of the time of 200 pixels, negative.
  const double frame = static_cast<double>(window.to - window.from) * 200 / (kWindow - kSignals - kBesides);
  text += fmt::format("*-{:.6f} {}", std::log2(std::max(frame, 1.0)), markers.front());
  for (std::size_t i = 0; i < kMarkers; ++i) text += fmt::format(" {}", i < markers.size() ? markers[i] : Picoseconds{-1});
  text += fmt::format("\n[sst_width] 40\n[signals_width] {}\n[sst_expanded] 0\n", kSignals);
  for (const auto& [drive, tags] : tags_of(window, sights)) text += drive_lines(drive, tags, system);
  return text + "[pattern_trace] 1\n[pattern_trace] 0\n";
}

}  // namespace platter::cli
