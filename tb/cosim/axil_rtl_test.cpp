// SPDX-License-Identifier: Apache-2.0
//
// The Verilated accelerator as a module with pins, behind the bridge, on a running clock. Its registers must give the same
// responses as the same design at the level of accesses, and neither side may violate a rule of AXI4-Lite. The test depends
// little on the register map, so that it need not change with it.
#include "testing.h"

#include <cstring>
#include <set>

#include "platter/accelerator/axil_accelerator.h"
#include "platter/accelerator/registers.h"
#include "platter/accelerator/rtl_core.h"
#include "platter/axi/axil_bridge.h"
#include "platter/axi/axil_checker.h"
#include "platter/core/random.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;
using core::RandomStream;
using sc_core::SC_NS;
using sc_core::sc_time;

constexpr int kCycleNs = 5;
constexpr tlm::tlm_response_status kOk = tlm::TLM_OK_RESPONSE;
constexpr tlm::tlm_response_status kRefused = tlm::TLM_GENERIC_ERROR_RESPONSE;
constexpr std::uint32_t kBusy = 1u << reg::kStatusBusyLsb;
constexpr std::uint32_t kDone = 1u << reg::kStatusDoneLsb;
constexpr std::uint32_t kClearDone = 1u << reg::kClearDoneLsb;
constexpr std::uint32_t kIrqEnable = 1u << reg::kCtrlIrqEnLsb;

/// A TLM initiator, the bridge, the checker and the RTL: docs/reference/axi_bridge.md.
class System : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(System);
  System(const sc_core::sc_module_name& name, std::function<void(System&)> body)
      : sc_module(name),
        bus_init_socket("bus_init_socket"),
        clk("clk", sc_time(kCycleNs, SC_NS)),
        rst_n("rst_n"),
        irq("irq"),
        axil("axil"),
        bridge("bridge"),
        checker("checker", axi::AxilCheckerOptions{axi::Reporting::Error, 4096, 1000}),
        accelerator("accelerator"),
        body_(std::move(body)) {
    bus_init_socket.bind(bridge.bus_tgt_socket);
    bridge.clk_i(clk);
    bridge.rst_ni(rst_n);
    bridge.m_axil.bind(axil);
    checker.clk_i(clk);
    checker.rst_ni(rst_n);
    checker.s_axil.bind(axil);
    accelerator.clk_i(clk);
    accelerator.rst_ni(rst_n);
    accelerator.s_axil.bind(axil);
    accelerator.irq_o(irq);
    SC_THREAD(run);
  }

  /// Simulates until the test's thread has ended.
  void simulate() {
    for (int step = 0; !done_; ++step) {
      ASSERT_LT(step, 100'000) << "an access hangs";
      sc_core::sc_start(sc_time(10, sc_core::SC_US));
    }
    EXPECT_EQ(checker.violation_count(), 0u);
    EXPECT_EQ(checker.warning_count(), 0u);
    EXPECT_EQ(checker.outstanding_reads() + checker.outstanding_writes(), 0u);
  }

  tlm::tlm_response_status access(bool write, std::uint32_t address, std::uint32_t& data, unsigned char* enables = nullptr) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(enables == nullptr ? 0 : 4);
    sc_time delay = sc_core::SC_ZERO_TIME;
    bus_init_socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  tlm::tlm_response_status write(std::uint32_t address, std::uint32_t data) { return access(true, address, data); }
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t data = 0;
    EXPECT_EQ(access(false, address, data), kOk) << address;
    return data;
  }
  void pause(int cycles) { wait(sc_time(cycles * kCycleNs, SC_NS)); }
  /// Waits until no work is in progress.
  void settle() {
    while ((read(reg::kStatus) & kBusy) != 0) pause(10);
  }
  void reset() {
    rst_n.write(false);
    pause(3);
    rst_n.write(true);
    pause(2);
  }
  static std::uint64_t cycle() { return static_cast<std::uint64_t>(core::now_ps() / (1000 * kCycleNs)); }

  tlm_utils::simple_initiator_socket<System> bus_init_socket;
  sc_core::sc_clock clk;
  sc_core::sc_signal<bool> rst_n;
  sc_core::sc_signal<bool> irq;
  axi::AxilSignals<accelerator::RtlPins::kAddressBits> axil;
  axi::AxilBridge bridge;
  axi::AxilChecker checker;
  accelerator::AxilAccelerator accelerator;

 private:
  void run() {
    wait(sc_time(1, SC_NS));  // away from the edges
    reset();
    body_(*this);
    done_ = true;
  }

  std::function<void(System&)> body_;
  bool done_ = false;
};

