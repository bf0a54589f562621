// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/own_deadlines.h"

#include <algorithm>

#include "platter/scheduling/policies.h"

namespace platter::scheduling {

void OwnDeadlines::insert(const Command& command) {
  commands_[command.tag.value] = &command;
  if (has_own_deadline(command)) own_.insert(command);
  policy_->insert(command);
}

void OwnDeadlines::remove(Tag tag) {
  policy_->remove(tag);
  if (!own_.empty()) own_.remove(tag);
}

void OwnDeadlines::withdraw(Tag tag) {
  policy_->withdraw(tag);
  if (!own_.empty()) own_.remove(tag);
}

DecisionWork OwnDeadlines::work(const HeadState& head) {
  DecisionWork work = policy_->work(head);
  work.candidates += 2 * own_.size();  // each is examined from here and after the picked command
  return work;
}

Decision OwnDeadlines::pick(const HeadState& head, Picoseconds now) {
  const Decision decision = policy_->pick(head, now);
  if (own_.empty() || decision.forced) return decision;
  const Command* const command = due(decision, head, now);
  if (command == nullptr) return decision;
  policy_->put_first(*command, head, now, Rule::Deadline);
  Decision instead = Decision::serve(command->tag, Rule::Deadline);
  instead.forced = true;
  return instead;
}

const Command* OwnDeadlines::due(const Decision& decision, const HeadState& head, Picoseconds now) {
  const bool serves = decision.kind == Decision::Kind::Serve;
  const bool waits = decision.kind == Decision::Kind::Idle && decision.until != core::kNoDeadline;
  if (!serves && !waits) return nullptr;
  const Command* const picked = serves ? commands_[decision.tag.value] : nullptr;
  const Picoseconds busy = serves ? times_.to_first(*picked, head, now) + planner_.hold(picked->extent) : 0;
  const bool picked_is_own = serves && has_own_deadline(*picked) && busy <= times_.left(*picked, head, now);
  const Command* first = nullptr;
  lost_.clear();
  for (const Command* command : own_) {  // in order of age: the first of equals stays
    if (command == picked) continue;
    const Picoseconds hold = planner_.hold(command->extent);
    const Picoseconds time = times_.left(*command, head, now);
    if (times_.to_first(*command, head, now) + hold > time) {  // late in any case
      lost_.push_back(command->tag);
      continue;
    }
    if (first != nullptr && command->deadline >= first->deadline) continue;
    if (picked_is_own && picked->deadline <= command->deadline) continue;  // if they conflict, the earlier deadline is kept
    const Picoseconds behind = serves ? busy + planner_.most_onward(picked->extent, command->extent, decision_bound_)
                                      : decision.until - now + decision_bound_ + planner_.rotation().period() +
                                            times_.to_first(*command, head, decision.until);
    if (behind + hold <= time) continue;
    if (policy_->leaves_time(*command, head, now) && policy_->affords(*command, head, now)) first = command;
  }
  for (const Tag tag : lost_) own_.remove(tag);
  return first;
}

}  // namespace platter::scheduling
