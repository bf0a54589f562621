// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/dispatcher.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace platter::drive {

using core::now_ps;

Dispatcher::Dispatcher(const sc_core::sc_module_name& name, engine::EngineIf& engine, ActuatorUnit& unit, Spindle& spindle,
                       const HostBus& bus, std::uint32_t tags, CacheManager* cache, mapping::PlacingIf* placing)
    : sc_module(name),
      engine_(engine),
      unit_(unit),
      spindle_(spindle),
      bus_(bus),
      cache_(cache),
      placing_(placing),
      entries_(tags),
      finds_streams_(cache != nullptr && cache->segments().reads_ahead() && cache->segments().hits_ahead()),
      decision_(core::Rank::Decision, [this] { settled(); }),
      wake_(core::Rank::Access, [this] { wake(); }) {
  waiting_.reserve(tags + (cache != nullptr ? cache->own_accesses() : 0));
  urgent_.reserve(tags);
  behind_.reserve(tags);
  engine_.bind_sink(*this);
  unit_.bind_sink(*this);
}

// --- commands -------------------------------------------------------------------------------------------------------

void Dispatcher::submit(QueueEntry& entry) {
  // A read-ahead stops for a command. The time until the actuator is free adds to the command's overhead, but only once: a command may come
  // back from the engine with another limit.
  const bool again = entry.stage == Stage::Queued || entry.stage == Stage::Leaving;
  if (!again && unit_.doing() == ControllerState::Idle && !take_arm()) entry.command.overhead_end += arm_free_ - now_ps();
  if (entry.stage != Stage::Queued) entry.enter(Stage::Queued);
  if (entry.head_of_queue()) {
    const auto younger = [](const QueueEntry* a, const QueueEntry* b) { return a->command.sequence < b->command.sequence; };
    urgent_.insert(std::upper_bound(urgent_.begin(), urgent_.end(), &entry, younger), &entry);
  } else {
    const bool follows = continues(entry);
    count(entry, 1);
    if (with_deadline_ > 0 && !behind_.empty()) regroup();
    if (follows)
      behind_.push_back(&entry);
    else
      enter(entry);
  }
  wake();
}

void Dispatcher::enter(QueueEntry& entry) {
  if (waiting_.empty() && enter_engine(entry)) return;
  const auto first_internal =
      std::find_if(waiting_.begin(), waiting_.end(), [](const QueueEntry* other) { return other->internal(); });
  waiting_.insert(entry.internal() ? waiting_.end() : first_internal, &entry);
}

bool Dispatcher::enter_engine(QueueEntry& entry) {
  std::size_t number = entry.tag.value;
  if (entry.internal() || entries_[number] != nullptr) {  // the highest free one; the host's start at the lowest
    number = entries_.size();
    while (number > 0 && entries_[number - 1] != nullptr) --number;
    if (number-- == 0) return false;
  }
  entry.command.tag = Tag(static_cast<std::uint16_t>(number));
  entries_[number] = &entry;
  engine_.insert(entry.command);
  preparation_changed();
  return true;
}

void Dispatcher::fill() {
  while (!waiting_.empty() && enter_engine(*waiting_.front())) waiting_.erase(waiting_.begin());
}

bool Dispatcher::withdraw(QueueEntry& entry) {
  if (!in_engine(entry)) {
    for (std::vector<QueueEntry*>* list : {&urgent_, &waiting_, &behind_})
      list->erase(std::remove(list->begin(), list->end(), &entry), list->end());
    if (!entry.head_of_queue()) count(entry, -1);
    return true;
  }
  if (!engine_.withdraw(entry.command)) {
    entry.enter(Stage::Leaving);
    return false;
  }
  free_entry(entry.command.tag);
  return true;
}

void Dispatcher::left(Tag tag) {
  QueueEntry* const entry = tag.value < entries_.size() ? entries_[tag.value] : nullptr;
  if (entry == nullptr || entry->stage != Stage::Leaving) stop("it has let go of a command that is not being withdrawn", tag);
  free_entry(tag);
  sink_->withdrawn(*entry);
}

void Dispatcher::free_entry(Tag tag) {
  count(*entries_[tag.value], -1);
  entries_[tag.value] = nullptr;
  preparation_changed();
  fill();
  wake();
}

QueueEntry* Dispatcher::waiting_read(core::Lba first) const {
  if (starts_[bucket(first.value)] == 0) return nullptr;
  QueueEntry* found = nullptr;
  const auto look = [&](QueueEntry* entry) {
    if (entry == nullptr || entry->internal() || entry->command.extent.write || entry->command.extent.first != first) return;
    if (entry->asked.fua || entry->buffered > 0 || entry->spans() || entry->stage != Stage::Queued) return;
    if (in_engine(*entry) && !engine_.withdraws_at_once(entry->command)) return;
    if (found == nullptr || entry->command.sequence < found->command.sequence) found = entry;
  };
  for (QueueEntry* entry : entries_) look(entry);
  for (QueueEntry* entry : waiting_) look(entry);
  for (QueueEntry* entry : behind_) look(entry);
  return found;
}

