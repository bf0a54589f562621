// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/duration_keeper.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandStatus;
using command::LimitPolicy;
using core::kNoDeadline;
using core::now_ps;

namespace {

bool continues(LimitPolicy policy) {
  return policy == LimitPolicy::ContinueNextLimit || policy == LimitPolicy::ContinueNoLimit;
}

/// When a limit passes that counts from `since`.
Picoseconds by(const command::DurationLimit& limit, Picoseconds since) {
  return limit.given() ? core::later_by(since, limit.time) : kNoDeadline;
}

/// The status of a command that this policy ends, which is counted. `aborted`: with an error.
CommandStatus status_of(LimitPolicy policy, CommandStatus aborted, DurationCounters& count) {
  const bool unavailable = policy == LimitPolicy::CompleteUnavailable;
  ++(unavailable ? count.unavailable : count.aborted);
  return unavailable ? CommandStatus::Unavailable : aborted;
}

}  // namespace

DurationKeeper::DurationKeeper(HazardQueue& queue, const command::DurationTable& table)
    : queue_(queue), table_(table), states_(queue.depth()), expiry_(core::Rank::Access, [this] { expire(); }) {}

void DurationKeeper::arrived(QueueEntry& entry, Picoseconds now) {
  const command::Command& asked = entry.asked;
  State& state = states_[entry.tag.value];
  state = State{};
  state.since = now;
  ++counters(entry).commands;
  if (asked.duration != 0) {
    state.table = asked.durations != nullptr ? asked.durations : &table_;
    state.number = asked.duration;
    state.limits = state.table->of(asked.write(), asked.duration);
    state.start_by = by(state.limits.inactive, now);
    state.complete_by = by(state.limits.guideline, now);
    const command::DurationLimit& active = state.limits.active;
    if (active.given() && active.policy != LimitPolicy::CompleteEarliest)
      entry.asked.recovery_limit = std::min(entry.asked.recovery_limit, active.time);
    entry.command.guideline_cost_permille = static_cast<std::uint16_t>(state.table->cost_permille);
  }
  if (asked.expires) state.expire_by = asked.deadline;
  set_deadline(entry);
}

void DurationKeeper::set_deadline(QueueEntry& entry) {
  const State& state = states_[entry.tag.value];
  const Picoseconds own = entry.asked.deadline;
  const Picoseconds limit = std::min(state.start_by, state.complete_by);
  entry.command.deadline = std::min(own, limit);
  entry.command.limited = limit < own || (entry.asked.expires && own != kNoDeadline);
  entry.command.guideline = limit < own && state.complete_by <= state.start_by;
  watch(state.next());
}

void DurationKeeper::expire() {
  const Picoseconds now = now_ps();
  const auto waits = [](const QueueEntry& entry) {
    return entry.used() && entry.timed() && entry.stage < Stage::Access && (entry.stage != Stage::Leaving || entry.returns);
  };
  for (QueueEntry& entry : queue_.entries()) {
    if (!waits(entry)) continue;
    const Passed passed = pass(entry, now);
    if (passed.ends != CommandStatus::Good)
      sink_->limit_ends(entry, passed.ends);
    else if (passed.follows)
      sink_->limit_changes(entry);
  }
  for (const QueueEntry& entry : queue_.entries())
    if (waits(entry)) watch(states_[entry.tag.value].next());
}

DurationKeeper::Passed DurationKeeper::pass(QueueEntry& entry, Picoseconds when) {
  State& state = states_[entry.tag.value];
  DurationCounters& count = counters(entry);
  bool follows = false;
  if (entry.accesses > 0 && !state.start_passed) state.start_by = kNoDeadline;  // it was kept
  for (Picoseconds at = state.next(); at <= when; at = state.next()) {
    const bool inactive = !state.start_passed && at == state.start_by;
    LimitPolicy policy = LimitPolicy::Abort;
    if (inactive) {
      state.start_passed = true;
      policy = state.limits.inactive.policy;
    } else if (at == state.expire_by) {
      state.expire_by = kNoDeadline;
    } else {
      state.complete_passed = true;
      policy = state.limits.guideline.policy;
    }
    const bool ends = command::ends_command(policy);
    if (ends && entry.accesses > 0) continue;  // `completed` judges it, as a guideline with which the command just goes on
    if (inactive || policy != LimitPolicy::CompleteEarliest) ++(inactive ? count.inactive_missed : count.guideline_missed);
    if (ends) return {status_of(policy, CommandStatus::LimitBefore, count), at, false};
    if (continues(policy)) follow(entry, state);
    follows = follows || continues(policy);
  }
  return {CommandStatus::Good, when, follows};
}

void DurationKeeper::follow(const QueueEntry& entry, State& state) {
  const bool next =
      state.limits.guideline.policy == LimitPolicy::ContinueNextLimit && state.number < command::DurationTable::kDescriptors;
  state.limits.guideline = next ? state.table->of(entry.asked.write(), ++state.number).guideline : command::DurationLimit{};
  state.complete_by = by(state.limits.guideline, state.since);
  state.complete_passed = false;
}

Picoseconds DurationKeeper::completed(QueueEntry& entry, Picoseconds now, Picoseconds done) {
  if (command::ended_by_limit(entry.result.status)) return done;
  State& state = states_[entry.tag.value];
  DurationCounters& count = counters(entry);
  const bool recovered = entry.result.timing.recovery > 0;
  LimitPolicy ends = LimitPolicy::CompleteEarliest;
  Picoseconds at = done;
  const auto judge = [&](LimitPolicy policy, Picoseconds limit) {
    if (done <= limit) return false;
    if (recovered) ++count.in_recovery;
    if (limit < at && policy >= LimitPolicy::CompleteUnavailable) {  // the first one to end it
      ends = policy;
      at = limit;
    }
    return true;
  };
  if (judge(state.limits.active.policy, by(state.limits.active, entry.result.timing.started))) ++count.active_missed;
  for (bool on = true; on && judge(state.limits.guideline.policy, by(state.limits.guideline, state.since));) {
    ++count.guideline_missed;
    on = continues(state.limits.guideline.policy);
    if (on) follow(entry, state);
  }
  if (judge(LimitPolicy::Abort, entry.asked.expires ? entry.asked.deadline : kNoDeadline)) ++count.guideline_missed;
  const bool failed = entry.asked.write() && entry.result.status != CommandStatus::Good;  // the host has to know
  if (ends == LimitPolicy::CompleteEarliest || failed) return done;
  entry.result.status = status_of(ends, recovered ? CommandStatus::LimitInRecovery : CommandStatus::LimitDuring, count);
  return std::max(now, at);
}

}  // namespace platter::drive
