// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/controller.h"

#include <algorithm>

#include "platter/core/sc_time.h"

namespace platter::drive {

using core::now_ps;

namespace {

Picoseconds microseconds(double time) { return core::to_picoseconds(time, core::kPicosecondsPerMicrosecond); }

std::unique_ptr<CacheManager> make_cache(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile,
                                         HostBus& bus, Picoseconds preparation) {
  return profile.cache.segments > 0 ? std::make_unique<CacheManager>(planner, profile, bus, preparation) : nullptr;
}

}  // namespace

Controller::BusTimes::BusTimes(const profile::DriveProfile& profile)
    : preparation(microseconds(profile.bus_preparation_us)),
      read_completion(microseconds(profile.bus_read_completion_us)),
      write_completion(microseconds(profile.bus_reselect_us + profile.bus_write_completion_us)),
      cached_completion(microseconds(profile.bus_write_completion_us)) {}

Controller::Controller(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HazardQueue& queue,
                       media::Media& media, mapping::MappingIf& mapping, ActuatorUnit& unit, engine::EngineIf& engine)
    : planner_(planner),
      queue_(queue),
      mapping_(mapping),
      times_(profile),
      bus_(planner),
      cache_(make_cache(planner, profile, bus_, times_.preparation)),
      data_(media, mapping, cache_ ? &cache_->segments() : nullptr),
      intake_(planner,
              {times_.preparation, std::max<std::uint32_t>(1, profile.bus_write_watermark_blocks), !mapping.fixed(),
               cache_ && cache_->write_back()},
              bus_, unit.arm()),
      dispatcher_("dispatcher", engine, unit, bus_, queue.depth(), cache_.get(), mapping) {
  released_.reserve(queue.depth());
  dispatcher_.bind_sink(*this);
}

// --- from the queue --------------------------------------------------------------------------------------------------

void Controller::receive(Slot& slot) {
  const Picoseconds now = now_ps();
  if (!slot.asked.flush()) {
    const std::uint64_t sector = planner_.geometry().sector_bytes();
    slot.walk.first = slot.asked.address / sector;
    slot.walk.blocks = static_cast<std::uint32_t>(slot.asked.length / sector);
    slot.walk.write = slot.asked.write();
    slot.command.extent = mapping_.arrived(slot.walk);
    intake_.arrived(slot, now);
  }
  queue_.find_blockers(slot);
  if (slot.blockers == 0) ready(slot);
}

void Controller::ready(Slot& slot) {
  const Picoseconds now = now_ps();
  if (slot.asked.flush()) {  // nothing older is left to reach the media but what the buffer holds
    if (cache_ && cache_->any_dirty()) {
      queue_.hold(slot);
      return;
    }
    slot.result.timing.started = now;
    slot.result.timing.queue = now - slot.result.timing.issued;
    completion_->complete_at(slot, order_.at(slot, now));
    release_waiting(slot);
    return;
  }
  if (cache_ && buffered(slot, now)) return;
  if (!mapping_.fixed()) slot.command.extent = mapping_.begin(slot.walk);
  dispatcher_.submit(slot);
}

void Controller::release_waiting(Slot& slot) {
  // A command that becomes ready may come back here: its own releases go behind the ones listed so far.
  const std::size_t first = released_.size();
  queue_.reached_media(slot, released_);
  for (std::size_t i = first; i < released_.size(); ++i) ready(queue_.slot(released_[i]));
  released_.resize(first);
}

bool Controller::abort(Slot& slot) {
  switch (slot.stage) {
    case Stage::Blocked: queue_.unblock(slot); break;
    case Stage::Held: queue_.let_go(slot); break;
    case Stage::Queued:
      if (slot.accesses > 0) return false;  // between two of them
      if (!dispatcher_.withdraw(slot)) return true;
      break;
    default: return false;
  }
  withdrawn(slot);
  return true;
}

void Controller::withdrawn(Slot& slot) {
  slot.result.status = command::CommandStatus::Aborted;
  completion_->complete_at(slot, now_ps());
  release_waiting(slot);
}

// --- the buffer ------------------------------------------------------------------------------------------------------

bool Controller::buffered(Slot& slot, Picoseconds now) {
  if (!slot.command.extent.write && !slot.asked.fua) return serve_from_buffer(slot, now);
  const bool caches = slot.command.extent.write && cache_->caches(slot);
  if (caches && cache_write(slot, now)) return true;
  if (caches || cache_->over_dirty(slot)) {
    queue_.hold(slot);
    return true;
  }
  if (slot.command.extent.write) {
    intake_.receive_late(slot, now);
    cache_->invalidate(slot.command.extent);
  }
  return false;
}

bool Controller::serve_from_buffer(Slot& slot, Picoseconds now) {
  const std::optional<Picoseconds> left = cache_->serve(slot, now, last_was_write());
  if (!left) return false;
  const Picoseconds done = deliver(slot, *left + times_.read_completion);
  slot.result.timing.bus = done - now - slot.result.timing.overhead;
  // The arm stands where the last read-ahead has left it.
  if (dispatcher_.idle() && cache_->may_read_ahead(slot, now) && dispatcher_.take_arm())
    cache_->read_ahead(slot, dispatcher_.unit(), now);
  complete(slot, done);
  release_waiting(slot);
  return true;
}

bool Controller::served_meanwhile(Slot& slot, Picoseconds effective) {
  return cache_ && !slot.command.extent.write && !slot.asked.fua && slot.buffered == 0 && serve_from_buffer(slot, effective);
}

bool Controller::cache_write(Slot& slot, Picoseconds now) {
  const std::vector<std::uint8_t> present = data_.present(slot);
  if (!cache_->take(slot)) return false;
  const Picoseconds begin = std::max(now, slot.command.overhead_end);
  intake_.receive_late(slot, now);
  data_.buffer(slot, present);
  slot.result.timing.started = now;
  slot.result.timing.queue = now - slot.result.timing.issued;
  slot.result.timing.overhead = begin - now;
  const Picoseconds done = std::max(begin, slot.data_end) + times_.cached_completion;
  slot.result.timing.bus = done - begin;
  complete(slot, done);
  submit_destages(slot.command.data_ready, now);
  release_waiting(slot);
  return true;
}

void Controller::submit_destages(Picoseconds data_ready, Picoseconds now) {
  while (Slot* const own = cache_->next_destage()) {
    own->command.sequence = queue_.next_sequence();
    own->command.arrival = own->result.timing.issued = now;
    own->command.data_ready = data_ready;
    own->command.overhead_end = now + planner_.command_overhead(true, last_was_write());
    dispatcher_.submit(*own);
  }
}

void Controller::finish_destage(Slot& slot) {
  data_.write(slot);
  cache_->destaged(slot);
  submit_destages(bus_.received(), now_ps());
  const auto again = [this](Slot& held) { ready(held); };
  if (!cache_->any_dirty()) queue_.retry_flushes(again);
  queue_.retry_held(again);
}

// --- from the media --------------------------------------------------------------------------------------------------

void Controller::accessed(Slot& slot) {
  const Picoseconds now = now_ps();
  if (slot.own()) {
    finish_destage(slot);
    return;
  }
  if (!mapping_.fixed() && goes_on(slot, now)) return;
  const mechanics::Extent& extent = slot.command.extent;
  Picoseconds done = now;
  if (extent.write) {
    if (mapping_.fixed()) data_.write(slot);
    if (cache_) cache_->invalidate(extent);  // what a read has brought in meanwhile
    done += times_.write_completion;
  } else {
    done = deliver(slot, bus_.send(extent.blocks, dispatcher_.unit().times().bus_finish) + times_.read_completion);
    if (cache_) cache_->read_ended(slot, dispatcher_.unit(), !dispatcher_.has_work());
  }
  slot.result.timing.bus += done - now;
  complete(slot, done);
  release_waiting(slot);
}

bool Controller::goes_on(Slot& slot, Picoseconds now) {
  const bool write = slot.command.extent.write;
  if (write) {
    data_.write(slot);
    mapping_.written(slot.walk);
    follow(slot);
  }
  if (!slot.asked.write() && !mapping_.last(slot.walk)) {
    // Its data goes out while the drive goes on with the next part. What an older write holds goes over it now, for that write may
    // be done before the last part is.
    deliver(slot, bus_.send(slot.command.extent.blocks, dispatcher_.unit().times().bus_finish));
  }
  if (!mapping_.next(slot.walk, slot.command.extent)) return false;
  dispatcher_.unit().arm().set_last_was_write(write);
  slot.command.overhead_end = now;
  dispatcher_.submit(slot);
  return true;
}

void Controller::follow(const Slot& written) {
  for (Slot& other : queue_.slots())
    if (other.stage == Stage::Queued && mapping_.follow(written.walk, other.walk, other.command.extent))
      dispatcher_.moved(other);
}

Picoseconds Controller::deliver(Slot& slot, Picoseconds done) {
  const std::vector<const Slot*>& writes = queue_.buffered_writes(slot);
  if (const std::optional<std::uint64_t> bad = data_.unreadable(slot, writes)) {
    if (slot.result.status == command::CommandStatus::Good) slot.result.first_bad = *bad;
    slot.result.status = command::CommandStatus::Unreadable;
  } else {
    data_.read(slot);
  }
  for (const Slot* older : writes) {
    Slot& write = queue_.slot(older->tag);
    data_.overlay(slot, write);
    // The read's last block of it must have crossed the bus.
    intake_.receive_late(write, now_ps());
    const std::uint64_t behind = write.end() - std::min(write.end(), slot.end());
    done = std::max(done, write.data_end - planner_.bus_block_time(true) * static_cast<Picoseconds>(behind));
  }
  return done;
}

void Controller::complete(Slot& slot, Picoseconds done) {
  if (cache_) cache_->completed(slot.command.extent);
  dispatcher_.completed(slot.command.extent.write);
  completion_->complete_at(slot, order_.at(slot, done));
}

// --- loss of power ---------------------------------------------------------------------------------------------------

void Controller::halt() {
  if (cache_) cache_->clear();
  bus_.reset();
  order_ = {};
  dispatcher_.halt();
}

DurableImage Controller::power_loss_image() const {
  const Slot* const current = dispatcher_.unit().current();
  if (current == nullptr || !current->command.extent.write || now_ps() < dispatcher_.unit().times().media_start)
    return data_.image(nullptr, {});
  return data_.image(current, dispatcher_.unit().written(now_ps()));
}

}  // namespace platter::drive
