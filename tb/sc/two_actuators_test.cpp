// SPDX-License-Identifier: Apache-2.0
#include "platter/drive/actuator_unit.h"
#include "platter/drive/dispatcher.h"
#include "testing.h"

namespace platter::testing {
namespace {

using drive::QueueEntry;
using drive::Stage;

TEST(Stages, FollowTheTable) {
  const auto follow = [](Stage from) {
    std::string all;
    for (std::size_t to = 0; to < drive::kStages; ++to)
      if (drive::allowed(from, static_cast<Stage>(to))) all += std::string(all.empty() ? "" : " ") + drive::kStageNames[to];
    return all;
  };
  EXPECT_EQ(follow(Stage::Free), "received");
  EXPECT_EQ(follow(Stage::Received), "blocked held queued done");
  EXPECT_EQ(follow(Stage::Blocked), "held queued done");
  EXPECT_EQ(follow(Stage::Held), "held queued done");
  EXPECT_EQ(follow(Stage::Queued), "leaving access done");
  EXPECT_EQ(follow(Stage::Leaving), "queued done");
  EXPECT_EQ(follow(Stage::Access), "queued done");
  EXPECT_EQ(follow(Stage::Done), "free answered");
  EXPECT_EQ(follow(Stage::Answered), "free");
}

TEST(Stages, WhatTheTableDoesNotHaveIsFatal) {
  sc_core::sc_report_handler::set_actions("/platter/drive/stage", sc_core::SC_FATAL, sc_core::SC_THROW);
  QueueEntry entry;
  entry.enter(Stage::Received);
  EXPECT_THROW(entry.enter(Stage::Access), sc_core::sc_report);
  EXPECT_EQ(entry.stage, Stage::Received);
}

/// Records the end of each access, and how many accesses ran in parallel with one of another actuator.
struct Log : drive::DispatchSinkIf {
  struct End {
    std::uint64_t first;
    Picoseconds when;
  };
  std::vector<End> ends;
  std::vector<const drive::ActuatorUnit*> units;
  std::uint32_t beside = 0;

