// SPDX-License-Identifier: Apache-2.0
#include "moments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "commands.h"
#include "platter/core/error.h"
#include "platter/system/timeline.h"
#include "platter/workload/byte_source.h"
#include "process_pool.h"
#include "run_watch.h"

namespace platter::cli {

using core::Picoseconds;
using nlohmann::json;
using workload::FinishedRequest;

namespace {

double in_ms(Picoseconds time) { return core::to_milliseconds(time); }

/// A quantity of a request that an expression may name.
struct Quantity {
  const char* name;
  double (*of)(const FinishedRequest&);
};

constexpr std::array kQuantities = {
    Quantity{"response_ms", [](const FinishedRequest& f) { return in_ms(f.timing.response()); }},
    Quantity{"queue_ms", [](const FinishedRequest& f) { return in_ms(f.timing.queue); }},
    Quantity{"overhead_ms", [](const FinishedRequest& f) { return in_ms(f.timing.overhead); }},
    Quantity{"seek_ms", [](const FinishedRequest& f) { return in_ms(f.timing.seek); }},
    Quantity{"settle_ms", [](const FinishedRequest& f) { return in_ms(f.timing.settle); }},
    Quantity{"rotation_ms", [](const FinishedRequest& f) { return in_ms(f.timing.rotation); }},
    Quantity{"transfer_ms", [](const FinishedRequest& f) { return in_ms(f.timing.transfer); }},
    Quantity{"bus_ms", [](const FinishedRequest& f) { return in_ms(f.timing.bus); }},
    Quantity{"issued_s", [](const FinishedRequest& f) { return in_ms(f.timing.issued) * 1e-3; }},
    Quantity{"completed_s", [](const FinishedRequest& f) { return in_ms(f.timing.completed) * 1e-3; }},
    // Without a deadline as far away as a number can be.
    Quantity{"spare_ms",
             [](const FinishedRequest& f) {
               return f.request.deadline == core::kNoDeadline ? HUGE_VAL : in_ms(f.request.deadline - f.timing.completed);
             }},
    Quantity{"missed", [](const FinishedRequest& f) { return static_cast<double>(f.timing.missed); }},
    Quantity{"gained", [](const FinishedRequest& f) { return static_cast<double>(f.timing.gained); }},
    Quantity{"retry_turns", [](const FinishedRequest& f) { return static_cast<double>(f.timing.retry_turns); }},
    Quantity{"recovery_ms", [](const FinishedRequest& f) { return in_ms(f.timing.recovery); }},
    Quantity{"late", [](const FinishedRequest& f) { return f.timing.completed > f.request.deadline ? 1.0 : 0.0; }},
    Quantity{"failed", [](const FinishedRequest& f) { return f.status != command::CommandStatus::Good ? 1.0 : 0.0; }},
    Quantity{"continuous",
             [](const FinishedRequest& f) { return f.request.cls == core::RequestClass::Continuous ? 1.0 : 0.0; }},
    Quantity{"discrete", [](const FinishedRequest& f) { return f.request.cls == core::RequestClass::Discrete ? 1.0 : 0.0; }},
    Quantity{"background",
             [](const FinishedRequest& f) { return f.request.cls == core::RequestClass::Background ? 1.0 : 0.0; }},
    Quantity{"reads", [](const FinishedRequest& f) { return f.request.read() ? 1.0 : 0.0; }},
    Quantity{"writes", [](const FinishedRequest& f) { return f.request.write() ? 1.0 : 0.0; }},
    Quantity{"stream", [](const FinishedRequest& f) { return static_cast<double>(f.request.stream); }},
    Quantity{"number", [](const FinishedRequest& f) { return static_cast<double>(f.number); }},
    Quantity{"offset_bytes", [](const FinishedRequest& f) { return static_cast<double>(f.request.address); }},
    Quantity{"length_bytes", [](const FinishedRequest& f) { return static_cast<double>(f.request.length); }},
};

/// An expression over a request's quantities, which holds where it is not 0.
class Condition {
 public:
  explicit Condition(const std::string& text) {
    for (std::size_t i = 0; i < kQuantities.size(); ++i) parser_.DefineVar(kQuantities[i].name, &values_[i]);
    parser_.DefineInfixOprt("!", [](mu::value_type value) -> mu::value_type { return value == 0 ? 1 : 0; });
    try {
      // muParser would assign to the quantities.
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '=' && text[i + 1] != '=' && (i == 0 || std::strchr("=!<>", text[i - 1]) == nullptr))
          throw mu::ParserError(  // NOLINT(bugprone-std-exception-baseclass): muParser's own
              "Found a single \"=\", expected \"==\".");
      parser_.SetExpr(text);
      parser_.Eval();
      for (const auto& [name, value] : parser_.GetUsedVar())
        for (std::size_t i = 0; i < kQuantities.size(); ++i)
          if (name == kQuantities[i].name) used_.push_back(i);
    } catch (const mu::Parser::exception_type& error) {
      std::vector<std::string_view> names;
      names.reserve(kQuantities.size());
      for (const Quantity& quantity : kQuantities) names.emplace_back(quantity.name);
      throw core::InputError("expression", 0, 0,
                             fmt::format("\"{}\": {} Expected an expression with &&, ||, !, comparisons, arithmetic and {}",
                                         text, error.GetMsg(), fmt::join(names, ", ")));
    }
  }

