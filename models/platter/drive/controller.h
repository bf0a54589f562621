// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "platter/drive/answer_order.h"
#include "platter/drive/cache_manager.h"
#include "platter/drive/data_path.h"
#include "platter/drive/dispatcher.h"
#include "platter/drive/duration_keeper.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/intake.h"
#include "platter/drive/recovery.h"
#include "platter/drive/scrubber.h"
#include "platter/drive/wait_reader.h"
#include "platter/drive/zone_keeper.h"

namespace platter::drive {

/// Receives the completion times of commands.
class CompletionSinkIf {
 public:
  virtual ~CompletionSinkIf() = default;
  /// The last block of the command reaches the host at `when` (>= now).
  virtual void complete_at(QueueEntry& entry, Picoseconds when) = 0;
};

/// Carries out what befalls the drive as a whole.
class FaultEventSinkIf {
 public:
  virtual ~FaultEventSinkIf() = default;
  /// Loses the link, or restarts the firmware, which is ready `delay` later: at the present time, but after this call.
  virtual void befalls(media::Faults::Effect effect, Picoseconds delay) = 0;
};

/// Takes a command from the queue to its completion. A command that must wait for others waits in the queue. The buffer serves the reads that it can
/// and caches writes; every other command goes to the dispatcher. Internal commands (destages) write the cached blocks to the media.
class Controller : public DispatchSinkIf, public DurationSinkIf {
 public:
  /// `units` and `engines`: by actuator.
  Controller(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HazardQueue& queue,
             media::Media& media, media::Faults& faults, mapping::MappingIf& mapping,
             const std::vector<std::unique_ptr<ActuatorUnit>>& units, Spindle& spindle,
             const std::vector<std::unique_ptr<engine::EngineIf>>& engines);

  void bind_completion_sink(CompletionSinkIf& sink) { completion_ = &sink; }
  void bind_event_sink(FaultEventSinkIf& sink) { events_ = &sink; }
  void bind_zones(ZoneKeeper& zones);

  /// The host's command `entry.asked` has been given a tag. Starts its overhead, and processes it as soon as it waits for no older command.
  void receive(QueueEntry& entry);
  /// Aborts a waiting command: it completes with the status Aborted as soon as the engine no longer reads it, and before any
  /// command that waits for it. Returns false if an access has begun, if the command is done, or if it manages zones; the command then ends
  /// normally. With a write to a zone that is written in order, younger ones of the zone are aborted too, unless a RESET or FINISH of the zone
  /// waits behind them; one whose access runs ends with Aborted.
  bool abort(QueueEntry& entry);
  /// The spindle stops at once, or when the accesses in progress have ended; read-aheads end.
  void stop_spindle();
  /// The drive stops: stops the access in progress and discards all internal state. Data that has not reached the media is lost, unless the
  /// drive saves its buffer. The caller completes the commands in the queue.
  void halt();

  std::size_t actuators() const { return sides_.size(); }
  /// Time spent on accesses, the current ones included; for several actuators the mean.
  Picoseconds busy(Picoseconds now) const {
    Picoseconds sum = 0;
    for (const auto& side : sides_) sum += side->dispatcher.unit().busy(now);
    return sum / static_cast<Picoseconds>(sides_.size());
  }
  Dispatcher& dispatcher(std::size_t actuator = 0) { return sides_[actuator]->dispatcher; }
  const Dispatcher& dispatcher(std::size_t actuator = 0) const { return sides_[actuator]->dispatcher; }
  /// The segments of an actuator; null for a drive without segments.
  CacheManager* cache(std::size_t actuator = 0) { return sides_[actuator]->cache.get(); }
  const CacheManager* cache(std::size_t actuator = 0) const { return sides_[actuator]->cache.get(); }
  Recovery& recovery(std::size_t actuator = 0) { return sides_[actuator]->recovery; }
  const Recovery& recovery(std::size_t actuator = 0) const { return sides_[actuator]->recovery; }
  Scrubber& scrubber() { return scrubber_; }
  const Scrubber& scrubber() const { return scrubber_; }
  const DurationKeeper& durations() const { return durations_; }
  const WaitReader& waits() const { return waits_; }
  DataPath& data() { return data_; }
  const DataPath& data() const { return data_; }
  HostBus& bus() { return bus_; }
  /// Replaces the contents of the media by `image` and empties the buffer. Precondition: no command is in the drive.
  void mount(const DurableImage& image) {
    for (const auto& side : sides_)
      if (side->cache) side->cache->clear();
    data_.mount(image);
    if (zones_ != nullptr && image.zones) zones_->mount(*image.zones);
    for (const auto& side : sides_) side->recovery.find_spares();
  }
  /// The media as a loss of power now would leave them.
  DurableImage power_loss_image() const;
  /// The power fails: brings the media into that state. The caller halts the drive.
  void lose_power();
  /// The power has returned, to a drive that was halted.
  void recover() {
    data_.recover();
    settled_ = false;
  }

  bool served_meanwhile(QueueEntry& entry, Picoseconds effective) override;
  void accessed(QueueEntry& entry) override;
  void withdrawn(QueueEntry& entry) override;
  void limit_ends(QueueEntry& entry, command::CommandStatus status) override;
  void limit_changes(QueueEntry& entry) override;

 private:
  /// What each actuator has of its own. Its blocks are cached in its own segments.
  struct Side {
    Side(const char* name, const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HostBus& bus,
         Picoseconds preparation, HazardQueue& queue, media::Media& media, media::Faults& faults, mapping::MappingIf& mapping,
         ActuatorUnit& unit, Spindle& spindle, engine::EngineIf& engine);

