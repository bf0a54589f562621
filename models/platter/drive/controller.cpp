// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/controller.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using buffer::Hit;
using core::now_ps;
using core::to_sc_time;

namespace {

Picoseconds microseconds(double time) { return core::to_picoseconds(time, core::kPicosecondsPerMicrosecond); }

/// Accesses of its own that a drive may have in the queue at once.
std::uint32_t own_commands(const mechanics::DriveProfile& profile) {
  if (profile.cache.segments == 0) return 0;
  switch (profile.cache.write_back) {
    case mechanics::WriteBack::Off: return 0;
    case mechanics::WriteBack::Append: return 1;
    case mechanics::WriteBack::Interleaved: return std::min(profile.cache.write_segments, profile.cache.segments);
  }
  return 0;
}

}  // namespace

Controller::Controller(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
                       const mechanics::DriveProfile& profile, CommandQueue& queue, Actuator& actuator,
                       ReadWriteChannel& channel, EngineIf& engine, BlockTranslation* translation)
    : sc_module(name),
      planner_(planner),
      queue_(queue),
      actuator_(actuator),
      channel_(channel),
      engine_(engine),
      translation_(translation),
      preparation_(microseconds(profile.bus_preparation_us)),
      read_completion_(microseconds(profile.bus_read_completion_us)),
      write_completion_(microseconds(profile.bus_reselect_us + profile.bus_write_completion_us)),
      cached_completion_(microseconds(profile.bus_write_completion_us)),
      write_watermark_(std::max<std::uint32_t>(1, profile.bus_write_watermark_blocks)),
      buffer_(profile.cache.segments > 0 ? std::make_unique<buffer::SegmentBuffer>(planner, profile.cache) : nullptr),
      destages_(own_commands(profile)),
      end_of_instant_("end_of_instant", [this] { settled(); }) {
  entries_.resize(queue.depth());
  waiting_.reserve(queue.depth() + destages_.size());
  released_.reserve(queue.depth());
  held_.reserve(queue.depth());
  retried_.reserve(queue.depth());
  urgent_.reserve(queue.depth());
  engine_.bind_sink(*this);
  SC_METHOD(wake);
  sensitive << arrival_event_;
  dont_initialize();
  SC_METHOD(step);
  sensitive << step_event_;
  dont_initialize();
}

// --- arrival ---------------------------------------------------------------------------------------------------------

void Controller::arrived(Slot& slot) {
  const mechanics::Extent& extent = slot.command.extent;
  slot.command.overhead_end =
      now_ps() + planner_.command_overhead(extent.write, actuator_.state().last_was_write);
  // A write that the buffer may take sends its data when it is taken.
  if (extent.write && !(buffer_ != nullptr && buffer_->write_back() && !slot.asked.fua))
    receive(slot, slot.command.overhead_end);
}

void Controller::receive(Slot& slot, Picoseconds begin) {
  const mechanics::Extent& extent = slot.command.extent;
  const Picoseconds block_time = planner_.bus_block_time(true);
  slot.data_end = channel_.receive(extent.blocks, begin + preparation_);
  // The first sector may be written as soon as no later one will have to wait for its block.
  const Picoseconds first = slot.data_end - block_time * Picoseconds{extent.blocks};
  slot.command.data_ready =
      first + std::max(extent.data_lead, block_time * Picoseconds{std::min(extent.blocks, write_watermark_)});
  if (translation_ != nullptr) slot.command.data_ready = slot.data_end;  // wherever it goes
  slot.received = true;
}

void Controller::ready(Slot& slot) {
  if (slot.asked.flush()) {  // nothing older is left to reach the media but what the buffer holds
    if (buffer_ != nullptr && buffer_->any_dirty()) {
      flushes_.push_back(slot.tag);
      return;
    }
    slot.result.timing.started = now_ps();
    slot.result.timing.queue = slot.result.timing.started - slot.result.timing.issued;
    answer(slot, slot.result.timing.started);
    release_waiting(slot);
    return;
  }
  if (buffer_ != nullptr) {
    const mechanics::Extent& extent = slot.command.extent;
    if (extent.write) {
      const bool caches = buffer_->write_back() && !slot.asked.fua && extent.blocks <= buffer_->segment_blocks();
      if (caches && cache_write(slot)) return;
      if (caches || over_dirty(slot)) {
        held_.push_back(slot.tag);
        return;
      }
      if (!slot.received)
        receive(slot, std::max(slot.command.overhead_end, now_ps()));
      buffer_->invalidate(extent.first, extent.blocks);
    } else if (slot.asked.fua) {
      if (over_dirty(slot)) {
        held_.push_back(slot.tag);
        return;
      }
    } else if (serve_from_buffer(slot, now_ps())) {
      return;
    }
  }
  if (translation_ != nullptr) translation_->begin(slot);
  submit(slot);
}