  bool holds(const FinishedRequest& finished) {
    for (const std::size_t i : used_) values_[i] = kQuantities[i].of(finished);
    return parser_.Eval() != 0;
  }

 private:
  mu::Parser parser_;
  std::array<mu::value_type, kQuantities.size()> values_{};
  std::vector<std::size_t> used_;
};

bool slower(const Moment& a, const Moment& b) {
  return a.timing.response() != b.timing.response() ? a.timing.response() > b.timing.response() : a.number < b.number;
}

bool is_one_of(std::uint64_t number, const std::vector<std::uint64_t>& numbers) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

/// Keeps those requests of a run that the question is about.
class MomentFinder : public workload::RequestObserverIf {
 public:
  MomentFinder(const MomentQuestion& question, Picoseconds from) : question_(question), from_(from) {
    if (!question.when.empty()) condition_ = std::make_unique<Condition>(question.when);
    found_.missing = question.numbers;
  }

  void issued(const workload::Request& /*request*/) override {}
  void finished(const FinishedRequest& f) override {
    found_.last_number = std::max(found_.last_number, f.number);
    std::vector<std::uint64_t>& missing = found_.missing;
    if (question_.numbers.empty()) {
      if (f.request.issued < from_) return;
      ++found_.ended;
    } else {
      ++found_.ended;
      if (!is_one_of(f.number, question_.numbers)) return;
      missing.erase(std::remove(missing.begin(), missing.end(), f.number), missing.end());
    }
    if (f.timing.completed < question_.from || f.timing.issued > question_.to) return;
    if (question_.late && f.timing.completed <= f.request.deadline) return;
    if (condition_ && !condition_->holds(f)) return;
    ++found_.matched;
    const Moment moment{f.number, f.request, f.timing, f.status};
    std::vector<Moment>& chosen = found_.chosen;
    if (chosen.size() == question_.most && !slower(moment, chosen.back())) return;
    chosen.insert(std::upper_bound(chosen.begin(), chosen.end(), moment, slower), moment);
    if (chosen.size() > question_.most) chosen.pop_back();
  }

  const Moments& found() const { return found_; }

