// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "commands.h"
#include "moments.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/observe/decision_log.h"
#include "platter/observe/drive_signals.h"
#include "platter/system/engine_notation.h"
#include "platter/system/host_meter.h"
#include "platter/system/timeline.h"
#include "run_watch.h"

namespace platter::cli {

using core::Picoseconds;
using nlohmann::json;
using observe::Candidate;
using observe::GuardVerdict;
using observe::Sight;

namespace {

double in_ms(Picoseconds time) { return core::to_milliseconds(time); }
std::string at_s(Picoseconds time) { return fmt::format("{:.6f} s", in_ms(time) * 1e-3); }

std::string operation(const command::Command& command) {
  return command.flush() ? "flush" : command.write() ? "write" : "read";
}

std::string named(const Candidate& of) {
  if (of.internal) return fmt::format("buffered blocks, cylinder {}", of.cylinder);
  return fmt::format("#{} {}{} {}, cylinder {}", of.tag, core::to_string(of.cls),
                     of.cls == core::RequestClass::Continuous ? fmt::format(" {}", of.stream) : "", of.write ? "write" : "read",
                     of.cylinder);
}

/// Why a decision passed a request over.
enum class Why { Hazard, Buffer, NoEntry, Arm, Forced, Guard, Nearer, Policy };

Why why(const Sight& s) {
  if (s.stage == drive::Stage::Blocked) return Why::Hazard;
  if (s.stage == drive::Stage::Held) return Why::Buffer;
  if (!s.in_engine) return Why::NoEntry;
  if (!s.chosen) return Why::Arm;
  if (s.forced) return Why::Forced;
  if (s.own.guard == GuardVerdict::Refuses) return Why::Guard;
  return s.chosen->cost < s.own.cost ? Why::Nearer : Why::Policy;
}

const char* text(Why why) {
  switch (why) {
    case Why::Hazard: return "it waited for an older command over the same blocks, or for a flush";
    case Why::Buffer: return "it waited until the buffer had written blocks to the media";
    case Why::NoEntry: return "it had no entry of the scheduling engine yet";
    case Why::Arm: return "the policy moved the arm or waited";
    case Why::Forced: return "the guard let only the sweep go on";
    case Why::Guard: return "the guard refused it";
    case Why::Nearer: return "the access to another command could begin sooner";
    case Why::Policy: return "the policy preferred another command, though this access could have begun sooner";
  }
  return "?";
}

const char* name(Why why) {
  switch (why) {
    case Why::Hazard: return "hazard";
    case Why::Buffer: return "buffer";
    case Why::NoEntry: return "no_entry";
    case Why::Arm: return "arm";
    case Why::Forced: return "forced";
    case Why::Guard: return "guard";
    case Why::Nearer: return "nearer";
    case Why::Policy: return "policy";
  }
  return "?";
}

json to_json(const Candidate& of) {
  json j = {{"class", core::to_string(of.cls)}, {"stream", of.stream}, {"op", of.write ? "write" : "read"},
            {"first_block", of.first.value},    {"blocks", of.blocks}, {"cylinder", of.cylinder},
            {"arrival_ps", of.arrival},         {"cost_ps", of.cost},  {"seek_ps", of.access.seek},
            {"rotation_ps", of.access.rotation}};
  j["tag"] = of.tag < 0 ? json() : json(of.tag);
  if (of.guard != GuardVerdict::None) {
    j["guard"] = of.guard == GuardVerdict::Passes ? "passes" : "refuses";
    j["sweep_spare_ps"] = -of.excess;
  }
  return j;
}

json to_json(const Sight& s) {
  json j = {{"drive", s.drive},
            {"asked_ps", s.asked},
            {"effective_ps", s.effective},
            {"forced", s.forced},
            {"candidates", s.candidates},
            {"own", to_json(s.own)},
            {"chosen", s.chosen ? to_json(*s.chosen) : json()},
            {"served", s.is_chosen}};
  j["why"] = s.is_chosen ? json() : json(name(why(s)));
  return j;
}

json to_json(const Moment& m) {
  const command::CommandTiming& t = m.timing;
  json j = {{"number", m.number},
            {"class", core::to_string(m.command.cls)},
            {"stream", m.command.stream},
            {"op", operation(m.command)},
            {"offset_bytes", m.command.address},
            {"length_bytes", m.command.length},
            {"issued_ps", t.issued},
            {"accepted_ps", t.accepted},
            {"started_ps", t.started},
            {"completed_ps", t.completed},
            {"queue_ps", t.queue},
            {"overhead_ps", t.overhead},
            {"seek_ps", t.seek},
            {"settle_ps", t.settle},
            {"rotation_ps", t.rotation},
            {"transfer_ps", t.transfer},
            {"bus_ps", t.bus},
            {"late", m.late()},
            {"status", m.status == command::CommandStatus::Good ? "good" : command::to_string(m.status)}};
  j["deadline_ps"] = m.command.deadline == core::kNoDeadline ? json() : json(m.command.deadline);
  return j;
}

void show_decision(const Moment& m, const Sight& s) {
  const std::string what = !s.chosen ? std::string("none") : named(*s.chosen);
  std::string reason = s.is_chosen ? "this one" : text(why(s));
  if (!s.is_chosen && s.own.guard == GuardVerdict::Refuses)
    reason += fmt::format(": the sweep would be {:.3f} ms late", in_ms(s.own.excess));
  const auto cost = [](const Candidate& of) { return of.cost > 0 ? fmt::format("{:.3f}", in_ms(of.cost)) : std::string("-"); };
  fmt::print("  {:>11.3f}  {:<44}  {:>8}  {:>8}  {:>4}  {}\n", in_ms(s.effective - m.timing.issued), what,
             s.chosen ? cost(*s.chosen) : "-", cost(s.own), s.candidates, reason);
}

/// The decisions that saw the request: all, or the first and the last ones.
void show_decisions(const Moment& m, const std::vector<const Sight*>& sights, bool all) {
  constexpr std::size_t kEnds = 6;
  fmt::print("  {:>11}  {:<44}  {:>8}  {:>8}  {:>4}  {}\n", "at [ms]", "chosen", "its ms", "own ms", "of",
             "why (ms: until the access begins)");
  for (std::size_t i = 0; i < sights.size(); ++i) {
    if (!all && sights.size() > 2 * kEnds + 1 && i == kEnds) {
      fmt::print("  {:>11}  {} more decisions\n", "...", sights.size() - 2 * kEnds);
      i = sights.size() - kEnds;
    }
    show_decision(m, *sights[i]);
  }
}

void show(const Moment& m, const std::vector<const Sight*>& sights, bool all) {
  const command::CommandTiming& t = m.timing;
  fmt::print("\nRequest {}: {}{} {} of {} bytes at byte {}\n", m.number, core::to_string(m.command.cls),
             m.command.cls == core::RequestClass::Continuous ? fmt::format(", stream {},", m.command.stream) : "",
             operation(m.command), m.command.length, m.command.address);
  fmt::print("  response {:.3f} ms, from {} to {}{}\n", in_ms(t.response()), at_s(t.issued), at_s(t.completed),
             m.status == command::CommandStatus::Good ? "" : fmt::format(": {}", command::to_string(m.status)));
  fmt::print(
      "  = queue {:.3f} + overhead {:.3f} + seek {:.3f} + settle {:.3f} + rotation {:.3f} + transfer {:.3f} + bus {:.3f} ms\n",
      in_ms(t.queue), in_ms(t.overhead), in_ms(t.seek), in_ms(t.settle), in_ms(t.rotation), in_ms(t.transfer), in_ms(t.bus));
  if (m.command.deadline != core::kNoDeadline)
    fmt::print("  deadline {}: {} by {:.3f} ms\n", at_s(m.command.deadline), m.late() ? "missed" : "met",
               std::fabs(in_ms(t.completed - m.command.deadline)));
  if (t.accepted > t.issued)
    fmt::print("  {:.3f} ms in the host, before the drive had a tag for it\n", in_ms(t.accepted - t.issued));
  std::map<Why, std::size_t> reasons;
  for (const Sight* s : sights)
    if (!s->is_chosen) ++reasons[why(*s)];
  if (sights.empty()) {
    fmt::print("  no decision saw it: {}\n",
               t.seek + t.rotation + t.transfer == 0 ? "the buffer served it" : "it went first at once");
    return;
  }
  const std::size_t passed =
      static_cast<std::size_t>(std::count_if(sights.begin(), sights.end(), [](const Sight* s) { return !s->is_chosen; }));
  fmt::print("  {} decision{} passed it over{}\n", passed, passed == 1 ? "" : "s", passed == 0 ? "" : ":");
  for (const auto& [reason, count] : reasons) fmt::print("  {:>8}  {}\n", count, text(reason));
  show_decisions(m, sights, all);
}

/// A view of a wave file for GTKWave, with a marker where each request comes (A, C, …) and where it ends (B, D, …).
std::string view(const std::filesystem::path& file, const MomentWindow& window, const Moments& moments,
                 const std::vector<std::string>& drives, bool rtl) {
  std::string text =
      fmt::format("[dumpfile] \"{}\"\n[timestart] {}\n[size] 1600 900\n[pos] -1 -1\n", file.filename().string(), window.from);
  constexpr std::size_t kMarkers = 26;
  std::vector<Picoseconds> markers;
  for (const std::size_t moment : window.moments) {
    if (markers.size() + 2 > kMarkers) break;
    markers.push_back(moments.chosen[moment].timing.issued);
    markers.push_back(moments.chosen[moment].timing.completed);
  }
  // GTKWave's zoom is the logarithm to base 2 of the time of 200 pixels, negative; a view of this size shows about 1000.
  const double frame = static_cast<double>(window.to - window.from) / 5;
  text += fmt::format("*-{:.6f} {}", std::log2(std::max(frame, 1.0)), markers.front());
  for (std::size_t i = 0; i < kMarkers; ++i) text += fmt::format(" {}", i < markers.size() ? markers[i] : Picoseconds{-1});
  text += "\n[sst_width] 200\n[signals_width] 260\n";
  for (const std::string& drive : drives) {
    text += fmt::format("@200\n-{}\n", drive);
    for (const auto& row : observe::drive_signals()) {
      const std::string scoped = fmt::format("{}.{}{}{}", drive, row.scope, row.scope.empty() ? "" : ".", row.name);
      if (row.bits == 0)
        text += fmt::format("@88020\n{}\n@20000\n-\n", scoped);
      else if (row.bits == 1)
        text += fmt::format("@28\n{}\n", scoped);
      else
        text += fmt::format("@{}\n{}[{}:0]\n", row.values != nullptr ? "100000028" : "24", scoped, row.bits - 1);
    }
  }
  if (rtl) {
    text += "@200\n-scheduling accelerator (RTL)\n";
    for (const char* line :
         {"@28\nsched.busy_o", "@28\nsched.irq_o", "@22\nsched.s_axil_awaddr_i[11:0]", "@22\nsched.s_axil_wdata_i[31:0]",
          "@24\nsched.sched_top.u_core.head_cyl[17:0]", "@24\nsched.sched_top.u_core.result_tag[7:0]",
          "@24\nsched.sched_top.u_core.result_key[21:0]", "@24\nsched.sched_top.u_core.refused[8:0]"})
      text += fmt::format("{}\n", line);
  }
  return text + "[pattern_trace] 1\n[pattern_trace] 0\n";
}

/// What the second run writes.
class Files {
 public:
  Files(const std::filesystem::path& folder, std::vector<MomentWindow> windows, bool waves)
      : windows_(std::move(windows)), report_(folder / "explain.json") {
    if (!waves) return;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      names_.push_back(folder / fmt::format("moment_{}.fst", i + 1));
      views_.push_back(std::make_unique<observe::OutputFile>(folder / fmt::format("moment_{}.gtkw", i + 1)));
    }
  }

