// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/controller.h"

#include <algorithm>
#include <utility>

#include "platter/core/sc_time.h"
#include "platter/core/seeded_bug.h"
#include "platter/profile/parameters.h"

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
                       media::Media& media, media::Faults& faults, mapping::MappingIf& mapping, ActuatorUnit& unit,
                       Spindle& spindle, engine::EngineIf& engine)
    : planner_(planner),
      queue_(queue),
      mapping_(mapping),
      placing_(mapping.placing()),
      times_(profile),
      bus_(planner),
      cache_(make_cache(planner, profile, bus_, times_.preparation)),
      recovery_(planner, profile.recovery, media, faults, queue, cache_ ? &cache_->segments() : nullptr,
                mapping.placing() != nullptr),
      data_(media, faults, mapping, cache_ ? &cache_->segments() : nullptr, profile.power_loss),
      intake_(
          planner,
          {times_.preparation, std::max<std::uint32_t>(1, profile.bus_write_watermark_blocks), mapping.placing() != nullptr},
          bus_, unit.arm(), cache_.get()),
      dispatcher_("dispatcher", engine, unit, spindle, bus_, queue.depth() + profile.cache.destage_entries, cache_.get(),
                  mapping.placing()),
      scrubber_(planner, profile.recovery, recovery_, queue, dispatcher_),
      waits_(planner, recovery_, profile.recovery.scrub_in_waits),
      durations_(queue, profile::duration_table(profile.limits)),
      cache_durable_(profile.power_loss.cache == profile::LostCache::Saved) {
  stream_.reserve(queue.depth());
  dispatcher_.bind_sink(*this);
  durations_.bind_sink(*this);
  unit.bind_recovery(recovery_);
  if (waits_.on()) unit.set_wait_reader(&waits_);
  if (cache_) cache_->bind_barrier(recovery_);
}

void Controller::bind_zones(ZoneKeeper& zones) {
  zones_ = &zones;
  zones.bind(cache_ ? &cache_->segments() : nullptr, [this](QueueEntry& entry) { zones_changed(entry); });
}

// --- from the queue --------------------------------------------------------------------------------------------------

void Controller::receive(QueueEntry& entry) {
  const Picoseconds now = now_ps();
  if (__builtin_expect(scrubber_.on(), 0)) scrubber_.activity(now);
  if (entry.asked.moves_data()) {
    entry.command.extent = mapping_.arrived(entry.walk);
    intake_.arrived(entry, now);
    if (__builtin_expect(entry.timed(), 0)) durations_.arrived(entry, now);
  } else if (entry.asked.zone()) {
    zones_->received(entry);
  }
  if (entry.blockers == 0) ready(entry);
}

void Controller::ready(QueueEntry& entry) {
  if (__builtin_expect(entry.behind_gap, 0)) {
    withdrawn(entry);
    return;
  }
  const Picoseconds now = now_ps();
  if (__builtin_expect(recovery_.faults().on(), 0) && stuck(entry, now)) return;
  if (!entry.asked.moves_data()) {  // all older commands have reached the media, except writes that the buffer holds
    if (cache_ && cache_->any_dirty() && !core::seeded("flush_early")) {
      queue_.hold(entry);
      return;
    }
    entry.result.timing.started = now;
    entry.result.timing.queue = now - entry.result.timing.issued;
    if (entry.asked.zone()) {
      if (entry.stage != Stage::Held) entry.enter(Stage::Held);
      entry.result.timing.overhead = zones_->begin(entry, now);
      return;
    }
    if (std::exchange(lost_destage_, false)) entry.result.status = command::CommandStatus::WriteFault;
    completion_->complete_at(entry, order_.at(entry, leaves(now)));
    queue_.reached_media(entry, ready_again());
    return;
  }
  if (cache_ && buffered(entry, now)) return;
  if (placing_ != nullptr && !entry.walk.begun()) entry.command.extent = placing_->next(entry.walk);
  dispatcher_.submit(entry);
}

void Controller::zones_changed(QueueEntry& entry) {
  if (cache_)
    for (const zones::BlockRange& range : zones_->dropped(entry)) cache_->invalidate(range.first, range.blocks);
  completion_->complete_at(entry, order_.at(entry, leaves(now_ps())));
  queue_.reached_media(entry, ready_again());
}

void Controller::close_gap(const QueueEntry& entry) {
  if (entry.behind_gap || !zones_->in_order(entry.first()) || zones_->superseded(entry)) return;
  const zones::BlockRange behind = zones_->aborted(entry);
  if (behind.blocks == 0) return;
  data_.lose(behind.first, behind.blocks);
  // All are marked first: an abort makes others ready.
  for (QueueEntry& other : queue_.entries())
    if (other.used() && !other.on_media() && other.asked.write() && other.command.sequence > entry.command.sequence &&
        zones_->together(other.first(), entry.first()))
      other.behind_gap = true;
  for (QueueEntry& other : queue_.entries())
    if (other.used() && !other.on_media() && other.behind_gap) abort(other);
}

