// SPDX-License-Identifier: Apache-2.0
//
// An RV32 core whose firmware drives the accelerator's RTL: platter_sched_axi on the core's bus, cycle by cycle, its interrupt at the core. Random
// steps go to the firmware through the mailbox and, register by register, to the reference model; what the firmware read must be what the model
// decided. An error response on the bus, a failed assertion and a step that differs end with exit code 1.
//
//   driver_sim FIRMWARE SEED STEPS
#include <verilated.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <random>

#include "Vplatter_sched_axi.h"
#include "mailbox.h"
#include "platter/accelerator/reference_core.h"
#include "rv32_core.h"

namespace {

using platter::accelerator::ReferenceCore;
using platter::rv32::Core;
namespace reg = platter::accelerator::reg;

constexpr std::uint32_t kMaxCycles = 100'000;  // of one access: the longest waits for an order

[[noreturn]] void fail(const std::string& text) {
  std::cerr << "driver_sim: " << text << '\n';
  std::exit(1);
}

/// The RTL at the core's bus. The master is privileged and non-secure; the design accepts only privileged writes.
class Rtl : public platter::rv32::DeviceIf {
 public:
  Rtl() {
    context_.fatalOnError(false);
    context_.errorLimit(1);
    Verilated::threadContextp(&context_);
    top_ = std::make_unique<Vplatter_sched_axi>(&context_);
    top_->s_axi_awprot = 0b011;
    top_->s_axi_arprot = 0b011;
    top_->s_axi_wstrb = 0xF;
    step();
    step();
    top_->aresetn = 1;
  }
  ~Rtl() override { top_->final(); }

  std::uint32_t read(std::uint32_t address) override {
    top_->s_axi_araddr = offset(address);
    top_->s_axi_arvalid = 1;
    top_->s_axi_rready = 1;
    for (std::uint32_t cycle = 0; cycle < kMaxCycles; ++cycle) {
      const bool taken = top_->s_axi_arvalid != 0 && top_->s_axi_arready != 0;
      const bool answered = top_->s_axi_rvalid != 0;
      const std::uint32_t data = top_->s_axi_rdata;
      const bool okay = top_->s_axi_rresp == 0;
      step();
      if (taken) top_->s_axi_arvalid = 0;
      top_->eval();
      if (answered) {
        top_->s_axi_rready = 0;
        if (!okay) fail("the read of " + std::to_string(offset(address)) + " was refused");
        return data;
      }
    }
    fail("a read is not answered");
  }

  void write(std::uint32_t address, std::uint32_t value) override {
    top_->s_axi_awaddr = offset(address);
    top_->s_axi_wdata = value;
    top_->s_axi_awvalid = 1;
    top_->s_axi_wvalid = 1;
    top_->s_axi_bready = 1;
    for (std::uint32_t cycle = 0; cycle < kMaxCycles; ++cycle) {
      const bool address_taken = top_->s_axi_awready != 0;
      const bool data_taken = top_->s_axi_wready != 0;
      const bool answered = top_->s_axi_bvalid != 0;
      const bool okay = top_->s_axi_bresp == 0;
      stalls += top_->busy;
      step();
      if (address_taken) top_->s_axi_awvalid = 0;
      if (data_taken) top_->s_axi_wvalid = 0;
      top_->eval();
      if (answered) {
        top_->s_axi_bready = 0;
        if (!okay) fail("the write of " + std::to_string(value) + " to " + std::to_string(offset(address)) + " was refused");
        return;
      }
    }
    fail("a write is not answered");
  }

  /// One cycle.
  void step() override {
    top_->aclk = 0;
    top_->eval();
    top_->aclk = 1;
    top_->eval();
    top_->aclk = 0;
    top_->eval();
    ++cycles;
    if (context_.gotError()) fail("an assertion failed");
  }

  bool interrupt() const override { return top_->irq != 0; }

  std::uint64_t cycles = 0;
  std::uint64_t stalls = 0;  ///< cycles in which a write was offered while the accelerator was busy

 private:
  static std::uint16_t offset(std::uint32_t address) {
    if (address - MAILBOX_DEVICE >= 0x1000) fail("nothing is at address " + std::to_string(address));
    return static_cast<std::uint16_t>(address - MAILBOX_DEVICE);
  }

