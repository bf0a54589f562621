// SPDX-License-Identifier: Apache-2.0
//
// Vectors for a four-state simulator. A Dut that is the golden model behind the bus takes the place of the design; what the
// bench drives, and what the design has to answer, is written down cycle by cycle. four_state_tb.v replays it.
//
// Usage: vectors FILE ENTRIES LANES ORDER_M ANGLE_W CYL_W SEG_M SEG_W SEQ_W FEATURES
//
// A line is a cycle: inputs, expected outputs, which of their bits are compared; hexadecimal, as packed below.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

#include "sched_bench.h"

namespace platter::testing {
namespace {

namespace reg = accelerator::reg;

Parameters parameters;
std::FILE* file = nullptr;

class GoldenDut final : public Dut {
 public:
  void eval() override {
    const bool rises = clk_i && !clock_;
    clock_ = clk_i;
    const bool busy = golden_.busy();
    const bool offers_address = s_axil_awvalid_i && !address_held_, offers_data = s_axil_wvalid_i && !data_held_;
    const std::uint32_t address = address_held_ ? held_address_ : s_axil_awaddr_i;
    const std::uint32_t data = data_held_ ? held_data_ : s_axil_wdata_i;
    const unsigned strobe = data_held_ ? held_strobe_ : s_axil_wstrb_i;
    const bool both = (address_held_ || offers_address) && (data_held_ || offers_data);
    const bool to_clear = address == reg::kClear;
    const bool take_write = both && !write_waits_ && (!busy || to_clear);
    const bool take_read = s_axil_arvalid_i && !read_waits_;
    if (!clk_i) {
      s_axil_awready_o = !address_held_;
      s_axil_wready_o = !data_held_;
      s_axil_bvalid_o = write_waits_;
      s_axil_bresp_o = write_okay_ ? 0 : 2;
      s_axil_arready_o = !read_waits_;
      s_axil_rvalid_o = read_waits_;
      s_axil_rdata_o = read_data_.value_or(0);
      s_axil_rresp_o = read_data_ ? 0 : 2;
      irq_o = golden_.irq();
      busy_o = busy;
    }
    if (!rises) return;
    record();
    if (!rst_ni) {
      golden_.hard_reset();
      write_waits_ = read_waits_ = address_held_ = data_held_ = false;
      return;
    }
    const bool write_taken = write_waits_ && s_axil_bready_i, read_taken = read_waits_ && s_axil_rready_i;
    const bool stalls = busy && both && !to_clear && !write_waits_;
    if (take_read) {
      read_data_ = golden_.read(s_axil_araddr_i);
      read_specified_ = golden_.specified(s_axil_araddr_i);
    }
    if (read_taken) read_waits_ = false;
    if (write_taken) write_waits_ = false;
    if (take_read) read_waits_ = true;
    address_held_ = (address_held_ || offers_address) && !take_write;
    data_held_ = (data_held_ || offers_data) && !take_write;
    held_address_ = address;
    held_data_ = data;
    held_strobe_ = strobe;
    golden_.clock(stalls);
    if (take_write) {
      write_waits_ = true;
      write_okay_ = golden_.write(address, data, strobe).okay;
    }
  }