bool Dispatcher::follows_one(const QueueEntry& entry) const {
  const std::uint64_t first = entry.command.extent.first.value;
  const QueueEntry* const current = unit_.current();
  if (ends_[bucket(first)] == 0 && current == nullptr) return false;
  if (!cache_->reads_on() || entry.asked.fua || entry.command.deadline != core::kNoDeadline) return false;
  const auto precedes = [&](const QueueEntry* other) {
    // Blocks first, which nearly always differ.
    return other != nullptr && other->command.extent.first.value + other->command.extent.blocks == first &&
           !other->command.extent.write && other != &entry && other->command.cls == entry.command.cls &&
           other->command.deadline == core::kNoDeadline && other->command.high_priority >= entry.command.high_priority;
  };
  if (precedes(current)) return true;
  if (ends_[bucket(first)] == 0) return false;
  const auto any = [&](const auto& entries) { return std::any_of(entries.begin(), entries.end(), precedes); };
  return any(entries_) || any(waiting_) || any(behind_);
}

void Dispatcher::regroup() {
  for (std::size_t i = 0; i < behind_.size();) {
    QueueEntry& entry = *behind_[i];
    if (continues(entry)) {
      ++i;
    } else {
      behind_.erase(behind_.begin() + static_cast<std::ptrdiff_t>(i));
      enter(entry);
    }
  }
}

void Dispatcher::find_stream(core::Lba end, Picoseconds ended, std::uint32_t most, std::vector<QueueEntry*>& reads) const {
  reads.clear();
  if (!stream_may_wait(end)) return;
  std::uint64_t next = end.value;
  while (QueueEntry* const read = waiting_read(core::Lba(next))) {
    reads.push_back(read);
    next += read->command.extent.blocks;
  }
  if (reads.empty() || reads.size() == commands_) return;
  // Other commands wait.
  const auto beyond = std::find_if(reads.begin(), reads.end(), [&](const QueueEntry* read) {
    return read->command.arrival > ended || read->end() > end.value + most;
  });
  reads.erase(beyond, reads.end());
  const auto has_deadline = [](const QueueEntry* entry) {
    return entry != nullptr && entry->command.deadline != core::kNoDeadline;
  };
  const auto deadlines = [&](const auto& entries) { return std::count_if(entries.begin(), entries.end(), has_deadline); };
  if (deadlines(entries_) + deadlines(waiting_) > deadlines(reads)) reads.clear();
}

void Dispatcher::moved(const QueueEntry& entry) {
  if (in_engine(entry)) engine_.moved(entry.command);
}

void Dispatcher::completed(bool write) {
  unit_.arm().set_last_was_write(write);
  // The bus is occupied, and the overhead of the next command may have changed. At the end of an access no update is needed: the
  // next decision is requested at once.
  bus_changed();
}

bool Dispatcher::take_arm() {
  const Picoseconds now = now_ps();
  Picoseconds free = spindle_.at_speed(now);
  if (cache_ != nullptr) {
    const bool stands = free > now;
    free = std::max(free, cache_->free_arm(unit_, now));
    if (stands) cache_->access_begins(unit_);  // what the spindle's stop has ended cannot go on
  }
  if (free <= now) return true;
  arm_free_ = free;
  return false;
}

// --- decision requests ----------------------------------------------------------------------------------------------

void Dispatcher::wake() {
  if (unit_.doing() != ControllerState::Idle) return;
  const Picoseconds now = now_ps();
  if (arm_free_ > now) {
    prepare(now);
    wake_.at(arm_free_);
  } else {
    decision_.now();
  }
}

void Dispatcher::settled() {
  if (unit_.doing() != ControllerState::Idle)
    ask(false);
  else if (arm_free_ > now_ps())
    wake();
  else
    ask(arm_free_ < now_ps());
}

void Dispatcher::ask(bool at_rest) {
  if (!has_work()) {
    unit_.enter(ControllerState::Idle);
    return;
  }
  if (!take_arm()) {
    unit_.enter(ControllerState::Idle);
    wake();
    return;
  }
  const Picoseconds now = now_ps();
  mechanics::HeadState head = unit_.state();
  head.bus_free = std::max(bus_.sent(), now);
  question_ = {at_rest, now, head};
  unit_.enter(ControllerState::Decide);
  if (!urgent_.empty()) {
    QueueEntry& entry = *urgent_.back();
    urgent_.pop_back();
    const Decision first = Decision::serve(entry.command.tag);
    report(first, &entry, now);
    serve(entry, first, now);
    return;
  }
  engine_.decide(head, now);
}

