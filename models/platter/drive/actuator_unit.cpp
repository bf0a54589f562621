// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/actuator_unit.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::now_ps;

namespace {

std::uint32_t distance(core::Cylinder from, core::Cylinder to) {
  return from > to ? from.value - to.value : to.value - from.value;
}

}  // namespace

ActuatorUnit::ActuatorUnit(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, std::uint64_t seed,
                           std::uint32_t number)
    : sc_module(name),
      planner_(planner),
      number_(number),
      arm_(core::Head(number * planner.geometry().actuator_surfaces())),
      step_(core::Rank::Access, [this] { next_phase(); }) {
  if (planner.arrival_spread().any()) draws_.emplace(seed, "arrival");
}

void ActuatorUnit::add_phase(ControllerState state, Picoseconds duration) {
  if (duration > 0) phases_.all[phases_.count++] = {state, duration};
}

void ActuatorUnit::begin(Picoseconds effective) {
  phases_.count = phases_.next = 0;
  busy_.on = true;
  busy_.since = effective;
  current_ = nullptr;
  add_phase(ControllerState::Decide, effective - now_ps());
}

void ActuatorUnit::move(core::Cylinder cylinder) {
  mechanics::HeadState target = arm_.state();
  const core::Cylinder from = target.cylinder;
  target.cylinder = cylinder;
  Picoseconds seek = 0;
  Picoseconds settle = 0;
  planner_.move(from, target.head, target.cylinder, target.head, false, seek, settle);
  if (energy_ != nullptr) energy_->move(now_ps(), busy_.since, distance(from, cylinder), seek);
  arm_.travel(target, busy_.since, seek);
  add_phase(ControllerState::Seek, seek);
  times_.end = busy_.since + seek;
}

void ActuatorUnit::serve(QueueEntry& entry) {
  const mechanics::Extent& extent = entry.command.extent;
  const Picoseconds effective = busy_.since;
  entry.enter(Stage::Access);
  current_ = &entry;
  ++accesses_;
  const Command& command = entry.command;
  mechanics::HeadState head = arm_.state();  // `commit` moves it to the access's end
  mechanics::CommittedAccess time =
      planner_.commit(head, extent, effective, command.data_ready, command.overhead_end, draws_ ? &*draws_ : nullptr);
  end_place_ = head;
  command::CommandTiming& timing = entry.result.timing;
  if (entry.accesses++ == 0) {
    timing.started = effective;
    timing.overhead = timing.seek = timing.settle = timing.rotation = timing.transfer = timing.bus = 0;
    timing.missed = timing.gained = 0;
    timing.missed_by = 0;
    timing.recovery = 0;
    timing.retry_turns = 0;
    timing.reallocated = false;
  }
  times_.retry = 0;
  if (__builtin_expect(recovery_ != nullptr && recovery_->on(), 0)) recover(entry, time, effective);
  if (draws_) count_arrival(entry, time);
  timing.queue = 0;
  timing.queue = effective - timing.issued - timing.parts();  // all time that no access of the command has taken
  timing.overhead += time.overhead;
  timing.seek += time.seek;
  timing.settle += time.settle;
  timing.rotation += time.rotation;
  timing.transfer += time.transfer;
  timing.bus += time.data_wait;
  times_.media_start = effective + time.positioning();
  times_.media_end = times_.media_start + time.media;
  times_.bus_finish = times_.media_start + time.bus_finish;
  times_.rotation = time.rotation;
  times_.early = time.early;
  times_.end = effective + time.total();
  if (waits_ != nullptr)
    waits_->access(arm_.state(), extent, effective + time.overhead, times_.media_start - time.rotation, time.rotation);
  if (energy_ != nullptr)
    energy_->access(now_ps(), effective, distance(arm_.state().cylinder, extent.cylinder), time, extent.write);
  arm_.travel({extent.cylinder, extent.head, arm_.state().last_was_write, 0}, effective + time.overhead, time.seek);
  add_phase(ControllerState::Overhead, time.overhead);
  // A drive with a negative write settle starts writing while the arm still settles: it shortens the seek.
  add_phase(ControllerState::Seek, time.seek + std::min<Picoseconds>(time.settle, 0));
  add_phase(ControllerState::Settle, std::max<Picoseconds>(time.settle, 0) + time.data_wait);
  add_phase(time.missed > 0 ? ControllerState::Missed : ControllerState::Rotate, time.rotation);
  if (times_.retry > 0) {
    add_phase(ControllerState::Transfer, times_.retry_begin - times_.media_start);
    add_phase(ControllerState::Retry, times_.retry);
    add_phase(ControllerState::Transfer, times_.end - times_.retry_begin - times_.retry);
  } else {
    add_phase(ControllerState::Transfer, time.transfer);
  }
  if (watched()) tell_access(entry);
}

void ActuatorUnit::recover(QueueEntry& entry, mechanics::CommittedAccess& time, Picoseconds effective) {
  const Recovery::Outcome& met = recovery_->climb(entry, time, effective);
  if (!met.any) return;
  times_.retry_begin = effective + time.positioning() + met.begin;
  times_.retry = met.time;
  if (met.moves) end_place_ = met.end;
}