bool Controller::abort(QueueEntry& entry) {
  if (entry.asked.zone()) return false;  // the zones have changed
  switch (entry.stage) {
    case Stage::Blocked: queue_.unblock(entry); break;
    case Stage::Held:
      if (entry.stuck) {
        ++recovery_.faults().errors().timeouts;
        break;
      }
      queue_.let_go(entry);
      tell_awaited();
      break;
    case Stage::Queued:
      if (entry.accesses > 0) return false;  // between two of its accesses
      if (!dispatcher_.withdraw(entry)) return true;
      break;
    default: return false;
  }
  withdrawn(entry);
  return true;
}

void Controller::limit_ends(QueueEntry& entry, command::CommandStatus status) {
  entry.leaves_as = status;
  abort(entry);
}

void Controller::limit_changes(QueueEntry& entry) {
  const bool queued = entry.stage == Stage::Queued && !entry.head_of_queue();
  entry.returns = queued && !dispatcher_.withdraw(entry);
  if (entry.returns) return;  // it goes on in `withdrawn`
  durations_.set_deadline(entry);
  if (queued) dispatcher_.submit(entry);
}

void Controller::withdrawn(QueueEntry& entry) {
  if (std::exchange(entry.returns, false)) {
    durations_.set_deadline(entry);
    dispatcher_.submit(entry);
    return;
  }
  entry.result.status = entry.leaves_as;
  dispatcher_.regroup();
  completion_->complete_at(entry, now_ps());
  if (zones_ != nullptr && entry.asked.write()) close_gap(entry);  // before a younger zone management command is carried out
  queue_.reached_media(entry, ready_again());
}

// --- the buffer ------------------------------------------------------------------------------------------------------

bool Controller::buffered(QueueEntry& entry, Picoseconds now) {
  if (!entry.command.extent.write && !entry.asked.fua) return serve_from_buffer(entry, now);
  const bool caches = entry.command.extent.write &&
                      (cache_->caches(entry) || (core::seeded("fua_cached") && cache_->write_back() && entry.asked.fua));
  if (caches && cache_write(entry, now)) return true;
  // Its blocks become dirty no more: a younger write over them waits for this command.
  entry.over_dirty = entry.over_dirty && cache_->over_dirty(entry);
  if (caches || entry.over_dirty) {
    hold(entry);
    return true;
  }
  if (entry.command.extent.write) {
    intake_.receive_late(entry, now);
    cache_->invalidate(entry.command.extent);
  }
  return false;
}

bool Controller::serve_from_buffer(QueueEntry& entry, Picoseconds now) {
  const std::optional<Picoseconds> left = cache_->serve(entry, now, last_was_write());
  if (!left) return false;
  const Picoseconds done = deliver(entry, *left + times_.read_completion);
  entry.result.timing.bus = done - now - entry.result.timing.overhead;
  // The arm is where the last read-ahead has left it.
  if (dispatcher_.may_move() && cache_->may_read_ahead(entry, now) && dispatcher_.take_arm())
    cache_->read_ahead(entry, dispatcher_.unit(), now);
  complete(entry, done);
  queue_.reached_media(entry, ready_again());
  return true;
}

bool Controller::served_meanwhile(QueueEntry& entry, Picoseconds effective) {
  if (!cache_ || entry.command.extent.write || entry.asked.fua || entry.buffered > 0) return false;
  const core::Lba end(entry.command.extent.first.value + entry.command.extent.blocks);
  if (!serve_from_buffer(entry, effective)) return false;
  if (cache_->reads_on()) {
    dispatcher_.find_stream(end, effective, cache_->segments().segment_blocks(), stream_);
    serve_stream(effective);
  }
  return true;
}

bool Controller::cache_write(QueueEntry& entry, Picoseconds now) {
  const std::vector<std::uint8_t> present = data_.present(entry);
  if (!cache_->take(entry)) return false;
  const Picoseconds begin = std::max(now, entry.command.overhead_end);
  intake_.receive_late(entry, now);
  data_.buffer(entry, present);
  entry.result.timing.started = now;
  entry.result.timing.queue = now - entry.result.timing.issued;
  entry.result.timing.overhead = begin - now;
  const Picoseconds done = std::max(begin, entry.data_end) + times_.cached_completion;
  entry.result.timing.bus = done - begin;
  complete(entry, done);
  if (zones_ != nullptr && cache_durable_) zones_->durable(entry.first(), entry.walk.blocks, &entry);
  submit_destages(entry.command.data_ready, now);
  queue_.reached_media(entry, ready_again());
  return true;
}