 private:
  const MomentQuestion& question_;
  Picoseconds from_;
  std::unique_ptr<Condition> condition_;
  Moments found_;
};

// Between the two processes: all that a moment has, in a fixed order.
json to_json(const Moment& m) {
  const command::CommandTiming& t = m.timing;
  return {m.number,
          static_cast<int>(m.command.cls),
          m.command.deadline,
          m.command.stream,
          static_cast<int>(m.command.operation),
          m.command.address,
          m.command.length,
          static_cast<int>(m.status),
          t.issued,
          t.accepted,
          t.started,
          t.completed,
          t.queue,
          t.overhead,
          t.seek,
          t.settle,
          t.rotation,
          t.transfer,
          t.bus,
          t.missed_by,
          t.missed,
          t.gained,
          t.recovery,
          t.retry_turns,
          t.reallocated};
}

Moment to_moment(const json& from) {
  Moment m;
  std::size_t at = 0;
  const auto take = [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>)
      field = static_cast<Field>(from.at(at++).get<int>());
    else
      field = from.at(at++).get<Field>();
  };
  command::CommandTiming& t = m.timing;
  take(m.number);
  take(m.command.cls);
  take(m.command.deadline);
  take(m.command.stream);
  take(m.command.operation);
  take(m.command.address);
  take(m.command.length);
  take(m.status);
  for (Picoseconds* time : {&t.issued, &t.accepted, &t.started, &t.completed, &t.queue, &t.overhead, &t.seek, &t.settle,
                            &t.rotation, &t.transfer, &t.bus, &t.missed_by})
    take(*time);
  take(t.missed);
  take(t.gained);
  take(t.recovery);
  take(t.retry_turns);
  take(t.reallocated);
  m.command.issued = t.issued;
  return m;
}

}  // namespace

void check_expression(const std::string& when) {
  if (!when.empty()) Condition{when};
}

void check_repeatable(const system::Scenario& scenario) {
  const std::string trace = scenario.discrete.source == "trace" ? scenario.discrete.trace.file.path.string() : "";
  if (!workload::ByteSource::rereadable(trace))
    throw core::InputError(workload::ByteSource::name_of(trace), 0, 0,
                           "is not a regular file, but this command reads it more than once: write it to a file first");
}

Moments find_moments(const system::Scenario& scenario, const MomentQuestion& question, bool quiet) {
  check_repeatable(scenario);
  const auto job = [&](std::size_t /*number*/) -> json {
    MomentFinder finder(question, system::seconds(scenario.run.warmup_s));
    Progress progress(quiet);
    system::RunOptions options;
    options.observers = {&finder};
    options.progress = [&progress](double simulated_s, double total_s) { progress.update(simulated_s, total_s); };
    const std::unique_ptr<system::RunIf> made = system::make_run(scenario, options);
    made->run();
    progress.done();
    json chosen = json::array();
    for (const Moment& moment : finder.found().chosen) chosen.push_back(to_json(moment));
    const Moments& found = finder.found();
    return {{"chosen", chosen},
            {"matched", found.matched},
            {"ended", found.ended},
            {"missing", found.missing},
            {"last_number", found.last_number}};
  };
  const ProcessAnswer answer = run_processes(1, 1, job, "").front();
  rethrow(answer);
  Moments moments;
  moments.matched = answer.result.at("matched");
  moments.ended = answer.result.at("ended");
  moments.missing = answer.result.at("missing").get<std::vector<std::uint64_t>>();
  moments.last_number = answer.result.at("last_number");
  for (const json& moment : answer.result.at("chosen")) moments.chosen.push_back(to_moment(moment));
  return moments;
}

std::vector<MomentWindow> windows_of(const Moments& moments, const MomentQuestion& question) {
  const auto before = core::to_picoseconds(question.before_ms, core::kPicosecondsPerMillisecond);
  const auto after = core::to_picoseconds(question.after_ms, core::kPicosecondsPerMillisecond);
  std::vector<MomentWindow> windows;
  for (std::size_t i = 0; i < moments.chosen.size(); ++i) {
    const command::CommandTiming& timing = moments.chosen[i].timing;
    windows.push_back({std::max(timing.issued - before, question.from), std::min(timing.completed + after, question.to), {i}});
  }
  std::sort(windows.begin(), windows.end(), [](const MomentWindow& a, const MomentWindow& b) { return a.from < b.from; });
  std::vector<MomentWindow> joined;
  for (MomentWindow& window : windows) {
    if (joined.empty() || joined.back().to < window.from) {
      joined.push_back(std::move(window));
      continue;
    }
    joined.back().to = std::max(joined.back().to, window.to);
    joined.back().moments.push_back(window.moments.front());
  }
  return joined;
}

}  // namespace platter::cli
