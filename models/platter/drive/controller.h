// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "platter/buffer/segment_buffer.h"
#include "platter/core/end_of_instant.h"
#include "platter/drive/actuator.h"
#include "platter/drive/block_translation.h"
#include "platter/drive/command_queue.h"
#include "platter/drive/controller_state.h"
#include "platter/drive/drive_observer_if.h"
#include "platter/drive/engine_if.h"
#include "platter/drive/read_write_channel.h"

namespace platter::drive {

/// Told when a command is finished.
class CompletionSinkIf {
 public:
  virtual ~CompletionSinkIf() = default;
  /// The command's last block is with the host at `when` (>= now).
  virtual void complete_at(Slot& slot, Picoseconds when) = 0;
};

/// What the buffer did for the host, and what it cost.
struct CacheStatistics {
  std::uint64_t read_hits = 0;      ///< reads served from the buffer
  std::uint64_t partial_hits = 0;   ///< reads whose first blocks were there
  std::uint64_t cached_writes = 0;  ///< writes complete before they were on the media
  std::uint64_t destages = 0;       ///< accesses that wrote them
};

/// How long the arm waited for decisions.
struct StallStatistics {
  std::uint64_t idle_decisions = 0;  ///< asked for by a command that found the arm at rest
  std::uint64_t stalls = 0;          ///< others for which the arm waited
  Picoseconds stall = 0;             ///< how long, in all

  StallStatistics& operator+=(const StallStatistics& other) {
    idle_decisions += other.idle_decisions;
    stalls += other.stalls;
    stall += other.stall;
    return *this;
  }
};

/// The drive's state machine: asks the engine, takes the arm there, waits for the sector, transfers; serves from the buffer what
/// is in it, keeps writes there and takes them to the media as commands of its own. One kernel event an access; with
/// an observer one a phase, at the same times.
class Controller : public sc_core::sc_module, public DecisionSinkIf {
 public:
  SC_HAS_PROCESS(Controller);
  Controller(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner,
             const mechanics::DriveProfile& profile, CommandQueue& queue, Actuator& actuator, ReadWriteChannel& channel,
             EngineIf& engine, BlockTranslation* translation);

  void bind_completion_sink(CompletionSinkIf& sink) { completion_ = &sink; }
  void set_observer(DriveObserverIf* observer) { observer_ = observer; }

  /// A command is in the queue: starts its overhead and, where nothing else can, its data transfer.
  void arrived(Slot& slot);
  /// A command of the queue that waits for no other one.
  void ready(Slot& slot);

  /// The drive has lost its power: the access under way stops, engine and buffer are emptied, the arm is parked at cylinder 0.
  /// What has not reached the media never will. The commands are the caller's.
  void halt();

  void decided(const Decision& decision, Picoseconds effective) override;
  void preparation_changed() final {
    if (observer_ != nullptr) observer_->preparation_changed(engine_.prepared_from());
  }

  /// Time spent on accesses (overhead to the end of the transfer) that have ended or run now.
  Picoseconds busy(Picoseconds now) const {
    // An access that has been decided on begins a little later.
    return busy_ + (mechanics_busy_ && now > busy_since_ ? now - busy_since_ : 0);
  }
  /// Tag of the access that runs, or -1. Accesses of the drive's own go by a tag that no command in the engine has.
  int current_tag() const { return current_ != nullptr ? current_->command.tag.value : -1; }
  /// Null for a drive without segments.
  const buffer::SegmentBuffer* segments() const { return buffer_.get(); }
  const CacheStatistics& cache_statistics() const { return cache_statistics_; }
  const StallStatistics& stall_statistics() const { return stall_statistics_; }
  /// Null without eager writing.
  const BlockTranslation* translation() const { return translation_; }
  BlockTranslation* translation() { return translation_; }
  /// The disks as a power loss now would leave them; precondition: eager writing on a drive that holds data.
  MediaImage power_loss_image() const;
  /// The arm, which has just been busy, waits for a decision.
  bool stalled() const { return state_ == ControllerState::Decide && !at_rest_; }

 private:
  struct Phase {
    ControllerState state;
    Picoseconds duration;
  };
  /// A write of buffered blocks to the media.
  struct Destage {
    Slot slot;
    buffer::DirtyBlocks blocks{};
  };