 private:
  void record() {
    if (!file) return;
    // rst_ni, awvalid, wvalid, bready, arvalid, rready; wstrb; awaddr; araddr; wdata
    const unsigned flags = static_cast<unsigned>(rst_ni << 5 | s_axil_awvalid_i << 4 | s_axil_wvalid_i << 3 |
                                                 s_axil_bready_i << 2 | s_axil_arvalid_i << 1 | s_axil_rready_i);
    std::fprintf(file, "%02x%x%03x%03x%08x ", flags, s_axil_wstrb_i & 0xFU, s_axil_awaddr_i & 0xFFFU, s_axil_araddr_i & 0xFFFU,
                 s_axil_wdata_i);
    // awready, wready, bvalid, arready, rvalid, irq, busy, 0; bresp, rresp; rdata
    const auto seven = [](unsigned awready, unsigned wready, unsigned bvalid, unsigned arready, unsigned rvalid, unsigned irq,
                          unsigned busy) {
      return awready << 7 | wready << 6 | bvalid << 5 | arready << 4 | rvalid << 3 | irq << 2 | busy << 1;
    };
    std::fprintf(file, "%02x%x%08x ",
                 seven(s_axil_awready_o, s_axil_wready_o, s_axil_bvalid_o, s_axil_arready_o, s_axil_rvalid_o, irq_o, busy_o),
                 static_cast<unsigned>(s_axil_bresp_o << 2 | s_axil_rresp_o), s_axil_rdata_o);
    const bool compares = rst_ni;
    std::fprintf(file, "%02x%x%08x\n", compares ? seven(1, 1, 1, s_axil_arvalid_i, 1, 1, 1) : 0,
                 compares ? (s_axil_bvalid_o ? 12U : 0U) | (s_axil_rvalid_o ? 3U : 0U) : 0U,
                 compares && s_axil_rvalid_o && read_data_ ? read_specified_ : 0);
  }

  Golden golden_{parameters};
  std::uint8_t clock_ = 0;
  bool write_waits_ = false, read_waits_ = false, write_okay_ = true;
  bool address_held_ = false, data_held_ = false;  // taken by the slave, waiting for the other or for BUSY to fall
  std::uint32_t held_address_ = 0, held_data_ = 0;
  unsigned held_strobe_ = 0;
  std::optional<std::uint32_t> read_data_;
  std::uint32_t read_specified_ = 0;
};

}  // namespace

std::unique_ptr<Dut> make_dut() { return std::make_unique<GoldenDut>(); }

bool dut_protects() { return false; }

unsigned dut_seq_w() { return parameters.seq_w; }

}  // namespace platter::testing

int main(int argc, char** argv) {
  using namespace platter::testing;
  namespace reg = platter::accelerator::reg;
  if (argc != 11) {
    std::cerr << "usage: vectors FILE ENTRIES LANES ORDER_M ANGLE_W CYL_W SEG_M SEG_W SEQ_W FEATURES\n";
    return 2;
  }
  unsigned* const fields[] = {&parameters.entries, &parameters.lanes, &parameters.order_m,
                              &parameters.angle_w, &parameters.cyl_w, &parameters.seg_m,
                              &parameters.seg_w,   &parameters.seq_w, &parameters.features};
  for (int i = 0; i < 9; ++i) *fields[i] = static_cast<unsigned>(std::strtoul(argv[i + 2], nullptr, 10));
  file = std::fopen(argv[1], "w");
  if (!file) {
    std::cerr << "vectors: " << argv[1] << " cannot be written\n";
    return 1;
  }
  SchedBench bench{1};  // loads the whole seek table, which would otherwise be unknown
  bench.check_all_registers();
  bench.load_seek_table(SeekTable::Realistic);
  // Every register and its bits
  for (const auto& info : reg::kRegisters) {
    if (info.access != reg::Access::ReadWrite) continue;
    for (const std::uint32_t word : {0xFFFFFFFFU, 0x55555555U}) {
      bench.write(info.offset, word);
      bench.read(info.offset);
    }
  }
  bench.write(reg::kClear, 0x100);
  bench.check_all_registers();
  // Decisions and clusters while the table fills: rows that were never written must not matter.
  for (unsigned tag = 0; tag < parameters.entries; ++tag) {
    bench.randomize_configuration();
    bench.randomize_head();
    bench.insert_random((tag * 5 + 3) % parameters.entries);
    bench.decide();
    bench.write(reg::kCluster, 0x2600);
    bench.write(reg::kClusterFrom, 0);
    bench.write(reg::kClusterSpan, 0xFFFFFFFF);
    bench.cluster();
    bench.check_all_registers();
  }
  bench.run_random(60);
  bench.check_all_registers();
  for (const std::string& difference : bench.differences()) std::cerr << difference << '\n';
  std::fclose(file);
  std::cout << bench.cycle() << " cycles\n";
  return bench.differences().empty() ? 0 : 1;
}