void ActuatorUnit::count_arrival(QueueEntry& entry, const mechanics::CommittedAccess& access) {
  arrivals_.of[core::index_of(entry.command.cls)][entry.command.extent.write].add(access.missed);
  command::CommandTiming& timing = entry.result.timing;
  if (access.missed > 0) {
    timing.missed += static_cast<std::uint32_t>(access.missed);
    timing.missed_by = access.behind;
  } else {
    timing.gained += static_cast<std::uint32_t>(-access.missed);
  }
}

void ActuatorUnit::start() {
  if (!watched() || phases_.count == 0) {
    Picoseconds total = 0;
    for (std::size_t i = 0; i < phases_.count; ++i) total += phases_.all[i].duration;
    phases_.next = phases_.count;
    if (phases_.count > 0) enter(ControllerState::Transfer);
    step_.in(total);
  } else {
    next_phase();
  }
}

void ActuatorUnit::preparation_changed(Picoseconds from) {
  probes_->tell([&](ProbeIf& probe) { probe.prepared(now_ps(), number_, from); });
}

void ActuatorUnit::tell_state() const {
  const Picoseconds now = now_ps();
  const ActuatorReport report{now, number_, doing_, arm_.cylinder_at(now), arm_.state().head.value, current_tag()};
  probes_->tell([&](ProbeIf& probe) { probe.entered(report); });
}

void ActuatorUnit::tell_access(const QueueEntry& entry) const {
  const AccessReport report{now_ps(),
                            busy_.since,
                            number_,
                            entry.command.tag.value,
                            entry.command.cls,
                            entry.command.deadline,
                            entry.command.extent.write,
                            entry.command.extent.first,
                            entry.command.extent.blocks,
                            entry.result.timing};
  probes_->tell([&](ProbeIf& probe) { probe.started(report); });
}

void ActuatorUnit::next_phase() {
  if (phases_.next == phases_.count) {
    finish();
    return;
  }
  const Phase& phase = phases_.all[phases_.next++];
  enter(phase.state);
  step_.in(phase.duration);
}

void ActuatorUnit::finish() {
  const Picoseconds now = now_ps();
  if (now > busy_.since) busy_.sum += now - busy_.since;
  busy_.on = false;
  QueueEntry* const entry = current_;
  current_ = nullptr;
  if (entry != nullptr) {
    mechanics::HeadState end = end_place_;
    end.last_was_write = arm_.state().last_was_write;
    arm_.follow(end);
  }
  sink_->access_ended(entry);
}

void ActuatorUnit::tear(WrittenBlocks& written, std::uint32_t from, std::uint32_t block, Picoseconds passed) const {
  const mechanics::Extent& extent = current_->command.extent;
  const std::uint32_t whole = planner_.geometry().blocks_per_physical_sector();
  const std::uint64_t first = (extent.first.value + block) / whole * whole;
  // The drive may end within its last one.
  const auto there = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, planner_.geometry().block_count() - first));
  const Picoseconds sector = planner_.resolve(core::Lba(first), there, false).media * Picoseconds{whole} / Picoseconds{there};
  const Picoseconds end = planner_.written_after(extent, from, block + 1 - from);
  if (passed + sector < end) return;
  written.torn = block;
  const double left = static_cast<double>(end - passed) / (static_cast<double>(sector) / whole);
  written.torn_share = std::clamp(1 - left, 0.0, 1.0);
}

WrittenBlocks ActuatorUnit::written(Picoseconds now) const {
  const mechanics::Extent& extent = current_->command.extent;
  Picoseconds passed = now - times_.media_start;
  if (times_.retry > 0 && now > times_.retry_begin)  // what was written before the recovery is written
    passed = std::max(times_.retry_begin, now - times_.retry) - times_.media_start;
  WrittenBlocks written;
  if (passed < 0) return written;
  // The end of a run of blocks [from, ...) within [from, end), `time` after the first sector of the run passed the head.
  const auto reached = [&](std::uint32_t from, std::uint32_t end, Picoseconds time) {
    std::uint32_t low = from;
    while (low < end) {
      const std::uint32_t middle = low + (end - low + 1) / 2;
      if (planner_.written_after(extent, from, middle - from) <= time)
        low = middle;
      else
        end = middle - 1;
    }
    return low;
  };
  if (times_.early == 0) {
    written.first.end = reached(0, extent.blocks, passed);
    if (written.first.end < extent.blocks) tear(written, 0, written.first.end, passed);
    return written;
  }
  // The access began this many sectors after its first one (AccessPlanner::plan).
  const Picoseconds skipped = (planner_.rotation().period() - times_.early) / (extent.media / extent.sectors);
  const auto middle = static_cast<std::uint32_t>(std::min<Picoseconds>(skipped, extent.blocks));
  written.second = {middle, reached(middle, extent.blocks, passed)};
  if (written.second.end < extent.blocks) {
    tear(written, middle, written.second.end, passed);
  } else if (passed >= times_.early) {
    written.first.end = reached(0, middle, passed - times_.early);
    if (written.first.end < middle) tear(written, 0, written.first.end, passed - times_.early);
  }
  return written;
}

void ActuatorUnit::halt() {
  const Picoseconds now = now_ps();
  busy_.sum = busy(now);
  busy_.on = false;
  current_ = nullptr;
  phases_.count = phases_.next = 0;
  step_.cancel();
  times_.end = 0;
  if (recovery_ != nullptr) recovery_->halt();
  arm_.park(now);
}

}  // namespace platter::drive