  void step();
  /// The arm is free, and whatever comes at this time has come.
  void settled();
  void ask(bool at_rest);
  /// Tells the engine when and how the arm will be free, if it is busy.
  void prepare(Picoseconds now);
  void next_phase();
  void finish();
  void finish_host(Slot& slot, Picoseconds now);
  /// Eager writing: the access of a part has ended. True if the command has another one.
  bool finish_part(Slot& slot, Picoseconds now);
  void finish_destage(Destage& destage);
  void release_waiting(Slot& slot);
  void enter(ControllerState state) {
    state_ = state;
    if (observer_ != nullptr) observer_->state_changed(state);
  }

  void submit(Slot& slot);
  /// False if the engine is full.
  bool enter_engine(Slot& slot);
  void begin();
  void add_phase(ControllerState state, Picoseconds duration);
  void serve(Slot& slot, Picoseconds effective);
  void start_phases();
  void wake();
  /// False if the arm is busy with it until `arm_free_`.
  bool stop_read_ahead();
  void receive(Slot& slot, Picoseconds begin);
  /// Serves a read from the buffer; false if it needs the media.
  bool serve_from_buffer(Slot& slot, Picoseconds now);
  bool cache_write(Slot& slot);
  void submit_destages(Picoseconds data_ready);
  void retry_held();
  void deliver_bytes(Slot& slot, Picoseconds& done);
  void complete(Slot& slot, Picoseconds done);
  /// The host hears of the command's end at `when`, or later where an ordered command keeps the order of the answers.
  void answer(Slot& slot, Picoseconds when);
  /// Does `slot` write where a cached write still waits?
  bool over_dirty(const Slot& slot) const {
    return buffer_ != nullptr && buffer_->dirty(slot.command.extent.first, slot.command.extent.blocks);
  }

  const mechanics::AccessPlanner& planner_;
  CommandQueue& queue_;
  Actuator& actuator_;
  ReadWriteChannel& channel_;
  EngineIf& engine_;
  BlockTranslation* translation_;
  CompletionSinkIf* completion_ = nullptr;
  DriveObserverIf* observer_ = nullptr;

  Picoseconds preparation_;
  Picoseconds read_completion_;
  Picoseconds write_completion_;  ///< with getting the bus again, for a write that the media has held up
  Picoseconds cached_completion_;
  std::uint32_t write_watermark_;
  std::unique_ptr<buffer::SegmentBuffer> buffer_;
  std::vector<Destage> destages_;
  std::vector<Slot*> entries_;  ///< the commands in the engine, by their tag there
  std::vector<Slot*> waiting_;  ///< for an entry, the drive's own last
  std::vector<Tag> held_;      ///< wait for blocks to be written to the media, in order of arrival
  std::vector<Tag> retried_;   ///< those that are being looked at again
  std::vector<Tag> flushes_;   ///< wait for all of them
  std::vector<Tag> urgent_;    ///< head-of-queue commands, the first to be served last
  CacheStatistics cache_statistics_;
  StallStatistics stall_statistics_;

  core::EndOfInstant end_of_instant_;
  sc_core::sc_event arrival_event_;
  sc_core::sc_event step_event_;
  ControllerState state_ = ControllerState::Idle;
  Slot* current_ = nullptr;  ///< null during a Move, and while a decision turns out to need no access
  std::array<Phase, 6> phases_{};
  std::size_t phase_count_ = 0;
  std::size_t phase_ = 0;
  bool at_rest_ = true;      ///< the arm was not busy when it was asked for
  Picoseconds asked_ = 0;
  Picoseconds access_end_ = 0;
  Picoseconds arm_free_ = -1;  ///< when a read-ahead that has been stopped lets go of the arm
  Picoseconds media_start_ = 0;
  Picoseconds media_end_ = 0;
  Picoseconds bus_finish_ = 0;  ///< when the last block of the current read would have left over a free bus
  Picoseconds busy_ = 0;
  Picoseconds busy_since_ = 0;
  std::uint32_t passed_ = 0;  ///< blocks before the current read's that went by under the head and are kept
  core::Lba previous_end_{~std::uint64_t{0}};  ///< where the last completed command ended
  Picoseconds last_answer_ = 0;
  Picoseconds write_answer_ = 0;    ///< the last one of a write
  Picoseconds ordered_answer_ = 0;  ///< of the last ordered command
  bool mechanics_busy_ = false;
  std::vector<Tag> released_;
};

}  // namespace platter::drive