void Controller::submit_destages(Picoseconds data_ready, Picoseconds now) {
  while (QueueEntry* const own = cache_->next_destage()) {
    own->command.sequence = queue_.next_sequence();
    own->command.arrival = own->result.timing.issued = now;
    own->command.data_ready = data_ready;
    own->command.overhead_end = now + planner_.command_overhead(true, last_was_write());
    dispatcher_.submit(*own);
  }
}

void Controller::finish_destage(QueueEntry& entry, std::uint64_t written) {
  if (!core::seeded("destage_lost") || !queue_.full()) data_.write(entry, written);
  if (written < entry.command.extent.blocks) {
    lost_destage_ = true;
    ++recovery_.faults().errors().lost_destages;
  }
  cache_->destaged(entry);
  data_.drop(entry.command.extent);
  if (zones_ != nullptr) zones_->durable(entry.command.extent.first.value, entry.command.extent.blocks, nullptr);
  submit_destages(bus_.received(), now_ps());
  if (!cache_->any_dirty()) queue_.retry_flushes(ready_again());
  queue_.retry_held(ready_again());
  tell_awaited();
}

void Controller::hold(QueueEntry& entry) {
  queue_.hold(entry);
  tell_awaited();
}

void Controller::tell_awaited() {
  const AwaitedDestages since = queue_.awaited();
  if (since == awaited_) return;
  awaited_ = since;
  dispatcher_.awaited(since);
}

// --- from the media --------------------------------------------------------------------------------------------------

void Controller::accessed(QueueEntry& entry) {
  const Picoseconds now = now_ps();
  if (__builtin_expect(recovery_.on(), 0) && !recovered(entry, now)) return;
  if (entry.internal()) {
    if (scrubber_.owns(entry))
      scrubber_.ended(std::nullopt, false, now);
    else
      finish_destage(entry, entry.command.extent.blocks);
    return;
  }
  const mechanics::Extent& extent = entry.command.extent;
  if (extent.write) {
    if (__builtin_expect(entry.behind_gap, 0))
      entry.result.status = command::CommandStatus::Aborted;
    else
      data_.write(entry);
    if (zones_ != nullptr) zones_->durable(entry.first(), entry.walk.blocks, &entry);
    if (placing_ != nullptr) {
      placing_->written(entry.walk);
      follow(entry);
    }
  }
  if (!entry.walk.last()) {
    go_on(entry, now);
    return;
  }
  Picoseconds done = now;
  stream_.clear();
  if (extent.write) {
    if (cache_) cache_->invalidate(extent);  // drops what a read has meanwhile brought into the buffer
    done += times_.write_completion;
  } else {
    done = deliver(entry, bus_.send(extent.blocks, dispatcher_.unit().times().bus_finish) + times_.read_completion);
    if (cache_) {
      const core::Lba end(extent.first.value + extent.blocks);
      if (dispatcher_.stream_may_wait(end) && cache_->reads_on())
        dispatcher_.find_stream(end, dispatcher_.unit().times().media_end, cache_->segments().segment_blocks(), stream_);
      cache_->read_ended(entry, dispatcher_.unit(), !dispatcher_.has_work(), !stream_.empty());
    }
  }
  entry.result.timing.bus += done - now;
  complete(entry, done);
  if (!stream_.empty()) serve_stream(now);
  queue_.reached_media(entry, ready_again());
}

bool Controller::recovered(QueueEntry& entry, Picoseconds now) {
  const Recovery::Outcome& met = recovery_.ended(entry, now);
  if (!met.failed) return true;
  if (entry.internal()) {
    if (scrubber_.owns(entry))
      scrubber_.ended(met.bad, met.fresh, now);
    else
      finish_destage(entry, met.bad - entry.command.extent.first.value);
    return false;
  }
  const bool write = entry.command.extent.write;
  entry.result.status = write ? command::CommandStatus::WriteFault : command::CommandStatus::Unreadable;
  if (entry.behind_gap) {
    entry.result.status = command::CommandStatus::Aborted;
  } else if (write && placing_ != nullptr) {
    entry.result.first_bad = entry.first() + entry.walk.done;  // the part has its old place
  } else {
    entry.result.first_bad = recovery_.host_block(entry, met.bad);
    if (write) data_.write(entry, met.bad - entry.command.extent.first.value);  // hosts count on the blocks before it
  }
  if (write && cache_) cache_->invalidate(entry.command.extent);
  if (write && zones_ != nullptr) zones_->durable(entry.first(), entry.walk.blocks, &entry);
  if (!write) data_.read(entry, queue_.buffered_writes(entry));
  const Picoseconds done = now + (write ? times_.write_completion : times_.read_completion);
  entry.result.timing.bus += done - now;
  complete(entry, done);
  queue_.reached_media(entry, ready_again());
  return false;
}