void Dispatcher::prepare(Picoseconds now) {
  const Picoseconds access_end = unit_.times().end;
  const Picoseconds when = access_end > now ? access_end : arm_free_;
  if (when <= now) return;
  mechanics::HeadState at = unit_.state();
  at.bus_free = bus_.sent();
  if (const QueueEntry* current = unit_.current(); access_end > now && current != nullptr) {
    const mechanics::Extent& extent = current->command.extent;
    at.cylinder = unit_.end_place().cylinder;
    at.head = unit_.end_place().head;
    if (!current->internal()) at.last_was_write = extent.write;
    if (!extent.write && !extent.inside) at.bus_free = bus_.sent_after(extent.blocks, unit_.times().bus_finish);
  }
  at.bus_free = std::max(at.bus_free, when);  // a bus that is free earlier makes no difference
  engine_.prepare(at, when);
  preparation_changed();
}

// --- decisions ------------------------------------------------------------------------------------------------------

void Dispatcher::report_violation(const Decision& decision, bool waits, Picoseconds effective) const {
  const char* const wrong = unit_.doing() != ControllerState::Decide ? "it has answered without being asked"
                            : !waits                                 ? "it has picked a tag that no command in it has"
                            : effective < now_ps()                   ? "its decision takes effect in the past"
                                                                     : "it has answered with Again, which is for policies";
  stop(wrong, decision.tag);
}

void Dispatcher::stop(const char* wrong, Tag tag) const {
  throw std::logic_error("the engine of " + std::string(name()) + ": " + wrong + " (tag " + std::to_string(tag.value) +
                         ", at " + std::to_string(now_ps()) + " ps)");
}

void Dispatcher::decided(const Decision& decision, Picoseconds effective) {
  check(decision, effective);
  if (question_.at_rest) {
    ++stalls_.idle_decisions;
  } else if (effective > question_.asked) {
    ++stalls_.stalls;
    stalls_.stall += effective - question_.asked;
  }
  preparation_changed();
  const bool serves = decision.kind == Decision::Kind::Serve || decision.kind == Decision::Kind::Write;
  report(decision, serves ? entries_[decision.tag.value] : nullptr, effective);
  switch (decision.kind) {
    case Decision::Kind::Again:  // refused above
    case Decision::Kind::Idle:
      unit_.enter(ControllerState::Idle);
      if (!urgent_.empty()) wake();
      if (decision.until != core::kNoDeadline) wake_.at(std::max(decision.until, now_ps()));
      return;
    case Decision::Kind::Move:
      unit_.begin(effective);
      if (cache_ != nullptr) cache_->access_begins(unit_);
      unit_.move(decision.cylinder);
      prepare(effective);
      unit_.start();
      return;
    case Decision::Kind::Serve:
    case Decision::Kind::Write: {
      QueueEntry& entry = *entries_[decision.tag.value];
      count(entry, -1);
      entries_[decision.tag.value] = nullptr;
      fill();
      serve(entry, decision, effective);
      return;
    }
  }
}

void Dispatcher::tell(const Decision& decision, const QueueEntry* chosen, Picoseconds effective) const {
  const std::vector<const QueueEntry*> engine(entries_.begin(), entries_.end());
  const DecisionReport report{question_.asked, effective, unit_.number(), question_.head, decision, chosen, engine};
  decision_probes_->tell([&](DecisionProbeIf& probe) { probe.decided(report); });
}

void Dispatcher::serve(QueueEntry& entry, const Decision& decision, Picoseconds effective) {
  unit_.begin(effective);
  if (!sink_->served_meanwhile(entry, effective)) {
    if (decision.kind == Decision::Kind::Write)
      entry.command.extent = placing_->aim(entry.walk, decision.place, decision.hidden);
    if (cache_ != nullptr) cache_->access_begins(unit_);
    unit_.serve(entry);
    prepare(effective);
  }
  unit_.start();
}

void Dispatcher::access_ended(QueueEntry* entry) {
  if (entry != nullptr) sink_->accessed(*entry);
  if (!behind_.empty()) regroup();
  if (!has_work())
    unit_.enter(ControllerState::Idle);
  else if (decision_.quiet())
    ask(false);
  else
    decision_.now();  // a host that has received a response at this time may send its next command at this time
}

void Dispatcher::halt() {
  wake_.cancel();
  decision_.cancel();
  engine_.reset();
  std::fill(entries_.begin(), entries_.end(), nullptr);
  waiting_.clear();
  urgent_.clear();
  behind_.clear();
  commands_ = with_deadline_ = 0;
  starts_.fill(0);
  ends_.fill(0);
  question_.at_rest = true;
  arm_free_ = -1;
  unit_.halt();
  unit_.enter(ControllerState::Idle);
  preparation_changed();
}

}  // namespace platter::drive