  VerilatedContext context_;
  std::unique_ptr<Vplatter_sched_axi> top_;
};

/// The same steps at the reference model, written from the register map alone.
class Expected {
 public:
  explicit Expected(std::uint32_t features) : features_(features), model_(parameters(features)) { model_.reset(); }

  bool write(std::uint32_t address, std::uint32_t data) { return model_.access({true, address, data, 0}).ok; }
  std::uint32_t read(std::uint32_t address) { return model_.access({false, address, 0, 0}).data; }
  std::uint32_t field(std::uint32_t address, std::uint32_t lsb, std::uint32_t width) {
    return read(address) >> lsb & ((1u << width) - 1);
  }

  void configure(const mailbox& box) {
    constexpr std::uint32_t kTiming[] = {reg::kMargin,      reg::kRisk,       reg::kRiskCharge, reg::kHeadSwitch,
                                         reg::kWriteSettle, reg::kOverheadRr, reg::kOverheadRw, reg::kOverheadWr,
                                         reg::kOverheadWw,  reg::kDelay};
    for (std::size_t i = 0; i < std::size(kTiming); ++i) write(kTiming[i], box.timing[i]);
    write(reg::kSeekIndex, 0);
    for (std::uint32_t i = 0; i < box.segments; ++i) {
      write(reg::kSeekBase, box.segment[i][0]);
      write(reg::kSeekDelta, box.segment[i][1]);
    }
    write(reg::kSeekCell, 0);
    for (const auto& cell : box.cell) {
      write(reg::kSeekLast, cell[1] | cell[2] << reg::kSeekLastSecondLsb);
      write(reg::kSeekGroup, cell[0] | cell[3] << reg::kSeekGroupThirdLsb);
    }
  }

