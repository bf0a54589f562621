// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "platter/drive/answer_order.h"
#include "platter/drive/cache_manager.h"
#include "platter/drive/data_path.h"
#include "platter/drive/dispatcher.h"
#include "platter/drive/hazard_queue.h"
#include "platter/drive/intake.h"

namespace platter::drive {

/// Told when a command is finished.
class CompletionSinkIf {
 public:
  virtual ~CompletionSinkIf() = default;
  /// The command's last block is with the host at `when` (>= now).
  virtual void complete_at(Slot& slot, Picoseconds when) = 0;
};

/// The life of a command in the drive, from the queue to its answer: what has to wait waits in the queue, the buffer serves what it holds and
/// keeps writes, the rest goes to the dispatchers; the drive's own accesses write to the media what the buffer has kept.
class Controller : public DispatchSinkIf {
 public:
  Controller(const mechanics::AccessPlanner& planner, const profile::DriveProfile& profile, HazardQueue& queue,
             media::Media& media, mapping::MappingIf& mapping, ActuatorUnit& unit, engine::EngineIf& engine);

  void bind_completion_sink(CompletionSinkIf& sink) { completion_ = &sink; }

  /// The host's command `slot.asked` has a tag: starts its overhead, and goes on with it once it waits for no older one.
  void receive(Slot& slot);
  /// Takes a command back that waits: it is answered by Aborted, as soon as no engine looks at it and before whatever waits for it. False if it has
  /// got to an access, or is done: it ends as ever.
  bool abort(Slot& slot);
  /// The drive has lost its power: the access under way stops, and nothing is under way any more. What has not reached the media never will. The
  /// commands are the caller's.
  void halt();

  Dispatcher& dispatcher() { return dispatcher_; }
  const Dispatcher& dispatcher() const { return dispatcher_; }
  /// Null for a drive without segments.
  const CacheManager* cache() const { return cache_.get(); }
  DataPath& data() { return data_; }
  /// Starts from these disks, with nothing in the buffer. Precondition: no command is in the drive.
  void mount(const DurableImage& image) {
    if (cache_) cache_->clear();
    data_.mount(image);
  }
  /// The disks as a power loss now would leave them.
  DurableImage power_loss_image() const;

  bool served_meanwhile(Slot& slot, Picoseconds effective) override;
  void accessed(Slot& slot) override;
  void withdrawn(Slot& slot) override;

 private:
  /// It waits for no older command, or no longer.
  void ready(Slot& slot);
  /// A read or write that the buffer takes care of, for now at least: true.
  bool buffered(Slot& slot, Picoseconds now);
  bool serve_from_buffer(Slot& slot, Picoseconds now);
  bool cache_write(Slot& slot, Picoseconds now);
  void submit_destages(Picoseconds data_ready, Picoseconds now);
  void finish_destage(Slot& slot);
  /// A command may take several accesses: one has ended. True if there is another.
  bool goes_on(Slot& slot, Picoseconds now);
  /// What a write has moved is where the mapping says, and reads that wait for it go there.
  void follow(const Slot& written);
  /// The bytes of a read that is done; with what older writes hold, which may still be on their way: returns when it is all there.
  Picoseconds deliver(Slot& slot, Picoseconds done);
  void complete(Slot& slot, Picoseconds done);
  /// What has waited for the command, which has reached the media, goes on.
  void release_waiting(Slot& slot);
  bool last_was_write() const { return dispatcher_.unit().state().last_was_write; }

  /// Of the bus, around the data.
  struct BusTimes {
    explicit BusTimes(const profile::DriveProfile& profile);
    Picoseconds preparation;
    Picoseconds read_completion;
    Picoseconds write_completion;  ///< with getting the bus again, for a write that the media has held up
    Picoseconds cached_completion;
  };

  const mechanics::AccessPlanner& planner_;
  HazardQueue& queue_;
  mapping::MappingIf& mapping_;
  BusTimes times_;
  HostBus bus_;
  std::unique_ptr<CacheManager> cache_;
  DataPath data_;
  Intake intake_;
  Dispatcher dispatcher_;
  AnswerOrder order_;
  CompletionSinkIf* completion_ = nullptr;
  std::vector<Tag> released_;
};

}  // namespace platter::drive
