// SPDX-License-Identifier: Apache-2.0
//
// The accelerator as a TLM target: reference model and RTL behind the same socket must give the same responses, delays and
// interrupts for any sequence of accesses.
#include "testing.h"

#include <algorithm>

#include "platter/accelerator/accelerator_target.h"
#include "platter/accelerator/lockstep_core.h"
#include "platter/accelerator/reference_core.h"
#include "platter/accelerator/registers.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/core/random.h"

// Of Verilator's run-time in Platter: a failed assertion of the design calls it.
void platter_vl_stop(const char* file, int line, const char* scope);

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;
using accelerator::AcceleratorTarget;
using core::RandomStream;

constexpr Picoseconds kClock = 5'000;
constexpr std::uint32_t kEntries = 32;
constexpr Picoseconds kAccess = 2 * kClock;
/// From the first cycle of a DECIDE without the guard to the interrupt.
constexpr Picoseconds kDecision = (32 / 4 + Picoseconds{reg::kDecisionLatency} + 1) * kClock;
constexpr std::uint32_t kIrqEnable = 1u << reg::kCtrlIrqEnLsb;
constexpr std::uint32_t kClearDone = 1u << reg::kClearDoneLsb;

std::unique_ptr<accelerator::BusCoreIf> make_core(const std::string& make) {
  if (make == "model") return std::make_unique<accelerator::ReferenceCore>(accelerator::RtlCore::built_parameters());
  if (make == "rtl") return std::make_unique<accelerator::RtlCore>(kClock);
  return std::make_unique<accelerator::LockstepCore>(
      std::make_unique<accelerator::ReferenceCore>(accelerator::RtlCore::built_parameters()),
      std::make_unique<accelerator::RtlCore>(kClock));
}

struct Answer {
  tlm::tlm_response_status status;
  std::uint32_t data;
  Picoseconds delay;

  friend bool operator==(const Answer& a, const Answer& b) {
    return a.status == b.status && a.data == b.data && a.delay == b.delay;
  }
};

std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << "{status " << a.status << " data 0x" << std::hex << a.data << std::dec << " delay " << a.delay << "}";
}

/// A bus master with its own target.
class Master : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Master);
  Master(const sc_core::sc_module_name& name, const std::string& make)
      : sc_module(name),
        bus_init_socket("bus_init_socket"),
        irq_i("irq_i"),
        irq_("irq"),
        target("target", make_core(make), kClock) {
    bus_init_socket.bind(target.bus_tgt_socket);
    target.irq_o.bind(irq_);
    irq_i.bind(irq_);
    SC_METHOD(edge);
    sensitive << irq_i;
    dont_initialize();
  }

  tlm_utils::simple_initiator_socket<Master> bus_init_socket;
  sc_core::sc_in<bool> irq_i;

  Answer access(bool write, std::uint64_t address, std::uint32_t data, Picoseconds delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return transport(payload, data, delay);
  }
  Answer transport(tlm::tlm_generic_payload& payload, std::uint32_t& data, Picoseconds delay) {
    sc_core::sc_time time = core::to_sc_time(delay);
    bus_init_socket->b_transport(payload, time);
    return {payload.get_response_status(), data, core::to_ps(time)};
  }

  void write(std::uint32_t address, std::uint32_t data) {
    EXPECT_EQ(access(true, address, data, 0).status, tlm::TLM_OK_RESPONSE) << "register " << address;
  }
  std::uint32_t read(std::uint32_t address) {
    const Answer answer = access(false, address, 0, 0);
    EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE) << "register " << address;
    return answer.data;
  }

  bool irq() const { return irq_.read(); }
  std::vector<std::pair<Picoseconds, bool>> edges;

 private:
  void edge() { edges.emplace_back(core::now_ps(), irq_.read()); }

  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> irq_;

 public:
  AcceleratorTarget target;
};

class AcceleratorTargets : public ::testing::Test {
 protected:
  AcceleratorTargets() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

