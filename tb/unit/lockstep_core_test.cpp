// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/lockstep_core.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "accelerator_work.h"
#include "platter/accelerator/registers.h"

namespace platter::accelerator {
namespace {

using testing::read;
using testing::Work;
using testing::write;

enum class Fault { None, Data, Ok, Cycles, BusyCycles, IrqCycles, Irq };

/// A reference core whose response is wrong from one access on.
class FaultyCore : public BusCoreIf {
 public:
  FaultyCore(Fault fault, std::uint64_t after) : core_(AcceleratorParameters{}), fault_(fault), left_(after) {}

  BusResponse access(const BusRequest& request) override {
    BusResponse response = core_.access(request);
    if (left_ > 0) {
      --left_;
      return response;
    }
    switch (fault_) {
      case Fault::None: break;
      case Fault::Data: response.data ^= 1u << 17; break;
      case Fault::Ok: response.ok = !response.ok; break;
      case Fault::Cycles: ++response.cycles; break;
      case Fault::BusyCycles: ++response.busy_cycles; break;
      case Fault::IrqCycles: ++response.irq_cycles; break;
      case Fault::Irq: response.irq = !response.irq; break;
    }
    return response;
  }
  void reset() override { core_.reset(); }

 private:
  ReferenceCore core_;
  Fault fault_;
  std::uint64_t left_;
};

struct Pair {
  explicit Pair(Fault fault = Fault::None, std::uint64_t after = 0) {
    auto own_model = std::make_unique<ReferenceCore>(AcceleratorParameters{});
    model = own_model.get();
    core = std::make_unique<LockstepCore>(std::move(own_model), std::make_unique<FaultyCore>(fault, after));
  }
  ReferenceCore* model;
  std::unique_ptr<LockstepCore> core;
};

TEST(LockstepCore, EqualCoresRunOnAndAreCounted) {
  Pair pair;
  std::uint64_t sent = 0;
  std::uint64_t starts = 0;
  const auto send = [&](const BusRequest& request) {
    ++sent;
    starts += request.write && request.address == reg::kOp;
    return pair.core->access(request);
  };
  Work work(71);
  work.set_up(send);
  for (int i = 0; i < 3000; ++i) work.step(send);
  EXPECT_GT(starts, 1000u);
  EXPECT_EQ(pair.core->statistics().compared, sent);
  EXPECT_EQ(pair.core->statistics().operations_compared, starts);
  EXPECT_EQ(pair.core->statistics().mismatches, 0u);
}

TEST(LockstepCore, EveryPartOfAResponseIsCompared) {
  for (const Fault fault : {Fault::Data, Fault::Ok, Fault::Cycles, Fault::BusyCycles, Fault::IrqCycles, Fault::Irq}) {
    Pair pair(fault, 5);
    for (int i = 0; i < 5; ++i) EXPECT_NO_THROW(pair.core->access(read(reg::kId)));
    EXPECT_THROW(pair.core->access(read(reg::kId)), LockstepMismatch);
    EXPECT_EQ(pair.core->statistics().compared, 6u);
    EXPECT_EQ(pair.core->statistics().mismatches, 1u);
  }
}

TEST(LockstepCore, TheReportHoldsTheAccessBothResponsesAndBothStates) {
  Pair pair(Fault::Data, 6);
  pair.core->access(write(reg::kReserve, 0x123));
  pair.core->access(write(reg::kEPos, 77 | 3u << 18 | 1u << 24));
  pair.core->access(write(reg::kInsert, 9));
  pair.core->access(write(reg::kOp, 0));
  pair.core->access(write(reg::kClear, 1));
  pair.core->access(read(reg::kMargin));
  std::string told;
  const LockstepCore* caller = nullptr;
  int calls = 0;
  pair.core->on_mismatch([&](const LockstepCore& core, const std::string& report) {
    caller = &core;
    told = report;
    ++calls;
  });
  try {
    pair.core->access({false, reg::kResult, 0, 4'321});
    FAIL() << "no mismatch";
  } catch (const LockstepMismatch& mismatch) {
    EXPECT_EQ(mismatch.what(), told);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(caller, pair.core.get());
  const auto expect = [&told](const std::string& part) {
    EXPECT_NE(told.find(part), std::string::npos) << part << " in\n" << told;
  };
  expect("response 7 (after 1 operations), read RESULT (0x070)");
  expect("at 4321 ps");
  expect("model: data 0x00000109");
  expect("RTL:   data 0x00020109");
  const std::size_t model = told.find("model's registers:");
  const std::size_t rtl = told.find("RTL's registers:");
  ASSERT_LT(model, rtl);
  ASSERT_LT(rtl, told.find("model's table:"));
  EXPECT_LT(told.find("RESERVE = 0x00000123", model), rtl);
  EXPECT_NE(told.find("RESERVE = 0x00020123", rtl), std::string::npos);  // the faulty core's own answer
  expect("tag   9 write class 0 at 77/3@0");
}

TEST(LockstepCore, ReplayBringsAFreshCoreToTheSameState) {
  for (const int steps : {40, 3000}) {  // before the first checkpoint and long after it
    Pair pair;
    Work work(72);
    const auto send = [&](const BusRequest& request) { return pair.core->access(request); };
    work.set_up(send);
    for (int i = 0; i < steps; ++i) work.step(send);
    ReferenceCore fresh{AcceleratorParameters{}};
    pair.core->replay(fresh);

    // What an operation sees is the same ...
    for (const reg::RegisterInfo& info : reg::kRegisters) {
      if (info.access == reg::Access::WriteOnly) continue;
      if (info.offset >= reg::kDecisions) continue;  // count on from the checkpoint
      EXPECT_EQ(fresh.access(read(info.offset)).data, pair.model->access(read(info.offset)).data) << info.name;
    }
    const scheduling::SeekTable& there = fresh.state().seek;
    const scheduling::SeekTable& here = pair.model->state().seek;
    ASSERT_EQ(there.segments.size(), here.segments.size());
    for (std::size_t i = 0; i < there.segments.size(); ++i) {
      EXPECT_EQ(there.segments[i].base, here.segments[i].base);
      EXPECT_EQ(there.segments[i].delta, here.segments[i].delta);
    }
    ASSERT_EQ(there.cells.size(), here.cells.size());
    for (std::size_t i = 0; i < there.cells.size(); ++i) {
      EXPECT_EQ(there.cells[i].group, here.cells[i].group);
      EXPECT_EQ(there.cells[i].last, here.cells[i].last);
    }
    // ... and so is every later answer, order of age included.
    const auto both = [&](const BusRequest& request) {
      const BusResponse a = pair.core->access(request);
      const BusResponse b = fresh.access(request);
      EXPECT_TRUE(a == b) << request.address;
      return a;
    };
    for (int i = 0; i < 300; ++i) work.step(both);
  }
}

TEST(LockstepCore, ReplayRestoresTheMaskAndWhatADecideKeeps) {
  Pair pair;
  const auto send = [&](const BusRequest& request) { return pair.core->access(request); };
  send(write(reg::kEPos, 1u << 25));
  send(write(reg::kInsert, 2));
  send(write(reg::kInsert, 6));
  send(write(reg::kMask0, 1u << 6));
  send(write(reg::kCtrl, 1u << reg::kCtrlMaskEnLsb | 1u << reg::kCtrlGuardEnLsb));
  const std::uint32_t stale = send(write(reg::kOp, 0)).busy_cycles;
  send(write(reg::kClear, 1));
  for (int i = 0; i < 10'000; ++i) send(read(reg::kStatus));  // past several checkpoints
  ReferenceCore fresh{AcceleratorParameters{}};
  pair.core->replay(fresh);
  EXPECT_EQ(fresh.access(read(reg::kBusyCycles)).data, 0u);
  const std::uint32_t kept = send(write(reg::kOp, 0)).busy_cycles;
  EXPECT_LT(kept, stale);
  EXPECT_EQ(fresh.access(write(reg::kOp, 0)).busy_cycles, kept);
  EXPECT_EQ(fresh.access(read(reg::kResult)).data, send(read(reg::kResult)).data);
}

TEST(LockstepCore, ReplayKeepsTheErrorFlagAndTheOrderOfEqualCommands) {
  Pair pair;
  const auto send = [&](const BusRequest& request) { return pair.core->access(request); };
  for (const std::uint32_t tag : {9u, 4u, 30u}) send(write(reg::kInsert, tag));  // all in one place
  send(write(reg::kRemove, 1));                                                  // refused
  for (int i = 0; i < 10'000; ++i) send(read(reg::kStatus));                     // past several checkpoints
  ReferenceCore fresh{AcceleratorParameters{}};
  pair.core->replay(fresh);
  EXPECT_EQ(fresh.access(read(reg::kStatus)).data, pair.model->access(read(reg::kStatus)).data);
  for (const std::uint32_t tag : {9u, 4u, 30u}) {
    fresh.access(write(reg::kOp, 0));
    EXPECT_EQ(fresh.access(read(reg::kResult)).data, tag | 0x100u);
    fresh.access(write(reg::kRemove, tag));
  }
}

TEST(LockstepCore, ResetReachesBothCoresAndStartsANewCheckpoint) {
  Pair pair;
  const auto send = [&](const BusRequest& request) { return pair.core->access(request); };
  send(write(reg::kInsert, 9));
  send(write(reg::kReserve, 5));
  pair.core->reset();
  EXPECT_EQ(send(read(reg::kReserve)).data, 0u);
  EXPECT_EQ(send(read(reg::kStatus)).data, 0u);
  ReferenceCore fresh{AcceleratorParameters{}};
  pair.core->replay(fresh);
  EXPECT_EQ(fresh.access(read(reg::kStatus)).data, 0u);
}

/// A reference core that counts what reaches it, and errs in chosen accesses of one address.
class SeenCore : public BusCoreIf {
 public:
  BusResponse access(const BusRequest& request) override {
    ++accesses;
    operations += request.write && request.address == reg::kOp;
    BusResponse response = core_.access(request);
    if (errs && !request.write && request.address == reg::kResultKey) response.data ^= 4;
    return response;
  }
  void reset() override { core_.reset(); }

  std::uint64_t accesses = 0;
  std::uint64_t operations = 0;
  bool errs = false;

 private:
  ReferenceCore core_{AcceleratorParameters{}};
};

struct SampledPair {
  explicit SampledPair(std::uint64_t compared, std::uint64_t interval, std::uint64_t seed = 1,
                       const std::string& name = "disk") {
    auto own_model = std::make_unique<ReferenceCore>(AcceleratorParameters{});
    auto own_rtl = std::make_unique<SeenCore>();
    model = own_model.get();
    rtl = own_rtl.get();
    core = std::make_unique<LockstepCore>(std::move(own_model), std::move(own_rtl), Sampling{compared, interval, seed, name});
  }
  /// Random work; `each` is called after every step.
  template <typename Each>
  void run(std::uint64_t seed, int steps, const Each& each) {
    Work work(seed);
    const auto send = [this](const BusRequest& request) { return core->access(request); };
    work.set_up(send);
    for (int i = 0; i < steps; ++i) {
      work.step(send);
      each(i);
    }
  }
  ReferenceCore* model;
  SeenCore* rtl;
  std::unique_ptr<LockstepCore> core;
};

TEST(SampledLockstep, TheStateThatAWindowLoadsIsComplete) {
  // Random tables, sweeps, masks and clusters; windows of one to forty decisions anywhere; every register is read within and
  // between them, and nothing may differ.
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::uint64_t compared = 1 + seed % 8 * seed;
    SampledPair pair(compared, compared + 1 + seed % 23, seed);
    pair.run(900 + seed, 1500, [&](int step) {
      if (step % 3 != 0) return;
      for (const reg::RegisterInfo& info : reg::kRegisters) pair.core->access(read(info.offset));
    });
    EXPECT_GT(pair.core->statistics().windows.value(), 2u) << compared;
    EXPECT_EQ(pair.core->statistics().mismatches, 0u);
  }
}

TEST(SampledLockstep, ComparesTheShareThatItIsToldAndRestsBetween) {
  SampledPair pair(10, 200);
  std::uint64_t sent = 0;
  Work work(5);
  const auto send = [&](const BusRequest& request) {
    ++sent;
    return pair.core->access(request);
  };
  work.set_up(send);
  while (pair.model->state().word(reg::kDecisions) < 10'000) work.step(send);
  const engine::EngineStatistics s = pair.core->statistics();
  const std::uint64_t clusters_too = *s.windows * 200;  // operations
  EXPECT_GT(clusters_too, 10'000u);
  EXPECT_NEAR(static_cast<double>(s.operations_compared), 10.0 * static_cast<double>(*s.windows), 10);
  EXPECT_LT(s.compared, sent / 10) << "the power-on sequence is in the first window";
  EXPECT_LT(pair.rtl->operations, 2 * s.operations_compared) << "a load takes one DECIDE at most";
}

TEST(SampledLockstep, PlacesFollowTheSeedAndTheDrive) {
  const auto begins = [](std::uint64_t seed, const std::string& name) {
    SampledPair pair(3, 60, seed, name);
    std::vector<std::uint64_t> at;
    pair.run(8, 3000, [&](int) {
      if (pair.core->statistics().windows.value() > at.size()) at.push_back(pair.model->state().word(reg::kDecisions));
    });
    return at;
  };
  const auto first = begins(1, "disk");
  EXPECT_GT(first.size(), 10u);
  EXPECT_LE(first.front(), 1u) << "the first window begins at once";
  EXPECT_EQ(first, begins(1, "disk"));
  EXPECT_NE(first, begins(2, "disk"));
  EXPECT_NE(first, begins(1, "disk1"));
}

TEST(SampledLockstep, AFaultWithinAWindowStopsTheRun) {
  SampledPair pair(5, 100);
  pair.rtl->errs = true;
  std::string told;
  pair.core->on_mismatch([&](const LockstepCore& of, const std::string& report) {
    told = report;
    ReferenceCore again{AcceleratorParameters{}};
    of.replay(again);
    EXPECT_EQ(again.access(read(reg::kResultKey)).data, pair.model->access(read(reg::kResultKey)).data);
  });
  EXPECT_THROW(pair.run(3, 5000, [&](int) { pair.core->access(read(reg::kResultKey)); }), LockstepMismatch);
  EXPECT_NE(told.find("in window 1"), std::string::npos) << told;
  EXPECT_EQ(pair.core->statistics().mismatches, 1u);
}

}  // namespace
}  // namespace platter::accelerator
