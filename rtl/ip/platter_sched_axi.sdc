# SPDX-License-Identifier: Apache-2.0
#
# Constraints of platter_sched_axi: one clock, everything else timed against it. Set a variable before this file is read to change it:
#
#   platter_clock_port      the clock                                            aclk
#   platter_period          its period, in the library's unit of time            8.0
#   platter_uncertainty     jitter and skew                                      0
#   platter_input_delay     arrival of the inputs after the edge                 0.3 of the period; "" leaves the inputs unconstrained
#   platter_output_delay    time that the outputs need before the next edge      0.3 of the period; "" leaves the outputs unconstrained
#   platter_input_hold      earliest change of the inputs after the edge         0
#   platter_output_hold     time that the outputs must stay after the edge       0
#   platter_scan_delay      arrival of scan_en after the falling edge            0.2 of the period; "" leaves it unconstrained
#   platter_load            load at each output, in the library's unit           none
#   platter_async_outputs   outputs that another clock samples behind a          none; busy and irq may be among them, each behind a
#                           synchroniser: no timing to them is needed            flip-flop of aclk, since they are ANDs of two
#
# scan_en changes only while the clock is low: it is timed from the falling edge, at which it may change at once, and must reach the clock gates and
# what lies behind them before the next rising edge.
#
# The reset is sampled by the clock like any other input (no flip-flop has an asynchronous reset), so it is no false path: bring it through a
# synchroniser and declare the path to its first stage false there. There are no other exceptions: no multicycle path, no second clock.
foreach {platter_variable platter_default} {
  platter_clock_port aclk
  platter_period 8.0
  platter_uncertainty 0
  platter_input_hold 0
  platter_output_hold 0
  platter_load {}
  platter_async_outputs {}
} {
  if {![info exists $platter_variable]} { set $platter_variable $platter_default }
}
if {![info exists platter_input_delay]} { set platter_input_delay [expr {0.3 * $platter_period}] }
if {![info exists platter_scan_delay]} { set platter_scan_delay [expr {0.2 * $platter_period}] }
if {![info exists platter_output_delay]} { set platter_output_delay [expr {0.3 * $platter_period}] }

create_clock -name platter_clock -period $platter_period [get_ports $platter_clock_port]
if {$platter_uncertainty > 0} { set_clock_uncertainty $platter_uncertainty [get_clocks platter_clock] }

if {$platter_input_delay ne ""} {
  set platter_ports [get_ports {
    aresetn s_axi_awaddr* s_axi_awprot* s_axi_awvalid s_axi_wdata* s_axi_wstrb* s_axi_wvalid s_axi_bready
    s_axi_araddr* s_axi_arprot* s_axi_arvalid s_axi_rready
  }]
  set_input_delay -max $platter_input_delay -clock platter_clock $platter_ports
  set_input_delay -min $platter_input_hold -clock platter_clock $platter_ports
}
if {$platter_scan_delay ne ""} {
  set_input_delay -max $platter_scan_delay -clock platter_clock -clock_fall [get_ports scan_en]
  set_input_delay -min 0 -clock platter_clock -clock_fall [get_ports scan_en]
}
if {$platter_output_delay ne ""} {
  set platter_ports [get_ports {
    s_axi_awready s_axi_wready s_axi_bresp* s_axi_bvalid s_axi_arready s_axi_rdata* s_axi_rresp* s_axi_rvalid busy irq
  }]
  set_output_delay -max $platter_output_delay -clock platter_clock $platter_ports
  set_output_delay -min [expr {-$platter_output_hold}] -clock platter_clock $platter_ports
}
if {$platter_load ne ""} { set_load $platter_load [all_outputs] }
foreach platter_port $platter_async_outputs { set_false_path -to [get_ports $platter_port] }
