// SPDX-License-Identifier: Apache-2.0
#include "platter/accelerator/lockstep_core.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>

#include "platter/accelerator/registers.h"

namespace platter::accelerator {
namespace {

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

BusRequest write(std::uint32_t address, std::uint32_t data) { return {true, address, data, 0}; }
BusRequest read(std::uint32_t address) { return {false, address, 0, 0}; }

/// Random but sensible work: set up, enter, remove, decide, read back.
class Work {
 public:
  explicit Work(std::uint64_t seed) : random_(seed) {}

  template <typename Send>
  void set_up(const Send& send) {
    send(write(reg::kSeekIndex, 0));
    for (std::uint32_t i = 0; i < scheduling::FixedPointFormat{}.segments(); ++i) {
      send(write(reg::kSeekBase, i * 90));
      send(write(reg::kSeekDelta, i % 5 == 0 ? 0xFFF000u : 90u));
    }
    send(write(reg::kSeekCell, 0));
    for (std::uint32_t i = 0; i < scheduling::FixedPointFormat{}.cells(); ++i) {
      send(write(reg::kSeekLast, bits(9) | bits(9) << 16));
      send(write(reg::kSeekGroup, i | bits(9) << 16));
    }
    send(write(reg::kMargin, 40));
    send(write(reg::kRisk, 400));
    send(write(reg::kRiskCharge, 9000));
    send(write(reg::kHeadSwitch, 2000));
    send(write(reg::kWriteSettle, 0xFFFFF0u));
    send(write(reg::kDelay, 77));
    send(write(reg::kOverheadRw, 500));
    send(write(reg::kClusterSpan, 4000));
    send(write(reg::kCtrl, 0x11));
  }

  template <typename Send>
  void step(const Send& send) {
    const std::uint32_t tag = bits(5);
    switch (bits(3)) {
      case 0:
      case 1:
        if (tags_.count(tag) != 0) return;
        send(write(reg::kEPos, bits(13) | bits(2) << 18 | bits(1) << 24 | (bits(1) << 25)));
        send(write(reg::kEAngle, bits(16)));
        send(write(reg::kEEndPos, bits(13)));
        send(write(reg::kEEndAngle, bits(16)));
        send(write(reg::kETransfer, bits(14)));
        send(write(reg::kEDeadline, bits(24)));
        send(write(reg::kEAge, bits(18)));
        send(write(reg::kInsert, tag));
        tags_.insert(tag);
        break;
      case 2:
        send(write(reg::kRemove, tag));  // now and then refused
        tags_.erase(tag);
        break;
      case 3:
        send(write(reg::kCluster, bits(4) | bits(5) << 9));
        send(write(reg::kClusterFrom, bits(13)));
        send(write(reg::kOp, 1));
        send(read(reg::kMask0));
        send(read(reg::kOrderTags0));
        send(write(reg::kClear, 1));
        break;
      case 4:
        if (bits(3) == 0) send(write(reg::kCtrl, 0x11 | bits(3) << 1));
        send(write(reg::kReserve, bits(20)));
        send(write(reg::kAgeNow, bits(18)));
        break;
      default:
        send(write(reg::kHeadTime, bits(24)));
        send(write(reg::kOp, 0));
        const std::uint32_t result = send(read(reg::kResult)).data;
        if ((result & 0x100) != 0) {
          send(write(reg::kServe, result & 0xFF));
          tags_.erase(result & 0xFF);
        }
        send(write(reg::kClear, 3));
    }
  }

 private:
  std::uint32_t bits(unsigned n) { return static_cast<std::uint32_t>(random_() >> (64 - n)); }
  std::mt19937_64 random_;
  std::set<std::uint32_t> tags_;
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
  EXPECT_EQ(pair.core->statistics().responses, sent);
  EXPECT_EQ(pair.core->statistics().decisions, starts);
  EXPECT_EQ(pair.core->statistics().mismatches, 0u);
}

TEST(LockstepCore, EveryPartOfAResponseIsCompared) {
  for (const Fault fault : {Fault::Data, Fault::Ok, Fault::Cycles, Fault::BusyCycles, Fault::IrqCycles, Fault::Irq}) {
    Pair pair(fault, 5);
    for (int i = 0; i < 5; ++i) EXPECT_NO_THROW(pair.core->access(read(reg::kId)));
    EXPECT_THROW(pair.core->access(read(reg::kId)), LockstepMismatch);
    EXPECT_EQ(pair.core->statistics().responses, 6u);
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
  expect("response 7 (after 1 decisions), read RESULT (0x070)");
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

TEST(LockstepCore, ReplayRestoresTheMaskAndHasEverythingStale) {
  Pair pair;
  const auto send = [&](const BusRequest& request) { return pair.core->access(request); };
  send(write(reg::kEPos, 1u << 25));
  send(write(reg::kInsert, 2));
  send(write(reg::kInsert, 6));
  send(write(reg::kMask0, 1u << 6));
  send(write(reg::kCtrl, 1u << reg::kCtrlMaskEnLsb | 1u << reg::kCtrlGuardEnLsb));
  send(write(reg::kOp, 0));
  send(write(reg::kClear, 1));
  for (int i = 0; i < 10'000; ++i) send(read(reg::kStatus));  // past several checkpoints
  ReferenceCore fresh{AcceleratorParameters{}};
  pair.core->replay(fresh);
  EXPECT_EQ(fresh.access(read(reg::kBusyCycles)).data, 0u);
  const std::uint32_t kept = send(write(reg::kOp, 0)).busy_cycles;
  EXPECT_GT(fresh.access(write(reg::kOp, 0)).busy_cycles, kept);
  EXPECT_EQ(fresh.access(read(reg::kResult)).data, send(read(reg::kResult)).data);
  EXPECT_EQ(fresh.access(write(reg::kOp, 0)).busy_cycles, kept);
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

}  // namespace
}  // namespace platter::accelerator
