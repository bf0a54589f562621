// SPDX-License-Identifier: Apache-2.0
//
// Compiled for each variant: PLATTER_DUT_HEADER and PLATTER_DUT_CLASS name the Verilated class.
#include "dut.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include PLATTER_DUT_HEADER

namespace platter::testing {
namespace {

class Context : public VerilatedContext {
 public:
  Context() {
    // PLATTER_RTL_ASSERT=0: without the assertions, so that the comparison alone decides.
    const char* assertions = std::getenv("PLATTER_RTL_ASSERT");
    if (assertions && std::strcmp(assertions, "0") == 0) assertOn(false);
    // PLATTER_RTL_SEED: registers and memories hold anything at first (in a design verilated so), in each instance else.
    static int instances = 0;
    if (const char* seed = std::getenv("PLATTER_RTL_SEED")) {
      randReset(2);
      randSeed(static_cast<int>(std::strtol(seed, nullptr, 10)) * 1000 + ++instances);
    }
  }
};

// AWPROT is a pin of some variants only.
template <class Top>
auto protects(int) -> decltype(std::declval<Top&>().s_axil_awprot_i, std::true_type{});

template <class Top>
std::false_type protects(long);

template <class Top>
void set_protection([[maybe_unused]] Top& top, [[maybe_unused]] std::uint8_t value) {
  if constexpr (decltype(protects<Top>(0))::value) top.s_axil_awprot_i = value;
}

class VerilatedDut final : public Dut {
 public:
#if VM_COVERAGE
  ~VerilatedDut() override {
    // PLATTER_RTL_COVERAGE: prefix of the files of coverage, one for each instance of the design.
    static unsigned instances = 0;
    if (const char* prefix = std::getenv("PLATTER_RTL_COVERAGE")) {
      context_.coveragep()->write((prefix + std::to_string(instances++) + ".dat").c_str());
    }
  }
#endif

  void eval() override {
    top_.clk_i = clk_i;
    top_.rst_ni = rst_ni;
    top_.scan_en_i = scan_en_i;
    set_protection(top_, s_axil_awprot_i);
    top_.s_axil_awvalid_i = s_axil_awvalid_i;
    top_.s_axil_awaddr_i = s_axil_awaddr_i;
    top_.s_axil_wvalid_i = s_axil_wvalid_i;
    top_.s_axil_wdata_i = s_axil_wdata_i;
    top_.s_axil_wstrb_i = s_axil_wstrb_i;
    top_.s_axil_bready_i = s_axil_bready_i;
    top_.s_axil_arvalid_i = s_axil_arvalid_i;
    top_.s_axil_araddr_i = s_axil_araddr_i;
    top_.s_axil_rready_i = s_axil_rready_i;
    top_.eval();
    s_axil_awready_o = top_.s_axil_awready_o;
    s_axil_wready_o = top_.s_axil_wready_o;
    s_axil_bvalid_o = top_.s_axil_bvalid_o;
    s_axil_bresp_o = top_.s_axil_bresp_o;
    s_axil_arready_o = top_.s_axil_arready_o;
    s_axil_rvalid_o = top_.s_axil_rvalid_o;
    s_axil_rdata_o = top_.s_axil_rdata_o;
    s_axil_rresp_o = top_.s_axil_rresp_o;
    irq_o = top_.irq_o;
    busy_o = top_.busy_o;
  }

 private:
  Context context_;
  PLATTER_DUT_CLASS top_{&context_};
};

}  // namespace

std::unique_ptr<Dut> make_dut() { return std::make_unique<VerilatedDut>(); }

bool dut_protects() { return decltype(protects<PLATTER_DUT_CLASS>(0))::value; }

unsigned dut_seq_w() { return PLATTER_DUT_SEQ_W; }

}  // namespace platter::testing