  mailbox_answer step(const mailbox_step& s) {
    mailbox_answer a{};
    switch (s.kind) {
      case STEP_INSERT:
        if ((s.limit_kind != 0 && !has(4)) || (s.rest != 0 && !has(8))) {
          const bool bad_tag = s.tag >= 32 || in_use_[s.tag];
          a.code = static_cast<std::uint32_t>(bad_tag ? -2 : kNoFeature);
          break;
        }
        write(reg::kEPos, s.place[0] | s.place[1] << reg::kEPosHeadLsb | s.write << reg::kEPosWriteLsb |
                              s.cls << reg::kEPosClassLsb | s.limit_kind << reg::kEPosLimitLsb);
        write(reg::kELimit, s.limit);
        write(reg::kERest, s.rest);
        write(reg::kEAngle, s.place[2]);
        write(reg::kEEndPos, s.end[0] | s.end[1] << reg::kEEndPosHeadLsb);
        write(reg::kEEndAngle, s.end[2]);
        write(reg::kETransfer, s.transfer);
        write(reg::kEDeadline, s.deadline);
        write(reg::kEAge, s.age);
        a.code = write(reg::kInsert, s.tag) ? 0 : static_cast<std::uint32_t>(-2);
        if (a.code == 0) in_use_[s.tag] = true;
        break;
      case STEP_REMOVE:
        a.code = write(reg::kRemove, s.tag) ? 0 : static_cast<std::uint32_t>(-2);
        if (a.code == 0) in_use_[s.tag] = false;
        break;
      case STEP_DECIDE:
      case STEP_DECIDE_LATE:
      case STEP_POLL: {
        write(reg::kHeadTime, s.time);
        write(reg::kAgeNow, s.age);
        write(reg::kOp, 0);
        a.tag = field(reg::kResult, reg::kResultTagLsb, reg::kResultTagWidth);
        a.forced = field(reg::kResult, reg::kResultForcedLsb, 1);
        a.key = read(reg::kResultKey);
        a.refused = read(reg::kRefused);
        const bool valid = field(reg::kResult, reg::kResultValidLsb, 1) != 0;
        a.code = valid ? 0 : static_cast<std::uint32_t>(-4);
        const std::uint32_t expired = read(reg::kExpired);
        a.expired = static_cast<std::uint32_t>(!has(4)                                 ? kNoFeature
                                               : expired >> reg::kExpiredValidLsb != 0 ? int(expired & 0xFF)
                                                                                       : -4);
        if (valid) {
          write(reg::kServe, a.tag);
          in_use_[a.tag] = false;
        }
        break;
      }
      case STEP_COLLECT:
        write(reg::kCluster, s.tag | (s.cls & 31) << reg::kClusterTakeCLsb);
        write(reg::kClusterFrom, s.place[0]);
        write(reg::kClusterSpan, s.transfer);
        write(reg::kOp, 1);
        a.code = field(reg::kClusterCount, reg::kClusterCountCountLsb, reg::kClusterCountCountWidth);
        for (std::uint32_t i = 0; i < 8; ++i) mask_[i] = a.mask[i] = read(reg::kMask0 + 4 * i);
        for (std::uint32_t i = 0; i < 3; ++i) a.order[i] = read(reg::kOrderTags0 + 4 * i);
        a.cost = read(reg::kOrderCost);
        break;
      case STEP_GUARD:
        write(reg::kReserve, s.time);
        control(reg::kCtrlGuardEnLsb, s.tag);
        break;
      case STEP_SWEEP:
        control(reg::kCtrlSweepDownLsb, s.tag & 1);
        control(reg::kCtrlNextCOnlyLsb, s.tag >> 1 & 1);
        break;
      case STEP_MASK:
        if (s.tag != 0) write(reg::kMask0, mask_[0]);
        control(reg::kCtrlMaskEnLsb, s.tag);
        break;
      case STEP_AGEING:
        write(reg::kAgeScale, s.time);
        write(reg::kAgeCap, s.age);
        write(reg::kDefer, s.transfer);
        control(reg::kCtrlDeferCLsb, s.tag);
        a.code = code_of(1);
        break;
      case STEP_AHEAD:
        a.code = code_of(2);
        if (has(2) && s.tag != 0 && s.cls == 0) {  // a look-ahead of no accesses
          a.code = kBadValue;
          break;
        }
        write(reg::kAheadShare, s.time);
        write(reg::kAhead, s.tag | s.cls << reg::kAheadDepthLsb);
        break;
      case STEP_GRACE:
        write(reg::kGrace, s.time);
        a.code = code_of(4);
        break;
      case STEP_REST:
        control(reg::kCtrlRestCostLsb, s.tag);
        a.code = code_of(8);
        break;
      default: write(reg::kHeadPos, s.place[0] | s.place[1] << reg::kHeadPosHeadLsb | s.write << reg::kHeadPosWriteLsb); break;
    }
    return a;
  }

 private:
  void control(std::uint32_t lsb, std::uint32_t value) { write(reg::kCtrl, (read(reg::kCtrl) & ~(1u << lsb)) | value << lsb); }

  static constexpr int kNoFeature = -5;
  static constexpr std::uint32_t kBadValue = static_cast<std::uint32_t>(-6);

  static platter::accelerator::AcceleratorParameters parameters(std::uint32_t features) {
    platter::accelerator::AcceleratorParameters parameters;
    parameters.features = features;
    return parameters;
  }

  bool has(std::uint32_t feature) const { return (features_ & feature) != 0; }
  std::uint32_t code_of(std::uint32_t feature) const { return static_cast<std::uint32_t>(has(feature) ? 0 : kNoFeature); }

