// SPDX-License-Identifier: Apache-2.0
#include "platter/scheduling/firmware_rules.h"

#include <algorithm>

namespace platter::scheduling {

FirmwareRulesScheduler::FirmwareRulesScheduler(std::unique_ptr<SchedulerIf> policy, const FirmwareRules& rules,
                                               std::size_t capacity)
    : policy_(std::move(policy)), rules_(rules), commands_(capacity), aged_(capacity), held_(capacity) {}

void FirmwareRulesScheduler::insert(const Command& command) {
  commands_[command.tag.value] = &command;
  if (in_sweep(command)) {
    policy_->insert(command);
    return;
  }
  if (batch_ && continues(held_front_, command)) {
    held_.insert(command);
    held_front_.end = end_of(command);
    return;
  }
  aged_.insert(command);
  policy_->insert(command);
}

void FirmwareRulesScheduler::left(Tag tag) {
  const Command& command = *commands_[tag.value];
  aged_.remove(tag);
  if (!in_sweep(command)) passed(command);
}

void FirmwareRulesScheduler::remove(Tag tag) {
  left(tag);
  policy_->remove(tag);
  if (batch_due_)
    begin_batch();
  else if (batch_ && (aged_.empty() || aged_.oldest().sequence > batch_last_))
    end_batch();
}

void FirmwareRulesScheduler::withdraw(Tag tag) {
  if (std::any_of(held_.begin(), held_.end(), [tag](const Command* held) { return held->tag == tag; })) {
    held_.remove(tag);
    passed(*commands_[tag.value]);
    return;
  }
  left(tag);
  policy_->withdraw(tag);
}

void FirmwareRulesScheduler::passed(const Command& command) {
  if (!rules_.stream_first) return;
  const Front end{end_of(command), command.extent.write, true};
  if (continues(stream_, command)) {
    stream_ = end;
    return;
  }
  const auto before = std::find_if(ends_.begin(), ends_.end(), [&](const Front& front) { return continues(front, command); });
  if (before != ends_.end()) {
    stream_ = end;
    *before = {};
    return;
  }
  ends_[next_end_++ % ends_.size()] = end;
}

void FirmwareRulesScheduler::find_chain() {
  chain_.clear();
  if (!rules_.stream_first || !stream_.known) return;
  for (const Command* command : aged_)
    if (command->extent.write == stream_.write && command->extent.first.value >= stream_.end) chain_.push_back(command);
  std::sort(chain_.begin(), chain_.end(), [](const Command* a, const Command* b) {
    return a->extent.first != b->extent.first ? a->extent.first < b->extent.first : older(*a, *b);
  });
  Front front = stream_;
  std::size_t count = 0;
  for (const Command* command : chain_) {
    if (!continues(front, *command)) continue;  // it lies beyond the reach, or over the last one
    front.end = end_of(*command);
    chain_[count++] = command;
  }
  chain_.resize(count);
}

DecisionWork FirmwareRulesScheduler::work(const HeadState& head) {
  DecisionWork work = policy_->work(head);
  work.candidates += rules_.stream_first ? 2 : 1;  // the oldest command, and the stream's next one
  return work;
}

const Command* FirmwareRulesScheduler::first(Picoseconds now) {
  find_chain();
  const auto other = std::find_if(aged_.begin(), aged_.end(), [this](const Command* command) {
    return std::find(chain_.begin(), chain_.end(), command) == chain_.end();
  });
  if (other != aged_.end() && now - (*other)->arrival >= rules_.age_limit) {
    batch_due_ = rules_.stream_first && !batch_ && stream_.known;
    return *other;
  }
  return batch_ || chain_.empty() ? nullptr : chain_.front();
}

Decision FirmwareRulesScheduler::pick(const HeadState& head, Picoseconds now) {
  batch_due_ = false;
  Decision decision = policy_->pick(head, now);
  if (decision.forced) return decision;
  const Command* const preferred = first(now);
  if (preferred != nullptr && policy_->leaves_time(*preferred, head, now)) return Decision::serve(preferred->tag);
  batch_due_ = false;
  if (decision.kind != Decision::Kind::Idle) return decision;
  if (!held_.empty()) {
    end_batch();
    return Decision::again();
  }
  // A policy that waits is asked again when a command reaches the limit.
  if (!aged_.empty() && aged_.oldest().arrival + rules_.age_limit > now)
    decision.until = std::min(decision.until, aged_.oldest().arrival + rules_.age_limit);
  return decision;
}

void FirmwareRulesScheduler::begin_batch() {
  batch_due_ = false;
  held_front_ = stream_;
  find_chain();
  for (const Command* command : chain_) {
    held_front_.end = end_of(*command);
    aged_.remove(command->tag);
    policy_->withdraw(command->tag);
    held_.insert(*command);
  }
  if (aged_.empty()) {
    end_batch();
    return;
  }
  batch_ = true;
  batch_last_ = (*(aged_.end() - 1))->sequence;
}

void FirmwareRulesScheduler::end_batch() {
  batch_ = false;
  while (!held_.empty()) {
    const Command& command = held_.oldest();
    held_.remove(command.tag);
    aged_.insert(command);
    policy_->insert(command);
  }
}

}  // namespace platter::scheduling
