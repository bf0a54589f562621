// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "commands.h"
#include "gtkwave_view.h"
#include "moments.h"
#include "platter/core/error.h"
#include "platter/core/json_text.h"
#include "platter/observe/decision_log.h"
#include "platter/system/engine_table.h"
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
  return command.zone() ? "zone" : command.flush() ? "flush" : command.write() ? "write" : "read";
}

std::string named(const Candidate& of) {
  if (of.internal) return fmt::format("buffered blocks, cylinder {}", of.cylinder);
  const std::string who = of.number == command::Command::kNoNumber ? std::string("array's own") : fmt::format("#{}", of.number);
  return fmt::format("{} {}{} {}, {}", who, core::to_string(of.cls),
                     of.cls == core::RequestClass::Continuous ? fmt::format(" {}", of.stream) : "", of.write ? "write" : "read",
                     of.placed ? fmt::format("cylinder {}", of.cylinder) : "placed by the policy");
}

/// Why a decision passed a request over.
struct Reason {
  const char* name;
  const char* text;
  bool (*holds)(const Sight& s);
};
using drive::Stage;
using scheduling::Rule;

/// The first one that holds is given.
constexpr Reason kReasons[] = {
    {"hazard", "it waited for an older command: over the same blocks or zone, or one of the two is a flush or ordered",
     [](const Sight& s) { return s.stage == Stage::Blocked; }},
    {"stuck", "a fault kept it stuck", [](const Sight& s) { return s.stage == Stage::Held && s.stuck; }},
    {"zone", "it was changing zones", [](const Sight& s) { return s.stage == Stage::Held && s.changes_zones; }},
    {"buffer", "it waited until the buffer had written blocks to the media",
     [](const Sight& s) { return s.stage == Stage::Held; }},
    {"no_entry", "it had no queue entry in the scheduling engine yet", [](const Sight& s) { return !s.in_engine; }},
    {"arm", "the policy moved the arm or waited", [](const Sight& s) { return !s.chosen; }},
    {"limit", "it was held back until shortly before its duration limit",
     [](const Sight& s) { return s.held_back && s.limited; }},
    {"priority", "a command with priority went first", [](const Sight& s) { return s.rule == Rule::Priority; }},
    {"deadline", "a command went first because of its own deadline or duration limit",
     [](const Sight& s) { return s.rule == Rule::Deadline; }},
    {"forced", "the guard let only the sweep go on", [](const Sight& s) { return s.forced; }},
    {"batch", "its stream was held back for a batch of other commands", [](const Sight& s) { return s.held_back; }},
    {"age", "the age limit of the firmware put another command first", [](const Sight& s) { return s.rule == Rule::Age; }},
    {"stream", "a sequential stream went first", [](const Sight& s) { return s.rule == Rule::Stream; }},
    {"guard", "the guard refused it", [](const Sight& s) { return s.own.guard == GuardVerdict::Refuses; }},
    {"placed", "the policy served or passed over a write whose place it chooses itself",
     [](const Sight& s) { return !s.chosen->placed || !s.own.placed; }},
    {"nearer", "the access to another command could begin sooner", [](const Sight& s) { return s.chosen->cost < s.own.cost; }},
    {"policy", "the policy preferred another command, though this access could have begun sooner",
     [](const Sight&) { return true; }},
};

const Reason& why(const Sight& s) {
  return *std::find_if(std::begin(kReasons), std::end(kReasons), [&s](const Reason& reason) { return reason.holds(s); });
}

json to_json(const Candidate& of) {
  json j = {{"class", core::to_string(of.cls)},
            {"stream", of.stream},
            {"op", of.write ? "write" : "read"},
            {"arrival_ps", of.arrival},
            {"number", of.number == command::Command::kNoNumber ? json() : json(of.number)},
            {"tag", of.tag < 0 ? json() : json(of.tag)}};
  if (of.placed)
    j.update({{"first_block", of.first.value},
              {"blocks", of.blocks},
              {"cylinder", of.cylinder},
              {"cost_ps", of.cost},
              {"seek_ps", of.access.seek},
              {"rotation_ps", of.access.rotation}});
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
            {"rule", scheduling::to_string(s.rule)},
            {"candidates", s.candidates},
            {"own", to_json(s.own)},
            {"chosen", s.chosen ? to_json(*s.chosen) : json()},
            {"served", s.is_chosen}};
  j["why"] = s.is_chosen ? json() : json(why(s).name);
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
            {"missed", t.missed},
            {"gained", t.gained},
            {"missed_by_ps", t.missed_by},
            {"late", m.late()},
            {"status", m.status == command::CommandStatus::Good ? "good" : command::to_string(m.status)}};
  if (t.recovery > 0) {
    j["retry_turns"] = t.retry_turns;
    j["recovery_ps"] = t.recovery;
    j["reallocated"] = t.reallocated;
  }
  j["deadline_ps"] = m.command.deadline == core::kNoDeadline ? json() : json(m.command.deadline);
  return j;
}

/// Of the column with what was chosen; `several`: it has the drives' names.
int width(bool several) { return several ? 52 : 44; }

