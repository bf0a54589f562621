// SPDX-License-Identifier: Apache-2.0
//
// Proof: an accepted write of SOFT_RESET leaves the accelerator idle and empty in the next cycle,
// with nothing waiting but the answer to a read. This holds from any state in which the registers
// that say "busy" agree (`agrees`, itself an invariant). CLEAR is never kept waiting by work. An
// idle accelerator takes a write unless it took one in the cycle before. A write that is accepted
// during work is one to CLEAR.
//
// The proof takes the whole of sched_native, with nothing cut. The harness looks at ports. For
// `agrees` it looks at u_control.state_q, command.cancel, u_regs.open_q and u_regs.write_gap_q. It
// reads the number of entries and the control word through the read port.
//
// Parameters:
//   Entries  as in sched_native
//   Lanes    as in sched_native
//   OrderM   as in sched_native

module formal_reset
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes = 2,
  parameter int unsigned OrderM = 2
) (
  // Clock, rising edge.
  input logic             clk_i,
  // Synchronous reset, active low; any value.
  input logic             rst_ni,

  // --- Any value in each cycle: the inputs of sched_native
  // A write is offered.
  input logic             wr_valid_i,
  // Its byte strobes.
  input logic [3:0]       wr_strb_i,
  // Its address.
  input logic [AddrW-1:0] wr_addr_i,
  // Its data.
  input logic [31:0]      wr_data_i,
  // A read is offered.
  input logic             rd_valid_i,
  // Its address.
  input logic [AddrW-1:0] rd_addr_i,
  // The answer to a read is taken.
  input logic             rsp_ready_i
);

  logic        wr_ready, wr_error, rd_ready, rsp_valid, rd_error, busy, irq;
  logic [31:0] rd_data;

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(OrderM), .AngleW(12), .CylW(8), .SegM(2), .SegW(5)
  ) u_dut (
    .clk_i, .rst_ni, .scan_en_i(1'b0), .wr_valid_i, .wr_ready_o(wr_ready), .wr_addr_i, .wr_data_i,
    .wr_strb_i,
    .wr_error_o(wr_error),
    .rd_valid_i, .rd_ready_o(rd_ready), .rd_addr_i, .rsp_valid_o(rsp_valid), .rsp_ready_i,
    .rd_data_o(rd_data),
    .rd_error_o(rd_error), .busy_o(busy), .irq_o(irq)
  );

  logic [2:0] cycle_q = '0;             // the state in cycle 0 is any state
  logic       cleared_q;                // by a soft reset or by a reset
  logic       accept, whole, soft_reset;

  logic                     agrees;

  // A change whose tag is refused has begun in state_q, but is no work.
  assign agrees = $onehot(u_dut.u_core.u_control.state_q) &&
      busy == !(u_dut.u_core.u_control.state_q[0] || u_dut.u_core.command.cancel) &&
      u_dut.u_core.u_regs.open_q == (!busy && !u_dut.u_core.u_regs.write_gap_q) &&
      (!u_dut.u_core.command.cancel ||
      (u_dut.u_core.u_control.state_q[1] && u_dut.u_core.u_regs.write_gap_q));
  assign whole = wr_strb_i == 4'b1111;
  assign accept = wr_valid_i && wr_ready;
  assign soft_reset = accept && whole && wr_addr_i == ClearOffset && wr_data_i[ClearSoftResetLsb];

  always_ff @(posedge clk_i) begin
    cycle_q <= (cycle_q == '1) ? cycle_q : cycle_q + 3'd1;
    cleared_q <= soft_reset || !rst_ni;
    if (cycle_q == '0) begin
      assume (agrees);
    end else begin
      a_busy_agrees: assert (agrees);
    end

    // The cycle after
    if (cycle_q != '0 && cleared_q) begin
      a_idle_after_reset: assert (!busy && !irq);
    end
    // A read in this cycle shows what the reset left.
    if (cycle_q > 3'd1 && rst_ni && $past(cleared_q && rst_ni && rd_valid_i && rd_ready)) begin
      a_answer_to_read: assert (rsp_valid);
      if ($past(rd_addr_i) == StatusOffset || $past(rd_addr_i) == CtrlOffset ||
          $past(rd_addr_i) == NextOffset || $past(rd_addr_i) == ResultOffset ||
          $past(rd_addr_i) == ClusterCountOffset || $past(rd_addr_i) == HeadPosOffset ||
          $past(rd_addr_i) == Mask0Offset || $past(rd_addr_i) == OrderCostOffset) begin
        a_state_cleared: assert (rd_data == '0 && !rd_error);
      end
    end
    // Writes
    if (cycle_q != '0 && rst_ni && $past(rst_ni)) begin
      if (!$past(accept) && wr_valid_i && (!busy || wr_addr_i == ClearOffset)) begin
        a_idle_takes_write: assert (wr_ready);
      end
      if (accept) begin
        a_only_clear_while_busy: assert (!busy || wr_addr_i == ClearOffset);
        a_gap_after_write: assert (!$past(accept));
      end
      // Work begins only with a write.
      if (busy) begin
        a_work_needs_write: assert ($past(busy) || ($past(accept) && !$past(wr_error)));
      end
      // The answer to a read waits.
      if ($past(rsp_valid && !rsp_ready_i)) begin
        a_answer_stable: assert (rsp_valid && $stable({rd_data, rd_error}));
      end
      // A refused write starts nothing.
      if ($past(accept && wr_error)) begin
        a_refused_starts_nothing: assert (!busy || $past(busy));
      end
    end
  end

endmodule
