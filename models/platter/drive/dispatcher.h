// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "platter/core/end_of_instant.h"
#include "platter/drive/actuator_unit.h"
#include "platter/drive/cache_manager.h"
#include "platter/drive/host_bus.h"
#include "platter/engine/engine_if.h"

namespace platter::drive {

using scheduling::Decision;

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

/// Told what becomes of the commands that a dispatcher hands out.
class DispatchSinkIf {
 public:
  virtual ~DispatchSinkIf() = default;
  /// A read has been decided on, to begin at `effective`: true if it needs no access, for its blocks have come into the buffer meanwhile.
  virtual bool served_meanwhile(Slot& slot, Picoseconds effective) = 0;
  /// The access of `slot` has ended.
  virtual void accessed(Slot& slot) = 0;
  /// A command that `withdraw` could not take back at once has left the engine.
  virtual void withdrawn(Slot& slot) = 0;
};

/// Puts commands into the engine of one actuator, asks it what comes next, and has the actuator do it.
class Dispatcher : public sc_core::sc_module, public engine::DecisionSinkIf, public AccessSinkIf {
 public:
  SC_HAS_PROCESS(Dispatcher);
  /// `tags` of the engine. `cache` may be null: no buffer.
  Dispatcher(const sc_core::sc_module_name& name, engine::EngineIf& engine, ActuatorUnit& unit, const HostBus& bus,
             std::uint32_t tags, CacheManager* cache, mapping::MappingIf& mapping);

  void bind_sink(DispatchSinkIf& sink) { sink_ = &sink; }

  /// The command waits for nothing but its turn.
  void submit(Slot& slot);
  /// A command that is queued here is taken back. False: the engine still looks at it; `DispatchSinkIf::withdrawn` says when it no longer does.
  bool withdraw(Slot& slot);
  /// The extent of a queued command has changed.
  void moved(const Slot& slot);
  /// A command of the drive's has been completed, with its data on the bus.
  void completed(bool write);
  bool has_work() const { return !urgent_.empty() || !engine_.empty(); }
  /// Nothing to do, and nothing under way but a read-ahead.
  bool idle() const { return unit_.doing() == ControllerState::Idle && !has_work(); }
  /// Stops the arm's read-ahead. False if the arm is busy with it for some time yet.
  bool take_arm();

  ActuatorUnit& unit() { return unit_; }
  const ActuatorUnit& unit() const { return unit_; }
  const StallStatistics& statistics() const { return stalls_; }
  /// The arm, which has just been busy, waits for a decision.
  bool stalled() const { return unit_.doing() == ControllerState::Decide && !question_.at_rest; }

  /// The drive has lost its power: no command, and the arm is parked.
  void halt();

  void decided(const Decision& decision, Picoseconds effective) override;
  void left(Tag tag) override;
  void preparation_changed() override {
    if (unit_.watched()) unit_.preparation_changed(engine_.prepared_from());
  }
  void access_ended(Slot* slot) override;

 private:
  /// False if the engine is full.
  bool enter_engine(Slot& slot);
  bool in_engine(const Slot& slot) const { return entries_[slot.command.tag.value] == &slot; }
  /// What waits for an entry enters where one is free.
  void fill();
  void free_entry(Tag tag);
  void wake();
  /// The arm is free, and whatever comes at this time has come.
  void settled();
  void ask(bool at_rest);
  /// Tells the engine when and how the arm will be free, if it is busy.
  void prepare(Picoseconds now);
  void serve(Slot& slot, Picoseconds effective);

  engine::EngineIf& engine_;
  ActuatorUnit& unit_;
  const HostBus& bus_;
  CacheManager* cache_;
  mapping::MappingIf& mapping_;
  DispatchSinkIf* sink_ = nullptr;
  std::vector<Slot*> entries_;  ///< the commands in the engine, by their tag there
  std::vector<Slot*> waiting_;  ///< for an entry, the drive's own last
  std::vector<Slot*> urgent_;   ///< head-of-queue commands, the first to be served last
  StallStatistics stalls_;
  core::EndOfInstant end_of_instant_;
  sc_core::sc_event wake_event_;
  struct {
    bool at_rest = true;  ///< the arm was not busy when it was asked for
    Picoseconds asked = 0;
  } question_;
  Picoseconds arm_free_ = -1;  ///< when a read-ahead that has been stopped lets go of the arm
};

}  // namespace platter::drive