std::vector<reg::RegisterInfo> registers(reg::Access access) {
  std::vector<reg::RegisterInfo> found;
  for (const reg::RegisterInfo& info : reg::kRegisters)
    if (info.access == access) found.push_back(info);
  return found;
}

std::uint32_t free_address() {
  std::set<std::uint32_t> known;
  for (const reg::RegisterInfo& info : reg::kRegisters) known.insert(info.offset);
  std::uint32_t address = 0xFFC;
  while (known.count(address) != 0) address -= 4;
  return address;
}

TEST(AxilRtl, SaysWhoItIs) {
  System system("system", [](System& s) {
    EXPECT_EQ(s.read(reg::kId), reg::kIdValue);
    EXPECT_EQ(s.read(reg::kVersion),
              (reg::kVersionMajor << reg::kVersionMajorLsb) | (reg::kVersionMinor << reg::kVersionMinorLsb));
    EXPECT_EQ(s.read(reg::kParams) & ((1u << reg::kParamsEntriesWidth) - 1), accelerator::RtlCore::built_parameters().entries);
    const std::uint64_t start = s.cycle();
    for (int i = 0; i < 10; ++i) s.read(reg::kId);
    EXPECT_EQ(s.cycle() - start, 10u * 3u) << "two cycles an access, one between two calls";
  });
  system.simulate();
}

TEST(AxilRtl, RegistersKeepWhatIsWritten) {
  // All registers are written before any is read, so that a write that changes another register shows.
  System system("system", [](System& s) {
    RandomStream random(17, "registers");
    const std::vector<reg::RegisterInfo> all = registers(reg::Access::ReadWrite);
    EXPECT_GT(all.size(), 5u);
    std::vector<std::uint32_t> after_reset;
    std::vector<std::uint32_t> masks;
    for (const reg::RegisterInfo& info : all) {
      after_reset.push_back(s.read(info.offset));
      EXPECT_EQ(s.write(info.offset, 0xFFFF'FFFF), kOk) << info.name;
      masks.push_back(s.read(info.offset));
      const bool beyond = info.offset > reg::kMask0 && info.offset <= reg::kMask7;  // masks of tags that do not exist
      EXPECT_EQ(masks.back() == 0u, beyond) << info.name;
    }
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint32_t> values;
      for (const reg::RegisterInfo& info : all) {
        values.push_back(static_cast<std::uint32_t>(random.bits()));
        EXPECT_EQ(s.write(info.offset, values.back()), kOk) << info.name;
      }
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(s.read(all[i].offset), values[i] & masks[i]) << all[i].name;
    }
    s.reset();
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(s.read(all[i].offset), after_reset[i]) << all[i].name;
  });
  system.simulate();
}

TEST(AxilRtl, RefusedAccessesAreErrors) {
  System system("system", [](System& s) {
    for (const reg::RegisterInfo& info : registers(reg::Access::ReadOnly))
      EXPECT_EQ(s.write(info.offset, 0), kRefused) << info.name;
    std::uint32_t data = 0;
    for (const reg::RegisterInfo& info : registers(reg::Access::WriteOnly))
      EXPECT_EQ(s.access(false, info.offset, data), kRefused) << info.name;
    EXPECT_EQ(s.access(false, free_address(), data), kRefused);
    EXPECT_EQ(s.write(free_address(), 0), kRefused);
    // A write of half a word is refused and changes nothing.
    EXPECT_EQ(s.write(reg::kCtrl, kIrqEnable), kOk);
    unsigned char enables[4] = {TLM_BYTE_ENABLED, TLM_BYTE_ENABLED, 0, 0};
    data = 0;
    EXPECT_EQ(s.access(true, reg::kCtrl, data, enables), kRefused);
    EXPECT_EQ(s.read(reg::kCtrl), kIrqEnable);
    EXPECT_EQ(s.access(true, 0x1000, data), tlm::TLM_ADDRESS_ERROR_RESPONSE) << "beyond the bus";
  });
  system.simulate();
}

TEST(AxilRtl, ADecisionAndItsInterrupt) {
  System system("system", [](System& s) {
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(s.write(reg::kCtrl, kIrqEnable), kOk);
      EXPECT_FALSE(s.irq.read());
      EXPECT_EQ(s.write(reg::kOp, 0), kOk);
      const std::uint64_t begun = s.cycle();
      EXPECT_EQ(s.read(reg::kStatus) & kDone, 0u) << "reads are answered during a decision";
      sc_core::wait(sc_time(1, sc_core::SC_MS), s.irq.posedge_event());
      EXPECT_TRUE(s.irq.read());
      EXPECT_GE(s.cycle() - begun, reg::kDecisionLatency);
      EXPECT_LE(s.cycle() - begun, 4096u);
      s.pause(1);
      EXPECT_EQ(s.read(reg::kStatus) & kDone, kDone);
      EXPECT_EQ(s.write(reg::kClear, kClearDone), kOk);
      EXPECT_FALSE(s.irq.read());
      EXPECT_EQ(s.read(reg::kStatus) & kDone, 0u);
      // A write during a decision is held on the bus until its end.
      EXPECT_EQ(s.write(reg::kOp, 0), kOk);
      EXPECT_EQ(s.write(reg::kMargin, 0), kOk);
      EXPECT_EQ(s.read(reg::kStatus) & kDone, kDone);
      EXPECT_EQ(s.write(reg::kClear, kClearDone), kOk);
    }
  });
  system.simulate();
}

