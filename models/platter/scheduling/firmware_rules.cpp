// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/firmware_rules.h"

#include <algorithm>

namespace platter::scheduling {

FirmwareRulesScheduler::FirmwareRulesScheduler(std::unique_ptr<SchedulerIf> policy, const FirmwareRules& rules,
                                               std::size_t capacity)
    : WrappedScheduler(std::move(policy)),
      rules_(rules),
      knows_deadlines_(policy_->knows_deadlines()),
      commands_(capacity),
      aged_(capacity),
      held_(capacity),
      destages_(capacity),
      places_(rules.stream_first ? capacity : 0),
      held_back_(capacity, false) {}

void FirmwareRulesScheduler::insert(const Command& command) {
  commands_[command.tag.value] = &command;
  held_back_[command.tag.value] = false;
  if (may_stream(command)) {
    places_.insert(command);
    if (in_stream(command)) {
      extend_stream(command.extent.first.value);
      if (batch_) {
        held_.insert(command);
        held_back_[command.tag.value] = true;
        return;
      }
    }
  }
  if (command.destage)
    destages_.insert(command);
  else if (ages(command))
    aged_.insert(command);
  policy_->insert(command);
}

void FirmwareRulesScheduler::left(const Command& command) {
  aged_.remove(command.tag);
  held_.remove(command.tag);
  destages_.remove(command.tag);
  if (!may_stream(command)) return;
  places_.remove(command);
  passed(command);
}

void FirmwareRulesScheduler::remove(Tag tag) {
  const Command& command = *commands_[tag.value];
  destages_turn_ = !command.destage;
  const bool begins = batch_due_;
  batch_ = batch_ || begins;  // the stream that will be held back remains the stream
  left(command);
  policy_->remove(tag);
  if (begins)
    begin_batch();
  else
    end_batch_if_served();
}

void FirmwareRulesScheduler::withdraw(Tag tag) {
  const bool held = held_.contains(tag);
  left(*commands_[tag.value]);
  if (!held) policy_->withdraw(tag);
  end_batch_if_served();
}

// --- the stream ------------------------------------------------------------------------------------------------------

void FirmwareRulesScheduler::extend_stream(std::uint64_t block) {
  for (auto at = places_.from(stream_.write, block); at != places_.end() && in_stream(**at); ++at)
    stream_.end = std::max(stream_.end, end_of(**at));
}

const Command* FirmwareRulesScheduler::first_of_stream() const {
  if (!stream_.known) return nullptr;
  const auto at = places_.from(stream_.write, stream_.low);
  return at != places_.end() && in_stream(**at) ? *at : nullptr;
}

void FirmwareRulesScheduler::raise_low() {
  const Command* const next = first_of_stream();
  stream_.low = next != nullptr ? next->extent.first.value : stream_.end;
}

void FirmwareRulesScheduler::passed(const Command& command) {
  if (in_stream(command)) {
    stream_.end = std::max(stream_.end, end_of(command));
    raise_low();
    return;
  }
  const End end{end_of(command), command.extent.write, true};
  const auto before = std::find_if(ends_.begin(), ends_.end(), [&](const End& one) { return continues(one, command); });
  if (before == ends_.end()) {
    ends_[next_end_++ % ends_.size()] = end;
  } else if (batch_) {  // the stream that is held back remains the stream
    *before = end;
  } else {
    const Stream stream{before->block, end.block, end.write, true};
    *before = {stream_.low, stream_.write, stream_.known};
    stream_ = stream;
    extend_stream(end.block);
    raise_low();  // the policy may have left commands out
  }
}

// --- decisions -------------------------------------------------------------------------------------------------------

DecisionWork FirmwareRulesScheduler::work(const HeadState& head) {
  DecisionWork work = policy_->work(head);
  work.candidates += rules_.stream_first ? 2 : 1;  // the oldest command, and the stream's next one
  return work;
}

const Command* FirmwareRulesScheduler::due_destage(const Decision& decision, Picoseconds now) const {
  if (destages_.empty()) return nullptr;
  if (now - awaited_.certain >= rules_.age_limit) return destages_.oldest();
  if (now - awaited_.any < rules_.age_limit) return nullptr;
  if (decision.kind == Decision::Kind::Serve && commands_[decision.tag.value]->destage) return commands_[decision.tag.value];
  return destages_.oldest();
}

const Command* FirmwareRulesScheduler::due(const Decision& decision, Picoseconds now) const {
  const Command* command = aged_.oldest();
  if (command == nullptr || (!held_.empty() && older(*held_.oldest(), *command))) command = held_.oldest();
  if (command != nullptr && now - command->arrival < rules_.age_limit) command = nullptr;
  const Command* const destage = due_destage(decision, now);
  return command == nullptr || (destage != nullptr && destages_turn_) ? destage : command;
}

const Command* FirmwareRulesScheduler::ahead(const Decision& decision) const {
  if (batch_) return nullptr;
  const Command* const command = first_of_stream();
  const bool chosen = decision.kind == Decision::Kind::Serve && in_stream(*commands_[decision.tag.value]);
  return chosen ? nullptr : command;
}

Picoseconds FirmwareRulesScheduler::next_due(Picoseconds now) const {
  Picoseconds next = kNoDeadline;
  const auto since = [&](Picoseconds begin) {
    if (begin < kNoDeadline - rules_.age_limit && begin + rules_.age_limit > now)
      next = std::min(next, begin + rules_.age_limit);
  };
  if (!aged_.empty()) since(aged_.oldest()->arrival);
  if (!destages_.empty()) since(std::min(awaited_.any, awaited_.certain));
  return next;
}

Decision FirmwareRulesScheduler::pick(const HeadState& head, Picoseconds now) {
  batch_due_ = false;
  picked_in_batch_ = batch_;
  Decision decision = policy_->pick(head, now);
  if (decision.forced) return decision;
  Rule rule = Rule::Age;
  const Command* preferred = due(decision, now);
  if (preferred == nullptr) {
    rule = Rule::Stream;
    preferred = ahead(decision);
  }
  if (preferred != nullptr) {
    if (held_.contains(preferred->tag)) {
      end_batch();
      return Decision::again();
    }
    const bool own_choice = decision.kind == Decision::Kind::Serve && decision.tag == preferred->tag;
    if (own_choice || policy_->leaves_time(*preferred, head, now)) {
      // The first of the others has reached the limit.
      batch_due_ =
          rules_.stream_first && rule == Rule::Age && !batch_ && stream_.known && !preferred->destage && !in_stream(*preferred);
      if (own_choice) return decision;
      policy_->put_first(*preferred, head, now, rule);
      return Decision::serve(preferred->tag, rule);
    }
  }
  if (decision.kind != Decision::Kind::Idle) return decision;
  if (!held_.empty()) {
    end_batch();
    return Decision::again();
  }
  decision.until = std::min(decision.until, next_due(now));
  return decision;
}

Decision FirmwareRulesScheduler::next_of_sweep(const HeadState& head, Picoseconds now) {
  batch_due_ = false;  // of a decision that has not been carried out
  picked_in_batch_ = batch_;
  return policy_->next_of_sweep(head, now);
}

// --- batches ---------------------------------------------------------------------------------------------------------

void FirmwareRulesScheduler::begin_batch() {
  batch_due_ = false;
  std::fill(held_back_.begin(), held_back_.end(), false);
  for (auto at = places_.from(stream_.write, stream_.low); at != places_.end() && in_stream(**at); ++at) {
    const Command& command = **at;
    aged_.remove(command.tag);
    policy_->withdraw(command.tag);
    held_.insert(command);
    held_back_[command.tag.value] = true;
  }
  batch_ = true;
  if (!aged_.empty()) batch_last_ = aged_.youngest()->sequence;
  end_batch_if_served();
}

void FirmwareRulesScheduler::end_batch_if_served() {
  if (batch_ && (aged_.empty() || aged_.oldest()->sequence > batch_last_)) end_batch();
}

void FirmwareRulesScheduler::end_batch() {
  batch_ = false;
  while (const Command* const command = held_.oldest()) {
    held_.remove(command->tag);
    aged_.insert(*command);
    policy_->insert(*command);
  }
}

}  // namespace platter::scheduling