void Controller::submit(Slot& slot) {
  // A read-ahead gives way at once; the two delays, until the arm is free and of the command, add up.
  if (state_ == ControllerState::Idle && !stop_read_ahead()) slot.command.overhead_end += arm_free_ - now_ps();
  slot.in_engine = true;
  if (slot.head_of_queue()) {
    urgent_.push_back(slot.tag);
  } else if (!waiting_.empty() || !enter_engine(slot)) {
    const auto first_own = std::find_if(waiting_.begin(), waiting_.end(), [](const Slot* other) { return other->own; });
    waiting_.insert(slot.own ? waiting_.end() : first_own, &slot);
  }
  wake();
}

bool Controller::enter_engine(Slot& slot) {
  std::size_t entry = slot.tag.value;
  if (slot.own || entries_[entry] != nullptr) {  // the highest free one: the host takes tags from below
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

bool Controller::stop_read_ahead() {
  if (buffer_ == nullptr) return true;
  const Picoseconds now = now_ps();
  mechanics::HeadState place = actuator_.state();
  const Picoseconds free = buffer_->stop(now, place);
  if (place.cylinder != actuator_.state().cylinder || place.head != actuator_.state().head) actuator_.follow(place);
  if (free <= now) return true;
  arm_free_ = free;
  return false;
}

void Controller::wake() {
  if (state_ != ControllerState::Idle) return;
  const Picoseconds now = now_ps();
  if (arm_free_ > now) {
    prepare(now);
    arrival_event_.notify(to_sc_time(arm_free_ - now));
  } else {
    end_of_instant_.ask();
  }
}

void Controller::settled() {
  if (state_ != ControllerState::Idle)
    ask(false);
  else if (arm_free_ > now_ps())
    wake();
  else
    ask(arm_free_ < now_ps());
}

// --- loss of power ---------------------------------------------------------------------------------------------------

void Controller::halt() {
  const Picoseconds now = now_ps();
  busy_ = busy(now);
  mechanics_busy_ = false;
  current_ = nullptr;
  phase_count_ = phase_ = 0;
  step_event_.cancel();
  arrival_event_.cancel();
  end_of_instant_.cancel();
  engine_.reset();
  std::fill(entries_.begin(), entries_.end(), nullptr);
  waiting_.clear();
  held_.clear();
  flushes_.clear();
  urgent_.clear();
  for (Destage& destage : destages_) destage.slot.used = false;
  if (buffer_ != nullptr) buffer_->clear();
  channel_.reset();
  actuator_.travel({}, now, 0);
  at_rest_ = true;
  access_end_ = last_answer_ = write_answer_ = ordered_answer_ = 0;
  arm_free_ = -1;
  previous_end_ = core::Lba(~std::uint64_t{0});
  enter(ControllerState::Idle);
  preparation_changed();
}

// --- the buffer ------------------------------------------------------------------------------------------------------

bool Controller::serve_from_buffer(Slot& slot, Picoseconds now) {
  const mechanics::Extent& extent = slot.command.extent;
  const Hit hit = buffer_->find(extent.first, extent.blocks, now);
  if (hit.kind == Hit::Kind::Miss) return false;
  const Picoseconds overhead = planner_.read_hit_overhead(actuator_.state().last_was_write);
  const Picoseconds begin = (slot.in_engine ? std::max(now, slot.command.overhead_end) : now + overhead) + preparation_;
  if (hit.kind == Hit::Kind::Partial) {
    if (slot.in_engine) return false;  // it was resolved as a whole
    ++cache_statistics_.partial_hits;
    buffer_->use(hit, extent.first, hit.blocks);
    channel_.send_buffered(hit.blocks, begin);
    slot.buffered = hit.blocks;
    slot.hit = hit;
    slot.command.extent = planner_.resolve(core::Lba(extent.first.value + hit.blocks), extent.blocks - hit.blocks, false, true);
    return false;
  }
  ++cache_statistics_.read_hits;
  const Picoseconds bus_start =
      buffer_->bus_start(hit, extent.first, extent.blocks, planner_.bus_block_time(false), begin);
  buffer_->use(hit, extent.first, extent.blocks);
  slot.result.timing.started = now;
  slot.result.timing.queue = now - slot.result.timing.issued;
  slot.result.timing.overhead = begin - preparation_ - now;
  Picoseconds done = channel_.send_buffered(extent.blocks, bus_start) + read_completion_;
  deliver_bytes(slot, done);
  slot.result.timing.bus = done - now - slot.result.timing.overhead;
  if (state_ == ControllerState::Idle && engine_.empty() && urgent_.empty() && buffer_->read_ahead_on_hit() &&
      buffer_->reads_ahead(extent.first, previous_end_) && !buffer_->reading_ahead(now)) {
    const core::Lba next = buffer_->end_of(hit.segment);
    // The arm stands where the last read-ahead has left it.
    if (next.value < planner_.geometry().block_count() && !buffer_->any_dirty() && stop_read_ahead())
      buffer_->start_read_ahead(hit.segment, extent.first, extent.blocks, actuator_.state(),
                                now + planner_.command_overhead(false, actuator_.state().last_was_write), true);
  }
  complete(slot, done);
  release_waiting(slot);
  return true;
}

void Controller::deliver_bytes(Slot& slot, Picoseconds& done) {
  if (translation_ != nullptr)
    translation_->read_bytes(slot);
  else
    channel_.move_bytes(slot);
  tlm::tlm_generic_payload& payload = *slot.payload;
  if (buffer_ != nullptr && payload.get_data_ptr() != nullptr)
    buffer_->for_each_dirty(core::Lba(slot.first()), static_cast<std::uint32_t>(slot.end() - slot.first()),
                            [&](core::Lba from, core::Lba to) {
                              channel_.overlay_buffered(payload.get_address(), payload.get_data_ptr(),
                                                        payload.get_data_length(), from, to);
                            });
  for (const Slot* older : queue_.buffered_writes(slot)) {
    Slot& write = queue_.slot(older->tag);
    channel_.overlay_bytes(slot, write);
    // The read's last block of it must have crossed the bus.
    if (!write.received) receive(write, std::max(write.command.overhead_end, now_ps()));
    const std::uint64_t behind = write.end() - std::min(write.end(), slot.end());
    done = std::max(done, write.data_end - planner_.bus_block_time(true) * static_cast<Picoseconds>(behind));
  }
}

bool Controller::cache_write(Slot& slot) {
  const mechanics::Extent& extent = slot.command.extent;
  if (!buffer_->accept_write(extent.first, extent.blocks)) return false;
  ++cache_statistics_.cached_writes;
  const Picoseconds now = now_ps();
  const Picoseconds begin = std::max(now, slot.command.overhead_end);
  if (!slot.received) receive(slot, begin);
  channel_.buffer_bytes(slot);
  slot.result.timing.started = now;
  slot.result.timing.queue = now - slot.result.timing.issued;
  slot.result.timing.overhead = begin - now;
  const Picoseconds done = std::max(begin, slot.data_end) + cached_completion_;
  slot.result.timing.bus = done - begin;
  complete(slot, done);
  submit_destages(slot.command.data_ready);
  release_waiting(slot);
  return true;
}

void Controller::submit_destages(Picoseconds data_ready) {
  buffer::DirtyBlocks blocks{};
  for (Destage& destage : destages_) {
    if (destage.slot.used) continue;
    if (!buffer_->next_destage(blocks)) return;
    destage.blocks = blocks;
    destage.slot = Slot{};
    destage.slot.used = true;
    destage.slot.own = true;
    destage.slot.command.sequence = queue_.next_sequence();
    destage.slot.command.arrival = now_ps();
    destage.slot.command.cls = core::RequestClass::Background;
    destage.slot.command.extent = planner_.resolve(blocks.first, blocks.blocks, true);
    destage.slot.command.data_ready = data_ready;
    destage.slot.result.timing.issued = now_ps();
    destage.slot.command.overhead_end =
        now_ps() + planner_.command_overhead(true, actuator_.state().last_was_write);
    submit(destage.slot);
  }
}

void Controller::retry_held() {
  if (held_.empty()) return;
  retried_.swap(held_);  // what must wait on goes back to the list, in order; the two change places and keep their memory
  for (const Tag tag : retried_) ready(queue_.slot(tag));
  retried_.clear();
}

void Controller::complete(Slot& slot, Picoseconds done) {
  actuator_.set_last_was_write(slot.command.extent.write);
  previous_end_ = core::Lba(slot.command.extent.first.value + slot.command.extent.blocks);
  // Its data is on the bus, and the next command's overhead may be another one. (At the end of an access the next question comes
  // now.)
  if (mechanics_busy_ || state_ == ControllerState::Idle) prepare(now_ps());
  answer(slot, done);
}

void Controller::answer(Slot& slot, Picoseconds when) {
  // Data and status of older commands may still be on the bus when one that has waited for them ends.
  if (slot.asked.flush()) when = std::max(when, write_answer_);
  if (!slot.head_of_queue()) when = std::max(when, slot.ordered() ? last_answer_ : ordered_answer_);
  if (slot.ordered()) ordered_answer_ = when;
  if (slot.asked.write()) write_answer_ = std::max(write_answer_, when);
  last_answer_ = std::max(last_answer_, when);
  completion_->complete_at(slot, when);
}

// --- accesses --------------------------------------------------------------------------------------------------------

void Controller::ask(bool at_rest) {
  if (urgent_.empty() && engine_.empty()) {
    enter(ControllerState::Idle);
    return;
  }
  if (!stop_read_ahead()) {
    enter(ControllerState::Idle);
    wake();
    return;
  }
  at_rest_ = at_rest;
  asked_ = now_ps();
  enter(ControllerState::Decide);
  if (!urgent_.empty()) {
    const Tag tag = urgent_.back();
    urgent_.pop_back();
    begin();
    serve(queue_.slot(tag), asked_);
    return;
  }
  mechanics::HeadState head = actuator_.state();
  head.bus_free = std::max(channel_.sent(), asked_);
  engine_.decide(head, asked_);
}

void Controller::prepare(Picoseconds now) {
  const Picoseconds when = access_end_ > now ? access_end_ : arm_free_;
  if (when <= now) return;
  mechanics::HeadState at = actuator_.state();
  at.bus_free = channel_.sent();
  if (access_end_ > now && current_ != nullptr) {
    const mechanics::Extent& extent = current_->command.extent;
    at.cylinder = extent.end_cylinder;
    at.head = extent.end_head;
    if (!current_->own) at.last_was_write = extent.write;
    if (!extent.write) at.bus_free = channel_.sent_after(extent.blocks, bus_finish_);
  }
  at.bus_free = std::max(at.bus_free, when);  // a bus that is free sooner makes no difference
  engine_.prepare(at, when);
  preparation_changed();
}

void Controller::begin() {
  phase_count_ = 0;
  phase_ = 0;
  mechanics_busy_ = true;
}

void Controller::add_phase(ControllerState state, Picoseconds duration) {
  if (duration > 0) phases_[phase_count_++] = {state, duration};
}

void Controller::decided(const Decision& decision, Picoseconds effective) {
  if (at_rest_) {
    ++stall_statistics_.idle_decisions;
  } else if (effective > asked_) {
    ++stall_statistics_.stalls;
    stall_statistics_.stall += effective - asked_;
  }
  preparation_changed();
  begin();
  switch (decision.kind) {
    case Decision::Kind::Again:  // no engine says so to the drive
    case Decision::Kind::Idle:
      mechanics_busy_ = false;
      enter(ControllerState::Idle);
      if (decision.until != core::kNoDeadline)
        arrival_event_.notify(to_sc_time(std::max<Picoseconds>(decision.until - now_ps(), 0)));
      return;
    case Decision::Kind::Move: {
      current_ = nullptr;
      mechanics::HeadState target = actuator_.state();
      const core::Cylinder from = target.cylinder;
      target.cylinder = decision.cylinder;
      Picoseconds seek = 0;
      Picoseconds settle = 0;
      planner_.move(from, target.head, target.cylinder, target.head, false, seek, settle);
      actuator_.travel(target, effective, seek);
      busy_since_ = effective;
      add_phase(ControllerState::Decide, effective - now_ps());
      add_phase(ControllerState::Seek, seek);
      access_end_ = effective + seek;
      prepare(effective);
      start_phases();
      return;
    }
    case Decision::Kind::Serve:
    case Decision::Kind::Write: {
      Slot& slot = *entries_[decision.tag.value];
      entries_[decision.tag.value] = nullptr;
      while (!waiting_.empty() && enter_engine(*waiting_.front())) waiting_.erase(waiting_.begin());
      if (decision.kind == Decision::Kind::Write) translation_->aim(slot, decision.place, decision.hidden);
      serve(slot, effective);
      return;
    }
  }
}

void Controller::serve(Slot& slot, Picoseconds effective) {
  const mechanics::Extent& extent = slot.command.extent;
  busy_since_ = effective;
  add_phase(ControllerState::Decide, effective - now_ps());
  // Meanwhile the blocks may have come into the buffer.
  if (buffer_ != nullptr && !extent.write && !slot.asked.fua && slot.buffered == 0 && serve_from_buffer(slot, effective)) {
    current_ = nullptr;
    start_phases();
    return;
  }
  current_ = &slot;
  const mechanics::AccessTime time =
      planner_.estimate(actuator_.state(), extent, effective, slot.command.data_ready, slot.command.overhead_end);
  command::CommandTiming& timing = slot.result.timing;
  if (slot.accesses++ == 0) {
    timing.started = effective;
    timing.overhead = timing.seek = timing.settle = timing.rotation = timing.transfer = timing.bus = 0;
  }
  timing.queue = 0;
  timing.queue = effective - timing.issued - timing.parts();  // what no earlier access of the command has taken
  timing.overhead += time.overhead;
  timing.seek += time.seek;
  timing.settle += time.settle;
  timing.rotation += time.rotation;
  timing.transfer += time.transfer;
  timing.bus += time.data_wait;
  media_start_ = effective + time.positioning();
  media_end_ = media_start_ + time.media;
  bus_finish_ = media_start_ + time.bus_finish;
  passed_ = buffer_ != nullptr && !extent.write ? buffer_->passing(extent, time.rotation) : 0;
  mechanics::HeadState target{extent.cylinder, extent.head, actuator_.state().last_was_write, 0};
  actuator_.travel(target, effective + time.overhead, time.seek);
  add_phase(ControllerState::Overhead, time.overhead);
  // A drive with a negative write settle starts writing while the arm still settles: it shortens the seek.
  add_phase(ControllerState::Seek, time.seek + std::min<Picoseconds>(time.settle, 0));
  add_phase(ControllerState::Settle, std::max<Picoseconds>(time.settle, 0) + time.data_wait);
  add_phase(ControllerState::Rotate, time.rotation);
  add_phase(ControllerState::Transfer, time.transfer);
  if (observer_ != nullptr) observer_->access_started(slot);
  access_end_ = effective + time.total();
  prepare(effective);
  start_phases();
}

void Controller::start_phases() {
  if (observer_ == nullptr || phase_count_ == 0) {
    Picoseconds total = 0;
    for (std::size_t i = 0; i < phase_count_; ++i) total += phases_[i].duration;
    phase_ = phase_count_;
    if (phase_count_ > 0) enter(ControllerState::Transfer);
    step_event_.notify(to_sc_time(total));
  } else {
    next_phase();
  }
}

void Controller::next_phase() {
  if (phase_ == phase_count_) {
    finish();
    return;
  }
  const Phase& phase = phases_[phase_++];
  enter(phase.state);
  step_event_.notify(to_sc_time(phase.duration));
}

void Controller::step() { next_phase(); }

void Controller::finish() {
  const Picoseconds now = now_ps();
  if (now > busy_since_) busy_ += now - busy_since_;
  mechanics_busy_ = false;
  if (current_ != nullptr) {
    Slot& slot = *current_;
    current_ = nullptr;
    mechanics::HeadState end = mechanics::AccessPlanner::end_of(slot.command.extent);
    end.last_was_write = actuator_.state().last_was_write;
    actuator_.follow(end);
    if (slot.own)
      finish_destage(*std::find_if(destages_.begin(), destages_.end(), [&](const Destage& d) { return &d.slot == &slot; }));
    else
      finish_host(slot, now);
  }
  if (urgent_.empty() && engine_.empty())
    enter(ControllerState::Idle);
  else if (core::EndOfInstant::now())
    ask(false);
  else
    end_of_instant_.ask();  // a host that has been answered now may replace the command now
}

void Controller::finish_host(Slot& slot, Picoseconds now) {
  if (translation_ != nullptr && finish_part(slot, now)) return;
  const mechanics::Extent& extent = slot.command.extent;
  Picoseconds done = now;
  if (extent.write) {
    if (translation_ == nullptr) channel_.move_bytes(slot);
    if (buffer_ != nullptr) buffer_->invalidate(extent.first, extent.blocks);  // what a read has brought in meanwhile
    done += write_completion_;
  } else {
    done = channel_.send(extent.blocks, bus_finish_) + read_completion_;
    deliver_bytes(slot, done);
    if (buffer_ != nullptr) {
      const bool continues = slot.buffered > 0;
      const std::size_t segment = buffer_->read_done(extent.first, extent.blocks, passed_, continues ? &slot.hit : nullptr);
      if (engine_.empty() && urgent_.empty() &&
          buffer_->reads_ahead(core::Lba(extent.first.value - slot.buffered), previous_end_))
        buffer_->start_read_ahead(segment, core::Lba(extent.first.value - slot.buffered), extent.blocks + slot.buffered,
                                  actuator_.state(), media_end_);
    }
  }
  slot.result.timing.bus += done - now;
  complete(slot, done);
  release_waiting(slot);
}

bool Controller::finish_part(Slot& slot, Picoseconds now) {
  const mechanics::Extent extent = slot.command.extent;
  if (extent.write) translation_->commit(slot, queue_);
  if (!slot.asked.write() && !translation_->last(slot)) {
    // Its data goes out while the drive goes on with the next part. What an older write holds goes over it now, for that write may
    // be done before the last part is.
    Picoseconds sent = channel_.send(extent.blocks, bus_finish_);
    deliver_bytes(slot, sent);
  }
  if (!translation_->advance(slot)) return false;
  actuator_.set_last_was_write(extent.write);
  slot.command.overhead_end = now;
  submit(slot);
  return true;
}

MediaImage Controller::power_loss_image() const {
  const Picoseconds now = now_ps();
  if (current_ == nullptr || !current_->command.extent.write || now < media_start_) return translation_->image(nullptr, 0);
  const mechanics::Extent& extent = current_->command.extent;
  const Picoseconds written = (now - media_start_) * Picoseconds{extent.sectors} / extent.media;
  return translation_->image(current_, static_cast<std::uint32_t>(std::min<Picoseconds>(written, extent.sectors)));
}

void Controller::finish_destage(Destage& destage) {
  ++cache_statistics_.destages;
  channel_.destage_bytes(destage.blocks.first, destage.blocks.blocks);
  destage.slot.used = false;
  buffer_->destaged(destage.blocks);
  submit_destages(channel_.received());
  if (!buffer_->any_dirty() && !flushes_.empty()) {
    std::vector<Tag> flushes;  // one that ends may let a write in, for which the next has to wait again
    flushes.swap(flushes_);
    for (const Tag tag : flushes) ready(queue_.slot(tag));
  }
  retry_held();
}

void Controller::release_waiting(Slot& slot) {
  // A command that becomes ready may come back here: its own releases go behind the ones listed so far.
  const std::size_t first = released_.size();
  queue_.reached_media(slot, released_);
  for (std::size_t i = first; i < released_.size(); ++i) ready(queue_.slot(released_[i]));
  released_.resize(first);
}

}  // namespace platter::drive