  void both(bool write, std::uint64_t address, std::uint32_t data, Picoseconds delay) {
    const Answer a = model.access(write, address, data, delay);
    const Answer b = rtl.access(write, address, data, delay);
    ASSERT_EQ(a, b) << (write ? "write of " : "read, ") << data << " at " << address;
    ++(a.status == tlm::TLM_OK_RESPONSE ? good : refused);
    ahead = a.delay;
  }

  Master model{"model", "model"};
  Master rtl{"rtl", "rtl"};
  std::uint64_t good = 0;
  std::uint64_t refused = 0;
  Picoseconds ahead = 0;  ///< of the kernel, at the end of the last access
};

TEST_F(AcceleratorTargets, RandomProgramsGetTheSameAnswers) {
  RandomStream random(21, "program");
  const auto any = [&] { return static_cast<std::uint32_t>(random.bits()); };
  const auto position = [&] {
    return static_cast<std::uint32_t>(random.below(10'000) | (random.below(8) << reg::kEPosHeadLsb) |
                                      (random.below(2) << reg::kEPosWriteLsb) | (random.below(3) << reg::kEPosClassLsb));
  };
  both(true, reg::kSeekIndex, 0, 0);
  const accelerator::AcceleratorParameters parameters = accelerator::RtlCore::built_parameters();
  for (std::uint32_t i = 0; i < parameters.format.segments(); ++i) {
    both(true, reg::kSeekBase, 10'000 + 200 * i, 0);
    both(true, reg::kSeekDelta, i % 7 == 3 ? 0xFFFF'FF00u : 200, 0);  // mostly rising, some falling
  }
  both(true, reg::kSeekCell, 0, 0);
  for (std::uint32_t i = 0; i < parameters.format.cells(); ++i) {
    both(true, reg::kSeekLast, any(), 0);
    both(true, reg::kSeekGroup, any(), 0);
  }
  std::uint64_t decisions = 0;
  std::uint64_t forced = 0;
  std::uint64_t empty = 0;
  std::uint64_t refused_entries = 0;
  std::uint64_t clusters = 0;
  std::uint64_t ordered = 0;
  Picoseconds delay = 0;
  const auto peek = [&](std::uint32_t address) {
    rtl.access(false, address, 0, delay);
    return model.access(false, address, 0, delay).data;
  };
  const std::uint32_t steps = scaled(60'000);
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (random.below(4) == 0) {  // the kernel catches up partly, exactly, or runs past the master
      const auto most = static_cast<std::uint64_t>(2 * ahead + 200'000);
      run_until(core::now_ps() + static_cast<Picoseconds>(random.below(most)));
      ASSERT_EQ(model.irq(), rtl.irq()) << "at " << core::now_ps();
      delay = 0;
    }
    delay += static_cast<Picoseconds>(random.below(3)) * kClock;
    const std::uint32_t tag = static_cast<std::uint32_t>(random.below(kEntries + 2));
    switch (random.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:  // a command; tags out of range or in use are refused
        both(true, reg::kEPos, position(), delay);
        both(true, reg::kEAngle, any(), delay);
        both(true, reg::kEEndPos, position(), delay);
        both(true, reg::kEEndAngle, any(), delay);
        both(true, reg::kETransfer, static_cast<std::uint32_t>(random.below(20'000)), delay);
        both(true, reg::kEDeadline, static_cast<std::uint32_t>(random.below(4'000'000)), delay);
        both(true, reg::kEAge, static_cast<std::uint32_t>(random.below(200'000)), delay);
        both(true, reg::kInsert, tag, delay);
        break;
      case 4: both(true, random.below(2) == 0 ? reg::kRemove : reg::kServe, tag, delay); break;
      case 5:  // a CLUSTER's selection, small in most cases so that it is also ordered
        both(true, reg::kCluster,
             static_cast<std::uint32_t>(random.below(8) == 0 ? random.below(13) : random.below(6)) |
                 static_cast<std::uint32_t>(random.below(32)) << reg::kClusterTakeCLsb,
             delay);
        both(true, reg::kClusterFrom, static_cast<std::uint32_t>(random.below(10'000)), delay);
        both(true, reg::kClusterSpan, random.below(2) == 0 ? any() : static_cast<std::uint32_t>(random.below(3'000)), delay);
        break;
      case 6: both(true, reg::kCtrl, random.below(3) == 0 ? any() : kIrqEnable | 1u << reg::kCtrlGuardEnLsb, delay); break;
      case 7:  // head position and time
        both(true, reg::kHeadPos, position(), delay);
        both(true, reg::kHeadTime, static_cast<std::uint32_t>(random.below(3'000'000)), delay);
        both(true, reg::kReserve, static_cast<std::uint32_t>(random.below(100'000)), delay);
        both(true, reg::kAgeNow, static_cast<std::uint32_t>(random.below(200'000)), delay);
        break;
      case 8: {
        if (random.below(4) != 0) break;
        constexpr std::uint32_t kTimes[] = {reg::kMargin,      reg::kRisk,       reg::kRiskCharge, reg::kHeadSwitch,
                                            reg::kWriteSettle, reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr,
                                            reg::kOverheadWw,  reg::kDelay,      reg::kDefer,      reg::kGrace,
                                            reg::kAgeCap,      reg::kAgeScale,   reg::kAhead,      reg::kAheadShare};
        both(true, kTimes[random.below(std::size(kTimes))],
             random.below(8) == 0 ? any() : static_cast<std::uint32_t>(random.below(8'000)), delay);
        break;
      }
      case 9: both(false, reg::kRegisters[random.below(std::size(reg::kRegisters))].offset, 0, delay); break;
      case 10: {  // accesses that no master should make; OP is left for below
        const std::uint64_t addresses[] = {0x0FC, 0x134, 0x138, 0xFFC, 0x1000, 0x002, 0x041};
        const bool known = random.below(2) == 0;
        both(random.below(2) == 0,
             known ? reg::kRegisters[random.below(std::size(reg::kRegisters))].offset
                   : addresses[random.below(std::size(addresses))],
             static_cast<std::uint32_t>(random.below(64)), delay);
        break;
      }
      case 11:
        both(true, reg::kClear,
             random.below(200) == 0 ? any() | 1u << reg::kClearSoftResetLsb : static_cast<std::uint32_t>(random.below(8)),
             delay);
        break;
      case 12:
        both(true, reg::kOp, any() | 1, delay);
        for (const std::uint32_t address : {reg::kClusterCount, reg::kOrderCost, reg::kOrderTags0, reg::kOrderTags1,
                                            reg::kOrderTags2, reg::kMask0, reg::kMask7, reg::kCycles, reg::kStatus})
          both(false, address, 0, delay);
        ++clusters;
        ordered += peek(reg::kClusterCount) >> reg::kClusterCountOrderedLsb & 1;
        break;
      default: {
        both(true, reg::kOp, any() & ~1u, delay);
        for (const std::uint32_t address :
             {reg::kResult, reg::kResultKey, reg::kRefused, reg::kCycles, reg::kNext, reg::kSweep, reg::kDue, reg::kDecisions,
              reg::kBusyCycles, reg::kStallCycles, reg::kRefusedCount, reg::kForcedCount, reg::kStatus})
          both(false, address, 0, delay);
        ++decisions;
        const std::uint32_t result = peek(reg::kResult);
        forced += (result >> reg::kResultForcedLsb) & 1;
        empty += (result >> reg::kResultValidLsb) & 1 ? 0 : 1;
        refused_entries += peek(reg::kRefused);
        if ((result >> reg::kResultValidLsb & 1) != 0 && random.below(2) == 0) both(true, reg::kServe, result & 0xFF, delay);
        break;
      }
    }
    if (HasFatalFailure()) return;
  }
  run_until(core::now_ps() + kMs);
  EXPECT_EQ(model.edges, rtl.edges);
  EXPECT_EQ(accelerator::dump_registers(model.target.core()), accelerator::dump_registers(rtl.target.core()));
  EXPECT_EQ(model.target.access_cycles(), rtl.target.access_cycles());
  // The program must have covered the interesting cases.
  EXPECT_GT(good, steps);
  EXPECT_GT(refused, steps / 30);
  EXPECT_GT(decisions, steps / 10);
  EXPECT_GT(forced, decisions / 50);
  EXPECT_GT(empty, 0u);
  EXPECT_GT(refused_entries, decisions / 2);
  EXPECT_GT(ordered, clusters / 10);
  EXPECT_GT(model.edges.size(), decisions / 20);
}

TEST_F(AcceleratorTargets, EveryRegisterReadsTheSameAfterOnesAndZeros) {
  for (const std::uint32_t pattern : {0xFFFF'FFFFu, 0u, 0x5555'5555u, 0xAAAA'AAAAu})
    for (const reg::RegisterInfo& info : reg::kRegisters) {
      if (info.access == reg::Access::ReadWrite) both(true, info.offset, pattern, 0);
      both(false, info.offset, 0, 0);
      if (info.access == reg::Access::ReadOnly) both(true, info.offset, pattern, 0);
      if (HasFatalFailure()) return;
    }
  EXPECT_EQ(model.read(reg::kId), reg::kIdValue);
  EXPECT_GT(refused, 0u);
}

TEST_F(AcceleratorTargets, EveryAddressOfTheMapAndBeyond) {
  for (std::uint64_t address = 0; address <= 0x1010; ++address)
    for (const bool write : {false, true}) {
      if (write && address == reg::kOp) continue;
      both(write, address, 0, 0);
      if (HasFatalFailure()) return;
      run_until(core::now_ps() + kUs);  // an insertion has its time
      const auto* known = std::find_if(std::begin(reg::kRegisters), std::end(reg::kRegisters),
                                       [&](const reg::RegisterInfo& info) { return info.offset == address; });
      const Answer a = model.access(write, address, 0, 0);
      rtl.access(write, address, 0, 0);
      const bool allowed =
          known != std::end(reg::kRegisters) && known->access != (write ? reg::Access::ReadOnly : reg::Access::WriteOnly);
      if (address % 4 != 0 || address > 0xFFC) {
        EXPECT_EQ(a.status, tlm::TLM_ADDRESS_ERROR_RESPONSE) << address;
      } else if (!allowed) {
        EXPECT_EQ(a.status, tlm::TLM_GENERIC_ERROR_RESPONSE) << address;
        EXPECT_EQ(a.delay, kAccess) << "a refused access takes its time on the bus";
      }
    }
}

// --- one target --------------------------------------------------------------------------------------------------------

class AcceleratorTargetOf : public ::testing::TestWithParam<const char*> {
 protected:
  AcceleratorTargetOf() : master("master", GetParam()) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    run_until(kUs);
  }
  Master master;
};

TEST_P(AcceleratorTargetOf, InterruptRisesWithTheResultAndFallsWhenCleared) {
  master.write(reg::kCtrl, kIrqEnable);
  const Answer start = master.access(true, reg::kOp, 0, 3 * kClock);
  EXPECT_EQ(start.delay, 3 * kClock + kAccess) << "a write that starts work is itself an ordinary one";
  EXPECT_FALSE(master.irq());
  run_until(2 * kUs);
  EXPECT_TRUE(master.irq());
  master.write(reg::kClear, kClearDone);
  run_until(3 * kUs);
  EXPECT_FALSE(master.irq());
  master.write(reg::kOp, 0);
  run_until(4 * kUs);
  ASSERT_EQ(master.edges.size(), 3u);
  EXPECT_EQ(master.edges[0], std::make_pair(kUs + 3 * kClock + kDecision, true));
  EXPECT_EQ(master.edges[1], std::make_pair(2 * kUs, false));
  EXPECT_EQ(master.edges[2], std::make_pair(3 * kUs + kDecision, true));
}

TEST_P(AcceleratorTargetOf, NoInterruptWhileItIsSwitchedOff) {
  master.write(reg::kOp, 0);
  run_until(2 * kUs);
  EXPECT_TRUE(master.edges.empty());
  EXPECT_EQ(master.read(reg::kStatus), 1u << reg::kStatusDoneLsb);
}

TEST_P(AcceleratorTargetOf, InterruptIsDoneAndEnabled) {
  // irq_o = STATUS.DONE & CTRL.IRQ_EN: it follows the enable bit, too.
  master.write(reg::kOp, 0);
  run_until(2 * kUs);
  master.write(reg::kCtrl, kIrqEnable);
  run_until(3 * kUs);
  EXPECT_TRUE(master.irq());
  master.write(reg::kCtrl, 0);
  run_until(4 * kUs);
  EXPECT_FALSE(master.irq());
  master.write(reg::kCtrl, kIrqEnable);
  run_until(5 * kUs);
  EXPECT_TRUE(master.irq());
  ASSERT_EQ(master.edges.size(), 3u);
  EXPECT_EQ(master.edges[0], std::make_pair(2 * kUs + kClock, true)) << "the register changes in the write's first cycle";
  master.write(reg::kClear, 1u << reg::kClearSoftResetLsb);
  run_until(6 * kUs);
  EXPECT_FALSE(master.irq());
}

TEST_P(AcceleratorTargetOf, ADecisionClearedAheadOfTimeLeavesNoInterruptStanding) {
  // A master ahead of the kernel's time decides, waits through its annotation, clears: all in one call of the kernel.
  master.write(reg::kCtrl, kIrqEnable);
  Answer answer = master.access(true, reg::kOp, 0, 0);
  answer = master.access(true, reg::kClear, kClearDone, answer.delay);
  EXPECT_EQ(answer.delay, kDecision + kAccess);
  run_until(2 * kUs);
  EXPECT_FALSE(master.irq());
  // The next decision raises the interrupt normally.
  master.write(reg::kOp, 0);
  run_until(3 * kUs);
  EXPECT_TRUE(master.irq());
  EXPECT_EQ(master.edges.back(), std::make_pair(2 * kUs + kDecision, true));
}

TEST_P(AcceleratorTargetOf, AnAccessDuringADecisionWaits) {
  for (const std::uint32_t ctrl : {kIrqEnable, 0u}) {  // polling takes as long as waiting for the interrupt
    SCOPED_TRACE(ctrl);
    master.write(reg::kCtrl, ctrl);
    run_until(core::now_ps() + kUs);
    const Answer start = master.access(true, reg::kOp, 0, 0);
    EXPECT_EQ(start.delay, kAccess);
    const Answer result = master.access(false, reg::kStatus, 0, start.delay);
    EXPECT_EQ(result.delay, kDecision + kAccess);
    EXPECT_EQ(result.data & 0xFF, 1u << reg::kStatusDoneLsb);
    // A later access during the same decision finds it ended.
    EXPECT_EQ(master.access(false, reg::kStatus, 0, result.delay).delay, kDecision + 2 * kAccess);
    EXPECT_EQ(master.access(false, reg::kStatus, 0, kUs).delay, kUs + kAccess);
    run_until(core::now_ps() + kUs);
    master.write(reg::kClear, kClearDone);
  }
}

TEST_P(AcceleratorTargetOf, AnAccessWaitsForAnyWork) {
  const Picoseconds insert = 3 * kClock;  // BUSY in cycles 1 and 2
  const Answer first = master.access(true, reg::kInsert, 4, 0);
  EXPECT_EQ(first.delay, kAccess);
  const Answer second = master.access(true, reg::kInsert, 5, first.delay);
  EXPECT_EQ(second.delay, insert + kAccess);
  EXPECT_EQ(master.access(false, reg::kStatus, 0, second.delay).delay, 2 * insert + kAccess);
  run_until(core::now_ps() + kUs);
  const Answer serve = master.access(true, reg::kServe, 4, 0);  // two entries: BUSY for three cycles
  EXPECT_EQ(master.access(false, reg::kStatus, 0, serve.delay).delay, 4 * kClock + kAccess);
  run_until(core::now_ps() + kUs);
  const Answer remove = master.access(true, reg::kRemove, 5, 0);
  EXPECT_EQ(master.access(false, reg::kStatus, 0, remove.delay).delay, 3 * kClock + kAccess);
  run_until(core::now_ps() + kUs);
  const Answer refusal = master.access(true, reg::kRemove, 5, 0);
  EXPECT_EQ(refusal.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
  EXPECT_EQ(master.access(false, reg::kStatus, 0, refusal.delay).delay, 2 * kAccess) << "starts no work";
  EXPECT_TRUE(master.edges.empty());
}

TEST_P(AcceleratorTargetOf, ShortestWorkOutlastsItsAccessByACycle) {
  master.write(reg::kCtrl, kIrqEnable);
  const Answer cluster = master.access(true, reg::kOp, 1, 0);  // of an empty list: BUSY for two cycles, from the second on
  EXPECT_EQ(cluster.delay, kAccess);
  EXPECT_EQ(master.access(false, reg::kStatus, 0, cluster.delay).delay, kAccess + kClock + kAccess);
  run_until(2 * kUs);
  ASSERT_EQ(master.edges.size(), 1u);
  EXPECT_EQ(master.edges[0], std::make_pair(kUs + kAccess + kClock, true));
}

TEST_P(AcceleratorTargetOf, TwoDecisionsInARowTakeTwice) {
  master.write(reg::kCtrl, kIrqEnable);
  const Answer first = master.access(true, reg::kOp, 0, 0);
  const Answer second = master.access(true, reg::kOp, 0, first.delay);
  EXPECT_EQ(second.delay, kDecision + kAccess);
  EXPECT_EQ(master.access(false, reg::kDecisions, 0, second.delay).delay, 2 * kDecision + kAccess);
  EXPECT_EQ(master.read(reg::kDecisions), 2u);
}

TEST_P(AcceleratorTargetOf, PayloadsThatAreNoRegisterAccess) {
  std::uint32_t data = 0x1234'5678;
  unsigned char enables[4] = {0xFF, 0, 0xFF, 0};
  const auto answer = [&](const std::function<void(tlm::tlm_generic_payload&)>& change) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(reg::kHeadTime);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    change(payload);
    const Answer a = master.transport(payload, data, 7 * kClock);
    EXPECT_EQ(a.delay, 7 * kClock);
    return a.status;
  };
  EXPECT_EQ(answer([](auto& p) { p.set_data_length(8); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_data_length(2); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_data_length(0); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_streaming_width(2); }), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_address(reg::kHeadTime + 2); }), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_address(std::uint64_t{1} << 32); }), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(answer([](auto& p) { p.set_command(tlm::TLM_IGNORE_COMMAND); }), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(answer([&](auto& p) {
              p.set_byte_enable_ptr(enables);
              p.set_byte_enable_length(4);
            }),
            tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  EXPECT_EQ(data, 0x1234'5678u);
  EXPECT_EQ(master.read(reg::kHeadTime), 0u) << "none of them changed the register";
}

/// Stops as a failed assertion of the design does, within an access.
struct StoppingSampler : accelerator::WaveSamplerIf {
  bool wants(Picoseconds) const override { return true; }
  void sample(Picoseconds) override { platter_vl_stop(__FILE__, __LINE__, ""); }
};

TEST(RtlCore, AnAssertionThatFailsEndsTheAccessOfItsOwnCore) {
  accelerator::RtlCore first(kClock, nullptr, "sched", accelerator::RtlCore::Copy::Waves), last(kClock);  // Waves has a sampler
  EXPECT_TRUE(last.access({false, 0, 0, 0}).ok);
  StoppingSampler stopping;
  first.set_sampler(&stopping);
  EXPECT_THROW(first.access({false, 0, 0, 0}), core::SimulationError);
  EXPECT_TRUE(last.access({false, 0, 0, kClock}).ok);
}

INSTANTIATE_TEST_SUITE_P(Makes, AcceleratorTargetOf, ::testing::Values("model", "rtl", "lockstep"));

}  // namespace
}  // namespace platter::testing
