// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "platter/core/sc_time.h"
#include "platter/core/timed_call.h"
#include "platter/drive/actuator_unit.h"
#include "platter/drive/cache_manager.h"
#include "platter/drive/host_bus.h"
#include "platter/drive/spindle.h"
#include "platter/engine/engine_if.h"

namespace platter::drive {

using scheduling::Decision;

/// How long the actuator waited for decisions.
struct StallStatistics {
  std::uint64_t idle_decisions = 0;  ///< decisions requested while the actuator was idle
  std::uint64_t stalls = 0;          ///< other decisions for which the actuator waited
  Picoseconds stall = 0;             ///< total of these waits

  StallStatistics& operator+=(const StallStatistics& other) {
    idle_decisions += other.idle_decisions;
    stalls += other.stalls;
    stall += other.stall;
    return *this;
  }
};

/// Receives the outcome of the commands that a dispatcher serves.
class DispatchSinkIf {
 public:
  virtual ~DispatchSinkIf() = default;
  /// A command has been selected and is to begin at `effective`. Returns true if it needs no access, because its blocks have meanwhile come into
  /// the buffer or a limit ends it by then.
  virtual bool served_meanwhile(QueueEntry& entry, Picoseconds effective) = 0;
  /// The access of `entry` has ended.
  virtual void accessed(QueueEntry& entry) = 0;
  /// A command that `withdraw` could not take back at once has left the engine.
  virtual void withdrawn(QueueEntry& entry) = 0;
};

/// Inserts commands into the engine of one actuator, requests decisions from it, and has the actuator carry them out.
class Dispatcher : public sc_core::sc_module, public engine::DecisionSinkIf, public AccessSinkIf {
 public:
  /// `tags`: number of the engine's entries. `cache` may be null: the drive has no buffer.
  Dispatcher(const sc_core::sc_module_name& name, engine::EngineIf& engine, ActuatorUnit& unit, Spindle& spindle,
             const HostBus& bus, std::uint32_t tags, CacheManager* cache, mapping::PlacingIf* placing);

  void bind_sink(DispatchSinkIf& sink) { sink_ = &sink; }
  void set_decision_probes(const DecisionProbes& probes) { decision_probes_ = &probes; }

  /// Queues a command that waits for no other command.
  void submit(QueueEntry& entry);
  /// Withdraws a queued command. Returns false if the engine still reads it; `DispatchSinkIf::withdrawn` is called when it no longer does.
  bool withdraw(QueueEntry& entry);
  /// False if `find_stream` would find nothing, as almost always on a load of random requests.
  bool stream_may_wait(core::Lba end) const { return finds_streams_ && urgent_.empty() && starts_[bucket(end.value)] != 0; }
  /// Collects in `reads` the waiting reads that continue, one behind the other, a read that ended at block `end` on the media at
  /// `ended`, if the actuator may read on for them. Where other commands wait, these are reads that had arrived by then, of at most
  /// `most` blocks together; none while a command that is not among them has a deadline or belongs to the head of the queue.
  void find_stream(core::Lba end, Picoseconds ended, std::uint32_t most, std::vector<QueueEntry*>& reads) const;
  /// A command has left the queue without an access: shows the engine the reads that waited behind it.
  void regroup();
  /// The extent of a queued command has changed.
  void moved(const QueueEntry& entry);
  /// Commands of hosts have waited for destages since then.
  void awaited(const scheduling::AwaitedDestages& since) {
    if (engine_.awaited(since)) wake();
  }
  /// A command has been completed, and its data is on the bus. The overhead of the next command depends on `write`.
  void completed(bool write);
  bool has_work() const { return !urgent_.empty() || !engine_.empty() || !behind_.empty(); }
  /// No command is queued, and the actuator is at rest or reads ahead.
  bool idle() const { return unit_.doing() == ControllerState::Idle && !has_work(); }
  /// The actuator is idle, and an access could begin at once.
  bool may_move() const { return idle() && !spindle_.rests(); }
  /// The spindle is about to stop: a read-ahead ends.
  void spindle_stops() {
    if (may_move()) take_arm();  // at rest there is none, and it would end the rest
    if (cache_ != nullptr) cache_->access_begins(unit_);
  }
  /// The bus has been occupied by another actuator's command: tells the engine, if it prepares a decision.
  void bus_changed() {
    if (unit_.busy() || unit_.doing() == ControllerState::Idle) prepare(core::now_ps());
  }
  /// Stops the actuator's read-ahead, and starts a spindle that stands. Returns false if an access can begin only some time later.
  bool take_arm();

  ActuatorUnit& unit() { return unit_; }
  const ActuatorUnit& unit() const { return unit_; }
  const StallStatistics& statistics() const { return stalls_; }
  /// The actuator, which has just ended an access, waits for a decision.
  bool stalled() const { return unit_.doing() == ControllerState::Decide && !question_.at_rest; }

  /// The drive has lost its power: discards all commands and parks the arm.
  void halt();

