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

/// A drive's segments are divided among its actuators.
profile::DriveProfile with_share_of_cache(profile::DriveProfile profile) {
  profile.cache.segments /= profile.geometry.actuators;
  profile.cache.write_segments /= profile.geometry.actuators;
  return profile;
}

std::unique_ptr<CacheManager> make_cache(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile,
                                         HostBus& bus, Picoseconds preparation) {
  if (profile.cache.segments == 0) return nullptr;
  return std::make_unique<CacheManager>(planner, with_share_of_cache(profile), bus, preparation);
}

}  // namespace

Controller::BusTimes::BusTimes(const profile::DriveProfile& profile)
    : preparation(microseconds(profile.bus_preparation_us)),
      read_completion(microseconds(profile.bus_read_completion_us)),
      write_completion(microseconds(profile.bus_reselect_us + profile.bus_write_completion_us)),
      cached_completion(microseconds(profile.bus_write_completion_us)) {}

Controller::Side::Side(const char* name, const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile,
                       HostBus& bus, Picoseconds preparation, HazardQueue& queue, media::Media& media, media::Faults& faults,
                       mapping::MappingIf& mapping, ActuatorUnit& unit, Spindle& spindle, engine::EngineIf& engine)
    : cache(make_cache(planner, profile, bus, preparation)),
      recovery(planner, profile.recovery, media, faults, queue, cache ? &cache->segments() : nullptr,
               mapping.placing() != nullptr),
      dispatcher(name, engine, unit, spindle, bus, queue.depth() + profile.cache.destage_entries, cache.get(),
                 mapping.placing()) {
  unit.bind_recovery(recovery);
  if (cache) cache->bind_barrier(recovery);
}

Controller::Controller(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HazardQueue& queue,
                       media::Media& media, media::Faults& faults, mapping::MappingIf& mapping,
                       const std::vector<std::unique_ptr<ActuatorUnit>>& units, Spindle& spindle,
                       const std::vector<std::unique_ptr<engine::EngineIf>>& engines)
    : planner_(planner),
      queue_(queue),
      mapping_(mapping),
      placing_(mapping.placing()),
      times_(profile),
      bus_(planner),
      faults_(faults),
      sides_([&] {
        std::vector<std::unique_ptr<Side>> sides;
        sides.reserve(units.size());
        for (std::size_t i = 0; i < units.size(); ++i)
          sides.push_back(std::make_unique<Side>(numbered("dispatcher", i).c_str(), planner, profile, bus_, times_.preparation,
                                                 queue, media, faults, mapping, *units[i], spindle, *engines[i]));
        return sides;
      }()),
      data_(media, faults, mapping, segments(), profile.power_loss),
      intake_(
          planner,
          {times_.preparation, std::max<std::uint32_t>(1, profile.bus_write_watermark_blocks), mapping.placing() != nullptr},
          bus_, cache()),
      scrubber_(planner, profile.recovery, recovery(), queue, dispatchers()),
      waits_(planner, recovery(), profile.recovery.scrub_in_waits),
      spindle_(spindle),
      durations_(queue, profile::duration_table(profile.limits)),
      cache_durable_(profile.power_loss.cache == profile::LostCache::Saved) {
  stream_.reserve(queue.depth());
  for (const auto& side : sides_) side->dispatcher.bind_sink(*this);
  durations_.bind_sink(*this);
  if (waits_.on()) units.front()->set_wait_reader(&waits_);
}

std::vector<const buffer::SegmentBuffer*> Controller::segments() const {
  std::vector<const buffer::SegmentBuffer*> all;
  for (const auto& side : sides_)
    if (side->cache) all.push_back(&side->cache->segments());
  return all;
}

std::vector<Dispatcher*> Controller::dispatchers() const {
  std::vector<Dispatcher*> all;
  all.reserve(sides_.size());
  for (const auto& side : sides_) all.push_back(&side->dispatcher);
  return all;
}

void Controller::stop_spindle() {
  for (const auto& side : sides_) side->dispatcher.spindle_stops();
  spindle_.stop();
}

