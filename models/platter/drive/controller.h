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

/// Takes a command from the queue to its completion. A command that must wait for others waits in the queue. The buffer serves
/// the reads that it can and caches writes; every other command goes to the dispatcher. Internal commands (destages) write the
/// cached blocks to the media.
class Controller : public DispatchSinkIf, public DurationSinkIf {
 public:
  Controller(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HazardQueue& queue,
             media::Media& media, media::Faults& faults, mapping::MappingIf& mapping, ActuatorUnit& unit, Spindle& spindle,
             engine::EngineIf& engine);

  void bind_completion_sink(CompletionSinkIf& sink) { completion_ = &sink; }
  void bind_event_sink(FaultEventSinkIf& sink) { events_ = &sink; }
  void bind_zones(ZoneKeeper& zones);

  /// The host's command `entry.asked` has been given a tag. Starts its overhead, and processes it as soon as it waits for no
  /// older command.
  void receive(QueueEntry& entry);
  /// Aborts a waiting command: it completes with the status Aborted as soon as the engine no longer reads it, and before any
  /// command that waits for it. Returns false if an access has begun, if the command is done, or if it manages zones; the command then ends
  /// normally. With a write to a zone that is written in order, younger ones of the zone are aborted too, unless a RESET or FINISH of the zone
  /// waits behind them; one whose access runs ends with Aborted.
  bool abort(QueueEntry& entry);
  /// See Dispatcher.
  void stop_spindle() { dispatcher_.stop_spindle(); }
  /// The drive has lost its power: stops the access in progress and discards all internal state. Data that has not reached the
  /// media is lost. The caller completes the commands in the queue.
  void halt();

  Dispatcher& dispatcher() { return dispatcher_; }
  const Dispatcher& dispatcher() const { return dispatcher_; }
  /// Null for a drive without segments.
  CacheManager* cache() { return cache_.get(); }
  const CacheManager* cache() const { return cache_.get(); }
  Recovery& recovery() { return recovery_; }
  const Recovery& recovery() const { return recovery_; }
  Scrubber& scrubber() { return scrubber_; }
  const Scrubber& scrubber() const { return scrubber_; }
  const DurationKeeper& durations() const { return durations_; }
  const WaitReader& waits() const { return waits_; }
  DataPath& data() { return data_; }
  const DataPath& data() const { return data_; }
  HostBus& bus() { return bus_; }
  /// Replaces the contents of the media by `image` and empties the buffer. Precondition: no command is in the drive.
  void mount(const DurableImage& image) {
    if (cache_) cache_->clear();
    data_.mount(image);
    if (zones_ != nullptr && image.zones) zones_->mount(*image.zones);
    recovery_.find_spares();
  }
  /// The media as a loss of power now would leave them.
  DurableImage power_loss_image() const;
  /// The power fails: brings the media into that state. The caller halts the drive.
  void lose_power();
  /// The power has returned, to a drive that was halted.
  void recover() {
    data_.recover();
    zones_settled_ = false;
  }

  bool served_meanwhile(QueueEntry& entry, Picoseconds effective) override;
  void accessed(QueueEntry& entry) override;
  void withdrawn(QueueEntry& entry) override;
  void limit_ends(QueueEntry& entry, command::CommandStatus status) override;
  void limit_changes(QueueEntry& entry) override;

 private:
  /// Processes a command that waits for no older one.
  void ready(QueueEntry& entry);
  /// A callback for the queue: calls `ready`.
  auto ready_again() {
    return [this](QueueEntry& entry) { ready(entry); };
  }
  /// True if the buffer handles the command, at least for now: it serves the read, caches the write, or holds the command until
  /// it has room.
  bool buffered(QueueEntry& entry, Picoseconds now);
  bool serve_from_buffer(QueueEntry& entry, Picoseconds now);
  bool cache_write(QueueEntry& entry, Picoseconds now);
  /// Serves the waiting reads of `stream_`, for which the actuator reads on.
  void serve_stream(Picoseconds now);
  void submit_destages(Picoseconds data_ready, Picoseconds now);
  /// `written`: number of its blocks that are on the media. No place was left for the others, which are lost.
  void finish_destage(QueueEntry& entry, std::uint64_t written);
  /// Tells the faults of a command that has its turn. Returns true if one of them keeps it from being answered.
  bool stuck(QueueEntry& entry, Picoseconds now);
  /// The access of `entry` has ended on a drive with faults. Returns false if it has failed: the command is then complete.
  bool recovered(QueueEntry& entry, Picoseconds now);
  /// The time at which an answer that is ready at `done` leaves.
  Picoseconds leaves(Picoseconds done) {
    return __builtin_expect(recovery_.on(), 0) ? done + recovery_.faults().late(core::now_ps()) : done;
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
  /// The write that is on its way to the media, and how far it is; null if there is none.
  std::pair<const QueueEntry*, WrittenBlocks> write_in_progress() const;
  bool last_was_write() const { return dispatcher_.unit().state().last_was_write; }

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
  std::unique_ptr<CacheManager> cache_;
  Recovery recovery_;
  DataPath data_;
  Intake intake_;
  Dispatcher dispatcher_;
  Scrubber scrubber_;
  WaitReader waits_;
  DurationKeeper durations_;
  AnswerOrder order_;
  bool cache_durable_;  ///< a loss of power saves what only the buffer holds
  CompletionSinkIf* completion_ = nullptr;
  FaultEventSinkIf* events_ = nullptr;
  ZoneKeeper* zones_ = nullptr;      ///< null: the drive has none
  bool zones_settled_ = false;       ///< the loss of power has told them what is lost
  bool lost_destage_ = false;        ///< since the last flush: the next one tells the host
  AwaitedDestages awaited_;          ///< what the engine knows
  std::vector<QueueEntry*> stream_;  ///< scratch space of `accessed`
};

}  // namespace platter::drive