bool Controller::stuck(QueueEntry& entry, Picoseconds now) {
  if (std::exchange(entry.arrived, true)) return false;
  Picoseconds delay = 0;
  const media::Faults::Effect effect =
      recovery_.faults().command(entry.walk.first, entry.walk.blocks, now, delay, !entry.asked.zone());
  if (effect == media::Faults::Effect::None) return false;
  if (effect != media::Faults::Effect::Stuck) {
    if (events_ != nullptr) events_->befalls(effect, delay);
    return false;
  }
  entry.stuck = true;
  entry.enter(Stage::Held);
  return true;
}

void Controller::serve_stream(Picoseconds now) {
  for (QueueEntry* const read : stream_) {
    if (!cache_->holds(*read, now)) return;
    dispatcher_.withdraw(*read);
    serve_from_buffer(*read, now);
  }
}

void Controller::go_on(QueueEntry& entry, Picoseconds now) {
  // The data of this access is sent while the drive continues with the next one. Data of older writes replaces it now, because
  // such a write may be done before the last part is read.
  if (!entry.asked.write()) deliver(entry, bus_.send(entry.command.extent.blocks, dispatcher_.unit().times().bus_finish));
  dispatcher_.unit().arm().set_last_was_write(entry.command.extent.write);
  entry.command.extent = placing_->next(entry.walk);
  entry.command.overhead_end = now;
  dispatcher_.submit(entry);
}

void Controller::follow(const QueueEntry& written) {
  for (QueueEntry& other : queue_.entries())
    if (other.stage == Stage::Queued && placing_->follow(written.walk, other.walk, other.command.extent))
      dispatcher_.moved(other);
}

Picoseconds Controller::deliver(QueueEntry& entry, Picoseconds done) {
  const std::vector<QueueEntry*>& writes = queue_.buffered_writes(entry);
  if (const std::optional<std::uint64_t> bad = data_.read(entry, writes)) {
    if (entry.result.status == command::CommandStatus::Good) entry.result.first_bad = *bad;
    entry.result.status = command::CommandStatus::Unreadable;
  }
  for (QueueEntry* write : writes) {
    // The last block that the read takes from the write must have crossed the bus.
    intake_.receive_late(*write, now_ps());
    const std::uint64_t behind = write->end() - std::min(write->end(), entry.end());
    done = std::max(done, write->data_end - planner_.bus_block_time(true) * static_cast<Picoseconds>(behind));
  }
  return done;
}

void Controller::complete(QueueEntry& entry, Picoseconds done) {
  if (__builtin_expect(scrubber_.on(), 0)) scrubber_.activity(now_ps());
  if (cache_) cache_->completed(entry.command.extent);
  dispatcher_.completed(entry.command.extent.write);
  recovery_.faults().keep_counters();
  if (__builtin_expect(entry.timed(), 0)) done = durations_.completed(entry, now_ps(), done);
  completion_->complete_at(entry, order_.at(entry, leaves(done)));
}

// --- loss of power ---------------------------------------------------------------------------------------------------

void Controller::halt() {
  if (zones_ != nullptr) {
    if (!std::exchange(zones_settled_, false)) zones_->lose({});
    zones_->halt();
  }
  awaited_ = {};
  lost_destage_ = false;
  for (const QueueEntry& entry : queue_.entries())
    if (entry.stuck && entry.stage == Stage::Held) ++recovery_.faults().errors().timeouts;
  if (cache_) cache_->clear();
  data_.drop_all();
  bus_.reset();
  order_ = {};
  dispatcher_.halt();
  scrubber_.halt();
  durations_.halt();
  recovery_.faults().keep_counters();
}

std::pair<const QueueEntry*, WrittenBlocks> Controller::write_in_progress() const {
  const ActuatorUnit& unit = dispatcher_.unit();
  const QueueEntry* const current = unit.current();
  if (current == nullptr || !current->command.extent.write || now_ps() < unit.times().media_start) return {nullptr, {}};
  return {current, unit.written(now_ps())};
}

DurableImage Controller::power_loss_image() const {
  const auto [writing, so_far] = write_in_progress();
  DurableImage image = data_.image(writing, so_far);
  if (zones_ != nullptr) image.zones = zones_->after({writing, so_far, cache_durable_}, image.media);
  return image;
}

void Controller::lose_power() {
  const auto [writing, so_far] = write_in_progress();
  data_.lose_power(writing, so_far);
  if (zones_ == nullptr) return;
  zones_->lose({writing, so_far, cache_durable_});
  zones_settled_ = true;
}

}  // namespace platter::drive