void show_decision(const Moment& m, const Sight& s, bool several) {
  std::string what = !s.chosen ? std::string("none") : named(*s.chosen);
  if (several) what = s.drive + ": " + what;
  std::string reason = s.is_chosen ? "this one" : why(s).text;
  if (!s.is_chosen && s.own.guard == GuardVerdict::Refuses)
    reason += fmt::format(": the sweep would be {:.3f} ms late", in_ms(s.own.excess));
  const auto cost = [](const Candidate& of) { return of.placed ? fmt::format("{:.3f}", in_ms(of.cost)) : std::string("-"); };
  fmt::print("  {:>11.3f}  {:<{}}  {:>8}  {:>8}  {:>4}  {}\n", in_ms(s.effective - m.timing.issued), what, width(several),
             s.chosen ? cost(*s.chosen) : "-", cost(s.own), s.candidates, reason);
}

/// The decisions that saw the request: all, or the first and the last ones.
void show_decisions(const Moment& m, const std::vector<const Sight*>& sights, bool all) {
  constexpr std::size_t kEnds = 6;
  const bool several =
      std::any_of(sights.begin(), sights.end(), [&](const Sight* s) { return s->drive != sights.front()->drive; });
  fmt::print("  {:>11}  {:<{}}  {:>8}  {:>8}  {:>4}  {}\n", "at [ms]", "chosen", width(several), "its ms", "own ms", "of",
             "why (ms: until the access begins)");
  for (std::size_t i = 0; i < sights.size(); ++i) {
    if (!all && sights.size() > 2 * kEnds + 1 && i == kEnds) {
      fmt::print("  {:>11}  {} more decisions\n", "...", sights.size() - 2 * kEnds);
      i = sights.size() - kEnds;
    }
    show_decision(m, *sights[i], several);
  }
}

void show(const Moment& m, const std::vector<const Sight*>& sights, bool all) {
  const command::CommandTiming& t = m.timing;
  fmt::print("\nRequest {}: {}{} {} of {} bytes at byte {}\n", m.number, core::to_string(m.command.cls),
             m.command.cls == core::RequestClass::Continuous ? fmt::format(", stream {},", m.command.stream) : "",
             m.command.zone() ? "zone command" : operation(m.command), m.command.length, m.command.address);
  fmt::print("  response {:.3f} ms, from {} to {}{}\n", in_ms(t.response()), at_s(t.issued), at_s(t.completed),
             m.status == command::CommandStatus::Good ? "" : fmt::format(": {}", command::to_string(m.status)));
  fmt::print(
      "  = queue {:.3f} + overhead {:.3f} + seek {:.3f} + settle {:.3f} + rotation {:.3f} + transfer {:.3f} + bus {:.3f} ms\n",
      in_ms(t.queue), in_ms(t.overhead), in_ms(t.seek), in_ms(t.settle), in_ms(t.rotation), in_ms(t.transfer), in_ms(t.bus));
  if (t.missed > 0)
    fmt::print("  missed by {:.0f} us, {} more\n", in_ms(t.missed_by) * 1e3,
               t.missed == 1 ? std::string("one turn") : fmt::format("{} turns", t.missed));
  if (t.gained > 0)
    fmt::print("  in time for an earlier turn, {} less\n",
               t.gained == 1 ? std::string("one turn") : fmt::format("{} turns", t.gained));
  if (t.recovery > 0)
    fmt::print("  {}{}, {:.3f} ms of the transfer\n",
               t.retry_turns == 0 ? std::string("went to a spare sector") : fmt::format("retried {} turns", t.retry_turns),
               t.reallocated ? ", reallocated" : "", in_ms(t.recovery));
  const bool good = m.status == command::CommandStatus::Good;
  if (m.command.deadline != core::kNoDeadline)
    fmt::print("  deadline {}: {} by {:.3f} ms\n", at_s(m.command.deadline),
               m.late() ? "missed"
               : good   ? "met"
                        : "failed before it",
               std::fabs(in_ms(t.completed - m.command.deadline)));
  if (t.accepted > t.issued)
    fmt::print("  {:.3f} ms in the host, before the drive had a tag for it\n", in_ms(t.accepted - t.issued));
  std::map<const Reason*, std::size_t> reasons;
  for (const Sight* s : sights)
    if (!s->is_chosen) ++reasons[&why(*s)];
  if (sights.empty()) {
    fmt::print("  no decision saw it: {}\n", t.seek + t.rotation + t.transfer > 0 ? "it went first at once"
                                             : !good                              ? "it failed before one"
                                             : m.command.moves_data()             ? "the buffer served it"
                                                                                  : "it needs no access of its own");
    return;
  }
  const std::size_t passed =
      static_cast<std::size_t>(std::count_if(sights.begin(), sights.end(), [](const Sight* s) { return !s->is_chosen; }));
  fmt::print("  {} decision{} passed it over{}\n", passed, passed == 1 ? "" : "s", passed == 0 ? "" : ":");
  for (const auto& [reason, count] : reasons) fmt::print("  {:>8}  {}\n", count, reason->text);
  show_decisions(m, sights, all);
}