  std::vector<observe::WaveWindow> wave_windows() const {
    std::vector<observe::WaveWindow> windows;
    windows.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) windows.push_back({names_[i], windows_[i].from, windows_[i].to});
    return windows;
  }
  /// The file of a moment's waves; empty without.
  std::filesystem::path waves_of(std::size_t moment) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (std::count(windows_[i].moments.begin(), windows_[i].moments.end(), moment) > 0) return names_[i];
    return {};
  }
  void commit(const json& report, const Moments& moments, const std::vector<std::string>& drives, bool rtl,
              std::vector<observe::OutputFile*> waves) {
    report_.write(core::json_text(report) + "\n");
    for (std::size_t i = 0; i < views_.size(); ++i) {
      views_[i]->write(view(names_[i], windows_[i], moments, drives, rtl));
      waves.push_back(views_[i].get());
    }
    waves.push_back(&report_);
    observe::commit_all(waves);
  }

 private:
  std::vector<MomentWindow> windows_;
  std::vector<std::filesystem::path> names_;
  std::vector<std::unique_ptr<observe::OutputFile>> views_;
  observe::OutputFile report_;
};

std::vector<std::string> drive_names(const std::vector<Sight>& sights) {
  std::vector<std::string> names;
  for (const Sight& sight : sights)
    if (std::find(names.begin(), names.end(), sight.drive) == names.end()) names.push_back(sight.drive);
  if (names.empty()) names.emplace_back("disk");
  return names;
}

}  // namespace

