// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/policies.h"

#include <fmt/format.h>

#include <algorithm>

#include "platter/core/nearest.h"
#include "platter/profile/drive_profile.h"
#include "platter/scheduling/firmware_rules.h"
#include "platter/scheduling/own_deadlines.h"
#include "platter/scheduling/own_policies.h"
#include "platter/scheduling/path_order.h"

namespace platter::scheduling {

const std::vector<PolicyInfo>& policy_table() {
  static const std::vector<PolicyInfo> table = {
      {"FCFS", "", "first come, first served", create_fcfs},
      {"SSTF", "", "shortest seek time first: the nearest cylinder", create_sstf},
      {"SCAN", "", "elevator that runs to the edge of the disk before it turns", create_scan},
      {"LOOK", "", "elevator that turns at the last request", create_look, Accelerated::Elevator},
      {"C-LOOK", "", "elevator that sweeps upward only and then returns to the lowest request", create_c_look},
      {"V(R)", "R", "nearest cylinder, where a change of direction costs R times the stroke: V(0) is SSTF, V(1) is LOOK",
       create_v_r},
      {"EDF", "", "earliest deadline first; requests without a deadline come last, oldest first", create_edf},
      {"SCAN-EDF", "", "earliest deadline first; requests with the same deadline, or without one, in an elevator's order",
       create_scan_edf},
      {"RR", "",
       "round robin: the classes take turns; continuous requests in the order of their streams, the others oldest first",
       create_round_robin},
      {"GSS(g)", "g", "grouped sweeping: g groups of streams, the lowest first, each in an elevator's order; then the others",
       create_group_sweep},
      {"CELLO(C|D|B)", "C|D|B",
       "disk time by weight for the classes continuous, discrete and background; SCAN-EDF, with discrete requests in its slack",
       create_cello},
      {"SFQ(C|D|B)", "C|D|B",
       "start-time fair queueing of disk time between the classes continuous, discrete and background, each oldest first",
       create_fair_queue},
      {"SPTF", "",
       "shortest positioning time first; discrete and all remaining continuous requests compete under the "
       "deadline guard",
       create_sptf, Accelerated::Sptf, GuardMode::Pooled},
      {"SPTF(next-C)", "", "SPTF in which only the next continuous request of the sweep competes", create_sptf_next_c,
       Accelerated::Sptf, GuardMode::NextContinuous},
      {"SPTF(unguarded)", "", "SPTF without the guard, so that deadlines are ignored", create_sptf_unguarded, Accelerated::Sptf,
       GuardMode::None},
      {"SPTF(margin)", "", "SPTF in which an arrival less than a margin before its sector is charged one more turn",
       create_sptf_margin, Accelerated::Sptf, GuardMode::Pooled, false, ArrivalCost::Margin},
      {"SATF-risk", "", "SPTF by the expected time: a turn times the probability to miss the sector is added", create_satf_risk,
       Accelerated::Sptf, GuardMode::Pooled, false, ArrivalCost::Expected},
      {"ASPTF(w)", "w", "SPTF that subtracts w times a request's wait from its positioning time", create_sptf,
       Accelerated::Sptf, GuardMode::Pooled},
      {"LSPTF(w)", "w",
       "ASPTF(w) for duration limits: a limited request competes only shortly before its limit, and goes first after it has "
       "passed; "
       "requests with priority go first",
       create_limited_sptf, Accelerated::Limited, GuardMode::Pooled},
      {"TPS:SCAN/SCAN", "", "two phases: first the round's continuous requests by SCAN, then the others by an elevator",
       create_tps_scan},
      {"TPS:SCAN/(SCAN/CI-OPT(M))", "M",
       "two phases: first the round's continuous requests by SCAN, then the others over the whole disk in exact orders of at "
       "most M",
       create_tps_opt},
      {"OPS:FAMISH", "",
       "one sweep a round, planned at its start: all continuous requests, and the others in the order of "
       "their arrival as far as the round goes",
       create_famish},
      {"OPS:FAMISH(late)", "", "OPS:FAMISH whose plan also takes in requests that come while it runs and that lie ahead",
       create_famish_late},
      {"OPS:SCAN/CI-SPTF", "",
       "continuous requests by SCAN, and between two of them the discrete requests that lie there, by SPTF", create_interval,
       Accelerated::Intervals, GuardMode::Pooled},
      {"OPS:SCAN/CI-OPT(M)", "M",
       "continuous requests by SCAN, and between two of them the discrete requests that lie there, in exact orders of at most "
       "M",
       create_interval, Accelerated::Intervals, GuardMode::Pooled},
      {"OPS:SCAN/CLUST-REQ(M)", "M", "the next M requests of the sweep, of both classes, in an exact order", create_cluster,
       Accelerated::Clusters, GuardMode::Pooled},
      {"OPS:SCAN/CLUST-CYL(M|T)", "M|T",
       "the next M requests of the sweep, of both classes and at most T cylinders beyond the first one, in an exact order",
       create_cluster, Accelerated::Clusters, GuardMode::Pooled},
      {"OPS:SLACK(c|w)", "c|w",
       "SPTF with a look-ahead, in which continuous requests are put off by up to c turns while there is slack, and the others "
       "age by up to 9 w turns",
       create_slack, Accelerated::Slack, GuardMode::Pooled},
      {"SATF-EW", "", "eager writing: the closest read or the closest free block, whichever is cheaper", create_satf_ew,
       Accelerated::No, GuardMode::None, true},
      {"FreeBW-SATF", "", "eager writing: reads by SATF, writes to free blocks in the gap before the next read",
       create_freebw_satf, Accelerated::No, GuardMode::None, true},
      {"FreeBW-SCAN", "", "eager writing: reads by SCAN, writes to free blocks in the gap before the next read",
       create_freebw_scan, Accelerated::No, GuardMode::None, true},
      {"FreeBW-Hybrid", "",
       "eager writing: reads by SCAN while a write is queued and otherwise by SATF, writes to free blocks in the gap before "
       "the next read",
       create_freebw_hybrid, Accelerated::No, GuardMode::None, true},
      {"Read-First", "", "eager writing: reads by SATF, writes only when there is no read", create_read_first, Accelerated::No,
       GuardMode::None, true},
      {"Credit-EW", "",
       "eager writing: the cheapest read, credited with the writes that its gap hides, or a write while "
       "no read is cheap",
       create_credit_ew, Accelerated::No, GuardMode::None, true},
  };
  return table;
}

std::string_view to_string(Accelerated program) {
  switch (program) {
    case Accelerated::No: return "no";
    case Accelerated::Elevator: return "elevator";
    case Accelerated::Sptf: return "sptf";
    case Accelerated::Intervals: return "intervals";
    case Accelerated::Clusters: return "clusters";
    case Accelerated::Slack: return "slack";
    case Accelerated::Limited: return "limited";
  }
  return "";
}

// --- notations -------------------------------------------------------------------------------------------------------

namespace {

using profile::kMaxCylinders;
constexpr std::uint32_t kMaxGroups = 10000;
constexpr std::int64_t kMinShare = Weight::kOne / 100;

/// The row's name before its parameters (`stem`), and after them (`tail`).
std::string_view stem(const PolicyInfo& row) {
  return row.parameters.empty() ? row.name : row.name.substr(0, row.name.rfind("(" + std::string(row.parameters) + ")"));
}
std::string_view tail(const PolicyInfo& row) {
  return row.parameters.empty() ? std::string_view() : row.name.substr(stem(row).size() + row.parameters.size() + 2);
}

bool digits_only(std::string_view text) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A whole number from 1 to `most`.
bool read(std::string_view text, std::uint32_t most, std::uint32_t& value) {
  if (!digits_only(text)) return false;
  value = static_cast<std::uint32_t>(std::stoul(std::string(text)));
  return value >= 1 && value <= most;
}

/// A decimal from 0 to Weight::kMax with at most six places.
bool read(std::string_view text, Weight& weight) {
  const std::size_t point = text.find('.');
  std::string places;
  if (point != std::string_view::npos) {
    places = text.substr(point + 1);
    if (places.empty() || places.size() > 6 || !digits_only(places)) return false;
  }
  if (!digits_only(text.substr(0, point))) return false;
  places.resize(6, '0');
  weight.millionths = std::stoll(std::string(text.substr(0, point))) * Weight::kOne + std::stoll(places);
  return weight.millionths <= Weight::kMax * Weight::kOne;
}

/// The same, but not below `least`.
bool read_share(std::string_view text, std::int64_t least, Weight& share) {
  return read(text, share) && share.millionths >= least;
}

Weight& share_of(char letter, PolicyParameters& parameters) {
  const auto cls = letter == 'C' ? RequestClass::Continuous : letter == 'D' ? RequestClass::Discrete : RequestClass::Background;
  return parameters.shares[core::index_of(cls)];
}

bool read(char letter, std::string_view text, PolicyParameters& parameters) {
  switch (letter) {
    case 'C':
    case 'D': return read_share(text, kMinShare, share_of(letter, parameters));
    case 'B': return read_share(text, 0, share_of(letter, parameters));
    case 'w': return read(text, parameters.weight);
    case 'c': return read(text, parameters.delay);
    case 'R': return read(text, parameters.weight) && parameters.weight.millionths <= Weight::kOne;
    case 'g': return read(text, kMaxGroups, parameters.groups);
    case 'M': return read(text, PathOrder<Picoseconds>::kMax, parameters.requests);
    default: return read(text, kMaxCylinders, parameters.cylinders);
  }
}

std::string expected(char letter) {
  switch (letter) {
    case 'C':
    case 'D': return fmt::format("{} a decimal from 0.01 to {} with at most six places", letter, Weight::kMax);
    case 'B': return fmt::format("B a decimal from 0 to {} with at most six places", Weight::kMax);
    case 'w': return fmt::format("w a decimal from 0 to {} with at most six places", Weight::kMax);
    case 'c': return fmt::format("c a decimal from 0 to {} with at most six places", Weight::kMax);
    case 'R': return "R a decimal from 0 to 1 with at most six places";
    case 'g': return fmt::format("g from 1 to {} groups", kMaxGroups);
    case 'M': return fmt::format("M from 1 to {}", PathOrder<Picoseconds>::kMax);
    default: return fmt::format("T from 1 to {} cylinders", kMaxCylinders);
  }
}

std::string written(Weight weight) {
  std::string text = fmt::format("{}.{:06}", weight.millionths / Weight::kOne, weight.millionths % Weight::kOne);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string written(char letter, PolicyParameters parameters) {
  switch (letter) {
    case 'C':
    case 'D':
    case 'B': return written(share_of(letter, parameters));
    case 'w':
    case 'R': return written(parameters.weight);
    case 'c': return written(parameters.delay);
    case 'M': return std::to_string(parameters.requests);
    case 'g': return std::to_string(parameters.groups);
    default: return std::to_string(parameters.cylinders);
  }
}

/// Reads what follows the row's stem: one value for each letter, in parentheses, and the row's tail.
bool read_parameters(const PolicyInfo& row, std::string_view text, PolicyParameters& parameters) {
  const std::string end_of_name = ")" + std::string(tail(row));
  if (text.size() < 1 + end_of_name.size() || text.front() != '(' ||
      text.substr(text.size() - end_of_name.size()) != end_of_name)
    return false;
  text = text.substr(1, text.size() - 1 - end_of_name.size());
  for (std::size_t i = 0; i < row.parameters.size(); i += 2) {
    const bool last = i + 1 == row.parameters.size();
    const std::size_t end = last ? text.size() : text.find('|');
    if (end == std::string_view::npos || !read(row.parameters[i], text.substr(0, end), parameters)) return false;
    if (!last) text.remove_prefix(end + 1);
  }
  return true;
}

/// The policy, or an objection.
PolicySpec parse(std::string_view notation, std::string& objection) {
  std::string wanted(notation);
  if (is_own_policy(wanted)) return own_policy(wanted, objection);
  wanted.erase(std::remove(wanted.begin(), wanted.end(), ' '), wanted.end());
  std::vector<std::string_view> names;
  for (const PolicyInfo& row : policy_table()) {
    if (row.name == wanted && row.parameters.empty()) return {&row, {}, std::string(notation)};
    names.push_back(row.name);
  }
  for (const PolicyInfo& row : policy_table()) {
    const std::string_view name = stem(row);
    if (row.parameters.empty() || wanted.compare(0, name.size(), name) != 0) continue;
    const std::string_view rest = std::string_view(wanted).substr(name.size());
    if (!rest.empty() && rest.front() != '(') continue;
    PolicySpec spec{&row, {}, std::string(notation)};
    if (read_parameters(row, rest, spec.parameters)) return spec;
    objection = fmt::format("policy \"{}\": expected {}", notation, row.name);
    for (std::size_t i = 0; i < row.parameters.size(); i += 2) objection += ", " + expected(row.parameters[i]);
    return {};
  }
  objection = fmt::format("there is no policy \"{}\"{}; `platter list policies` shows them all", notation,
                          core::did_you_mean(notation, names));
  return {};
}

}  // namespace

std::string PolicySpec::name() const {
  if (row->own != nullptr) return own_policy_name(*this);
  if (row->parameters.empty()) return std::string(row->name);
  std::string text = std::string(stem(*row)) + "(";
  for (const char letter : row->parameters) text += letter == '|' ? "|" : written(letter, parameters);
  return text + ")" + std::string(tail(*row));
}

std::unique_ptr<SchedulerIf> PolicySpec::create(SchedulerContext context) const {
  context.parameters = parameters;
  std::unique_ptr<SchedulerIf> scheduler = row->own != nullptr ? create_own(*row, context) : row->create(context);
  if (scheduler->keeps_deadlines())
    scheduler = std::make_unique<OwnDeadlines>(std::move(scheduler), context.planner, context.capacity, context.decision_bound);
  if (context.rules.age_limit == 0) return scheduler;
  return std::make_unique<FirmwareRulesScheduler>(std::move(scheduler), context.rules, context.capacity);
}

std::optional<PolicySpec> find_policy(std::string_view notation) {
  std::string objection;
  const PolicySpec spec = parse(notation, objection);
  return spec.row != nullptr ? std::optional(spec) : std::nullopt;
}

std::string placing_objection(const PolicySpec& policy, bool placing) {
  if (policy.row->places == placing) return {};
  if (!placing) return fmt::format("policy {} writes to free blocks; expected eager.enabled = true", policy.name());
  std::string names;
  for (const PolicyInfo& row : policy_table())
    if (row.places) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return fmt::format("policy {} writes in place; with eager.enabled expected one of {}", policy.name(), names);
}

std::string policy_objection(std::string_view notation) {
  std::string objection;
  parse(notation, objection);
  return objection;
}

}  // namespace platter::scheduling