bool Controller::any_dirty() const {
  return std::any_of(sides_.begin(), sides_.end(), [](const auto& side) { return side->cache && side->cache->any_dirty(); });
}

void Controller::bind_zones(ZoneKeeper& zones) {
  zones_ = &zones;
  zones.bind(cache() != nullptr ? &cache()->segments() : nullptr, [this](QueueEntry& entry) { zones_changed(entry); });
}

// --- from the queue --------------------------------------------------------------------------------------------------

void Controller::receive(QueueEntry& entry) {
  const Picoseconds now = now_ps();
  if (__builtin_expect(scrubber_.on(), 0)) scrubber_.activity(now);
  if (entry.asked.moves_data()) {
    entry.command.extent = mapping_.arrived(entry.walk);
    entry.actuator = static_cast<std::uint8_t>(planner_.geometry().actuator_of(entry.command.extent.first));
    intake_.arrived(entry, last_was_write(entry), now);
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
  if (__builtin_expect(faults_.on(), 0) && stuck(entry, now)) return;
  if (!entry.asked.moves_data()) {  // all older commands have reached the media, except writes that the buffer holds
    if (any_dirty() && !core::seeded("flush_early")) {
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
  if (of(entry).cache && (entry.spans() ? waits_for_buffer(entry, now) : buffered(entry, now))) return;
  if (placing_ != nullptr && !entry.walk.begun()) entry.command.extent = placing_->next(entry.walk);
  of(entry).dispatcher.submit(entry);
}

void Controller::zones_changed(QueueEntry& entry) {
  if (cache() != nullptr)
    for (const zones::BlockRange& range : zones_->dropped(entry)) cache()->invalidate(range.first, range.blocks);
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
        ++faults_.errors().timeouts;
        break;
      }
      queue_.let_go(entry);
      tell_awaited();
      break;
    case Stage::Queued:
      if (entry.accesses > 0) return false;  // between two of its accesses
      if (!of(entry).dispatcher.withdraw(entry)) return true;
      break;
    case Stage::Leaving: return entry.accesses == 0 && std::exchange(entry.returns, false);  // it then ends in `withdrawn`
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
  if (entry.returns) return;  // it is on its way
  const bool queued = entry.stage == Stage::Queued && !entry.head_of_queue();
  entry.returns = queued && !of(entry).dispatcher.withdraw(entry);
  if (entry.returns) return;  // it goes on in `withdrawn`
  durations_.set_deadline(entry);
  if (queued) of(entry).dispatcher.submit(entry);
}

void Controller::withdrawn(QueueEntry& entry) {
  if (std::exchange(entry.returns, false)) {
    durations_.set_deadline(entry);
    of(entry).dispatcher.submit(entry);
    return;
  }
  of(entry).dispatcher.regroup();
  end(entry, entry.leaves_as, now_ps());
}

bool Controller::ended(QueueEntry& entry, Picoseconds when) {
  if (__builtin_expect(!entry.timed(), 1)) return false;
  const DurationKeeper::Passed passed = durations_.pass(entry, when);
  if (passed.ends == command::CommandStatus::Good) return false;
  end(entry, passed.ends, order_.at(entry, std::max(passed.at, now_ps())));
  return true;
}

void Controller::end(QueueEntry& entry, command::CommandStatus status, Picoseconds when) {
  entry.result.status = status;
  completion_->complete_at(entry, when);
  if (zones_ != nullptr && entry.asked.write()) close_gap(entry);  // before a younger zone management command is carried out
  queue_.reached_media(entry, ready_again());
}

// --- the buffer ------------------------------------------------------------------------------------------------------

bool Controller::buffered(QueueEntry& entry, Picoseconds now) {
  CacheManager& cache = *of(entry).cache;
  if (!entry.command.extent.write && !entry.asked.fua) return serve_from_buffer(entry, now);
  const bool caches = entry.command.extent.write &&
                      (cache.caches(entry) || (core::seeded("fua_cached") && cache.write_back() && entry.asked.fua));
  if (caches && !queue_.waits_for_room(entry) && cache_write(entry, now)) return true;
  // Its blocks become dirty no more: a younger write over them waits for this command.
  entry.over_dirty = entry.over_dirty && cache.over_dirty(entry);
  if (caches || entry.over_dirty) {
    hold(entry);
    return true;
  }
  if (entry.command.extent.write) {
    intake_.receive_late(entry, now);
    cache.invalidate(entry.command.extent);
  }
  return false;
}

bool Controller::waits_for_buffer(QueueEntry& entry, Picoseconds now) {
  const auto dirty = [&entry](const auto& side) {
    return side->cache->segments().dirty(core::Lba(entry.first()), entry.walk.blocks);
  };
  entry.over_dirty = entry.over_dirty && std::any_of(sides_.begin(), sides_.end(), dirty);
  if (entry.over_dirty) {
    hold(entry);
    return true;
  }
  if (entry.asked.write()) {
    intake_.receive_late(entry, now);
    invalidate_all(entry);
  }
  return false;
}

void Controller::invalidate_all(const QueueEntry& entry) {
  mechanics::Extent all;
  all.first = core::Lba(entry.first());
  all.blocks = entry.walk.blocks;
  for (const auto& side : sides_) side->cache->invalidate(all);
}

bool Controller::serve_from_buffer(QueueEntry& entry, Picoseconds now) {
  CacheManager& cache = *of(entry).cache;
  Dispatcher& dispatcher = of(entry).dispatcher;
  const std::optional<Picoseconds> left = cache.serve(entry, now, last_was_write(entry));
  if (!left) return false;
  const Picoseconds done = deliver(entry, *left + times_.read_completion);
  entry.result.timing.bus = done - now - entry.result.timing.overhead;
  // The arm is where the last read-ahead has left it.
  if (dispatcher.may_move() && cache.may_read_ahead(entry, now) && dispatcher.take_arm())
    cache.read_ahead(entry, dispatcher.unit(), now);
  complete(entry, done);
  queue_.reached_media(entry, ready_again());
  return true;
}

bool Controller::served_meanwhile(QueueEntry& entry, Picoseconds effective) {
  if (ended(entry, effective)) return true;
  CacheManager* const cache = of(entry).cache.get();
  if (cache == nullptr || entry.command.extent.write || entry.asked.fua || entry.buffered > 0 || entry.spans()) return false;
  const core::Lba end(entry.command.extent.first.value + entry.command.extent.blocks);
  if (!serve_from_buffer(entry, effective)) return false;
  if (cache->reads_on()) {
    of(entry).dispatcher.find_stream(end, effective, cache->segments().segment_blocks(), stream_);
    serve_stream(effective);
  }
  return true;
}

bool Controller::cache_write(QueueEntry& entry, Picoseconds now) {
  const std::vector<std::uint8_t> present = data_.present(entry);
  if (!of(entry).cache->take(entry)) return false;
  const Picoseconds begin = std::max(now, entry.command.overhead_end);
  intake_.receive_late(entry, now);
  of(entry).cache->arrives(entry.data_end);
  data_.buffer(entry, present);
  entry.result.timing.started = now;
  entry.result.timing.queue = now - entry.result.timing.issued;
  entry.result.timing.overhead = begin - now;
  const Picoseconds done = std::max(begin, entry.data_end) + times_.cached_completion;
  entry.result.timing.bus = done - begin;
  complete(entry, done);
  if (zones_ != nullptr && cache_durable_) zones_->durable(entry.first(), entry.walk.blocks, &entry);
  submit_destages(entry.actuator, now, entry.command.data_ready);
  queue_.reached_media(entry, ready_again());
  return true;
}

void Controller::submit_destages(std::uint8_t actuator, Picoseconds now, Picoseconds data_ready) {
  while (QueueEntry* const own = cache(actuator)->next_destage()) {
    own->actuator = actuator;
    own->command.sequence = queue_.next_sequence();
    own->command.arrival = own->result.timing.issued = now;
    own->command.data_ready = std::min(own->command.data_ready, data_ready);
    own->command.overhead_end = now + planner_.command_overhead(true, last_was_write(*own));
    dispatcher(actuator).submit(*own);
  }
}

void Controller::finish_destage(QueueEntry& entry, std::uint64_t written) {
  if (!core::seeded("destage_lost") || !queue_.full()) data_.write(entry, written);
  if (written < entry.command.extent.blocks) {
    lost_destage_ = true;
    ++faults_.errors().lost_destages;
  }
  const std::uint8_t actuator = entry.actuator;
  cache(actuator)->destaged(entry);
  data_.drop(entry.command.extent);
  if (zones_ != nullptr) zones_->durable(entry.command.extent.first.value, entry.command.extent.blocks, nullptr);
  submit_destages(actuator, now_ps());
  if (!any_dirty()) queue_.retry_flushes(ready_again());
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
  for (const auto& side : sides_) side->dispatcher.awaited(since);
}

// --- from the media --------------------------------------------------------------------------------------------------

void Controller::accessed(QueueEntry& entry) {
  const Picoseconds now = now_ps();
  CacheManager* const cache = of(entry).cache.get();
  Dispatcher& dispatcher = of(entry).dispatcher;
  if (__builtin_expect(of(entry).recovery.on(), 0) && !recovered(entry, now)) return;
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
    // Drops what a read has meanwhile brought into the buffer.
    if (cache != nullptr && entry.spans())
      invalidate_all(entry);
    else if (cache != nullptr)
      cache->invalidate(extent);
    done += times_.write_completion;
  } else {
    done = deliver(entry, bus_.send(extent.blocks, dispatcher.unit().times().bus_finish) + times_.read_completion);
    if (cache != nullptr && !entry.spans()) {
      const core::Lba end(extent.first.value + extent.blocks);
      if (dispatcher.stream_may_wait(end) && cache->reads_on())
        dispatcher.find_stream(end, dispatcher.unit().times().media_end, cache->segments().segment_blocks(), stream_);
      cache->read_ended(entry, dispatcher.unit(), now, !dispatcher.has_work(), stream_.empty() ? 0 : stream_.back()->end());
    }
  }
  entry.result.timing.bus += done - now;
  complete(entry, done);
  if (!stream_.empty()) serve_stream(now);
  queue_.reached_media(entry, ready_again());
}

bool Controller::recovered(QueueEntry& entry, Picoseconds now) {
  const Recovery::Outcome& met = of(entry).recovery.ended(entry, now);
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
  } else if (entry.asked.write() && placing_ != nullptr) {
    entry.result.first_bad = entry.first() + entry.walk.done;  // the part has its old place and data
  } else {
    entry.result.first_bad = of(entry).recovery.host_block(entry, met.bad);
    if (write) data_.write(entry, met.bad - entry.command.extent.first.value);  // hosts count on the blocks before it
  }
  if (write && of(entry).cache) {
    if (entry.spans())
      invalidate_all(entry);
    else
      of(entry).cache->invalidate(entry.command.extent);
  }
  if (write && zones_ != nullptr) zones_->durable(entry.first(), entry.walk.blocks, &entry);
  if (!entry.asked.write()) data_.read(entry, queue_.buffered_writes(entry));
  const Picoseconds done = now + (write ? times_.write_completion : times_.read_completion);
  entry.result.timing.bus += done - now;
  complete(entry, done);
  queue_.reached_media(entry, ready_again());
  return false;
}

