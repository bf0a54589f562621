// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/duration_keeper.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using command::CommandStatus;
using command::LimitPolicy;
using core::kNoDeadline;
using core::now_ps;

DurationKeeper::DurationKeeper(HazardQueue& queue, const command::DurationTable& table)
    : queue_(queue), table_(table), states_(queue.depth()), expiry_(core::Rank::Access, [this] { expire(); }) {}

void DurationKeeper::arrived(QueueEntry& entry, Picoseconds now) {
  const command::Command& asked = entry.asked;
  State& state = states_[entry.tag.value];
  state = State{};
  state.since = now;
  state.start_by = state.complete_by = kNoDeadline;
  ++counters(entry).commands;
  if (asked.duration != 0) {
    state.table = asked.durations != nullptr ? asked.durations : &table_;
    state.number = asked.duration;
    state.limits = state.table->of(asked.write(), asked.duration);
    if (state.limits.inactive.given()) state.start_by = core::later_by(now, state.limits.inactive.time);
    if (state.limits.guideline.given()) state.complete_by = core::later_by(now, state.limits.guideline.time);
    const command::DurationLimit& active = state.limits.active;
    if (active.given() && active.policy != LimitPolicy::CompleteEarliest)
      entry.asked.recovery_limit = std::min(entry.asked.recovery_limit, active.time);
    entry.command.guideline_cost_permille = static_cast<std::uint16_t>(state.table->cost_permille);
  }
  if (asked.expires && asked.deadline < state.complete_by) {
    state.complete_by = asked.deadline;
    state.limits.guideline = {std::max<Picoseconds>(asked.deadline - now, 1), LimitPolicy::Abort};
  }
  set_deadline(entry);
  watch(std::min(state.start_by, state.complete_by));
}

void DurationKeeper::set_deadline(QueueEntry& entry) const {
  const State& state = states_[entry.tag.value];
  scheduling::Command& command = entry.command;
  const Picoseconds limit = std::min(state.start_by, state.complete_by);
  command.deadline = std::min(entry.asked.deadline, limit);
  command.limited = limit != kNoDeadline;
  command.guideline = command.limited && state.complete_by <= state.start_by && !entry.asked.expires;
}

void DurationKeeper::expire() {
  const Picoseconds now = now_ps();
  const auto waits = [](const QueueEntry& entry) { return entry.used() && entry.timed() && entry.stage < Stage::Access; };
  for (QueueEntry& entry : queue_.entries())
    if (waits(entry)) expire(entry, now);
  Picoseconds next = kNoDeadline;
  for (const QueueEntry& entry : queue_.entries())
    if (waits(entry)) next = std::min({next, states_[entry.tag.value].start_by, states_[entry.tag.value].complete_by});
  watch(next);
}

void DurationKeeper::expire(QueueEntry& entry, Picoseconds now) {
  State& state = states_[entry.tag.value];
  // Between two of its accesses, or while the engine still reads it after a withdrawal: its end is judged when it completes.
  if (entry.accesses > 0 || entry.stage == Stage::Leaving) {
    state.start_by = state.complete_by = kNoDeadline;
    return;
  }
  if (state.start_by <= now) {
    state.start_by = kNoDeadline;
    ++counters(entry).inactive_missed;
    const LimitPolicy policy = state.limits.inactive.policy;
    if (ends_command(policy)) {
      end(entry, policy);
      return;
    }
  }
  if (state.complete_by <= now) {
    const LimitPolicy policy = state.limits.guideline.policy;
    state.complete_by = kNoDeadline;
    if (ends_command(policy)) {
      ++counters(entry).guideline_missed;
      end(entry, policy);
    } else if (policy != LimitPolicy::CompleteEarliest) {
      ++counters(entry).guideline_missed;
      go_on(entry);
    }
  }
}

void DurationKeeper::go_on(QueueEntry& entry) {
  State& state = states_[entry.tag.value];
  const bool next =
      state.limits.guideline.policy == LimitPolicy::ContinueNextLimit && state.number < command::DurationTable::kDescriptors;
  state.limits.guideline = {};
  if (next) {
    const command::DurationLimit& following = state.table->of(entry.asked.write(), ++state.number).guideline;
    if (following.given()) {
      state.limits.guideline = following;
      state.complete_by = core::later_by(state.since, following.time);
    }
  }
  sink_->limit_changes(entry);
  if (state.complete_by <= now_ps()) expire(entry, now_ps());
}

void DurationKeeper::end(QueueEntry& entry, LimitPolicy policy) {
  const bool aborts = policy == LimitPolicy::Abort;
  ++(aborts ? counters(entry).aborted : counters(entry).unavailable);
  sink_->limit_ends(entry, aborts ? CommandStatus::LimitBefore : CommandStatus::Unavailable);
}

Picoseconds DurationKeeper::completed(QueueEntry& entry, Picoseconds now, Picoseconds done) {
  if (command::ended_by_limit(entry.result.status)) return done;
  const State& state = states_[entry.tag.value];
  DurationCounters& count = counters(entry);
  const command::CommandTiming& timing = entry.result.timing;
  const bool recovered = timing.recovery > 0;
  CommandStatus ends = CommandStatus::Good;
  Picoseconds at = done;
  const auto judge = [&](const command::DurationLimit& limit, Picoseconds from) {
    const Picoseconds by = core::later_by(from, limit.time);
    if (!limit.given() || done <= by) return false;
    if (recovered) ++count.in_recovery;
    const bool aborts = limit.policy == LimitPolicy::Abort || limit.policy == LimitPolicy::AbortRecovery;
    if (!aborts && limit.policy != LimitPolicy::CompleteUnavailable) return true;
    const CommandStatus status = !aborts     ? CommandStatus::Unavailable
                                 : recovered ? CommandStatus::LimitInRecovery
                                             : CommandStatus::LimitDuring;
    if (ends != CommandStatus::Good && by >= at) return true;
    ends = status;
    at = by;
    return true;
  };
  if (judge(state.limits.active, timing.started)) ++count.active_missed;
  if (judge(state.limits.guideline, state.since)) ++count.guideline_missed;
  if (ends == CommandStatus::Good) return done;
  entry.result.status = ends;
  ++(ends == CommandStatus::Unavailable ? count.unavailable : count.aborted);
  return std::max(now, at);
}

}  // namespace platter::drive