/// The files in the folder.
class Files {
 public:
  /// The report's file is made at once, so that a folder that cannot be written to is known before anything runs.
  explicit Files(const std::filesystem::path& folder) : folder_(folder), report_(folder / "explain.json") {}

  /// The moments have waves.
  void add_waves(std::vector<MomentWindow> windows) {
    windows_ = std::move(windows);
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      names_.push_back(folder_ / fmt::format("moment_{}.fst", i + 1));
      views_.push_back(std::make_unique<observe::OutputFile>(folder_ / fmt::format("moment_{}.gtkw", i + 1)));
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
  void commit(const json& report, const Moments& moments, const std::vector<Sight>& sights, const ViewedSystem& system,
              std::vector<observe::OutputFile*> waves) {
    report_.write(core::json_text(report) + "\n");
    for (std::size_t i = 0; i < views_.size(); ++i) {
      views_[i]->write(gtkwave_view(names_[i].filename().string(), windows_[i], moments, sights, system));
      waves.push_back(views_[i].get());
    }
    waves.push_back(&report_);
    observe::commit_all(waves);
  }

 private:
  std::filesystem::path folder_;
  std::vector<MomentWindow> windows_;
  std::vector<std::filesystem::path> names_;
  std::vector<std::unique_ptr<observe::OutputFile>> views_;
  observe::OutputFile report_;
};

/// Why there is no answer: what was asked for, and what there is.
std::string no_answer(const ExplainOptions& options, const Moments& moments) {
  if (!moments.missing.empty())
    return fmt::format("no request {} has ended; the requests that ended have numbers from 0 to {}",
                       fmt::join(moments.missing, ", "), moments.last_number);
  std::string asked;
  if (!options.numbers.empty())
    asked += fmt::format(" {} {}", options.numbers.size() == 1 ? "is" : "are among", fmt::join(options.numbers, ", "));
  if (options.late) asked += fmt::format("{} late", asked.empty() ? " is" : " and");
  if (!options.when.empty()) asked += fmt::format("{} meets \"{}\"", asked.empty() ? "" : " and", options.when);
  return fmt::format("none of the {} requests that ended{}{}", moments.ended,
                     options.numbers.empty() ? " and were issued after the warm-up" : "", asked);
}

}  // namespace

int explain(const ExplainOptions& options) {
  const system::Scenario scenario = system::load_scenario(options.scenario, options.overrides);
  MomentQuestion question{options.when, options.late, options.numbers, 3, options.before_ms, options.after_ms};
  question.most = options.slowest.value_or(std::max(question.most, question.numbers.size()));
  check_expression(question.when);
  Files files(options.folder);
  const Moments moments = find_moments(scenario, question, options.quiet);
  if (moments.chosen.empty() || !moments.missing.empty())
    throw core::SimulationError(fmt::format("{}: {}", options.scenario, no_answer(options, moments)));
  if (!options.quiet)
    fmt::print("{}: {} requests ended{}, {} of them match; the slowest {}:\n", options.scenario, moments.ended,
               options.numbers.empty() ? " after the warm-up" : "", moments.matched, moments.chosen.size());

  if (options.waves && observe::WaveFile::is_built()) files.add_waves(windows_of(moments, question));
  std::vector<std::uint64_t> followed;
  Picoseconds until = 0;
  for (const Moment& moment : moments.chosen) {
    followed.push_back(moment.number);
    until = std::max(until, moment.timing.completed);
  }
  observe::DecisionLog decisions(std::move(followed), scenario.interpretations.sweep_start);
  Progress progress(options.quiet);
  system::RunOptions leaves;
  leaves.progress = [&progress](double simulated_s, double total_s) { progress.update(simulated_s, total_s); };
  leaves.decisions = &decisions;
  leaves.wave_windows = files.wave_windows();
  leaves.until = until + core::to_picoseconds(options.after_ms, core::kPicosecondsPerMillisecond);
  const std::unique_ptr<system::RunIf> made = system::make_run(scenario, leaves);
  made->run();
  progress.done();

  json report = {{"schema", 1},
                 {"scenario", options.scenario},
                 {"ended", moments.ended},
                 {"matched", moments.matched},
                 {"requests", json::array()}};
  for (std::size_t i = 0; i < moments.chosen.size(); ++i) {
    std::vector<const Sight*> sights;
    json one = to_json(moments.chosen[i]);
    one["decisions"] = json::array();
    for (const Sight& sight : decisions.sights()) {
      if (sight.request != i || sight.effective > moments.chosen[i].timing.completed) continue;  // it took effect too late
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
  const ViewedSystem viewed{scenario.host->several_drives, scenario.engine.row->has_rtl, scenario.engine.row->has_folder};
  files.commit(report, moments, decisions.sights(), viewed, made->outputs());
  if (options.waves && !observe::WaveFile::is_built() && !options.quiet)
    fmt::print("\nno waves: this build of Platter writes none\n");
  if (!options.quiet) fmt::print("\nall decisions: {}\n", (std::filesystem::path(options.folder) / "explain.json").string());
  return kGood;
}

}  // namespace platter::cli