bool Controller::stuck(QueueEntry& entry, Picoseconds now) {
  if (std::exchange(entry.arrived, true)) return false;
  Picoseconds delay = 0;
  const media::Faults::Effect effect = faults_.command(entry.walk.first, entry.walk.blocks, now, delay, !entry.asked.zone());
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
    if (!of(*read).cache->holds(*read, now)) return;
    of(*read).dispatcher.withdraw(*read);
    if (!ended(*read, now)) serve_from_buffer(*read, now);
  }
}

void Controller::go_on(QueueEntry& entry, Picoseconds now) {
  // The data of this access is sent while the drive continues with the next one. Data of older writes replaces it now, because
  // such a write may be done before the last part is read.
  ActuatorUnit& unit = of(entry).dispatcher.unit();
  if (!entry.asked.write()) deliver(entry, bus_.send(entry.command.extent.blocks, unit.times().bus_finish));
  unit.arm().set_last_was_write(entry.command.extent.write);
  if (placing_ != nullptr) {
    entry.command.extent = placing_->next(entry.walk);
  } else {  // the other actuator has the rest
    entry.command.extent = mapping_.continued(entry.walk);
    entry.actuator = static_cast<std::uint8_t>(planner_.geometry().actuator_of(entry.command.extent.first));
    if (entry.asked.write()) intake_.find_ready(entry);
  }
  entry.command.overhead_end = now;
  if (__builtin_expect(entry.timed(), 0)) {
    durations_.pass(entry, now);
    durations_.set_deadline(entry);
  }
  of(entry).dispatcher.submit(entry);
}