int explain(const ExplainOptions& options) {
  const system::Scenario scenario = system::load_scenario(options.scenario, options.overrides);
  MomentQuestion question{options.when, options.late, options.numbers, options.slowest, options.before_ms, options.after_ms};
  question.most = std::max(question.most, question.numbers.size());
  const Moments moments = find_moments(scenario, question, options.quiet);
  if (moments.chosen.empty())
    throw core::SimulationError(
        fmt::format("{}: none of {} requests after the warm-up is such a one", options.scenario, moments.ended));
  if (!options.quiet)
    fmt::print("{}: {} requests ended after the warm-up, {} of them are such as asked for; the slowest {}:\n", options.scenario,
               moments.ended, moments.matched, moments.chosen.size());

  Files files(options.folder, windows_of(moments, question), options.waves);
  std::vector<observe::FollowedRequest> followed;
  Picoseconds until = 0;
  for (const Moment& moment : moments.chosen) {
    followed.push_back({moment.number, moment.command, moment.timing.completed});
    until = std::max(until, moment.timing.completed);
  }
  observe::DecisionLog decisions(std::move(followed), scenario.kind == system::HostKind::Drive,
                                 scenario.interpretations.sweep_start);
  Progress progress(options.quiet);
  system::RunOptions leaves;
  leaves.progress = [&progress](double simulated_s, double total_s) { progress.update(simulated_s, total_s); };
  leaves.decisions = &decisions;
  leaves.wave_windows = files.wave_windows();
  leaves.until = until + core::to_picoseconds(options.after_ms, core::kPicosecondsPerMillisecond);
  const std::unique_ptr<system::RunIf> made = system::make_run(scenario, leaves);
  made->run();
  progress.done();

  json report = {{"format", 1},
                 {"scenario", options.scenario},
                 {"ended", moments.ended},
                 {"matched", moments.matched},
                 {"requests", json::array()}};
  for (std::size_t i = 0; i < moments.chosen.size(); ++i) {
    std::vector<const Sight*> sights;
    json one = to_json(moments.chosen[i]);
    one["decisions"] = json::array();
    for (const Sight& sight : decisions.sights()) {
      if (sight.request != i) continue;
      sights.push_back(&sight);
      one["decisions"].push_back(to_json(sight));
    }
    const std::filesystem::path waves = files.waves_of(i);
    one["waves"] = waves.empty() ? json() : json(waves.filename().string());
    report["requests"].push_back(std::move(one));
    if (options.quiet) continue;
    show(moments.chosen[i], sights, options.all);
    if (!waves.empty()) fmt::print("  waves: gtkwave {}\n", std::filesystem::path(waves).replace_extension(".gtkw").string());
  }
  const bool rtl = scenario.kind == system::HostKind::Drive && system::find_engine(scenario.engine)->has_rtl();
  files.commit(report, moments, drive_names(decisions.sights()), rtl, made->outputs());
  if (!options.quiet) fmt::print("\nall decisions: {}\n", (std::filesystem::path(options.folder) / "explain.json").string());
  return kGood;
}

}  // namespace platter::cli