  bool served_meanwhile(QueueEntry& /*entry*/, Picoseconds /*effective*/) override { return false; }
  void accessed(QueueEntry& entry) override {
    ends.push_back({entry.command.extent.first.value, core::now_ps()});
    std::uint32_t busy = 0;
    for (const drive::ActuatorUnit* unit : units)
      busy += unit->current() != nullptr ? 1u : 0u;  // the other one: this one's has ended
    if (busy > 0) ++beside;
    entry.enter(Stage::Done);
  }
  void withdrawn(QueueEntry& /*entry*/) override {}
};

profile::DriveProfile one_surface() {
  profile::DriveProfile profile = toy_profile();
  profile.geometry.surfaces = 1;
  return profile;
}

/// An actuator with its engine.
struct OneActuator : sc_core::sc_module {
  OneActuator(const sc_core::sc_module_name& name, const mechanics::AccessPlanner& planner, drive::Spindle& spindle,
              const drive::HostBus& bus, Log& log)
      : sc_module(name),
        engine(system::engine_factory(engine_options("SPTF", "firmware", one_surface()))({planner, 32, 5'000})),
        unit("actuator", planner),
        dispatcher("dispatcher", *engine, unit, spindle, bus, 32, nullptr, nullptr) {
    dispatcher.bind_sink(log);
    log.units.push_back(&unit);
  }

  std::unique_ptr<engine::EngineIf> engine;
  drive::ActuatorUnit unit;
  drive::Dispatcher dispatcher;
  std::uint16_t used = 0;
};

/// Actuators on one spindle, each with one of the toy drive's two surfaces.
struct Actuators {
  explicit Actuators(const std::string& name, std::size_t count)
      : planner(one_surface()), spindle((name + "_spindle").c_str(), planner.rotation(), 0), bus(planner) {
    for (std::size_t i = 0; i < count; ++i)
      arms.push_back(std::make_unique<OneActuator>((name + std::to_string(i)).c_str(), planner, spindle, bus, log));
  }

  void read(std::size_t arm, std::uint64_t first) {
    entries.push_back(std::make_unique<QueueEntry>());
    QueueEntry& entry = *entries.back();
    entry.enter(Stage::Received);
    entry.tag = core::Tag(arms[arm]->used++);
    entry.payload = &payload;
    entry.command.sequence = entries.size();
    entry.command.arrival = core::now_ps();
    entry.command.extent = planner.resolve(core::Lba(first), 1, false);
    arms[arm]->dispatcher.submit(entry);
  }

  mechanics::AccessPlanner planner;
  drive::Spindle spindle;
  drive::HostBus bus;
  tlm::tlm_generic_payload payload;
  Log log;
  std::vector<std::unique_ptr<OneActuator>> arms;
  std::vector<std::unique_ptr<QueueEntry>> entries;
};

SC_MODULE(Host) {
  SC_HAS_PROCESS(Host);
  Host(const sc_core::sc_module_name& name, std::function<void()> work) : sc_module(name), work_(std::move(work)) {
    SC_THREAD(run);
  }
  void run() { work_(); }
  std::function<void()> work_;
};

TEST(TwoActuators, BothMoveAtOnceEachAsItWouldAlone) {
  Actuators both("both", 2);
  std::vector<std::unique_ptr<Actuators>> alone;
  for (std::size_t arm = 0; arm < 2; ++arm) alone.push_back(std::make_unique<Actuators>("alone" + std::to_string(arm), 1));
  // 32 cylinders of each arm, in an order that SPTF changes.
  const auto block = [](std::size_t arm, std::uint64_t i) {
    return (i * 37 + arm * 11) % 128 * kToyTrack + (i * 23 + arm * 7) % kToyTrack;
  };
  std::uint32_t half_way = 0;
  Host host("host", [&] {
    for (std::uint64_t i = 0; i < 32; ++i)
      for (std::size_t arm = 0; arm < 2; ++arm) {
        both.read(arm, block(arm, i));
        alone[arm]->read(0, block(arm, i));
      }
    sc_core::wait(core::to_sc_time(Picoseconds{2} * kMs));
    for (const auto& arm : both.arms) half_way += arm->unit.current() != nullptr ? 1u : 0u;
  });
  sc_core::sc_start();
  EXPECT_EQ(half_way, 2u) << "both arms are at an access";
  ASSERT_EQ(both.log.ends.size(), 64u);
  EXPECT_GT(both.log.beside, 50u);
  for (std::size_t arm = 0; arm < 2; ++arm) {
    std::vector<std::uint64_t> order;
    std::vector<Picoseconds> times;
    for (const Log::End& end : both.log.ends)
      for (std::uint64_t i = 0; i < 32; ++i)
        if (end.first == block(arm, i)) {
          order.push_back(end.first);
          times.push_back(end.when);
        }
    ASSERT_EQ(order.size(), 32u);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(order[i], alone[arm]->log.ends[i].first) << "arm " << arm << ", access " << i;
      EXPECT_EQ(times[i], alone[arm]->log.ends[i].when) << "arm " << arm << ", access " << i;
    }
    EXPECT_EQ(both.arms[arm]->unit.busy(core::now_ps()), alone[arm]->arms[0]->unit.busy(core::now_ps()));
    EXPECT_EQ(both.arms[arm]->unit.current_tag(), -1);
  }
  EXPECT_NE(both.arms[0]->unit.state().cylinder.value, both.arms[1]->unit.state().cylinder.value);
}

TEST(TwoActuators, AReadAheadIsOneArmsAndTheOtherGoesOn) {
  profile::DriveProfile profile = one_surface();
  profile.cache.segments = 2;
  profile.cache.segment_blocks = 256;
  profile.cache.read_ahead = profile::ReadAhead::Segment;
  const mechanics::AccessPlanner planner(profile);
  drive::HostBus bus(planner);
  drive::CacheManager cache(planner, profile, bus, 0);
  drive::ActuatorUnit first("first", planner);
  drive::ActuatorUnit second("second", planner);
  QueueEntry entry;
  entry.command.extent = planner.resolve(core::Lba(10 * kToyTrack), 4, false);
  first.arm().follow({core::Cylinder(10), core::Head(0), false, 0});
  cache.read_ended(entry, first, 0, true, 0);
  EXPECT_EQ(cache.free_arm(second, 20 * kMs), 20 * kMs);
  EXPECT_EQ(second.state().cylinder.value, 0u);
  cache.free_arm(first, 20 * kMs);
  EXPECT_GT(first.state().cylinder.value, 10u) << "it has read on into the next cylinders";
}

}  // namespace
}  // namespace platter::testing
