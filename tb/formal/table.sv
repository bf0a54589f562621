// SPDX-License-Identifier: Apache-2.0
//
// Proof: table, list and mask hold the same entries, whatever is written. The port of sched_native
// takes any sequence of writes to INSERT, REMOVE, SERVE, CLEAR, E_POS and OP (a collection of
// everything). A tag is in the table if and only if the accepted writes put it there. A refused
// write changes nothing. A collection names the tag once if it is in the table, and otherwise not
// at all. The harness looks at the port and at nets of sched_core that leave the list and the
// table: valid, occupancy, mask_change, cluster_cfg.
//
// Parameters:
//   Entries  as in sched_native
//   Lanes    as in sched_native

module formal_table
  import sched_pkg::*;
  import sched_reg_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Lanes = 2,
  localparam int unsigned EntryW = index_w(Entries)
) (
  // Clock, rising edge.
  input logic             clk_i,
  // Synchronous reset, active low; low in the first cycle alone.
  input logic             rst_ni,

  // --- Any value in each cycle: the write port of sched_native
  // A write is offered.
  input logic             wr_valid_i,
  // Its byte strobes.
  input logic [3:0]       wr_strb_i,
  // Its address, one of the six.
  input logic [AddrW-1:0] wr_addr_i,
  // Its data.
  input logic [31:0]      wr_data_i,

  // --- A constant of any value
  // The tag that is watched.
  input logic [EntryW-1:0] tag_i
);

  logic              wr_ready, wr_error, busy, accept, fits, whole, good, refused;
  logic              started_q = 1'b0;
  logic [Entries-1:0] in_q;
  logic [CountW-1:0] count;
  logic              seen_q, collecting_q, sees;

  sched_native #(
    .Entries(Entries), .Lanes(Lanes), .OrderM(0), .AngleW(12), .CylW(8), .SegM(2), .SegW(5)
  ) u_dut (
    .clk_i, .rst_ni, .scan_en_i(1'b0), .wr_valid_i, .wr_ready_o(wr_ready), .wr_addr_i, .wr_data_i,
    .wr_strb_i,
    .wr_error_o(wr_error),
    .rd_valid_i(1'b0), .rd_ready_o(), .rd_addr_i('0), .rsp_valid_o(), .rsp_ready_i(1'b1),
    .rd_data_o(), .rd_error_o(),
    .busy_o(busy), .irq_o()
  );

  assign whole = wr_strb_i == 4'b1111;
  assign accept = wr_valid_i && wr_ready && rst_ni;
  assign good = accept && whole;
  assign fits = wr_data_i[15:0] < 16'(Entries);
  assign refused = (wr_addr_i == InsertOffset) ? !fits || in_q[wr_data_i[EntryW-1:0]] :
      !fits || !in_q[wr_data_i[EntryW-1:0]];
  assign sees = u_dut.u_core.mask_change.set && u_dut.u_core.mask_change.tag == TagW'(tag_i);

  always_comb begin
    count = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      count = count + CountW'(in_q[i]);
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!rst_ni) begin
      in_q <= '0;
      collecting_q <= 1'b0;
    end else begin
      if (good && wr_addr_i == ClearOffset && wr_data_i[ClearSoftResetLsb]) begin
        in_q <= '0;
        collecting_q <= 1'b0;
      end else begin
        if (good && wr_addr_i == InsertOffset && !refused) in_q[wr_data_i[EntryW-1:0]] <= 1'b1;
        if (good && (wr_addr_i == RemoveOffset || wr_addr_i == ServeOffset) && !refused)
          in_q[wr_data_i[EntryW-1:0]] <= 1'b0;
        if (good && wr_addr_i == OpOffset && wr_data_i[OpCodeLsb]) begin
          collecting_q <= 1'b1;
        end else if (!busy) begin
          collecting_q <= 1'b0;
        end
      end
    end
    seen_q <= busy && (seen_q || sees);
  end

  always_ff @(posedge clk_i) begin
    assume (rst_ni == started_q);
    if (started_q) assume ($stable(tag_i));
    // The registers that matter here. Collections take everything (proofs.toml cuts CLUSTER), and
    // there is no decision.
    assume (wr_addr_i inside {InsertOffset, RemoveOffset, ServeOffset, ClearOffset, EPosOffset,
            OpOffset});
    if (wr_addr_i == OpOffset) assume (wr_data_i[OpCodeLsb]);
    assume (u_dut.u_core.cluster_cfg.take_c && u_dut.u_core.cluster_cfg.take_d &&
            !u_dut.u_core.cluster_cfg.stop_at_c && !u_dut.u_core.cluster_cfg.down &&
            u_dut.u_core.cluster_cfg.from == '0 && u_dut.u_core.cluster_cfg.span == '1 &&
            u_dut.u_core.cluster_cfg.max == '0);

    if (started_q) begin
      // The lanes follow a change one cycle after the write.
      if (!u_dut.u_core.insert_q && !u_dut.u_core.remove_q)
        a_table_matches: assert (u_dut.u_core.valid == in_q);
      if (!busy) a_list_matches: assert (u_dut.u_core.occupancy == count);
      if (accept && wr_addr_i inside {InsertOffset, RemoveOffset, ServeOffset})
        a_error_matches: assert (wr_error == (!whole || refused));
      if (sees) a_collected_once: assert (collecting_q && in_q[tag_i] && !seen_q);
      if (collecting_q && !busy) a_collected_if_in: assert (seen_q == in_q[tag_i]);
    end
    c_two_collected: cover (started_q && collecting_q && !busy && $countones(in_q) == 2);
  end

endmodule