void Controller::follow(const QueueEntry& written) {
  for (QueueEntry& other : queue_.entries())
    if (other.stage == Stage::Queued && placing_->follow(written.walk, other.walk, other.command.extent))
      of(other).dispatcher.moved(other);
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
  if (of(entry).cache) of(entry).cache->completed(entry.command.extent);
  of(entry).dispatcher.completed(entry.command.extent.write);
  if (sides_.size() > 1)
    for (const auto& side : sides_)
      if (side.get() != &of(entry)) side->dispatcher.bus_changed();
  faults_.keep_counters();
  if (__builtin_expect(entry.timed(), 0)) done = durations_.completed(entry, now_ps(), done);
  completion_->complete_at(entry, order_.at(entry, leaves(done)));
}

// --- loss of power ---------------------------------------------------------------------------------------------------

void Controller::halt() {
  if (!std::exchange(settled_, false)) {
    data_.halt();
    if (zones_ != nullptr) zones_->lose(lost_by({}));
  }
  if (zones_ != nullptr) zones_->halt();
  awaited_ = {};
  lost_destage_ = lost_destage_ && cache_durable_;  // otherwise the host expects no write to have lasted
  for (const QueueEntry& entry : queue_.entries())
    if (entry.stuck && entry.stage == Stage::Held) ++faults_.errors().timeouts;
  for (const auto& side : sides_)
    if (side->cache) side->cache->clear();
  data_.drop_all();
  bus_.reset();
  order_ = {};
  for (const auto& side : sides_) side->dispatcher.halt();
  scrubber_.halt();
  durations_.halt();
  faults_.keep_counters();
}

std::vector<WriteUnderWay> Controller::writes_in_progress() const {
  std::vector<WriteUnderWay> writes;
  for (const auto& side : sides_) {
    const ActuatorUnit& unit = side->dispatcher.unit();
    const QueueEntry* const current = unit.current();
    if (current != nullptr && current->command.extent.write && now_ps() >= unit.times().media_start)
      writes.push_back({current, unit.written(now_ps())});
  }
  return writes;
}

DurableImage Controller::power_loss_image() const {
  const std::vector<WriteUnderWay> writes = writes_in_progress();
  DurableImage image = data_.image(writes);
  if (zones_ != nullptr) image.zones = zones_->after(lost_by(writes), image.media);
  return image;
}

void Controller::lose_power() {
  const std::vector<WriteUnderWay> writes = writes_in_progress();
  data_.lose_power(writes);
  if (zones_ != nullptr) zones_->lose(lost_by(writes));
  settled_ = true;
}

ZoneKeeper::Loss Controller::lost_by(const std::vector<WriteUnderWay>& writes) const {
  if (writes.empty()) return {nullptr, {}, cache_durable_};
  return {writes.front().entry, writes.front().so_far, cache_durable_};
}

}  // namespace platter::drive