  void decided(const Decision& decision, Picoseconds effective) override;
  void left(Tag tag) override;
  void preparation_changed() override {
    if (unit_.watched()) unit_.preparation_changed(engine_.prepared_from());
  }
  void access_ended(QueueEntry* entry) override;

 private:
  /// False if the engine is full.
  bool enter_engine(QueueEntry& entry);
  bool in_engine(const QueueEntry& entry) const { return entries_[entry.command.tag.value] == &entry; }
  /// Inserts waiting commands into free entries of the engine.
  void fill();
  /// Inserts a command into the engine, or lets it wait for an entry there.
  void enter(QueueEntry& entry);
  /// The waiting read that begins at this block and could be served at any time; null if there is none.
  QueueEntry* waiting_read(core::Lba first) const;
  /// True if a read continues one that waits, or is being read, and no command with a deadline waits, for which the drive would not read on.
  /// The policy then sees the first of the two only.
  bool continues(const QueueEntry& entry) const {
    return finds_streams_ && with_deadline_ == 0 && !entry.command.extent.write && follows_one(entry);
  }
  bool follows_one(const QueueEntry& entry) const;
  /// Throws std::logic_error if an engine answers otherwise than EngineIf allows.
  void check(const Decision& decision, Picoseconds effective) const {
    const bool serves = decision.kind == Decision::Kind::Serve || decision.kind == Decision::Kind::Write;
    const bool waits = !serves || (decision.tag.value < entries_.size() && entries_[decision.tag.value] != nullptr &&
                                   entries_[decision.tag.value]->stage == Stage::Queued);
    if (!waits || unit_.doing() != ControllerState::Decide || effective < core::now_ps() ||
        decision.kind == Decision::Kind::Again)
      report_violation(decision, waits, effective);
  }
  [[noreturn]] void report_violation(const Decision& decision, bool waits, Picoseconds effective) const;
  /// Ends the simulation, because the engine has broken its contract.
  [[noreturn]] void stop(const char* wrong, Tag tag) const;
  /// Index into `starts_` and `ends_`; requests are aligned, so low bits alone would collide.
  static std::size_t bucket(std::uint64_t block) { return block * 0x9E37'79B9'7F4A'7C15u >> 54u; }
  /// Counts a command that is not urgent and waits from now on (1), or no longer does (-1).
  void count(const QueueEntry& entry, int change) {
    commands_ += static_cast<std::size_t>(change);
    if (entry.command.deadline != core::kNoDeadline) with_deadline_ += static_cast<std::size_t>(change);
    const mechanics::Extent& extent = entry.command.extent;
    if (!finds_streams_ || extent.write) return;
    starts_[bucket(extent.first.value)] += static_cast<std::uint16_t>(change);
    ends_[bucket(extent.first.value + extent.blocks)] += static_cast<std::uint16_t>(change);
  }
  void free_entry(Tag tag);
  void wake();
  /// The actuator is free, and all commands of the current time have arrived.
  void settled();
  void ask(bool at_rest);
  /// If the actuator is busy, tells the engine when and in which state it will be free.
  void prepare(Picoseconds now);
  void serve(QueueEntry& entry, const Decision& decision, Picoseconds effective);
  /// Tells the probes, if there are any.
  void report(const Decision& decision, const QueueEntry* chosen, Picoseconds effective) {
    if (decision_probes_ != nullptr && !decision_probes_->empty()) tell(decision, chosen, effective);
  }
  void tell(const Decision& decision, const QueueEntry* chosen, Picoseconds effective) const;

  engine::EngineIf& engine_;
  ActuatorUnit& unit_;
  Spindle& spindle_;
  const HostBus& bus_;
  CacheManager* cache_;
  mapping::PlacingIf* placing_;
  DispatchSinkIf* sink_ = nullptr;
  const DecisionProbes* decision_probes_ = nullptr;
  std::vector<QueueEntry*> entries_;  ///< the commands in the engine, by their tag there
  std::vector<QueueEntry*> waiting_;  ///< commands that wait for an entry of the engine, internal ones last
  std::vector<QueueEntry*> urgent_;   ///< head-of-queue commands; the last in the vector is served first
  std::vector<QueueEntry*>
      behind_;                ///< reads that continue another waiting one, which the engine does not see, in order of arrival
  std::size_t commands_ = 0;  ///< in `entries_`, `waiting_` and `behind_`
  std::size_t with_deadline_ = 0;             ///< of them
  bool finds_streams_;                        ///< the drive may read on for a stream
  std::array<std::uint16_t, 1024> starts_{};  ///< reads among them, by a hash of their first block
  std::array<std::uint16_t, 1024> ends_{};    ///< the same of the block behind them
  StallStatistics stalls_;
  core::TimedCall decision_;
  core::TimedCall wake_;
  struct {
    bool at_rest = true;  ///< the actuator was idle when the decision was requested
    Picoseconds asked = 0;
    mechanics::HeadState head{};
  } question_;
  Picoseconds arm_free_ = -1;  ///< when a stopped read-ahead releases the actuator, and the spindle has its speed
};

}  // namespace platter::drive
