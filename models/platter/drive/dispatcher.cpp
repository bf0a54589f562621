// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/dispatcher.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::now_ps;
using core::to_sc_time;

Dispatcher::Dispatcher(const sc_core::sc_module_name& name, engine::EngineIf& engine, ActuatorUnit& unit, const HostBus& bus,
                       std::uint32_t tags, CacheManager* cache, mapping::MappingIf& mapping)
    : sc_module(name),
      engine_(engine),
      unit_(unit),
      bus_(bus),
      cache_(cache),
      mapping_(mapping),
      entries_(tags),
      end_of_instant_("end_of_instant", [this] { settled(); }) {
  waiting_.reserve(tags + (cache != nullptr ? cache->own_accesses() : 0));
  urgent_.reserve(tags);
  engine_.bind_sink(*this);
  unit_.bind_sink(*this);
  SC_METHOD(wake);
  sensitive << wake_event_;
  dont_initialize();
}

// --- commands --------------------------------------------------------------------------------------------------------

void Dispatcher::submit(Slot& slot) {
  // A read-ahead gives way at once; the two delays, until the arm is free and of the command, add up.
  if (unit_.doing() == ControllerState::Idle && !take_arm()) slot.command.overhead_end += arm_free_ - now_ps();
  slot.enter(Stage::Queued);
  if (slot.head_of_queue()) {
    urgent_.push_back(&slot);
  } else if (!waiting_.empty() || !enter_engine(slot)) {
    const auto first_own = std::find_if(waiting_.begin(), waiting_.end(), [](const Slot* other) { return other->own(); });
    waiting_.insert(slot.own() ? waiting_.end() : first_own, &slot);
  }
  wake();
}

bool Dispatcher::enter_engine(Slot& slot) {
  std::size_t entry = slot.tag.value;
  if (slot.own() || entries_[entry] != nullptr) {  // the highest free one: the host takes tags from below
    entry = entries_.size();
    while (entry > 0 && entries_[entry - 1] != nullptr) --entry;
    if (entry-- == 0) return false;
  }
  slot.command.tag = Tag(static_cast<std::uint16_t>(entry));
  entries_[entry] = &slot;
  engine_.insert(slot.command);
  preparation_changed();
  return true;
}

void Dispatcher::fill() {
  while (!waiting_.empty() && enter_engine(*waiting_.front())) waiting_.erase(waiting_.begin());
}

bool Dispatcher::withdraw(Slot& slot) {
  if (!in_engine(slot)) {
    std::vector<Slot*>& list = slot.head_of_queue() ? urgent_ : waiting_;
    list.erase(std::find(list.begin(), list.end(), &slot));
    return true;
  }
  if (!engine_.withdraw(slot.command)) {
    slot.enter(Stage::Leaving);
    return false;
  }
  free_entry(slot.command.tag);
  return true;
}

void Dispatcher::left(Tag tag) {
  Slot& slot = *entries_[tag.value];
  free_entry(tag);
  sink_->withdrawn(slot);
}

void Dispatcher::free_entry(Tag tag) {
  entries_[tag.value] = nullptr;
  preparation_changed();
  fill();
  wake();
}

void Dispatcher::moved(const Slot& slot) {
  if (in_engine(slot)) engine_.moved(slot.command);
}

void Dispatcher::completed(bool write) {
  unit_.arm().set_last_was_write(write);
  // Its data is on the bus, and the next command's overhead may be another one. (At the end of an access the next question comes
  // now.)
  if (unit_.busy() || unit_.doing() == ControllerState::Idle) prepare(now_ps());
}

bool Dispatcher::take_arm() {
  if (cache_ == nullptr) return true;
  const Picoseconds now = now_ps();
  const Picoseconds free = cache_->free_arm(unit_, now);
  if (free <= now) return true;
  arm_free_ = free;
  return false;
}

// --- questions -------------------------------------------------------------------------------------------------------