  std::uint32_t features_;
  bool in_use_[32] = {};
  ReferenceCore model_;
  std::uint32_t mask_[8] = {};
};

class Stimuli {
 public:
  explicit Stimuli(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void fill(mailbox& box, std::uint32_t steps) {
    for (std::uint32_t& ticks : box.timing) ticks = below(4000);
    box.timing[0] = below(100);
    box.timing[1] = 100 + below(2000);
    box.timing[4] = below(2) != 0 ? below(3000) : static_cast<std::uint32_t>(-static_cast<std::int32_t>(below(1000)));
    // A line of its own for the first 447 cells; the last one has two.
    box.segments = MAILBOX_SEGMENTS;
    for (std::uint32_t i = 0; i < MAILBOX_SEGMENTS; ++i) {
      box.segment[i][0] = i == 0 ? 0 : 4000 + 150 * i + below(100);
      box.segment[i][1] = i < 32 ? 0 : below(400) - 100;
    }
    for (std::uint32_t i = 0; i < MAILBOX_CELLS; ++i) {
      box.cell[i][0] = i + 1 < MAILBOX_CELLS ? i : 448;
      box.cell[i][1] = i + 1 < MAILBOX_CELLS ? 511 : 200;
      box.cell[i][2] = box.cell[i][3] = 511;
    }
    box.steps = steps;
    for (std::uint32_t i = 0; i < steps; ++i) box.step[i] = next();
  }

 private:
  mailbox_step next() {
    mailbox_step s{};
    time_ += below(30'000);
    s.time = time_;
    s.age = time_ / 2;
    s.tag = below(34);  // two more than there are
    const std::uint32_t kind = below(100);
    if (kind < 50) {
      s.kind = STEP_INSERT;
      s.place[0] = below(10'000);
      s.place[1] = below(6);
      s.place[2] = below(65'536);
      s.transfer = 500 + below(20'000);
      s.end[0] = std::min(s.place[0] + below(3), 9999u);
      s.end[1] = below(6);
      s.end[2] = (s.place[2] + s.transfer) % 65'536;
      s.write = below(3) == 0;
      s.cls = below(3);
      s.deadline = time_ + below(2'500'000);
      s.limit_kind = below(2) == 0 ? 0 : below(4);
      s.limit = time_ + below(600'000);
      s.rest = below(2) == 0 ? 0 : below(65'536);
    } else if (kind < 56) {
      s.kind = STEP_REMOVE;
    } else if (kind < 80) {
      s.kind = kind < 74 ? STEP_DECIDE : STEP_DECIDE_LATE;
    } else if (kind < 88) {
      s.kind = STEP_POLL;
    } else if (kind < 92) {
      s.kind = STEP_COLLECT;
      s.tag = below(4) == 0 ? 0 : 1 + below(6);
      s.place[0] = below(10'000);
      s.transfer = below(2) == 0 ? 9999 : below(3000);
      s.cls = below(32) | (below(2) << 1);
    } else if (kind < 95) {
      s.kind = STEP_GUARD;
      s.tag = below(4) != 0;
      s.time = below(200'000);
    } else if (kind < 97) {
      s.kind = STEP_SWEEP;
      s.tag = below(4);
    } else if (kind < 98) {
      s.kind = STEP_MASK;
      s.tag = below(3) == 0;
    } else if (below(2) == 0) {
      // The optional parts
      s.kind = STEP_AGEING + below(4);
      s.tag = s.kind == STEP_AHEAD ? below(5) : below(2);
      s.cls = below(5);
      s.transfer = below(100'000);
      s.age = below(100'000);
      s.time = s.kind == STEP_AHEAD   ? static_cast<std::uint32_t>(random_())
               : s.kind == STEP_GRACE ? below(300'000)
                                      : below(200);
    } else {
      s.kind = STEP_HEAD;
      s.place[0] = below(10'000);
      s.place[1] = below(6);
      s.write = below(2);
    }
    return s;
  }

  std::mt19937 random_;
  std::uint32_t time_ = 0;
};

/// Loads an ELF file for RV32 and returns its entry.
std::uint32_t load(const char* path, std::vector<std::uint8_t>& memory) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(in), {}};
  const auto word = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    if (at + size > file.size()) fail(std::string("cannot read the program ") + path);
    std::memcpy(&value, file.data() + at, size);
    return value;
  };
  if (word(0, 4) != 0x464C457F || word(18, 2) != 243) fail(std::string(path) + " is no program for RISC-V");
  for (std::uint32_t i = 0; i < word(44, 2); ++i) {
    const std::size_t header = word(28, 4) + std::size_t{i} * word(42, 2);
    const std::uint32_t from = word(header + 4, 4), to = word(header + 8, 4), length = word(header + 16, 4);
    if (word(header, 4) != 1) continue;  // nothing to load
    if (from + std::size_t{length} > file.size() || to + std::size_t{length} > MAILBOX_ADDRESS)
      fail(std::string(path) + " does not fit");
    std::memcpy(&memory[to], file.data() + from, length);
  }
  return word(24, 4);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: driver_sim FIRMWARE SEED STEPS\n";
    return 2;
  }
  const auto steps = static_cast<std::uint32_t>(std::stoul(argv[3]));
  if (steps > MAILBOX_STEPS) fail("at most " + std::to_string(int{MAILBOX_STEPS}) + " steps");

  auto box = std::make_unique<mailbox>();
  Stimuli(static_cast<std::uint32_t>(std::stoul(argv[2]))).fill(*box, steps);
  Rtl rtl;
  auto core = std::make_unique<Core>(&rtl);
  const std::uint32_t entry = load(argv[1], core->memory);
  std::memcpy(&core->memory[MAILBOX_ADDRESS], box.get(), sizeof *box);
  const std::uint32_t code = core->call(entry, MAILBOX_STACK, {});
  if (code != 0) fail("the firmware returned " + std::to_string(static_cast<std::int32_t>(code)));
  std::memcpy(box.get(), &core->memory[MAILBOX_ADDRESS], sizeof *box);
  const std::uint32_t features = rtl.read(MAILBOX_DEVICE + reg::kFeatures);
  if (box->entries != 32 || box->lanes != 4 || box->order_max != 6 || box->features != features || box->loaded != 1)
    fail("the driver did not find what the instance is");

  Expected expected(features);
  expected.configure(*box);
  std::uint32_t decided = 0, by_interrupt = 0, forced = 0, refused = 0, empty = 0, bad_tags = 0, ordered = 0, masked = 0,
                expired = 0;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const mailbox_step& s = box->step[i];
    const mailbox_answer& found = box->answer[i];
    const mailbox_answer wanted = expected.step(s);
    if (std::memcmp(&found, &wanted, sizeof found) != 0) {
      const auto text = [](const mailbox_answer& a) {
        return "code " + std::to_string(static_cast<std::int32_t>(a.code)) + ", tag " + std::to_string(a.tag) + ", key " +
               std::to_string(static_cast<std::int32_t>(a.key)) + ", refused " + std::to_string(a.refused) + ", forced " +
               std::to_string(a.forced) + ", mask " + std::to_string(a.mask[0]) + ", expired " +
               std::to_string(static_cast<std::int32_t>(a.expired)) + ", cost " + std::to_string(a.cost);
      };
      fail("step " + std::to_string(i) + " of kind " + std::to_string(s.kind) + ": the firmware has " + text(found) +
           "; expected " + text(wanted));
    }
    const bool decision = s.kind == STEP_DECIDE || s.kind == STEP_DECIDE_LATE || s.kind == STEP_POLL;
    decided += decision;
    by_interrupt += decision && s.kind != STEP_POLL;
    forced += found.forced;
    refused += decision && found.refused != 0;
    empty += decision && found.code != 0;
    bad_tags += !decision && found.code == static_cast<std::uint32_t>(-2);
    expired += decision && static_cast<std::int32_t>(found.expired) >= 0;
    ordered += found.cost != 0;
    masked += s.kind == STEP_MASK && s.tag != 0;
  }
  if (box->interrupts != by_interrupt || box->others != 0)
    fail(std::to_string(box->interrupts) + " interrupts for " + std::to_string(by_interrupt) + " decisions, " +
         std::to_string(box->others) + " others");
  for (const std::uint32_t address :
       {reg::kHeadPos, reg::kHeadTime, reg::kDecisions, reg::kRefusedCount, reg::kForcedCount, reg::kReserve}) {
    if (rtl.read(MAILBOX_DEVICE + address) != expected.read(address))
      fail("register " + std::to_string(address) + " differs at the end");
  }
  std::cout << decided << " decisions, " << by_interrupt << " of them by interrupt, " << forced << " forced, " << refused
            << " with refusals, " << empty << " of nothing; " << ordered << " orders, " << masked << " masks, " << bad_tags
            << " bad tags, " << expired << " expired; " << rtl.cycles << " cycles, " << rtl.stalls << " of them stalled\n";
  if (std::min({decided, by_interrupt, forced, refused, empty, bad_tags, ordered, masked}) == 0 ||
      ((features & 4) != 0 && expired == 0))
    fail("the steps do not reach all");
  return 0;
}