    std::unique_ptr<CacheManager> cache;  ///< null: the drive has no segments
    Recovery recovery;
    Dispatcher dispatcher;
  };
  /// The one that serves the command now.
  Side& of(const QueueEntry& entry) { return *sides_[entry.actuator]; }
  const Side& of(const QueueEntry& entry) const { return *sides_[entry.actuator]; }
  /// The segments of all actuators.
  std::vector<const buffer::SegmentBuffer*> segments() const;
  std::vector<Dispatcher*> dispatchers() const;
  /// Buffered blocks wait to be written to the media.
  bool any_dirty() const;
  /// The same as `buffered` for a command that spans two actuators. The buffer serves and caches no such command.
  bool waits_for_buffer(QueueEntry& entry, Picoseconds now);
  /// Drops the blocks of a command that spans two actuators from the buffer.
  void invalidate_all(const QueueEntry& entry);

  /// Processes a command that waits for no older one.
  void ready(QueueEntry& entry);
  /// A callback for the queue: calls `ready`.
  auto ready_again() {
    return [this](QueueEntry& entry) { ready(entry); };
  }
  /// True if the buffer handles the command, at least for now: it serves the read, caches the write, or holds the command until it has room.
  bool buffered(QueueEntry& entry, Picoseconds now);
  bool serve_from_buffer(QueueEntry& entry, Picoseconds now);
  bool cache_write(QueueEntry& entry, Picoseconds now);
  /// True if a limit has ended the command by `when` (>= now), at which its access, or its service from the buffer, was to begin.
  bool ended(QueueEntry& entry, Picoseconds when);
  /// Ends a command that has had no access, with the response at `when`.
  void end(QueueEntry& entry, command::CommandStatus status, Picoseconds when);
  /// Serves the waiting reads of `stream_`, for which the actuator reads on.
  void serve_stream(Picoseconds now);
  /// `data_ready`: when the access to the blocks of a write that was just cached may begin; otherwise all of their data must be there.
  void submit_destages(std::uint8_t actuator, Picoseconds now, Picoseconds data_ready = core::kNoDeadline);
  /// `written`: number of its blocks that are on the media. No place was left for the others, which are lost.
  void finish_destage(QueueEntry& entry, std::uint64_t written);
  /// Tells the faults of a command that has its turn. Returns true if one of them keeps it from being answered.
  bool stuck(QueueEntry& entry, Picoseconds now);
  /// The access of `entry` has ended on a drive with faults. Returns false if it has failed: the command is then complete.
  bool recovered(QueueEntry& entry, Picoseconds now);
  /// The time at which an answer that is ready at `done` leaves.
  Picoseconds leaves(Picoseconds done) {
    return __builtin_expect(recovery().on(), 0) ? done + faults_.late(core::now_ps()) : done;
  }
  /// A zone management command has been carried out.
  void zones_changed(QueueEntry& entry);
  /// An aborted write has left a gap in its zone: the write pointer goes back, all data behind it is lost, and the younger writes of the zone
  /// are aborted. Without effect if a younger command resets or finishes the zone.
  void close_gap(const QueueEntry& entry);
  /// Holds a command that waits for destages (HazardQueue::hold).
  void hold(QueueEntry& entry);
  /// Tells the engine since when commands have waited for destages, if that has changed.
  void tell_awaited();
  /// Begins the next access of a command that takes several.
  void go_on(QueueEntry& entry, Picoseconds now);
  /// Gives queued reads the new location of the blocks that `written` has moved.
  void follow(const QueueEntry& written);
  /// Copies the data of a finished read to its payload, and over it the data of older writes, which may still be crossing the
  /// bus. Returns when all of the data has arrived.
  Picoseconds deliver(QueueEntry& entry, Picoseconds done);
  void complete(QueueEntry& entry, Picoseconds done);
  /// What the zones lose. A drive with zones has one actuator, and so at most one write in progress.
  ZoneKeeper::Loss lost_by(const std::vector<WriteUnderWay>& writes) const;
  /// The writes that are on their way to the media, and how far they are.
  std::vector<WriteUnderWay> writes_in_progress() const;
  bool last_was_write(const QueueEntry& entry) const { return of(entry).dispatcher.unit().state().last_was_write; }

  /// Bus overheads before and after the data transfer.
  struct BusTimes {
    explicit BusTimes(const profile::DriveProfile& profile);
    Picoseconds preparation;
    Picoseconds read_completion;
    Picoseconds write_completion;  ///< reselection included, for a write that completes on the media
    Picoseconds cached_completion;
  };

  const mechanics::AccessPlanner& planner_;
  HazardQueue& queue_;
  mapping::MappingIf& mapping_;
  mapping::PlacingIf* placing_;  ///< of the mapping; null: a command has one access
  BusTimes times_;
  HostBus bus_;
  media::Faults& faults_;
  std::vector<std::unique_ptr<Side>> sides_;  ///< by actuator
  DataPath data_;
  Intake intake_;
  Scrubber scrubber_;
  WaitReader waits_;
  Spindle& spindle_;
  DurationKeeper durations_;
  AnswerOrder order_;
  bool cache_durable_;  ///< the drive saves what only the buffer holds
  CompletionSinkIf* completion_ = nullptr;
  FaultEventSinkIf* events_ = nullptr;
  ZoneKeeper* zones_ = nullptr;      ///< null: the drive has none
  bool settled_ = false;             ///< the loss of power has told media and zones what is lost
  bool lost_destage_ = false;        ///< since the last flush: the next one tells the host
  AwaitedDestages awaited_;          ///< what the engine knows
  std::vector<QueueEntry*> stream_;  ///< scratch space of `accessed`
};

}  // namespace platter::drive