TEST(AxilRtl, RandomAccessesAnswerAsTheDesignDoesAccessByAccess) {
  accelerator::RtlCore reference(kCycleNs * 1000);
  std::uint32_t good = 0;
  std::uint32_t refused = 0;
  System system("system", [&](System& s) {
    RandomStream random(23, "accesses");
    for (std::uint32_t i = 0; i < scaled(20'000); ++i) {
      accelerator::BusRequest request;
      const reg::RegisterInfo& info = reg::kRegisters[random.below(std::size(reg::kRegisters))];
      request.write = random.below(3) != 0;
      request.address = random.below(16) == 0 ? 4 * static_cast<std::uint32_t>(random.below(1024)) : info.offset;
      request.data = static_cast<std::uint32_t>(random.below(2) == 0 ? random.bits() : random.below(64));
      // Here writes wait for the end of work; in the reference, accesses follow each other.
      if (request.address == reg::kStallCycles) continue;
      const accelerator::BusResponse expected = reference.access(request);
      if (request.write) {
        if (request.address == reg::kClear) s.settle();  // the one write that does not wait
        EXPECT_EQ(s.write(request.address, request.data), expected.ok ? kOk : kRefused) << info.name << " step " << i;
      } else {
        s.settle();  // the reference ends work within the access that starts it
        std::uint32_t data = 0;
        EXPECT_EQ(s.access(false, request.address, data), expected.ok ? kOk : kRefused) << info.name << " step " << i;
        if (expected.ok) {
          EXPECT_EQ(data, expected.data) << info.name << " step " << i;
        }
      }
      ++(expected.ok ? good : refused);
      if (::testing::Test::HasFailure()) return;
    }
  });
  system.simulate();
  EXPECT_GT(good, scaled(5'000));
  EXPECT_GT(refused, scaled(1'000));
}

TEST(AxilRtl, ResetInMidAccess) {
  System system("system", [&](System& s) {
    RandomStream random(29, "resets");
    std::uint32_t lost = 0;
    for (std::uint32_t i = 0; i < scaled(500); ++i) {
      bool over = false;
      sc_core::sc_spawn([&] {
        std::uint32_t data = 3;
        const tlm::tlm_response_status status = s.access(i % 2 == 0, reg::kCtrl, data);
        EXPECT_TRUE(status == kOk || status == kRefused);
        lost += status == kOk ? 0 : 1;
        over = true;
      });
      sc_core::wait(sc_time(static_cast<double>(random.below(5 * kCycleNs)), SC_NS));
      s.reset();
      EXPECT_TRUE(over);
      EXPECT_EQ(s.read(reg::kCtrl), 0u);
    }
    EXPECT_GT(lost, scaled(100));
  });
  system.simulate();
}

}  // namespace
}  // namespace platter::testing