void Dispatcher::wake() {
  if (unit_.doing() != ControllerState::Idle) return;
  const Picoseconds now = now_ps();
  if (arm_free_ > now) {
    prepare(now);
    wake_event_.notify(to_sc_time(arm_free_ - now));
  } else {
    end_of_instant_.ask();
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
  question_ = {at_rest, now};
  unit_.enter(ControllerState::Decide);
  if (!urgent_.empty()) {
    Slot& slot = *urgent_.back();
    urgent_.pop_back();
    serve(slot, now);
    return;
  }
  mechanics::HeadState head = unit_.state();
  head.bus_free = std::max(bus_.sent(), now);
  engine_.decide(head, now);
}

void Dispatcher::prepare(Picoseconds now) {
  const Picoseconds access_end = unit_.times().end;
  const Picoseconds when = access_end > now ? access_end : arm_free_;
  if (when <= now) return;
  mechanics::HeadState at = unit_.state();
  at.bus_free = bus_.sent();
  if (const Slot* current = unit_.current(); access_end > now && current != nullptr) {
    const mechanics::Extent& extent = current->command.extent;
    at.cylinder = extent.end_cylinder;
    at.head = extent.end_head;
    if (!current->own()) at.last_was_write = extent.write;
    if (!extent.write) at.bus_free = bus_.sent_after(extent.blocks, unit_.times().bus_finish);
  }
  at.bus_free = std::max(at.bus_free, when);  // a bus that is free sooner makes no difference
  engine_.prepare(at, when);
  preparation_changed();
}

// --- answers ---------------------------------------------------------------------------------------------------------

void Dispatcher::decided(const Decision& decision, Picoseconds effective) {
  if (question_.at_rest) {
    ++stalls_.idle_decisions;
  } else if (effective > question_.asked) {
    ++stalls_.stalls;
    stalls_.stall += effective - question_.asked;
  }
  preparation_changed();
  switch (decision.kind) {
    case Decision::Kind::Again:  // no engine says so to the drive
    case Decision::Kind::Idle:
      unit_.enter(ControllerState::Idle);
      if (!urgent_.empty()) wake();
      if (decision.until != core::kNoDeadline)
        wake_event_.notify(to_sc_time(std::max<Picoseconds>(decision.until - now_ps(), 0)));
      return;
    case Decision::Kind::Move:
      unit_.begin(effective);
      unit_.move(decision.cylinder);
      prepare(effective);
      unit_.start();
      return;
    case Decision::Kind::Serve:
    case Decision::Kind::Write: {
      Slot& slot = *entries_[decision.tag.value];
      entries_[decision.tag.value] = nullptr;
      fill();
      if (decision.kind == Decision::Kind::Write)
        slot.command.extent = mapping_.aim(slot.walk, decision.place, decision.hidden);
      serve(slot, effective);
      return;
    }
  }
}

void Dispatcher::serve(Slot& slot, Picoseconds effective) {
  unit_.begin(effective);
  if (!sink_->served_meanwhile(slot, effective)) {
    unit_.serve(slot);
    prepare(effective);
  }
  unit_.start();
}

void Dispatcher::access_ended(Slot* slot) {
  if (slot != nullptr) sink_->accessed(*slot);
  if (!has_work())
    unit_.enter(ControllerState::Idle);
  else if (core::EndOfInstant::now())
    ask(false);
  else
    end_of_instant_.ask();  // a host that has been answered now may replace the command now
}

void Dispatcher::halt() {
  wake_event_.cancel();
  end_of_instant_.cancel();
  engine_.reset();
  std::fill(entries_.begin(), entries_.end(), nullptr);
  waiting_.clear();
  urgent_.clear();
  question_.at_rest = true;
  arm_free_ = -1;
  unit_.halt();
  unit_.enter(ControllerState::Idle);
  preparation_changed();
}

}  // namespace platter::drive
