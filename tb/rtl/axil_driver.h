// SPDX-License-Identifier: Apache-2.0
//
// Clock, reset and AXI4-Lite master of the scheduling accelerator, pin by pin. `Dut` is a Verilated sched_top
// or anything with the same members. Within a cycle the inputs are set, settle() makes the outputs of that
// cycle visible, and edge() ends it.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace platter::testing {

/// What came back from one access.
struct AxilResponse {
  bool okay = false;
  std::uint32_t data = 0;      // of a read
  std::uint64_t accepted = 0;  // number of the cycle that accepted the access
};

template <class Dut>
class AxilDriver {
 public:
  explicit AxilDriver(Dut& dut) : dut_(dut) {}

  /// Number of the present cycle.
  std::uint64_t cycle() const { return cycle_; }

  /// Let the outputs follow the inputs of the present cycle.
  void settle() {
    dut_.clk_i = 0;
    dut_.eval();
  }

  /// End the present cycle.
  void edge() {
    dut_.clk_i = 1;
    dut_.eval();
    ++cycle_;
  }

  void tick(unsigned cycles = 1) {
    for (unsigned i = 0; i < cycles; ++i) {
      settle();
      edge();
    }
  }

  /// Both channels idle, hard reset for three cycles.
  void reset() {
    dut_.s_axil_awvalid_i = 0;
    dut_.s_axil_wvalid_i = 0;
    dut_.s_axil_wstrb_i = 0xF;
    dut_.s_axil_bready_i = 1;
    dut_.s_axil_arvalid_i = 0;
    dut_.s_axil_rready_i = 1;
    dut_.rst_ni = 0;
    tick(3);
    dut_.rst_ni = 1;
    settle();
  }

  void drive_write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF) {
    dut_.s_axil_awvalid_i = 1;
    set(dut_.s_axil_awaddr_i, address);
    dut_.s_axil_wvalid_i = 1;
    dut_.s_axil_wdata_i = data;
    set(dut_.s_axil_wstrb_i, strobe);
  }

  void release_write() {
    dut_.s_axil_awvalid_i = 0;
    dut_.s_axil_wvalid_i = 0;
  }

  void drive_read(std::uint32_t address) {
    dut_.s_axil_arvalid_i = 1;
    set(dut_.s_axil_araddr_i, address);
  }

  void release_read() { dut_.s_axil_arvalid_i = 0; }

  /// A whole write with the master always ready; returns in the cycle after the response.
  AxilResponse write(std::uint32_t address, std::uint32_t data, unsigned strobe = 0xF) {
    AxilResponse response;
    dut_.s_axil_bready_i = 1;
    drive_write(address, data, strobe);
    settle();
    for (unsigned waited = 0; !dut_.s_axil_awready_o; ++waited) {
      check_patience(waited);
      tick();
      settle();
    }
    response.accepted = cycle_;
    edge();
    release_write();
    settle();
    for (unsigned waited = 0; !dut_.s_axil_bvalid_o; ++waited) {
      check_patience(waited);
      tick();
      settle();
    }
    response.okay = dut_.s_axil_bresp_o == 0;
    edge();
    return response;
  }

  /// A whole read with the master always ready; returns in the cycle after the response.
  AxilResponse read(std::uint32_t address) {
    AxilResponse response;
    dut_.s_axil_rready_i = 1;
    drive_read(address);
    settle();
    for (unsigned waited = 0; !dut_.s_axil_arready_o; ++waited) {
      check_patience(waited);
      tick();
      settle();
    }
    response.accepted = cycle_;
    edge();
    release_read();
    settle();
    for (unsigned waited = 0; !dut_.s_axil_rvalid_o; ++waited) {
      check_patience(waited);
      tick();
      settle();
    }
    response.okay = dut_.s_axil_rresp_o == 0;
    response.data = dut_.s_axil_rdata_o;
    edge();
    return response;
  }

 private:
  template <class Pin>
  static void set(Pin& pin, std::uint32_t value) {
    pin = static_cast<Pin>(value);
  }

  static void check_patience(unsigned waited) {
    if (waited > 1000) throw std::runtime_error("no answer on the bus for 1000 cycles");
  }

  Dut& dut_;
  std::uint64_t cycle_ = 0;
};

}  // namespace platter::testing
